package predictable

import "sync"

// want deadlock
func LockOrder() {
	var a, b sync.Mutex
	together(func() {
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
	}, func() {
		later(1)
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	})
}

// want nothing
func LockOrderGate() {
	var gate, a, b sync.Mutex
	together(func() {
		gate.Lock()
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
		gate.Unlock()
	}, func() {
		later(1)
		gate.Lock()
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
		gate.Unlock()
	})
}

// want deadlock
func LockOrderThree() {
	var m [3]sync.Mutex
	pair := func(i, j int) func() {
		return func() {
			later(i)
			m[i].Lock()
			m[j].Lock()
			m[j].Unlock()
			m[i].Unlock()
		}
	}
	together(pair(0, 1), pair(1, 2), pair(2, 0))
}

// want nothing
func LockOrderThreeSorted() {
	var m [3]sync.Mutex
	pair := func(n, i, j int) func() {
		return func() {
			later(n)
			m[i].Lock()
			m[j].Lock()
			m[j].Unlock()
			m[i].Unlock()
		}
	}
	together(pair(0, 0, 1), pair(1, 1, 2), pair(2, 0, 2))
}

// want deadlock
func LockOrderFour() {
	var m [4]sync.Mutex
	var wg sync.WaitGroup
	for i := range m {
		wg.Add(1)
		go func() {
			defer wg.Done()
			later(i)
			m[i].Lock()
			defer m[i].Unlock()
			m[(i+1)%4].Lock()
			defer m[(i+1)%4].Unlock()
		}()
	}
	wg.Wait()
}

// want nothing
func LockOrderFourSorted() {
	var m [4]sync.Mutex
	var wg sync.WaitGroup
	for i := range m {
		wg.Add(1)
		go func() {
			defer wg.Done()
			later(i)
			j := (i + 1) % 4
			m[min(i, j)].Lock()
			defer m[min(i, j)].Unlock()
			m[max(i, j)].Lock()
			defer m[max(i, j)].Unlock()
		}()
	}
	wg.Wait()
}

// want deadlock
func WriteLocks() {
	var a, b sync.RWMutex
	together(func() {
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
	}, func() {
		later(1)
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	})
}

// want nothing
func ReadLocks() {
	var a, b sync.RWMutex
	together(func() {
		a.RLock()
		b.RLock()
		b.RUnlock()
		a.RUnlock()
	}, func() {
		later(1)
		b.RLock()
		a.RLock()
		a.RUnlock()
		b.RUnlock()
	})
}

// want deadlock
func ReadThenWrite() {
	var a, b sync.RWMutex
	together(func() {
		a.RLock()
		b.Lock()
		b.Unlock()
		a.RUnlock()
	}, func() {
		later(1)
		b.RLock()
		a.Lock()
		a.Unlock()
		b.RUnlock()
	})
}

// want nothing
func ReadThenRead() {
	var a, b sync.RWMutex
	together(func() {
		a.RLock()
		b.Lock()
		b.Unlock()
		a.RUnlock()
	}, func() {
		later(1)
		a.RLock()
		b.Lock()
		b.Unlock()
		a.RUnlock()
	})
}

// want deadlock
func RecursiveRead() {
	var m sync.RWMutex
	together(func() {
		m.RLock()
		m.RLock()
		m.RUnlock()
		m.RUnlock()
	}, func() {
		later(1)
		m.Lock()
		m.Unlock()
	})
}

// want nothing
func RecursiveReadAlone() {
	var m sync.RWMutex
	together(func() {
		m.RLock()
		m.RLock()
		m.RUnlock()
		m.RUnlock()
	}, func() {
		later(1)
		m.RLock()
		m.RUnlock()
	})
}

type account struct {
	sync.Mutex
	id, balance int
}

// want deadlock
func Transfer() {
	a, b := &account{id: 1}, &account{id: 2}
	move := func(from, to *account) {
		from.Lock()
		defer from.Unlock()
		to.Lock()
		defer to.Unlock()
		from.balance--
		to.balance++
	}
	together(func() { move(a, b) }, func() { later(1); move(b, a) })
}

