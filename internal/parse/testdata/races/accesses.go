package races

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A race for each form of expression and statement that reads or writes memory: one
// goroutine writes what another one uses in this form.

type S struct {
	mu   sync.Mutex
	a, b int
	arr  [4]int
	sl   []int
	m    map[int]int
	p    *int
	c    chan int
	f    func()
	next *S
	in   In
	err  error
}

func (s *S) Ptr() int { return s.a }

type In struct{ x, y int }

func (s In) Val() int { return s.x }

type T struct {
	a, b int
	arr  [4]int
	sl   []int
}

func (s T) Val() int  { return s.a }
func (s *T) Ptr() int { return s.a }

type E struct {
	T
	n int
}

type EP struct {
	n int
	*T
}

type I interface{ Val() int }

func use(any) {}

func newS() *S {
	return &S{sl: make([]int, 4), m: map[int]int{}, p: new(int), c: make(chan int, 10), f: func() {}, next: &S{}}
}

type G[V any] struct{ list []V }

func (g *G[V]) Add(v V)  { g.list = append(g.list, v) }
func (g *G[V]) Len() int { return len(g.list) }
func (g *G[V]) Each(f func(V)) {
	for _, v := range g.list {
		f(v)
	}
}

type P[V any] struct{ v V }

func (p P[V]) Get() V { return p.v }

func sum[L ~[]V, V int | float64](s L) (t V) {
	for _, v := range s {
		t += v
	}
	return t
}

func text[B ~[]byte | ~string](b B) string { return string(b) }

func add[L ~[]V, V any](l L, v V) L { return append(l, v) }

func namedReturn() (n int, err error) {
	go func() { err = errors.New("x") }()
	return 1, nil
}

func namedCall() (n int, err error) {
	go func() { err = errors.New("x") }()
	return namedOther()
}

func namedOther() (int, error) { return 1, nil }

func namedBare() (n int, err error) {
	go func() { err = errors.New("x") }()
	return
}

func RacyFormNamedReturn() { _, _ = namedReturn() }
func RacyFormNamedCall()   { _, _ = namedCall() }
func RacyFormNamedBare()   { _, _ = namedBare() }

func namedWaits() (n int, err error) {
	done := make(chan bool)
	defer func() { <-done }()
	go func() { err = errors.New("x"); close(done) }()
	return
}

// The results are read when the deferred function has waited.
func SafeFormNamedBare() { _, _ = namedWaits() }

func namedPanics() (err error) {
	defer func() { use(recover()) }()
	func() {
		defer func() { use(recover()) }()
		_ = namedPanicsWithin()
	}()
	return nil
}

// It does not return, so that nobody reads what the goroutine writes.
func namedPanicsWithin() (err error) {
	go func() { err = errors.New("x") }()
	if err := errors.New("y"); err != nil {
		panic(err)
	}
	return
}

func SafeFormNamedPanics() { _ = namedPanics() }

func RacyFormMethodExprCalled() {
	s := &T{}
	both(func() { s.a = 1 }, func() { use((*T).Val(s)) })
}

func RacyFormEmbeddedPointerValue() {
	s := EP{T: &T{}}
	both(func() { s.T.a = 1 }, func() { use(s.Val()) })
}

func SafeFormEmbeddedBeside() {
	s := &E{}
	both(func() { s.n = 1 }, func() { use(s.Val()) })
}

func SafeFormDynamicPointer() {
	s := &S{}
	var i interface{ Ptr() int } = s
	both(func() { s.b = 1 }, func() { use(i.Ptr()) })
}

func RacyFormConversionOfTypeParameter() {
	b := []byte("hello")
	both(func() { b[0] = 1 }, func() { use(text(b)) })
}

func SafeFormConversionOfTypeParameter() {
	s := "hello"
	both(func() { use(text(s)) }, func() { use(text(s)) })
}

func RacyFormAppendOfTypeParameter() {
	l := make([]int, 1, 8)
	both(func() { use(add(l, 1)) }, func() { use(add(l, 2)) })
}

func SafeFormAppendBeyond() {
	l := make([]int, 1, 8)
	g := func() int { return 1 }
	both(func() { use(append(l[:1:1], g())) }, func() { use(append(l, g())) })
}

func RacyFormAppendstr() {
	b := make([]byte, 0, 10)
	both(func() { b = append(b, "abc"...) }, func() { use(len(b)) })
}

func RacyFormAppendvar() {
	b := []int{1, 2}
	both(func() { b[0] = 2 }, func() { x := append([]int(nil), b...); use(x) })
}

func RacyFormArrofarr() {
	var a [2][2]int
	both(func() { a[1][0] = 1 }, func() { use(a[1]) })
}

func RacyFormArrslice() {
	var m [4]int
	both(func() { m[1] = 2 }, func() { x := m[:]; use(x[1]) })
}

func RacyFormBytesfn() {
	b := []byte("abc")
	both(func() { b[0] = 1 }, func() {
		for i := range b {
			use(b[i])
		}
	})
}

func RacyFormCallfuncvar() {
	f := func() {}
	both(func() { f = func() { println() } }, func() { f() })
}

func RacyFormChanlen() {
	c := make(chan int, 1)
	both(func() { c = nil }, func() { use(len(c)) })
}

func RacyFormChanvar() {
	c := make(chan int, 1)
	both(func() { c = nil }, func() {
		select {
		case c <- 1:
		default:
		}
	})
}

func RacyFormClearmap() {
	b := map[int]int{1: 2}
	both(func() { clear(b) }, func() { use(b[0]) })
}

