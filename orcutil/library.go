//go:build go1.25

package orcutil

import (
	"reflect"
	"runtime"
	"strings"
	"sync"
	"unsafe"
)

// Uninstrumented code may synchronise in ways that do not show: all of it that
// may has one clock, the library's, which orders every call of it before every
// later one. That hides races, and reports none that is not there.

// passLibrary orders what other goroutines did before their calls of the library
// before what g does, and what g did before what they do after theirs.
func (r *races) passLibrary(g *goroutine) {
	g.clock.join(r.library)
	r.library.join(g.clock)
	g.tick()
}

// inLibrary passes the library for a goroutine that is in a call of it, when
// others may have the baton or have had it.
func (r *races) inLibrary(g *goroutine) {
	if r == nil || g.library == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.passLibrary(g)
	g.run.exec.library(g)
}

// library passes the library.
func (r *races) throughLibrary(g *goroutine) {
	g.run.exec.library(g)
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.passLibrary(g)
}

// Mark is how deep in the library a goroutine was before a call, or noLibrary.
type Mark int

const noLibrary Mark = -1

// Lib begins a call of uninstrumented code. Back ends it.
func Lib() Mark {
	s := active.Load()
	if s == nil || s.races == nil || s.dying.Load() {
		return noLibrary
	}
	g := s.caller()
	if g == nil {
		return noLibrary
	}
	s.races.throughLibrary(g)
	s.exec.calls(g)
	m := Mark(g.library)
	g.library++
	return m
}

// LibFunc begins the call of a function value: of uninstrumented code, perhaps.
func LibFunc[F any](f F) Mark {
	if s := active.Load(); s == nil || s.races == nil || !foreignFunc(*(*unsafe.Pointer)(unsafe.Pointer(&f))) {
		return noLibrary
	}
	return Lib()
}

// LibIface begins the call of a method through an interface.
func LibIface(x any) Mark {
	if s := active.Load(); s == nil || s.races == nil || !foreignType(reflect.TypeOf(x)) {
		return noLibrary
	}
	return Lib()
}

// Back ends a call that Lib has begun. After a panic that was recovered from it
// also ends those within.
func Back(m Mark) {
	s := active.Load()
	if m == noLibrary || s == nil || s.races == nil || s.dying.Load() {
		return
	}
	if g := s.caller(); g != nil {
		s.races.throughLibrary(g)
		s.exec.returns(g)
		g.library = int(m)
	}
}

// Back1 is Back around a call with a result.
func Back1[A any](m Mark, a A) A {
	Back(m)
	return a
}

// Begun begins a call of f, of uninstrumented code perhaps, see Ended2. It is not ended
// exactly after a panic.
func Begun[F any](f F) F {
	s := active.Load()
	if s == nil || s.races == nil || s.dying.Load() {
		return f
	}
	if g := s.caller(); g != nil {
		foreign := foreignFunc(*(*unsafe.Pointer)(unsafe.Pointer(&f)))
		if g.begun = append(g.begun, foreign); foreign {
			Lib()
		}
	}
	return f
}

// Passed is f, of a call with more results than Ended4 takes.
func Passed[F any](f F) F {
	Back(Lib())
	return f
}

// ended ends the last call that Begun has begun.
func ended() {
	s := active.Load()
	if s == nil || s.races == nil || s.dying.Load() {
		return
	}
	g := s.caller()
	if g == nil || len(g.begun) == 0 {
		return
	}
	foreign := g.begun[len(g.begun)-1]
	if g.begun = g.begun[:len(g.begun)-1]; foreign {
		End()
	}
}

// End ends the last call that Lib has begun.
func End() {
	s := active.Load()
	if s == nil || s.races == nil || s.dying.Load() {
		return
	}
	if g := s.caller(); g != nil {
		s.races.throughLibrary(g)
		s.exec.returns(g)
		g.library = max(0, g.library-1)
	}
}

