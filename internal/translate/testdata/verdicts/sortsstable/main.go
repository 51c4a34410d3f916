package main

import (
	"slices"
	"sort"
)

type job struct{ rank, id int }

// What is equal stays in its order, whichever function sorts.
func main() {
	ids := func(jobs []job) (n int) {
		for _, j := range jobs {
			n = 10*n + j.id
		}
		return n
	}
	list := func() []job { return []job{{2, 1}, {1, 2}, {2, 3}, {1, 4}} }
	a, b := list(), list()
	sort.SliceStable(a, func(i, j int) bool { return a[i].rank < a[j].rank })
	slices.SortStableFunc(b, func(x, y job) int { return y.rank - x.rank })
	if ids(a) != 2413 || ids(b) != 1324 {
		panic("another order")
	}
	n, text, floats := []int{3, -1, 2}, []string{"b", "", "a"}, []float64{2, 1}
	sort.Ints(n)
	sort.Strings(text)
	sort.Float64s(floats)
	if n[0] != -1 || n[1] != 2 || n[2] != 3 || text[0] != "" || text[1] != "a" || text[2] != "b" {
		panic("another order")
	}
	<-make(chan int) // want "deadlock"
}
