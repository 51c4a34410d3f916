package parse

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/vtrace/vtrace/internal/sites"
)

// Some functions of the standard library order nothing by themselves between the goroutines
// that call them: all that they do besides computing, they do by the readers, the writers and
// the functions that they are given, or that are behind what they are given. The runtime looks
// at what that is.

// forwardingPackages are the packages of such functions and methods.
var forwardingPackages = map[string]bool{
	"bufio": true, "bytes": true, "compress/flate": true, "compress/gzip": true, "compress/zlib": true,
	"encoding/base64": true, "encoding/binary": true, "encoding/csv": true, "encoding/hex": true, "encoding/json": true,
	"encoding/xml": true, "fmt": true, "io": true, "log": true, "log/slog": true, "mime/quotedprintable": true, "strings": true,
	"text/tabwriter": true,
}

// wraps reports whether a function only makes a value that forwards to its arguments.
func wraps(f *types.Func) bool {
	switch f.FullName() {
	case "compress/gzip.NewReader", "compress/zlib.NewReader", "compress/zlib.NewReaderDict":
		return false // they read
	case "io.LimitReader", "io.MultiReader", "io.MultiWriter", "io.NopCloser", "io.TeeReader":
		return true
	}
	return forwardingPackages[f.Pkg().Path()] && f.Signature().Recv() == nil && strings.HasPrefix(f.Name(), "New")
}

// givesStream reports whether a function is given a reader or a writer.
func givesStream(f *types.Func) bool {
	for v := range f.Signature().Params().Variables() {
		if n, ok := types.Unalias(v.Type()).(*types.Named); ok && types.IsInterface(n) && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "io" {
			return true
		}
	}
	return false
}

// forwards reports whether a call is one of a function that only forwards to what is behind
// its operands, and these can be evaluated again. It notes those that may refer to something.
func (a *memory) forwards(c *ast.CallExpr, f *types.Func) bool {
	if !forwardingPackages[f.Pkg().Path()] {
		return false
	}
	operands := c.Args
	var logger ast.Expr
	var promotedBy []*types.Var
	switch x, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); {
	case f.Signature().Recv() == nil && f.Pkg().Path() == "log/slog":
		return false // the logger is one that others set, which orders them and who gets it
	case f.Signature().Recv() == nil && f.Pkg().Path() == "log":
		if !ok || f.Name() == "Default" {
			return false
		}
		logger = x.X
	case f.Signature().Recv() != nil:
		if !ok {
			return false
		}
		m := a.info.Selections[x]
		if m == nil || m.Kind() != types.MethodVal {
			return false
		}
		if n := len(m.Index()) - 1; n > 0 {
			if promotedBy = a.fields(m); len(promotedBy) < n {
				return false // they cannot be named
			}
		}
		operands = append([]ast.Expr{x.X}, c.Args...)
	}
	var ok bool
	if operands, ok = a.referring(operands); ok {
		a.operands[c], a.promotedBy[c] = operands, promotedBy
		if logger != nil {
			a.loggers[c] = logger
		}
	}
	return ok
}

// referring are those of the operands of a call that may refer to something. Of what is only
// made of others, as bufio.NewReader(r), it is these. It reports whether they can be evaluated
// again.
func (a *memory) referring(operands []ast.Expr) (out []ast.Expr, ok bool) {
	for _, e := range operands {
		e = ast.Unparen(e)
		if parts, ok := a.composed(e); ok {
			inner, ok := a.referring(parts)
			if !ok {
				return nil, false
			}
			out = append(out, inner...)
			continue
		}
		tv := a.info.Types[e]
		_, literal := e.(*ast.FuncLit)
		call, isCall := e.(*ast.CallExpr)
		switch {
		case tv.IsNil(), tv.Value != nil, literal, tv.Type != nil && isPlainData(tv.Type, 0):
		case isCall:
			kind, obj := sites.Classify(a.info, call.Fun)
			f, isFunc := obj.(*types.Func)
			if kind != sites.Invalid || !isFunc || f.Pkg() == nil || !wraps(f) {
				return nil, false
			}
			inner, ok := a.referring(call.Args)
			if !ok {
				return nil, false
			}
			out = append(out, inner...)
		case tv.Type == nil, !pureOrAddress(a.info, e):
			return nil, false
		default:
			out = append(out, e)
		}
	}
	return out, true
}

// composed are the parts of a composite literal, or of the address of one, of a type of the
// program or without a name: what it may do is in instrumented code, or behind its parts. It
// reports whether the expression is one.
func (a *memory) composed(e ast.Expr) (parts []ast.Expr, ok bool) {
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
		e = ast.Unparen(u.X)
	}
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return nil, false
	}
	t := pointedTo(a.info.TypeOf(lit)) // of an element of a slice of pointers it is one
	if n, ok := types.Unalias(t).(*types.Named); ok && (n.Obj().Pkg() == nil || !a.own[n.Obj().Pkg().Path()]) {
		return nil, false
	}
	if mapOf(t) != nil {
		return nil, false // its keys are numbered when they are evaluated
	}
	st, isStruct := t.Underlying().(*types.Struct)
	for i := 0; isStruct && i < st.NumFields(); i++ {
		if f := st.Field(i); f.Embedded() && !isPlainData(f.Type(), 0) {
			return nil, false // it promotes methods, which may be of a library
		}
	}
	for _, part := range lit.Elts {
		if kv, ok := part.(*ast.KeyValueExpr); ok {
			part = kv.Value
		}
		parts = append(parts, part)
	}
	return parts, true
}

// pureOrAddress is pure also for the address of such an expression.
func pureOrAddress(info *types.Info, e ast.Expr) bool {
	if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.AND {
		e = u.X
	}
	return pure(info, e)
}

// isPlainData: values of the type refer to nothing that has methods.
func isPlainData(t types.Type, depth int) bool {
	if isTypeParam(t) || depth > 10 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer
	case *types.Slice:
		return isPlainData(u.Elem(), depth+1)
	case *types.Array:
		return isPlainData(u.Elem(), depth+1)
	case *types.Map:
		return isPlainData(u.Key(), depth+1) && isPlainData(u.Elem(), depth+1)
	}
	return false
}

// putOperands adds the operands of a call that forwards to a call of the runtime.
func (r *rewriter) putOperands(b *builder, c *ast.CallExpr) {
	recv, _ := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if pkg := r.memory.loggers[c]; pkg != nil {
		b.put(", ")
		b.node(pkg)
		b.put(".Default()")
	}
	for _, e := range r.operands[c] {
		b.put(", ")
		used := false // then it is the address that has been written
		if r.races != nil {
			_, used = r.races.uses[e]
		}
		t, field := r.info.TypeOf(e), ""
		isReceiver := recv != nil && e == ast.Unparen(recv.X)
		for _, f := range r.memory.promotedBy[c] {
			if isReceiver && !used { // else the way to it has been written
				t, field = f.Type(), field+"."+f.Name()
			}
		}
		if isReceiver && !used && !isPointer(t) && !types.IsInterface(t) && (field != "" || r.info.Types[e].Addressable()) {
			b.put("&")
		}
		b.put("(")
		b.node(e)
		b.put(")%s", field)
	}
}
