package main

func main() {
	c := make(chan int, 2)
	i := 0
again:
	c <- i // want "deadlock"
	i++
	if i < 3 {
		goto again
	}
	close(c)
}
