//go:build go1.25

package orcruntime

import (
	"reflect"
	"runtime"
	"strings"
	"sync"
	"unsafe"
)

// Uninstrumented code may synchronise in ways that do not show: all of it that
// may has one clock, the library's, which orders every call of it before every
// later one. That hides races, and reports none that is not there. Where it hides one of functions that the
// library calls, which does not say how it synchronises them, that is noted. Of a few types it is known by which
// locks of their own they do what they do: calls of their methods pass the clocks of these, see forward.go.

// passLibrary orders what other goroutines did before their calls of the library
// before what g does, and what g did before what they do after theirs.
func (r *races) passLibrary(g *goroutine) {
	g.clock.join(r.library)
	r.library.join(g.clock)
	g.tick()
}

// passLocks is passLibrary for a call of which the locks are known.
func (r *races) passLocks(g *goroutine, locks []syncKey) {
	for _, k := range locks {
		c := r.objects[k]
		if c == nil {
			c = new(clock)
			r.objects[k] = c
		}
		g.clock.join(*c)
		c.join(g.clock)
	}
	g.tick()
}

// passes passes the library, or the locks of the call that g is in.
func (r *races) passes(g *goroutine) {
	if locks := g.locks(); locks != nil {
		r.passLocks(g, locks)
	} else {
		r.passLibrary(g)
	}
}

// waitedForLibrary is passLibrary where g has waited for what the library has done: that does order them.
func (r *races) waitedForLibrary(g *goroutine) {
	r.passLibrary(g)
	g.apart.join(r.library)
}

// cameBack passes the library for a goroutine that was blocked in a call of it.
func (r *races) cameBack(g *goroutine) {
	r.throughLibrary(g)
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, k := range g.locks() {
			g.apart.join(*r.objects[k])
		}
		if g.locks() == nil {
			g.apart.join(r.library)
		}
	}
}

// inLibrary passes the library for a goroutine that is in a call of it, when
// others may have the baton or have had it.
func (r *races) inLibrary(g *goroutine) {
	if r == nil || g.library == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.passes(g)
	g.run.exec.library(g)
}

// wokenInLibrary is inLibrary for a goroutine that has stood at a guard in a function that the library calls. What it
// does in that statement does not come after what others did meanwhile: it has not been in the library.
func (r *races) wokenInLibrary(g *goroutine) {
	if r == nil || g.library == 0 {
		return
	}
	g.beforeWake = append(g.beforeWake[:0], g.clock...)
	r.inLibrary(g)
	g.wokenAt, g.wokenIn = g.clock.at(g.index), g.site
}

// isWoken: a place is in the statement whose guard g has passed last, in a function that a library calls, and g has
// done nothing else since.
func (g *goroutine) isWoken(at Place) bool {
	if g.wokenIn == 0 || g.wokenAt != g.clock.at(g.index) || g.library == 0 {
		return false
	}
	s := Site(at.info().Site)
	return s == g.wokenIn || s != 0 && s.key()+StoreSuffix == g.wokenIn.key()
}

// library passes the library.
func (r *races) throughLibrary(g *goroutine) {
	g.run.exec.library(g)
	if r == nil {
		return
	}
	r.settle(g) // what was written by now comes before
	r.mu.Lock()
	defer r.mu.Unlock()
	r.passes(g)
}

// begins passes the library for a call in a statement, or its locks with which it uses what is kept behind the operands.
// What is done with the operands does not come after what others did before their calls.
func (r *races) begins(g *goroutine, statement Site, at Place, kept []keptUse) {
	if r != nil {
		g.beforeCall = append(g.beforeCall[:0], g.clock...)
	}
	r.usesKept(g, at, kept)
	r.throughLibrary(g)
	g.callAt, g.callIn = g.clock.at(g.index), statement
}

// usesKept uses what is kept behind the operands of a call of which the locks are known. All that the call does under
// them comes before they are released, also if it does not return.
func (r *races) usesKept(g *goroutine, at Place, kept []keptUse) {
	if g.keptAt = 0; r == nil || len(kept) == 0 {
		return
	}
	r.settle(g)
	r.mu.Lock()
	r.acquires(g)
	r.mu.Unlock()
	g.keptAt = at
	for _, v := range kept {
		g.run.use(at, v.p, v.t, true)
	}
}

