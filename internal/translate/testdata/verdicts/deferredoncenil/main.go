package main

import "sync"

// What the library is to call is nil, in a call that is deferred.
func main() {
	done, once := make(chan int), make(chan int)
	go func() { done <- 1 }()
	<-done
	func() {
		defer func() {
			if recover() == nil {
				close(once)
			}
		}()
		var f func()
		defer sync.OnceFunc(f)()
	}()
	func() {
		defer func() {
			if recover() != nil {
				close(done)
			}
		}()
		var o sync.Once
		defer o.Do(nil)
	}()
	<-done
	<-once // want "deadlock"
}
