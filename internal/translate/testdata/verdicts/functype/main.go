package main

import "expvar"

// What a method of a function type of the library does with the function is not known.
func main() {
	c := make(chan int, 1)
	var v expvar.Var = expvar.Func(func() any {
		c <- 1 // missed "deadlock"
		return len(c)
	})
	v.String() // under "unknown-call"
	v.String() // under "unknown-call"
	<-c        // unreal "deadlock"
}
