package program

import (
	"go/token"
	"go/types"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/vtrace/vtrace/artifact"
)

// What a run of the program has done and its model cannot, is found in the stack of the
// goroutine that has done it: a function that is called where no call of it was foreseen,
// or a path through a function that its conditions seemed to exclude. With the next
// translation the model does both: it may call the function, with anything that is not
// known, and the conditions may be true or false. That is more than the program does.

// completed is what has been added to a program.
type completed struct {
	Calls    map[ssa.CallInstruction][]*ssa.Function
	Branches map[*ssa.If]string // with the reason
	Added    []artifact.Completion
}

// complete finds what completions name. What is not there any more is left out.
func (p *Program) complete(list []artifact.Completion) {
	p.Calls, p.Branches = map[ssa.CallInstruction][]*ssa.Function{}, map[*ssa.If]string{}
	if len(list) == 0 {
		return
	}
	named := map[string][]*ssa.Function{}
	for _, f := range p.everyFunction() {
		named[f.String()] = append(named[f.String()], f)
	}
	for _, c := range list {
		found := false
		for _, f := range named[c.Func] {
			for _, b := range f.Blocks {
				if br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok && c.Kind == artifact.CompletedBranch && b.Index == c.Block {
					p.Branches[br] = c.What()
					found = true
				}
				for _, instr := range b.Instrs {
					call, ok := instr.(ssa.CallInstruction)
					if !ok || c.Kind != artifact.CompletedCall || !p.isAt(call.Pos(), c) {
						continue
					}
					for _, g := range named[c.Callee] {
						p.Calls[call] = append(append(p.Calls[call], g), p.promoting(call, g)...)
					}
					found = true
				}
			}
		}
		if found {
			p.Added = append(p.Added, c)
		}
	}
}

func (p *Program) isAt(pos token.Pos, c artifact.Completion) bool {
	at := p.Source.Fset.Position(pos)
	return pos.IsValid() && p.Source.Rel(at.Filename) == c.File && at.Line == c.Line && at.Column == c.Col
}

// everyFunction lists the functions with source and bodies, in order.
func (p *Program) everyFunction() []*ssa.Function {
	all := ssautil.AllFunctions(p.SSA)
	var withClosures func(f *ssa.Function)
	withClosures = func(f *ssa.Function) {
		all[f] = true
		for _, g := range f.AnonFuncs {
			withClosures(g)
		}
	}
	for _, q := range slices.Concat(p.Source.Library, p.Source.Packages) {
		for _, name := range q.Types.Scope().Names() {
			named, ok := q.Types.Scope().Lookup(name).Type().(*types.Named)
			if !ok {
				continue
			}
			for m := range named.Methods() {
				if f := p.SSA.FuncValue(m); f != nil {
					withClosures(f)
				}
			}
		}
	}
	var out []*ssa.Function
	for f := range all {
		if f.Blocks != nil && f.Syntax() != nil && (f.Synthetic == "" || f.Origin() != nil) {
			out = append(out, f)
		}
	}
	sortFuncs(out)
	return out
}

// calledToo are the functions that calls run as completions say.
func (p *Program) calledToo() []*ssa.Function {
	var out []*ssa.Function
	for _, fs := range p.Calls {
		for _, f := range fs {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	sortFuncs(out)
	return out
}

// FromLibrary reports that it is the function called that calls what completions say: one
// whose code is not in the program.
func (p *Program) FromLibrary(call ssa.CallInstruction) bool {
	f := call.Common().StaticCallee()
	return f != nil && f.Blocks == nil
}

// MethodOf is how a method is called of a dynamic type of interfaces, nil if the type has
// it not: by the method itself, or by what calls it with a part of the value.
func (p *Program) MethodOf(t types.Type, fn *ssa.Function) *ssa.Function {
	if t == nil || fn.Object() == nil {
		return nil
	}
	m := p.SSA.MethodSets.MethodSet(t).Lookup(fn.Object().Pkg(), fn.Name())
	if m == nil || m.Obj() != fn.Object() {
		return nil
	}
	return p.SSA.MethodValue(m)
}

// promoting are the methods by which a function of the library calls one that the type of
// an argument has from a part of it.
func (p *Program) promoting(call ssa.CallInstruction, fn *ssa.Function) (out []*ssa.Function) {
	if !p.FromLibrary(call) {
		return nil
	}
	for _, a := range Arguments(call) {
		m, ok := a.(*ssa.MakeInterface)
		if !ok {
			continue
		}
		if f := p.MethodOf(m.X.Type(), fn); f != nil && f != fn {
			out = append(out, f)
		}
	}
	return out
}

// Frame is an activation in a stack.
type Frame struct {
	name string        // as the runtime has it
	Func *ssa.Function // nil: not one of the program
	Line int
}

// Frames reads a stack, from the outside.
func (p *Program) Frames(stack []string) []Frame {
	all := p.everyFunction()
	var out []Frame
	for _, text := range slices.Backward(stack) {
		name, at, _ := strings.Cut(text, " ")
		file, line, _ := strings.Cut(at, ":")
		n, err := strconv.Atoi(line)
		if err != nil || strings.HasPrefix(file, "<") {
			continue
		}
		if plain, err := url.PathUnescape(name); err == nil {
			name = plain
		}
		f := Frame{name: name, Line: n}
		for _, fn := range all {
			begin, end := p.Source.Fset.Position(fn.Syntax().Pos()), p.Source.Fset.Position(fn.Syntax().End())
			if filepath.Base(begin.Filename) != file || n < begin.Line || end.Line < n || !ofPackage(name, fn) {
				continue
			}
			if f.Func == nil || f.Func.Syntax().Pos() <= fn.Syntax().Pos() && closures(name) >= depth(fn) {
				f.Func = fn
			}
		}
		out = append(out, f)
	}
	return out
}

// ofPackage reports that a function that the runtime names is of the package of fn.
func ofPackage(name string, fn *ssa.Function) bool {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return fn.Pkg != nil && (strings.HasPrefix(name, fn.Pkg.Pkg.Path()+".") || fn.Pkg.Pkg.Name() == "main" && strings.HasPrefix(name, "main."))
}

// closures counts the function literals that a name of the runtime is inside of, as in
// "f.func1.2".
func closures(name string) int {
	n := 0
	for part := range strings.SplitSeq(name[strings.LastIndex(name, "/")+1:], ".") {
		digits := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(part, "func"), "gowrap"), "deferwrap")
		if _, err := strconv.Atoi(digits); err == nil {
			n++
		}
	}
	return n
}

