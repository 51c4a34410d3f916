//go:build go1.25

package orcruntime

import (
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// Place is the number of a place in the program that reads or writes memory
// which goroutines may share. It is no guard.
type Place int

// PlaceInfo describes an access.
type PlaceInfo struct {
	ID   int
	Site int    // of the statement around it
	File string // for display
	Line int
	Text string // the expression
}

// RegisterPackage says that the code of a package is instrumented. Generated code calls it.
func RegisterPackage(pkg string) {
	instrumented.Lock()
	defer instrumented.Unlock()
	if instrumented.packages == nil {
		instrumented.packages = make(map[string]bool)
	}
	instrumented.packages[pkg] = true
}

// RegisterPlaces adds the accesses of a package and has every run look for
// data races. Generated code calls it.
func RegisterPlaces(accesses []PlaceInfo) {
	program.Lock()
	if program.accesses == nil {
		program.accesses = make(map[Place]PlaceInfo, len(accesses))
	}
	for _, a := range accesses {
		program.accesses[Place(a.ID)] = a
	}
	if recordings.on.Load() {
		registerStatements(accesses)
	}
	program.Unlock()
}

// looksForRaces: the program's accesses to memory are instrumented.
func looksForRaces() bool {
	program.RLock()
	defer program.RUnlock()
	return program.accesses != nil
}

// placeAt is the place of an operation that has a guard.
func placeAt(s Site) Place { return -Place(s) }

func (a Place) info() PlaceInfo {
	if a < 0 {
		s := Site(-a).info()
		return PlaceInfo{ID: int(a), Site: int(-a), File: s.File, Line: s.Line, Text: s.Text}
	}
	program.RLock()
	defer program.RUnlock()
	i, ok := program.accesses[a]
	if !ok {
		return PlaceInfo{ID: int(a), Site: int(a)}
	}
	return i
}

// Race is a data race: two accesses to the same memory, one of them a write,
// with nothing that orders them.
type Race struct {
	First, Second RaceAccess // in the order in which the run did them
}

// RaceAccess is one side of a race.
type RaceAccess struct {
	G      string
	Op     string // "read", "write", "atomic read", "map write" and so on; of channels "send" and "close"
	What   string // the expression
	Site   string // key of the statement
	Source string // "file:line"
	// Wide: it is of more than a machine word, as that of a string or a slice, and not done at
	// once.
	Wide bool `json:",omitempty"`
	// Updates: it reads what is there first, as x++ does.
	Updates bool `json:",omitempty"`
	// Apart: between the guard of the statement and the access is another guard, so that they are
	// not one step.
	Apart bool `json:",omitempty"`
	Stack []string
}

// String is the access in words.
func (a RaceAccess) String() string {
	text := a.Op
	if a.What != "" {
		text += " of " + a.What
	}
	if a.Source != "" {
		text += " at " + a.Source
	}
	return text + " by goroutine " + a.G
}

// String is the race on one line. What the Go runtime says of maps comes first.
func (r Race) String() string {
	name := ""
	switch {
	case r.First.Op == "map write" && r.Second.Op == "map write":
		name = "concurrent map writes: "
	case r.First.Op == "map write" || r.Second.Op == "map write":
		name = "concurrent map read and map write: "
	}
	return name + r.Second.String() + ", with nothing after " + r.First.String() + " to order them"
}

// looksForAccesses reports whether anybody looks at accesses to memory now.
func looksForAccesses() bool {
	if s := active.Load(); s != nil {
		return s.races != nil
	}
	return recordings.on.Load()
}

// accessed records an access to size bytes of memory, in a run that looks for data races, and where what a program does is
// recorded.
func accessed(at Place, p unsafe.Pointer, size uintptr, kind accessKind) {
	if s := active.Load(); s != nil {
		if s.races != nil {
			s.touch(at, p, size, kind)
			s.recordAccess(at, p, size, kind)
		}
	} else if recordings.on.Load() {
		recordAccess(ownRecorder(), at, p, size, kind)
	}
}

// Rd records that *p is read, and returns p.
func Rd[T any](at Place, p *T) *T {
	accessed(at, unsafe.Pointer(p), unsafe.Sizeof(*p), 0)
	return p
}

// Wr records that *p has been written.
func Wr[T any](at Place, p *T) {
	accessed(at, unsafe.Pointer(p), unsafe.Sizeof(*p), writes)
}

// Up records that *p has been updated: what was there was read, and then written.
func Up[T any](at Place, p *T) {
	accessed(at, unsafe.Pointer(p), unsafe.Sizeof(*p), writes|updates)
}

// Embedded records the reads of embedded pointers of *p, to which the indices of fields
// lead one after the other, and returns p.
func Embedded[T any](at Place, p *T, path ...int) *T {
	s := active.Load()
	if s == nil || s.races == nil || p == nil {
		return p
	}
	v := reflect.ValueOf(p)
	for _, i := range path {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return p // what follows panics
			}
			v = v.Elem()
		}
		if v = v.Field(i); v.Kind() == reflect.Pointer {
			s.touch(at, v.Addr().UnsafePointer(), v.Type().Size(), 0)
		}
	}
	return p
}

