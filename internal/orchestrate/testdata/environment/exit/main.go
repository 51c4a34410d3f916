package main

import (
	"math/rand"
	"os"
)

func main() {
	done := make(chan bool)
	go func() {
		if rand.Intn(3) == 0 {
			os.Exit(3) // want "exit"
		}
		done <- true
	}()
	<-done
}
