package translate

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
// or a way through a function that its conditions seemed to exclude. With the next
// translation the model does both: it may call the function, with anything that is not
// known, and the conditions may be true or false. That is more than the program does.

// completed is what has been added to a program.
type completed struct {
	calls    map[ssa.CallInstruction][]*ssa.Function
	branches map[*ssa.If]string // with the reason
	added    []artifact.Completion
}

// complete finds what completions name. What is not there any more is left out.
func (p *program) complete(list []artifact.Completion) {
	p.calls, p.branches = map[ssa.CallInstruction][]*ssa.Function{}, map[*ssa.If]string{}
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
					p.branches[br] = c.What()
					found = true
				}
				for _, instr := range b.Instrs {
					call, ok := instr.(ssa.CallInstruction)
					if !ok || c.Kind != artifact.CompletedCall || !p.isAt(call.Pos(), c) {
						continue
					}
					for _, g := range named[c.Callee] {
						p.calls[call] = append(append(p.calls[call], g), p.promoting(call, g)...)
					}
					found = true
				}
			}
		}
		if found {
			p.added = append(p.added, c)
		}
	}
}

func (p *program) isAt(pos token.Pos, c artifact.Completion) bool {
	at := p.src.Fset.Position(pos)
	return pos.IsValid() && p.src.Rel(at.Filename) == c.File && at.Line == c.Line && at.Column == c.Col
}