// RdMap records that the map m is read, and returns it.
func RdMap[M any](at Place, m M) M {
	accessed(at, *(*unsafe.Pointer)(unsafe.Pointer(&m)), 1, ofMap)
	return m
}

// WrMap records that the map m is written, and returns it.
func WrMap[M any](at Place, m M) M {
	accessed(at, *(*unsafe.Pointer)(unsafe.Pointer(&m)), 1, ofMap|writes)
	return m
}

// ThenWrMap records that the map m is written, and returns v, which is evaluated last
// before that.
func ThenWrMap[M, T any](at Place, m M, v T) T {
	WrMap(at, m)
	return v
}

// WrSlice records that all elements of s are written, and returns s.
func WrSlice[S ~[]E, E any](at Place, s S) S {
	elements(at, []E(s), writes)
	return s
}

// RdSlice records that all elements of s are read, and returns s.
func RdSlice[S ~[]E, E any](at Place, s S) S {
	elements(at, []E(s), 0)
	return s
}

// Set records that *p is written by a function that is given p, and returns p.
func Set[T any](at Place, p *T) *T {
	if p != nil {
		Wr(at, p)
	}
	return p
}

// Append is the builtin append to s. What is appended is given to the function that it
// returns, so that it does not take part in finding out E.
func Append[S ~[]E, E any](at Place, s S) func(...E) S {
	return func(v ...E) S {
		appends(at, []E(s), len(v))
		return append(s, v...)
	}
}

// AppendTo is Append to a variable, which is read when what is appended has been evaluated, as compiled programs do.
func AppendTo[S ~[]E, E any](at Place, s *S) func(...E) S {
	return func(v ...E) S { return Append(at, *s)(v...) }
}

// ReadLater is where a variable is that is read behind the calls that follow: recorded is what was recorded of it, or of
// what it refers to, before them.
func ReadLater[T, R any](v *T, recorded R) *T { return v }

// AppendString is the builtin append of a string.
func AppendString[S ~[]byte, T ~string](at Place, s S, v T) S {
	appends(at, []byte(s), len(v))
	return append(s, v...)
}

// appends records what appending n elements to s does to the array behind it.
func appends[E any](at Place, s []E, n int) {
	if len(s)+n <= cap(s) {
		elements(at, s[len(s):len(s)+n], writes)
	} else {
		elements(at, s, 0)
	}
}

// RdElements is RdSlice for a value that is a slice, perhaps.
func RdElements[T any](at Place, v T) T {
	if looksForAccesses() {
		if x := reflect.ValueOf(v); x.Kind() == reflect.Slice && x.Len() > 0 {
			accessed(at, x.UnsafePointer(), uintptr(x.Len())*x.Type().Elem().Size(), 0)
		}
	}
	return v
}

// RdDynamic records that what v points to is read, if the method that is called next takes a
// copy of it. It returns v.
func RdDynamic[T any](at Place, v T, method string) T {
	s := active.Load()
	if s == nil || s.races == nil {
		return v
	}
	t := reflect.TypeOf(v)
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Name() == "" || !takesCopy(t, method) {
		return v
	}
	if x := reflect.ValueOf(v); !x.IsNil() {
		s.touch(at, x.UnsafePointer(), t.Elem().Size(), 0)
	}
	return v
}

