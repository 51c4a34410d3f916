package main

import "sync"

func main() {
	var wg sync.WaitGroup
	n := 0
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			v := n
			n = v + 1
		}()
	}
	wg.Wait()
	if n != 2 {
		panic("lost") // want "panic"
	}
}
