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

	"github.com/vtrace/vtrace/internal/sites"
)

// now has the runtime read the clock, for e that names a function which does. The runtime
// is given the site, and chooses what the clock shows, unless nothing depends on that.
func (r *rewriter) now(e ast.Expr, obj types.Object) {
	name := sites.ClockReader(obj)
	if name == "" {
		return
	}
	r.unused(e, obj)
	r.unit.clock = true
	site, by := sites.ID(0), "Clock"
	switch r.dependences().useOf(e) {
	case compared:
		by = "Once"
		fallthrough
	case kept:
		site = r.statement(e.Pos())
	}
	r.replace(r.file.Offset(e.Pos()), r.file.Offset(e.End()), fmt.Sprintf("%s.%s(%d).%s", r.zz, by, site, name))
}

// dependences are what depends on readings of the clock in the file.
func (r *rewriter) dependences() *readings {
	if r.readings == nil {
		r.readings = newReadings(r.info, r.ast, r.handlesLogs)
	}
	return r.readings
}

// givesTime reports whether an object may give the program a time of the clock: a function that
// reads it or returns a time, or what has a channel of times.
func givesTime(obj types.Object) bool {
	of := []types.Type{obj.Type()}
	if f, ok := obj.(*types.Func); ok {
		if sites.ClockReader(f) != "" {
			return true
		}
		of = of[:0]
		for v := range f.Signature().Results().Variables() {
			of = append(of, v.Type())
		}
	} else if _, ok := obj.(*types.Var); !ok {
		return false
	}
	return slices.ContainsFunc(of, func(t types.Type) bool {
		if c, ok := t.Underlying().(*types.Chan); ok {
			t = c.Elem()
		}
		return isTimeType(t, "Time")
	})
}

// clockDecides reports where the clock decides as a number in a part of the file, unless that is
// reported.
func (r *rewriter) clockDecides(from, to token.Pos) {
	if r.clockUses == nil {
		return
	}
	for _, pos := range r.clockUses.order {
		if how := r.clockUses.decides[pos]; from <= pos && pos < to && !r.dated[pos] {
			r.clockNumber(pos, how)
		}
	}
}

// clockNumber reports that the clock decides as a number.
func (r *rewriter) clockNumber(pos token.Pos, how string) {
	r.dated[pos] = true
	r.diag(pos, "the clock decides as a number, of which a run has one (%s)", how)
	last := &r.overlay.Diagnostics[len(r.overlay.Diagnostics)-1]
	last.Number, last.decides = true, pos
}

// comparedNumbers has the runtime compare numbers of nanoseconds.
func (r *rewriter) comparedNumbers(e *ast.BinaryExpr) {
	if r.clockUses == nil || !r.clockUses.compared[e.OpPos] || !r.clock {
		return
	}
	r.before(e.X.Pos(), r.zz+".ComparedNumbers(int64(")
	start := r.file.Offset(e.OpPos)
	r.replace(start, start+len(e.Op.String()), "), int64(")
	r.after(e.Y.End(), ")) "+e.Op.String()+" 0")
}

// residue has the runtime choose a remainder of what the clock shows.
func (r *rewriter) residue(e *ast.BinaryExpr) {
	if r.clockUses == nil || r.clockUses.residues[e.OpPos] == 0 {
		return
	}
	r.before(e.X.Pos(), fmt.Sprintf("%s.Residue(%d, %d, ", r.zz, r.statement(e.Pos()), r.clockUses.residues[e.OpPos]))
	r.after(e.Y.End(), ")")
}

// isTimeType reports whether a type is that of a name in package time.
func isTimeType(t types.Type, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time"
}

func isDuration(t types.Type) bool { return t != nil && isTimeType(t, "Duration") }

// comparison has the runtime compare two durations, in a program that reads the clock.
func (r *rewriter) comparison(e *ast.BinaryExpr) {
	if !r.clock || !isComparison(e.Op) || r.info.Types[e].Value != nil || !isDuration(r.info.TypeOf(e.X)) || !isDuration(r.info.TypeOf(e.Y)) {
		return
	}
	if r.dependences().useOfValue(e) == ignored {
		return // neither may be from a reading that is a choice
	}
	r.before(e.X.Pos(), r.zz+".Compared(")
	start := r.file.Offset(e.OpPos)
	r.replace(start, start+len(e.Op.String()), ",")
	r.after(e.Y.End(), ") "+e.Op.String()+" 0")
}

