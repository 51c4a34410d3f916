package main

import "slices"

// As sortbeyond, but that the model keeps the numbers.
func main() {
	debts := make(chan []int)
	go func() {
		s := []int{0, 0}
		for range 3 {
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
	if s[0] == -3 {
		close(ch)
	}
	<-ch
}
