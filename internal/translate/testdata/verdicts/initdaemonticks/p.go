package p

import "time"

// A janitor ticks for ever, and belongs to the process.
var swept = janitor()

func janitor() chan bool {
	c := make(chan bool, 1)
	go func() {
		for {
			time.Sleep(time.Second)
			select {
			case c <- true:
			default:
			}
		}
	}()
	return c
}
