package sites

import (
	"go/types"
	"iter"
	"slices"
	"strings"
)

// Kind is what a program point does.
type Kind uint8

// The kinds. All but Stmt, Store and Atomic are operations that always have a guard;
// every operation and every statement of a function body has a site.
const (
	Invalid Kind = iota
	Send
	Recv
	Range // one receive of a range over a channel
	Select
	Close
	Go    // go statement
	Start // first guard of the goroutine that a Go, WaitGroupGo, Callback or Subtest site starts; derived, see Index.Start
	Lock
	Unlock
	TryLock
	RLock
	RUnlock
	TryRLock
	WaitGroupAdd
	WaitGroupDone
	WaitGroupWait
	WaitGroupGo
	OnceDo
	CondWait
	CondSignal
	CondBroadcast
	Panic // call of the builtin
	Exit  // os.Exit, log.Fatal*, runtime.Goexit, t.Fatal and the like
	Sleep // time.Sleep
	End   // return of the entry function
	Stmt  // a statement: may be guarded as a line or as an access to shared memory
	// Callback is a function handed to time.AfterFunc or context.AfterFunc. The
	// handing over is no guard; the library starts a goroutine for it.
	Callback
	// OnceFunc is a call of sync.OnceFunc, OnceValue or OnceValues: the guard
	// that every call of the function which it returns passes.
	OnceFunc
	Settle // synctest.Wait
	// Store is the write of a statement that reads memory first, as n++ does:
	// what it writes has been computed.
	Store
	// Subtest is a call of t.Run whose function may come to t.Parallel: it starts
	// a goroutine, and waits until that has ended or comes to t.Parallel.
	Subtest
	Parallel // call of t.Parallel, in a program with Subtest sites
	// Join is where a test function that has returned waits for its parallel
	// subtests: that of the entry, or, derived, of a Subtest site; see Index.Join.
	Join
	// Atomic is a call of a function or method of package sync/atomic. The model has
	// its guard only where goroutines share the variable.
	Atomic

	numKinds
)

// operation is what more than one package knows of a kind: the one place where it is said. What an operation does is
// said elsewhere, in the model and in the runtime, which imports nothing of the module and is compared with this table
// by its tests.
type operation struct {
	// word is its name: part of bundles and logs, never changed.
	word string
	// spoken is what it is called in reports, where that is another word.
	spoken string
	// runWord is what the runtime calls what a goroutine does that stands at a site of the kind: in results of runs, and
	// for goroutines in findings. It is "" if none stands there.
	runWord string
	// objects are the kinds of objects that it can work on, the one that a goroutine waits for first.
	objects []Object
	waits   Waiting
	starts  Starting
	// functions are the functions and methods of the standard library that always are an operation of the kind.
	functions []LibraryFunc
}

