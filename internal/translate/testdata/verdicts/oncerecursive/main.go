package main

import "sync"

var once sync.Once

func f() {
	once.Do(f) // want "deadlock"
}

func main() { f() }
