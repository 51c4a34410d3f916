package races

import (
	"fmt"
	"os"
	"sort"
	"strings"
)

type pair struct{ a, b int }

func (p pair) sum() int   { return p.a + p.b }
func (p *pair) set(n int) { p.a = n }

type flags struct{ x, y bool }

type wide struct {
	pair
	list  [4]pair
	table map[string]int
	next  *wide
	f     func() int
}

var (
	global int
	shared wide
)

// both runs two functions in goroutines of their own, with nothing between them.
func both(a, b func()) {
	done := make(chan bool, 2)
	go func() { a(); done <- true }()
	go func() { b(); done <- true }()
	<-done
	<-done
}

func RacyGlobal() { both(func() { global++ }, func() { global = 2 }) }

func RacyCaptured() {
	x := 0
	both(func() { x++ }, func() { x += 2 })
}

func SafeReads() {
	x := 1
	both(func() { _ = x }, func() { fmt.Fprint(os.Stderr, strings.Repeat("", x)) })
}

func RacyPointer() {
	p := new(int)
	both(func() { *p = 1 }, func() { _ = *p })
}

func RacyField() {
	p := &pair{}
	both(func() { p.a = 1 }, func() { p.set(2) })
}

func SafeFields() {
	p := &pair{}
	both(func() { p.a++ }, func() { p.b++ })
}

func SafeAdjacentBools() {
	var f flags
	both(func() { f.x = true }, func() { f.y = !f.y })
}

func RacyCopyOfStruct() {
	var p pair
	both(func() { p.b = 1 }, func() { q := p; _ = q })
}

func RacyValueReceiver() {
	p := &pair{}
	both(func() { p.b = 1 }, func() { _ = p.sum() })
}

func RacyValueReceiverOfVariable() {
	var p pair
	both(func() { p.b = 1 }, func() { _ = p.sum() })
}

func RacyMethodValue() {
	p := &pair{}
	both(func() { p.a = 1 }, func() { f := p.sum; f() })
}

func RacyArgument() {
	p := &pair{}
	f := func(p pair) {}
	both(func() { p.a = 1 }, func() { f(*p) })
}

func RacyReturn() {
	p := &pair{}
	f := func() pair { return *p }
	both(func() { p.a = 1 }, func() { _ = f() })
}

func RacyLiteral() {
	p := &pair{}
	both(func() { p.a = 1 }, func() { _ = []int{p.a} })
}

func RacyDefer() {
	p := &pair{}
	both(func() { p.a = 1 }, func() { defer fmt.Fprint(os.Stderr, strings.Repeat("", p.a)) })
}

func RacyDeferredClosure() {
	p := &pair{}
	both(func() { p.a = 1 }, func() { defer func() { p.a = 2 }() })
}

func RacyCondition() {
	p := &pair{}
	both(func() { p.a = 1 }, func() {
		if p.b == 0 && p.a == 0 {
			return
		}
	})
}

func RacyLoopCondition() {
	p := &pair{}
	both(func() { p.a = 1 }, func() {
		for i := 0; i < p.a; i++ {
		}
	})
}

func RacySwitch() {
	p := &pair{}
	both(func() { p.a = 1 }, func() {
		switch {
		case p.a > 0:
		}
	})
}

func RacyInit() {
	p := &pair{}
	both(func() { p.a = 1 }, func() {
		if p.a = 2; p.b > 0 {
			return
		}
	})
}

func RacyPost() {
	p := &pair{}
	both(func() { p.a = 1 }, func() {
		for i := 0; i < 1; i, p.a = i+1, 3 {
		}
	})
}

func RacyElementOfSlice() {
	s := make([]int, 4)
	both(func() { s[1] = 1 }, func() { s[1]++ })
}

func SafeElementsOfSlice() {
	s := make([]byte, 4)
	both(func() { s[1] = 1 }, func() { s[2] = 2 })
}

