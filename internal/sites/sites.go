package sites

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Kind is what a program point does. What is known of each kind is in the table of operations.go.
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

// ID numbers the sites of a program from 1, in order of package path, file
// name and position, stores behind all others. 0 is no site.
type ID int

// Site is one program point.
type Site struct {
	ID   ID
	Kind Kind
	// Key identifies the site across edits elsewhere: "pkg/path.Func#3" is the
	// third operation of the function, "pkg/path.Func@7" its seventh statement,
	// "pkg/path.Func#3.start", "pkg/path.Func#3.join", "pkg/path.Func@7.store",
	// "pkg/path.Func.join" and "pkg/path.Func.end" the derived sites.
	Key string
	// Func is the function's path: "pkg/path.Func", "pkg/path.(*T).Method",
	// "pkg/path.Func$1$2" for literals in source order, "pkg/path.init" for
	// package initialisers and "pkg/path.init#1" for init functions.
	Func string
	// Pos is the position by which the SSA form knows the operation (see At);
	// for a statement, its first token.
	Pos token.Pos
	// File is relative to the module root, slash-separated. Line and Col are
	// for display.
	File      string
	Line, Col int
	// Text is the source line, trimmed; "" if the file cannot be read.
	Text string
	// Cases are, of a select, the operations of its cases in source order, each in one line, as in
	// "v := <-c"; the default is none of them.
	Cases []string
}

// Package is one type-checked package to number.
type Package struct {
	Path  string
	Files []*ast.File
	Types *types.Package
	Info  *types.Info
	// ReadFile reads a file of the package; nil means os.ReadFile. It only
	// serves Site.Text.
	ReadFile func(name string) ([]byte, error)
}