// RegisterValueMethods names the methods of types of a package, as in "Type.Method", that
// take copies of their receivers. Generated code calls it.
func RegisterValueMethods(pkg string, methods ...string) {
	instrumented.Lock()
	defer instrumented.Unlock()
	if instrumented.valueMethods == nil {
		instrumented.valueMethods = make(map[string]bool)
	}
	for _, m := range methods {
		instrumented.valueMethods[pkg+"."+m] = true
	}
}

// copyKey tells what is known of a type here from what is known elsewhere.
type copyKey struct {
	t      reflect.Type
	method string
}

// takesCopy: a method of what t points to takes a copy of it.
func takesCopy(t reflect.Type, method string) bool {
	return known(copyKey{t, method}, func() bool {
		name, _, _ := strings.Cut(t.Elem().Name(), "[") // behind it are the arguments of its type parameters
		instrumented.RLock()
		defer instrumented.RUnlock()
		return instrumented.valueMethods[t.Elem().PkgPath()+"."+name+"."+method]
	})
}

// Returned records that a result of a function is read when it returns, if it does so by a
// statement that names none.
func Returned[T any](returns *bool, at Place, p *T) {
	if *returns {
		Rd(at, p)
	}
}

// Copy is the builtin copy of slices.
func Copy[E any](at Place, dst, src []E) int {
	n := min(len(dst), len(src))
	elements(at, src[:n], 0)
	elements(at, dst[:n], writes)
	return copy(dst, src)
}

// CopyString is the builtin copy of a string.
func CopyString[S ~string](at Place, dst []byte, src S) int {
	elements(at, dst[:min(len(dst), len(src))], writes)
	return copy(dst, src)
}

// Use records that a method of a library, which is not instrumented, uses *p and
// perhaps changes it. It returns p.
func Use[T any](at Place, p *T, changes bool) *T {
	if s := active.Load(); s != nil && s.races != nil && p != nil {
		s.use(at, unsafe.Pointer(p), reflect.TypeFor[T](), changes)
	}
	return p
}

// use records that a library uses a value of a type.
func (s *run) use(at Place, p unsafe.Pointer, t reflect.Type, changes bool) {
	if s.dying.Load() {
		return
	}
	kind := accessKind(0)
	if changes {
		kind = writes
	}
	if g := s.caller(); g != nil {
		s.races.use(g, at, p, kind)
		slicesIn(p, t, func(p unsafe.Pointer, size, _ uintptr) { // it reads them, perhaps
			if size > 0 {
				s.races.access(g, at, p, size, perhaps)
			}
		})
		if changes {
			s.races.lend(g, at, p, t)
		}
	}
}

// LengthRead records that a method of a library reads the length of the first slice in *p, which is a struct. It returns p.
func LengthRead[T any](at Place, p *T) *T {
	s := active.Load()
	if s == nil || s.races == nil || p == nil || s.dying.Load() {
		return p
	}
	t := reflect.TypeFor[T]()
	for i := range t.NumField() {
		if f := t.Field(i); f.Type.Kind() == reflect.Slice {
			if g := s.caller(); g != nil {
				const length = unsafe.Sizeof(uintptr(0)) // behind the pointer to the array
				if found := s.races.access(g, at, unsafe.Add(unsafe.Pointer(p), f.Offset+length), wordSize, lent); found != nil {
					s.raced(*found)
				}
			}
			break
		}
	}
	return p
}

// Recorded is a, an operand of a call that may wait: what the call uses is recorded behind it.
func Recorded[A, U any](a A, _ U) A { return a }

// UseKept is Use for a value of a type of which libraries keep pointers: what they do with
// *p, in calls of other goroutines, may come before and after. The use is a step of its own.
func UseKept[T any](at Place, p *T, changes bool) *T {
	if g := callerOfLibrary().g; g != nil && p != nil && g.run.races != nil {
		begun := g.callAt == g.clock.at(g.index)
		if g.stopToCall(Site(at.info().Site)) {
			g.run.exec.uses(at)
		}
		if begun { // what others do meanwhile does not come before this use
			g.callAt = g.clock.at(g.index)
		}
		g.run.exec.calls(g)
	}
	return Use(at, p, changes)
}

// RegisterUnlocked names the types of libraries, by package and name, whose methods leave it
// to their callers that one goroutine at a time uses a value. Generated code calls it.
func RegisterUnlocked(names ...string) {
	instrumented.Lock()
	defer instrumented.Unlock()
	if instrumented.unlocked == nil {
		instrumented.unlocked = make(map[string]bool)
	}
	for _, n := range names {
		instrumented.unlocked[n] = true
	}
}

