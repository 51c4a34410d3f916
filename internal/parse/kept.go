package parse

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/vtrace/vtrace/internal/source"
)

// A library may keep what it is given, as bufio.NewWriter and log.New keep the buffer that
// they write to. What it does to that later is not recorded. So a use of a value of such a
// type by the program counts as a call of uninstrumented code, too: an exploration of all
// schedules has both in every order, or says that it has not.

// keptTypes are the unlocked types, by name, of which a pointer becomes something that may keep
// it, whatever statement or expression has it so: an interface, an argument of a function that is
// not instrumented, a part of a value of a library, a method value, or a type argument.
func keptTypes(ctx context.Context, prog *source.Program) (map[string]bool, error) {
	kept := map[string]bool{}
	mayBe := false
	for _, p := range prog.Packages {
		for _, instance := range p.TypesInfo.Instances {
			for t := range instance.TypeArgs.Types() {
				keepIn(kept, t)
			}
		}
		for _, tv := range p.TypesInfo.Types {
			if results, ok := tv.Type.(*types.Tuple); ok {
				for v := range results.Variables() {
					mayBe = mayBe || len(unlockedIn(v.Type())) > 0
				}
			} else if tv.Type != nil {
				mayBe = mayBe || len(unlockedIn(tv.Type)) > 0
			}
		}
	}
	if !mayBe {
		return kept, nil
	}
	form, err := buildSSA(ctx, prog)
	if err != nil {
		return nil, err
	}
	own := map[*types.Package]bool{}
	for _, p := range form.packages {
		if p != nil {
			own[p.Pkg] = true
		}
	}
	k := keeper{kept: kept, own: own, pools: true}
	functions := ssautil.AllFunctions(form.program)
	eachInstruction(functions, func(in ssa.Instruction) {
		if c, ok := in.(*ssa.Call); ok && isPoolMethod(c.Call.StaticCallee(), "Get") && !isGotAsItIs(c) {
			k.pools = false
		}
	})
	eachInstruction(functions, k.keeps)
	return kept, nil
}

func eachInstruction(functions map[*ssa.Function]bool, visit func(ssa.Instruction)) {
	for fn := range functions {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				visit(in)
			}
		}
	}
}

// isGotAsItIs: what a sync.Pool gives is used as a value of its own type only, and so is seen where something may keep it.
func isGotAsItIs(got *ssa.Call) bool {
	return !slices.ContainsFunc(*got.Referrers(), func(in ssa.Instruction) bool {
		switch in := in.(type) {
		case *ssa.DebugRef:
			return false
		case *ssa.TypeAssert:
			return types.IsInterface(in.AssertedType)
		}
		return true
	})
}

// keeper is what keptTypes knows.
type keeper struct {
	kept map[string]bool
	own  map[*types.Package]bool
	// pools: what a sync.Pool keeps is used by nobody behind the back of the program, see isGotAsItIs.
	pools bool
}

// keeps adds the types of which an instruction has something keep a pointer.
func (k keeper) keeps(in ssa.Instruction) {
	kept, own := k.kept, k.own
	switch in := in.(type) {
	case *ssa.MakeInterface:
		if !k.keepsNothing(in) {
			keepIn(kept, in.X.Type())
		}
	case *ssa.MakeClosure:
		if fn := in.Fn.(*ssa.Function); fn.Object() != nil && !own[fn.Object().Pkg()] {
			for _, v := range in.Bindings { // the receiver of a method value
				keepIn(kept, v.Type())
			}
		}
	case *ssa.Store:
		if f, ok := in.Addr.(*ssa.FieldAddr); ok {
			of := f.X.Type().Underlying().(*types.Pointer).Elem()
			if n, ok := types.Unalias(of).(*types.Named); ok && !own[n.Obj().Pkg()] {
				keepIn(kept, in.Val.Type())
			}
		}
	case ssa.CallInstruction:
		c := in.Common()
		callee := c.StaticCallee()
		if callee == nil || callee.Object() == nil || own[callee.Object().Pkg()] || k.lends(callee) {
			return
		}
		args := c.Args
		if callee.Signature.Recv() != nil {
			args = args[1:]
		}
		for _, v := range args {
			keepIn(kept, v.Type())
		}
	}
}

