package creation

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/vtrace/vtrace/internal/frames"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
)

// program is what the rows of TestOf are about. "//x" at the end of a line is a mark.
const program = `package main

import (
	"context"
	"sync"
	"time"
)

type batcher struct {
	mu  sync.Mutex
	out chan int
}

func newBatcher(n int) *batcher {
	return &batcher{out: make(chan int, n)} //batcher
}

func (b *batcher) add(i int) {
	b.mu.Lock() //add
	defer b.mu.Unlock()
	b.out <- i //send
}

func (b *batcher) ack() {
	b.mu.Lock() //ack
	b.mu.Unlock()
}

func (b *batcher) batches() <-chan int { return b.out }

type shipper struct {
	src  *batcher
	done chan bool
}

func start(src *batcher) *shipper {
	s := &shipper{src: src}
	s.done = make(chan bool) //done
	go s.run() //startrun
	return s
}

func (s *shipper) run() {
	for range s.src.batches() { //range
		s.src.ack() //callack
	}
	close(s.done) //close
}

func service() {
	b := newBatcher(2)
	s := start(b) //callstart
	var wg sync.WaitGroup //wg
	wg.Go(func() { //go
		b.add(1) //calladd
	})
	wg.Wait() //wait
	<-s.done //recvdone
}

// Two channels of one field.
type pipe struct{ c chan int }

func pipes() {
	a := pipe{make(chan int)}
	b := &pipe{c: make(chan int)}
	select { //twoselect
	case <-a.c:
	case b.c <- 1:
	}
}

// The calls of the run tell what comes from where.
func send(c chan int) { c <- 1 } //sendparam

func both() {
	x := make(chan int) //x
	y := make(chan int) //y
	go send(x) //gox
	go send(y) //goy
	<-x
	<-y
}

func nested() {
	c := make(chan int) //c
	go func() { //gonested
		func() {
			c <- 1 //sendnested
		}() //callnested
	}()
	if time.Now().IsZero() {
		c = make(chan int, 1) //otherc
	}
}

var global = make(chan int) //global

var mutex sync.RWMutex //mutex

func globals() {
	mutex.RLock() //rlock
	global <- 1 //sendglobal
}

func library(ctx context.Context) {
	c := sync.NewCond(&sync.Mutex{}) //cond
	c.L.Lock()
	c.Wait() //condwait
	<-ctx.Done() //recvctx
	chans := []chan int{make(chan int)}
	<-chans[0] //recvslice
	m := map[int]chan int{}
	<-m[1] //recvmap
}

func pick(a, b chan int, first bool) chan int {
	if first {
		return a
	}
	return b
}

func picks() {
	a := make(chan int) //a
	<-pick(a, a, true) //samepick
	<-pick(a, make(chan int), false) //otherpick
	var none chan int
	<-pick(a, none, false) //nilpick
}

type lockers struct{ all [2]sync.Mutex }

func locks() {
	l := new(lockers) //lockers
	l.all[1].Lock() //lockelement
	var i sync.Locker = &l.all[0]
	i.Lock() //lockinterface
	f := l.all[0].Lock
	f()
}

type given struct{ c chan int }

func (g *given) set(c *chan int) { *c = make(chan int) }

func address() {
	g := new(given)
	g.set(&g.c)
	g.c = make(chan int)
	<-g.c //recvgiven
}

type generic[T any] struct{ c chan T }

func newGeneric[T any]() *generic[T] {
	g := &generic[T]{}
	g.c = make(chan T) //generic
	return g
}

func (g *generic[T]) send(v T) {
	g.c <- v //sendgeneric
}

func generics() {
	newGeneric[int]().send(1) //callgeneric
}

func recursive(c chan int, n int) chan int {
	if n == 0 {
		return c
	}
	return recursive(c, n-1)
}

func recursion() {
	<-recursive(make(chan int), 3) //recursion
}

func method() {
	b := newBatcher(1)
	f := b.add
	go f(1) //gomethod
}

func named(n int) (c chan int, err error) {
	c = make(chan int, n) //named
	defer func() { recover() }()
	return
}

func results() {
	c, err := named(1)
	if err != nil {
		return
	}
	c <- 1 //sendresult
}

func main() {
	service()
	pipes()
	both()
	nested()
	globals()
	library(context.Background())
	picks()
	locks()
	address()
	generics()
	recursion()
	method()
	results()
}
`

