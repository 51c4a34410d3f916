package main

import (
	"cmp"
	"os"
	"slices"
	"sort"
	"strings"
)

type byName []string

func (a byName) Len() int           { return len(a) }
func (a byName) Less(i, j int) bool { return a[i] < a[j] }
func (a byName) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }

func numbers(n int) (all []int) {
	for k := range n {
		all = append(all, -k)
	}
	return all
}

type pair struct{ a, b int }

// What is sorted of which too little is known, and what follows from the order.
func main() {
	c := make(chan int)
	names := strings.Split(os.Args[0], "/")
	sort.Sort(byName(names))                                                             // under "sort"
	sort.Strings(names)                                                                  // under "sort"
	slices.SortFunc(names, strings.Compare)                                              // under "sort"
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(len(a), len(b)) }) // under "sort"
	if names[0] == "z" {
		<-c // unreal "deadlock"
	}
	floats := []float64{2, 1}
	slices.Sort(floats) // under "sort"
	if floats[0] != 1 {
		<-c // unreal "deadlock"
	}
	few := numbers(7)
	sort.Ints(few)
	if few[0] != -6 || few[6] != 0 {
		<-c // never
	}
	go slices.Reverse(few) // under "sort"
	defer slices.Sort(few) // under "sort"
	many := []int{0, -1, -2, -3, -4, -5, -6, -7, -8}
	sort.Ints(many) // under "sort"
	if many[0] == -8 {
		<-c // missed "deadlock"
	}
}
