//go:build go1.25

package orcruntime

import (
	"cmp"
	"os"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"unsafe"
)

// Some functions of libraries order nothing by themselves: all that they do besides
// computing, they do by the readers, writers and functions they are given, as those of
// package bufio. Such a call passes the library's clock only if one of its operands, or what
// is behind it, may order something. What else is behind it is used.
//
// Loggers of the standard library do the same under locks of their own. A call of one is one of uninstrumented code, but
// passes the clocks of these locks alone: so two loggers that write to one buffer race, and so does who reads it meanwhile.

// LibOf is Lib for a call that only forwards to what is behind its operands.
func LibOf(site Site, at Place, operands ...any) Mark {
	c := callerOfLibrary()
	if c.isNone() {
		return noLibrary
	}
	w := c.behind(at, operands)
	if !w.isCall() {
		return noLibrary
	}
	return c.callsBehind(site, w)
}

// ReadyOf is Ready for such a call.
func ReadyOf[A any](site Site, at Place, a A, operands ...any) A {
	LibOf(site, at, operands...)
	return a
}

// BegunOf is Begun for such a call.
func BegunOf[F any](site Site, at Place, f F, operands ...any) F {
	if c := callerOfLibrary(); !c.isNone() {
		if w := c.behind(at, operands); c.starts(w.isCall()) {
			c.callsBehind(site, w)
		}
	}
	return f
}

// ReadyBegunOf is ReadyBegun for such a call.
func ReadyBegunOf[A any](site Site, at Place, a A, operands ...any) A {
	if c := callerOfLibrary(); !c.isNone() && len(c.begun) > 0 && c.begun[len(c.begun)-1].foreign {
		if w := c.behind(at, operands); w.isCall() {
			c.callsBehind(site, w)
		}
	}
	return a
}

// EndOf is End for such a call.
func EndOf(at Place, operands ...any) {
	if c := callerOfLibrary(); !c.isNone() && c.behind(at, operands).isCall() {
		End()
	}
}

// behind looks at what is behind the operands of a call, until something may order goroutines, but for instrumented
// code, which shows what it does.
func (c libraryCaller) behind(at Place, operands []any) *operandWalk {
	w := &operandWalk{at: at, operands: operands, left: maxOperandWalk}
	if c.g != nil && c.g.run.races != nil {
		w.run = c.g.run
	}
	for _, o := range operands {
		if w.ordering = w.orders(reflect.ValueOf(o), ""); w.ordering {
			break
		}
	}
	return w
}

// isCall: something behind the operands may order goroutines, or does by locks that are known.
func (w *operandWalk) isCall() bool { return w.ordering || len(w.locks) > 0 }

// callsBehind begins the call of which the operands were looked at.
func (c libraryCaller) callsBehind(site Site, w *operandWalk) Mark {
	if w.ordering {
		return c.calls(site)
	}
	return c.callsUnder(site, w)
}

// maxOperandWalk is how many values behind the operands of a call are looked at.
const maxOperandWalk = 200

// operandWalk looks at what is behind the operands of a call at a place.
type operandWalk struct {
	run      *run // one that looks for data races, else nil
	at       Place
	operands []any
	left     int // values
	seen     []unsafe.Pointer
	// looks: what is found is not used.
	looks bool
	// ordering: something may order goroutines in a way that is not known.
	ordering bool
	// locks are those under which a value, that has been found in one, is used, and kept what is used then.
	locks  []syncKey
	kept   []keptUse
	inside int // how many such values the walk is in
}

// keptUse is a value of a type that leaves it to its callers that one goroutine at a time uses it.
type keptUse struct {
	p unsafe.Pointer
	t reflect.Type
}

// lockedType is a type of the standard library that forwards to what is behind it under a lock: the field that is, or points
// to, the lock, and the function that writes with it. What that calls besides, as methods that tell what is in a value, it
// calls without the lock.
type lockedType struct{ lock, output string }

var lockedTypes = map[string]lockedType{
	"log.Logger":             {"outMu", "log.(*Logger).output"},
	"log/slog.commonHandler": {"mu", "log/slog.(*commonHandler).handle"},
}

// stateless are types and functions of the standard library that keep nothing that changes.
// The value says that a type forwards to what is behind it.
var stateless = map[string]bool{
	"bufio.ReadWriter": true, "bufio.ScanBytes": false, "bufio.ScanLines": false, "bufio.ScanRunes": false, "bufio.ScanWords": false,
	"errors.errorString": false, "errors.joinError": true, "fmt.wrapError": true, "fmt.wrapErrors": true,
	"io.discard": false, "io.eofReader": false, "io.multiReader": true, "io.multiWriter": true, "io.nopCloser": true,
	"io.nopCloserWriterTo": true, "io.teeReader": true, "log/slog.JSONHandler": true, "log/slog.Logger": true, "log/slog.TextHandler": true,
	"log/slog.handlerWriter": true, "time.Location": false, "time.Time": false,
}

// isLogger: a pointer to a type that writes under a lock, or forwards to such ones.
func isLogger(x any) bool {
	t := reflect.TypeOf(x)
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().PkgPath() != "log" && t.Elem().PkgPath() != "log/slog" {
		return false
	}
	name := t.Elem().PkgPath() + "." + t.Elem().Name()
	_, locked := lockedTypes[name]
	return locked || stateless[name]
}

