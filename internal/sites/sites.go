package sites

import (
	"go/ast"
	"go/token"
	"go/types"
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