// operations has a row for each kind.
var operations = [numKinds]operation{
	Invalid: {word: "invalid"},
	Send: {word: "send", runWord: "send", objects: []Object{Channel}, waits: AtGuard, functions: []LibraryFunc{
		{Package: "reflect", Receiver: "Value", Name: "Send"},
	}},
	Recv: {word: "receive", runWord: "receive", objects: []Object{Channel}, waits: AtGuard, functions: []LibraryFunc{
		{Package: "reflect", Receiver: "Value", Name: "Recv"},
	}},
	Range: {word: "range", runWord: "receive", objects: []Object{Channel}, waits: AtGuard},
	Select: {word: "select", runWord: "select", objects: []Object{Channel}, waits: AtGuard, functions: []LibraryFunc{
		{Package: "reflect", Name: "Select", Runtime: "ReflectedSelect", Parameters: "cases []reflect.SelectCase", Result: "(int, reflect.Value, bool)"},
		// They do not wait: each is as a select with a default.
		{Package: "reflect", Receiver: "Value", Name: "TrySend"},
		{Package: "reflect", Receiver: "Value", Name: "TryRecv"},
	}},
	Close: {word: "close", runWord: "close", objects: []Object{Channel}, functions: []LibraryFunc{
		{Package: "reflect", Receiver: "Value", Name: "Close"},
	}},
	Go:    {word: "go", runWord: "go", starts: ByGuard},
	Start: {word: "start", runWord: "start"},
	Lock: {word: "lock", runWord: "lock", objects: []Object{Mutex, RWMutex}, waits: AtGuard, functions: []LibraryFunc{
		{Package: "sync", Receiver: "Mutex", Name: "Lock", Runtime: "Lock"},
		{Package: "sync", Receiver: "RWMutex", Name: "Lock", Runtime: "WLock"},
		{Package: "sync", Receiver: "Locker", Name: "Lock", Runtime: "LockIface"},
	}},
	Unlock: {word: "unlock", runWord: "unlock", objects: []Object{Mutex, RWMutex}, functions: []LibraryFunc{
		{Package: "sync", Receiver: "Mutex", Name: "Unlock", Runtime: "Unlock"},
		{Package: "sync", Receiver: "RWMutex", Name: "Unlock", Runtime: "WUnlock"},
		{Package: "sync", Receiver: "Locker", Name: "Unlock", Runtime: "UnlockIface"},
	}},
	TryLock: {word: "trylock", spoken: "try to lock", runWord: "try lock", objects: []Object{Mutex, RWMutex}, functions: []LibraryFunc{
		{Package: "sync", Receiver: "Mutex", Name: "TryLock", Runtime: "TryLock", Result: "bool"},
		{Package: "sync", Receiver: "RWMutex", Name: "TryLock", Runtime: "TryWLock", Result: "bool"},
	}},
	RLock: {word: "rlock", spoken: "lock for reading", runWord: "read lock", objects: []Object{RWMutex}, waits: AtGuard, functions: []LibraryFunc{
		{Package: "sync", Receiver: "RWMutex", Name: "RLock", Runtime: "RLock"},
	}},
	RUnlock: {word: "runlock", spoken: "unlock for reading", runWord: "read unlock", objects: []Object{RWMutex}, functions: []LibraryFunc{
		{Package: "sync", Receiver: "RWMutex", Name: "RUnlock", Runtime: "RUnlock"},
	}},
	TryRLock: {word: "tryrlock", spoken: "try to lock for reading", runWord: "try read lock", objects: []Object{RWMutex}, functions: []LibraryFunc{
		{Package: "sync", Receiver: "RWMutex", Name: "TryRLock", Runtime: "TryRLock", Result: "bool"},
	}},
	WaitGroupAdd: {word: "add", runWord: "add", objects: []Object{WaitGroup}, functions: []LibraryFunc{
		{Package: "sync", Receiver: "WaitGroup", Name: "Add", Runtime: "Add", Parameters: "n int"},
	}},
	WaitGroupDone: {word: "done", runWord: "done", objects: []Object{WaitGroup}, functions: []LibraryFunc{
		{Package: "sync", Receiver: "WaitGroup", Name: "Done", Runtime: "Done"},
	}},
	WaitGroupWait: {word: "wait", runWord: "wait", objects: []Object{WaitGroup}, waits: AtGuard, functions: []LibraryFunc{
		{Package: "sync", Receiver: "WaitGroup", Name: "Wait", Runtime: "Wait"},
	}},
	WaitGroupGo: {word: "wggo", spoken: "go", runWord: "go", objects: []Object{WaitGroup}, starts: ByGuard, functions: []LibraryFunc{
		{Package: "sync", Receiver: "WaitGroup", Name: "Go", Runtime: "WGGo", Parameters: "f func()"},
	}},
	OnceDo: {word: "once", runWord: "once", objects: []Object{Once}, waits: AtGuard, functions: []LibraryFunc{
		{Package: "sync", Receiver: "Once", Name: "Do", Runtime: "OnceDo", Parameters: "f func()"},
	}},
	CondWait: {word: "condwait", spoken: "wait", runWord: "cond wait", objects: []Object{Cond, Mutex, RWMutex}, waits: AtGuard, functions: []LibraryFunc{
		{Package: "sync", Receiver: "Cond", Name: "Wait", Runtime: "CondWait"},
	}},
	CondSignal: {word: "signal", runWord: "signal", objects: []Object{Cond, Mutex, RWMutex}, functions: []LibraryFunc{
		{Package: "sync", Receiver: "Cond", Name: "Signal", Runtime: "CondSignal"},
	}},
	CondBroadcast: {word: "broadcast", runWord: "broadcast", objects: []Object{Cond, Mutex, RWMutex}, functions: []LibraryFunc{
		{Package: "sync", Receiver: "Cond", Name: "Broadcast", Runtime: "CondBroadcast"},
	}},
	Panic: {word: "panic", runWord: "panic"},
	Exit: {word: "exit", runWord: "exit", functions: []LibraryFunc{
		{Package: "os", Name: "Exit", Runtime: "Exit", Parameters: "code int"},
		{Package: "runtime", Name: "Goexit", Runtime: "Goexit"},
		{Package: "log", Name: "Fatal"},
		{Package: "log", Name: "Fatalf"},
		{Package: "log", Name: "Fatalln"},
		{Package: "log", Receiver: "Logger", Name: "Fatal", Parameters: "args ...interface{}"},
		{Package: "log", Receiver: "Logger", Name: "Fatalf", Parameters: "format string, args ...interface{}"},
		{Package: "log", Receiver: "Logger", Name: "Fatalln", Parameters: "args ...interface{}"},
		{Package: "testing", Receiver: "common", Name: "FailNow"},
		{Package: "testing", Receiver: "common", Name: "Fatal", Parameters: "args ...interface{}"},
		{Package: "testing", Receiver: "common", Name: "Fatalf", Parameters: "format string, args ...interface{}"},
		{Package: "testing", Receiver: "common", Name: "SkipNow"},
		{Package: "testing", Receiver: "common", Name: "Skip", Parameters: "args ...interface{}"},
		{Package: "testing", Receiver: "common", Name: "Skipf", Parameters: "format string, args ...interface{}"},
	}},
	Sleep: {word: "sleep", runWord: "sleep", functions: []LibraryFunc{
		{Package: "time", Name: "Sleep", Runtime: "Sleep", Parameters: "d time.Duration"},
	}},
	End:  {word: "end", runWord: "return"},
	Stmt: {word: "statement", runWord: "access"},
	Callback: {word: "callback", starts: ByLibrary, functions: []LibraryFunc{
		{Package: "time", Name: "AfterFunc"},
		{Package: "context", Name: "AfterFunc"},
	}},
	OnceFunc: {word: "oncefunc", spoken: "once", runWord: "once", objects: []Object{Once}, waits: AtGuard, functions: []LibraryFunc{
		{Package: "sync", Name: "OnceFunc"},
		{Package: "sync", Name: "OnceValue"},
		{Package: "sync", Name: "OnceValues"},
	}},
	Settle: {word: "settle", runWord: "settle", functions: []LibraryFunc{
		{Package: "testing/synctest", Name: "Wait", Runtime: "Settle"},
	}},
	Store: {word: "store", runWord: "access"},
	// Only some calls of t.Run and t.Parallel are operations, see numberer.subtest.
	Subtest:  {word: "subtest", runWord: "subtest", objects: []Object{Test}, waits: BehindGuard, starts: ByGuard},
	Parallel: {word: "parallel", runWord: "parallel", objects: []Object{Test}, waits: AtGuard},
	Join:     {word: "join", runWord: "wait for subtests", objects: []Object{Test}, waits: AtGuard},
	// So is all of package sync/atomic.
	Atomic: {word: "atomic", spoken: "atomic operation", runWord: "atomic"},
}

