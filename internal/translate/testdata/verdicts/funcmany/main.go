package main

// Of a function that comes out of an array too large to be kept, it is only known
// which functions it may be, and each of them is one.
func main() {
	var fs [5000]func()
	fs[0] = func() {}
	fs[1] = func() { panic("the last") } // want "panic"
	fs[1]()
}