// unlockedInside are types of the standard library that leave it to their callers, too, and that
// programs have in interfaces alone: these packages do not export them.
var unlockedInside = map[string]bool{
	"crypto/internal/fips140/hmac.HMAC": true, "crypto/internal/fips140/sha256.Digest": true, "crypto/internal/fips140/sha512.Digest": true,
	"compress/bzip2.reader": true, "compress/flate.decompressor": true, "compress/zlib.reader": true,
	"crypto/cipher.cfb": true, "crypto/cipher.ofb": true, "crypto/internal/fips140/aes.CBCDecrypter": true, "crypto/internal/fips140/aes.CBCEncrypter": true,
	"encoding/base32.decoder": true, "encoding/base32.encoder": true, "encoding/base64.decoder": true, "encoding/base64.encoder": true,
	"encoding/hex.decoder": true, "encoding/hex.dumper": true, "encoding/hex.encoder": true,
	"crypto/md5.digest": true, "crypto/sha1.digest": true, "crypto/sha3.SHA3": true, "hash/adler32.digest": true, "hash/crc32.digest": true,
	"hash/crc64.digest": true, "hash/fnv.sum128": true, "hash/fnv.sum128a": true, "hash/fnv.sum32": true, "hash/fnv.sum32a": true,
	"hash/fnv.sum64": true, "hash/fnv.sum64a": true, "math/rand.rngSource": true,
}

// isUnlocked: a pointer to a type that RegisterUnlocked has named, or to one of unlockedInside.
func isUnlocked(t reflect.Type) bool {
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Name() == "" {
		return false
	}
	return known(unlockedKey{t}, func() bool {
		instrumented.RLock()
		defer instrumented.RUnlock()
		name := t.Elem().PkgPath() + "." + t.Elem().Name()
		return unlockedInside[name] || instrumented.unlocked[name]
	})
}

// unlockedKey tells what is known of a type here from whether it is foreign.
type unlockedKey struct{ t reflect.Type }

// UseValue is Use for what is in an interface, if that is a pointer to a value of such a
// type.
func UseValue[T any](at Place, v T, changes bool) T {
	s := active.Load()
	if s == nil || s.races == nil {
		return v
	}
	if t := reflect.TypeOf(v); isUnlocked(t) {
		if p := reflect.ValueOf(v).UnsafePointer(); p != nil {
			s.use(at, p, t.Elem(), changes)
		}
	}
	return v
}

// Given records what a function that is not instrumented may do with v, which it is given:
// read or, if it changes it, write the elements of a slice, a map, or what a pointer points
// to, unless that has methods that do it. It returns v.
func Given[T any](at Place, v T, changes bool) T {
	s := active.Load()
	if s == nil || s.races == nil {
		return v
	}
	kind := perhaps
	if changes {
		kind |= writes
	}
	switch x := reflect.ValueOf(v); x.Kind() {
	case reflect.Map:
		if !x.IsNil() {
			s.touch(at, x.UnsafePointer(), 1, ofMap|kind)
		}
	case reflect.Slice:
		size := x.Type().Elem().Size()
		if x.Len() > 0 {
			s.touch(at, x.UnsafePointer(), uintptr(x.Len())*size, kind)
		}
		if g := s.caller(); g != nil && !s.dying.Load() {
			s.races.lendSlice(g, at, x.UnsafePointer(), uintptr(x.Cap())*size)
		}
	case reflect.Pointer:
		switch {
		case x.IsNil():
		case isUnlocked(x.Type()):
			s.use(at, x.UnsafePointer(), x.Type().Elem(), true)
		case changes || !shows(v):
			s.touch(at, x.UnsafePointer(), x.Type().Elem().Size(), kind)
		}
		if in := x.Elem(); in.IsValid() && in.Kind() == reflect.Slice && in.Len() > 0 {
			s.touch(at, in.UnsafePointer(), uintptr(in.Len())*in.Type().Elem().Size(), perhaps)
		}
	}
	return v
}

// GivenBehind records that a function that is not instrumented reads all that is behind v, as
// those of package encoding/json do by reflection: what exported fields, elements and keys refer
// to, but for values that have methods which show what they read. It returns v.
func GivenBehind[T any](at Place, v T) T {
	readBehind(readWalk{at: at}, v, 0)
	return v
}