func SafeSlicesOfOneArray() {
	var a [8]int
	both(func() { clear(a[:4]) }, func() { copy(a[4:], []int{1, 2, 3, 4}) })
}

func RacySlicesOfOneArray() {
	var a [8]int
	both(func() { clear(a[:5]) }, func() { copy(a[4:], []int{1, 2, 3, 4}) })
}

func RacyRange() {
	s := make([]int, 4)
	both(func() { s[3] = 1 }, func() {
		for _, v := range s {
			_ = v
		}
	})
}

func SafeRangeOfIndices() {
	s := make([]int, 4)
	both(func() { s[3] = 1 }, func() {
		for i := range s {
			_ = i
		}
	})
}

func RacyRangeOfArray() {
	var a [4]int
	both(func() { a[3] = 1 }, func() {
		for _, v := range a {
			_ = v
		}
	})
}

func RacyAppend() {
	s := make([]int, 0, 4)
	both(func() { _ = append(s, 1) }, func() { _ = append(s, 2) })
}

func SafeAppend() {
	s := make([]int, 2)
	both(func() { _ = append(s, 1) }, func() { _ = append(s, 2) })
}

func RacyAppendToVariable() {
	var s []int
	both(func() { s = append(s, 1) }, func() { s = append(s, 2) })
	_ = len(s)
}

func RacyCopy() {
	s := make([]int, 4)
	both(func() { copy(s, []int{1}) }, func() { _ = s[0] })
}

func RacyMapWrites() {
	m := map[string]int{}
	both(func() { m["a"] = 1 }, func() { m["b"]++ })
}

func RacyMapRead() {
	m := map[string]int{}
	both(func() { m["a"] = 1 }, func() { _, _ = m["b"] })
}

func RacyMapDelete() {
	m := map[string]int{}
	both(func() { delete(m, "a") }, func() { _ = len(m) })
}

func RacyMapRange() {
	m := map[string]int{"a": 1}
	both(func() { clear(m) }, func() {
		for range m {
		}
	})
}

func SafeMapReads() {
	m := map[string]int{"a": 1}
	both(func() { _ = m["a"] }, func() {
		for range m {
		}
	})
}

func RacyNested() {
	w := &wide{next: &wide{}}
	both(func() { w.next.list[2].b = 1 }, func() { i := 2; w.next.list[i].b++ })
}

func SafeNested() {
	w := &wide{next: &wide{}}
	both(func() { w.next.list[2].b = 1 }, func() { i := 1; w.next.list[i].b++ })
}

func RacyPromoted() {
	w := &wide{}
	both(func() { w.a = 1 }, func() { w.pair = pair{} })
}

func RacyWholeGlobal() { both(func() { shared = wide{} }, func() { shared.list[3].b = 1 }) }

func RacyFuncField() {
	w := &wide{f: func() int { return 1 }}
	both(func() { w.f = nil }, func() {
		if f := w.f; f != nil {
			f()
		}
	})
}

func RacySwap() {
	x, y := 1, 2
	both(func() { x, y = y, x }, func() { y = 3 })
}

// What the channel gives is stored after it has been received.
func SafeStoreAfterReceive() {
	x, c := 0, make(chan int)
	go func() {
		x = 1
		c <- 2
	}()
	x = <-c
	_ = x
}

func SafeStoreInMapAfterReceive() {
	m, c := map[int]int{}, make(chan int)
	go func() {
		m[1] = 1
		c <- 2
	}()
	m[2] = <-c
}

func SafeAssignAfterSelect() {
	p, c := &pair{}, make(chan int)
	go func() {
		p.a = 1
		c <- 2
	}()
	select {
	case p.a = <-c:
	}
}

func RacyTwoValues() {
	var x int
	var ok bool
	c := make(chan int, 2)
	c <- 1
	c <- 2
	both(func() { x, ok = <-c }, func() { x, ok = <-c })
	_, _ = x, ok
}

