package parse

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
)

// rewriter rewrites one file.
type rewriter struct {
	*pkgRewriter
	*editor
	*fileFacts
	info *types.Info
	ast  *ast.File
	unit *unit
	// zz is the name of the runtime in this file, and the start of all new
	// names.
	zz      string
	version string // language version, "go1.N"; "" is the newest
	fresh   int    // number of the last new local name
	// keep are expressions that keep imports in use, "time.Sleep".
	keep map[string]bool
	// races is nil if accesses to memory are not recorded.
	races *memory
	// calls are those of uninstrumented code, or perhaps.
	calls    map[*ast.CallExpr]callee
	operands map[*ast.CallExpr][]ast.Expr
	// private are local variables of slices whose elements nobody else has.
	private map[*types.Var]bool
	// quiet are loops that nobody else sees, see localLoops.
	quiet []span
	// begins are those that begin behind one of their operands, awaited the operands that
	// are not rewritten yet.
	begins  map[*ast.CallExpr]bool
	awaited map[ast.Expr]*ast.CallExpr
	// readings are those of the clock, once there is one.
	readings *readings
	// dated are the places where the clock decides as a number that are reported.
	dated map[token.Pos]bool
	// listed are the calls that are statements of lists, and later those that are made
	// later. Like calledBy, they are kept of every call: while one is rewritten, others
	// inside of it are.
	listed, later map[*ast.CallExpr]bool
	// calledBy are the calls, by what calledFunc says of them.
	calledBy map[ast.Expr]*ast.CallExpr
	// renamed are the init functions, in order.
	renamed []string
}

// diag reports a construct that is not guarded.
func (r *rewriter) diag(pos token.Pos, format string, args ...any) {
	p := r.file.PositionFor(pos, false)
	r.overlay.report(r.prog.Rel(p.Filename), p.Line, p.Column, format, args...)
}

// unrecorded reports an access to memory that is not recorded.
func (r *rewriter) unrecorded(pos token.Pos, format string, args ...any) {
	r.diag(pos, format, args...)
	r.overlay.Diagnostics[len(r.overlay.Diagnostics)-1].Access = true
}

// reached tells the runtime that a statement is executed in which something is not guarded
// or recorded: first is the number of diagnostics before it was rewritten.
func (r *rewriter) reached(first int) string {
	if r.races == nil {
		return ""
	}
	text := ""
	for _, number := range []bool{false, true} {
		function, told := "Reached", false
		if number {
			function = "Dated"
		}
		for i := first; i < len(r.overlay.Diagnostics); i++ {
			d := &r.overlay.Diagnostics[i]
			if d.Reach != 0 || d.Number != number {
				continue // in a statement inside, for one
			}
			if !told {
				r.reaches++
				if number && !r.tellsTimes { // it may always have had one
					text += r.zz + ".Timed(); "
				}
				text += fmt.Sprintf("%s.%s(%d); ", r.zz, function, r.reaches)
				told = true
			}
			d.Reach = r.reaches
		}
	}
	return text
}

// site returns the number of the operation at pos, 0 with a diagnostic if it
// has none, and has it registered.
func (r *rewriter) site(kind sites.Kind, pos token.Pos) sites.ID {
	s, ok := r.idx.At(kind, pos)
	if !ok {
		r.diag(pos, "%v without a number: not guarded", kind)
		return 0
	}
	r.place(s.ID)
	if start := r.idx.Start(s.ID); start.ID != 0 {
		r.place(start.ID)
	}
	if join := r.idx.Join(s.ID); join.ID != 0 {
		r.place(join.ID)
	}
	return s.ID
}

// name makes a new local name.
func (r *rewriter) name() string {
	r.fresh++
	return fmt.Sprintf("%s_%d", r.zz, r.fresh)
}

// decl rewrites a declaration of the file.
func (r *rewriter) decl(d ast.Decl) {
	fd, ok := d.(*ast.FuncDecl)
	if !ok {
		r.walk(d)
		return
	}
	if fd.Body == nil {
		r.link(fd)
		return
	}
	if end, ok := r.idx.At(sites.End, fd.Body.Rbrace); ok {
		r.place(end.ID)
		if join, ok := r.idx.At(sites.Join, end.Pos); ok {
			r.place(join.ID)
		}
	}
	if f, ok := r.info.Defs[fd.Name].(*types.Func); ok && r.asValues[f.FullName()] {
		r.declare(fd.Body.List)
	}
	r.functionBody(fd.Body)
	if fd.Recv == nil && fd.Name.Name == "init" {
		r.renameInit(fd)
	}
}

// methodValues are the methods that a program uses as values, by their full names.
func methodValues(prog *source.Program) map[string]bool {
	out := map[string]bool{}
	for _, p := range prog.Packages {
		for _, file := range p.Syntax {
			called := map[ast.Expr]bool{}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					called[ast.Unparen(n.Fun)] = true
				case *ast.SelectorExpr:
					if m := p.TypesInfo.Selections[n]; m != nil && m.Kind() == types.MethodVal && !called[n] {
						out[m.Obj().(*types.Func).Origin().FullName()] = true
					}
				}
				return true
			})
		}
	}
	return out
}