func isComparison(op token.Token) bool {
	switch op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
		return true
	}
	return false
}

// comparing are the methods of a time that compare it with another one.
var comparing = map[string]bool{"After": true, "Before": true, "Equal": true, "Compare": true}

// inNumbers are those of a duration that make it a number.
var inNumbers = map[string]bool{"Hours": true, "Minutes": true, "Seconds": true, "Milliseconds": true, "Microseconds": true, "Nanoseconds": true}

// calculation has the runtime compare two times, for a call that does, or note a duration, for
// one that adds it to a time or makes it a number, in a program that reads the clock.
func (r *rewriter) calculation(c *ast.CallExpr) {
	if !r.clock {
		return
	}
	if r.info.Types[c.Fun].IsType() {
		if len(c.Args) == 1 && isNumber(r.info.TypeOf(c)) && !isDuration(r.info.TypeOf(c)) {
			r.noted(c.Args[0])
		}
		return
	}
	sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok || r.info.Selections[sel] == nil {
		return // a method expression, for one
	}
	if comparing[sel.Sel.Name] && r.dependences().useOfValue(c) == ignored {
		return
	}
	switch t := r.info.TypeOf(sel.X); {
	case inNumbers[sel.Sel.Name]:
		if r.clockUses != nil && len(r.clockUses.thresholds[c.Lparen]) > 0 {
			r.before(sel.X.Pos(), r.zz+".Against(")
			text := ""
			for _, d := range r.clockUses.thresholds[c.Lparen] {
				text += fmt.Sprintf(", %d", d)
			}
			r.after(sel.X.End(), text+")")
			return
		}
		r.noted(sel.X)
	case sel.Sel.Name == "Add" && len(c.Args) == 1 && isFunc(r.info.Uses[sel.Sel], "(time.Time).Add"):
		r.noted(c.Args[0])
	case comparing[sel.Sel.Name] && isTimeType(t, "Time"):
		r.before(sel.X.Pos(), r.zz+".Moment(")
		r.after(sel.X.End(), ")")
	case comparing[sel.Sel.Name] && isPointer(t) && isTimeType(t.Underlying().(*types.Pointer).Elem(), "Time"):
		star := "*"
		if text := r.text(r.file.Offset(sel.X.Pos()), r.file.Offset(sel.X.End())); strings.HasPrefix(text, "(*"+r.zz+".Rd(") && r.races.copied[sel.X] {
			star = "" // what is recorded is the time
		}
		r.before(sel.X.Pos(), r.zz+".Moment("+star)
		r.after(sel.X.End(), ")")
	}
}

// systemTimes are the functions that give files times.
var systemTimes = map[string]bool{"os.Chtimes": true, "(*os.Root).Chtimes": true}

func isModTime(obj types.Object) bool { return isFunc(obj, "(io/fs.FileInfo).ModTime") }

// otherModTime is said where the runtime is not asked for the time of a file.
const otherModTime = "ModTime of a file by a function value or method expression: by the clock of the operating system, not by that of the run"

// fileTimeValue says of a ModTime that is not called where it is named that it is by another clock.
func (r *rewriter) fileTimeValue(e ast.Expr, obj types.Object) {
	if r.clock && isModTime(obj) && r.calledBy[e] == nil {
		r.diag(e.Pos(), "%s", otherModTime)
	}
}

// fileTimes has the runtime tell the times of files by the clock of the run.
func (r *rewriter) fileTimes(c *ast.CallExpr, obj types.Object) {
	f, ok := obj.(*types.Func)
	if !ok || !r.clock {
		return
	}
	switch {
	case isModTime(f):
		sel, _ := ast.Unparen(c.Fun).(*ast.SelectorExpr)
		if s := r.info.Selections[sel]; s == nil || s.Kind() != types.MethodVal {
			r.diag(c.Pos(), "%s", otherModTime)
			return
		}
		r.before(sel.X.Pos(), r.zz+".FileTimes(")
		r.after(sel.X.End(), ")")
	case systemTimes[f.FullName()] && len(c.Args) > 2:
		for _, t := range c.Args[len(c.Args)-2:] {
			r.before(t.Pos(), r.zz+".SystemTime(")
			r.after(t.End(), ")")
		}
	}
}