// acquires orders what was done under the locks of the call that g is in before what g does.
func (r *races) acquires(g *goroutine) {
	for _, k := range g.locks() {
		if c := r.objects[k]; c != nil {
			g.clock.join(*c)
		}
	}
}

// atUse is what has happened before g uses something at a place, which may be an operand of
// a call that has begun, or what that call keeps under its locks. What the library calls back, in other statements, comes after what
// the library has waited for.
func (g *goroutine) atUse(at Place) clock {
	if g.atOperand(at) && (at == 0 || at != g.keptAt) {
		return g.beforeCall
	}
	return g.clock
}

// atOperand: a place may be that of an operand of the call that g has begun.
func (g *goroutine) atOperand(at Place) bool {
	return g.callIn != 0 && g.callAt == g.clock.at(g.index) && at.info().Site == int(g.callIn)
}

// isCalledBack: g is in a function that the library calls, and not at an operand of a call that has begun.
func (g *goroutine) isCalledBack(at Place) bool {
	return g.library > 0 && !g.atOperand(at)
}

// Mark is how deep in the library a goroutine was before a call, or noLibrary.
type Mark int

const noLibrary Mark = -1

// libraryCalls are the calls of uninstrumented code that a goroutine is in.
type libraryCalls struct {
	library int // how many there are
	begun   []begunCall
	locked  []lockedCall // those of which the locks are known, the innermost last
}

// lockedCall is a call of which the locks are known, at a depth.
type lockedCall struct {
	depth int
	locks []syncKey
}

// locks are those of the innermost call, nil if they are not known.
func (c *libraryCalls) locks() []syncKey {
	if n := len(c.locked); n > 0 && c.locked[n-1].depth == c.library {
		return c.locked[n-1].locks
	}
	return nil
}

// libraryCaller is who calls uninstrumented code: a goroutine of a run, which may be recorded, or one
// that is recorded and runs free.
type libraryCaller struct {
	*libraryCalls // nil: the call is of no concern
	g             *goroutine
	r             *recorder
}

// callerOfLibrary is the calling goroutine.
func callerOfLibrary() libraryCaller {
	s := active.Load()
	if s == nil {
		if r := recording(); r != nil {
			return libraryCaller{&r.libraryCalls, nil, r}
		}
		return libraryCaller{}
	}
	if s.races == nil && !s.minors && s.cfg.record == nil && s.cfg.Bubble.Wait == nil || s.dying.Load() {
		return libraryCaller{}
	}
	if g := s.caller(); g != nil {
		return libraryCaller{&g.libraryCalls, g, g.rec}
	}
	return libraryCaller{}
}

// isNone: the call is of no concern.
func (c libraryCaller) isNone() bool { return c.libraryCalls == nil }

// Depth is where a call begins whose arguments have to be evaluated first: Ready follows
// behind them. Back ends the call.
func Depth() Mark {
	if c := callerOfLibrary(); !c.isNone() {
		return Mark(c.library)
	}
	return noLibrary
}

// Lib begins a call of uninstrumented code in a statement, 0 where there is no guard. Back
// ends it.
func Lib(site Site) Mark {
	c := callerOfLibrary()
	if c.isNone() {
		return noLibrary
	}
	return c.calls(site)
}

// calls begins a call of uninstrumented code. Others may come before and after it: in a run
// it is a step of its own.
func (c libraryCaller) calls(site Site) Mark { return c.callsUnder(site, &operandWalk{}) }

// callsUnder is calls for a call of which the operands were looked at: it uses what is kept behind them under their locks, nil
// if these are not known.
func (c libraryCaller) callsUnder(site Site, w *operandWalk) Mark {
	if g := c.g; g != nil {
		if g.stopToCall(site) && len(w.locks) > 0 { // others may have changed what is behind
			if now := c.behind(w.at, w.operands); len(now.locks) > 0 {
				w = now
			}
		}
		g.mayMeetLock()
	}
	c.r.passLibrary(site)
	c.set(c.library + 1)
	if w.locks != nil {
		c.locked = append(c.locked, lockedCall{c.library, w.locks})
	}
	if g := c.g; g != nil {
		g.run.races.begins(g, site, w.at, w.kept)
		g.run.exec.calls(g)
	}
	return Mark(c.library - 1)
}

