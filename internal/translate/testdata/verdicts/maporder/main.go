package main

// A range over a map begins with any of its entries.
func main() {
	a, b := make(chan int, 1), make(chan int, 1)
	m := map[string]chan int{"a": a, "b": b}
	for _, c := range m {
		c <- 1
		break
	}
	select {
	case <-a:
		panic("the first") // want "panic"
	case <-b:
		panic("the second") // want "panic"
	default:
	}
}
