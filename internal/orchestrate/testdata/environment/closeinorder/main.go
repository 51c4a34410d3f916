package main

func main() {
	closed := map[int]chan int{1: make(chan int), 2: make(chan int)}
	go func() {
		for _, c := range closed {
			close(c)
		}
	}()
	select {
	case <-closed[1]:
	case <-closed[2]:
		panic("2 before 1") // want "panic"
	}
}
