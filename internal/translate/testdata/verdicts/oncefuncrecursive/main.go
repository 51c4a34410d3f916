package main

import (
	"sync"
	"time"
)

func main() {
	var f func()
	f = sync.OnceFunc(func() { f() }) // want "partial deadlock"
	go f()
	time.Sleep(time.Second)
}