func RacyLoopVariable() {
	done := make(chan bool, 3)
	for i := 0; i < 3; i++ {
		go func() {
			i += 10
			done <- true
		}()
		i++
	}
}

func SafeLoopVariable() {
	for i := 0; i < 3; i++ {
		go func() { _ = i }()
	}
	for _, v := range []int{1, 2} {
		go func() { v++ }()
	}
}

func RacyClosureInClosure() {
	x := 0
	f := func() { func() { x++ }() }
	both(f, f)
}

func RacyGeneric() {
	b := &box[string]{}
	both(func() { b.put("a") }, func() { _ = b.get() })
}

type box[T any] struct{ v T }

func (b *box[T]) put(v T) { b.v = v }
func (b *box[T]) get() T  { return b.v }

// Memory that one goroutine has given up is another's for something else.
func SafeReuse() {
	for range 20 {
		done := make(chan bool)
		go func() {
			p := new([64]int)
			p[3]++
			q := &p[5]
			*q = 2
			done <- true
		}()
		<-done
	}
	a := make(chan bool, 2)
	for range 2 {
		go func() {
			for range 100 {
				p := new([64]int)
				p[3]++
				q := &p[5]
				*q = 2
			}
			a <- true
		}()
	}
}

// Sorting calls back.
func SafeSort() {
	s := []int{3, 1, 2}
	c := make(chan bool)
	go func() {
		sort.Slice(s, func(i, j int) bool { return s[i] < s[j] })
		c <- true
	}()
	<-c
	s[0] = 1
}

// A panic between the two halves of an assignment: nothing is written.
func SafePanicInsteadOfWrite() {
	x, none := 0, []int(nil)
	both(func() {
		defer func() { _ = recover() }()
		x = none[1]
	}, func() { _ = x })
}

func RacyInterface() {
	var e any
	both(func() { e = 1 }, func() { _, _ = e.(string) })
}

func RacyString() {
	s := ""
	both(func() { s = "ab" }, func() { _ = len(s) })
}

func RacyTypeSwitch() {
	var e any
	both(func() { e = 1 }, func() {
		switch e.(type) {
		}
	})
}

func RacyChannelVariable() {
	var c chan int
	both(func() { c = make(chan int, 1) }, func() {
		select {
		case c <- 1:
		default:
		}
	})
}

func RacyFieldOfVariable() {
	var p pair
	both(func() { p.b = 1 }, func() { _ = p.b + 1 })
}

func elements[S ~[]E, E any](s S) (n int) {
	for _, v := range s {
		_ = v
		n++
	}
	return n
}

func RacyRangeOfTypeParameter() {
	s := make([]int, 4)
	both(func() { s[3] = 1 }, func() { elements(s) })
}

func SafeRangeOfTypeParameter() {
	s := make([]int, 4)
	both(func() { elements(s) }, func() { elements(s) })
}

func RacySelectIntoField() {
	p := new(pair)
	c := make(chan int, 1)
	c <- 1
	both(func() { _ = p.a }, func() {
		select {
		case p.a = <-c:
		}
	})
}

func SafeSelectIntoField() {
	p := new(pair)
	c := make(chan int, 1)
	c <- 1
	both(func() { _ = p.b }, func() {
		select {
		case p.a = <-c:
		}
	})
}

func RacyRangeIntoMap() {
	m := map[string]int{}
	both(func() { _ = m["a"] }, func() {
		for m["b"] = range []int{1} {
		}
	})
}

func RacyDeleteOfCalled() {
	m := map[string]int{"a": 1}
	both(func() { _ = m["a"] }, func() { delete(m, fmt.Sprint("a")) })
}

type inner struct{ *pair }

type outer struct {
	inner
	n int
}

func RacyEmbeddedPointer() {
	o := &outer{inner: inner{new(pair)}}
	both(func() { o.pair = new(pair) }, func() { _ = o.a })
}