func isNumber(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

func isFunc(obj types.Object, name string) bool {
	f, ok := obj.(*types.Func)
	return ok && f.FullName() == name
}

// noted has the runtime note a duration that is no constant.
func (r *rewriter) noted(e ast.Expr) {
	tv := r.info.Types[e]
	if tv.Value != nil || !tv.IsValue() || !isDuration(tv.Type) {
		return
	}
	r.before(e.Pos(), r.zz+".Noted(")
	r.after(e.End(), ")")
}

// use is what becomes of the value of an expression that depends on the clock.
type use int

const (
	ignored  use = iota // nothing depends on it
	compared            // something does, but nothing is left of it for later
	kept                // it is in memory, or somebody else has it
)

// readings finds out whether anything depends on what the clock shows, in a file. It errs on
// the side of yes: a value that is kept in memory, returned or given to a function of the
// program may decide there.
type readings struct {
	info    *types.Info
	parents map[ast.Node]ast.Node
	names   map[types.Object][]*ast.Ident // of variables, also where they are declared
	known   map[types.Object]bool         // variables that were looked at for a reading
	// handlesLogs: the program may decide by what it logs.
	handlesLogs bool
}

func newReadings(info *types.Info, f *ast.File, handlesLogs bool) *readings {
	x := &readings{info, map[ast.Node]ast.Node{}, map[types.Object][]*ast.Ident{}, map[types.Object]bool{}, handlesLogs}
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

// useOf is what becomes of what a function returns that reads the clock.
func (x *readings) useOf(fun ast.Expr) use {
	c := x.callOf(fun)
	if c == nil {
		return kept
	}
	return x.useOfValue(c)
}

// useOfValue is what becomes of the value of an expression.
func (x *readings) useOfValue(e ast.Expr) use {
	clear(x.known)
	return x.use(e)
}

// use is useOfValue, for a variable that is not known yet.
func (x *readings) use(e ast.Expr) use {
	switch p := x.parents[e].(type) {
	case *ast.ParenExpr, *ast.UnaryExpr:
		return x.use(p.(ast.Expr))
	case *ast.BinaryExpr:
		other := p.X
		if other == e {
			other = p.Y
		}
		u := x.use(p)
		switch {
		case isComparison(p.Op) || p.Op == token.LAND || p.Op == token.LOR:
			return min(u, compared)
		case u != ignored && x.info.Types[other].Value == nil:
			return kept // the other one may depend on the clock, too
		}
		return u
	case *ast.SelectorExpr:
		c := x.callOf(p)
		if c == nil || !x.ofTime(c) {
			return kept
		}
		u := x.of(c)
		if _, read := ast.Unparen(e).(*ast.CallExpr); u != ignored && !read && len(c.Args) > 0 && isTimeType(x.info.TypeOf(c.Args[0]), "Time") {
			return kept // the other one may have been read later
		}
		return u
	case *ast.CallExpr:
		switch {
		case x.info.Types[p.Fun].IsType():
			return x.use(p)
		case x.ofTime(p):
			if x.of(p) != ignored {
				return kept // for what it is compared with, or calculated from
			}
			return ignored
		case x.shows(p):
			return ignored
		}
	case *ast.AssignStmt:
		if len(p.Lhs) == len(p.Rhs) {
			u := x.usedAs(p.Lhs[slices.Index(p.Rhs, e)])
			if u != ignored && p.Tok != token.ASSIGN && p.Tok != token.DEFINE {
				return kept // what is there may depend on the clock, too
			}
			return u
		}
	case *ast.ValueSpec:
		if len(p.Names) == len(p.Values) {
			return x.usedAs(p.Names[slices.Index(p.Values, e)])
		}
	case *ast.ExprStmt:
		return ignored
	case *ast.IfStmt, *ast.ForStmt, *ast.SwitchStmt, *ast.CaseClause:
		return compared
	}
	return kept
}

// of is what becomes of the result of a function that calculates with a time: if it is a
// truth, nothing of the time is left.
func (x *readings) of(c *ast.CallExpr) use {
	u := x.use(c)
	if b, ok := x.info.TypeOf(c).Underlying().(*types.Basic); ok && b.Kind() == types.Bool {
		return min(u, compared)
	}
	return u
}

// usedAs is what becomes of the value of what it is assigned to.
func (x *readings) usedAs(e ast.Expr) (u use) {
	id, ok := e.(*ast.Ident)
	if !ok {
		return kept
	}
	if id.Name == "_" {
		return ignored
	}
	v, ok := x.info.ObjectOf(id).(*types.Var)
	if !ok || v.Pkg() == nil || isPackageVar(v) {
		return kept
	}
	if x.known[v] {
		return ignored // what becomes of it is looked at already
	}
	x.known[v] = true
	for _, id := range x.names[v] {
		switch p := x.parents[id].(type) {
		case *ast.AssignStmt:
			if slices.Contains(p.Lhs, ast.Expr(id)) {
				continue
			}
		case *ast.ValueSpec:
			if slices.Contains(p.Names, id) {
				continue
			}
		case *ast.UnaryExpr:
			return kept // its address, for one
		}
		u = max(u, x.use(id)) // a parameter or a result is kept, too
	}
	return u
}

// ofTime reports whether OfTime is true of what a call calls.
func (x *readings) ofTime(c *ast.CallExpr) bool {
	_, obj := sites.Classify(x.info, c.Fun)
	f, ok := obj.(*types.Func)
	return ok && OfTime(f)
}

// OfTime reports whether a function is one of package time that reads the clock, or
// calculates with times and durations and does nothing else.
func OfTime(f *types.Func) bool {
	if f.Pkg() == nil || f.Pkg().Path() != "time" {
		return false
	}
	if recv := f.Signature().Recv(); recv != nil {
		return slices.ContainsFunc([]string{"Time", "Duration", "Month", "Weekday"}, func(name string) bool { return isTimeType(recv.Type(), name) })
	}
	return sites.ClockReader(f) != ""
}

// shows reports whether a call is of a function that tells somebody what it is given, or takes
// it for a seed.
func (x *readings) shows(c *ast.CallExpr) bool {
	_, obj := sites.Classify(x.info, c.Fun)
	f, ok := obj.(*types.Func)
	return ok && (tellsSomebody(f, x.handlesLogs) || seeding[f.FullName()] || f.Pkg() != nil && f.Pkg().Path() == "math/rand" && f.Name() == "Seed")
}

// seeding are the functions that seed random numbers.
var seeding = map[string]bool{"math/rand.NewSource": true, "math/rand.Seed": true, "math/rand/v2.NewPCG": true}

// tellsSomebody reports whether a function tells somebody what it is given. Writers of the
// program that decide by what they are told are not looked for, but handlers of logs.
func tellsSomebody(f *types.Func, handlesLogs bool) bool {
	if f.Pkg() == nil {
		return false
	}
	name := f.Name()
	switch f.Pkg().Path() {
	case "fmt":
		return strings.HasPrefix(name, "Print")
	case "log":
		return true
	case "log/slog":
		return !handlesLogs
	case "testing":
		return !strings.HasPrefix(name, "Set")
	}
	return false
}

// isLogRecord reports whether an object is the type of what a handler of logs is given.
func isLogRecord(obj types.Object) bool {
	return obj.Pkg() != nil && obj.Pkg().Path() == "log/slog" && obj.Name() == "Record"
}

// constantDurations are the durations, in nanoseconds, that a file names as constants,
// ascending, without those that are units: what others are multiplied with, divided by or
// rounded to.
func constantDurations(info *types.Info, f *ast.File) []int64 {
	found := map[int64]bool{}
	units := map[ast.Expr]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			switch n.Op {
			case token.MUL, token.QUO, token.REM:
				units[n.X], units[n.Y] = true, true // unless all of it is a constant
			}
		case *ast.CallExpr:
			if _, obj := sites.Classify(info, n.Fun); len(n.Args) == 1 && (isFunc(obj, "(time.Duration).Round") || isFunc(obj, "(time.Duration).Truncate") || isFunc(obj, "(time.Time).Round") || isFunc(obj, "(time.Time).Truncate")) {
				units[n.Args[0]] = true
			}
		}
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		tv := info.Types[e]
		if tv.Value == nil || !isDuration(tv.Type) {
			return true
		}
		if d, exact := constant.Int64Val(constant.ToInt(tv.Value)); exact && d > 0 && !units[ast.Unparen(e)] && !units[e] {
			found[d] = true
		}
		return false // 5*time.Second is one of 5 seconds
	})
	return slices.Sorted(maps.Keys(found))
}