func RacyFormClearslice() {
	b := []int{1, 2}
	both(func() { clear(b) }, func() { use(b[0]) })
}

func RacyFormClosurecap() {
	x := 0
	both(func() { func() { x = 1 }() }, func() { func() { use(x) }() })
}

func RacyFormCmparr() {
	var b [4]int
	both(func() { b[0] = 2 }, func() {
		if b == [4]int{} {
			println()
		}
	})
}

func RacyFormCmpstruct() {
	var b struct{ x, y int }
	both(func() { b.x = 2 }, func() {
		if b == struct{ x, y int }{} {
			println()
		}
	})
}

func RacyFormComplexv() {
	x := 1i
	both(func() { x = 2 }, func() { use(real(x)) })
}

func RacyFormComplit() {
	var s T
	both(func() { s.a = 1 }, func() { x := E{T: s}; use(x) })
}

func RacyFormComplitarr() {
	var s T
	both(func() { s.a = 1 }, func() { x := []T{s}; use(x) })
}

func RacyFormConvArr() {
	b := []int{1, 2, 3, 4}
	both(func() { b[0] = 2 }, func() { x := [4]int(b); use(x) })
}

func RacyFormConvConcat() {
	b := []byte("hello")
	both(func() { b[0] = 1 }, func() { println("a" + string(b)) })
}

func RacyFormConvRange() {
	b := []byte("hello")
	both(func() { b[0] = 1 }, func() {
		for range string(b) {
			println()
		}
	})
}

func RacyFormConvRunes() {
	b := []rune("hello")
	both(func() { b[0] = 1 }, func() {
		if string(b) == "x" {
			println()
		}
	})
}

func RacyFormConvStr() {
	b := []byte("hello")
	both(func() { b[0] = 1 }, func() {
		if string(b) == "x" {
			println()
		}
	})
}

func RacyFormConvStrMapkey() {
	b := []byte("hello")
	m := map[string]int{}
	both(func() { b[0] = 1 }, func() { _ = m[string(b)] })
}

func RacyFormConvStrSub() {
	b := []byte("hello")
	both(func() { b[1] = 1 }, func() {
		if string(b[1:]) == "x" {
			println()
		}
	})
}

func RacyFormConvSwitch() {
	b := []byte("hello")
	both(func() { b[0] = 1 }, func() {
		switch string(b) {
		case "x":
			println()
		}
	})
}

func RacyFormDeferarg() {
	var s T
	both(func() { s.a = 1 }, func() { defer use(s) })
}

func RacyFormDeferrecv() {
	var s T
	both(func() { s.a = 1 }, func() { defer s.Val() })
}

func RacyFormDerefassign() {
	s := &T{}
	both(func() { s.a = 1 }, func() { t := *s; use(t.a) })
}

func RacyFormDerefstore() {
	s := &T{}
	both(func() { *s = T{} }, func() { use(s.a) })
}

func RacyFormEmbedval() {
	var s E
	both(func() { s.a = 1 }, func() { s.Val() })
}

func RacyFormEmbedvalm() {
	var s E
	both(func() { s.a = 1 }, func() { f := s.Val; f() })
}

func RacyFormFuncvar() {
	f := func() {}
	both(func() { f = nil }, func() {
		if f != nil {
			println()
		}
	})
}

func RacyFormGeneric() {
	p := P[int]{}
	both(func() { p.v = 1 }, func() { use(p.Get()) })
}

func RacyFormGenericptr() {
	p := &P[string]{}
	both(func() { p.v = "a" }, func() { use(p.Get()) })
}

func RacyFormGoarg() {
	var s T
	both(func() { s.a = 1 }, func() { go use(s) })
}

func RacyFormIfaceconv() {
	var s T
	both(func() { s.a = 1 }, func() { var i I = s; i.Val() })
}

func RacyFormIfaceptr() {
	s := &T{}
	both(func() { s.a = 1 }, func() { var i I = s; i.Val() })
}

func RacyFormIfinit() {
	x := 1
	both(func() { x = 2 }, func() {
		if y := x; y > 1 {
			println()
		}
	})
}

func RacyFormIncdec() {
	x := 0
	both(func() { x++ }, func() { use(x) })
}

func RacyFormIotaconst() {
	type T uint8
	var x T
	both(func() { x |= 4 }, func() {
		if x&4 != 0 {
			println()
		}
	})
}

func RacyFormLabelcond() {
	x := 1
	both(func() { x = 2 }, func() {
		for x < 2 {
			x++
		}
	})
}

func RacyFormMapassignop() {
	m := map[int]int{}
	both(func() { m[1]++ }, func() { use(m[2]) })
}

func RacyFormMapcommaok() {
	m := map[int]int{}
	both(func() { delete(m, 1) }, func() { _, ok := m[2]; use(ok) })
}

func RacyFormMaplen() {
	m := map[int]int{1: 1}
	both(func() { m[2] = 1 }, func() { use(len(m)) })
}

func RacyFormMaplit() {
	var s int
	both(func() { s = 1 }, func() { x := map[int]int{s: 1}; use(x) })
}

func RacyFormMapofptr() {
	m := map[int]*T{1: {}}
	both(func() { m[1].a = 2 }, func() { use(m[1].a) })
}

func RacyFormMapofstruct() {
	m := map[int]T{1: {}}
	both(func() { m[1] = T{} }, func() { use(m[1].a) })
}

func RacyFormMaprange() {
	m := map[int]int{1: 1}
	both(func() { m[2] = 1 }, func() {
		for k := range m {
			use(k)
		}
	})
}

