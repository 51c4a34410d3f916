// Package main compares slices in interfaces, and uses one as the key of a map.
package main

func main() {
	values := make(chan any, 2)
	values <- []int{1}
	seen := map[any]int{2: 1}
	select {
	case values <- 2:
		a := <-values
		if c := a; c == a { // want "panic"
			<-values
		}
	case values <- 3:
		seen[<-values]++ // want "panic"
		if seen[3] == 0 {
			<-values
		}
	}
}
