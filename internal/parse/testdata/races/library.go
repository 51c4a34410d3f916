package races

import (
	"bufio"
	"bytes"
	"container/list"
	"container/ring"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/big"
	"math/rand"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Values of the standard library that are for one goroutine at a time: that their
// methods race is not seen, but said to be unseen.

type library struct {
	mu    sync.Mutex
	log   bytes.Buffer
	order *list.List
	dice  *rand.Rand
	inner struct{ text strings.Builder }
}

func newLibrary() *library {
	return &library{order: list.New(), dice: rand.New(rand.NewSource(1))}
}

func (l *library) list() *list.List { return l.order }

func RacyLibraryPush() {
	l := list.New()
	both(func() { l.PushBack(1) }, func() { l.PushFront(2) })
}

func UnseenLook() {
	l := newLibrary()
	both(func() { l.order.PushBack(1) }, func() { _ = l.list().Len() })
}

func RacyLibraryField() {
	l := newLibrary()
	both(func() { l.log.WriteString("a") }, func() { l.log.WriteString("b") })
}

func RacyNestedText() {
	l := newLibrary()
	both(func() { l.inner.text.WriteByte('a') }, func() { _ = l.inner.text.String() })
}

func UnseenDice() {
	l := newLibrary()
	both(func() { _ = l.dice.Intn(6) }, func() { _ = l.dice.Float64() })
}

func UnseenVariable() {
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	both(func() { _ = w.Flush() }, func() { _ = w.Available(); _, _ = w.WriteString("a") })
}

func RacyLibraryElement() {
	all := []ring.Ring{{}, {}}
	both(func() { all[1].Link(ring.New(1)) }, func() { all[1].Unlink(1) })
}

func SafeLooks() {
	l := newLibrary()
	l.order.PushBack(1)
	both(func() { _ = l.order.Len(); _ = l.log.String() }, func() { _ = l.order.Front(); _ = l.log.Len() })
}

func SafeLibrary() {
	l := newLibrary()
	f := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		defer l.log.Reset()
		e := l.order.PushBack(l.log.String())
		l.order.MoveToFront(e)
		l.list().Remove(e)
		(&l.log).WriteByte('c')
		_ = l.dice.Perm(2)
		l.inner.text.WriteString("d")
	}
	both(f, f)
}

func SafeLater() {
	l := newLibrary()
	both(func() {
		defer l.log.WriteString("a")
		l.mu.Lock()
		l.mu.Unlock()
	}, func() {})
	l.log.Reset()
}

func SafeOthers() {
	f := func() {
		l := newLibrary()
		l.log.WriteString("a")
		s := bufio.NewScanner(&l.log)
		for s.Scan() {
			l.order.PushBack(s.Text())
		}
	}
	both(f, f)
}

// What is in an interface, embedded, or given to a library, is used, too.

type wrapped struct {
	mu sync.Mutex
	bytes.Buffer
}

type behind struct{ *wrapped }

type settings struct {
	Name  string
	Limit map[string]int
}

func put(w io.Writer, s string) { _, _ = w.Write([]byte(s)) }

func RacyLibraryWriter() {
	var b bytes.Buffer
	both(func() { put(&b, "a") }, func() { put(&b, "b") })
}

func RacyLibraryPrint() {
	var w io.Writer = new(strings.Builder)
	both(func() { fmt.Fprint(w, "a") }, func() { fmt.Fprintf(w, "b") })
}

func RacyLibraryEmbedded() {
	b := behind{new(wrapped)}
	both(func() { b.WriteString("a") }, func() { b.wrapped.WriteByte('b') })
}

func UnseenEncoder() {
	e := json.NewEncoder(io.Discard)
	both(func() { _ = e.Encode(1) }, func() { _ = e.Encode(2) })
}

func RacyCopyAndLen() {
	var b bytes.Buffer
	both(func() { _, _ = io.Copy(&b, strings.NewReader("a")) }, func() { _ = b.Len() })
}

func UnseenDecode() {
	s := new(settings)
	both(func() { _ = json.Unmarshal([]byte(`{"Name":"a"}`), s) }, func() { _ = s.Name == "" })
}

func UnseenShown() {
	s := new(settings)
	both(func() { s.Name = "a" }, func() { _ = fmt.Sprint(s) })
}

