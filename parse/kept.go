package parse

import (
	"go/ast"
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
