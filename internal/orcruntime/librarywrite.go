//go:build go1.25

package orcruntime

import (
	"bytes"
	"cmp"
	"reflect"
	"unsafe"
)

// What a library writes to a value that it is lent is not recorded, but some of it shows:
// memory that is not what it was before the call, while nobody else could do anything, was
// written by it. Two writes of the same bytes that nothing orders are a data race, as
// they are for the race detector. A library that writes what was there already, or only
// reads, does not show: such a use stays one of which it is not known (races.unseen).

const (
	// maxLent is how many bytes of the arrays of a lent value are compared.
	maxLent = 4096
	// maxLoans bounds the values that a goroutine is looked after for at a time, and
	// loanSteps after how many of its steps a call that has not ended is given up.
	maxLoans  = 8
	loanSteps = 2
)

// loan is a value that a goroutine has given to a library, with its memory as it was.
type loan struct {
	at    Place
	p     unsafe.Pointer
	t     reflect.Type // of the value, nil for memory of a size
	size  uintptr
	spans []span
	stack int32
	steps int    // of the goroutine since
	begun uint32 // the clock of the goroutine when what it has given was used under locks, 0 if it was not
}

// span is a piece of memory.
type span struct {
	p      unsafe.Pointer
	before []byte
}

// lend has the memory of a value compared when g makes its next step, or the call ends.
func (r *races) lend(g *goroutine, at Place, p unsafe.Pointer, t reflect.Type) {
	if size := t.Size(); size > 0 && size <= maxLent {
		r.lendMemory(g, loan{at: at, p: p, t: t, size: size})
	}
}

// lendSlice is lend for the array behind a slice, up to its capacity.
func (r *races) lendSlice(g *goroutine, at Place, p unsafe.Pointer, size uintptr) {
	if size > 0 {
		r.lendMemory(g, loan{at: at, p: p, size: min(size, maxLent)})
	}
}

func (r *races) lendMemory(g *goroutine, l loan) {
	g.writes++ // see symmetry.go
	if g.run.strays.Load() > 0 {
		return
	}
	// What an earlier call has written by now is none of this one's.
	r.settle(g)
	if len(g.loans) == maxLoans {
		g.loans = append(g.loans[:0], g.loans[1:]...)
	}
	r.mu.Lock()
	l.stack = r.stack()
	r.mu.Unlock()
	if l.at != 0 && l.at == g.keptAt {
		l.begun = g.clock.at(g.index)
	}
	l.look()
	g.loans = append(g.loans, l)
}

// look takes the memory of the value for what it was before.
func (l *loan) look() {
	l.spans = append(l.spans[:0], copyOf(l.p, l.size))
	if l.t != nil {
		slicesIn(l.p, l.t, func(p unsafe.Pointer, _, size uintptr) { // libraries write beyond the length
			if size > 0 {
				l.spans = append(l.spans, copyOf(p, min(size, maxLent)))
			}
		})
	}
}

// slicesIn calls f with the arrays behind the slices in a value, and their sizes in bytes, up
// to the length and to the capacity of the slice.
func slicesIn(p unsafe.Pointer, t reflect.Type, f func(p unsafe.Pointer, length, capacity uintptr)) {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			field := t.Field(i)
			slicesIn(unsafe.Add(p, field.Offset), field.Type, f)
		}
	case reflect.Slice:
		s := *(*[]byte)(p) // whatever its elements are, the header is the same
		size := t.Elem().Size()
		f(unsafe.Pointer(unsafe.SliceData(s)), uintptr(len(s))*size, uintptr(cap(s))*size)
	}
}

func copyOf(p unsafe.Pointer, size uintptr) span {
	return span{p, append([]byte(nil), unsafe.Slice((*byte)(p), size)...)}
}

// settle records what libraries have written to what g has lent them. It comes before g
// gives the baton back, and before its clock and that of anything else learn of each other:
// what is written later has not happened before that. Of several calls with the same memory the last one has
// written it: with each one what had been written before was settled.
func (r *races) settle(g *goroutine) {
	if r == nil || len(g.loans) == 0 {
		return
	}
	if g.run.strays.Load() > 0 || g.run.dying.Load() {
		g.loans = g.loans[:0] // somebody else may have written
		return
	}
	for i := len(g.loans) - 1; i >= 0; i-- {
		l := &g.loans[i]
		for _, s := range l.spans {
			now := unsafe.Slice((*byte)(s.p), len(s.before))
			if bytes.Equal(now, s.before) {
				continue
			}
			for j := 0; j < len(now); j++ {
				k := j // others may write the bytes beside
				for k < len(now) && now[k] != s.before[k] {
					k++
				}
				if k > j {
					r.written(g, l, unsafe.Pointer(&now[j]), uintptr(k-j))
					j = k
				}
			}
		}
		l.look()
	}
}

// written records that a library has written a part of what g has lent it.
func (r *races) written(g *goroutine, l *loan, p unsafe.Pointer, size uintptr) {
	r.mu.Lock()
	f := r.accessFrom(g, l.at, p, size, writes|lent, l.stack, cmp.Or(l.begun, g.clock.at(g.index)))
	r.mu.Unlock()
	if f != nil {
		g.run.raced(*f)
	}
}

// stepped settles what g has lent, and gives up what it has lent long ago.
func (r *races) stepped(g *goroutine) {
	if r == nil || len(g.loans) == 0 {
		return
	}
	r.settle(g)
	kept := g.loans[:0]
	for _, l := range g.loans {
		if l.steps++; l.steps < loanSteps {
			kept = append(kept, l)
		}
	}
	g.loans = kept
}

// resumed looks again at what g has lent, after others could do something.
func (g *goroutine) resumed() {
	for i := range g.loans {
		g.loans[i].look()
	}
}

// returned settles what g has lent to a call that ends. What the call has written under locks comes after all that
// others did under them before.
func (r *races) returned(g *goroutine) {
	if r == nil {
		return
	}
	if len(g.loans) > 0 {
		r.mu.Lock()
		r.acquires(g)
		r.mu.Unlock()
	}
	r.settle(g)
	g.loans = g.loans[:0]
}