func RacyLibraryRead() {
	p := make([]byte, 8)
	both(func() { _, _ = io.ReadFull(strings.NewReader("abcdefgh"), p) }, func() { _ = p[3] })
}

func UnseenLookup() {
	s := []int{1, 2, 3}
	both(func() { s[2] = 4 }, func() { _, _ = slices.BinarySearch(s, 2) })
}

func RacyHeader() {
	h := http.Header{}
	both(func() { h.Set("a", "b") }, func() { _ = h.Get("a") })
}

func RacyValues() {
	v := url.Values{}
	both(func() { v.Add("a", "b") }, func() { v.Del("a") })
}

func SafeGiven() {
	b := behind{new(wrapped)}
	s, h, list := &settings{Limit: map[string]int{"a": 1}}, http.Header{}, []int{3, 1, 2}
	e := json.NewEncoder(b)
	f := func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		put(b, "a")
		b.WriteString("c")
		fmt.Fprintln(b, s, list)
		_ = e.Encode(s)
		_ = json.Unmarshal([]byte(`{"Name":"a"}`), s)
		s.Limit["b"]++
		h.Set("a", fmt.Sprint(s.Limit))
		list[0]++
		_, _ = slices.BinarySearch(list, 2)
	}
	both(f, f)
}

func SafeGivenReads() {
	s, h, list := &settings{Name: "a"}, http.Header{"A": {"b"}}, []int{1, 2, 3}
	f := func() {
		_ = fmt.Sprint(s, h, list)
		_ = h.Get("a")
		_, _ = slices.BinarySearch(list, 2)
	}
	both(f, f)
}

func RacyLibraryScan() {
	s := bufio.NewScanner(strings.NewReader("a\nb\n"))
	both(func() { s.Scan() }, func() { s.Scan() })
}

// What is read is what was there before.
func UnseenSameRead() {
	p, zeros := make([]byte, 8), make([]byte, 8)
	both(func() { _, _ = io.ReadFull(bytes.NewReader(zeros), p) }, func() { _ = p[3] })
}

// What a library has written to a value comes before what passes the value on.

func SafePooled() {
	pool := sync.Pool{New: func() any { return new(bytes.Buffer) }}
	f := func() {
		b := pool.Get().(*bytes.Buffer)
		b.Reset()
		defer pool.Put(b)
		b.WriteString("a")
		b.WriteByte(' ')
	}
	both(f, f)
}

func SafePublished() {
	var b bytes.Buffer
	var ready atomic.Bool
	both(func() {
		b.WriteString("a")
		ready.Store(true)
	}, func() {
		if ready.Load() {
			b.WriteString("b")
		}
	})
}

func SafePublishedPointer() {
	var p atomic.Pointer[bytes.Buffer]
	both(func() {
		b := new(bytes.Buffer)
		b.WriteString("a")
		p.Store(b)
	}, func() {
		if b := p.Load(); b != nil {
			b.Reset()
		}
	})
}

// What methods of numbers do is not recorded, but that they read or write the number, and read their
// arguments, is.
func UnseenBig() {
	n := big.NewInt(5)
	both(func() { n.Add(n, big.NewInt(1)) }, func() { _ = n.String() })
}

func UnseenBigArgument() {
	n, m := big.NewInt(5), new(big.Int)
	both(func() { n.Neg(n) }, func() { m.Mul(m, n) })
}

func UnseenBigRemainder() {
	n, q, r := big.NewInt(5), new(big.Int), new(big.Int)
	both(func() { q.QuoRem(n, n, r) }, func() { _ = r.Sign() })
}

func SafeBig() {
	x, y := big.NewRat(1, 2), big.NewRat(1, 3)
	both(func() { new(big.Rat).Add(x, y) }, func() { _ = x.Cmp(y) })
}

// Hashes are of types that their packages do not export.
func UnseenHash() {
	h := sha256.New()
	both(func() { h.Write([]byte("a")) }, func() { _ = h.Sum(nil) })
}

func UnseenHash32() {
	h := fnv.New32a()
	both(func() { _, _ = io.WriteString(h, "a") }, func() { _ = h.Sum32() })
}

func UnseenSource() {
	s := rand.NewSource(1)
	both(func() { _ = s.Int63() }, func() { s.Seed(2) })
}

func SafeHash() {
	h := sha256.New()
	both(func() { _ = h.Sum(nil) }, func() { _ = h.Size() })
}
