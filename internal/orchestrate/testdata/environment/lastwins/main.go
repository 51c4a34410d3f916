package main

func main() {
	best := ""
	for name, score := range map[string]int{"x": 5, "y": 5, "z": 4} {
		if score == 5 {
			best = name
		}
	}
	c := make(chan string, 1)
	c <- best
	if <-c == "x" {
		panic("x") // want "panic"
	}
}
