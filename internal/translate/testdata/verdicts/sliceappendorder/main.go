package main

func main() {
	a, b := make(chan int, 1), make(chan int, 1)
	a <- 1
	b <- 2
	cs := []chan int{a}
	cs = append(cs, b)
	cs = append(cs, make(chan int, 1))
	if <-cs[0] != 1 || <-cs[1] != 2 {
		panic("an earlier element is lost")
	}
	<-cs[0] // want "deadlock"
}
