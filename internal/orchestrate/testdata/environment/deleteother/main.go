package main

func main() {
	m := map[int]int{1: 1, 2: 2}
	n := 0
	for k := range m {
		if k == 1 {
			delete(m, 2)
		}
		n++
	}
	c := make(chan int, 1)
	for range n {
		c <- 1 // want "deadlock"
	}
}
