package main

func main() {
	var last int
	m := map[int]string{1: "a", 2: "b", 3: "c"}
	for last = range m {
	}
	sem := make(chan bool, 2)
	for range last {
		sem <- true // want "deadlock"
	}
}
