package main

func main() {
	c := make(chan int)
	go func() {
		for i := 0; i < 3; i++ {
			c <- i
		}
	}()
	for range c { // want "deadlock"
	}
}