// returnsTo ends the calls within the one that began at a depth, and that one.
func (c libraryCaller) returnsTo(depth int) {
	if g := c.g; g != nil {
		g.run.races.returned(g)
		g.run.races.throughLibrary(g)
		g.run.exec.returns(g)
	}
	c.r.passLibrary(0)
	c.set(depth)
	for n := len(c.locked); n > 0 && c.locked[n-1].depth > depth; n-- {
		c.locked = c.locked[:n-1]
	}
}

// set sets how many calls the goroutine is in.
func (c libraryCaller) set(depth int) {
	if c.g != nil {
		c.g.run.locks.calls.Add(int64(depth - c.library))
	}
	c.library = depth
	if c.r != nil {
		c.r.library = depth
	}
}

// stopToCall has the goroutine stand at the guard of a call of uninstrumented code in a
// statement, unless nobody is there who could do anything meanwhile, and no time can pass. It
// reports whether it has.
func (g *goroutine) stopToCall(site Site) bool { return g.stopBefore(opCall, site) }

// stopBefore is stopToCall for something else that others, or time, may come before.
func (g *goroutine) stopBefore(o op, site Site) bool {
	if s := g.run; s.minors && site != 0 && (len(s.live) > 1 || s.mayPass()) {
		acting := g.acting
		g.arrive(o, site.minor(o), nil)
		s.exec.continues(site)
		g.pass()
		g.acting = acting
		return true
	}
	return false
}

// LibFunc is Lib for a function value: of uninstrumented code, perhaps.
func LibFunc[F any](site Site, f F) Mark {
	c := callerOfLibrary()
	if c.isNone() || !foreignFunc(codeOf(&f)) {
		return noLibrary
	}
	return c.calls(site)
}

// LibIface is Lib for a method called through an interface.
func LibIface(site Site, x any) Mark {
	c := callerOfLibrary()
	if c.isNone() || !foreignValue(x) {
		return noLibrary
	}
	return c.callsMethod(site, x)
}

// callsMethod is calls for a method of a value in an interface.
func (c libraryCaller) callsMethod(site Site, x any) Mark {
	if isLogger(x) {
		if w := c.behind(placeAt(site), []any{x}); !w.ordering {
			w.locks = append([]syncKey{}, w.locks...) // known, also if there are none
			return c.callsUnder(site, w)
		}
	}
	return c.calls(site)
}

// IsForeign reports whether a method called through an interface is uninstrumented code,
// perhaps.
func IsForeign(x any) bool { return !callerOfLibrary().isNone() && foreignValue(x) }

// LibIf is Lib if the call is one of uninstrumented code.
func LibIf(foreign bool) Mark {
	if !foreign {
		return noLibrary
	}
	return Lib(0)
}

// Ready is a, the last operand that has to be evaluated of a call that Depth, or Starts,
// stands before. The call begins now.
func Ready[A any](site Site, a A) A {
	Lib(site)
	return a
}

// ReadyFunc is Ready for the call of a function value.
func ReadyFunc[F, A any](site Site, f F, a A) A {
	LibFunc(site, f)
	return a
}

// ReadyIface is Ready for a method called through an interface.
func ReadyIface[A any](site Site, x any, a A) A {
	LibIface(site, x)
	return a
}

// ReadyStartsFunc is Starts and ReadyFunc, for the call of a function that is read behind its operands.
func ReadyStartsFunc[F, A any](site Site, f F, a A) A {
	Starts(f)
	return ReadyFunc(site, f, a)
}

// ReadyStartsIface is StartsOn and ReadyIface, for a method of what an interface has behind the operands.
func ReadyStartsIface[A any](site Site, x any, a A) A {
	StartsOn(x)
	return ReadyIface(site, x, a)
}

// Back ends a call that began when the goroutine was as deep in the library as m says, if
// one did. After a panic that was recovered from it also ends those within.
func Back(m Mark) {
	if m == noLibrary {
		return
	}
	if c := callerOfLibrary(); !c.isNone() && c.library > int(m) {
		c.returnsTo(int(m))
	}
}

// Back1 is Back around a call with a result.
func Back1[A any](m Mark, a A) A {
	Back(m)
	return a
}

// begunCall is a call of which the operands are evaluated, or that goes on: how deep in the
// library its goroutine was before, and whether it is one of uninstrumented code, perhaps.
type begunCall struct {
	before  Mark
	foreign bool
}

