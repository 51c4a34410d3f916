package main

import "sync"

var mu sync.Mutex

var commands = map[string]func(){
	"get": func() { mu.Lock(); mu.Unlock() }, // want "deadlock"
	"set": func() { mu.Lock() },
}

func main() {
	commands["get"]()
	commands["set"]()
	commands["get"]()
}
