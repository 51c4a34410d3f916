package parse

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"

	"github.com/vtrace/vtrace/internal/source"
)

// makesBubbles reports whether the entry of a program, or the initialisation of its packages,
// may call synctest.Test: whether a function is named that does, or that names one, and so on.
// Of a method that is called through an interface, or of a method value, the name is
// enough. One bubble in the whole program would else take the choice of what the clock
// shows from all of its tests.
func makesBubbles(prog *source.Program) bool {
	// By name, since what one package knows of another one are other objects.
	bodies := map[string]ast.Node{}
	methods := map[string][]string{}
	infos := map[ast.Node]*types.Info{}
	var todo []ast.Node
	for _, p := range prog.Packages {
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				infos[d] = p.TypesInfo
				fd, ok := d.(*ast.FuncDecl)
				if !ok || fd.Recv == nil && fd.Name.Name == "init" {
					todo = append(todo, d)
					continue
				}
				f, ok := p.TypesInfo.Defs[fd.Name].(*types.Func)
				if !ok {
					continue
				}
				bodies[f.FullName()] = d
				if fd.Recv != nil {
					methods[fd.Name.Name] = append(methods[fd.Name.Name], f.FullName())
				}
			}
		}
	}
	makes := false
	name := func(function string) {
		if d, ok := bodies[function]; ok {
			delete(bodies, function)
			todo = append(todo, d)
		}
	}
	if prog.Func == nil { // any may be the entry
		todo = slices.AppendSeq(todo, maps.Values(bodies))
	} else {
		name(prog.Func.FullName())
	}
	for len(todo) > 0 && !makes {
		d := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		ast.Inspect(d, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			f, ok := infos[d].Uses[id].(*types.Func)
			if !ok {
				return true
			}
			makes = makes || f.FullName() == "testing/synctest.Test"
			name(f.Origin().FullName())
			if recv := f.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
				for _, m := range methods[f.Name()] {
					name(m)
				}
			}
			return true
		})
	}
	return makes
}