func RacyFormMethodexprptr() {
	s := &T{}
	both(func() { s.a = 1 }, func() { (*T).Ptr(s) })
}

func RacyFormMethodvalue() {
	var s T
	both(func() { s.a = 1 }, func() { f := s.Val; f() })
}

func RacyFormMinmax() {
	x := 1
	both(func() { x = 2 }, func() { use(min(x, 3)) })
}

func RacyFormNamedret() {
	x := 0
	both(func() { func() (r int) { defer func() { x = r }(); return 1 }() }, func() { use(x) })
}

func RacyFormNilcmp() {
	var p *int
	q := new(int)
	both(func() { p = q }, func() {
		if p == nil {
			println()
		}
	})
}

func RacyFormOpassign() {
	x := 0
	both(func() { x |= 1 }, func() { use(x) })
}

func RacyFormPanicarg() {
	x := 1
	both(func() { x = 2 }, func() { func() { defer func() { recover() }(); panic(x) }() })
}

func RacyFormPrintarg() {
	x := 1
	both(func() { x = 2 }, func() { println(x) })
}

func RacyFormPtrptr() {
	x := 0
	p := &x
	q := &p
	both(func() { **q = 1 }, func() { use(x) })
}

func RacyFormRangearr() {
	var b [4]int
	both(func() { b[0] = 2 }, func() {
		for _, v := range b {
			use(v)
		}
	})
}

func RacyFormRangearrix() {
	var b [4]int
	p := &b
	both(func() { p[0] = 2 }, func() {
		for i := range p {
			use(p[i])
		}
	})
}

func RacyFormRangeassign() {
	x := 0
	both(func() {
		for x = range 3 {
		}
	}, func() { use(x) })
}

func RacyFormRangefunc() {
	x := 0
	both(func() {
		for i := range func(y func(int) bool) { y(1) } {
			x = i
		}
	}, func() { use(x) })
}

func RacyFormRecvassign() {
	x := 0
	c := make(chan int, 1)
	c <- 1
	both(func() { x = <-c }, func() { use(x) })
}

func RacyFormRetval() {
	var s T
	both(func() { s.a = 1 }, func() { f := func() T { return s }; f() })
}

func RacyFormSelectrecv() {
	x := 0
	c := make(chan int, 1)
	c <- 1
	both(func() {
		select {
		case x = <-c:
		default:
		}
	}, func() { use(x) })
}

func RacyFormSendval() {
	var s T
	c := make(chan T, 1)
	both(func() { s.a = 1 }, func() { c <- s })
}

func RacyFormShift() {
	x := 1
	both(func() { x <<= 2 }, func() { use(1 << x) })
}

func RacyFormSlicecap() {
	m := []int{}
	both(func() { m = append(m, 1) }, func() { use(cap(m)) })
}

func RacyFormSlicecopy() {
	a, b := make([]int, 2), make([]int, 2)
	both(func() { copy(a, b) }, func() { use(a[1]) })
}

func RacyFormSlicecopy2() {
	a, b := make([]int, 2), make([]int, 2)
	both(func() { b[0] = 1 }, func() { copy(a, b) })
}

func RacyFormSlicelen() {
	m := []int{}
	both(func() { m = append(m, 1) }, func() { use(len(m)) })
}

func RacyFormSliceofstruct() {
	a := make([]T, 2)
	both(func() { a[1].a = 1 }, func() { use(a[1].a) })
}

func RacyFormSlicing() {
	m := []int{1, 2}
	both(func() { m = m[:1] }, func() { use(m[:0]) })
}

func RacyFormSortslice() {
	b := []int{2, 1}
	both(func() { b[0], b[1] = b[1], b[0] }, func() { use(b[0]) })
}

func RacyFormStrindex() {
	s := "abc"
	both(func() { s = "abcd" }, func() { use(s[1]) })
}

func RacyFormStrrange() {
	s := "abc"
	both(func() { s = "abcd" }, func() {
		for range s {
			use(1)
		}
	})
}

func RacyFormStructassign() {
	var s, t T
	both(func() { s.a = 1 }, func() { t = s; use(t.a) })
}

func RacyFormStructofarr() {
	var s T
	both(func() { s.arr[2] = 1 }, func() { t := s; use(t.arr) })
}

func RacyFormSwap() {
	x, y := 0, 1
	both(func() { x, y = y, x }, func() { use(y) })
}

func RacyFormTypeassert() {
	var v any = 1
	both(func() { v = 2 }, func() { x := v.(int); use(x) })
}

func RacyFormTypeswitch() {
	var v any = 1
	both(func() { v = "s" }, func() {
		switch v.(type) {
		case int:
			println()
		}
	})
}

func RacyFormValmethod() {
	var s T
	both(func() { s.a = 1 }, func() { s.Val() })
}

func RacyFormValmethodptr() {
	s := &T{}
	both(func() { s.a = 1 }, func() { s.Val() })
}

func RacyFormVariadic() {
	b := []int{1}
	both(func() { b[0] = 2 }, func() { func(v ...int) { use(v[0]) }(b...) })
}

func RacyFormPtrvarLock() {
	s, o := newS(), newS()
	_, _ = s, o
	p := s
	both(func() { p = o }, func() { p.mu.Lock(); p.mu.Unlock() })
}

func RacyFormFieldChanRecv() {
	s, o := newS(), newS()
	_, _ = s, o
	s.c <- 1
	both(func() { s.c = nil }, func() {
		select {
		case <-s.c:
		default:
		}
	})
}

