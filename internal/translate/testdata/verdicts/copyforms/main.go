package main

import "sync"

type row struct{ c chan int }

// Copies of a text, of what was made right before, of a part of itself, of nothing; and
// what is cleared.
func main() {
	var mu sync.Mutex
	mu.Lock()
	b := make([]byte, 3)
	if n := copy(b, "abcd"); n != 3 {
		panic("text") // unreal "panic"
	}
	a := []row{{make(chan int, 1)}, {make(chan int, 1)}}
	fresh := make([]row, 3)
	if copy(fresh, a) != 2 || fresh[2].c != nil || fresh[1] != a[1] {
		panic("fresh")
	}
	mu.Unlock()
	if copy(a, []row{{fresh[1].c}, {fresh[0].c}, {nil}}) != 2 {
		panic("from what is fresh")
	}
	mu.Lock()
	var none []row
	if copy(none, a) != 0 || copy(a, none) != 0 || copy(a[1:], a) != 1 || a[0] != a[1] {
		panic("itself")
	}
	a[1].c <- 1
	<-fresh[1].c
	mu.Unlock()
	clear(a[1:])
	clear(none)
	a[0].c <- 1
	<-a[1].c // want "deadlock"
}
