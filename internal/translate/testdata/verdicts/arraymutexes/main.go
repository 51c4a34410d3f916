package main

import "sync"

type table struct {
	locks [3]sync.Mutex
}

func (t *table) both(i, j int) {
	t.locks[i].Lock()
	defer t.locks[i].Unlock()
	t.locks[j].Lock() // want "deadlock"
	defer t.locks[j].Unlock()
}

func main() {
	t := &table{}
	done := make(chan bool)
	go func() {
		t.both(0, 1)
		close(done)
	}()
	t.both(1, 0)
	<-done
}
