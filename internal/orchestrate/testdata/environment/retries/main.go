package main

import (
	"math/rand"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	i, j := rand.Intn(3), rand.Intn(3)
	for j == i {
		j = rand.Intn(3)
	}
	wg.Add(1)
	go func() {
		defer wg.Done()
		if i+j == 1 {
			wg.Done()
		}
	}() // want "negative WaitGroup counter"
	wg.Wait()
}
