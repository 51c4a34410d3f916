package main

import "time"

type clock struct {
	t    *time.Timer
	tick *time.Ticker
}

func main() {
	c := &clock{time.NewTimer(time.Second), time.NewTicker(time.Minute)}
	quit := make(chan bool)
	go func() {
		for {
			select {
			case <-c.tick.C:
			case <-quit:
				c.tick.Stop()
				return
			}
		}
	}()
	<-c.t.C
	if c.t.Reset(time.Second) {
		panic("it has fired")
	}
	<-c.t.C
	quit <- true
	c.t.Reset(time.Second)
	_ = quit
	<-c.t.C
}
