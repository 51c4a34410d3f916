package parse

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/sites"
)

// clockReaders are the functions that read the clock, with the methods of the runtime's
// Clock that do so for a run.
var clockReaders = map[string]string{"time.Now": "Now", "time.Since": "Since", "time.Until": "Until"}

// isClockReader reports whether a function reads the clock.
func isClockReader(obj types.Object) (method string, ok bool) {
	f, ok := obj.(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "time" {
		return "", false
	}
	method, ok = clockReaders[f.FullName()]
	return method, ok
}

// now has the runtime read the clock, for e that names a function which does. The runtime
// is given the site, and chooses what the clock shows, unless nothing depends on that.
func (r *rewriter) now(e ast.Expr, obj types.Object) {
	method, ok := isClockReader(obj)
	if !ok {
		return
	}
	r.unused(e, obj)
	r.unit.clock = true
	if r.readings == nil {
		r.readings = newReadings(r.info, r.ast)
	}
	if method == "Now" && r.readings.onlyOnce(e) {
		method = "Once"
	}
	site := sites.ID(0)
	if r.readings.matter(e) {
		site = r.statement(e.Pos())
	}
	r.replace(r.file.Offset(e.Pos()), r.file.Offset(e.End()), fmt.Sprintf("%s.Clock(%d).%s", r.zz, site, method))
}

// isDuration reports whether a type is time.Duration.
func isDuration(t types.Type) bool { return types.TypeString(t, nil) == "time.Duration" }

// comparison has the runtime notice which durations are compared.
func (r *rewriter) comparison(e *ast.BinaryExpr) {
	switch e.Op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
		r.compared(e.X)
		r.compared(e.Y)
	}
}

// addition has the runtime notice which durations are added to times.
func (r *rewriter) addition(c *ast.CallExpr) {
	_, obj := sites.Classify(r.info, c.Fun)
	if f, ok := obj.(*types.Func); ok && len(c.Args) == 1 && f.FullName() == "(time.Time).Add" {
		r.compared(c.Args[0])
	}
}

// compared has the runtime notice a duration that is no constant, in a program that reads
// the clock.
func (r *rewriter) compared(e ast.Expr) {
	tv := r.info.Types[e]
	if !r.clock || tv.Value != nil || !tv.IsValue() || !isDuration(tv.Type) {
		return
	}
	r.before(e.Pos(), r.zz+".Compared(")
	r.after(e.End(), ")")
}

// readings finds out whether anything depends on what the clock shows, in a file. It errs on
// the side of yes: a value that is kept in memory, returned or given to a function of the
// program may decide there.
type readings struct {
	info    *types.Info
	parents map[ast.Node]ast.Node
	names   map[types.Object][]*ast.Ident // of variables, also where they are declared
	known   map[types.Object]bool         // variables that were looked at for a reading
}

func newReadings(info *types.Info, f *ast.File) *readings {
	x := &readings{info, map[ast.Node]ast.Node{}, map[types.Object][]*ast.Ident{}, map[types.Object]bool{}}
	ast.PreorderStack(f, nil, func(n ast.Node, stack []ast.Node) bool {
		if len(stack) > 0 {
			x.parents[n] = stack[len(stack)-1]
		}
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := info.ObjectOf(id).(*types.Var); ok {
				x.names[v] = append(x.names[v], id)
			}
		}
		return true
	})
	return x
}

// around is an expression with the parentheses around it.
func (x *readings) around(e ast.Expr) ast.Expr {
	for {
		p, ok := x.parents[e].(*ast.ParenExpr)
		if !ok {
			return e
		}
		e = p
	}
}

// callOf is the call of a function, nil if it is used as a value.
func (x *readings) callOf(fun ast.Expr) *ast.CallExpr {
	fun = x.around(fun)
	if c, ok := x.parents[fun].(*ast.CallExpr); ok && c.Fun == fun {
		return c
	}
	return nil
}

// matter reports whether anything depends on what a function returns that reads the clock.
func (x *readings) matter(fun ast.Expr) bool {
	clear(x.known)
	c := x.callOf(fun)
	return c == nil || x.decides(c)
}

