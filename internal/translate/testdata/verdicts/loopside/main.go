package main

import "os"

// The loops go on on the side of the limit to which they count.
func main() {
	n := len(os.Args) + 3
	left := make(chan bool)
	go func() {
		i := n
		for {
			if i < 3 { // assumed "terminates"
				break
			}
			i++
		}
		close(left)
	}()
	not := make(chan bool)
	go func() {
		i := n + 20
		for !(i < 10) { // assumed "terminates"
			i++
		}
		close(not)
	}()
	<-left // missed "partial deadlock"
	<-not
}
