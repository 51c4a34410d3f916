//go:build go1.25

package orcruntime

import (
	"context"
	"path/filepath"
	"reflect"
	"sync"
	"unsafe"
)

// Code that is not instrumented, and code that has the test as a value of an interface of its own, calls
// Cleanup and Context of the *testing.T itself. What is left there is to be done when the test ends in the
// run, and not after the run: a goroutine that waits for it is no leak. So it is taken out of the
// *testing.T, whose fields have no other access.

// keptCleanups is what a *testing.T keeps of its cleanups. The zero value is that of none.
type keptCleanups struct {
	mu   *sync.RWMutex
	list *[]func()
	// first is how many were there before the run.
	first int
	// taken are those that the run has taken, and not called yet: it gives them back, so that
	// what it has not come to is done after it.
	taken []*takenCleanup
	// end ends the context of the test, nil if the test is not of this run alone.
	end context.CancelFunc
}

type takenCleanup struct {
	f      func()
	called bool
}

// keptBy finds what a *testing.T keeps; alone says that it is of this run only. ok is false if package
// testing is not one that is known.
func keptBy(t any, alone bool) (k keptCleanups, ok bool) {
	v := reflect.ValueOf(t)
	if !isTest(t) || v.IsNil() {
		return keptCleanups{}, false
	}
	mu, ok1 := testField[sync.RWMutex](v, "mu")
	list, ok2 := testField[[]func()](v, "cleanups")
	end, ok3 := testField[context.CancelFunc](v, "cancelCtx")
	if !ok1 || !ok2 || !ok3 {
		return keptCleanups{}, false
	}
	k = keptCleanups{mu: mu, list: list, first: len(*list)}
	if alone {
		k.end = *end
	}
	return k, true
}

// testField is a field of a *testing.T, if it has it, of that type.
func testField[F any](t reflect.Value, name string) (*F, bool) {
	f := t.Elem().FieldByName(name)
	if !f.IsValid() || f.Type() != reflect.TypeFor[F]() {
		return nil, false
	}
	return (*F)(unsafe.Pointer(f.UnsafeAddr())), true
}

// adopt takes what the goroutine has left to the *testing.T itself since it last came to a guard, for a
// scope, of which it is: goroutines run one at a time.
func (g *goroutine) adopt(t *scope) {
	k := &g.run.kept
	if k.list == nil || len(*k.list) == k.first || t == nil || g.run.dying.Load() {
		return
	}
	k.mu.Lock()
	left := (*k.list)[k.first:]
	fs := append([]func(){}, left...)
	clear(left)
	*k.list = (*k.list)[:k.first]
	k.mu.Unlock()
	for _, f := range fs {
		c := &takenCleanup{f: f}
		k.taken = append(k.taken, c)
		g.leave(t, func() {
			c.called = true
			f()
		})
	}
}

// cancel ends the context of the test.
func (k *keptCleanups) cancel() {
	if k.end != nil {
		k.end()
	}
}

// giveBack gives the *testing.T what the run has not called.
func (k *keptCleanups) giveBack() {
	for _, c := range k.taken {
		if !c.called {
			k.mu.Lock()
			*k.list = append(*k.list, c.f)
			k.mu.Unlock()
		}
	}
	k.taken = nil
}

// TempDir is the method value t.TempDir, which is of. The directories of a test and of its subtests are in
// one, which stays until the test ends; n is the number of the diagnostic that others may act while it is removed.
func TempDir(n int, of func() string) func() string {
	return func() string {
		g := controlledTest()
		if g == nil {
			return of()
		}
		g.adopt(g.scope)
		whole := g.scope
		for whole.parent != nil {
			whole = whole.parent
		}
		dir, left := of(), len(whole.cleanups)
		if g.adopt(whole); len(whole.cleanups) > left { // the first one, which is removed with all others
			g.leave(whole, func() { FileUse(n, int(fileChanges|fileInParts|fileTree), filepath.Dir(dir)) })
		}
		return dir
	}
}
