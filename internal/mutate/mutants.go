package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A mutant is a change of the meaning of one place of a package. All mutants of a package are
// compiled into it together, and a variable of the environment says which one is in force
// (mutant schemata, Untch, Offutt and Harrold, ISSTA 1993), so that tests are built once.
type mutant struct {
	id   int
	at   token.Position // with the file relative to the package
	fn   string
	kind kind
	text string // the source text that is changed
}

// A kind is what a mutant does.
type kind string

const (
	always  kind = "always true"
	never   kind = "always false"
	omitted kind = "left out"
	more    kind = "one more"
)

func (m mutant) String() string {
	return fmt.Sprintf("%d %s:%d:%d %s: %s: %s", m.id, m.at.Filename, m.at.Line, m.at.Column, m.fn, m.kind, m.text)
}

// support is added to the package: what the changed places ask, and a file with the numbers of
// those that were reached, if one is wanted.
const support = `package %s

import (
	"os"
	"strconv"
	"sync"
)

var mutantInForce, mutantsReached = func() (int, *mutantLog) {
	n, err := strconv.Atoi(os.Getenv("VTRACE_MUTANT"))
	if err != nil {
		n = -1
	}
	path := os.Getenv("VTRACE_MUTANTS_REACHED")
	if path == "" {
		return n, nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	return n, &mutantLog{f: f, seen: make([]bool, %d)}
}()

type mutantLog struct {
	mu   sync.Mutex
	f    *os.File
	seen []bool
}

func mutantIs(id int) bool { // small enough to be inlined
	if mutantsReached != nil {
		mutantsReached.add(id)
	}
	return id == mutantInForce
}

func (l *mutantLog) add(id int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.seen[id] {
		l.seen[id] = true
		l.f.WriteString(strconv.Itoa(id) + "\n")
	}
}

// mutantCond has two mutants: that a condition always holds, and that it never does.
func mutantCond(id int, v bool) bool {
	if mutantIs(id) {
		return true
	}
	return !mutantIs(id+1) && v
}

func mutantNumber[T ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr](id int, v T) T {
	if mutantIs(id) {
		return v + 1
	}
	return v
}
`

// An edit inserts a text.
type edit struct {
	at   int // offset
	open bool
	span int // how long what it encloses is
	text string
}

// rewriter finds the mutants of a package.
type rewriter struct {
	fset    *token.FileSet
	info    *types.Info
	mutants []mutant
	file    []byte
	fn      string
	edits   []edit
	plain   map[*ast.ReturnStmt]bool // those of functions without results
}

// mutate rewrites the files of a package below root so that they contain its mutants.
func mutate(root, pattern string) (dir string, mutants []mutant, err error) {
	r := &rewriter{fset: token.NewFileSet(), plain: map[*ast.ReturnStmt]bool{}}
	pkgs, err := packages.Load(&packages.Config{
		Dir: root, Fset: r.fset,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps,
	}, pattern)
	if err != nil {
		return "", nil, err
	}
	if len(pkgs) != 1 || len(pkgs[0].Errors) > 0 || len(pkgs[0].GoFiles) == 0 {
		return "", nil, fmt.Errorf("%s: %d packages, errors %v", pattern, len(pkgs), pkgs[0].Errors)
	}
	p := pkgs[0]
	r.info = p.TypesInfo
	dir = filepath.Dir(p.GoFiles[0])
	for _, f := range p.Syntax {
		name := r.fset.Position(f.FileStart).Filename
		if r.file, err = os.ReadFile(name); err != nil {
			return "", nil, err
		}
		r.edits = nil
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil {
				r.fn = fd.Name.Name
				r.returns(fd.Type, fd.Body)
				r.walk(fd.Body)
			}
		}
		if err := os.WriteFile(name, apply(r.file, r.edits), 0o666); err != nil {
			return "", nil, err
		}
	}
	text := fmt.Sprintf(support, p.Name, len(r.mutants))
	return dir, r.mutants, os.WriteFile(filepath.Join(dir, "mutants.go"), []byte(text), 0o666)
}

// add adds a mutant of a node.
func (r *rewriter) add(n ast.Node, k kind) (id int) {
	id = len(r.mutants)
	at := r.fset.Position(n.Pos())
	at.Filename = filepath.Base(at.Filename)
	text, _, _ := strings.Cut(r.source(n), "\n")
	r.mutants = append(r.mutants, mutant{id, at, r.fn, k, text})
	return id
}

