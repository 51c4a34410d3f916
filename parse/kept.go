package parse

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"

	"github.com/vtrace/vtrace/sites"
)

// A library may keep what it is given, as bufio.NewWriter and log.New keep the buffer that
// they write to. What it does to that later is not recorded. So a use of a value of such a
// type by the program counts as a call of uninstrumented code, too: an exploration of all
// schedules has both in every order, or says that it has not.

// keptTypes are the unlocked types, by name, of which a pointer is given to something that
// may keep it: to an interface, by an argument, an assignment or a literal.
func keptTypes(roots []*packages.Package) map[string]bool {
	kept := map[string]bool{}
	for _, p := range roots {
		info := p.TypesInfo
		keep := func(to types.Type, e ast.Expr) {
			t := info.TypeOf(e)
			if to == nil || t == nil || !types.IsInterface(to) || !isPointer(t) {
				return
			}
			if name := unlockedName(t); name != "" {
				kept[name] = true
			}
		}
		for _, f := range p.Syntax {
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					sig, ok := info.TypeOf(n.Fun).Underlying().(*types.Signature)
					if _, obj := sites.Classify(info, n.Fun); !ok || obj != nil && obj.Pkg() != nil && quiet[obj.Pkg().Path()] || keepsNothing(obj) {
						return true
					}
					for i, a := range n.Args {
						if i < sig.Params().Len() && !(sig.Variadic() && i >= sig.Params().Len()-1) {
							keep(sig.Params().At(i).Type(), a)
						}
					}
				case *ast.AssignStmt:
					for i, e := range n.Rhs {
						if len(n.Lhs) == len(n.Rhs) {
							keep(info.TypeOf(n.Lhs[i]), e)
						}
					}
				case *ast.ValueSpec:
					for _, e := range n.Values {
						if n.Type != nil {
							keep(info.TypeOf(n.Type), e)
						}
					}
				case *ast.KeyValueExpr:
					if id, ok := n.Key.(*ast.Ident); ok {
						if v, ok := info.Uses[id].(*types.Var); ok {
							keep(v.Type(), n.Value)
						}
					}
				}
				return true
			})
		}
	}
	return kept
}

// keepsNothing: a function of package fmt writes to what it is given, and that is recorded.
func keepsNothing(obj types.Object) bool {
	return obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == "fmt"
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
			text = fmt.Sprintf("%s.Given(%d, %s, %v)", r.zz, r.touch(e), text, constantBool(given))
		}
		r.before(last.Pos(), r.zz+".Recorded(")
		r.after(last.End(), ", "+text+")")
	}
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
