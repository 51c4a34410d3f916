package main

import "slices"

// As sortbeyond, with a function that compares.
func main() {
	debts := make(chan []int)
	go func() {
		s := []int{0, 0}
		for range 300 {
			s[1]--
			select {
			case debts <- nil:
			default:
			}
		}
		debts <- s
	}()
	s := <-debts
	if s == nil {
		return
	}
	slices.SortFunc(s, func(a, b int) int { return a - b })
	ch := make(chan bool)
	if s[0] == 0 {
		close(ch)
	}
	<-ch // want "deadlock"
}