// GivenPrinted is GivenBehind for functions that print as those of package fmt do: with the fields that are not
// exported, and of the pointers only what v itself points to, since of others they print the address. With each,
// v is a slice of what is printed.
func GivenPrinted[T any](at Place, v T, each bool) T {
	depth := 0
	if each {
		depth = -2 // of the slice, whose elements are interfaces
	}
	readBehind(readWalk{at: at, unexported: true, addresses: true}, v, depth)
	return v
}

// GivenCompared is GivenBehind for reflect.DeepEqual, which reads all fields and calls no methods.
func GivenCompared[T any](at Place, v T) T {
	readBehind(readWalk{at: at, unexported: true, raw: true}, v, 0)
	return v
}

// GivenFields records that a method of a library, which is called of p, may read the exported fields of it. It returns p.
func GivenFields[T any](at Place, p *T) *T {
	s := active.Load()
	if s == nil || s.races == nil || p == nil {
		return p
	}
	if v := reflect.ValueOf(p).Elem(); v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				s.touch(at, v.Field(i).Addr().UnsafePointer(), v.Field(i).Type().Size(), perhaps)
			}
		}
	}
	return p
}

// GivenReceiver records that a method of a library, which is called of p, may read the value that p points to, and the
// elements of the slices in it. What it writes there shows when it has been called: see librarywrite.go. It returns p.
func GivenReceiver[T any](at Place, p *T) *T {
	s := active.Load()
	if s == nil || s.races == nil || p == nil || s.dying.Load() {
		return p
	}
	t := reflect.TypeFor[T]()
	s.touch(at, unsafe.Pointer(p), t.Size(), perhaps)
	slicesIn(unsafe.Pointer(p), t, func(p unsafe.Pointer, size, _ uintptr) {
		if size > 0 {
			s.touch(at, p, size, perhaps)
		}
	})
	if g := s.caller(); g != nil {
		s.races.lend(g, at, unsafe.Pointer(p), t)
	}
	return p
}

func readBehind[T any](w readWalk, v T, depth int) {
	if s := active.Load(); s != nil && s.races != nil && !s.dying.Load() {
		w.s, w.left = s, maxOperandWalk
		w.read(reflect.ValueOf(v), depth)
	}
}

// readWalk records reads of what is behind a value. They are only perhaps done: what a function does not come to,
// since it stops at a difference or has nothing to print, leaves a result open that would not have to be.
type readWalk struct {
	s          *run
	at         Place
	left       int // values
	seen       []unsafe.Pointer
	unexported bool // fields that are not exported are read
	addresses  bool // pointers are not followed, but for the first one
	raw        bool // methods are not called
}

func (w *readWalk) read(v reflect.Value, depth int) {
	if w.left--; w.left < 0 || !v.IsValid() || !w.raw && v.Kind() != reflect.Interface && v.CanInterface() && shows(v.Interface()) {
		return
	}
	switch v.Kind() {
	case reflect.Interface:
		w.read(v.Elem(), depth+1)
	case reflect.Pointer:
		p := v.UnsafePointer()
		if p == nil || slices.Contains(w.seen, p) || isUnlocked(v.Type()) || w.addresses && (depth > 0 || !prints(v.Type().Elem())) {
			return
		}
		w.seen = append(w.seen, p)
		if v.Elem().Kind() != reflect.Struct {
			w.s.touch(w.at, p, v.Type().Elem().Size(), perhaps)
		}
		w.read(v.Elem(), depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() && !f.Anonymous && !w.unexported {
				continue
			}
			if x := v.Field(i); x.CanAddr() {
				w.s.touch(w.at, x.Addr().UnsafePointer(), x.Type().Size(), perhaps)
			}
			w.read(v.Field(i), depth+1)
		}
	case reflect.Slice:
		if v.Len() > 0 {
			w.s.touch(w.at, v.UnsafePointer(), uintptr(v.Len())*v.Type().Elem().Size(), perhaps)
		}
		w.elements(v, depth)
	case reflect.Array:
		w.elements(v, depth)
	case reflect.Map:
		if v.IsNil() {
			return
		}
		w.s.touch(w.at, v.UnsafePointer(), 1, ofMap|perhaps)
		if refersToNothing(v.Type().Elem()) && refersToNothing(v.Type().Key()) {
			return
		}
		for r := v.MapRange(); r.Next(); {
			w.read(r.Key(), depth+1)
			w.read(r.Value(), depth+1)
		}
	}
}