// want nothing
func TransferSorted() {
	a, b := &account{id: 1}, &account{id: 2}
	move := func(from, to *account) {
		first, second := from, to
		if second.id < first.id {
			first, second = second, first
		}
		first.Lock()
		defer first.Unlock()
		second.Lock()
		defer second.Unlock()
		from.balance--
		to.balance++
	}
	together(func() { move(a, b) }, func() { later(1); move(b, a) })
}

// want deadlock
func LockAgainstStarter() {
	var a, b sync.Mutex
	done := make(chan bool)
	go func() {
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
		close(done)
	}()
	later(1)
	a.Lock()
	b.Lock()
	b.Unlock()
	a.Unlock()
	<-done
}

// want nothing
func LockBehindJoin() {
	var a, b sync.Mutex
	done := make(chan bool)
	go func() {
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
		close(done)
	}()
	<-done
	a.Lock()
	b.Lock()
	b.Unlock()
	a.Unlock()
}

// want deadlock
func Philosophers() {
	var forks [3]sync.Mutex
	var wg sync.WaitGroup
	for i := range forks {
		wg.Go(func() {
			later(i)
			for range 2 {
				forks[i].Lock()
				forks[(i+1)%3].Lock()
				forks[(i+1)%3].Unlock()
				forks[i].Unlock()
			}
		})
	}
	wg.Wait()
}

// want nothing
func PhilosophersWithWaiter() {
	var forks [3]sync.Mutex
	seats := make(chan bool, 2)
	var wg sync.WaitGroup
	for i := range forks {
		wg.Go(func() {
			later(i)
			for range 2 {
				seats <- true
				forks[i].Lock()
				forks[(i+1)%3].Lock()
				forks[(i+1)%3].Unlock()
				forks[i].Unlock()
				<-seats
			}
		})
	}
	wg.Wait()
}

// want deadlock
func LockThenOnce() {
	var m sync.Mutex
	var once sync.Once
	set := func() {
		m.Lock()
		m.Unlock()
	}
	together(func() { once.Do(set) }, func() {
		later(1)
		m.Lock()
		once.Do(set)
		m.Unlock()
	})
}

// want nothing
func LockBehindOnce() {
	var m sync.Mutex
	var once sync.Once
	set := func() {
		m.Lock()
		m.Unlock()
	}
	together(func() { once.Do(set) }, func() {
		later(1)
		once.Do(set)
		m.Lock()
		m.Unlock()
	})
}

// want goroutine leak, deadlock
func TryLockGivesUp() {
	var m sync.Mutex
	c := make(chan int)
	go func() { c <- 1 }()
	together(func() {
		m.Lock()
		m.Unlock()
	}, func() {
		later(1)
		if m.TryLock() {
			m.Unlock()
			<-c
		}
	})
}

// want nothing
func LockDoesNotGiveUp() {
	var m sync.Mutex
	c := make(chan int)
	go func() { c <- 1 }()
	together(func() {
		m.Lock()
		m.Unlock()
	}, func() {
		later(1)
		m.Lock()
		m.Unlock()
		<-c
	})
}

// want unlock of unlocked mutex
func UnlockElsewhere() {
	var m sync.Mutex
	done := make(chan bool)
	go func() {
		later(1)
		m.Unlock()
		close(done)
	}()
	m.Lock()
	<-done
}

// want nothing
func UnlockElsewhereBehind() {
	var m sync.Mutex
	done := make(chan bool)
	m.Lock()
	go func() {
		m.Unlock()
		close(done)
	}()
	<-done
}

// want unlock of unlocked mutex
func UnlockTwice() {
	var m sync.Mutex
	held := true
	m.Lock()
	var g sync.Mutex
	check := func() {
		g.Lock()
		h := held
		g.Unlock()
		if h {
			g.Lock()
			held = false
			g.Unlock()
			m.Unlock()
		}
	}
	together(check, func() { later(1); check() })
}

// want nothing
func UnlockOnce() {
	var m, g sync.Mutex
	held := true
	m.Lock()
	check := func() {
		g.Lock()
		defer g.Unlock()
		if held {
			held = false
			m.Unlock()
		}
	}
	together(check, func() { later(1); check() })
}
