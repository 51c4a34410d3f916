package main

import "time"

// The function has been called when a longer sleep is over.
func main() {
	t := time.AfterFunc(time.Second, func() {})
	time.Sleep(2 * time.Second)
	if t.Stop() {
		panic("the sleep was first")
	}
}