func (w *readWalk) elements(v reflect.Value, depth int) {
	if refersToNothing(v.Type().Elem()) {
		return
	}
	for i := range v.Len() {
		w.read(v.Index(i), depth+1)
	}
}

// prints: package fmt prints what a pointer to a value of the type points to.
func prints(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array, reflect.Slice, reflect.Struct, reflect.Map:
		return true
	}
	return false
}

// refersToNothing: a value of the type is all in itself. A text does not change.
func refersToNothing(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return refersToNothing(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !refersToNothing(t.Field(i).Type) {
				return false
			}
		}
		return true
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice, reflect.UnsafePointer:
		return false
	}
	return true
}

// shows: a value has a method by which libraries learn what is in it.
func shows(v any) bool {
	switch v.(type) {
	case error, interface{ String() string }, interface{ MarshalJSON() ([]byte, error) }, interface{ MarshalText() ([]byte, error) }:
		return true
	}
	return false
}

// elements records an access to all elements of s.
func elements[E any](at Place, s []E, kind accessKind) {
	if len(s) > 0 {
		accessed(at, unsafe.Pointer(unsafe.SliceData(s)), uintptr(len(s))*unsafe.Sizeof(s[0]), kind)
	}
}

// SliceRange is a range over a slice whose elements are read.
type SliceRange[E any] struct {
	s []E
	i int
	K int
	V E
}

// RangeSlice prepares a range over s.
func RangeSlice[E any](s []E) *SliceRange[E] { return &SliceRange[E]{s: s} }

// Next goes to the next element; it reports whether there is one.
func (r *SliceRange[E]) Next(at Place) bool {
	if r.i >= len(r.s) {
		return false
	}
	r.K, r.V = r.i, *Rd(at, &r.s[r.i])
	r.i++
	return true
}

// touch records an access by the calling goroutine.
func (s *run) touch(at Place, p unsafe.Pointer, size uintptr, kind accessKind) {
	if p == nil || size == 0 || s.dying.Load() {
		return
	}
	g := s.caller()
	if g == nil {
		return
	}
	if f := s.races.access(g, at, p, size, kind); f != nil {
		s.raced(*f)
	}
}

// uses records that g sends on a channel, or closes it, which it has begun at a clock of its own, as Go's race detector
// does: nobody is to close a channel while others may send.
func (s *run) uses(g *goroutine, site Site, p unsafe.Pointer, kind accessKind, begun uint32) {
	if s.races == nil || p == nil || s.dying.Load() {
		return
	}
	s.races.mu.Lock()
	f := s.races.accessFrom(g, placeAt(site), p, 1, kind|ofChannel, -1, begun)
	s.races.mu.Unlock()
	if f != nil {
		s.raced(*f)
	}
}

// raced ends the run if it was to show this race.
func (s *run) raced(f foundRace) {
	if s.cfg.Plan.Expect.Kind != KindRace {
		return
	}
	if race := s.races.race(f); race.is(s.cfg.Plan.Expect.Goroutines) {
		s.end(race.outcome())
	}
}

// is: the goroutines and sites are those of the accesses.
func (r Race) is(want []At) bool {
	fits := func(a RaceAccess, at At) bool { return a.G == at.G && (at.Site == "" || at.Site == a.Site) }
	switch len(want) {
	case 0:
		return true
	case 2:
		return fits(r.First, want[0]) && fits(r.Second, want[1]) || fits(r.First, want[1]) && fits(r.Second, want[0])
	}
	return false
}

// outcome is the race as the end of a program.
func (r Race) outcome() Outcome {
	return Outcome{Kind: KindRace, Message: r.String(), G: r.Second.G, Site: r.Second.Site, Stack: r.Second.Stack}
}

// race describes a race.
func (r *races) race(f foundRace) Race {
	return Race{r.side(f.first), r.side(f.second)}
}

