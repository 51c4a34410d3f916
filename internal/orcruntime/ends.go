//go:build go1.25

package orcruntime

import (
	"os"
	"reflect"
	"runtime"
	"strconv"
	"sync/atomic"
	"unsafe"
)

// Go is the statement go f(), whose function and arguments have been evaluated.
func Go(site Site, f func()) {
	g := enter(site)
	if g == nil {
		if r := recording(); r != nil {
			r.starts(site, f)
		} else {
			go freely(f)()
		}
		return
	}
	g.arrive(opGo, site, nil)
	g.run.spawn(g, site, f)
	g.pass()
}

// GoValue is Go for the function value fn, which f calls.
func GoValue(site Site, fn any, f func()) {
	if v := reflect.ValueOf(fn); v.Kind() != reflect.Func || !v.IsNil() {
		Go(site, f)
		return
	}
	if g := enter(site); g != nil {
		g.arrive(opGo, site, nil)
		o := g.run.fatal(g, "go of nil func value")
		o.Kind = KindNilCall
		g.halt(o)
	}
	var none func()
	go none()
}

// Panic is the argument of the builtin panic: panic(Panic(site, v)).
func Panic(site Site, v any) any {
	if g := enter(site); g != nil {
		g.arrive(opPanic, site, nil)
		g.pass()
		g.acting = site // the site of the panic
	}
	return v
}

// Exit is os.Exit(code).
func Exit(site Site, code int) {
	if g := enter(site); g != nil {
		g.arrive(opExit, site, nil)
		g.exitWith(code)
	}
	os.Exit(code)
}

// Fatal is log.Fatal and the like: output prints, then the program exits.
func Fatal(site Site, output func()) {
	g := enter(site)
	if g == nil {
		output()
		os.Exit(1)
	}
	g.arrive(opExit, site, nil)
	output()
	g.exitWith(1)
}

func (g *goroutine) exitWith(code int) {
	g.pass()
	o := Outcome{Message: "exit status " + strconv.Itoa(code), G: g.path, Site: g.site.key()}
	if code != 0 {
		o.Kind = KindExit
	}
	g.stack = callers()
	o.Stack = g.stack
	g.halt(o)
}

// Goexit is runtime.Goexit.
func Goexit(site Site) {
	if g := enter(site); g != nil {
		g.arrive(opGoexit, site, nil)
		g.pass()
		g.goexit = site
	} else if r := recording(); r != nil {
		r.left = true
	}
	runtime.Goexit()
}

// TestEnd is t.FailNow, t.Fatal, t.Skip and the like: f calls them, and ends
// the goroutine.
func TestEnd(site Site, f func()) {
	TestEnds(site)
	f()
}

// TestEnds comes before a call of one of these methods.
func TestEnds(site Site) {
	if g := enter(site); g != nil {
		g.arrive(opTestEnd, site, nil)
		if !site.skips() {
			g.afterTest("Fail")
		}
		g.pass()
	} else if r := recording(); r != nil {
		r.left = true
	}
}

// stopping tells, by a hash of the number of a site, which statements may stop goroutines in the run at hand: a
// program that several checks share asks at each statement, which in a loop that does little else is most of
// what it does. So that is one load, in place. What the hash says of other sites too, the run is asked for.
var stopping atomic.Pointer[siteFilter]

// siteFilter is a set of sites, and of others that share a slot with one.
type siteFilter [slots + 1]bool

const slots = 1<<10 - 1

// everySite is for when no run says otherwise.
var everySite = func() *siteFilter {
	f := new(siteFilter)
	for i := range f {
		f[i] = true
	}
	return f
}()

func init() { stopping.Store(everySite) }

// tellPasses has statements pass in place that do nothing in the run.
func (s *run) tellPasses() {
	if s.cfg.Guards == nil || s.races != nil && !s.cfg.Exact {
		return
	}
	f := new(siteFilter)
	for site, stops := range s.guards {
		if stops {
			f[site&slots] = true
		}
	}
	stopping.Store(f)
}

// Access guards a statement that reads or writes memory which goroutines
// share, unless Config.Guards leaves it out. It returns 0.
func Access(site Site) int {
	if stopping.Load()[site&slots] {
		access(site)
	}
	return 0
}

