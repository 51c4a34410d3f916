package smallscope

import (
	"fmt"
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
	const helper = "zzVtraceDecimal"
	s.panics, s.panicsAt, s.helper = c.values, c.body, helper
	if c.pkg.Types.Scope().Lookup(helper) != nil {
		return s, false, nil
	}
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
	for i, e := range c.constants {
		v, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			return s, false, nil
		}
		if old, ok := s.fits[e]; !ok || old != v {
			fits[e] = v
		}
	}
	if maps.Equal(fits, s.fits) {
		return s, false, nil
	}
	s.fits = fits
	f, err = s.made()
	return f, err == nil, err
}

// check is an if statement that compares values with numbers.
type check struct {
	pkg  *packages.Package
	body token.Pos // behind the brace that opens it
	// values are compared with constants, each with the one of the same index, which are where they are written.
	values, constants []ast.Expr
}

// checkAt is the innermost if statement around a line that compares values with numbers, nil if there is none.
func (n *numbers) checkAt(file string, line int) (found *check) {
	for _, p := range n.prog.Packages {
		for _, f := range p.Syntax {
			if n.prog.Rel(n.prog.Fset.PositionFor(f.FileStart, false).Filename) != file {
				continue
			}
			ast.Inspect(f, func(x ast.Node) bool {
				s, ok := x.(*ast.IfStmt)
				if !ok {
					return true
				}
				from, to := n.prog.Fset.PositionFor(s.Body.Lbrace, false).Line, n.prog.Fset.PositionFor(s.Body.Rbrace, false).Line
				if from <= line && line <= to {
					c := &check{pkg: p, body: s.Body.Lbrace + 1}
					if c.compares(n, p.TypesInfo, s.Cond); len(c.values) > 0 {
						found = c // those inside come later
					}
				}
				return true
			})
		}
	}
	return found
}

// valueOf is the value of a constant.
func (n *numbers) valueOf(e ast.Expr) int64 {
	for _, p := range n.prog.Packages {
		if tv, ok := p.TypesInfo.Types[e]; ok && tv.Value != nil {
			v, _ := constant.Int64Val(constant.ToInt(tv.Value))
			return v
		}
	}
	return 0
}

// compares finds the comparisons in a condition.
func (c *check) compares(n *numbers, info *types.Info, cond ast.Expr) {
	switch e := ast.Unparen(cond).(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			c.compares(n, info, e.X)
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND, token.LOR:
			c.compares(n, info, e.X)
			c.compares(n, info, e.Y)
		case token.EQL, token.NEQ:
			for _, sides := range [][2]ast.Expr{{e.X, e.Y}, {e.Y, e.X}} {
				if k := n.written(info, sides[1]); k != nil && n.written(info, sides[0]) == nil && looksOnly(info, sides[0]) {
					c.values, c.constants = append(c.values, sides[0]), append(c.constants, k)
				}
			}
		}
	}
}

// written is where the number is written that an expression is: it itself if it is a constant, or what a variable has that has one
// value; nil if it is something else.
func (n *numbers) written(info *types.Info, e ast.Expr) ast.Expr {
	e = ast.Unparen(e)
	if v := info.Types[e].Value; v != nil {
		if constant.ToInt(v).Kind() != constant.Int || !isInteger(info, e) {
			return nil
		}
		return e
	}
	v, ok := object(info, e).(*types.Var)
	if _, named := e.(*ast.Ident); !named || !ok || len(n.flows[v]) != 1 || n.changed[v] {
		return nil
	}
	of := n.flows[v][0]
	from := ast.Unparen(of.from)
	if call, ok := from.(*ast.CallExpr); ok && len(call.Args) == 1 && of.info.Types[call.Fun].IsType() {
		from = call.Args[0] // what it becomes by that stays its type
	}
	if of.info.Types[from].Value == nil || !isInteger(of.info, from) {
		return nil
	}
	return from
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

// decimal is the source of a function that writes a number in decimals, for a program that may not import anything for that.
func decimal(name string) string {
	return fmt.Sprintf(`
func %s(n int64) string {
	if n < 0 {
		return "-" + %[1]s(-n)
	}
	if n < 10 {
		return string(rune('0' + n))
	}
	return %[1]s(n/10) + %[1]s(n%%10)
}
`, name)
}