// orders reports whether a value, or one behind it, may order something. It is found in a
// value of the package within, "" for operands. Values of types that leave it to their
// callers that one goroutine at a time uses them are used, unless they are operands, which
// are looked at where they stand.
func (w *operandWalk) orders(v reflect.Value, within string) bool {
	if w.left--; w.left < 0 {
		return true
	}
	if !v.IsValid() {
		return false
	}
	t := v.Type()
	switch v.Kind() {
	case reflect.Interface:
		return !v.IsNil() && w.orders(v.Elem(), within)
	case reflect.Pointer:
		return !v.IsNil() && w.ordersAt(v, within)
	case reflect.Struct:
		return w.ordersIn(v, within, plainData(t))
	}
	if t.Name() != "" && isInstrumented(t.PkgPath()) {
		return false
	}
	switch v.Kind() {
	case reflect.Func:
		if v.IsNil() || !foreignCode(v.Pointer()) {
			return false
		}
		f := runtime.FuncForPC(v.Pointer())
		if f == nil {
			return true
		}
		_, known := stateless[f.Name()]
		return !known && packageOf(f.Name()) != within
	case reflect.Slice, reflect.Array:
		if plainData(t.Elem()) {
			return false
		}
		for i := range v.Len() {
			if w.orders(v.Index(i), within) {
				return true
			}
		}
		return false
	}
	return !plainData(t)
}

// ordersAt is orders for a pointer.
func (w *operandWalk) ordersAt(v reflect.Value, within string) bool {
	p := v.UnsafePointer()
	if p == unsafe.Pointer(os.Stdout) || p == unsafe.Pointer(os.Stderr) || slices.Contains(w.seen, p) {
		return false
	}
	w.seen = append(w.seen, p)
	if within != "" && !w.looks && isUnlocked(v.Type()) && w.run != nil {
		if w.inside > 0 {
			w.kept = append(w.kept, keptUse{p, v.Type().Elem()})
		} else {
			w.run.use(w.at, p, v.Type().Elem(), true)
		}
	}
	if e := v.Elem(); e.Kind() == reflect.Struct {
		return w.ordersIn(e, within, false) // others may have the pointer, too
	}
	return w.orders(v.Elem(), within)
}

// ordersIn is orders for a struct; what is said of one that is of another library is given.
func (w *operandWalk) ordersIn(v reflect.Value, within string, harmless bool) bool {
	t := v.Type()
	path := t.PkgPath()
	forwards, known := stateless[path+"."+t.Name()]
	switch locked, ok := lockedTypes[path+"."+t.Name()]; {
	case ok:
		return w.ordersUnder(v, locked.lock)
	case known && !forwards, path == "context", path == "sync/atomic" && w.inside > 0: // a setting of a logger
		return false
	case t.Name() != "" && isInstrumented(path):
		// It has the methods of what it embeds, unless it has some of its own, which show
		// what they use. Locks are seen.
		only := w.looks
		w.looks = true
		defer func() { w.looks = only }()
		for i := range t.NumField() {
			if f := t.Field(i); f.Anonymous && f.Type.PkgPath() != "sync" && !ownHandler(t, f.Type) && w.orders(v.Field(i), path) {
				return true
			}
		}
		return false
	case known, t.Name() == "", path == within, w.run != nil && isUnlocked(reflect.PointerTo(t)):
		for i := range t.NumField() {
			if w.orders(v.Field(i), cmp.Or(path, within)) {
				return true
			}
		}
		return false
	}
	return !harmless
}

// ownHandler: a struct of the program embeds a handler of loggers, but handles records by a method of its own. Others of a
// handler take no lock.
func ownHandler(t, embedded reflect.Type) bool {
	if m, ok := embedded.MethodByName("Handle"); !ok || m.Type.NumOut() != 1 {
		return false
	}
	return known(handlerKey{t}, func() bool {
		for _, t := range []reflect.Type{t, reflect.PointerTo(t)} {
			if m, ok := t.MethodByName("Handle"); ok && !isGenerated(m) {
				return true
			}
		}
		return false
	})
}

// handlerKey tells what is known of a type here from what is known elsewhere.
type handlerKey struct{ t reflect.Type }

// ordersUnder is orders for a struct that forwards to what is in it under a lock, which a field is or points to.
func (w *operandWalk) ordersUnder(v reflect.Value, lock string) bool {
	f := v.FieldByName(lock)
	switch {
	case w.looks, !f.IsValid(): // a method of the program may be called, which does not have the lock
		return true
	case f.Kind() == reflect.Pointer:
		f = f.Elem()
	}
	if !f.CanAddr() || f.Type() != reflect.TypeFor[sync.Mutex]() {
		return true
	}
	w.locks = append(w.locks, syncKey{p: f.Addr().UnsafePointer()})
	w.inside++
	defer func() { w.inside-- }()
	for i := range v.NumField() {
		if v.Type().Field(i).Name != lock && w.orders(v.Field(i), v.Type().PkgPath()) {
			return true
		}
	}
	return false
}

// plainData: values of the type hold nothing by which goroutines are ordered, and refer to
// nothing that has methods.
func plainData(t reflect.Type) bool {
	switch t.PkgPath() {
	case "sync", "sync/atomic", "internal/sync":
		return false
	}
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Pointer, reflect.UnsafePointer:
		return false
	case reflect.Array, reflect.Slice:
		return plainData(t.Elem())
	case reflect.Map:
		return plainData(t.Key()) && plainData(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !plainData(t.Field(i).Type) {
				return false
			}
		}
	}
	return true
}
