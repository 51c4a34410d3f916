package main

// What a function returns after a panic decides.
func percent(n, of int) (v int, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			ok = false
		}
	}()
	return 100 * n / of, true
}

func main() {
	c := make(chan int, 1)
	if _, ok := percent(1, 2); ok {
		c <- 1
	}
	if _, ok := percent(1, 0); !ok {
		c <- 2 // want "deadlock"
	}
}