// onlyOnce reports whether of the time that a function returns nothing is left but what a
// method calculates at once, which is a truth or a duration.
func (x *readings) onlyOnce(fun ast.Expr) bool {
	c := x.callOf(fun)
	if c == nil {
		return false
	}
	method, ok := x.parents[x.around(c)].(*ast.SelectorExpr)
	if !ok || x.callOf(method) == nil {
		return false
	}
	results := x.info.TypeOf(method).(*types.Signature).Results()
	if results.Len() != 1 {
		return false
	}
	t := results.At(0).Type()
	return isDuration(t) || types.TypeString(t, nil) == "bool" // else a time, or one as a number
}

// decides reports whether anything depends on the value of an expression.
func (x *readings) decides(e ast.Expr) bool {
	switch p := x.parents[e].(type) {
	case *ast.ParenExpr, *ast.BinaryExpr, *ast.UnaryExpr:
		return x.decides(p.(ast.Expr))
	case *ast.SelectorExpr:
		c := x.callOf(p)
		return c == nil || !x.ofTime(c) || x.decides(c)
	case *ast.CallExpr:
		if x.info.Types[p.Fun].IsType() || x.ofTime(p) {
			return x.decides(p)
		}
		return !x.shows(p)
	case *ast.AssignStmt:
		return len(p.Lhs) != len(p.Rhs) || x.decidesAs(p.Lhs[slices.Index(p.Rhs, e)])
	case *ast.ValueSpec:
		return len(p.Names) != len(p.Values) || x.decidesAs(p.Names[slices.Index(p.Values, e)])
	case *ast.ExprStmt:
		return false
	}
	return true
}

// decidesAs reports whether anything depends on the value of what it is assigned to.
func (x *readings) decidesAs(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	if !ok {
		return true
	}
	if id.Name == "_" {
		return false
	}
	v, ok := x.info.ObjectOf(id).(*types.Var)
	if !ok || v.Pkg() == nil || v.Parent() == v.Pkg().Scope() {
		return true
	}
	if x.known[v] {
		return false // what depends on it is looked at already
	}
	x.known[v] = true
	return slices.ContainsFunc(x.names[v], func(id *ast.Ident) bool {
		switch p := x.parents[id].(type) {
		case *ast.AssignStmt:
			if slices.Contains(p.Lhs, ast.Expr(id)) {
				return false
			}
		case *ast.ValueSpec:
			if slices.Contains(p.Names, id) {
				return false
			}
		case *ast.UnaryExpr:
			return true // its address, for one
		}
		return x.decides(id) // a parameter or a result does, too
	})
}

// ofTime reports whether a call is of a function of package time which does nothing but
// calculate.
func (x *readings) ofTime(c *ast.CallExpr) bool {
	_, obj := sites.Classify(x.info, c.Fun)
	f, ok := obj.(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "time" {
		return false
	}
	if recv := f.Signature().Recv(); recv != nil {
		name := types.TypeString(recv.Type(), nil)
		return name == "time.Time" || name == "time.Duration" || name == "time.Month" || name == "time.Weekday"
	}
	_, ok = isClockReader(f)
	return ok
}

// shows reports whether a call is of a function that tells somebody what it is given, or takes
// it for a seed. A handler of the program's own, or a writer, that decides by what it is told
// is not looked for.
func (x *readings) shows(c *ast.CallExpr) bool {
	_, obj := sites.Classify(x.info, c.Fun)
	f, ok := obj.(*types.Func)
	if !ok || f.Pkg() == nil {
		return false
	}
	name := f.Name()
	switch f.Pkg().Path() {
	case "fmt":
		return strings.HasPrefix(name, "Print")
	case "log", "log/slog":
		return true
	case "testing":
		return !strings.HasPrefix(name, "Set")
	case "math/rand":
		return name == "NewSource" || name == "Seed"
	case "math/rand/v2":
		return name == "NewPCG"
	}
	return false
}

// constantDurations are the durations, in nanoseconds, that a file names as constants, ascending.
func constantDurations(info *types.Info, f *ast.File) []int64 {
	found := map[int64]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		tv := info.Types[e]
		if tv.Value == nil || !isDuration(tv.Type) {
			return true
		}
		if d, exact := constant.Int64Val(constant.ToInt(tv.Value)); exact && d > 0 {
			found[d] = true
		}
		return false // 5*time.Second is one of 5 seconds
	})
	return slices.Sorted(maps.Keys(found))
}
