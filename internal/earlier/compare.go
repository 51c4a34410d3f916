package earlier

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/explain"
	"github.com/vtrace/vtrace/internal/source"
)

// State says what has become of the code that a finding is about.
type State int

// The states, each worse than those before it.
const (
	// Unchanged: the whole program is as it was.
	Unchanged State = iota
	// Elsewhere: the declarations that the finding names are as they were, though they may have
	// moved; other code of the program has changed.
	Elsewhere
	// Changed: one of these declarations has changed.
	Changed
	// Gone: the declaration that the finding is at is not there any more.
	Gone
)

// Comparison compares the program of a bundle with what its files are now. It is not safe for
// concurrent use.
type Comparison struct {
	result Result
	read   ReadFile
	files  map[string]*file // by their path in the program
	same   bool
}

// Compare begins to compare: the state of the files is what read gives at the time when they
// are asked for, each once.
func (r Result) Compare(read ReadFile) *Comparison {
	c := &Comparison{result: r, read: read, files: map[string]*file{}}
	if r.Was == nil {
		c.same = Same(r.Bundle.Manifest(), r.Root, read)
		return c
	}
	c.same = true
	for path, was := range r.Was {
		now, err := read.Again(filepath.Join(r.Root, filepath.FromSlash(path)), int64(len(was)))
		c.same = c.same && err == nil && bytes.Equal(was, now)
	}
	return c
}

// was is a file of the program as it was; false if that is not known.
func (r Result) was(path string) ([]byte, bool) {
	if r.Was != nil {
		data, ok := r.Was[path]
		return data, ok
	}
	return r.Bundle.Read(artifact.SourceDir + "/" + path)
}

// Same reports whether the program is as it was.
func (c *Comparison) Same() bool { return c.same }

// Place is a place in a file as it is now.
type Place struct {
	File      string // absolute
	Line, Col int    // from 1, Col in bytes; 0 if it is not known
}

// Locate says where a place of the bundle's program is now, and whether the declaration around
// it is as it was.
func (c *Comparison) Locate(path string, line, col int) (Place, State) {
	at := Place{filepath.Join(c.result.Root, filepath.FromSlash(path)), line, col}
	if c.same {
		return at, Unchanged
	}
	f := c.file(path)
	switch {
	case f.unknown: // of a dependency: it is not here
		return at, Elsewhere
	case f.same:
		return at, Elsewhere
	case f.now == nil:
		return at, Gone
	}
	name, old := f.was.around(line)
	if old == nil {
		return at, Changed
	}
	now, ok := f.now.decls[name]
	if !ok {
		if f.now.broken {
			at.Line = min(line, f.now.lines)
			return at, Changed
		}
		return at, Gone
	}
	if now.text != old.text {
		return Place{at.File, now.line, 0}, Changed
	}
	return Place{at.File, now.line + line - old.line, col}, Elsewhere
}

// State is that of all the code that a finding names: its place, where its goroutines are, and
// the steps of its interleaving.
func (c *Comparison) State(f artifact.Finding) State {
	if c.same {
		return Unchanged
	}
	state := Elsewhere
	if at, ok := Anchor(f); ok {
		_, state = c.Locate(at.File, at.Line, at.Col)
	}
	worst := func(path string, line int) {
		if path == "" {
			return
		}
		if _, s := c.Locate(path, line, 0); s != Gone {
			state = max(state, s)
		} else {
			state = max(state, Changed)
		}
	}
	worst(f.File, f.Line)
	for _, g := range f.Goroutines {
		worst(g.File, g.Line)
	}
	for _, s := range f.Interleaving {
		worst(s.File, s.Line)
	}
	return state
}

// outside reports whether a path in a bundle is of a file that is not below the program's root.
func outside(path string) bool {
	return source.OfDependency(path) || strings.HasPrefix(path, "$GOROOT/")
}

// Anchor is where a finding is shown in the program itself: its place, or if that is in another
// module, the last of the steps and goroutines that lead to it which is not; false if none is.
func Anchor(f artifact.Finding) (explain.Location, bool) {
	if at := explain.Place(f); at.File != "" && !outside(at.File) {
		return at, true
	}
	for _, s := range slices.Backward(f.Interleaving) {
		if s.File != "" && !outside(s.File) {
			return explain.Location{File: s.File, Line: s.Line}, true
		}
	}
	for _, g := range f.Goroutines {
		if g.File != "" && !outside(g.File) {
			return explain.Location{File: g.File, Line: g.Line, Func: g.Func}, true
		}
	}
	return explain.Location{}, false
}

// file is a file of the program, as it was and as it is.
type file struct {
	was, now *declarations // now is nil if it is gone
	same     bool
	unknown  bool // the bundle does not have it
}

func (c *Comparison) file(path string) *file {
	if f := c.files[path]; f != nil {
		return f
	}
	f := &file{}
	c.files[path] = f
	was, ok := c.result.was(path)
	if !ok || outside(path) {
		f.unknown = true
		return f
	}
	now, err := c.read.Again(filepath.Join(c.result.Root, filepath.FromSlash(path)), int64(len(was)))
	if f.same = err == nil && bytes.Equal(was, now); f.same {
		return f
	}
	f.was = declarationsOf(was)
	if err == nil {
		f.now = declarationsOf(now)
	}
	return f
}

// declaration is one at package level.
type declaration struct {
	line, end int // its lines, from 1
	text      string
}

// declarationName tells the declarations of a file apart: init may be declared several times.
type declarationName struct {
	receiver, name string
	n              int
}

type declarations struct {
	decls  map[declarationName]*declaration
	order  []declarationName // as they stand in the file
	lines  int
	broken bool // it does not parse, and some may be missing
}

// declarationsOf parses a file, or as much of it as can be parsed.
func declarationsOf(src []byte) *declarations {
	out := &declarations{decls: map[declarationName]*declaration{}, lines: bytes.Count(src, []byte("\n")) + 1}
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	out.broken = err != nil
	if parsed == nil {
		return out
	}
	count := map[declarationName]int{}
	for _, d := range parsed.Decls {
		// What is not complete may be said to end behind the file, where there are no lines.
		from, to := fset.PositionFor(min(d.Pos(), parsed.FileEnd), false), fset.PositionFor(min(d.End(), parsed.FileEnd), false)
		decl := &declaration{from.Line, to.Line, string(src[min(from.Offset, len(src)):min(max(from.Offset, to.Offset), len(src))])}
		name := nameOf(d)
		count[name]++
		name.n = count[name] - 1
		out.decls[name] = decl
		out.order = append(out.order, name)
	}
	return out
}

func nameOf(d ast.Decl) declarationName {
	switch d := d.(type) {
	case *ast.FuncDecl:
		n := declarationName{name: d.Name.Name}
		if d.Recv != nil && len(d.Recv.List) > 0 {
			n.receiver = receiver(d.Recv.List[0].Type)
		}
		return n
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				return declarationName{name: s.Name.Name}
			case *ast.ValueSpec:
				if len(s.Names) > 0 {
					return declarationName{name: s.Names[0].Name}
				}
			}
		}
		return declarationName{receiver: d.Tok.String()}
	}
	return declarationName{}
}

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.ParenExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	}
	return ""
}

// around finds the declaration that a line is in.
func (d *declarations) around(line int) (declarationName, *declaration) {
	for _, name := range d.order {
		if decl := d.decls[name]; decl.line <= line && line <= decl.end {
			return name, decl
		}
	}
	return declarationName{}, nil
}
