package inits

import (
	_ "embed"
	"flag"
	"fmt"
	"strings"
	"sync"
)

var (
	a    = b + 1
	b    = f()
	c, d = pair()
	ch   = make(chan int, 3)
	v    = <-fed
	fed  = feed()
	w, k = <-fed
	zero int
	mu   sync.Mutex
	_                 = note("blank")
	_    fmt.Stringer = (*strings.Builder)(nil)
	lit               = func() int {
		ch <- 1
		return <-ch
	}()
	fn  = func() int { return <-fed }
	opt = flag.String("opt", "unset", "registered once")
	arr = [...]string{
		2: "two",
		0: "zero",
	}
)

//go:embed inits.txt
var text string

var log []string

func f() int             { return note("f") }
func pair() (int, error) { return note("pair"), nil }
func note(s string) int  { log = append(log, s); return len(log) }

func feed() chan int {
	c := make(chan int, 9)
	for i := range 5 {
		c <- i
	}
	close(c)
	return c
}

func init() {
	note("init 1")
	zero++
}

func init() { note("init 2"); mu.Lock() }

func Run() {
	fmt.Println(a, b, c, d, v, w, k, zero, lit, fn(), *opt, arr, text)
	fmt.Println(log, mu.TryLock())
}
