package program

import (
	"go/constant"
	"go/types"
	"math"
	"math/big"

	"golang.org/x/tools/go/ssa"
)

// TypeKey names a type, with the whole paths of packages: types with the same key are the same.
func TypeKey(t types.Type) string { return types.TypeString(t, nil) }

// LibraryType names a declared type with its package's path, "" for others.
func LibraryType(t types.Type) string {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return ""
	}
	return n.Obj().Pkg().Path() + "." + n.Obj().Name()
}

// Pointee is what a pointer points to, and any other type itself.
func Pointee(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// Sizes are those of the types of the program under check.
func (p *Program) Sizes() types.Sizes {
	if s := p.Source.Entry.TypesSizes; s != nil {
		return s
	}
	return types.SizesFor("gc", "amd64")
}

// IsBool reports that a type is one of booleans, whatever its name.
func IsBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// IsInteger reports that a type is one of integers.
func IsInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// IsUnsigned reports that a type is one of integers without sign.
func IsUnsigned(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsUnsigned != 0
}

// IsString reports that a type is one of strings.
func IsString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// IsChan reports that a type is one of channels.
func IsChan(t types.Type) bool {
	_, ok := t.Underlying().(*types.Chan)
	return ok
}

// IsFunc reports that a type is one of functions.
func IsFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// IsError reports that a type is error.
func IsError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// Int32Const returns an integer or boolean constant that fits 32 bits.
func Int32Const(c *ssa.Const) (int32, bool) {
	if c.Value == nil {
		return 0, false
	}
	switch c.Value.Kind() {
	case constant.Bool:
		if constant.BoolVal(c.Value) {
			return 1, true
		}
		return 0, true
	case constant.Int:
		if b, ok := c.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsInteger == 0 {
			return 0, false
		}
		k, exact := constant.Int64Val(c.Value)
		if exact && k >= math.MinInt32 && k <= math.MaxInt32 {
			return int32(k), true
		}
	}
	return 0, false
}

// IntegerConst is the value of a constant that is an integer, nil for others.
func IntegerConst(v ssa.Value) *big.Int {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || !IsInteger(c.Type()) {
		return nil
	}
	switch k := constant.Val(constant.ToInt(c.Value)).(type) {
	case int64:
		return big.NewInt(k)
	case *big.Int:
		return k
	}
	return nil
}

// LeadsToOperations reports that a value of type t may lead to what the program does operations on: a channel,
// a lock, a function or a method of an interface. Errors are values like any other, and so is what is in the structs of others.
func (p *Program) LeadsToOperations(t types.Type) bool {
	return p.leadsToOperations(t, map[types.Type]bool{})
}

func (p *Program) leadsToOperations(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	if SyncCells(t) != nil || IsCond(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Chan, *types.Signature:
		return true
	case *types.Interface:
		return !u.Empty() && !IsError(t)
	case *types.Pointer:
		return p.leadsToOperations(u.Elem(), seen)
	case *types.Slice:
		return p.leadsToOperations(u.Elem(), seen)
	case *types.Array:
		return p.leadsToOperations(u.Elem(), seen)
	case *types.Map:
		return p.leadsToOperations(u.Key(), seen) || p.leadsToOperations(u.Elem(), seen)
	case *types.Struct:
		if p.ofOthers(t) {
			return false
		}
		for f := range u.Fields() {
			if p.leadsToOperations(f.Type(), seen) {
				return true
			}
		}
	}
	return false
}
