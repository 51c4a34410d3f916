package main

import (
	"io"
	"time"
)

func halved(n int) (turns int) {
	for n > 0 {
		n /= 2
		turns++
	}
	return turns
}

func main() {
	r, w := io.Pipe()
	done := make(chan bool)
	time.AfterFunc(time.Second, func() { done <- true })
	println(r, w, halved(7))
	<-done
}
