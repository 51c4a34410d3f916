package main

import "sync"

type worker struct {
	wg   sync.WaitGroup
	done chan int
}

func (w *worker) run() {
	defer w.wg.Done()
	w.done <- 1
}

func main() {
	w := &worker{done: make(chan int)}
	w.wg.Add(1)
	go w.run()
	<-w.done
	w.wg.Wait()
}
