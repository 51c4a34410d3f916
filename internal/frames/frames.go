package frames

import (
	"cmp"
	"go/ast"
	"go/types"
	"iter"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/source"
)

// Program has the functions of one program.
type Program struct {
	Source *source.Program
	// byFile are the functions with source, by the last part of the file's name.
	byFile map[string][]*function
	inits  []*ssa.Function // of the variables of packages
	own    map[*types.Package]bool
}

// function is a function, the lines that it takes, and in how many others it is.
type function struct {
	*ssa.Function
	first, last, depth int
}

// New prepares the program, whose SSA form is prog.
func New(src *source.Program, prog *ssa.Program) *Program {
	p := &Program{Source: src, byFile: map[string][]*function{}, own: map[*types.Package]bool{}}
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
			init := sp.Func("init") // has the literals of package-level variables
			p.add(init, 0)
			if init != nil {
				p.inits = append(p.inits, init)
			}
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
		at, end := p.Source.Fset.PositionFor(syntax.Pos(), false), p.Source.Fset.PositionFor(syntax.End(), false)
		name := path.Base(at.Filename)
		p.byFile[name] = append(p.byFile[name], &function{f, at.Line, end.Line, depth})
	}
	for _, in := range f.AnonFuncs {
		p.add(in, depth+1)
	}
}

// Own reports whether f is a function of the program, not of a library.
func (p *Program) Own(f *ssa.Function) bool {
	for f.Parent() != nil {
		f = f.Parent()
	}
	if o := f.Origin(); o != nil {
		f = o
	}
	return f.Pkg != nil && p.own[f.Pkg.Pkg]
}

// Frame is a function that has called the one before it in a stack.
type Frame struct {
	Fn   *ssa.Function
	Line int // where it is, from 1
}

// Resolve resolves a stack, "function file:line" innermost first. What is not of the
// program is left out.
func (p *Program) Resolve(stack []string) []Frame {
	var out []Frame
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
				out = append(out, Frame{f.Function, line})
				break
			}
		}
	}
	return out
}

// Chain are the frames of the stack of a goroutine, own of them, then those of the stack of the
// goroutine that has started it, of the one that has started that, and so on. There are none if nothing
// of the goroutine's own stack is of the program.
func (p *Program) Chain(stack []string, created [][]string) (all []Frame, own int) {
	all = p.Resolve(stack)
	if own = len(all); own == 0 {
		return nil, 0
	}
	for k, stack := range created {
		by := p.Resolve(stack)
		if k == 0 && len(by) > 0 {
			// The function that the instrumented go statement makes: on the line of that, it
			// seems to be the function around, or the literal that is started.
			if last := all[own-1]; own > 1 && last.Line == by[0].Line && (last.Fn == by[0].Fn || last.Fn == all[own-2].Fn) {
				own--
			}
			all = all[:own]
		}
		all = append(all, by...)
	}
	return all, own
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

// Functions are the functions of the program with source, and those that initialise the variables of its packages.
func (p *Program) Functions() iter.Seq[*ssa.Function] {
	return func(yield func(*ssa.Function) bool) {
		for _, f := range p.inits {
			if !yield(f) {
				return
			}
		}
		for _, name := range slices.Sorted(maps.Keys(p.byFile)) {
			for _, f := range p.byFile[name] {
				if !yield(f.Function) {
					return
				}
			}
		}
	}
}

// Calls are the calls in the function of a frame that may have called that of the frame before it.
func (p *Program) Calls(of, by Frame) []ssa.CallInstruction {
	var there, anywhere, dynamic []ssa.CallInstruction
	callee := Origin(of.Fn)
	for c := range CallsIn(by.Fn) {
		here := p.Source.Fset.PositionFor(c.Pos(), false).Line == by.Line
		static := c.Common().StaticCallee()
		switch {
		case static != nil && Origin(static) == callee, c.Common().IsInvoke() && c.Common().Method.Name() == callee.Name():
			anywhere = append(anywhere, c)
			if here {
				there = append(there, c)
			}
		case static == nil && here && !c.Common().IsInvoke():
			if _, ok := c.Common().Value.(*ssa.Builtin); !ok {
				dynamic = append(dynamic, c)
			}
		}
	}
	switch {
	case len(there) > 0:
		return there
	case len(anywhere) > 0:
		return anywhere
	}
	return dynamic
}

// Origin is the function that f is an instance of, or f.
func Origin(f *ssa.Function) *ssa.Function {
	if o := f.Origin(); o != nil {
		return o
	}
	return f
}

// CallsIn are the calls in a function, those of go and defer statements too.
func CallsIn(f *ssa.Function) iter.Seq[ssa.CallInstruction] {
	return func(yield func(ssa.CallInstruction) bool) {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				if c, ok := instr.(ssa.CallInstruction); ok && !yield(c) {
					return
				}
			}
		}
	}
}

// Referrers are the instructions that use a value, none of what has none, as a function.
func Referrers(v ssa.Value) []ssa.Instruction {
	if r := v.Referrers(); r != nil {
		return *r
	}
	return nil
}

// FieldAt is the i-th field of a struct or of what a pointer points to.
func FieldAt(t types.Type, i int) *types.Var {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if s, ok := t.Underlying().(*types.Struct); ok && i < s.NumFields() {
		return s.Field(i).Origin()
	}
	return nil
}
