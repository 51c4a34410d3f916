package main

import (
	"runtime"
)

func main() {
	stop := make(chan bool)
	before := runtime.NumGoroutine()
	go func() { stop <- true }()
	<-stop
	if runtime.NumGoroutine() > before {
		panic("still there") // want "panic"
	}
}