// Begun begins a call of f, of uninstrumented code perhaps, see Ended. It is not ended
// exactly after a panic.
func Begun[F any](site Site, f F) F {
	if c := callerOfLibrary(); !c.isNone() && c.starts(foreignFunc(codeOf(&f))) {
		c.calls(site)
	}
	return f
}

// On is x, of which a method is called through an interface. It begins the call as Begun
// does.
func On[X any](site Site, x X) X {
	if c := callerOfLibrary(); !c.isNone() && c.starts(foreignValue(x)) {
		c.callsMethod(site, x)
	}
	return x
}

// Starts is Begun for a call that begins with Ready, or the like.
func Starts[F any](f F) F {
	if c := callerOfLibrary(); !c.isNone() {
		c.starts(foreignFunc(codeOf(&f)))
	}
	return f
}

// StartsOn is On for a call that begins with ReadyBegun.
func StartsOn[X any](x X) X {
	if c := callerOfLibrary(); !c.isNone() {
		c.starts(foreignValue(x))
	}
	return x
}

// starts notes a call. It reports whether it is one of uninstrumented code, perhaps.
func (c *libraryCalls) starts(foreign bool) bool {
	c.begun = append(c.begun, begunCall{Mark(c.library), foreign})
	return foreign
}

// ReadyBegun is Ready for the call that Starts, or StartsOn, has noted last.
func ReadyBegun[A any](site Site, a A) A {
	if c := callerOfLibrary(); !c.isNone() && len(c.begun) > 0 && c.begun[len(c.begun)-1].foreign {
		c.calls(site)
	}
	return a
}

// Passed is f, of a call with more results than Ended4 takes.
func Passed[F any](site Site, f F) F {
	Back(LibFunc(site, f))
	return f
}

// Ended ends the last call that Begun, On, Starts or StartsOn has noted.
func Ended() {
	c := callerOfLibrary()
	if c.isNone() || len(c.begun) == 0 {
		return
	}
	last := c.begun[len(c.begun)-1]
	c.begun = c.begun[:len(c.begun)-1]
	Back(last.before)
}

// Ended1 is Ended around a call with a result.
func Ended1[A any](a A) A {
	Ended()
	return a
}

// End ends the last call that was begun.
func End() {
	if c := callerOfLibrary(); !c.isNone() {
		c.returnsTo(max(0, c.library-1))
	}
}

// EndFunc ends a call that LibFunc has begun.
func EndFunc[F any](f F) {
	if !callerOfLibrary().isNone() && foreignFunc(codeOf(&f)) {
		End()
	}
}

// EndIface ends a call that LibIface has begun.
func EndIface(x any) {
	if !callerOfLibrary().isNone() && foreignValue(x) {
		End()
	}
}

// Ended2 is Ended1 for two results.
func Ended2[A, B any](a A, b B) (A, B) {
	Ended()
	return a, b
}

// Ended3 is Ended2 for three results.
func Ended3[A, B, C any](a A, b B, c C) (A, B, C) {
	Ended()
	return a, b, c
}

// Ended4 is Ended2 for four results.
func Ended4[A, B, C, D any](a A, b B, c C, d D) (A, B, C, D) {
	Ended()
	return a, b, c, d
}

// Back2 ends a call of which it is not known whether it has begun.
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

// codeOf is the closure that a function value points to.
func codeOf[F any](f *F) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(f)) }

// instrumented are the packages whose accesses to memory are seen, and foreign
// remembers of types and code pointers whether they are of others.
var instrumented struct {
	sync.RWMutex
	packages map[string]bool
	foreign  map[any]bool
	unlocked map[string]bool
	// valueMethods are the methods that take copies of their receivers.
	valueMethods map[string]bool
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

// foreignValue: a method of a value may be uninstrumented code.
func foreignValue(x any) bool {
	t := reflect.TypeOf(x)
	if forwards(t) {
		f := reflect.ValueOf(x).Pointer()
		return f != 0 && foreignCode(f) // or nil, of which the call panics
	}
	return foreignType(t)
}

// forwards: the type is one of functions, and its methods do nothing but call them.
func forwards(t reflect.Type) bool {
	return t != nil && t.Kind() == reflect.Func && t.PkgPath() == "net/http" && t.Name() == "HandlerFunc"
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
	return foreignCode(*(*uintptr)(closure))
}

// foreignCode is foreignFunc for what the function begins with.
func foreignCode(pc uintptr) bool {
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
