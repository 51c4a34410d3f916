// Package main compares what interfaces hold, where it can be compared.
package main

func main() {
	values := make(chan any, 2)
	values <- 1
	seen := map[any]int{2: 1}
	select {
	case values <- []int{2}:
		a := <-values
		if c := a; c != a {
			<-values
		}
	case values <- 3:
		seen[<-values]++
		if seen[1] == 0 {
			<-values
		}
	}
}
