package main

func main() {
	c := make(chan bool)
	go func() {
		c <- false
		c <- true
		close(c)
	}()
	n := 0
	for v := range c {
		if v {
			n++
		}
	}
	if n == 1 {
		panic("one was true") // want "panic"
	}
}