// declare registers a site of a method that is used as a value, whether it is a guard or not: by
// that the runtime tells that the value is of the program.
func (r *rewriter) declare(list []ast.Stmt) bool {
	for _, s := range list {
		switch inner := s.(type) {
		case *ast.BlockStmt:
			if r.declare(inner.List) {
				return true
			}
			continue
		case *ast.LabeledStmt:
			s = inner.Stmt
		}
		if site, ok := r.idx.At(sites.Stmt, s.Pos()); ok {
			r.unit.guarded[site.ID] = true
			return true
		}
	}
	return false
}

// walk rewrites everything below a node that is not a statement of a list.
func (r *rewriter) walk(n ast.Node) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.BlockStmt:
			// It is the body of a function literal: blocks of statements are rewritten by list.
			r.functionBody(m)
			return false
		case *ast.UnaryExpr:
			if m.Op == token.ARROW {
				r.receive(m, m, "Recv")
				r.read(m)
				r.done(m)
				return false
			}
			r.walk(m.X)
			r.read(m)
			return false
		case *ast.ParenExpr:
			r.walk(m.X)
			r.read(m)
			return false
		case *ast.TypeAssertExpr:
			r.walk(m.X)
			r.walkExpr(m.Type)
			r.read(m)
			return false
		case *ast.SliceExpr:
			for _, e := range []ast.Expr{m.X, m.Low, m.High, m.Max} {
				r.walkExpr(e)
			}
			r.read(m)
			return false
		case *ast.ValueSpec:
			if u := commaOK(len(m.Names), m.Values); u != nil {
				if obj := r.info.Defs[m.Names[1]]; obj != nil && !plainBool(obj.Type()) {
					if name, ok := r.typeName(m.Pos(), obj.Type()); ok {
						r.walkExpr(m.Type)
						r.receiveAs(u, m.Values[0], name)
						return false
					}
					r.diag(u.OpPos, "second value of a receive assigned to type %v: not guarded", obj.Type())
					r.walk(u.X)
					return false
				}
				r.walk(m.Type)
				r.receive(u, m.Values[0], "Recv2")
				return false
			}
		case *ast.AssignStmt:
			r.assign(m, false)
			return false
		case *ast.SendStmt:
			r.send(m)
			return false
		case *ast.CallExpr:
			r.call(m)
			r.calculation(m)
			r.poll(m)
			r.read(m)
			r.done(m)
			return false
		case *ast.SelectorExpr:
			r.value(m)
			r.timer(m)
			r.choice(m)
			r.atomic(m)
			r.read(m)
			r.reader(m, m.Sel)
			return false
		case *ast.Ident:
			r.value(m)
			r.read(m)
			r.reader(m, m)
			return false
		case *ast.IndexExpr:
			r.walk(m.X)
			r.walk(m.Index)
			r.readLater(m.X, func() { r.guardMap(m.X) })
			r.guardMap(m.Index)
			r.read(m)
			r.done(m)
			return false
		case *ast.BinaryExpr:
			r.walk(m.X)
			r.walk(m.Y)
			r.comparison(m)
			r.comparedNumbers(m)
			r.residue(m)
			r.done(m)
			return false
		case *ast.StarExpr:
			r.walk(m.X)
			r.read(m)
			return false
		case *ast.IncDecStmt:
			r.incDec(m, false)
			return false
		case *ast.CompositeLit:
			r.walkExpr(m.Type)
			for _, e := range m.Elts {
				r.walk(e)
			}
			r.keyedElements(m)
			return false
		}
		return true
	})
}

// commaOK returns the receive of which two values are taken.
func commaOK(names int, values []ast.Expr) *ast.UnaryExpr {
	if names != 2 || len(values) != 1 {
		return nil
	}
	u, ok := ast.Unparen(values[0]).(*ast.UnaryExpr)
	if !ok || u.Op != token.ARROW {
		return nil
	}
	return u
}

// plainBool reports whether a value of type bool can be assigned to t.
func plainBool(t types.Type) bool {
	if t == nil {
		return true // the blank identifier
	}
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return false
	case *types.Named:
		return types.IsInterface(t)
	}
	return true
}

// typeName is how the file calls a type at a position, if it has a name that
// means this type there.
func (r *rewriter) typeName(pos token.Pos, t types.Type) (string, bool) {
	var obj types.Object
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		if t.Info()&types.IsUntyped != 0 {
			return "", false
		}
		obj = types.Universe.Lookup(t.Name())
	case *types.Named:
		if t.TypeArgs().Len() == 0 {
			obj = t.Obj()
		}
	case *types.TypeParam:
		obj = t.Obj()
	}
	scope := r.info.Scopes[r.ast]
	if scope == nil || obj == nil {
		return "", false
	}
	scope = scope.Innermost(pos)
	if scope == nil {
		return "", false
	}
	means := func(name string, want types.Object) bool {
		_, found := scope.LookupParent(name, pos)
		return found == want
	}
	if means(obj.Name(), obj) {
		return obj.Name(), true
	}
	if obj.Pkg() == nil || !obj.Exported() || obj.Parent() != obj.Pkg().Scope() {
		return "", false
	}
	for _, spec := range r.ast.Imports {
		p := r.info.PkgNameOf(spec)
		if p != nil && p.Imported().Path() == obj.Pkg().Path() && means(p.Name(), p) {
			return p.Name() + "." + obj.Name(), true
		}
	}
	return "", false
}
