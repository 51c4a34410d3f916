package main

import "slices"

var s = []int{1000, 0}

// The model keeps more numbers of an element that starts at 1000 than of one that
// starts at 0: what is beyond those of the one is none of the other.
func main() {
	turns := make(chan bool)
	go func() {
		defer close(turns)
		for range 300 {
			s[1]++
			turns <- true
		}
	}()
	for range turns {
	}
	slices.Reverse(s)
	reversed, ch := make(chan bool), make(chan bool)
	close(reversed)
	if s[0] < 300 {
		close(ch)
	}
	<-ch // want "deadlock"
}
