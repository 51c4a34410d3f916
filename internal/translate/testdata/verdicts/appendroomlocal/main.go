package main

// What is built up in a variable may be on the stack: whether there is room behind three
// elements then depends on the compiler.
func build(c chan bool) []chan bool {
	var s []chan bool
	for range 3 {
		s = append(s, c)
	}
	return s
}

func main() {
	c0, c1 := make(chan bool, 1), make(chan bool, 1)
	s := build(c0)
	a := append(s, c0)
	b := append(s, c1)
	b[3] <- true
	if a[3] == c1 {
		<-c0 // unreal "deadlock"
	}
	<-a[3] // want "deadlock"
}