func (r *rewriter) source(n ast.Node) string {
	return string(r.file[r.fset.Position(n.Pos()).Offset:r.fset.Position(n.End()).Offset])
}

// enclose puts texts around a node.
func (r *rewriter) enclose(n ast.Node, before, after string) {
	from, to := r.fset.Position(n.Pos()).Offset, r.fset.Position(n.End()).Offset
	r.edits = append(r.edits, edit{from, true, to - from, before}, edit{to, false, to - from, after})
}

// apply makes edits. Where several are at one offset those of what ends there come first, the
// inner before the outer, then those of what begins there, the outer before the inner.
func apply(file []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int {
		switch {
		case a.at != b.at:
			return a.at - b.at
		case a.open != b.open && a.open:
			return 1
		case a.open != b.open:
			return -1
		case a.open:
			return b.span - a.span
		}
		return cmp.Compare(a.span, b.span)
	})
	var out []byte
	last := 0
	for _, e := range edits {
		out = append(append(out, file[last:e.at]...), e.text...)
		last = e.at
	}
	return append(out, file[last:]...)
}

func (r *rewriter) walk(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && r.info.Types[e].Value != nil {
			r.number(e)
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			r.returns(n.Type, n.Body)
		case *ast.GenDecl:
			return n.Tok != token.CONST
		case *ast.ArrayType:
			return false
		case *ast.CaseClause:
			for _, e := range n.List {
				if tv := r.info.Types[e]; tv.Value == nil && !tv.IsType() {
					r.walk(e)
					r.condition(e)
				}
			}
			r.statements(n.Body)
			for _, s := range n.Body {
				r.walk(s)
			}
			return false
		case *ast.KeyValueExpr: // keys of arrays are constants
			r.walk(n.Value)
			return false
		case *ast.IfStmt:
			r.condition(n.Cond)
		case *ast.ForStmt:
			if n.Cond != nil {
				r.condition(n.Cond)
			}
		case *ast.ReturnStmt:
			for _, e := range n.Results {
				r.condition(e)
			}
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				r.condition(n.X)
				r.condition(n.Y)
			}
		case *ast.BlockStmt:
			r.statements(n.List)
		case *ast.CommClause:
			r.statements(n.Body)
		}
		return true
	})
}

// returns notes the returns of a function without results: others may be what it has to end with.
func (r *rewriter) returns(t *ast.FuncType, body *ast.BlockStmt) {
	if t.Results != nil {
		return
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if s, ok := n.(*ast.ReturnStmt); ok {
			r.plain[s] = true
		}
		_, other := n.(*ast.FuncLit)
		return !other
	})
}

// condition adds the mutants of a condition, but of one that consists of others.
func (r *rewriter) condition(e ast.Expr) {
	tv := r.info.Types[e]
	if tv.Type == nil || tv.Value != nil {
		return
	}
	if b, ok := types.Unalias(tv.Type).(*types.Basic); !ok || b.Info()&types.IsBoolean == 0 {
		return
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			return
		}
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			r.condition(x.X)
			return
		}
	}
	id := r.add(e, always)
	r.add(e, never)
	r.enclose(e, fmt.Sprintf("mutantCond(%d, ", id), ")")
}

// statements adds the mutants that leave out a statement of a list.
func (r *rewriter) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
		case *ast.IncDecStmt, *ast.SendStmt, *ast.DeferStmt, *ast.GoStmt:
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok {
				if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" {
					continue
				}
			}
		case *ast.BranchStmt:
			if s.Tok == token.FALLTHROUGH || s.Tok == token.GOTO {
				continue
			}
		case *ast.ReturnStmt:
			if !r.plain[s] {
				continue
			}
		default:
			continue
		}
		r.enclose(s, fmt.Sprintf("if !mutantIs(%d) { ", r.add(s, omitted)), " }")
	}
}

// number adds the mutant of a constant, if that is an integer.
func (r *rewriter) number(n ast.Expr) {
	tv := r.info.Types[n]
	b, ok := types.Unalias(tv.Type).(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 || !tv.IsValue() {
		return
	}
	t := b.Name()
	if b.Kind() == types.UntypedRune || b.Kind() == types.Int32 && strings.HasPrefix(r.source(n), "'") {
		return // one letter is as good as another one
	}
	if b.Info()&types.IsUntyped != 0 {
		t = "int"
	}
	r.enclose(n, fmt.Sprintf("mutantNumber(%d, %s(", r.add(n, more), t), "))")
}
