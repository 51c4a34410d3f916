package predictable

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// want send on closed channel
func SendAgainstClose() {
	c := make(chan int, 1)
	done := make(chan bool)
	go func() {
		c <- 1
		close(done)
	}()
	later(1)
	close(c)
	<-done
}

// want nothing
func SendThenClose() {
	c := make(chan int, 1)
	done := make(chan bool)
	go func() {
		c <- 1
		close(done)
	}()
	<-done
	close(c)
}

// want send on closed channel
func SelectAgainstClose() {
	c := make(chan int, 1)
	done := make(chan bool)
	go func() {
		select {
		case c <- 1:
		default:
		}
		close(done)
	}()
	later(1)
	close(c)
	<-done
}

// want nothing
func SelectAgainstCloseWithFlag() {
	c := make(chan int, 1)
	var m sync.Mutex
	closed := false
	together(func() {
		m.Lock()
		defer m.Unlock()
		if !closed {
			select {
			case c <- 1:
			default:
			}
		}
	}, func() {
		later(1)
		m.Lock()
		defer m.Unlock()
		closed = true
		close(c)
	})
}

// want send on closed channel
func SendAgainstCloseInSections() {
	c := make(chan int, 1)
	var m sync.Mutex
	together(func() {
		m.Lock()
		c <- 1
		m.Unlock()
	}, func() {
		later(1)
		m.Lock()
		close(c)
		m.Unlock()
	})
}

// want nothing
func SendThenCloseInSections() {
	c := make(chan int, 1)
	sent := make(chan bool)
	var m sync.Mutex
	together(func() {
		m.Lock()
		c <- 1
		m.Unlock()
		close(sent)
	}, func() {
		<-sent
		m.Lock()
		close(c)
		m.Unlock()
	})
}

// want send on closed channel
func FirstSenderCloses() {
	c := make(chan int, 2)
	together(func() {
		later(1)
		c <- 1
		close(c)
	}, func() { c <- 2 })
}

// want nothing
func LastSenderCloses() {
	c := make(chan int, 2)
	var left atomic.Int64
	left.Store(2)
	send := func(n int) func() {
		return func() {
			later(n)
			c <- n
			if left.Add(-1) == 0 {
				close(c)
			}
		}
	}
	together(send(0), send(1))
}

// want send on closed channel
func ReceiverCloses() {
	c := make(chan int, 2)
	done := make(chan bool)
	go func() {
		c <- 1
		c <- 2
		close(done)
	}()
	<-c
	later(1)
	close(c)
	<-done
}

// want nothing
func ReceiverClosesBehindAll() {
	c := make(chan int, 2)
	done := make(chan bool)
	go func() {
		c <- 1
		c <- 2
		close(done)
	}()
	<-c
	<-c
	close(c)
	<-done
}

// want send on closed channel
func CloseBehindCancel() {
	ctx, cancel := context.WithCancel(context.Background())
	c := make(chan int)
	done := make(chan bool)
	go func() {
		defer close(done)
		for {
			select {
			case c <- 1:
			case <-ctx.Done():
				return
			}
		}
	}()
	<-c
	cancel()
	later(1)
	close(c)
	<-done
}

// want nothing
func CloseBehindWorker() {
	ctx, cancel := context.WithCancel(context.Background())
	c := make(chan int)
	done := make(chan bool)
	go func() {
		defer close(done)
		for {
			select {
			case c <- 1:
			case <-ctx.Done():
				return
			}
		}
	}()
	<-c
	cancel()
	<-done
	close(c)
}

// want close of closed channel
func CloseTwice() {
	done := make(chan bool)
	stop := func() {
		select {
		case <-done:
		default:
			close(done)
		}
	}
	together(stop, func() { later(1); stop() })
}

// want nothing
func CloseOnce() {
	done := make(chan bool)
	var once sync.Once
	stop := func() { once.Do(func() { close(done) }) }
	together(stop, func() { later(1); stop() })
}