// everyFunction lists the functions with source and bodies, in order.
func (p *program) everyFunction() []*ssa.Function {
	all := ssautil.AllFunctions(p.ssa)
	var withClosures func(f *ssa.Function)
	withClosures = func(f *ssa.Function) {
		all[f] = true
		for _, g := range f.AnonFuncs {
			withClosures(g)
		}
	}
	for _, q := range slices.Concat(p.src.Library, p.src.Packages) {
		for _, name := range q.Types.Scope().Names() {
			named, ok := q.Types.Scope().Lookup(name).Type().(*types.Named)
			if !ok {
				continue
			}
			for m := range named.Methods() {
				if f := p.ssa.FuncValue(m); f != nil {
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
func (p *program) calledToo() []*ssa.Function {
	var out []*ssa.Function
	for _, fs := range p.calls {
		for _, f := range fs {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	sortFuncs(out)
	return out
}

// fromLibrary reports that it is the function called that calls what completions say: one
// whose code is not in the program.
func (p *program) fromLibrary(call ssa.CallInstruction) bool {
	f := call.Common().StaticCallee()
	return f != nil && f.Blocks == nil
}

// guessed is the function that a path takes a call to run, nil for what its value says;
// decided is false if it has not been asked yet.
func (p *path) guessed(site ssa.CallInstruction) (f *ssa.Function, decided bool) {
	for _, g := range p.guesses {
		if g.site == site {
			return g.fn, true
		}
	}
	return nil, false
}

// guessCompleted continues with what the value of a call says, and with the functions
// that runs have shown.
func (x *translator) guessCompleted(p *path, site ssa.CallInstruction, fs []*ssa.Function) {
	var alts []func(*path)
	for _, f := range slices.Concat([]*ssa.Function{nil}, fs) {
		alts = append(alts, func(q *path) {
			q.guesses = append(q.guesses[:len(q.guesses):len(q.guesses)], guess{site, f})
		})
	}
	p.choose("a run has shown a function that was not foreseen", alts...)
}

// callsBack is a call of the library which runs have shown to call functions of the
// program: any of them, any number of times.
var callsBack = &intrinsic{operation: operation{name: "callsback", args: []int{0, 1, 2, 3, 4, 5, 6, 7}}, run: callBack}

// The phases of such a call: in front of each decision, at it, behind the last; from
// backCalls on a function is called.
const (
	backAhead = 1 + iota
	backDecides
	backReturns
	backCalls
)

func callBack(x *translator, p *path) bool {
	f := p.peek()
	fs := x.prog.calls[f.ctx.site.(ssa.CallInstruction)]
	switch {
	case f.phase == backAhead:
		p.top().phase = backDecides
		x.arrive(p, atLocal, 0)
		return false
	case f.phase == backDecides:
		alts := []func(*path){func(q *path) { q.top().phase = backReturns }}
		for k := range fs {
			alts = append(alts, func(q *path) { q.top().phase = backCalls + k })
		}
		p.choose("how often the library calls what it is given", alts...)
		return false
	case f.phase == backReturns:
		return x.opReturn(p, x.libraryResult(p, f.ctx.site.(ssa.CallInstruction), f.tgt))
	}
	k := f.phase - backCalls
	tgt, ok := x.calledBack(p, fs[k])
	return ok && x.enterArg(p, len(f.tgt.args)+k, tgt, func(q *path) { q.top().phase = backAhead })
}

// calledBack is a function as the library calls it: with its receiver, or what it has
// captured, from the arguments of the call, and else with what is not known.
func (x *translator) calledBack(p *path, fn *ssa.Function) (target, bool) {
	f := p.peek()
	tgt := target{fn: fn}
	sig := f.tgt.fn.Signature
	recv := fn.Signature.Recv()
	for k := range f.tgt.args {
		i := k
		if sig.Recv() != nil {
			i--
		}
		if i < 0 || i >= sig.Params().Len() {
			continue
		}
		t := sig.Params().At(i).Type()
		switch v := p.arg(k); {
		case recv != nil && types.IsInterface(t) && len(v) == 2:
			tag, ok, tracked := x.concrete(p, v[0])
			if tracked && !ok {
				return tgt, false
			}
			if !tracked {
				break
			}
			if m := x.prog.methodOf(x.mem.typeOf(tag), fn); m != nil {
				r, ok := x.unbox(p, v[1], x.mem.typeOf(tag))
				if !ok {
					return tgt, false
				}
				tgt.fn, tgt.args = m, [][]*expr{r}
			}
		case recv == nil && isFunc(t):
			of, ok, tracked := x.functionOf(p, v[0], f.ctx.site)
			if tracked && !ok {
				return tgt, false
			}
			if tracked && of.fn == fn {
				tgt = of
			}
		}
	}
	for _, prm := range fn.Params[min(len(tgt.args), len(fn.Params)):] {
		tgt.args = append(tgt.args, x.unknowns(x.width(prm.Type()), "an argument that the library gives"))
	}
	for len(tgt.bindings) < len(fn.FreeVars) {
		tgt.bindings = append(tgt.bindings, x.unknowns(x.valueWidth(fn.FreeVars[len(tgt.bindings)]), "captured by a function that is not tracked"))
	}
	return tgt, true
}

// methodOf is how a method is called of a dynamic type of interfaces, nil if the type has
// it not: by the method itself, or by what calls it with a part of the value.
func (p *program) methodOf(t types.Type, fn *ssa.Function) *ssa.Function {
	if t == nil || fn.Object() == nil {
		return nil
	}
	m := p.ssa.MethodSets.MethodSet(t).Lookup(fn.Object().Pkg(), fn.Name())
	if m == nil || m.Obj() != fn.Object() {
		return nil
	}
	return p.ssa.MethodValue(m)
}

// promoting are the methods by which a function of the library calls one that the type of
// an argument has from a part of it.
func (p *program) promoting(call ssa.CallInstruction, fn *ssa.Function) (out []*ssa.Function) {
	if !p.fromLibrary(call) {
		return nil
	}
	for _, a := range arguments(call) {
		m, ok := a.(*ssa.MakeInterface)
		if !ok {
			continue
		}
		if f := p.methodOf(m.X.Type(), fn); f != nil && f != fn {
			out = append(out, f)
		}
	}
	return out
}

// noteCompletions records what has been added.
func (x *translator) noteCompletions() {
	for _, c := range x.prog.added {
		a := artifact.Approximation{File: c.File, Line: c.Line, Col: c.Col, Kind: artifact.ApproximationCompleted, Direction: artifact.DirectionOver, Reason: "completed from a run of the program: " + c.What()}
		x.approx = append(x.approx, a)
	}
}

// Missed is what a goroutine has done, run by run, that calls and conditions of the
// program seem to exclude: its stack at a guard, and before that at the guard before, if
// there was one. The lines of a stack are "function file:line", from the inside.
func (p *Prepared) Missed(before, at []string, run int) []artifact.Completion {
	from, to := p.program.frames(before), p.program.frames(at)
	var out []artifact.Completion
	add := func(c artifact.Completion) {
		c.Run = run
		known := slices.ContainsFunc(slices.Concat(p.program.added, out), func(d artifact.Completion) bool { return d.Same(c) })
		if !known && c.File != "" {
			out = append(out, c)
		}
	}
	// From the outside, frames that are in both stacks are one activation.
	same := 0
	for same < len(from) && same < len(to) && from[same].fn == to[same].fn && from[same].fn != nil {
		same++
	}
	for i := same; i < len(to); i++ {
		for _, c := range p.program.missedCall(to, i) {
			add(c)
		}
	}
	if len(out) > 0 {
		return out
	}
	way := func(f stackFrame, start, end int) {
		for _, c := range p.program.waysTo(f.fn, start, end) {
			add(c)
		}
	}
	for i, f := range to {
		switch {
		case f.fn == nil:
		case i < same && from[i].line == f.line && i < len(to)-1 && i < len(from)-1 && i < same-1:
			// It is in the same call.
		case i < same:
			way(f, from[i].line, f.line)
		default:
			way(f, 0, f.line)
		}
	}
	for i := same; i < len(from); i++ {
		if from[i].fn != nil {
			way(from[i], from[i].line, 0)
		}
	}
	return out
}

// stackFrame is an activation in a stack.
type stackFrame struct {
	name string        // as the runtime has it
	fn   *ssa.Function // nil: not one of the program
	line int
}

// frames reads a stack, from the outside.
func (p *program) frames(stack []string) []stackFrame {
	all := p.everyFunction()
	var out []stackFrame
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
		f := stackFrame{name: name, line: n}
		for _, fn := range all {
			begin, end := p.src.Fset.Position(fn.Syntax().Pos()), p.src.Fset.Position(fn.Syntax().End())
			if filepath.Base(begin.Filename) != file || n < begin.Line || end.Line < n || !ofPackage(name, fn) {
				continue
			}
			if f.fn == nil || f.fn.Syntax().Pos() <= fn.Syntax().Pos() && closures(name) >= depth(fn) {
				f.fn = fn
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

// missedCall lists the calls by which frame i of a stack has been called from the last
// one of the program around it, if the call graph lacks that.
func (p *program) missedCall(stack []stackFrame, i int) []artifact.Completion {
	callee := stack[i].fn
	k := i - 1
	for k >= 0 && stack[k].fn == nil {
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
	for _, b := range stack[k].fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(ssa.CallInstruction)
			if !ok || p.src.Fset.Position(call.Pos()).Line != stack[k].line {
				continue
			}
			if _, ok := call.Common().Value.(*ssa.Builtin); ok {
				continue
			}
			f := call.Common().StaticCallee()
			switch {
			case f != nil && f.Blocks != nil, f != nil && p.operation(f) != nil, f != nil && through != "" && f.Name() != through:
				continue
			case f == nil && (through != "" || slices.Contains(p.callees(call), callee)):
				continue
			}
			at := p.src.Fset.Position(call.Pos())
			out = append(out, artifact.Completion{
				Kind: artifact.CompletedCall, File: p.src.Rel(at.Filename), Line: at.Line, Col: at.Column,
				Func: stack[k].fn.String(), Callee: callee.String(),
			})
		}
	}
	return out
}

// waysTo lists the conditions that decide whether a function comes from a line, 0 for its
// beginning, to another, 0 for its end.
func (p *program) waysTo(fn *ssa.Function, from, to int) []artifact.Completion {
	in := p.info(fn)
	on := func(b *ssa.BasicBlock, line int) bool {
		return slices.ContainsFunc(b.Instrs, func(i ssa.Instruction) bool {
			return i.Pos().IsValid() && p.src.Fset.Position(i.Pos()).Line == line
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
		for _, a := range in.cdep[b] {
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
		at := p.src.Fset.Position(pos)
		out = append(out, artifact.Completion{
			Kind: artifact.CompletedBranch, File: p.src.Rel(at.Filename), Line: at.Line, Col: at.Column, Func: fn.String(), Block: b.Index,
		})
	}
	return out
}
