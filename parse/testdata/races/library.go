package races

import (
	"bufio"
	"bytes"
	"container/list"
	"container/ring"
	"math/rand"
	"strings"
	"sync"
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

func UnseenPush() {
	l := list.New()
	both(func() { l.PushBack(1) }, func() { l.PushFront(2) })
}

func UnseenLook() {
	l := newLibrary()
	both(func() { l.order.PushBack(1) }, func() { _ = l.list().Len() })
}

func UnseenField() {
	l := newLibrary()
	both(func() { l.log.WriteString("a") }, func() { l.log.WriteString("b") })
}

func UnseenNested() {
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

func UnseenElement() {
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
