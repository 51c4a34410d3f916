package main

func main() {
	n := 3
	c := make(chan int, min(n, 2))
	for i := range max(n, 2) - 1 {
		c <- i
	}
	m := map[string]chan int{"a": c}
	clear(m)
	if len(m) > 0 {
		panic("not cleared")
	}
	s := []chan int{c, c}
	clear(s[:1])
	<-s[1]
	<-s[0] // want "deadlock"
}
