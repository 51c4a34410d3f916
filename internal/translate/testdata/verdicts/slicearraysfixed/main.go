package main

import "sync"

func main() {
	var m [2][3]chan int
	for i := range m {
		for j := range m[i] {
			m[i][j] = make(chan int, 1)
		}
	}
	var wg sync.WaitGroup
	for _, c := range m[1][:] {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c <- 1
		}()
	}
	wg.Wait()
	row := m[1][:2]
	row = append(row[:1], row[1:]...)
	for _, c := range row {
		<-c
	}
	if len(m[1][2]) != 1 || cap(row) != 3 {
		panic("row")
	}
}
