package main

import "time"

func main() {
	c := make(chan int)
	t := time.AfterFunc(time.Second, func() {
		close(c) // missed "close of closed channel"
	})
	<-c
	t.Reset(time.Second) // unreal "bound exceeded"
	time.Sleep(time.Minute)
}
