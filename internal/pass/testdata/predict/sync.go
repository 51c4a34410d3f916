package predictable

import (
	"sync"
	"sync/atomic"
)

// want goroutine leak, deadlock
func SignalMissed() {
	var m sync.Mutex
	c := sync.NewCond(&m)
	together(func() {
		m.Lock()
		c.Wait()
		m.Unlock()
	}, func() {
		later(1)
		m.Lock()
		c.Signal()
		m.Unlock()
	})
}

// want nothing
func SignalWithFlag() {
	var m sync.Mutex
	c := sync.NewCond(&m)
	ready := false
	together(func() {
		m.Lock()
		for !ready {
			c.Wait()
		}
		m.Unlock()
	}, func() {
		later(1)
		m.Lock()
		ready = true
		c.Signal()
		m.Unlock()
	})
}

// want goroutine leak, deadlock
func BroadcastMissed() {
	var m sync.Mutex
	c := sync.NewCond(&m)
	wait := func() {
		m.Lock()
		c.Wait()
		m.Unlock()
	}
	together(wait, wait, func() {
		later(1)
		c.Broadcast()
	})
}

// want nothing
func BroadcastWithFlag() {
	var m sync.Mutex
	c := sync.NewCond(&m)
	ready := false
	wait := func() {
		m.Lock()
		for !ready {
			c.Wait()
		}
		m.Unlock()
	}
	together(wait, wait, func() {
		later(1)
		m.Lock()
		ready = true
		m.Unlock()
		c.Broadcast()
	})
}

// want goroutine leak, deadlock
func SignalToAnother() {
	var m sync.Mutex
	c := sync.NewCond(&m)
	turn := 0
	wait := func(n int) func() {
		return func() {
			later(n)
			m.Lock()
			for turn <= n {
				c.Wait()
			}
			m.Unlock()
		}
	}
	next := func() {
		m.Lock()
		turn++
		c.Signal()
		m.Unlock()
	}
	together(wait(0), wait(1), func() {
		later(3)
		next()
		later(1)
		next()
	})
}

// want nothing
func BroadcastToAll() {
	var m sync.Mutex
	c := sync.NewCond(&m)
	turn := 0
	wait := func(n int) func() {
		return func() {
			later(n)
			m.Lock()
			for turn <= n {
				c.Wait()
			}
			m.Unlock()
		}
	}
	next := func() {
		m.Lock()
		turn++
		c.Broadcast()
		m.Unlock()
	}
	together(wait(0), wait(1), func() {
		later(3)
		next()
		later(1)
		next()
	})
}

// want goroutine leak, deadlock
func FlagUnderNoLock() {
	var m sync.Mutex
	c := sync.NewCond(&m)
	var ready atomic.Bool
	together(func() {
		m.Lock()
		if !ready.Load() {
			c.Wait()
		}
		m.Unlock()
	}, func() {
		later(1)
		ready.Store(true)
		c.Signal()
	})
}

// want nothing
func FlagUnderLock() {
	var m sync.Mutex
	c := sync.NewCond(&m)
	var ready atomic.Bool
	together(func() {
		m.Lock()
		if !ready.Load() {
			c.Wait()
		}
		m.Unlock()
	}, func() {
		later(1)
		m.Lock()
		ready.Store(true)
		m.Unlock()
		c.Signal()
	})
}

// want negative WaitGroup counter
func AddBehindGo() {
	var wg sync.WaitGroup
	go func() {
		later(1)
		wg.Done()
	}()
	wg.Add(1)
	wg.Wait()
}

// want nothing
func AddInFrontOfGo() {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		later(1)
		wg.Done()
	}()
	wg.Wait()
}

// want negative WaitGroup counter
func SecondAddLate() {
	var wg sync.WaitGroup
	wg.Add(1)
	done := func() {
		later(1)
		wg.Done()
	}
	go done()
	go done()
	wg.Add(1)
	wg.Wait()
}

// want nothing
func BothAddsEarly() {
	var wg sync.WaitGroup
	wg.Add(1)
	wg.Add(1)
	done := func() {
		later(1)
		wg.Done()
	}
	go done()
	go done()
	wg.Wait()
}

// want negative WaitGroup counter
func AddAfterResult() {
	var wg sync.WaitGroup
	c := make(chan int, 1)
	go func() {
		c <- 1
		later(2)
		wg.Done()
	}()
	<-c
	wg.Add(1)
	wg.Wait()
}

