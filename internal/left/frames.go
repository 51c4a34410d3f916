package left

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/source"
)

// Program answers questions about one program.
type Program struct {
	src   *source.Program
	sites *sites.Index
	// byFile are the functions with source, by the last part of the file's name.
	byFile map[string][]*function
	own    map[*types.Package]bool
}

// function is a function, the lines that it takes, and in how many others it is.
type function struct {
	*ssa.Function
	first, last, depth int
}

// New prepares the program, whose SSA form is prog.
func New(src *source.Program, prog *ssa.Program, idx *sites.Index) *Program {
	p := &Program{src: src, sites: idx, byFile: map[string][]*function{}, own: map[*types.Package]bool{}}
	for _, q := range src.Packages {
		p.own[q.Types] = true
	}
	for _, q := range src.Packages {
		for _, file := range q.Syntax {
			for _, d := range file.Decls {
				if fd, ok := d.(*ast.FuncDecl); ok {
					if obj, ok := q.TypesInfo.Defs[fd.Name].(*types.Func); ok {
						p.add(prog.FuncValue(obj), 0)
					}
				}
			}
		}
		if sp := prog.Package(q.Types); sp != nil {
			p.add(sp.Func("init"), 0) // has the literals of package-level variables
		}
	}
	for _, all := range p.byFile {
		slices.SortFunc(all, func(a, b *function) int {
			return cmp.Or(cmp.Compare(a.last-a.first, b.last-b.first), cmp.Compare(b.Pos(), a.Pos()), cmp.Compare(a.String(), b.String()))
		})
	}
	return p
}

// add adds a function and those in it.
func (p *Program) add(f *ssa.Function, depth int) {
	if f == nil {
		return
	}
	if syntax := f.Syntax(); syntax != nil && f.Blocks != nil {
		at, end := p.src.Fset.PositionFor(syntax.Pos(), false), p.src.Fset.PositionFor(syntax.End(), false)
		name := path.Base(at.Filename)
		p.byFile[name] = append(p.byFile[name], &function{f, at.Line, end.Line, depth})
	}
	for _, in := range f.AnonFuncs {
		p.add(in, depth+1)
	}
}

// isOwn: f is a function of the program, not of a library.
func (p *Program) isOwn(f *ssa.Function) bool {
	for f.Parent() != nil {
		f = f.Parent()
	}
	if o := f.Origin(); o != nil {
		f = o
	}
	return f.Pkg != nil && p.own[f.Pkg.Pkg]
}

// frame is a function that has called the one before it in a stack.
type frame struct {
	fn   *ssa.Function
	line int
}

// frames resolves a stack, "function file:line" innermost first. What is not of the
// program is left out.
func (p *Program) frames(stack []string) []frame {
	var out []frame
	for _, text := range stack {
		name, at, _ := strings.Cut(text, " ")
		file, number, _ := strings.Cut(at, ":")
		line, err := strconv.Atoi(number)
		if err != nil {
			continue
		}
		depth := literals(name)
		for _, f := range p.byFile[file] {
			if f.first <= line && line <= f.last && f.depth <= depth && strings.HasPrefix(name, packagePath(f.Function)+".") {
				out = append(out, frame{f.Function, line})
				break
			}
		}
	}
	return out
}

// literals is in how many function literals a function is at most, by the name that the
// runtime has for it, as in "pkg.(*T).M.func1.2": literals of the instrumented program
// count too.
func literals(name string) int {
	_, in, ok := strings.Cut(name, ".func")
	if !ok {
		return 0
	}
	return 1 + strings.Count(in, ".")
}

func packagePath(f *ssa.Function) string {
	for f.Parent() != nil {
		f = f.Parent()
	}
	if o := f.Origin(); o != nil {
		f = o
	}
	return f.Pkg.Pkg.Path()
}

// isTest: f has a *testing.T or the like, or is in a function that has.
func isTest(f *ssa.Function) bool {
	for ; f != nil; f = f.Parent() {
		for v := range f.Signature.Params().Variables() {
			t := v.Type()
			if ptr, ok := t.(*types.Pointer); ok {
				t = ptr.Elem()
			}
			if n, ok := t.(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "testing" {
				return true
			}
		}
	}
	return false
}

// endless reports whether a line of a function is in a loop that may go on for ever:
// one without a condition, one over a channel, or one that does not count.
func (p *Program) endless(f frame) bool {
	found := false
	line := func(pos token.Pos) int { return p.src.Fset.PositionFor(pos, false).Line }
	ast.Inspect(f.fn.Syntax(), func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			return false
		case *ast.FuncLit:
			return n == f.fn.Syntax()
		case *ast.ForStmt:
			if line(n.Pos()) <= f.line && f.line <= line(n.End()) && !p.counts(n.Cond) {
				found = true
			}
		case *ast.RangeStmt:
			if line(n.Pos()) > f.line || f.line > line(n.End()) {
				break
			}
			if t := p.typeOf(n.X); t != nil {
				_, ok := t.Underlying().(*types.Chan)
				found = found || ok
			}
		}
		return true
	})
	return found
}

// counts reports whether a condition compares numbers.
func (p *Program) counts(cond ast.Expr) bool {
	b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok {
		return false
	}
	if b.Op == token.LAND || b.Op == token.LOR {
		return p.counts(b.X) || p.counts(b.Y)
	}
	t := p.typeOf(b.X)
	if t == nil {
		return true
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsNumeric != 0
}

func (p *Program) typeOf(e ast.Expr) types.Type {
	for _, q := range p.src.Packages {
		if t := q.TypesInfo.TypeOf(e); t != nil {
			return t
		}
	}
	return nil
}
