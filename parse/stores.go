package parse

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"github.com/vtrace/vtrace/sites"
)

// store guards the write of an assignment whose value reads memory, if it is
// asked for: "n++" becomes "n = Store(site, n + 1)", which is evaluated before
// anything is assigned. In a shared program a run says whether the guard is there: StoreIf.
func (r *rewriter) store(s ast.Stmt, to ast.Expr, tok token.Token, at token.Pos, value ast.Expr) {
	site, ok := r.idx.At(sites.Store, at)
	if !ok || !r.accesses[site.ID] {
		return
	}
	r.place(site.ID)
	function := "Store"
	if r.opts.Shared {
		function = "StoreIf"
	}
	call := fmt.Sprintf("%s.%s(%d, ", r.zz, function, site.ID)
	if tok == token.ASSIGN {
		// The value stays an edit of its own: it may have to be evaluated apart.
		r.before(value.Pos(), call)
		r.after(value.End(), ")")
		return
	}
	b := r.build(s.Pos())
	b.node(to)
	b.put(" = %s", call)
	switch tok {
	case token.INC, token.DEC:
		b.node(to)
		b.put(" %s 1", tok.String()[:1])
	default:
		b.node(to)
		b.put(" %s (", strings.TrimSuffix(tok.String(), "="))
		b.node(value)
		b.put(")")
	}
	b.put(")")
	b.done(s.End())
}
