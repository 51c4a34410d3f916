// Package rooms prints how much room appends leave, which depends on where the compiler puts
// an array. Its functions are not inlined: what the compiler inlines is another matter with guards in it.
package rooms

import "fmt"

type pair struct {
	a, b int32
}

//go:noinline
func numbers(n int) []int {
	var s []int
	for i := range n {
		s = append(s, i)
	}
	return s
}

//go:noinline
func constants(n int) []int16 {
	s := []int16(nil)
	for range n {
		s = append(s, 1)
	}
	return s
}

//go:noinline
func pairs(n int) []pair {
	var s []pair
	for i := range n {
		s = append(s, pair{int32(i), int32(n)})
		s[i].a += s[0].b
		s[i].b++
	}
	return s
}

//go:noinline
func values(n int) []any {
	s := make([]any, 0)
	for i := range n {
		s = append(s, i)
	}
	return s
}

//go:noinline
func channels(c chan bool, n int) []chan bool {
	var s []chan bool
	for range n {
		s = append(s, c)
	}
	for i, x := range s {
		s[len(s)-1-i] = x
	}
	return s
}

//go:noinline
func positive(list []int) (int, []int) {
	var s []int
	for _, x := range list {
		if x > 0 {
			s = append(s, x)
		}
	}
	if s == nil {
		return 0, nil
	}
	return cap(s), s
}

//go:noinline
func text(n int) []byte {
	b := []byte("ab")
	for range n {
		b = append(b, 'c', byte(n))
	}
	return b
}

// shared appends to what two have: whether they have the same array afterwards depends on the room.
//
//go:noinline
func shared(n int) (bool, int) {
	s := numbers(n)
	a := append(s, 1)
	b := append(s, 2)
	return a[n] == b[n], cap(a)
}

func Run() {
	for n := range 9 {
		same, room := shared(max(n, 1))
		k, list := positive(numbers(n))
		fmt.Println(n, cap(numbers(n)), cap(constants(n)), cap(pairs(n)), cap(values(n)), cap(channels(nil, n)), cap(text(n)), k, cap(list), same, room)
	}
}
