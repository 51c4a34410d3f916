package parse

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/vtrace/vtrace/internal/sites"
)

// store guards the write of an assignment whose value reads memory, if it is
// asked for: "n++" becomes "n = Store(site, n + 1)", which is evaluated before
// anything is assigned. In a shared program a run says whether the guard is there: StoreIf. Without a guard
// what is written is told to the runtime, as of the statement: Stores.
//
// The value stays an edit of its own, which recordWrites may take out of the statement: what belongs behind it is returned.
func (r *rewriter) store(s ast.Stmt, to ast.Expr, tok token.Token, at token.Pos, value ast.Expr) (behind string) {
	site, ok := r.idx.At(sites.Store, at)
	if !ok {
		return ""
	}
	// Where no guard stops, what is written is told as of the statement.
	call, end := "", ""
	guarded, function := r.accesses[site.ID], "Store"
	if r.opts.Shared {
		function = "StoreIf"
	}
	if r.opts.Shared || !guarded {
		if call = r.stores(s, to); call != "" {
			end = ")"
		}
	}
	if guarded {
		r.place(site.ID)
		call += fmt.Sprintf("%s.%s(%d, ", r.zz, function, site.ID)
		end += ")"
	}
	if call == "" {
		return ""
	}
	if tok == token.ASSIGN {
		if v := r.lastAppended(to, value); v != nil {
			if !guarded {
				return ""
			}
			element := strings.Replace(function, "Store", "StoreElement", 1)
			r.before(v.Pos(), fmt.Sprintf("%s.%s(%d, %s)(", r.zz, element, site.ID, to.(*ast.Ident).Name))
			r.after(v.End(), ")")
			return ""
		}
	}
	if tok == token.ASSIGN {
		r.before(value.Pos(), call)
		r.after(value.End(), end)
		return ""
	}
	b := r.build(s.Pos())
	b.node(to)
	b.put(" = %s", call)
	b.node(to)
	if tok == token.INC || tok == token.DEC {
		b.put(" %s 1%s", tok.String()[:1], end)
		b.done(s.End())
		return ""
	}
	b.put(" %s (", strings.TrimSuffix(tok.String(), "="))
	b.done(value.Pos())
	return ")" + end
}

// lastAppended is the last operand of an append to a slice that nobody else has, if the others
// are constants: the guard is right behind it then. The compiler knows an append as one to a
// variable by its form, and how much room it leaves depends on that; see findPrivate.
func (r *rewriter) lastAppended(to, value ast.Expr) ast.Expr {
	c, ok := ast.Unparen(value).(*ast.CallExpr)
	if !ok || len(c.Args) < 2 || c.Ellipsis.IsValid() {
		return nil
	}
	if b, ok := builtin(r.info, c.Fun); !ok || b.Name() != "append" {
		return nil
	}
	s, ok := to.(*ast.Ident)
	first, same := c.Args[0].(*ast.Ident)
	if !ok || !same || r.info.ObjectOf(s) != r.info.ObjectOf(first) {
		return nil
	}
	if v, ok := r.info.ObjectOf(s).(*types.Var); !ok || !r.private[v] {
		return nil
	}
	for _, e := range c.Args[1 : len(c.Args)-1] {
		if r.info.Types[e].Value == nil {
			return nil
		}
	}
	return c.Args[len(c.Args)-1]
}
