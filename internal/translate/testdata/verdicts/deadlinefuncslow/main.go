package main

import "time"

// The function has not been called yet when a shorter sleep is over.
func main() {
	t := time.AfterFunc(2*time.Second, func() {})
	time.Sleep(time.Second)
	if t.Stop() {
		panic("the sleep was first") // want "panic"
	}
}
