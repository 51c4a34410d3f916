package smallscope

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// With smaller numbers a check of the program at its end may fail in every run, since what it compares a result with follows from
// the numbers, and was worked out by hand: a sum of 5050, say, or 990 jobs of 1000. The program with smaller numbers has a result,
// too. If it is put in the place of what the check expects, the check says something again: that every schedule gives that result.

// measured begins the text by which a program panics that Measured has made.
const measured = "vtrace: measured"

// Measured is a scope whose program panics where a check of it fails, in the body of an if statement at a line of a file, a path
// relative to the root: its text has the values that the check compares with numbers that are written in the program. It is not ok
// if there are none, or they cannot be looked at twice.
func (s Scope) Measured(file string, line int) (m Scope, ok bool, err error) {
	c := s.of.checkAt(file, line)
	if c == nil {
		return s, false, nil
	}
	if c.pkg.Types.Scope().Lookup(decimal) != nil {
		return s, false, nil
	}
	s.panics = c
	m, err = s.made()
	return m, err == nil, err
}

// Fitted is a scope that has the values of which a panic of the scope that Measured has made gives the text, in the place of
// the numbers that the check compares them with. It is not ok if the panic is another one, or nothing changes by them.
func (s Scope) Fitted(file string, line int, text string) (f Scope, ok bool, err error) {
	c := s.of.checkAt(file, line)
	_, list, found := strings.Cut(text, measured)
	if c == nil || !found {
		return s, false, nil
	}
	fields := strings.Fields(list)
	if len(fields) < len(c.values) {
		return s, false, nil
	}
	fits := maps.Clone(s.fits)
	if fits == nil {
		fits = map[ast.Expr]int64{}
	}
	for i, e := range c.expected {
		v, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			return s, false, nil
		}
		fits[e] = v
	}
	if maps.Equal(fits, s.fits) {
		return s, false, nil
	}
	s.fits = fits
	f, err = s.made()
	return f, err == nil, err
}

// Doubtful reports whether the program may fail by right at a line of a file, a path relative to the root, with smaller numbers: it
// is asked there for a number that counts nothing, so that nobody knows what it would be.
func (s Scope) Doubtful(file string, line int) bool {
	_, f := s.of.fileOf(file)
	if f == nil {
		return false
	}
	asks := false
	ask := func(x ast.Node) {
		ast.Inspect(x, func(x ast.Node) bool {
			l, ok := x.(*ast.BasicLit)
			i := slices.IndexFunc(s.of.literals, func(k literal) bool { return k.at == l })
			asks = asks || ok && i >= 0 && s.of.literals[i].value >= least && !s.of.loops[s.of.literals[i].value]
			return true
		})
	}
	if c := s.of.innermostIf(f, line); c != nil {
		ask(c.Cond)
	}
	ast.Inspect(f, func(x ast.Node) bool {
		if c, ok := x.(*ast.CallExpr); ok && s.of.prog.Fset.PositionFor(c.Pos(), false).Line == line {
			ask(c)
		}
		return true
	})
	return asks
}

// check is an if statement whose body runs if values are not what is expected, and does nothing but say so.
type check struct {
	pkg  *packages.Package
	body token.Pos // behind the brace that opens it
	// values are compared with what is expected, each with that of the same index.
	values, expected []ast.Expr
}

// checkAt is the innermost if statement around a line, if it is a check that fails there, else nil.
func (n *numbers) checkAt(file string, line int) *check {
	p, f := n.fileOf(file)
	if f == nil {
		return nil
	}
	innermost := n.innermostIf(f, line)
	if innermost == nil || !slices.ContainsFunc(innermost.Body.List, func(s ast.Stmt) bool { return n.around(s, line) }) || slices.ContainsFunc(innermost.Body.List, doesMore) {
		return nil
	}
	c := &check{pkg: p, body: innermost.Body.Lbrace + 1}
	if c.compares(n, p.TypesInfo, innermost.Cond, true); len(c.values) == 0 {
		return nil
	}
	return c
}

// fileOf is a file of the program, a path relative to the root; nil if there is none.
func (n *numbers) fileOf(name string) (*packages.Package, *ast.File) {
	for _, p := range n.prog.Packages {
		for _, f := range p.Syntax {
			if n.prog.Rel(n.prog.Fset.PositionFor(f.FileStart, false).Filename) == name {
				return p, f
			}
		}
	}
	return nil, nil
}

