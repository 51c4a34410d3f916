// Package forms is what the statements of TestForms use. Each of them runs with a T of its
// own, which notes what is done, in order.
package forms

import (
	"fmt"
	"iter"
	"strings"
	"sync"
)

type T struct {
	log  []string
	c    chan int
	quit chan bool
	// What is assigned to.
	n, to  int
	list0  []int
	table0 map[int]int
	pair0  pair
	mu     sync.Mutex
}

func newT() *T {
	return &T{c: make(chan int), quit: make(chan bool), n: 1, list0: make([]int, 3), table0: map[int]int{}}
}

type program struct {
	name string
	f    func()
}

type orderedProgram struct {
	name string
	f    func(*T)
}

// feed sends to c until it is told to stop.
func (t *T) feed() {
	for {
		select {
		case t.c <- 1:
		case <-t.quit:
			return
		}
	}
}

func (t *T) use(values ...any) { t.log = append(t.log, fmt.Sprint(values...)) }

func (t *T) did(what string) { t.log = append(t.log, what) }

func (t *T) text() string {
	return fmt.Sprint(strings.Join(t.log, " "), " ", t.n, t.to, t.list0, t.table0, t.pair0)
}

// one, two and the like are calls whose place in the order of evaluation is seen.
func (t *T) one() int {
	t.did("one")
	return 1
}

func (t *T) two() int {
	t.did("two")
	return 2
}

func (t *T) guarded() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.one()
}

func (t *T) cell() *int {
	t.did("cell")
	return &t.to
}

func (t *T) kept() []int {
	t.did("kept")
	return t.list0
}

func (t *T) entries() map[int]int {
	t.did("entries")
	return t.table0
}

func (t *T) held() *pair {
	t.did("held")
	return &t.pair0
}

func (t *T) list(n int) []int {
	t.did("list")
	return []int{n, n, n, n}
}

func (t *T) array(n int) *[4]int {
	t.did("array")
	return &[4]int{n, n, n, n}
}

func (t *T) table(n int) map[int]int {
	t.did("table")
	return map[int]int{n: n}
}

func (t *T) pair(n int) *pair {
	t.did("pair")
	return &pair{n, n}
}

func (t *T) twins(n int) (int, int) {
	t.did("twins")
	return n, n
}

// full is a channel with two values.
func (t *T) full(n int) chan int {
	t.did("full")
	c := make(chan int, 4)
	c <- n
	c <- n
	return c
}

func (t *T) closed(n int) chan int {
	c := t.full(n)
	close(c)
	return c
}

func (t *T) mutex(n int) *sync.Mutex {
	t.did("mutex")
	return &sync.Mutex{}
}

func (t *T) function(n int) func() { return func() { t.use("called", n) } }

func (t *T) seq(n int) iter.Seq[int] {
	t.did("seq")
	return func(yield func(int) bool) { _ = yield(n) && yield(n) }
}

func (t *T) seq2(n int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) { _ = yield(n, n) && yield(n, n) }
}

type pair struct{ a, b int }

func (p pair) first() int { return p.a }
func (p *pair) set(n int) { p.a = n }

func (p *pair) added(n int) int       { return p.a + n }
func (p *pair) both(n int) (int, int) { return p.a, p.b + n }

type firster interface{ first() int }

type setter interface{ set(n int) }

type adder interface {
	added(n int) int
	both(n int) (int, int)
}

type hook struct{ f func(int) int }

type tables struct{ m map[int]int }

func added(n, m int) int  { return n*10 + m }
func second(_, n int) int { return n }

type inner struct {
	*pair
	c int
}

type outer struct {
	inner
	d int
}

type wide struct {
	next *wide
	list [4]pair
}

type box[V any] struct{ v V }

func (b *box[V]) get() V  { return b.v }
func (b *box[V]) put(v V) { b.v = v }

func same[V any](v V) V { return v }

var global, beside = 1, 1

// What calls change.
var (
	number = 1
	stored *pair
)

// both runs two functions in goroutines of their own, with nothing between them.
func both(a, b func(*T)) { run(nil, a, b) }

// locked runs them one after the other.
func locked(a, b func(*T)) { run(new(sync.Mutex), a, b) }

func run(mu *sync.Mutex, list ...func(*T)) {
	done := make(chan bool, len(list))
	for _, f := range list {
		go func() {
			t := newT()
			if mu != nil {
				mu.Lock()
				defer mu.Unlock()
			}
			f(t)
			done <- true
		}()
	}
	for range list {
		<-done
	}
}

// alone runs a function, and returns what it has done.
func alone(f func(*T)) string {
	t := newT()
	go t.feed()
	f(t)
	t.quit <- true
	return t.text()
}
