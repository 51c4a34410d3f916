package main

import "time"

func main() {
	c := make(chan int)
	t := time.AfterFunc(time.Second, func() { // under "unknown-call"
		close(c) // missed "close of closed channel"
	})
	<-c // unreal "deadlock"
	t.Reset(time.Second)
	time.Sleep(time.Minute)
}
