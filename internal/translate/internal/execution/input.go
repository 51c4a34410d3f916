package execution

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// What a program gets from outside may be different in the next run, with the
// same schedule: random numbers, the order of maps, files, the network. Where
// such a value decides the concurrency, that a replay went another way does not
// prove that no run goes the way of the model.

// inputPackages are the packages whose results come from outside.
var inputPackages = map[string]bool{
	"math/rand": true, "math/rand/v2": true, "crypto/rand": true, "hash/maphash": true,
	"os": true, "os/exec": true, "os/user": true, "io": true, "io/fs": true, "io/ioutil": true, "bufio": true,
	"net": true, "net/http": true, "flag": true, "syscall": true, "database/sql": true,
}

// inputCalls are single functions of other packages.
var inputCalls = map[string]bool{
	"runtime.NumCPU": true, "runtime.NumGoroutine": true, "runtime.GOMAXPROCS": true,
	"fmt.Scan": true, "fmt.Scanf": true, "fmt.Scanln": true, "fmt.Fscan": true, "fmt.Fscanf": true, "fmt.Fscanln": true,
}

// noteInput records a call whose results come from outside: who replays a trace that rests on it knows that
// a run may have gone another way for that.
func (x *Executor) noteInput(p *exploration.Path, site ssa.CallInstruction, tgt state.Target) {
	var f *types.Func
	if c := site.Common(); c.IsInvoke() {
		f = c.Method
	} else if tgt.Fn != nil {
		g := tgt.Fn
		// An instance of a generic function has no declaration of its own.
		if o := g.Origin(); o != nil {
			g = o
		}
		f, _ = g.Object().(*types.Func)
	}
	if f == nil || f.Pkg() == nil {
		return
	}
	name := f.FullName()
	if !inputPackages[f.Pkg().Path()] && !inputCalls[name] && !strings.HasPrefix(f.Pkg().Path(), "net/") {
		return
	}
	p.Note(approximation.Input, artifact.DirectionOver, fmt.Sprintf("what %s returns may be different in another run", name))
}

// inputVariables are variables of libraries that are set from outside.
var inputVariables = map[string]bool{relevance.OSArgs: true}

// noteVariable records that a variable is read that is set from outside.
func (x *Executor) noteVariable(p *exploration.Path, v ssa.Value) {
	if g, ok := v.(*ssa.Global); ok && inputVariables[g.String()] {
		p.Note(approximation.Input, artifact.DirectionOver, g.String()+" may be different in another run")
	}
}

// isFlag reports that a function declares a flag that is an integer, and returns
// where its value is.
func isFlag(f *ssa.Function) bool {
	if path := program.PackageOf(f); path != "flag" && !strings.HasSuffix(path, "/pflag") {
		return false
	}
	res := f.Signature.Results()
	return res.Len() == 1 && f.Signature.Params().Len() > 1 && program.Pointee(res.At(0).Type()) != res.At(0).Type() && program.IsInteger(program.Pointee(res.At(0).Type()))
}

// callFlag declares a flag: its value is chosen here.
func (x *Executor) callFlag(p *exploration.Path, call *ssa.Call) bool {
	t := program.Pointee(call.Type())
	r, ok := x.Allocate(p, call, func() *state.Object { return x.NewVariable("flag", t) }, func(o *state.Object) { x.Describe(o, t) })
	if !ok {
		return false
	}
	ctx := p.Peek().Call
	values := x.withDefault(x.Sizes(x.Slice.Numbers[call], t), call)
	p.NotePick(p.Here(), "the flag", values, false)
	p.Pick(values, func(q *exploration.Path, k int32) {
		r.Put(q, 0, sym.Num(k))
		q.Set(ctx, call, []*sym.Expr{r.Address})
		q.Advance()
	})
	return false
}

// maxDefault is the greatest default value of a flag that is chosen.
const maxDefault = 16

// withDefault adds the default value of a flag, which nearly all runs have.
func (x *Executor) withDefault(values []int32, call ssa.CallInstruction) []int32 {
	if k, ok := constArg(call.Common().Args); ok && 0 <= k && k <= maxDefault {
		values = append(values, k)
		slices.Sort(values)
	}
	return slices.Compact(values)
}

// A filling is one scalar that a call writes: one of a few values, or any.
type filling struct {
	addr   int32
	values []int32
	same   bool // the value of the one before
	fresh  bool // if it is nil so far, something new
	what   string
}

// foundBy is what errors.As sets a target of a type to: the error itself, where it is known to be of the
// type. An error that it wraps is not looked for.
func (x *Executor) foundBy(p *exploration.Path, call ssa.CallInstruction, t types.Type) []*sym.Expr {
	err := p.Value(p.Peek().Call, call.Common().Args[0])
	if tag := p.Simplify(err[0]); tag.IsConst() {
		of := x.Memory.TypeOf(tag.K)
		switch {
		case of == nil || of == layout.OpaqueError || !types.AssignableTo(of, t):
		case types.IsInterface(t):
			return err[:2]
		case x.Width(t) == 1:
			return err[1:2]
		}
	}
	return layout.Unknowns(x.Width(t), "what errors.As has found")
}