// EndFunc ends a call that LibFunc has begun.
func EndFunc[F any](f F) {
	if foreignFunc(*(*unsafe.Pointer)(unsafe.Pointer(&f))) {
		End()
	}
}

// EndIface ends a call that LibIface has begun.
func EndIface(x any) {
	if foreignType(reflect.TypeOf(x)) {
		End()
	}
}

// Ended2 ends a call that Begun has begun.
func Ended2[A, B any](a A, b B) (A, B) {
	ended()
	return a, b
}

// Ended3 is Ended2 for three results.
func Ended3[A, B, C any](a A, b B, c C) (A, B, C) {
	ended()
	return a, b, c
}

// Ended4 is Ended2 for four results.
func Ended4[A, B, C, D any](a A, b B, c C, d D) (A, B, C, D) {
	ended()
	return a, b, c, d
}

// Back2 ends a call of which the beginning is not known.
func Back2[A, B any](a A, b B) (A, B) {
	End()
	return a, b
}

// Back3 is Back2 for three results.
func Back3[A, B, C any](a A, b B, c C) (A, B, C) {
	End()
	return a, b, c
}

// Back4 is Back2 for four results.
func Back4[A, B, C, D any](a A, b B, c C, d D) (A, B, C, D) {
	End()
	return a, b, c, d
}

// instrumented are the packages whose accesses to memory are seen, and foreign
// remembers of types and code pointers whether they are of others.
var instrumented struct {
	sync.RWMutex
	packages map[string]bool
	foreign  map[any]bool
}

// known remembers an answer.
func known(key any, find func() bool) bool {
	instrumented.RLock()
	is, ok := instrumented.foreign[key]
	instrumented.RUnlock()
	if ok {
		return is
	}
	is = find()
	instrumented.Lock()
	defer instrumented.Unlock()
	if instrumented.foreign == nil {
		instrumented.foreign = make(map[any]bool)
	}
	instrumented.foreign[key] = is
	return is
}

func isInstrumented(pkg string) bool {
	instrumented.RLock()
	defer instrumented.RUnlock()
	return instrumented.packages[pkg]
}

// foreignType: a method of the type may be uninstrumented code. A type that
// embeds another has that one's methods.
func foreignType(t reflect.Type) bool {
	if t == nil {
		return false // a nil interface: the call panics
	}
	return known(t, func() bool {
		e := t
		for e.Kind() == reflect.Pointer && e.Name() == "" {
			e = e.Elem()
		}
		if e.Name() == "" || !isInstrumented(e.PkgPath()) {
			return true
		}
		if e.Kind() == reflect.Struct {
			for i := range e.NumField() {
				if f := e.Field(i); f.Anonymous && (f.Type.Kind() == reflect.Interface || foreignType(f.Type)) {
					return true
				}
			}
		}
		return false
	})
}

// foreignFunc: the function behind a function value is uninstrumented code.
func foreignFunc(closure unsafe.Pointer) bool {
	if closure == nil {
		return false
	}
	pc := *(*uintptr)(closure)
	return known(pc, func() bool {
		f := runtime.FuncForPC(pc)
		if f == nil {
			return true
		}
		// Behind the method value of an interface is what is in it, and behind that of a
		// promoted method what is embedded.
		if method, ok := strings.CutSuffix(f.Name(), "-fm"); ok {
			return !declares(strings.ReplaceAll(method, "%2e", "."))
		}
		return !isInstrumented(packageOf(f.Name()))
	})
}

// packageOf is the path of the package of a function, by the function's name.
func packageOf(name string) string {
	// Type arguments may hold slashes and dots.
	name, _, _ = strings.Cut(name, "[")
	slash := strings.LastIndex(name, "/") + 1
	dot := strings.Index(name[slash:], ".")
	if dot < 0 {
		return name
	}
	return strings.ReplaceAll(name[:slash+dot], "%2e", ".")
}
