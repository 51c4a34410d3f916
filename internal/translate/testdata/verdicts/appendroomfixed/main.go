package main

var s, a, b []chan bool

// As appendroom, but that it is sent to what was appended to a.
func main() {
	c0, c1 := make(chan bool, 1), make(chan bool, 1)
	s = append([]chan bool(nil), c0, c0, c0)
	a = append(s, c0)
	b = append(s, c1)
	c0 <- true
	<-a[3]
}