func (r *races) side(a record) RaceAccess {
	info := a.at.info()
	op := "read"
	if a.kind&writes != 0 {
		op = "write"
	}
	switch {
	case a.kind&atomicOne != 0:
		op = "atomic " + op
	case a.kind&ofMap != 0:
		op = "map " + op
	case a.kind&ofChannel != 0:
		if op, info.Text = "send", ""; a.kind&writes != 0 {
			op = "close"
		}
	}
	out := RaceAccess{G: r.paths[a.g], Op: op, What: info.Text, Site: Site(info.Site).key(), Wide: a.kind&wide != 0, Updates: a.kind&updates != 0, Apart: a.apart()}
	if info.File != "" {
		out.Source = info.File + ":" + strconv.Itoa(info.Line)
	}
	if a.stack > 0 {
		frames := runtime.CallersFrames(r.stacks[a.stack-1])
		for {
			f, more := frames.Next()
			if f.Function != "" && !internalFrame(f) {
				out.Stack = append(out.Stack, frameText(f))
			}
			if !more {
				break
			}
		}
	}
	return out
}

// list are the races found, in the order in which they were.
func (r *races) list() []Race {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Race
	for _, f := range r.found {
		out = append(out, r.race(f))
	}
	return out
}

// unordered are the uses of which it is not known whether they race.
func (r *races) unordered() (out []Race) {
	if r == nil {
		return nil
	}
	for _, f := range r.unseen {
		if !r.seen[placesOf(f.first, f.second)] {
			out = addRace(out, r.race(f))
		}
	}
	return out
}

// stack numbers the stack of the calling goroutine, if stacks are kept.
func (r *races) stack() int32 {
	if !r.keepStacks {
		return 0
	}
	var pcs [maxFrames]uintptr
	n := runtime.Callers(4, pcs[:])
	id, ok := r.stackIDs[pcs]
	if !ok {
		if r.stackIDs == nil {
			r.stackIDs = make(map[[maxFrames]uintptr]int32)
		}
		kept := append([]uintptr(nil), pcs[:n]...)
		r.stacks = append(r.stacks, kept)
		id = int32(len(r.stacks))
		r.stackIDs[pcs] = id
	}
	return id
}

// limits say what was not looked at.
func (r *races) limits() (out []string) {
	if r == nil {
		return nil
	}
	if r.off != "" {
		out = append(out, "data races were looked for only until: "+r.off)
	}
	seen := map[string]bool{}
	for _, f := range r.unseen {
		if r.seen[placesOf(f.first, f.second)] {
			continue // they do race
		}
		a, b := f.first.at.info(), f.second.at.info()
		if b.File < a.File || b.File == a.File && b.Line < a.Line {
			a, b = b, a
		}
		at := func(i PlaceInfo) string { return i.Text + " at " + i.File + ":" + strconv.Itoa(i.Line) }
		text := "nothing orders the uses of " + at(a) + " and " + at(b) + ": whether the library's accesses race is not seen"
		if f.first.kind&f.second.kind&inCallback != 0 {
			text = "libraries call functions with " + at(a) + " and " + at(b)
			if at(a) == at(b) {
				text = "a library calls a function with " + at(a) + " from several goroutines"
			}
			text += ": whether one after the other is not known, and so not whether it races"
		}
		if !seen[text] {
			seen[text] = true
			out = append(out, text)
		}
	}
	for _, name := range r.finalizers {
		out = append(out, "runs never call the finalizer or cleanup "+name+": whether what it does races is not seen")
	}
	if r.cut {
		out = append(out, "of accesses to more than "+strconv.Itoa(maxAccess)+" bytes only "+strconv.Itoa(maxLarge)+" at one time were looked at for races")
	}
	return out
}

// Places tells races apart: by the two places, whatever their order.
func (r Race) Places() string {
	a, b := r.First.place(), r.Second.place()
	return min(a, b) + "\n" + max(a, b)
}

func (a RaceAccess) place() string { return a.Op + " " + a.Source + " " + a.What + " " + a.Site }

// Report is the race on several lines, with the stacks.
func (r Race) Report() string {
	var b strings.Builder
	b.WriteString(KindRace + ": " + r.String() + "\n")
	for _, a := range []RaceAccess{r.First, r.Second} {
		b.WriteString("\t" + a.String() + "\n")
		for _, line := range a.Stack {
			b.WriteString("\t\t" + line + "\n")
		}
	}
	return b.String()
}
