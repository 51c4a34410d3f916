package main

// number is one of two: which of two goroutines is the first.
func number(one, two int) int {
	c := make(chan int, 2)
	go func() { c <- one }()
	go func() { c <- two }()
	return <-c
}

func fails(f func()) (failed bool) {
	defer func() { failed = recover() != nil }()
	f()
	return false
}

// Slice expressions with every kind of bound, some of them not known: what they have room
// for, what they share, and where they panic.
func main() {
	a, b := make(chan int, 1), make(chan int, 1)
	base := []chan int{a, nil, nil, nil}
	n := number(1, 2)

	// Without room behind it, an append makes a copy; with room it writes into the array.
	_ = append(base[:1:1], b)
	if base[1] != nil {
		panic("written beyond the room")
	}
	_ = append(base[:1:2], b)
	if base[1] != b {
		panic("not written")
	}
	s := base[n:]
	if len(s) != 4-n || cap(s) != 4-n || n == 1 && s[0] != b || n == 2 && s[0] != nil {
		panic("another part")
	}
	t := base[n-1 : n+1 : n+2]
	if len(t) != 2 || cap(t) != 3 || n == 1 && t[0] != a || n == 2 && t[0] != b {
		panic("another part of three")
	}
	t = t[:cap(t)]
	t[2] = a
	if base[n+1] != a || len(base[4:]) != 0 || base[4:] == nil {
		panic("not shared")
	}

	var none []chan int
	if none[:0] != nil || len(none[0:0]) != 0 {
		panic("of nothing")
	}
	five := 3 + n // or four
	for i, f := range []func(){
		func() { _ = base[n : n-1] },
		func() { _ = base[: 2 : n-1] },
		func() { _ = base[:5*n] },
		func() { _ = base[n-3:] },
		func() { _ = none[:n] },
		func() { _ = base[:five:five] }, // only if it is five
	} {
		if fails(f) != (i < 5 || n == 2) {
			panic("a bound")
		}
	}
	base[0] <- 1
	base[n-1] <- 2 // want "deadlock"
	base[1] <- 3   // want "deadlock"
}