func TestOf(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "main.go": program} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	src, err := source.Load(t.Context(), source.Spec{Dir: dir, Pattern: ".", Entry: "main"})
	require.NoError(t, err)
	prog, _ := ssautil.Packages(src.Packages, ssa.InstantiateGenerics|ssa.GlobalDebug)
	prog.Build()
	idx := parse.Index(src)
	p := New(frames.New(src, prog), idx)

	marks, names := map[string]int{}, map[int]string{}
	for i, line := range strings.Split(program, "\n") {
		if _, mark, ok := strings.Cut(line, " //"); ok {
			marks[mark], names[i+1] = i+1, mark
		}
	}
	// stack is one of the program's: "function mark", innermost first.
	stack := func(text string) (out []string) {
		for frame := range strings.SplitSeq(text, ", ") {
			fn, mark, _ := strings.Cut(frame, " ")
			require.Contains(t, marks, mark)
			out = append(out, strings.NewReplacer("$", "example.com/m.").Replace("$"+fn)+" main.go:"+strconv.Itoa(marks[mark]))
		}
		return out
	}
	siteAt := func(line string) sites.ID {
		for _, s := range idx.Sites() {
			if strconv.Itoa(s.Line) == line && s.Kind != sites.Stmt && s.Kind != sites.Store && s.Kind != sites.Start && s.Kind != sites.Join && s.Kind != sites.End {
				return s.ID
			}
		}
		return 0
	}
	// Whoever comes there.
	for mark, want := range map[string]string{"send": "batcher", "close": "done", "sendparam": "?", "recvctx": "?"} {
		got := p.At(siteAt(strconv.Itoa(marks[mark])))
		require.Len(t, got, 1, mark)
		require.Equal(t, want, cmp.Or(names[src.Fset.Position(got[0]).Line], "?"), mark)
	}
	require.Empty(t, p.At(0))
	for _, row := range []struct {
		stack   string
		created []string
		want    string // marks, "?" for what is not known
	}{
		{"(*batcher).add send, service.func1 calladd", []string{"service go, main.main x"}, "batcher"},
		{"(*batcher).add add, service.func1 calladd", []string{"service go"}, "batcher"},
		{"(*batcher).ack ack, (*shipper).run callack", []string{"start startrun, service callstart"}, "batcher"},
		{"(*shipper).run range", []string{"start startrun, service callstart"}, "batcher"},
		{"(*shipper).run close", []string{"start startrun, service callstart"}, "done"},
		{"service wait", nil, "wg"},
		{"service recvdone", nil, "done"},
		{"pipes twoselect", nil, "? ?"}, // of the field of any value
		{"send sendparam", []string{"both gox"}, "x"},
		{"send sendparam", []string{"both goy"}, "y"},
		{"send sendparam", nil, "?"},
		{"nested.func1.1 sendnested, nested.func1 callnested", []string{"nested gonested"}, "?"}, // or otherc
		{"globals rlock", nil, "mutex"},
		{"globals sendglobal", nil, "global"},
		{"library condwait", nil, "cond"},
		{"library recvctx", nil, "?"},
		{"library recvslice", nil, "?"},
		{"library recvmap", nil, "?"},
		{"picks samepick", nil, "a"},
		{"picks otherpick", nil, "?"},
		{"picks nilpick", nil, "a"},
		{"locks lockelement", nil, "lockers"},
		{"locks lockinterface", nil, "lockers"},
		{"address recvgiven", nil, "?"},
		{"(*generic[...]).send sendgeneric, generics callgeneric", nil, "generic"},
		{"recursion recursion", nil, "?"}, // so deep are calls not followed
		{"(*batcher).add send", []string{"method gomethod"}, "batcher"},
		{"results sendresult", nil, "named"},
	} {
		all := stack(row.stack)
		var created [][]string
		for _, text := range row.created {
			created = append(created, stack(strings.ReplaceAll(text, "main.main x", "main x")))
		}
		line := all[0][strings.LastIndexByte(all[0], ':')+1:]
		site := siteAt(line)
		require.NotZero(t, site, row.stack)
		var got []string
		for _, pos := range p.Of(site, all, created) {
			mark := "?"
			if pos.IsValid() {
				mark = names[src.Fset.Position(pos).Line]
			}
			got = append(got, mark)
		}
		require.Equal(t, row.want, strings.Join(got, " "), row.stack)
	}
}