// innermostIf is the innermost if statement in whose body a line is, nil if there is none.
func (n *numbers) innermostIf(f *ast.File, line int) (innermost *ast.IfStmt) {
	ast.Inspect(f, func(x ast.Node) bool {
		if s, ok := x.(*ast.IfStmt); ok && n.around(s.Body, line) {
			innermost = s // those inside come later
		}
		return true
	})
	return innermost
}

func (n *numbers) around(x ast.Node, line int) bool {
	return n.prog.Fset.PositionFor(x.Pos(), false).Line <= line && line <= n.prog.Fset.PositionFor(x.End(), false).Line
}

// doesMore reports whether a statement does something else than to call a function, or to leave.
func doesMore(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.ExprStmt, *ast.ReturnStmt, *ast.BranchStmt:
		return false
	}
	return true
}

// compares finds the comparisons in a condition, or in what has to be false for it, each of which is enough by itself if a value
// is not what is expected.
func (c *check) compares(n *numbers, info *types.Info, cond ast.Expr, holds bool) {
	differs, either := token.NEQ, token.LOR
	if !holds {
		differs, either = token.EQL, token.LAND
	}
	switch e := ast.Unparen(cond).(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			c.compares(n, info, e.X, !holds)
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case either:
			c.compares(n, info, e.X, holds)
			c.compares(n, info, e.Y, holds)
		case differs:
			for _, sides := range [][2]ast.Expr{{e.X, e.Y}, {e.Y, e.X}} {
				if n.written(info, sides[1]) != nil && n.written(info, sides[0]) == nil && looksOnly(info, sides[0]) {
					c.values, c.expected = append(c.values, sides[0]), append(c.expected, sides[1])
				}
			}
		}
	}
}

// valueOf is the value of what is expected, as it is written.
func (n *numbers) valueOf(e ast.Expr) int64 {
	for _, p := range n.prog.Packages {
		if _, ok := p.TypesInfo.Types[e]; ok {
			v, _ := constant.Int64Val(n.written(p.TypesInfo, e))
			return v
		}
	}
	return 0
}

// written is the number that an expression is, or that a variable has as far as is seen; nil if it is something else.
func (n *numbers) written(info *types.Info, e ast.Expr) constant.Value {
	e = ast.Unparen(e)
	if !isInteger(info, e) {
		return nil
	}
	if v := info.Types[e].Value; v != nil {
		return constant.ToInt(v)
	}
	v, ok := object(info, e).(*types.Var)
	if _, named := e.(*ast.Ident); !named || !ok || len(n.flows[v]) != 1 || n.changed[v] {
		return nil
	}
	of := n.flows[v][0]
	if k := of.info.Types[of.from].Value; k != nil && isInteger(of.info, of.from) {
		return constant.ToInt(k)
	}
	return nil
}

func isInteger(info *types.Info, e ast.Expr) bool {
	b, ok := info.TypeOf(e).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// looksOnly reports whether an integer can be looked at once more, and nothing is different by that.
func looksOnly(info *types.Info, e ast.Expr) bool {
	ok := isInteger(info, e)
	ast.Inspect(e, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FuncLit:
			ok = false
		case *ast.UnaryExpr:
			ok = ok && x.Op != token.ARROW
		case *ast.CallExpr:
			f := callee(info, x)
			loads := f != nil && f.Pkg() != nil && f.Pkg().Path() == "sync/atomic" && (f.Name() == "Load" || strings.HasPrefix(f.Name(), "Load"))
			ok = ok && (loads || info.Types[x.Fun].IsType() || isBuiltin(info, x) && slices.Contains([]string{"len", "cap", "min", "max"}, object(info, x.Fun).Name()))
		}
		return ok
	})
	return ok
}

// decimal is a function that writes a number in decimals, for a program that may not import anything for that.
const (
	decimal       = "zzVtraceDecimal"
	decimalSource = `
func ` + decimal + `(n int64) (s string) {
	u, sign := uint64(n), ""
	if n < 0 {
		u, sign = -u, "-"
	}
	for {
		s = string(rune('0'+u%10)) + s
		if u /= 10; u == 0 {
			return sign + s
		}
	}
}
`
)
