package main

type entry struct{ a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p int }

// What is written where the model has nothing is read nowhere else in the model: that it
// does not have it is no error that could be missed.
func main() {
	var many [5000]int
	many[1] = 2
	more := make([]int, 5000)
	more[1] = 2
	text := []byte("ab")
	text[0] = 'c'
	entries := map[string]entry{}
	entries["a"] = entry{p: 1}
	if many[1] == 2 && more[1] == 2 && text[0] == 'c' && entries["a"].p == 1 {
		<-make(chan int) // want "deadlock"
	}
}
