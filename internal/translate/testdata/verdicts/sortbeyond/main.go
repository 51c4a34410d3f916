package main

import "slices"

// What somebody owes is beyond the numbers that the model keeps, and less than nothing.
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
	slices.Sort(s)
	ch := make(chan bool)
	if s[0] == 0 {
		close(ch)
	}
	<-ch // want "deadlock"
}
