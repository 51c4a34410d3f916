package main

import "os"

// As loopside, and the loops count to the side on which they end.
func main() {
	n := len(os.Args) + 3
	left := make(chan bool)
	go func() {
		i := n
		for {
			if i < 3 {
				break
			}
			i--
		}
		close(left)
	}()
	not := make(chan bool)
	go func() {
		i := n + 20
		for !(i < 10) {
			i--
		}
		close(not)
	}()
	<-left
	<-not
}
