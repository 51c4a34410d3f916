package sites

import (
	"iter"
	"strings"
)

// Kinds goes over all kinds but Invalid.
func Kinds() iter.Seq[Kind] {
	return func(yield func(Kind) bool) {
		for k := Invalid + 1; k < numKinds; k++ {
			if !yield(k) {
				return
			}
		}
	}
}

// row is that of the kind in the table of operations.
func (k Kind) row() *operation {
	if k < numKinds {
		return &operations[k]
	}
	return &operations[Invalid]
}

// String is a short word that never changes: "send", "lock", "statement".
func (k Kind) String() string { return k.row().word }

// Named is the kind that a word is the name of, Invalid if there is none.
func Named(word string) Kind { return byWord[word] }

var byWord = func() map[string]Kind {
	m := map[string]Kind{}
	for k := range Kinds() {
		m[k.String()] = k
	}
	return m
}()

// Spoken is what operations of the kind are called in reports: "lock for reading".
func (k Kind) Spoken() string {
	if s := k.row().spoken; s != "" {
		return s
	}
	return k.String()
}

// RunWord is what the runtime calls what a goroutine does that stands at a site of the kind, as "read lock": so do
// results of runs, and findings of their goroutines.
func (k Kind) RunWord() string { return k.row().runWord }

// Objects are the kinds of objects that an operation can work on, the one that a goroutine waits for first.
func (k Kind) Objects() []Object { return k.row().objects }

// Object is what a goroutine works on, or waits for, at an operation: the first of Objects.
func (k Kind) Object() Object {
	if o := k.Objects(); len(o) > 0 {
		return o[0]
	}
	return NoObject
}

// Waits says where a goroutine may have to wait for others.
func (k Kind) Waits() Waiting { return k.row().waits }

// HoldsUp reports that a goroutine that is stuck at an operation of the kind holds up an object that others share: a
// lock, a wait group or a Once. It is an error also where main returns.
func (k Kind) HoldsUp() bool {
	if k.Waits() == Never {
		return false
	}
	switch k.Object() {
	case Mutex, RWMutex, WaitGroup, Once:
		return true
	}
	return false
}

// Starts says who starts a goroutine at a site of the kind.
func (k Kind) Starts() Starting { return k.row().starts }

// StartsGoroutine reports whether who passes the guard of a site of the kind starts a goroutine.
func (k Kind) StartsGoroutine() bool { return k.Starts() == ByGuard }

// Method is the method of package sync that does the operation, as in "s.mu.Lock()": the first, if several types have
// it. Its Kind is Invalid if there is none.
func (k Kind) Method() LibraryFunc {
	for _, f := range libraryFuncs {
		if f.Kind == k && f.Package == "sync" && f.Receiver != "" {
			return f
		}
	}
	return LibraryFunc{}
}

// IsOp reports whether the site always is a guard: an operation, a start or the end,
// and not an access to memory that goroutines may share.
func (s Site) IsOp() bool { return s.Kind != Invalid && !s.Kind.IsAccess() }

// IsAccess reports whether a site of the kind touches memory, and is a guard of the
// model only where goroutines share it.
func (k Kind) IsAccess() bool { return k == Stmt || k == Store || k == Atomic }

// PackageOf is the path of the package of a function, by its full name.
func PackageOf(fn string) string {
	slash := strings.LastIndexByte(fn, '/') + 1
	name, _, _ := strings.Cut(fn[slash:], ".")
	return fn[:slash] + name
}
