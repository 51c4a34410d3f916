package main

import (
	"flag"
	"sync"
)

func main() {
	n := flag.Int("rows", 2, "")
	flag.Parse()
	rows := make([][]chan int, *n)
	for i := range rows {
		rows[i] = make([]chan int, 2)
		for j := range rows[i] {
			rows[i][j] = make(chan int, 1)
		}
	}
	var wg sync.WaitGroup
	for _, row := range rows {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for _, c := range row {
				c <- 1
			}
		}()
	}
	wg.Wait()
	for _, row := range rows {
		for _, c := range row {
			<-c
		}
	}
}