func RacyFormFieldChanSend() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { s.c = make(chan int, 2) }, func() { s.c <- 1 })
}

func RacyFormFieldChanRecv1() {
	s, o := newS(), newS()
	_, _ = s, o
	s.c <- 1
	both(func() { s.c = o.c }, func() { <-s.c })
}

func RacyFormFieldChanRange() {
	s, o := newS(), newS()
	_, _ = s, o
	s.c <- 1
	close(s.c)
	both(func() { s.c = o.c }, func() {
		for range s.c {
			break
		}
	})
}

func RacyFormFieldChanClose() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { s.c = o.c }, func() { close(s.c) })
}

func RacyFormFieldChanLen() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { s.c = o.c }, func() { use(len(s.c)) })
}

func RacyFormTimerC() {
	s, o := newS(), newS()
	_, _ = s, o
	t := time.NewTimer(time.Millisecond)
	both(func() { t = time.NewTimer(time.Millisecond) }, func() { <-t.C })
}

func RacyFormTimerStop() {
	s, o := newS(), newS()
	_, _ = s, o
	t := time.NewTimer(time.Millisecond)
	both(func() { t = time.NewTimer(time.Millisecond) }, func() { t.Stop() })
}

func RacyFormGoFuncvar() {
	s, o := newS(), newS()
	_, _ = s, o
	f := func() {}
	both(func() { f = func() { use(1) } }, func() { go f() })
}

func RacyFormDeferFuncvar() {
	s, o := newS(), newS()
	_, _ = s, o
	f := func() {}
	both(func() { f = func() { use(1) } }, func() { defer f() })
}

func RacyFormWggoFuncvar() {
	var wg sync.WaitGroup
	s, o := newS(), newS()
	_, _ = s, o
	f := func() {}
	both(func() { f = func() { use(1) } }, func() { wg.Go(f) })
	wg.Wait()
}

func RacyFormOnceFuncvar() {
	s, o := newS(), newS()
	_, _ = s, o
	f := func() {}
	var on sync.Once
	both(func() { f = func() { use(1) } }, func() { on.Do(f) })
}

func RacyFormAfterfuncVar() {
	s, o := newS(), newS()
	_, _ = s, o
	f := func() {}
	both(func() { f = func() { use(1) } }, func() { time.AfterFunc(1, f) })
}

func RacyFormSleepVar() {
	s, o := newS(), newS()
	_, _ = s, o
	d := time.Millisecond
	both(func() { d = 2 }, func() { time.Sleep(d) })
}

func RacyFormWgaddVar() {
	s, o := newS(), newS()
	_, _ = s, o
	n := 0
	var w2 sync.WaitGroup
	both(func() { n = 0 * len(s.sl) }, func() { w2.Add(n) })
}

func RacyFormAtomicStoreArg() {
	s, o := newS(), newS()
	_, _ = s, o
	n := int64(1)
	var a atomic.Int64
	both(func() { n = 3 }, func() { a.Store(n) })
}

func RacyFormAtomicFnArg() {
	s, o := newS(), newS()
	_, _ = s, o
	n := int64(1)
	var a int64
	both(func() { n = 3 }, func() { atomic.AddInt64(&a, n) })
}

func RacyFormAtomicPlain() {
	s, o := newS(), newS()
	_, _ = s, o
	var a int64
	both(func() { a = 3 }, func() { atomic.AddInt64(&a, 1) })
}

func RacyFormAtomicPlainRead() {
	s, o := newS(), newS()
	_, _ = s, o
	var a int64
	both(func() { atomic.AddInt64(&a, 1) }, func() { use(a) })
}

func RacyFormAtomicValVar() {
	s, o := newS(), newS()
	_, _ = s, o
	var a atomic.Value
	a.Store(1)
	both(func() { x := a; use(&x) }, func() { a.Store(2) })
}

func RacyFormSyncmapArg() {
	s, o := newS(), newS()
	_, _ = s, o
	var m sync.Map
	k := 1
	both(func() { k = 3 }, func() { m.Store(k, 1) })
}

func RacyFormSyncmapLoad() {
	s, o := newS(), newS()
	_, _ = s, o
	var m sync.Map
	k := 1
	both(func() { k = 3 }, func() { v, ok := m.Load(k); use(v); use(ok) })
}

func RacyFormRandArg() {
	s, o := newS(), newS()
	_, _ = s, o
	n := 3
	both(func() { n = 4 }, func() { use(rand.Intn(n)) })
}

func RacyFormCtxVar() {
	s, o := newS(), newS()
	_, _ = s, o
	ctx := context.Background()
	both(func() { ctx = context.TODO() }, func() { <-time.After(1); use(ctx.Err()) })
}

func RacyFormCtxVarDone() {
	s, o := newS(), newS()
	_, _ = s, o
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	both(func() { ctx = context.TODO() }, func() {
		select {
		case <-ctx.Done():
		default:
		}
	})
}

func RacyFormCtxWithcancelArg() {
	s, o := newS(), newS()
	_, _ = s, o
	ctx := context.Background()
	both(func() { ctx = context.TODO() }, func() { c, cancel := context.WithCancel(ctx); cancel(); use(c) })
}

func RacyFormCancelVar() {
	s, o := newS(), newS()
	_, _ = s, o
	_, cancel := context.WithCancel(context.Background())
	both(func() { cancel = func() {} }, func() { cancel() })
}

