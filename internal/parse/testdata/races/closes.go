package races

// Nobody is to close a channel while others may send: Go's race detector takes a send for a read of the channel, and a
// close for a write.

func RacySendClose() {
	c, done := make(chan int, 1), make(chan bool, 2)
	go func() {
		defer func() {
			recover()
			done <- true
		}()
		c <- 1
	}()
	go func() {
		close(c)
		done <- true
	}()
	<-done
	<-done
}

func RacySelectSendClose() {
	c, other, done := make(chan int, 1), make(chan int), make(chan bool, 2)
	go func() {
		defer func() {
			recover()
			done <- true
		}()
		select {
		case c <- 1:
		case <-other:
		}
	}()
	go func() {
		close(c)
		done <- true
	}()
	<-done
	<-done
}

func SafeSendClose() {
	c, done := make(chan int), make(chan bool)
	go func() {
		for range c {
		}
		done <- true
	}()
	c <- 1
	select {
	case c <- 2:
	}
	close(c)
	<-done
}

// Who receives closes, behind what was sent.
func SafeReceiverCloses() {
	c := make(chan int)
	done := make(chan bool)
	go func() {
		select {
		case c <- 1:
		case <-done:
		}
		done <- true
	}()
	<-c
	close(c)
	<-done
}

func SafeReturnItself() {
	c := make(chan int)
	itself(c)
	<-c
}

func itself(c chan int) (a, b int) {
	a = 42
	go func() {
		_ = a
		c <- 1
	}()
	return a, 10
}

func RacyReturnOther() {
	c := make(chan int)
	swapped(c)
	<-c
}

func swapped(c chan int) (a, b int) {
	a = 42
	go func() {
		_ = a
		c <- 1
	}()
	return b, a
}

type large [1 << 18]int

func RacyLargeArray() {
	c := make(chan bool)
	a, b := new(large), new(large)
	go func() {
		a[1<<18-1] = 1
		c <- true
	}()
	*a = *b
	<-c
}

func SafeLargeArray() {
	c := make(chan bool)
	a, b := new(large), new(large)
	go func() {
		b[1<<18-1]++
		c <- true
	}()
	<-c
	*a = *b
}

// A close that finds the channel closed panics, and is none: who sends, or closes, beside it finds it
// closed, too, by one that came before both.
func SafeClosedBefore() {
	c := make(chan int, 1)
	close(c)
	try := func(f func()) {
		defer func() { _ = recover() }()
		f()
	}
	both(func() { try(func() { c <- 1 }) }, func() { try(func() { close(c) }) })
	both(func() { try(func() { close(c) }) }, func() { try(func() { close(c) }) })
}
