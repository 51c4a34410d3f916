package main

type part struct{ a, b int }

// An iteration asks for the keys, or the values, of a map whose entries have several parts.
func main() {
	m := map[part]part{{1, 2}: {3, 4}}
	c := make(chan int, 3)
	for k := range m {
		if k.a != 1 || k.b != 2 {
			panic("another key")
		}
		c <- k.b
	}
	for _, v := range m {
		if v.a != 3 || v.b != 4 {
			panic("another value")
		}
		c <- v.b
	}
	for range m {
		c <- 1
	}
	for k, v := range m {
		if k.b+1 == v.a {
			c <- v.b // want "deadlock"
		}
	}
}