func RacyFormRecvToField() {
	s, o := newS(), newS()
	_, _ = s, o
	s.c <- 1
	both(func() { s.a = <-s.c }, func() { use(s.a) })
}

func RacyFormRecvToMap() {
	s, o := newS(), newS()
	_, _ = s, o
	s.c <- 1
	both(func() { s.m[1] = <-s.c }, func() { use(s.m[1]) })
}

func RacyFormRecvToElem() {
	s, o := newS(), newS()
	_, _ = s, o
	s.c <- 1
	both(func() { s.sl[1] = <-s.c }, func() { use(s.sl[1]) })
}

func RacyFormRecvOk() {
	s, o := newS(), newS()
	_, _ = s, o
	ok := true
	s.c <- 1
	both(func() { _, ok = <-s.c }, func() { use(ok) })
}

func RacyFormSelectToField() {
	s, o := newS(), newS()
	_, _ = s, o
	s.c <- 1
	both(func() {
		select {
		case s.a = <-s.c:
		default:
		}
	}, func() { use(s.a) })
}

func RacyFormSelectToMap() {
	s, o := newS(), newS()
	_, _ = s, o
	s.c <- 1
	both(func() {
		select {
		case s.m[1] = <-s.c:
		}
	}, func() { use(s.m[1]) })
}

func RacyFormSelectToElemOk() {
	s, o := newS(), newS()
	_, _ = s, o
	ok := false
	s.c <- 1
	both(func() {
		select {
		case s.sl[0], ok = <-s.c:
		}
	}, func() { use(s.sl[0]); use(ok) })
}

func RacyFormSelectSendVal() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { s.a = 3 }, func() {
		select {
		case s.c <- s.a:
		default:
		}
	})
}

func RacyFormSendField() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { s.a = 3 }, func() { s.c <- s.a })
}

func RacyFormMultiAssign() {
	s, o := newS(), newS()
	_, _ = s, o
	f := func() (int, error) { return 1, nil }
	both(func() { s.a, s.err = f() }, func() { use(s.err) })
}

func RacyFormSwapElems() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { s.sl[0], s.sl[1] = s.sl[1], s.sl[0] }, func() { use(s.sl[1]) })
}

func RacyFormRangeKeyField() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() {
		for s.a = range 3 {
		}
	}, func() { use(s.a) })
}

func RacyFormRangeFieldMap() {
	s, o := newS(), newS()
	_, _ = s, o
	s.m[1] = 2
	both(func() { s.m = o.m }, func() {
		for k := range s.m {
			use(k)
		}
	})
}

func RacyFormFieldAppend() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { s.sl = append(s.sl, 1) }, func() { use(len(s.sl)) })
}

func RacyFormAppendCap() {
	s, o := newS(), newS()
	_, _ = s, o
	s.sl = make([]int, 1, 8)
	both(func() { x := append(s.sl, 1); use(x) }, func() { y := append(s.sl, 2); use(y) })
}

func RacyFormAppendCapCall() {
	s, o := newS(), newS()
	_, _ = s, o
	s.sl = make([]int, 1, 8)
	g := func() int { return 1 }
	both(func() { x := append(s.sl, g()); use(x) }, func() { y := append(s.sl, g()); use(y) })
}

func RacyFormAppendCapDots() {
	s, o := newS(), newS()
	_, _ = s, o
	s.sl = make([]int, 1, 8)
	g := func() []int { return []int{1} }
	both(func() { x := append(s.sl, g()...); use(x) }, func() { y := append(s.sl, g()...); use(y) })
}

func RacyFormAppendCapStr() {
	s, o := newS(), newS()
	_, _ = s, o
	b := make([]byte, 1, 8)
	both(func() { x := append(b, "abc"...); use(x) }, func() { y := append(b, "abd"...); use(y) })
}

func RacyFormAppendSub() {
	s, o := newS(), newS()
	_, _ = s, o
	s.sl = make([]int, 1, 8)
	both(func() { x := append(s.sl[:0], 1); use(x) }, func() { use(s.sl[0]) })
}

func RacyFormCopyArr() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { copy(s.arr[:], []int{1}) }, func() { use(s.arr[0]) })
}

func RacyFormClearArr() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { clear(s.arr[:]) }, func() { use(s.arr[0]) })
}

func RacyFormElemInc() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { s.arr[1]++ }, func() { use(s.arr[1]) })
}

func RacyFormPtrInc() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { *s.p++ }, func() { use(*s.p) })
}

func RacyFormMapInc() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { s.m[1]++ }, func() { use(s.m[1]) })
}

func RacyFormChain() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { s.next = nil }, func() {
		if s.next != nil {
			use(s.next.a)
		}
	})
}

func RacyFormChain2() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { s.next.a = 1 }, func() { use(s.next.a) })
}

func RacyFormAddr() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { p := &s.a; *p = 1 }, func() { use(s.a) })
}

func RacyFormAddr2() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { s.a = 1 }, func() { p := &s.a; use(*p) })
}

func RacyFormCondcall() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { s.a = 1 }, func() {
		for i := 0; i < s.a && i < 1; i++ {
			use(i)
		}
	})
}

func RacyFormNestedval() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { s.in.x = 1 }, func() { s.in.Val() })
}

func RacyFormNestedvalarr() {
	s, o := newS(), newS()
	_, _ = s, o
	var l [3]In
	both(func() { l[1].x = 1 }, func() { l[1].Val() })
}

func RacyFormSlval() {
	s, o := newS(), newS()
	_, _ = s, o
	l := make([]In, 3)
	both(func() { l[1].x = 1 }, func() { l[1].Val() })
}

