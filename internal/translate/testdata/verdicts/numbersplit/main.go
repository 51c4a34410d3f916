package main

import "strings"

func main() {
	words := strings.Fields("a b")
	lengths := make([]chan int, len(words))
	for i, w := range words {
		lengths[i] = make(chan int)
		go func() { lengths[i] <- len(w) }()
	}
	for _, c := range lengths {
		<-c
	}
	if len(lengths) == 2 {
		<-lengths[1] // want "deadlock"
	}
}