// want close of closed channel
func CloseByFlag() {
	done := make(chan bool)
	var closed atomic.Bool
	stop := func() {
		if !closed.Load() {
			closed.Store(true)
			close(done)
		}
	}
	together(stop, func() { later(1); stop() })
}

// want nothing
func CloseBySwap() {
	done := make(chan bool)
	var closed atomic.Bool
	stop := func() {
		if closed.CompareAndSwap(false, true) {
			close(done)
		}
	}
	together(stop, func() { later(1); stop() })
}

// want close of closed channel
func CloseInTwoSections() {
	var m sync.Mutex
	closed := false
	done := make(chan bool)
	stop := func() {
		m.Lock()
		was := closed
		m.Unlock()
		if !was {
			m.Lock()
			closed = true
			m.Unlock()
			close(done)
		}
	}
	together(stop, func() { later(1); stop() })
}

// want nothing
func CloseInOneSection() {
	var m sync.Mutex
	closed := false
	done := make(chan bool)
	stop := func() {
		m.Lock()
		was := closed
		closed = true
		m.Unlock()
		if !was {
			close(done)
		}
	}
	together(stop, func() { later(1); stop() })
}

// want close of closed channel
func CloseByCount() {
	done := make(chan bool)
	var n atomic.Int64
	arrive := func() {
		n.Add(1)
		if n.Load() == 2 {
			close(done)
		}
	}
	together(arrive, func() { later(1); arrive() })
	<-done
}

// want nothing
func CloseByLast() {
	done := make(chan bool)
	var n atomic.Int64
	arrive := func() {
		if n.Add(1) == 2 {
			close(done)
		}
	}
	together(arrive, func() { later(1); arrive() })
	<-done
}

// want goroutine leak
func ResultOrTimeout() {
	c := make(chan int)
	go func() { c <- 1 }()
	select {
	case <-c:
	case <-time.After(time.Second):
	}
}

// want nothing
func ResultOrTimeoutBuffered() {
	c := make(chan int, 1)
	go func() { c <- 1 }()
	select {
	case <-c:
	case <-time.After(time.Second):
	}
}

// want goroutine leak, deadlock
func SendOrTimeout() {
	c := make(chan int)
	together(func() {
		select {
		case c <- 1:
		case <-time.After(time.Second):
		}
	}, func() { <-c })
}

// want nothing
func SendOrTimeoutClosed() {
	c := make(chan int)
	together(func() {
		defer close(c)
		select {
		case c <- 1:
		case <-time.After(time.Second):
		}
	}, func() { <-c })
}

// want goroutine leak
func ResultOrDeadline() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c := make(chan int)
	go func() { c <- 1 }()
	select {
	case <-c:
	case <-ctx.Done():
	}
}

// want nothing
func ResultOrDeadlineOnBothSides() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c := make(chan int)
	done := make(chan bool)
	go func() {
		defer close(done)
		select {
		case c <- 1:
		case <-ctx.Done():
		}
	}()
	select {
	case <-c:
	case <-ctx.Done():
	}
	<-done
}

// want goroutine leak, deadlock
func ResultOrStop() {
	c, stop := make(chan int), make(chan bool)
	go func() { c <- 1 }()
	go func() {
		later(2)
		close(stop)
	}()
	select {
	case <-c:
	case <-stop:
	}
	<-stop
}

// want nothing
func ResultOrStopOnBothSides() {
	c, stop := make(chan int), make(chan bool)
	go func() {
		select {
		case c <- 1:
		case <-stop:
		}
	}()
	go func() {
		later(2)
		close(stop)
	}()
	select {
	case <-c:
	case <-stop:
	}
	<-stop
}

// want goroutine leak, deadlock
func WorkerStopsEarly() {
	jobs, stop := make(chan int), make(chan bool)
	go func() {
		for {
			select {
			case <-jobs:
			case <-stop:
				return
			}
		}
	}()
	go func() {
		later(2)
		close(stop)
	}()
	jobs <- 1
	jobs <- 2
	<-stop
}

// want nothing
func WorkerStopsBehindJobs() {
	jobs, stop := make(chan int), make(chan bool)
	go func() {
		for {
			select {
			case <-jobs:
			case <-stop:
				return
			}
		}
	}()
	jobs <- 1
	jobs <- 2
	close(stop)
}

