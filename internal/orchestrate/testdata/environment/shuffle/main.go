package main

import (
	"math/rand"
)

func main() {
	list := []int{1, 2, 3, 4}
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	done := make(chan bool)
	go func() {
		if list[0] == 4 {
			panic(list) // want "panic"
		}
		done <- true
	}()
	<-done
}
