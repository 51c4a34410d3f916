package driver

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"

	"golang.org/x/tools/go/ssa"
)

// Callers says, in words, whether a caller in the packages can pass the values of a valuation: by constants, followed
// through parameters and fields. It is "" if the function has no caller there, and can have none elsewhere.
func (p *Plan) Callers(f *Function, v Valuation) string {
	c := constants{p.finder.matters}
	asked, fits := 0, 0
	var at token.Pos
	for _, x := range v.Values {
		want, ok := constantOf(x)
		if !ok {
			continue
		}
		asked++
		values, known := c.of(x.param, map[ssa.Value]bool{})
		passed := token.NoPos
		for text, pos := range values {
			if text == want && (passed == token.NoPos || pos < passed) {
				passed = pos
			}
		}
		switch {
		case passed != token.NoPos:
			fits++
			at = passed
		case known && len(values) > 0 && !f.Exported:
			return fmt.Sprintf("no caller passes %s = %s", x.Name, x.Text)
		case known && len(values) > 0:
			return fmt.Sprintf("no caller in these packages passes %s = %s; it is exported", x.Name, x.Text)
		}
	}
	switch {
	case asked > 0 && fits == asked:
		pos := p.finder.fset.Position(at)
		return fmt.Sprintf("passed at %s:%d", filepath.Base(pos.Filename), pos.Line)
	case f.Exported:
		return "exported: any caller can pass these values"
	case asked > 0:
		return "callers pass values that are not constants"
	}
	return ""
}

// constantOf is a value of a parameter as constants have it, and whether it is one.
func constantOf(v Value) (string, bool) {
	if v.param == nil {
		return "", false
	}
	b, ok := v.param.Type().Underlying().(*types.Basic)
	return v.Text, ok && b.Info()&(types.IsBoolean|types.IsInteger) != 0
}

// constants finds the constants that flow to values.
type constants struct{ *slice }

// of returns the constants that may be a value, each with the place that passes it, and whether nothing else may be.
func (c constants) of(v ssa.Value, seen map[ssa.Value]bool) (out map[string]token.Pos, known bool) {
	out, known = map[string]token.Pos{}, true
	if seen[v] {
		return out, true
	}
	seen[v] = true
	from := func(list []ssa.Value, pos func(int) token.Pos) {
		known = known && len(list) > 0
		for i, a := range list {
			if k, ok := a.(*ssa.Const); ok && k.Value != nil && (k.Value.Kind() == constant.Int || k.Value.Kind() == constant.Bool) {
				if text := k.Value.ExactString(); out[text] == token.NoPos {
					out[text] = pos(i)
				}
				continue
			}
			more, ok := c.of(a, seen)
			known = known && ok
			for text, at := range more {
				out[text] = at
			}
		}
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		var list []ssa.Value
		for _, a := range c.arguments[v] {
			list = append(list, a.value)
		}
		from(list, func(i int) token.Pos { return c.arguments[v][i].call.Pos() })
	case *ssa.Phi:
		from(v.Edges, func(int) token.Pos { return v.Pos() })
	case *ssa.Convert:
		from([]ssa.Value{v.X}, func(int) token.Pos { return v.Pos() })
	case *ssa.UnOp:
		if fa, ok := v.X.(*ssa.FieldAddr); ok && v.Op == token.MUL {
			from(c.stored[fieldOf(fa)], func(int) token.Pos { return v.Pos() })
			return out, known
		}
		return out, false
	default:
		return out, false
	}
	return out, known
}