// keepsNothing: an interface is only given to functions that keep nothing, or compared.
func (k keeper) keepsNothing(v ssa.Value) bool {
	for _, in := range *v.Referrers() {
		switch in := in.(type) {
		case *ssa.DebugRef, *ssa.BinOp:
		case ssa.CallInstruction:
			if callee := in.Common().StaticCallee(); callee == nil || !k.lends(callee) {
				return false
			}
		case *ssa.Return:
			if !k.pools || !fillsPool(in.Parent()) {
				return false
			}
		case *ssa.Store:
			if !k.isVariableArgument(in) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// isVariableArgument: what is stored is one of the variable arguments of a function that keeps
// nothing.
func (k keeper) isVariableArgument(s *ssa.Store) bool {
	at, ok := s.Addr.(*ssa.IndexAddr)
	if !ok {
		return false
	}
	array, ok := at.X.(*ssa.Alloc)
	if !ok {
		return false
	}
	for _, use := range *array.Referrers() {
		switch use := use.(type) {
		case *ssa.IndexAddr:
			if slices.ContainsFunc(*use.Referrers(), func(in ssa.Instruction) bool { _, ok := in.(*ssa.Store); return !ok }) {
				return false
			}
		case *ssa.Slice:
			if !k.keepsNothing(use) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// lends: a function keeps nothing that it is given. One of package fmt writes to it, and that
// is recorded. A sync.Pool keeps it, and does nothing to it.
func (k keeper) lends(fn *ssa.Function) bool {
	obj := fn.Object()
	if obj == nil || obj.Pkg() == nil {
		return false
	}
	return quiet[obj.Pkg().Path()] || obj.Pkg().Path() == "fmt" || k.pools && isPoolMethod(fn, "Put")
}

func isPoolMethod(fn *ssa.Function, name string) bool {
	return fn != nil && fn.Name() == name && fn.Signature.Recv() != nil && nameOf(fn.Signature.Recv().Type()) == "sync.Pool"
}

// fillsPool: all that is done with a function literal is to make it the New of a sync.Pool.
func fillsPool(fn *ssa.Function) bool {
	if fn.Parent() == nil {
		return false
	}
	isLiteral := func(v ssa.Value) bool {
		c, ok := v.(*ssa.MakeClosure)
		return v == fn || ok && c.Fn == fn
	}
	fills := false
	for _, b := range fn.Parent().Blocks { // nobody else knows the literal
		for _, in := range b.Instrs {
			if c, ok := in.(*ssa.MakeClosure); ok && c.Fn == fn {
				continue
			}
			if !slices.ContainsFunc(in.Operands(nil), func(op *ssa.Value) bool { return isLiteral(*op) }) {
				continue
			}
			if !isPoolNew(in) {
				return false
			}
			fills = true
		}
	}
	return fills
}

// isPoolNew: an instruction stores to the field New of a sync.Pool.
func isPoolNew(in ssa.Instruction) bool {
	s, ok := in.(*ssa.Store)
	if !ok {
		return false
	}
	f, ok := s.Addr.(*ssa.FieldAddr)
	if !ok || nameOf(f.X.Type()) != "sync.Pool" {
		return false
	}
	pool := f.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	return pool.Field(f.Field).Name() == "New"
}

func keepIn(kept map[string]bool, t types.Type) {
	for _, name := range unlockedIn(t) {
		kept[name] = true
	}
}

// unlockedIn are the unlocked types whose methods a value of a type has by a pointer to one of
// their values: it is one, or has one embedded.
func unlockedIn(t types.Type) (names []string) {
	type seenAs struct {
		t       types.Type
		pointer bool
	}
	seen := map[seenAs]bool{}
	var visit func(t types.Type, pointer bool)
	visit = func(t types.Type, pointer bool) {
		t = types.Unalias(t)
		if p, ok := t.(*types.Pointer); ok {
			t, pointer = types.Unalias(p.Elem()), true
		}
		if seen[seenAs{t, pointer}] {
			return
		}
		seen[seenAs{t, pointer}] = true
		if name := unlockedName(t); name != "" {
			if pointer {
				names = append(names, name)
			}
			return
		}
		if s, ok := t.Underlying().(*types.Struct); ok {
			for f := range s.Fields() {
				if f.Embedded() {
					visit(f.Type(), pointer)
				}
			}
		}
	}
	visit(t, false)
	return names
}

// use is the call of the runtime that records the use of a value by a method, up to the
// value, with a verb for the place, and what follows on the value: the way to an embedded
// field.
func (r *rewriter) use(e ast.Expr) (call, field string) {
	t := r.info.TypeOf(e)
	for _, f := range r.races.promoted[e] {
		field += "." + f.Name()
		t = f.Type()
	}
	if types.IsInterface(t) {
		return "UseValue(%d, ", field
	}
	call = "Use"
	if r.kept[unlockedName(t)] {
		call = "UseKept"
	}
	if isPointer(t) {
		return call + "(%d, ", field
	}
	return call + "(%d, &", field
}

// usedBehind records what a call of a library uses once more behind the last of its operands
// that may wait: others may have acted since it was evaluated.
func (r *rewriter) usedBehind(c *ast.CallExpr) {
	if r.races == nil {
		return
	}
	operands := c.Args
	if x, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
		operands = append([]ast.Expr{x.X}, operands...)
	}
	for i, e := range operands {
		changes, used := r.races.uses[e]
		given, handed := r.races.handed[e]
		var last ast.Expr
		for _, a := range operands[i+1:] {
			if r.maps.mayWait(a) {
				last = a
			}
		}
		if !used && !handed || last == nil {
			continue
		}
		if !r.again(e) || !r.maps.keepsType(last) {
			r.unrecorded(e.Pos(), "what a library uses is not recorded here, behind an operand that may wait")
			continue
		}
		text := string(r.src[r.file.Offset(e.Pos()):r.file.Offset(e.End())])
		if used {
			function, field := r.use(e)
			text = fmt.Sprintf("%s.%s%s%s, %v)", r.zz, fmt.Sprintf(function, r.touch(e)), text, field, constantBool(changes))
		} else {
			open, end := r.handing(e, given)
			text = open + text + end
		}
		r.before(last.Pos(), r.zz+".Recorded(")
		r.after(last.End(), ", "+text+")")
	}
}

// handing is what records that a library is given an expression, and perhaps changes it: what is in front of it, and behind.
func (r *rewriter) handing(e ast.Expr, changes bool) (open, end string) {
	address := ""
	if r.races.addressed[e] {
		address = "&"
	}
	return fmt.Sprintf("%s.Given(%d, %s", r.zz, r.touch(e), address), fmt.Sprintf(", %v)", constantBool(changes))
}

// again reports whether an expression can be evaluated again, though others have acted since:
// it does not panic then, and is written in one line.
func (r *rewriter) again(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.Ident:
		return true
	case *ast.UnaryExpr:
		return x.Op == token.AND && r.again(x.X)
	case *ast.SelectorExpr:
		m := r.info.Selections[x]
		if m == nil {
			return true // of another package
		}
		id, ok := x.X.(*ast.Ident)
		if !ok || m.Kind() != types.FieldVal || len(m.Index()) > 1 || r.file.Line(x.Pos()) != r.file.Line(x.End()) {
			return false
		}
		v, ok := r.info.Uses[id].(*types.Var)
		return ok && (!isPointer(v.Type()) || !r.races.variable(v)) // another one could set it to nil
	}
	return false
}