// fillings lists what a call writes into a value of type t at an address, as decoders do: into numbers and
// texts, and what has such in exported fields. class is that of the memory, which says what its numbers are
// used for. A pointer, map or interface inside is only set if it is nil, and then to what is not known.
func (x *Executor) fillings(addr int32, t types.Type, class relevance.Class, what string, call ssa.CallInstruction, depth int) []filling {
	n := x.Slice.NumberClasses[class]
	switch u := t.Underlying().(type) {
	case *types.Basic:
		f := filling{addr: addr, what: what}
		if u.Info()&types.IsInteger != 0 && !program.OfTime(t) && n.Chosen() {
			f.values = x.withDefault(x.Sizes(n, t), call)
		}
		return []filling{f}
	case *types.Slice:
		if !program.Writable(t, depth) {
			return nil
		}
		length := filling{addr: addr + 1, what: "the length of " + what}
		if n.Chosen() {
			length.values = x.Sizes(n, t)
		}
		// A new array of which nothing is known; there is no room behind its elements.
		return []filling{{addr: addr, what: what}, length, {addr: addr + 2, what: what, same: true}}
	case *types.Array:
		w := x.Width(u.Elem())
		if !program.Writable(t, depth) || int64(x.Width(t)) != int64(w)*u.Len() {
			return nil
		}
		var out []filling
		for i := range int32(u.Len()) {
			out = append(out, x.fillings(addr+i*int32(w), u.Elem(), relevance.Elements(u.Elem()), what, call, depth+1)...)
		}
		return out
	case *types.Pointer, *types.Map, *types.Interface:
		if !program.Writable(t, depth) {
			return nil
		}
		var out []filling
		for i := range int32(x.Width(t)) {
			out = append(out, filling{addr: addr + i, what: what, fresh: true})
		}
		return out
	case *types.Struct:
		if x.Foreign(t) || program.SyncCells(t) != nil || program.IsCond(t) || depth > 6 {
			return nil
		}
		var out []filling
		for i := range u.NumFields() {
			f := u.Field(i)
			if program.Filled(f) {
				out = append(out, x.fillings(addr+int32(x.FieldOffset(u, i)), f.Type(), relevance.Field(f), f.Name(), call, depth+1)...)
			}
		}
		return out
	}
	return nil
}

// fill executes a call that writes through pointers, as fmt.Sscan(s, &n); result sets what it returns. Each
// number that something has the size of is one of a few, so that there is a path for each combination;
// others are unknown. What a nil pointer points to is not written.
func (x *Executor) fill(p *exploration.Path, call ssa.CallInstruction, ptrs []ssa.Value, result func(*exploration.Path)) bool {
	ctx := p.Peek().Call
	var all []filling
	// All pointers have to be known before anything is written, since the path may fork for each.
	for _, ptr := range ptrs {
		e := p.Simplify(p.Value(ctx, ptr)[0])
		if _, _, isNew := exploration.NewObjectAt(e); isNew {
			p.Settle()
		}
		k, ok, tracked := x.Concrete(p, e)
		if !tracked {
			p.Note("unknown-memory", artifact.DirectionUnder, "what is written through a pointer that is not tracked is not in the model")
			continue
		}
		if !ok {
			return false
		}
		t := program.Pointee(ptr.Type())
		if o := x.Memory.Object(k); k == 0 || o == nil {
			continue
		}
		x.Accessed(p, k, x.Width(t), p.Statement(call), true)
		class, _ := relevance.ClassOf(ptr)
		what := "a number read from outside"
		if isFlagName(call) {
			what = "the flag"
		}
		if program.LibraryName(call) == "errors.As" {
			for i, e := range x.foundBy(p, call, t) {
				p.Put(k+int32(i), e)
			}
			continue
		}
		all = append(all, x.fillings(k, t, class, what, call, 0)...)
	}
	var write func(q *exploration.Path, i int, last *sym.Expr)
	write = func(q *exploration.Path, i int, last *sym.Expr) {
		for ; i < len(all); i++ {
			f := all[i]
			switch {
			// No decoder writes into locks and channels.
			case x.Memory.Cells[f.addr].Sync:
			case f.fresh:
				if q.CellAt(f.addr).Is(0) {
					q.Put(f.addr, sym.Unknown("read from outside"))
				}
			case f.same && last != nil:
				q.Put(f.addr, last)
			case f.values == nil:
				last = sym.Unknown("read from outside")
				q.Put(f.addr, last)
			default:
				q.NotePick(q.Here(), f.what, f.values, false)
				q.Branched = true
				q.MarkFork()
				// Each number that follows is chosen on each of these paths.
				for _, k := range slices.Backward(f.values) {
					r := q.Clone()
					r.Picks++
					r.Vary(k, len(f.values))
					r.Put(f.addr, sym.Num(k))
					write(r, i+1, sym.Num(k))
				}
				return
			}
		}
		result(q)
		q.Advance()
		x.ContinueWith(q)
	}
	write(p, 0, nil)
	return false
}

// isFlagName reports that a call declares a flag.
func isFlagName(call ssa.CallInstruction) bool {
	f := call.Common().StaticCallee()
	return f != nil && (program.PackageOf(f) == "flag" || strings.HasSuffix(program.PackageOf(f), "/pflag"))
}
