package source

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/tools/go/packages"
)

// What an analysis finds in the packages of a program, whatever its entry is, it finds for all entries of a Set that
// depend on the same packages. With hundreds of entries in a package it would be most of the work to find it again.

// derivations keeps what was made of the packages of programs.
type derivations struct {
	mu   sync.Mutex
	last []*derivedFrom // of the packages that were asked for last, those first
}

// keptDerivations is of how many lists of packages it is kept: checks take the entries of a package one after the
// other, some at the same time.
const keptDerivations = 4

// derivedFrom is what was made of a list of packages, by key.
type derivedFrom struct {
	packages, library []*packages.Package
	values            map[any]*derived
}

type derived struct {
	using chan struct{} // has one element while somebody makes it, or looks whether it is made
	made  bool
	value any
}

// Derive returns what is made of the packages and the library of a program, and of nothing else of it: it is made once for
// all programs of a Set that have the same, by the one that asks first, and must not be changed. The key, a comparable value
// of a type of the caller, says what it is. What ends with an error is made again when it is asked for the next time. It
// may be called by several goroutines at once; who waits for another one gets the error of ctx when that ends.
func Derive[T any](ctx context.Context, prog *Program, key any, make func() (T, error)) (T, error) {
	d := prog.derivations.of(prog, key)
	select {
	case d.using <- struct{}{}:
		defer func() { <-d.using }()
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
	if d.made {
		return d.value.(T), nil
	}
	value, err := make()
	if err == nil {
		d.value, d.made = value, true
	}
	return value, err
}

// of is the place of a value.
func (k *derivations) of(prog *Program, key any) *derived {
	if k == nil {
		return newDerived()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.IndexFunc(k.last, func(f *derivedFrom) bool {
		return slices.Equal(f.packages, prog.Packages) && slices.Equal(f.library, prog.Library)
	})
	var from *derivedFrom
	if i >= 0 {
		from = k.last[i]
		k.last = slices.Delete(k.last, i, i+1)
	} else {
		from = &derivedFrom{prog.Packages, prog.Library, map[any]*derived{}}
	}
	k.last = slices.Insert(k.last, 0, from)
	k.last = k.last[:min(len(k.last), keptDerivations)]
	if from.values[key] == nil {
		from.values[key] = newDerived()
	}
	return from.values[key]
}

func newDerived() *derived { return &derived{using: make(chan struct{}, 1)} }