func RacyFormMapval() {
	s, o := newS(), newS()
	_, _ = s, o
	l := map[int]In{}
	both(func() { l[1] = In{} }, func() { l[1].Val() })
}

func RacyFormMapptrval() {
	s, o := newS(), newS()
	_, _ = s, o
	l := map[int]*In{1: {}}
	both(func() { l[1].x = 2 }, func() { l[1].Val() })
}

func RacyFormGenericAdd() {
	s, o := newS(), newS()
	_, _ = s, o
	g := &G[int]{}
	both(func() { g.Add(1) }, func() { use(g.Len()) })
}

func RacyFormGenericEach() {
	s, o := newS(), newS()
	_, _ = s, o
	g := &G[int]{list: make([]int, 1, 4)}
	both(func() { g.list[0] = 3 }, func() { g.Each(func(int) {}) })
}

func RacyFormGenericSum() {
	s, o := newS(), newS()
	_, _ = s, o
	l := []int{1, 2}
	both(func() { l[0] = 3 }, func() { sum(l) })
}

func RacyFormClosureParam() {
	s, o := newS(), newS()
	_, _ = s, o
	f := func(p *int) { *p = 1 }
	both(func() { f(&s.a) }, func() { use(s.a) })
}

func RacyFormRetPtr() {
	s, o := newS(), newS()
	_, _ = s, o
	f := func() *int { return &s.a }
	both(func() { *f() = 1 }, func() { use(s.a) })
}

func RacyFormCallField() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { s.f = nil }, func() {
		if s.f != nil {
			s.f()
		}
	})
}

func RacyFormCallField2() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { s.f = func() { use(2) } }, func() { s.f() })
}

func RacyFormStrfield() {
	s, o := newS(), newS()
	_, _ = s, o
	type T struct{ s string }
	t := &T{}
	both(func() { t.s = "abc" }, func() { use(t.s == "x") })
}

func RacyFormStrconcat() {
	s, o := newS(), newS()
	_, _ = s, o
	x := "a"
	both(func() { x += "b" }, func() { use(x + "c") })
}

func RacyFormStrbuild() {
	s, o := newS(), newS()
	_, _ = s, o
	x := "a"
	both(func() { x = "b" }, func() { use(strings.ToUpper(x)) })
}

func RacyFormIfcmp() {
	s, o := newS(), newS()
	_, _ = s, o
	var e error
	both(func() { e = errors.New("x") }, func() { use(errors.Is(e, context.Canceled)) })
}

func RacyFormTypeswitchbind() {
	s, o := newS(), newS()
	_, _ = s, o
	var v any = s
	both(func() { v = 1 }, func() {
		switch x := v.(type) {
		case *S:
			use(x.a)
		}
	})
}

func RacyFormArrayofptr() {
	s, o := newS(), newS()
	_, _ = s, o
	var l [2]*S
	l[0] = s
	both(func() { l[0] = o }, func() { use(l[0].a) })
}

func RacyFormTwoLevelMap() {
	s, o := newS(), newS()
	_, _ = s, o
	m := map[int]map[int]int{1: {}}
	both(func() { m[1][2] = 3 }, func() { use(m[1][2]) })
}

func RacyFormTwoLevelSl() {
	s, o := newS(), newS()
	_, _ = s, o
	m := [][]int{{1}}
	both(func() { m[0][0] = 3 }, func() { use(m[0][0]) })
}

func RacyFormLenstr() {
	s, o := newS(), newS()
	_, _ = s, o
	x := "a"
	both(func() { x = "bc" }, func() { use(len(x)) })
}

func RacyFormComplitRef() {
	s, o := newS(), newS()
	_, _ = s, o
	x := 1
	both(func() { x = 2 }, func() { use([]int{x}) })
}

func RacyFormComplitKey() {
	s, o := newS(), newS()
	_, _ = s, o
	x := 1
	both(func() { x = 2 }, func() { use([]int{0: x}) })
}

func RacyFormComplitStruct() {
	s, o := newS(), newS()
	_, _ = s, o
	x := 1
	both(func() { x = 2 }, func() { use(In{x: x}) })
}

func RacyFormComplitPtr() {
	s, o := newS(), newS()
	_, _ = s, o
	x := 1
	both(func() { x = 2 }, func() { use(&In{x: x}) })
}

func RacyFormUnary() {
	s, o := newS(), newS()
	_, _ = s, o
	x := true
	both(func() { x = false }, func() { use(!x) })
}

func RacyFormShortcirc() {
	s, o := newS(), newS()
	_, _ = s, o
	x := true
	both(func() { x = false }, func() { use(x || s.a > 0) })
}

func RacyFormIndexvar() {
	s, o := newS(), newS()
	_, _ = s, o
	i := 0
	both(func() { i = 1 }, func() { use(s.sl[i]) })
}

func RacyFormSlicevar() {
	s, o := newS(), newS()
	_, _ = s, o
	i := 0
	both(func() { i = 1 }, func() { use(s.sl[i:]) })
}

func RacyFormMapkeyvar() {
	s, o := newS(), newS()
	_, _ = s, o
	i := 0
	both(func() { i = 1 }, func() { s.m[i]++ })
}

func RacyFormMapkeystruct() {
	s, o := newS(), newS()
	_, _ = s, o
	i := In{}
	m := map[In]int{}
	both(func() { i.x = 1 }, func() { use(m[i]) })
}