func access(site Site) {
	if s := active.Load(); s != nil && s.cfg.Guards != nil && !s.stopsAt(site) {
		if s.races != nil && !s.cfg.Exact {
			if g := s.caller(); g != nil {
				g.behind = site
			}
		}
		return
	}
	if g := enter(site); g != nil {
		g.arrive(opAccess, site, nil)
		g.pass()
	}
}

// stopsAt reports whether Config.Guards has a site.
func (s *run) stopsAt(site Site) bool { return site < Site(len(s.guards)) && s.guards[site] }

// guardTable is a set of sites, by number: every statement of a program looks into it.
func guardTable(guards map[Site]bool) (table []bool) {
	for site, stops := range guards {
		if n := int(site) + 1 - len(table); n > 0 {
			table = append(table, make([]bool, n)...)
		}
		table[site] = stops
	}
	return table
}

// Store guards the write of a statement that reads shared memory too: v is what
// it is about to write.
func Store[T any](site Site, v T) T {
	Access(site)
	stores(site, v)
	return v
}

// StoreIf is Store in a program that several checks share: there is no guard unless
// Config.Guards names it.
func StoreIf[T any](site Site, v T) T {
	if stopping.Load()[site&slots] {
		accessIf(site)
		stores(site, v)
	}
	return v
}

// StoreElement is Store for the statement s = append(s, v), where s is the business of the one
// goroutine: the guard is in front of the append, which stays what the compiler sees. What is
// appended is given to the function that it returns, so that it does not take part in finding out E.
func StoreElement[S ~[]E, E any](site Site, s S) func(E) E {
	return func(v E) E { return Store(site, v) }
}

// StoreElementIf is StoreIf for such a statement.
func StoreElementIf[S ~[]E, E any](site Site, s S) func(E) E {
	return func(v E) E { return StoreIf(site, v) }
}

func accessIf(site Site) {
	if s := active.Load(); s != nil && s.stopsAt(site) {
		access(site)
	}
}

// AccessOrBeside is Access, in a program that several checks share, for a statement of a function
// that has atomic operations. It returns 0.
func AccessOrBeside(site Site) int {
	if s := active.Load(); s != nil && s.cfg.Exact && !s.stopsAt(site) {
		return Beside(site)
	}
	return Access(site)
}

// Line logs that a statement is reached. It returns 0.
func Line(site Site) int {
	if g := enter(site); g != nil {
		g.run.logPass(g, site)
	}
	return 0
}

// Method binds a rewritten method to its receiver: the method value x.m.
func Method[T any](x *T, f func(*T)) func() {
	return func() { f(x) }
}

// object identifies a synchronisation object.
type object struct {
	p    unsafe.Pointer
	kind objectKind
}

// objectKind is what an object is called; of the size of a pointer, so that object is
// hashed at once.
type objectKind uintptr

const (
	channelObject objectKind = iota
	mutexObject
	rwMutexObject
	waitGroupObject
	onceObject
	condObject
	mapObject    // only of a map that goroutines access at one time
	atomicObject // only in runs whose Effects are asked for
	objectKinds
)

var objectNames = [objectKinds]string{"chan", "mutex", "rwmutex", "waitgroup", "once", "cond", "map", "atomic"}

// name numbers an object by its first use in the run. The pointer is kept, so
// that no other object gets its address.
func (s *run) name(kind objectKind, p unsafe.Pointer) {
	if p == nil {
		return
	}
	o := object{p, kind}
	s.mu.Lock() // a goroutine that comes back from outside may be here too
	defer s.mu.Unlock()
	if _, ok := s.objects[o]; ok {
		return
	}
	if s.objects == nil {
		s.objects = make(map[object]int)
	}
	s.counts[kind]++
	s.objects[o] = s.counts[kind]
}

// isNamed reports whether an object has a number.
func (s *run) isNamed(kind objectKind, p unsafe.Pointer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.objects[object{p, kind}]
	return ok
}

// nameOf is the name of an object, as in "chan#1".
func (s *run) nameOf(kind objectKind, p unsafe.Pointer) string {
	if p == nil {
		return "nil " + objectNames[kind]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return objectNames[kind] + "#" + strconv.Itoa(s.objects[object{p, kind}])
}