// want nothing
func AddBeforeRequest() {
	var wg sync.WaitGroup
	c := make(chan int)
	go func() {
		<-c
		later(2)
		wg.Done()
	}()
	wg.Add(1)
	c <- 1
	wg.Wait()
}

// want send on closed channel, WaitGroup misuse
func AddInsideGo() {
	var wg sync.WaitGroup
	c := make(chan int, 1)
	done := make(chan bool)
	go func() {
		wg.Add(1)
		c <- 1
		wg.Done()
		close(done)
	}()
	later(1)
	wg.Wait()
	close(c)
	<-done
}

// want nothing
func AddOutsideGo() {
	var wg sync.WaitGroup
	c := make(chan int, 1)
	done := make(chan bool)
	wg.Add(1)
	go func() {
		c <- 1
		wg.Done()
		close(done)
	}()
	later(1)
	wg.Wait()
	close(c)
	<-done
}

// want WaitGroup misuse
func ReusedEarly() {
	var wg sync.WaitGroup
	done := make(chan bool)
	wg.Add(1)
	go func() {
		wg.Wait()
		close(done)
	}()
	later(1)
	wg.Done()
	later(1)
	wg.Add(1)
	wg.Done()
	<-done
}

// want nothing
func ReusedBehind() {
	var wg sync.WaitGroup
	done := make(chan bool)
	wg.Add(1)
	go func() {
		wg.Wait()
		close(done)
	}()
	wg.Done()
	<-done
	wg.Add(1)
	wg.Done()
	wg.Wait()
}

// want goroutine leak, deadlock
func FlagReadEarly() {
	var ready atomic.Bool
	c := make(chan int)
	together(func() { ready.Store(true) }, func() {
		later(1)
		if !ready.Load() {
			<-c
		}
	})
}

// want nothing
func FlagReadBehind() {
	var ready atomic.Bool
	c := make(chan int)
	set := make(chan bool)
	together(func() {
		ready.Store(true)
		close(set)
	}, func() {
		<-set
		if !ready.Load() {
			<-c
		}
	})
}

// want goroutine leak, deadlock
func FlagReadLate() {
	var stopped atomic.Bool
	c := make(chan int)
	together(func() {
		if !stopped.Load() {
			c <- 1
		}
	}, func() {
		<-c
	}, func() {
		later(1)
		stopped.Store(true)
	})
}

// want nothing
func FlagReadLateAndAgain() {
	var stopped atomic.Bool
	c := make(chan int)
	together(func() {
		if stopped.Load() {
			close(c)
			return
		}
		c <- 1
	}, func() {
		<-c
	}, func() {
		later(1)
		stopped.Store(true)
	})
}

// want panic
func CountOfTwo() {
	var n atomic.Int64
	add := func() {
		v := n.Load()
		n.Store(v + 1)
	}
	together(add, func() { later(1); add() })
	if n.Load() != 2 {
		panic("an addition is lost")
	}
}

// want nothing
func CountOfTwoAtOnce() {
	var n atomic.Int64
	add := func() { n.Add(1) }
	together(add, func() { later(1); add() })
	if n.Load() != 2 {
		panic("an addition is lost")
	}
}

// want panic
func CountInTwoSections() {
	var m sync.Mutex
	n := 0
	add := func() {
		m.Lock()
		v := n
		m.Unlock()
		m.Lock()
		n = v + 1
		m.Unlock()
	}
	together(add, func() { later(1); add() })
	if n != 2 {
		panic("an addition is lost")
	}
}

// want nothing
func CountInOneSection() {
	var m sync.Mutex
	n := 0
	add := func() {
		m.Lock()
		v := n
		n = v + 1
		m.Unlock()
	}
	together(add, func() { later(1); add() })
	if n != 2 {
		panic("an addition is lost")
	}
}

// want panic
func OnceByAnother() {
	var once sync.Once
	var v *int
	together(func() {
		once.Do(func() { v = new(int) })
	}, func() {
		later(1)
		once.Do(func() {})
		*v = 1
	})
}

// want nothing
func OnceBySame() {
	var once sync.Once
	var v *int
	get := func() *int {
		once.Do(func() { v = new(int) })
		return v
	}
	together(func() { get() }, func() {
		later(1)
		*get() = 1
	})
}
