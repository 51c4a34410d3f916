// Builtins that are deferred act when the function ends: what they remove is there until then,
// and gone behind.
package main

import "sort"

func remove(m map[string]bool, key string) bool {
	defer delete(m, key)
	return m[key]
}

func empty(m map[int]bool) bool {
	defer clear(m)
	m[2] = true
	return len(m) == 2
}

func never() {
	var c chan int
	<-c
}

func main() {
	m := map[string]bool{"a": true, "b": true}
	if !remove(m, "a") || !m["b"] {
		never()
	}
	n := map[int]bool{1: true}
	if !empty(n) || len(n) > 0 {
		never()
	}

	numbers, two := []int{2, 1}, []int{7, 7}
	func() {
		defer sort.Ints(numbers)     // under "sort"
		defer copy(two, numbers[:1]) // under "copy"
	}()
	if numbers[0] > 2 || two[1] != 7 {
		never()
	}

	if !m["a"] {
		var c chan int
		<-c // want "deadlock"
	}
}
