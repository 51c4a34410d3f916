package main

// Branches follow each other without an operation between them: the paths merge
// behind each, and what was counted is known exactly.

var zero, one = make(chan bool), make(chan bool)

func flip() bool {
	select {
	case <-zero:
		return false
	case <-one:
		return true
	}
}

type tally struct{ n, last int }

func main() {
	close(zero)
	close(one)
	a, b, c, d, e := flip(), flip(), flip(), flip(), flip()
	f, g, h, i, j := flip(), flip(), flip(), flip(), flip()
	var t tally
	count := func(k int, set bool) {
		if set {
			t.n++
			t.last = k
		}
	}
	count(1, a)
	count(2, b)
	count(3, c)
	count(4, d)
	count(5, e)
	count(6, f)
	count(7, g)
	count(8, h)
	count(9, i)
	count(10, j)
	done := make(chan bool, 1)
	switch {
	case t.n > 10 || t.last > 10:
		panic("counted more than there are")
	case t.n == 1 && t.last == 7:
		done <- true
		done <- true // want "deadlock"
	case t.last < t.n:
		panic("counted twice")
	}
}