func RacyFormLhsindex() {
	s, o := newS(), newS()
	_, _ = s, o
	i := 0
	both(func() { i = 1 }, func() { s.sl[i] = 2 })
}

func RacyFormLhsptr() {
	s, o := newS(), newS()
	_, _ = s, o
	p := &s.a
	both(func() { p = &s.b }, func() { *p = 1 })
}

func RacyFormDeferclosure() {
	s, o := newS(), newS()
	_, _ = s, o
	x := 0
	both(func() { defer func() { x = 1 }() }, func() { use(x) })
}

func RacyFormLockptr() {
	s, o := newS(), newS()
	_, _ = s, o
	mu := &sync.Mutex{}
	both(func() { mu = &sync.Mutex{} }, func() { mu.Lock(); mu.Unlock() })
}

func RacyFormWgptr() {
	s, o := newS(), newS()
	_, _ = s, o
	w2 := &sync.WaitGroup{}
	both(func() { w2 = &sync.WaitGroup{} }, func() { w2.Wait() })
}

func RacyFormCondptr() {
	s, o := newS(), newS()
	_, _ = s, o
	c2 := sync.NewCond(&s.mu)
	both(func() { c2 = nil }, func() {
		if c2 != nil {
		}
	})
}

func RacyFormStructzero() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { *s = S{} }, func() { use(s.b) })
}

func RacyFormArrzero() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { s.arr = [4]int{} }, func() { use(s.arr[3]) })
}

func RacyFormArrcopy() {
	s, o := newS(), newS()
	_, _ = s, o

	both(func() { s.arr[3] = 1 }, func() { x := s.arr; use(x) })
}

func RacyFormSwitchtag() {
	s, o := newS(), newS()
	_, _ = s, o
	x := 1
	both(func() { x = 2 }, func() {
		switch x {
		case 1:
			use(1)
		}
	})
}

func RacyFormSwitchcase() {
	s, o := newS(), newS()
	_, _ = s, o
	x := 1
	both(func() { x = 2 }, func() {
		switch s.a {
		case x:
			use(1)
		}
	})
}

func RacyFormRetexpr() {
	s, o := newS(), newS()
	_, _ = s, o
	x := 1
	f := func() int { return x }
	both(func() { x = 2 }, func() { f() })
}

func RacyFormPanicv() {
	s, o := newS(), newS()
	_, _ = s, o
	x := 1
	both(func() { x = 2 }, func() { defer func() { recover() }(); panic(x) })
}

func RacyFormRecoverset() {
	s, o := newS(), newS()
	_, _ = s, o
	var v any
	both(func() { defer func() { v = recover() }(); panic(1) }, func() { use(v) })
}

func RacyFormGoargs() {
	s, o := newS(), newS()
	_, _ = s, o
	x := 1
	both(func() { x = 2 }, func() { go func(int) {}(x) })
}

func RacyFormGomethod() {
	s, o := newS(), newS()
	_, _ = s, o
	p := s
	both(func() { p = o }, func() { go p.mu.TryLock() })
}

func RacyFormRangechan() {
	s, o := newS(), newS()
	_, _ = s, o
	c := s.c
	s.c <- 1
	close(c)
	both(func() { c = o.c }, func() {
		for v := range c {
			use(v)
			break
		}
	})
}

func RacyFormRangefuncvar() {
	s, o := newS(), newS()
	_, _ = s, o
	it := func(y func(int) bool) {}
	both(func() { it = func(y func(int) bool) { y(1) } }, func() {
		for v := range it {
			use(v)
		}
	})
}

func RacyFormRangeint() {
	s, o := newS(), newS()
	_, _ = s, o
	n := 1
	both(func() { n = 2 }, func() {
		for i := range n {
			use(i)
		}
	})
}

func RacyFormRangestr() {
	s, o := newS(), newS()
	_, _ = s, o
	n := "a"
	both(func() { n = "b" }, func() {
		for i := range n {
			use(i)
		}
	})
}
func inc(p *int) { *p++ }

// The address of a part of a variable is given away before another part of the function uses
// the variable.
func RacyFormAddressOfField() {
	var s struct{ in In }
	done := make(chan bool)
	p := &s.in.x
	go increments(p, done)
	s.in.x++
	<-done
}

func RacyFormAddressOfElement() {
	var a [2]In
	done := make(chan bool)
	p := &a[1].y
	go increments(p, done)
	a[1].y++
	<-done
}

func increments(p *int, done chan bool) {
	inc(p)
	done <- true
}

// Each operation of package sync/atomic may publish what was written before, and each that
// reads may see so.
func SafeFormAtomics() {
	for i := range 7 {
		for j := range 5 {
			publish(i, j)
		}
	}
}

func publish(i, j int) {
	var n int32
	x := 0
	both(func() {
		x = 1
		switch i {
		case 0:
			atomic.StoreInt32(&n, 1)
		case 1:
			atomic.AddInt32(&n, 1)
		case 2:
			atomic.SwapInt32(&n, 1)
		case 3:
			atomic.CompareAndSwapInt32(&n, 0, 1)
		case 4:
			atomic.OrInt32(&n, 1)
		case 5:
			for !atomic.CompareAndSwapInt32(&n, 0, 1) {
			}
		case 6:
			atomic.AndInt32(&n, 0)
			atomic.StoreInt32(&n, 1)
		}
	}, func() {
		seen := false
		switch j {
		case 0:
			seen = atomic.LoadInt32(&n) == 1
		case 1:
			seen = atomic.AddInt32(&n, 0) == 1
		case 2:
			seen = atomic.OrInt32(&n, 0) == 1
		case 3:
			seen = atomic.AndInt32(&n, 1) == 1
		case 4:
			seen = atomic.CompareAndSwapInt32(&n, 1, 1)
		}
		if seen {
			use(x)
		}
	})
}

