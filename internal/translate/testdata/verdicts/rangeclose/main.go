package main

func main() {
	c := make(chan int)
	go func() {
		for i := 0; i < 5; i++ {
			c <- i
		}
		close(c)
	}()
	n := 0
	for v := range c {
		if v != n {
			panic("order")
		}
		n++
	}
	if n != 5 {
		panic("count")
	}
}
