package main

func direct() {
	defer recover()
	panic(1) // want "panic"
}

func nested() {
	defer func() {
		defer recover()
	}()
	panic(2)
}

func passes(f func()) (ok bool) {
	defer func() { ok = recover() == nil }()
	f()
	return true
}

// A recover that is deferred itself stops no panic of the function that defers it: that of
// the one around it, if that is a deferred one.
func main() {
	c := make(chan int, 1)
	c <- 1
	if passes(direct) {
		c <- 2
	}
	if !passes(nested) {
		c <- 3
	}
	direct()
}