func RacyEmbeddedMethod() {
	o := outer{inner: inner{new(pair)}}
	both(func() { o.inner = inner{new(pair)} }, func() { o.set(1) })
}

func RacyEmbeddedWrite() {
	o := &outer{inner: inner{new(pair)}}
	both(func() { o.pair = new(pair) }, func() { o.a = 1 })
}

func SafeEmbeddedPointer() {
	o := &outer{inner: inner{new(pair)}}
	both(func() { _ = o.a }, func() { o.b++; o.n++ })
}

func SafeEmbeddedOwn() {
	p := new(pair)
	both(func() {
		o := outer{inner: inner{p}}
		_ = o.a
	}, func() {
		o := outer{inner: inner{p}}
		o.inner = inner{p}
		_ = o.sum()
	})
}

func RacySliceLow() {
	b, n := []int{1, 2}, 1
	both(func() { n = 2 }, func() { _ = b[n:] })
}

func RacySliceHigh() {
	b, n := []int{1, 2}, 1
	both(func() { n = 2 }, func() { _ = b[:n] })
}

func RacySliceMax() {
	b, n := []int{1, 2}, 1
	both(func() { n = 2 }, func() { _ = b[0:1:n] })
}

// Each goroutine has a struct of its own, in which the same one is embedded.
func RacyEmbeddedInOwn() {
	p := &pair{}
	f := func() {
		o := struct{ *pair }{p}
		o.a++
	}
	both(f, f)
}

type holdsPair struct{ *pair }

type holdsHolder struct {
	own int
	holdsPair
}

func RacyEmbeddedReadInOwn() {
	p := &pair{}
	both(func() {
		o := holdsPair{p}
		_ = o.a == 1
	}, func() { p.a = 1 })
}

func RacyEmbeddedTwice() {
	p := &pair{}
	f := func() {
		var o [1]holdsHolder
		o[0].pair = p
		o[0].own++
		o[0].b = 3
	}
	both(f, f)
}

func RacyEmbeddedCaptured() {
	o := holdsPair{&pair{}}
	both(func() { o.a += 2 }, func() { o.a++ })
}

// The assignment of a writes to the pair that o has before.
func RacyEmbeddedReplaced() {
	p := &pair{}
	f := func() {
		o := holdsPair{p}
		o.a, o.pair = 1, nil
		if p.b == 0 {
			_ = o
		}
	}
	both(f, f)
}

func SafeEmbedded() {
	f := func() {
		o := holdsHolder{holdsPair: holdsPair{&pair{}}}
		o.a, o.pair = 1, &pair{}
		o.b, o.own = o.a, 2
	}
	both(f, f)
}

func RacyDefinedAgain() {
	var n int
	done := make(chan bool)
	go func() { n = 2; done <- true }()
	m, n := len(done), cap(done)
	<-done
	_, _ = m, n
}

func SafeDefinedAgain() {
	var n int
	done := make(chan bool)
	go func() { n = 2; done <- true }()
	<-done
	m, n := len(done), cap(done)
	_, _ = m, n
}

// The variable that a type switch declares is one for each of its cases.
func RacyTypeSwitchVariable() {
	var x any = 1
	switch v := x.(type) {
	case string:
		use(len(v))
	case int:
		both(func() { v = 2 }, func() { use(v) })
	}
}

func RacyTypeSwitchOfTwo() {
	var x any = 1
	switch v := x.(type) {
	case int, string:
		both(func() { v = 2 }, func() { v = 3 })
		_ = v
	}
}

func RacyTypeSwitchField() {
	var x any = In{}
	switch v := x.(type) {
	case In:
		go func() { v.x = 1 }()
		v.x++
	}
}

func SafeTypeSwitchVariable() {
	var x any = 1
	switch v := x.(type) {
	case int:
		both(func() { use(v) }, func() { use(v) })
	}
	for i := range 2 {
		switch v := x.(type) {
		case int:
			go func() { v += i }() // each iteration has its own
		}
	}
}
