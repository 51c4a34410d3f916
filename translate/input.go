package translate

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/translate/internal/layout"
	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/relevance"
	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
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

// noteInput records a call whose results come from outside.
func (x *executor) noteInput(p *path, site ssa.CallInstruction, tgt state.Target) {
	var f *types.Func
	if c := site.Common(); c.IsInvoke() {
		f = c.Method
	} else if tgt.Fn != nil {
		g := tgt.Fn
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
	p.note(artifact.ApproximationInput, artifact.DirectionOver, fmt.Sprintf("what %s returns may be different in another run", name))
}

// inputVariables are variables of libraries that are set from outside.
var inputVariables = map[string]bool{relevance.OSArgs: true}

// noteVariable records that a variable is read that is set from outside.
func (x *executor) noteVariable(p *path, v ssa.Value) {
	if g, ok := v.(*ssa.Global); ok && inputVariables[g.String()] {
		p.note(artifact.ApproximationInput, artifact.DirectionOver, g.String()+" may be different in another run")
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
func (x *executor) callFlag(p *path, call *ssa.Call) bool {
	t := program.Pointee(call.Type())
	r, ok := x.allocate(p, call, func() *state.Object { return x.NewVariable("flag", t) }, func(o *state.Object) { x.Describe(o, t) })
	if !ok {
		return false
	}
	ctx := p.peek().Call
	values := x.withDefault(x.sizes(x.sl.Numbers[call], t), call)
	p.notePick(p.here(), "the flag", values, false)
	p.pick(values, func(q *path, k int32) {
		r.put(q, 0, sym.Num(k))
		q.set(ctx, call, []*sym.Expr{r.e})
		q.advance()
	})
	return false
}

// maxDefault is the greatest default value of a flag that is chosen.
const maxDefault = 16

// withDefault adds the default value of a flag.
func (x *executor) withDefault(values []int32, call ssa.CallInstruction) []int32 {
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

// foundBy is what errors.As sets a target of a type to: the error itself, where it is known to
// be of the type.
func (x *executor) foundBy(p *path, call ssa.CallInstruction, t types.Type) []*sym.Expr {
	err := p.value(p.peek().Call, call.Common().Args[0])
	if tag := p.simplify(err[0]); tag.IsConst() {
		of := x.mem.TypeOf(tag.K)
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

// fillings lists what a call writes into a value of type t at an address.
func (x *executor) fillings(addr int32, t types.Type, class relevance.Class, what string, call ssa.CallInstruction, depth int) []filling {
	n := x.sl.NumberClasses[class]
	switch u := t.Underlying().(type) {
	case *types.Basic:
		f := filling{addr: addr, what: what}
		if u.Info()&types.IsInteger != 0 && !program.OfTime(t) && n.Chosen() {
			f.values = x.withDefault(x.sizes(n, t), call)
		}
		return []filling{f}
	case *types.Slice:
		if !program.Writable(t, depth) {
			return nil
		}
		length := filling{addr: addr + 1, what: "the length of " + what}
		if n.Chosen() {
			length.values = x.sizes(n, t)
		}
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

// fill executes a call that writes through pointers; result sets what it returns.
func (x *executor) fill(p *path, call ssa.CallInstruction, ptrs []ssa.Value, result func(*path)) bool {
	ctx := p.peek().Call
	var all []filling
	for _, ptr := range ptrs {
		e := p.simplify(p.value(ctx, ptr)[0])
		if _, _, isNew := newObjectAt(e); isNew {
			p.settle()
		}
		k, ok, tracked := x.concrete(p, e)
		if !tracked {
			p.note("unknown-memory", artifact.DirectionUnder, "what is written through a pointer that is not tracked is not in the model")
			continue
		}
		if !ok {
			return false
		}
		t := program.Pointee(ptr.Type())
		if o := x.mem.Object(k); k == 0 || o == nil {
			continue
		}
		x.accessed(p, k, x.Width(t), p.statement(call), true)
		class, _ := relevance.ClassOf(ptr)
		what := "a number read from outside"
		if isFlagName(call) {
			what = "the flag"
		}
		if program.LibraryName(call) == "errors.As" {
			for i, e := range x.foundBy(p, call, t) {
				p.put(k+int32(i), e)
			}
			continue
		}
		all = append(all, x.fillings(k, t, class, what, call, 0)...)
	}
	var write func(q *path, i int, last *sym.Expr)
	write = func(q *path, i int, last *sym.Expr) {
		for ; i < len(all); i++ {
			f := all[i]
			switch {
			case x.mem.Cells[f.addr].Sync:
			case f.fresh:
				if q.cellAt(f.addr).Is(0) {
					q.put(f.addr, sym.Unknown("read from outside"))
				}
			case f.same && last != nil:
				q.put(f.addr, last)
			case f.values == nil:
				last = sym.Unknown("read from outside")
				q.put(f.addr, last)
			default:
				q.notePick(q.here(), f.what, f.values, false)
				q.branched = true
				q.spread()
				for _, k := range slices.Backward(f.values) {
					r := q.clone()
					r.picks++
					r.vary(k, len(f.values))
					r.put(f.addr, sym.Num(k))
					write(r, i+1, sym.Num(k))
				}
				return
			}
		}
		result(q)
		q.advance()
		x.continueWith(q)
	}
	write(p, 0, nil)
	return false
}

// isFlagName reports that a call declares a flag.
func isFlagName(call ssa.CallInstruction) bool {
	f := call.Common().StaticCallee()
	return f != nil && (program.PackageOf(f) == "flag" || strings.HasSuffix(program.PackageOf(f), "/pflag"))
}
