package parse

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Which memory references may refer to is found by unification (Steensgaard, Points-to Analysis in
// Almost Linear Time, POPL 1996): what a reference may be copied to refers to the same cell. The
// elements of a slice or an array are one cell, and so are the same fields of all values of a type.

// cell is memory that is not told apart.
type cell struct {
	in      *cell // the cell that this one has become a part of, nil if none
	content *cell // what the references in it refer to
	keys    *cell // of a map: its keys; the cell itself has what they lead to
	taint   taint
	users   []ssa.Instruction // that have read it
}

func (c *cell) find() *cell {
	for c.in != nil {
		if c.in.in != nil {
			c.in = c.in.in
		}
		c = c.in
	}
	return c
}

// contents is what the references in a cell refer to.
func (c *cell) contents() *cell {
	c = c.find()
	if c.content == nil {
		c.content = new(cell)
	}
	return c.content.find()
}

// mapKeys is the cell of the keys of the map that a cell is.
func (c *cell) mapKeys() *cell {
	c = c.find()
	if c.keys == nil {
		c.keys = new(cell)
	}
	return c.keys.find()
}

// unify makes two cells one. Either may be nil.
func unify(a, b *cell) {
	if a == nil || b == nil {
		return
	}
	if a, b = a.find(), b.find(); a == b {
		return
	}
	b.in = a
	if a.content == nil {
		a.content = b.content
	} else {
		unify(a.content, b.content)
	}
	if a = a.find(); a.keys == nil {
		a.keys = b.keys
	} else {
		unify(a.keys, b.keys)
	}
}

// isReference reports whether values of a type refer to memory, or have elements that do.
func isReference(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Interface, *types.Signature:
		return true
	case *types.Array:
		return isReference(u.Elem())
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return false
}

// at is the cell of a key: what a value refers to, or a result; by its name, a variable or a field.
func (f *clockFlow) at(key any) *cell {
	c := f.cells[key]
	if c == nil {
		c = new(cell)
		f.cells[key] = c
	}
	return c.find()
}

// to is the cell that a value refers to, nil if it refers to none.
func (f *clockFlow) to(v ssa.Value) *cell {
	switch v := v.(type) {
	case *ssa.Const, *ssa.Function, *ssa.Builtin:
		return nil
	case *ssa.Global:
		return f.at("var " + v.String())
	}
	if !isReference(v.Type()) {
		return nil
	}
	return f.at(v)
}

// toResult is the cell that a result refers to, if its type does to any.
func (f *clockFlow) toResult(of any, i int, t types.Type) *cell {
	if !isReference(t) {
		return nil
	}
	return f.at(resultOf{of, i})
}

// toFirst is the cell of a value, or of the first one of a pair with a truth.
func (f *clockFlow) toFirst(v ssa.Value, pair bool) *cell {
	if t, ok := v.Type().(*types.Tuple); ok && pair {
		return f.toResult(v, 0, t.At(0).Type())
	}
	return f.to(v)
}

func typeText(t types.Type) string { return types.TypeString(t, nil) }

// pointedTo is the type that a pointer points to, or the type itself.
func pointedTo(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// field is the cell of the i-th field of a struct, or of what a pointer to one points to.
func (f *clockFlow) field(t types.Type, i int) *cell {
	type key struct {
		t types.Type
		i int
	}
	k := key{types.Unalias(pointedTo(t)), i}
	if c := f.cells[k]; c != nil {
		return c.find()
	}
	name := typeText(k.t)
	if n, ok := k.t.(*types.Named); ok {
		name = typeText(n.Origin())
	}
	c := f.at("field " + name + "." + k.t.Underlying().(*types.Struct).Field(i).Name())
	f.cells[k] = c
	return c
}

// alias unifies what an instruction makes the same.
func (f *clockFlow) alias(fn *ssa.Function, instr ssa.Instruction) {
	switch x := instr.(type) {
	case *ssa.Phi:
		for _, e := range x.Edges {
			unify(f.to(x), f.to(e))
		}
	case *ssa.ChangeType:
		unify(f.to(x), f.to(x.X))
		f.sameFields(x.X.Type(), x.Type())
	case *ssa.Convert:
		unify(f.to(x), f.to(x.X))
	case *ssa.MultiConvert:
		unify(f.to(x), f.to(x.X))
	case *ssa.ChangeInterface:
		unify(f.to(x), f.to(x.X))
	case *ssa.MakeInterface:
		unify(f.to(x), f.to(x.X))
	case *ssa.SliceToArrayPointer:
		unify(f.to(x), f.to(x.X))
	case *ssa.Slice:
		unify(f.to(x), f.to(x.X))
	case *ssa.TypeAssert:
		unify(f.toFirst(x, x.CommaOk), f.to(x.X))
	case *ssa.Extract:
		unify(f.to(x), f.toResult(x.Tuple, x.Index, x.Type()))
	case *ssa.FieldAddr:
		unify(f.to(x), f.field(x.X.Type(), x.Field))
	case *ssa.Field:
		if isReference(x.Type()) {
			unify(f.to(x), f.field(x.X.Type(), x.Field).contents())
		}
	case *ssa.IndexAddr:
		unify(f.to(x), f.to(x.X))
	case *ssa.Index:
		unify(f.to(x), f.to(x.X))
	case *ssa.Lookup:
		if c := f.to(x.X); c != nil {
			unify(f.toFirst(x, x.CommaOk), c.contents())
		}
	case *ssa.UnOp:
		c := f.to(x.X)
		if c != nil && (x.Op == token.MUL || x.Op == token.ARROW) {
			unify(f.toFirst(x, x.CommaOk), c.contents())
		}
	case *ssa.Store:
		f.put(f.to(x.Addr), x.Val)
	case *ssa.MapUpdate:
		f.put(f.to(x.Map), x.Value)
		if c := f.to(x.Map); c != nil {
			f.put(c.mapKeys(), x.Key)
		}
	case *ssa.Send:
		f.put(f.to(x.Chan), x.X)
	case *ssa.Select:
		i := 2
		for _, s := range x.States {
			if s.Dir == types.SendOnly {
				f.put(f.to(s.Chan), s.Send)
				continue
			}
			if c := f.to(s.Chan); c != nil {
				unify(f.toResult(x, i, x.Type().(*types.Tuple).At(i).Type()), c.contents())
			}
			i++
		}
	case *ssa.Next:
		if c := f.to(x.Iter.(*ssa.Range).X); c != nil {
			t := x.Type().(*types.Tuple)
			unify(f.toResult(x, 1, t.At(1).Type()), c.mapKeys().contents())
			unify(f.toResult(x, 2, t.At(2).Type()), c.contents())
		}
	case *ssa.MakeClosure:
		for i, v := range x.Bindings {
			unify(f.to(x.Fn.(*ssa.Function).FreeVars[i]), f.to(v))
		}
	case *ssa.Return:
		for i, v := range x.Results {
			unify(f.toResult(fn, i, fn.Signature.Results().At(i).Type()), f.to(v))
		}
	case *ssa.Panic:
		f.put(f.at(panicking), x.X)
	case ssa.CallInstruction:
		f.aliasCall(x)
	}
}

// put notes that a value is stored in a cell.
func (f *clockFlow) put(c *cell, v ssa.Value) {
	if to := f.to(v); c != nil && to != nil {
		unify(c.contents(), to)
	}
}

// sameFields notes that a struct, or a pointer to one, is converted to another type. A type parameter
// has no fields that could be named; what stands for it has, in the instance of the function.
func (f *clockFlow) sameFields(from, to types.Type) {
	from, to = pointedTo(from), pointedTo(to)
	s, ok := from.Underlying().(*types.Struct)
	if _, also := to.Underlying().(*types.Struct); !ok || !also {
		return
	}
	for i := range s.NumFields() {
		unify(f.field(from, i), f.field(to, i))
	}
}

// toCall is the cell that a result of a call refers to.
func (f *clockFlow) toCall(c ssa.CallInstruction, i int) *cell {
	v, ok := c.(*ssa.Call)
	if !ok {
		return nil
	}
	results := v.Call.Signature().Results()
	switch {
	case i >= results.Len():
		return nil
	case results.Len() == 1:
		return f.to(v)
	}
	return f.toResult(v, i, results.At(i).Type())
}

// aliasCall unifies what a call makes the same.
func (f *clockFlow) aliasCall(c ssa.CallInstruction) {
	common := c.Common()
	args := common.Args
	if b, ok := common.Value.(*ssa.Builtin); ok {
		f.aliasBuiltin(c, b.Name(), args)
		return
	}
	fn := f.libraryFunc(common)
	if fn != nil {
		f.aliasLibrary(c, fn)
	}
	if common.IsInvoke() {
		args = append([]ssa.Value{common.Value}, args...)
	}
	found, others := f.candidates(c)
	for _, fn := range found {
		for i, p := range fn.Params {
			if i < len(args) {
				unify(f.to(p), f.to(args[i]))
			}
		}
		for i := range fn.Signature.Results().Len() {
			unify(f.toCall(c, i), f.toResult(fn, i, fn.Signature.Results().At(i).Type()))
		}
	}
	if from := f.to(common.Value); others && fn == nil && from != nil && !common.IsInvoke() {
		// An iterator of the library, for one.
		for _, a := range args {
			for _, fn := range f.functionsOf(a) {
				for _, p := range fn.Params {
					unify(f.to(p), from.contents())
				}
			}
		}
	}
}

func (f *clockFlow) aliasBuiltin(c ssa.CallInstruction, name string, args []ssa.Value) {
	switch name {
	case "append":
		unify(f.toCall(c, 0), f.to(args[0]))
		unify(f.to(args[0]), f.to(args[len(args)-1]))
		unify(f.toCall(c, 0), f.to(args[len(args)-1]))
	case "copy":
		if from, to := f.to(args[1]), f.to(args[0]); from != nil && to != nil {
			unify(from.contents(), to.contents())
		}
	case "recover":
		unify(f.toCall(c, 0), f.at(panicking).contents())
	case "ssa:wrapnilchk":
		unify(f.toCall(c, 0), f.to(args[0]))
	default: // those of package unsafe
		if r := f.toCall(c, 0); r != nil {
			for _, a := range args {
				unify(r, f.to(a))
			}
		}
	}
}

// aliasLibrary unifies what a call of a function without a body may make the same: its results and
// operands of the same type, what a container is given and what comes out of it, and what functions
// that it is given are called with.
func (f *clockFlow) aliasLibrary(c ssa.CallInstruction, fn *types.Func) {
	args := c.Common().Args
	if f.shows(fn) {
		return
	}
	results := c.Common().Signature().Results()
	for i := range results.Len() {
		t := results.At(i).Type()
		_, function := t.Underlying().(*types.Signature)
		for _, a := range args {
			if function || types.Identical(t, a.Type()) {
				unify(f.toCall(c, i), f.to(a))
			}
		}
	}
	if keepers[fn.Pkg().Path()] {
		kept := f.keptIn(fn, args)
		for _, a := range args {
			if f.to(a) != kept {
				f.put(kept, a)
			}
		}
		for i := range results.Len() {
			unify(f.toCall(c, i), kept.contents())
		}
	}
	for _, a := range args {
		for _, fn := range f.functionsOf(a) {
			for _, p := range fn.Params {
				for _, b := range args {
					to := f.to(b)
					switch u := b.Type().Underlying().(type) {
					case *types.Slice:
						if to != nil && types.Identical(u.Elem(), p.Type()) {
							unify(f.to(p), to.contents())
						}
					case *types.Map:
						if to != nil && types.Identical(u.Elem(), p.Type()) {
							unify(f.to(p), to.contents())
						}
						if to != nil && types.Identical(u.Key(), p.Type()) {
							unify(f.to(p), to.mapKeys().contents())
						}
					}
					if types.Identical(b.Type(), p.Type()) {
						unify(f.to(p), to)
					}
				}
			}
		}
	}
}

// keptIn is where a function of a container, or the like, keeps what it is given: in its receiver,
// or for those of packages with values that refer to each other in one cell for all.
func (f *clockFlow) keptIn(fn *types.Func, args []ssa.Value) *cell {
	if strings.HasPrefix(fn.Pkg().Path(), "sync") && len(args) > 0 {
		if _, ok := args[0].Type().Underlying().(*types.Pointer); ok {
			if c := f.to(args[0]); c != nil {
				return c
			}
		}
	}
	return f.at(contained)
}

// functionsOf are the functions of the program that a value may be, if it is a function.
func (f *clockFlow) functionsOf(v ssa.Value) []*ssa.Function {
	if _, ok := v.Type().Underlying().(*types.Signature); !ok {
		return nil
	}
	switch v := v.(type) {
	case *ssa.Function:
		if fn := f.body(v); fn != nil {
			return []*ssa.Function{fn}
		}
		return nil
	case *ssa.MakeClosure:
		return []*ssa.Function{v.Fn.(*ssa.Function)}
	case *ssa.Const:
		return nil
	}
	var out []*ssa.Function
	for _, fn := range f.taken[functionType(v.Type())] {
		if fn != nil {
			out = append(out, fn)
		}
	}
	return out
}
