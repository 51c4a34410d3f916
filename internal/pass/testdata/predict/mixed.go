package predictable

import "sync"

// want deadlock, goroutine leak
func SendUnderLock() {
	var m sync.Mutex
	c := make(chan int)
	together(func() {
		later(1)
		m.Lock()
		c <- 1
		m.Unlock()
	}, func() {
		m.Lock()
		m.Unlock()
		<-c
	})
}

// want nothing
func SendUnderLockReceivedFirst() {
	var m sync.Mutex
	c := make(chan int)
	together(func() {
		later(1)
		m.Lock()
		c <- 1
		m.Unlock()
	}, func() {
		<-c
		m.Lock()
		m.Unlock()
	})
}

// want deadlock, goroutine leak
func ReceiveUnderLock() {
	var m sync.Mutex
	c := make(chan int)
	together(func() {
		later(1)
		m.Lock()
		<-c
		m.Unlock()
	}, func() {
		m.Lock()
		m.Unlock()
		c <- 1
	})
}

// want nothing
func ReceiveUnderLockSentFirst() {
	var m sync.Mutex
	c := make(chan int, 1)
	together(func() {
		later(1)
		m.Lock()
		<-c
		m.Unlock()
	}, func() {
		c <- 1
		m.Lock()
		m.Unlock()
	})
}

// want deadlock, goroutine leak
func WaitUnderLock() {
	var m sync.Mutex
	var wg sync.WaitGroup
	wg.Add(1)
	together(func() {
		later(1)
		m.Lock()
		wg.Wait()
		m.Unlock()
	}, func() {
		m.Lock()
		m.Unlock()
		wg.Done()
	})
}

// want nothing
func WaitUnderLockDoneFirst() {
	var m sync.Mutex
	var wg sync.WaitGroup
	wg.Add(1)
	together(func() {
		later(1)
		m.Lock()
		wg.Wait()
		m.Unlock()
	}, func() {
		wg.Done()
		m.Lock()
		m.Unlock()
	})
}

// want deadlock, goroutine leak
func SelectUnderLock() {
	var m sync.Mutex
	c, d := make(chan int), make(chan int)
	together(func() {
		later(1)
		m.Lock()
		select {
		case c <- 1:
		case <-d:
		}
		m.Unlock()
	}, func() {
		m.Lock()
		m.Unlock()
		<-c
	})
}

// want nothing
func SelectUnderLockReady() {
	var m sync.Mutex
	c, d := make(chan int, 1), make(chan int)
	together(func() {
		later(1)
		m.Lock()
		select {
		case c <- 1:
		case <-d:
		}
		m.Unlock()
	}, func() {
		m.Lock()
		m.Unlock()
		<-c
	})
}

// want deadlock, goroutine leak
func FullBufferUnderLock() {
	var m sync.Mutex
	c := make(chan int, 1)
	c <- 0
	together(func() {
		later(1)
		m.Lock()
		c <- 1
		m.Unlock()
	}, func() {
		m.Lock()
		m.Unlock()
		<-c
	})
}

// want nothing
func BufferUnderLock() {
	var m sync.Mutex
	c := make(chan int, 2)
	c <- 0
	together(func() {
		later(1)
		m.Lock()
		c <- 1
		m.Unlock()
	}, func() {
		m.Lock()
		m.Unlock()
		<-c
	})
}

// want deadlock, goroutine leak
func SemaphoreAndLock() {
	var m sync.Mutex
	sem := make(chan bool, 1)
	together(func() {
		sem <- true
		m.Lock()
		m.Unlock()
		<-sem
	}, func() {
		later(1)
		m.Lock()
		sem <- true
		<-sem
		m.Unlock()
	})
}

// want nothing
func SemaphoreThenLock() {
	var m sync.Mutex
	sem := make(chan bool, 1)
	together(func() {
		sem <- true
		m.Lock()
		m.Unlock()
		<-sem
	}, func() {
		later(1)
		sem <- true
		m.Lock()
		m.Unlock()
		<-sem
	})
}

// want deadlock, goroutine leak
func ReplyUnderLock() {
	var m sync.Mutex
	ask, answer := make(chan int), make(chan int)
	together(func() {
		for range 2 {
			<-ask
			m.Lock()
			m.Unlock()
			answer <- 1
		}
	}, func() {
		ask <- 1
		<-answer
		later(1)
		ask <- 2
		later(2)
		m.Lock()
		<-answer
		m.Unlock()
	})
}

// want nothing
func ReplyOutsideLock() {
	var m sync.Mutex
	ask, answer := make(chan int), make(chan int)
	together(func() {
		for range 2 {
			<-ask
			m.Lock()
			m.Unlock()
			answer <- 1
		}
	}, func() {
		ask <- 1
		<-answer
		later(1)
		ask <- 2
		later(2)
		m.Lock()
		m.Unlock()
		<-answer
	})
}

// want deadlock, goroutine leak
func CloseUnderLock() {
	var m sync.Mutex
	stop := make(chan bool)
	together(func() {
		later(1)
		m.Lock()
		<-stop
		m.Unlock()
	}, func() {
		m.Lock()
		m.Unlock()
		close(stop)
	})
}

// want nothing
func CloseBeforeLock() {
	var m sync.Mutex
	stop := make(chan bool)
	together(func() {
		later(1)
		m.Lock()
		<-stop
		m.Unlock()
	}, func() {
		close(stop)
		m.Lock()
		m.Unlock()
	})
}

// want deadlock, goroutine leak
func WriteLockThenReceive() {
	var m sync.RWMutex
	c := make(chan int)
	together(func() {
		later(1)
		m.Lock()
		<-c
		m.Unlock()
	}, func() {
		m.RLock()
		m.RUnlock()
		c <- 1
	})
}

// want nothing
func ReadLockThenReceive() {
	var m sync.RWMutex
	c := make(chan int)
	together(func() {
		later(1)
		m.RLock()
		<-c
		m.RUnlock()
	}, func() {
		m.RLock()
		m.RUnlock()
		c <- 1
	})
}
