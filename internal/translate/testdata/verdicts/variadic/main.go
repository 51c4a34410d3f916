package main

func first(cs ...chan int) int {
	if len(cs) == 0 {
		return 0
	}
	return <-cs[0] // want "deadlock"
}

func main() {
	a, b := make(chan int, 1), make(chan int, 1)
	a <- 1
	b <- 2
	first()
	first(a, b)
	all := []chan int{b, a}
	first(all...)
	first(all[1:]...)
}
