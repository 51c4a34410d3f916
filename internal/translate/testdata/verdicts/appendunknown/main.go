package main

import (
	"os"
	"strings"
)

var atStart = fill(40)

func fill(n int) (all []chan int) {
	for range n {
		all = append(all, make(chan int, 1))
	}
	return all
}

// Slices that the program makes before anything else may be as long as they are; others
// that are not known take what is appended with them.
func main() {
	atStart[39] <- 1
	<-atStart[39]
	own := []chan int{make(chan int, 1)}
	names := strings.Split(os.Getenv("NAMES"), ",")
	names = append(names, "a", "b")
	names = append([]string{"c"}, names...) // under "append"
	if len(names) > 3 {
		own = append(own, atStart[0])
	}
	bytes := append([]byte("ab"), "cd"...)
	if len(bytes) == 4 {
		own[0] <- 1
	}
	<-own[0]     // unreal "deadlock"
	<-atStart[3] // want "deadlock"
}
