package main

var s, a, b []chan bool

// Three channels appended at once leave no room for a fourth one: a and b have arrays of
// their own.
func main() {
	c0, c1 := make(chan bool, 1), make(chan bool, 1)
	s = append([]chan bool(nil), c0, c0, c0)
	a = append(s, c0)
	b = append(s, c1)
	b[3] <- true
	<-a[3] // want "deadlock"
}