// Waiting says whether a goroutine that comes to an operation may have to wait for what others do. Time is none of them,
// and who waits until the others are at rest gets on when they are.
type Waiting uint8

const (
	Never       Waiting = iota
	AtGuard             // until the operation can be done
	BehindGuard         // until what it has begun is done
)

// Starting says whether somebody starts a goroutine at an operation.
type Starting uint8

const (
	Nobody Starting = iota
	ByGuard
	ByLibrary // later
)

// Object is what an operation works on.
type Object uint8

// The kinds of objects.
const (
	NoObject Object = iota
	Channel
	Mutex
	RWMutex
	WaitGroup
	Once // also what sync.OnceFunc and its like return
	Cond // with its lock
	Test // what a test and its subtests tell each other

	numObjects
)

// objects are the words for the kinds of objects: in runs, and in reports.
var objects = [numObjects]struct{ word, spoken string }{
	Channel:   {"chan", "channel"},
	Mutex:     {"mutex", "lock"},
	RWMutex:   {"rwmutex", "lock"},
	WaitGroup: {"waitgroup", "wait group"},
	Once:      {"once", "once"},
	Cond:      {"cond", "condition"},
	Test:      {"test", "test"},
}

// String is the word with which names of such objects in runs begin: "chan", "mutex".
func (o Object) String() string { return objects[o].word }

