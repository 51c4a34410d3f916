package main

// twice does not ask whether it should go on.
func twice(yield func(int) bool) {
	yield(1)
	yield(2)
}

// late is called by what has gone out of its loop.
func late(next *func(int) bool) func(func(int) bool) {
	return func(yield func(int) bool) {
		yield(1)
		*next = yield
	}
}

func faults(f func()) (is bool) {
	defer func() { is = recover() != nil }()
	f()
	return false
}

// A loop over a function that goes on behind its end panics.
func main() {
	c := make(chan int, 4)
	if !faults(func() {
		for i := range twice {
			c <- i
			break
		}
	}) {
		panic("it has not")
	}
	if faults(func() {
		for i := range twice {
			c <- i
		}
	}) {
		panic("it has")
	}
	var next func(int) bool
	for range late(&next) { // unconfirmed "the panic is where the loop is"
		c <- 3
	}
	if len(c) != 4 {
		panic("never")
	}
	next(2) // want "panic"
}
