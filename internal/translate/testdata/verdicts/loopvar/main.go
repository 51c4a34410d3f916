package main

import "sync"

func main() {
	var wg sync.WaitGroup
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if i == 3 {
				panic("shared loop variable")
			}
		}()
	}
	wg.Wait()
}