// Spoken is what such an object is called in reports.
func (o Object) Spoken() string { return objects[o].spoken }

// ObjectNamed is the kind of object that a word is the name of, NoObject if there is none.
func ObjectNamed(word string) Object {
	for o := range objects {
		if objects[o].word == word {
			return Object(o)
		}
	}
	return NoObject
}

// LibraryFunc is a function or method of the standard library that is an operation.
type LibraryFunc struct {
	Kind Kind
	// Receiver is the name of the type, "" of a function.
	Package, Receiver, Name string
	// Runtime is the function of the runtime that is called in its place, with the site and the receiver in front. It is
	// "" if that takes more than another name; package parse has it then.
	Runtime string
	// Parameters and Result are as in its declaration, for those that generated functions have too, and for those of
	// methods that are known behind an interface.
	Parameters, Result string
}

// Types are the types of the parameters.
func (f LibraryFunc) Types() (list []string) {
	for p := range strings.SplitSeq(f.Parameters, ", ") {
		if _, t, ok := strings.Cut(p, " "); ok {
			list = append(list, t)
		}
	}
	return list
}

// libraryFuncs are those of all kinds, in the order of these.
var libraryFuncs = func() (list []LibraryFunc) {
	for k := range Kinds() {
		for _, f := range operations[k].functions {
			f.Kind = k
			list = append(list, f)
		}
	}
	return list
}()

// LibraryFuncs goes over the functions and methods of the standard library that are operations, by kind.
func LibraryFuncs() iter.Seq[LibraryFunc] { return slices.Values(libraryFuncs) }

// byName finds one by package, receiver and name.
var byName = func() map[[3]string]LibraryFunc {
	m := map[[3]string]LibraryFunc{}
	for _, f := range libraryFuncs {
		m[[3]string{f.Package, f.Receiver, f.Name}] = f
	}
	return m
}()

// LibraryFuncOf is what is known of a function or method of the standard library that is an operation; its Kind is
// Invalid for others.
func LibraryFuncOf(f *types.Func) LibraryFunc {
	pkg, receiver := f.Pkg(), ""
	if recv := f.Signature().Recv(); recv != nil {
		t := types.Unalias(recv.Type())
		if p, ok := t.(*types.Pointer); ok {
			t = types.Unalias(p.Elem())
		}
		named, ok := t.(*types.Named)
		if !ok {
			return LibraryFunc{}
		}
		pkg, receiver = named.Obj().Pkg(), named.Obj().Name()
	}
	if pkg == nil {
		return LibraryFunc{}
	}
	if pkg.Path() == "testing" && receiver == "TB" {
		receiver = "common" // which has the same methods
	}
	return byName[[3]string{pkg.Path(), receiver, f.Name()}]
}
