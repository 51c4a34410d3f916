package execution

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// errors.Is is known where the model knows both errors, and the chain of the first: of an error that
// fmt.Errorf makes, a variable of the package that it wraps. So it is for
//
//	var errClosed = errors.New("closed")
//	err := fmt.Errorf("send: %w", errClosed)
//	if errors.Is(err, errClosed) { ... }
//
// Errors are compared as interfaces are: by the number of the type and the scalar, which for those of the
// library is the address of an object of its own.

// maxWrapped is the longest chain of errors that is followed.
const maxWrapped = 8

// errorIs is the result of errors.Is; ok is false if it is not known. The target has to be one error; the
// other one may be a few, and the result is then a choice among theirs.
func (x *Executor) errorIs(p *exploration.Path, call *ssa.Call) (out []*sym.Expr, ok bool) {
	ctx := p.Peek().Call
	err, target := p.Value(ctx, call.Call.Args[0]), p.Value(ctx, call.Call.Args[1])
	var wanted [2]int32
	for i := range wanted {
		e := p.Simplify(target[i])
		if !e.IsConst() {
			return nil, false
		}
		wanted[i] = e.K
	}
	return x.tabulate(p, []*sym.Expr{err[0], err[1]}, func(k []int32) []any {
		is, known := x.inChain(p, [2]int32{k[0], k[1]}, wanted)
		if !known {
			return nil
		}
		return []any{is}
	})
}

// inChain reports that an error or one that it wraps is the wanted one; known is false if that cannot be
// said. It follows package errors: the two are compared, then the error is asked by its method Is, and then
// unwrapped. The methods of an error of a type of the program are not called: if it has one, the result is
// not known.
func (x *Executor) inChain(p *exploration.Path, err, wanted [2]int32) (is, known bool) {
	for range maxWrapped {
		if err[0] == 0 || wanted[0] == 0 {
			return err[0] == wanted[0], true
		}
		if err == wanted {
			return true, !severalErrors(p, x.Memory.Object(err[1]))
		}
		t := x.Memory.TypeOf(err[0])
		if t == nil {
			return false, false
		}
		if t != layout.OpaqueError {
			return false, !x.unwraps(t)
		}
		o := x.Memory.Object(err[1])
		if o == nil {
			return false, err[1] == 0 // which goes with no error: it cannot be
		}
		if o.Wrapped == nil {
			return false, !o.Wraps
		}
		// What the variable holds now is taken for what it held when it was wrapped.
		g := x.Global(o.Wrapped)
		for i := range err {
			e := p.CellAt(g.Base + int32(i))
			if !e.IsConst() {
				return false, false
			}
			err[i] = e.K
		}
	}
	return false, false
}

// unwraps reports that the methods of a type say what its values are or wrap, or
// that its values cannot be told apart by their numbers.
func (x *Executor) unwraps(t types.Type) bool {
	ms := x.Program.SSA.MethodSets.MethodSet(t)
	return ms.Lookup(nil, "Is") != nil || ms.Lookup(nil, "Unwrap") != nil || x.Width(t) > 1
}

// newError is the error that a call of errors.New or fmt.Errorf makes, on a path that is in the activation that calls.
// There is one object for each call, whatever comes to it: most errors are compared with nil, or with those that the
// initialisation of a package makes, once.
func (x *Executor) newError(p *exploration.Path, key string, call *ssa.Call) []*sym.Expr {
	e := x.ErrorValue(key, "err")
	o := x.Memory.Object(e[1].K)
	o.Wrapped, o.Wraps = wrappedError(call)
	ctx := p.Peek().Call
	once := p.Template.Once && !ctx.InLoop && !x.Program.Function(call.Parent()).InCycle[call.Block().Index]
	if o.Maker == nil {
		o.Maker = ctx
	}
	if !o.Repeats && (!once || o.Maker != ctx) {
		o.Repeats = true
		x.EnqueueAll(o.Compared)
	}
	return e
}

// severalErrors reports that an object stands for several errors. If it does not, the segment depends on that.
func severalErrors(p *exploration.Path, o *state.Object) bool {
	if o == nil || o.Maker == nil {
		return false
	}
	if !o.Repeats && p.From != nil {
		if o.Compared == nil {
			o.Compared = map[*state.Location]bool{}
		}
		o.Compared[p.From] = true
	}
	return o.Repeats
}

// sameCall reports that two errors may be ones that the same call has made, the first at one time and the second at
// another: the model has one object for both, and the program two.
func (x *Executor) sameCall(p *exploration.Path, a, b []*sym.Expr) bool {
	if len(a) != 2 || len(b) != 2 || !a[1].IsConst() && a[1].Same(b[1]) {
		return false // two numbers that are the same are no proof: they are that of the object
	}
	of, other := p.Abs(p.Simplify(a[1])), p.Abs(p.Simplify(b[1]))
	if of.Top || of.Interval || other.Top || other.Interval {
		return false
	}
	for _, k := range of.Elems {
		if other.Has(k) && severalErrors(p, x.Memory.Object(k)) {
			return true
		}
	}
	return false
}

// wrappedError is the variable that holds what the error wraps that a call makes;
// wraps says that it may wrap something.
func wrappedError(call *ssa.Call) (g *ssa.Global, wraps bool) {
	if program.FullName(call.Call.StaticCallee()) != "fmt.Errorf" {
		return nil, false
	}
	format, ok := call.Call.Args[0].(*ssa.Const)
	if !ok || format.Value == nil || format.Value.Kind() != constant.String {
		return nil, true
	}
	verbs := strings.Count(constant.StringVal(format.Value), "%w")
	if verbs == 0 {
		return nil, false
	}
	// Several errors make a tree, which is not followed.
	if verbs > 1 {
		return nil, true
	}
	// Which argument belongs to the verb is not asked: it is the one that is an error, if there is one
	// alone.
	for _, a := range program.Arguments(call)[1:] {
		if c, ok := a.(*ssa.ChangeInterface); ok {
			a = c.X
		}
		if !types.Implements(a.Type(), program.ErrorInterface) {
			if m, ok := a.(*ssa.MakeInterface); !ok || !types.Implements(m.X.Type(), program.ErrorInterface) {
				continue
			}
			return nil, true
		}
		load, ok := a.(*ssa.UnOp)
		if !ok || load.Op != token.MUL || g != nil {
			return nil, true
		}
		if g, ok = load.X.(*ssa.Global); !ok {
			return nil, true
		}
	}
	return g, true
}