func depth(fn *ssa.Function) int {
	n := 0
	for ; fn.Parent() != nil; fn = fn.Parent() {
		n++
	}
	return n
}

// MissedCall lists the calls by which frame i of a stack has been called from the last
// one of the program around it, if the call graph lacks that.
func (p *Program) MissedCall(stack []Frame, i int) []artifact.Completion {
	callee := stack[i].Func
	k := i - 1
	for k >= 0 && stack[k].Func == nil {
		k--
	}
	if callee == nil || k < 0 {
		return nil
	}
	through := ""
	if k < i-1 {
		through = stack[k+1].name[strings.LastIndex(stack[k+1].name, ".")+1:]
	}
	var out []artifact.Completion
	for _, b := range stack[k].Func.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(ssa.CallInstruction)
			if !ok || p.Source.Fset.Position(call.Pos()).Line != stack[k].Line {
				continue
			}
			if _, ok := call.Common().Value.(*ssa.Builtin); ok {
				continue
			}
			f := call.Common().StaticCallee()
			switch {
			case f != nil && f.Blocks != nil, f != nil && p.Operation(f) != nil, f != nil && through != "" && f.Name() != through:
				continue
			case f == nil && (through != "" || slices.Contains(p.Callees(call), callee)):
				continue
			}
			at := p.Source.Fset.Position(call.Pos())
			out = append(out, artifact.Completion{
				Kind: artifact.CompletedCall, File: p.Source.Rel(at.Filename), Line: at.Line, Col: at.Column,
				Func: stack[k].Func.String(), Callee: callee.String(),
			})
		}
	}
	return out
}

// ConditionsBetween lists the conditions that decide whether a function comes from a line, 0 for its
// beginning, to another, 0 for its end.
func (p *Program) ConditionsBetween(fn *ssa.Function, from, to int) []artifact.Completion {
	in := p.Function(fn)
	on := func(b *ssa.BasicBlock, line int) bool {
		return slices.ContainsFunc(b.Instrs, func(i ssa.Instruction) bool {
			return i.Pos().IsValid() && p.Source.Fset.Position(i.Pos()).Line == line
		})
	}
	reached := make([]bool, len(fn.Blocks))
	var walk func(b *ssa.BasicBlock)
	walk = func(b *ssa.BasicBlock) {
		if !reached[b.Index] {
			reached[b.Index] = true
			for _, s := range b.Succs {
				walk(s)
			}
		}
	}
	decides := make([]bool, len(fn.Blocks))
	var up func(b int)
	up = func(b int) {
		for _, a := range in.ControlDeps[b] {
			if !decides[a] {
				decides[a] = true
				up(a)
			}
		}
	}
	for _, b := range fn.Blocks {
		if from == 0 && b.Index == 0 || from != 0 && on(b, from) {
			walk(b)
		}
		_, returns := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if to == 0 && returns || to != 0 && on(b, to) {
			up(b.Index)
		}
	}
	var out []artifact.Completion
	for _, b := range fn.Blocks {
		br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || !reached[b.Index] || !decides[b.Index] {
			continue
		}
		pos := br.Cond.Pos()
		for i := len(b.Instrs) - 1; i >= 0 && !pos.IsValid(); i-- {
			pos = b.Instrs[i].Pos()
		}
		if !pos.IsValid() {
			pos = fn.Pos()
		}
		at := p.Source.Fset.Position(pos)
		out = append(out, artifact.Completion{
			Kind: artifact.CompletedBranch, File: p.Source.Rel(at.Filename), Line: at.Line, Col: at.Column, Func: fn.String(), Block: b.Index,
		})
	}
	return out
}