// want goroutine leak, deadlock
func ConsumerCanceled() {
	ctx, cancel := context.WithCancel(context.Background())
	c := make(chan int)
	go func() {
		later(2)
		cancel()
	}()
	together(func() { c <- 1 }, func() {
		select {
		case <-c:
		case <-ctx.Done():
		}
	})
	<-ctx.Done()
}

// want nothing
func BothCanceled() {
	ctx, cancel := context.WithCancel(context.Background())
	c := make(chan int)
	go func() {
		later(2)
		cancel()
	}()
	together(func() {
		select {
		case c <- 1:
		case <-ctx.Done():
		}
	}, func() {
		select {
		case <-c:
		case <-ctx.Done():
		}
	})
	<-ctx.Done()
}

// want goroutine leak, deadlock
func SendIfReady() {
	c := make(chan int)
	together(func() { <-c }, func() {
		later(1)
		select {
		case c <- 1:
		default:
		}
	})
}

// want nothing
func SendIfRoom() {
	c := make(chan int, 1)
	together(func() { <-c }, func() {
		later(1)
		select {
		case c <- 1:
		default:
		}
	})
}

// want goroutine leak, deadlock
func ReceiveIfReady() {
	c := make(chan int)
	together(func() { c <- 1 }, func() {
		later(1)
		select {
		case <-c:
		default:
		}
	})
}

// want nothing
func ReceiveIfSent() {
	c := make(chan int, 1)
	together(func() { c <- 1 }, func() {
		later(1)
		select {
		case <-c:
		default:
		}
	})
}

// want goroutine leak, deadlock
func OtherValue() {
	c, d := make(chan int), make(chan bool)
	go func() { c <- 1 }()
	go func() {
		later(1)
		c <- 2
	}()
	go func() {
		if <-c == 1 {
			<-c
			d <- true
		}
	}()
	<-d
}

// want nothing
func EitherValue() {
	c, d := make(chan int), make(chan bool)
	go func() { c <- 1 }()
	go func() {
		later(1)
		c <- 2
	}()
	go func() {
		if <-c == 1 {
			<-c
		} else {
			<-c
		}
		d <- true
	}()
	<-d
}

// want goroutine leak, deadlock
func OtherReceiver() {
	c, d := make(chan int), make(chan bool)
	go func() {
		<-c
		d <- true
	}()
	go func() {
		later(1)
		if v, ok := <-c; ok && v == 1 {
			return
		}
		<-d
	}()
	c <- 1
	later(2)
	close(c)
}

// want nothing
func AnyReceiver() {
	c, d := make(chan int), make(chan bool, 1)
	go func() {
		<-c
		d <- true
	}()
	go func() {
		later(1)
		<-c
	}()
	c <- 1
	later(2)
	close(c)
	<-d
}

// want panic
func ZeroValue() {
	c := make(chan *int, 1)
	done := make(chan bool)
	n := 1
	go func() {
		c <- &n
		later(1)
		close(done)
	}()
	select {
	case v := <-c:
		*v++
	case <-done:
		panic("it is done without a value")
	}
	<-done
}

// want nothing
func ZeroValueLooked() {
	c := make(chan *int, 1)
	done := make(chan bool)
	n := 1
	go func() {
		c <- &n
		later(1)
		close(done)
	}()
	select {
	case v := <-c:
		*v++
	case <-done:
		if v := <-c; v == nil {
			panic("it is done without a value")
		}
	}
	<-done
}

// want send on closed channel
func CallbackCloses() {
	c := make(chan int, 1)
	done := make(chan bool)
	time.AfterFunc(5*time.Millisecond, func() {
		close(c)
		close(done)
	})
	c <- 1
	<-done
}

// want nothing
func CallbackClosesAnother() {
	c := make(chan int, 1)
	done := make(chan bool)
	time.AfterFunc(5*time.Millisecond, func() {
		close(done)
	})
	c <- 1
	<-done
	close(c)
}
