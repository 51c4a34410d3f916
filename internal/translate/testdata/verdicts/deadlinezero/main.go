package main

import "time"

// No time passes in a sleep of none.
func main() {
	t := time.AfterFunc(0, func() {})
	time.Sleep(0)
	if t.Stop() {
		panic("the sleep was first") // want "panic" // unconfirmed "in a run no time passes in it, and the function is called"
	}
}
