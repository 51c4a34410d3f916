package main

import "sync"

func each(n int, f func(int)) {
	for i := range n {
		f(i)
	}
}

func main() {
	var wg sync.WaitGroup
	each(2, func(i int) {
		wg.Add(1)
		go func() { defer wg.Done() }()
	})
	wg.Wait()
	each(3, func(i int) {
		if i < 2 {
			wg.Add(1)
		}
		go wg.Done() // want "negative WaitGroup counter"
	})
	wg.Wait()
}