// The one that comes second uses what the one before it has written.
func SafeFormAtomicSwap() {
	var n int32
	x := 0
	step := func() {
		if atomic.SwapInt32(&n, 1) == 1 {
			for atomic.LoadInt32(&n) != 2 {
			}
			use(x)
			return
		}
		x = 1
		atomic.SwapInt32(&n, 2)
	}
	both(step, func() {
		if atomic.LoadInt32(&n) == 2 {
			use(x)
		}
	})
}

func RacyFormRangeOfArrayPointer() {
	var b [4]int
	both(func() { b[3] = 2 }, func() {
		for i, v := range &b {
			use(i + v)
		}
	})
}

func SafeFormRangeOfArrayPointer() {
	var b [4]int
	both(func() { b[3] = 2 }, func() {
		for i, v := range &b {
			if use(v); i == 2 {
				break
			}
		}
	})
}

type guarded struct {
	mu sync.Mutex
	rw sync.RWMutex
	on sync.Once
	wg sync.WaitGroup
	n  int
}

// What overwrites or copies an object of package sync races with the operations on it.

func RacyFormMutexOverwritten() {
	s := &guarded{}
	both(func() { s.mu = sync.Mutex{} }, func() { s.mu.Lock(); s.mu.Unlock() })
}

func RacyFormRWMutexOverwritten() {
	s := &guarded{}
	both(func() { s.rw = sync.RWMutex{} }, func() { s.rw.RLock(); s.rw.RUnlock() })
}

func RacyFormOnceOverwritten() {
	s := &guarded{}
	both(func() { s.on = sync.Once{} }, func() { s.on.Do(func() {}) })
}

func RacyFormWaitGroupOverwritten() {
	s := &guarded{}
	both(func() { s.wg = sync.WaitGroup{} }, func() { s.wg.Add(1) })
}

func RacyFormMutexCopied() {
	s := &guarded{}
	both(func() { s.mu.Lock(); s.n++; s.mu.Unlock() }, func() { t := *s; use(&t) })
}

func SafeFormMutexOverwritten() {
	s := &guarded{}
	s.mu.Lock()
	s.mu = sync.Mutex{}
	both(func() { s.mu.Lock(); s.n++; s.mu.Unlock() }, func() { s.mu.Lock(); s.n++; s.mu.Unlock() })
	s.mu = sync.Mutex{}
	s.wg.Add(2)
	go s.wg.Done()
	go s.wg.Done()
	s.wg.Wait()
	s.wg = sync.WaitGroup{}
}

func RacyLibrarySlice() {
	b := []byte("12345678")
	both(func() { binary.BigEndian.PutUint32(b, 77) }, func() { use(b[2]) })
}

func RacyLibraryAppend() {
	b := make([]byte, 0, 8)
	both(func() { use(strconv.AppendInt(b, 12, 10)) }, func() { use(append(b, 3)) })
}

func UnseenDeepEqual() {
	b := []int{1, 2}
	both(func() { b[0] = 3 }, func() { use(reflect.DeepEqual(b, []int{1, 2})) })
}

func UnseenKept() {
	b := []byte("12345678")
	r := bytes.NewReader(b)
	both(func() { b[0] = 3 }, func() { _, _ = r.ReadByte() })
}

func SafeLibraryParts() {
	b := make([]byte, 16)
	both(func() { binary.BigEndian.PutUint32(b[0:4], 0x01020304) }, func() { binary.BigEndian.PutUint32(b[4:], 0x05060708) })
}

func SafeLibrarySlice() {
	b := []byte("12345678")
	both(func() { binary.BigEndian.PutUint32(b[4:], 77) }, func() { use(b[2]) })
}

type text1 string

func either[T ~[]byte | ~string](b []byte, v T) []byte { return append(b, v...) }

func all[L ~[]V, V any](l L) []V { return append([]V(nil), l...) }

// What is appended need not have the type of the elements.
func RacyFormAppendOfOthers() {
	list, n, err := make([]any, 1, 9), 3, error(nil)
	both(func() {
		use(append(list, n, "a", nil, err, 1<<n))
	}, func() {
		use(append(
			list,
			n,
			use,
		))
	})
	use(append([]int64(nil), 1<<n, 'a'))
	use(append([]*int(nil), nil))
	use(append([]*int{}, nil...))
	use(append([]byte("a"), text1("b")...))
	use(append(either(nil, "a"), either(nil, []byte("b"))...))
	use(all([]int{n}))
}

// The length of an array is known: neither the array nor a pointer to it is evaluated.
func SafeFormRangelength() {
	var b [4]int
	p := &b
	q := &struct{ list [2]int }{}
	both(func() { p, q = nil, nil }, func() {
		for i := range p {
			use(i)
		}
		for range q.list {
			use(0)
		}
	})
}

func RacyFormRangeblank() {
	var b [4]int
	p := &b
	both(func() { p = &b }, func() {
		for i, _ := range p {
			use(i)
		}
	})
}

// The first of two results that are shared is in order.
func namedBareTwo() (n int, err error) {
	done := make(chan bool)
	go func() {
		n = 1
		close(done)
		err = errors.New("x")
	}()
	<-done
	return
}

func RacyFormNamedBareTwo() { _, _ = namedBareTwo() }
