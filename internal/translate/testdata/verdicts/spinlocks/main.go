package main

import (
	"runtime"
	"sync/atomic"
)

type spinLock uint32

func (l *spinLock) Lock() {
	backoff := 1
	for !atomic.CompareAndSwapUint32((*uint32)(l), 0, 1) {
		for range backoff {
			runtime.Gosched()
		}
		if backoff < 16 {
			backoff <<= 1
		}
	}
}

func (l *spinLock) Unlock() { atomic.StoreUint32((*uint32)(l), 0) }

// The lock keeps the two apart: the channel is closed once.
func main() {
	var l spinLock
	c := make(chan int)
	closed := false
	done := make(chan bool, 2)
	for range 2 {
		go func() {
			l.Lock()
			defer l.Unlock()
			if !closed {
				closed = true
				close(c)
			}
			done <- true
		}()
	}
	<-done
	<-done
	<-c
	<-done // want "deadlock"
}
