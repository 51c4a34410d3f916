package disallow

import (
	"errors"
	"fmt"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// ErrForm is wrapped by the errors about queries that cannot be rewritten
// because of their form.
var ErrForm = errors.New("query has no place for disallowed hashes")

// Rewrite gives a query that holds the traces with the given hashes to be no
// violation, or no witness, of q:
//
//	A[] not P                  A[] not (P and hash32 != h)
//	A[] Q imply (not P)        A[] Q imply (not (P and hash32 != h))
//	E<> P                      E<> P and hash32 != h
//
// Hashes that q excludes already are not repeated; the others follow in the
// given order. Rewriting a rewritten query is therefore the same as rewriting
// once with all the hashes. A query of another form is an error that wraps
// ErrForm, unless there are no hashes at all. q is not changed and shares
// nothing with the result.
func Rewrite(q *uppaal.Query, hashes []int32) (*uppaal.Query, error) {
	out := q.Clone()
	if len(hashes) == 0 {
		return out, nil
	}
	place, err := condition(out)
	if err != nil {
		return nil, err
	}
	known := map[int32]bool{}
	for _, h := range excluded(*place) {
		known[h] = true
	}
	for _, h := range hashes {
		if known[h] {
			continue
		}
		known[h] = true
		*place = &uppaal.Binary{Op: uppaal.OpAnd, X: *place, Y: &uppaal.Binary{
			Op: uppaal.OpNe,
			X:  &uppaal.Ident{Name: VariableName},
			Y:  &uppaal.IntLit{Value: h},
		}}
	}
	return out, nil
}

// RewriteText is Rewrite on the text of a formula.
func RewriteText(formula string, hashes ...int32) (string, error) {
	q, err := uppaal.ParseQuery(formula)
	if err != nil {
		return "", err
	}
	if q, err = Rewrite(q, hashes); err != nil {
		return "", err
	}
	return uppaal.QueryString(q), nil
}

// Hashes gives the hashes that a query excludes, in order; none for a query of
// a form that Rewrite does not know.
func Hashes(q *uppaal.Query) []int32 {
	place, err := condition(q)
	if err != nil {
		return nil
	}
	return excluded(*place)
}

// condition finds the P of a query: the condition of the state that the trace
// leads to.
func condition(q *uppaal.Query) (*uppaal.Expr, error) {
	switch q.Op {
	case uppaal.Possibly:
		return &q.X, nil
	case uppaal.Always:
		if p := negated(q.X); p != nil {
			return p, nil
		}
		if b, ok := q.X.(*uppaal.Binary); ok && b.Op == uppaal.OpImply {
			if p := negated(b.Y); p != nil {
				return p, nil
			}
		}
		return nil, fmt.Errorf("%w: %s is neither A[] not P nor A[] Q imply (not P)", ErrForm, uppaal.QueryString(q))
	}
	return nil, fmt.Errorf("%w: %s: only A[] and E<> queries end in a single state", ErrForm, uppaal.QueryString(q))
}

// negated gives the place of P in "not P", or nil.
func negated(e uppaal.Expr) *uppaal.Expr {
	if n, ok := e.(*uppaal.Unary); ok && n.Op == uppaal.OpNot {
		return &n.X
	}
	return nil
}

// excluded gives the hashes that the conjuncts of a condition exclude, in
// order.
func excluded(e uppaal.Expr) []int32 {
	// The conjuncts hang on the left of each other: collect from the last one.
	var reversed []int32
	for {
		and, ok := e.(*uppaal.Binary)
		if !ok || and.Op != uppaal.OpAnd {
			if h, ok := exclusion(e); ok {
				reversed = append(reversed, h)
			}
			break
		}
		if h, ok := exclusion(and.Y); ok {
			reversed = append(reversed, h)
		}
		e = and.X
	}
	var out []int32
	for i := len(reversed) - 1; i >= 0; i-- {
		out = append(out, reversed[i])
	}
	return out
}

// exclusion recognises "hash32 != h".
func exclusion(e uppaal.Expr) (int32, bool) {
	ne, ok := e.(*uppaal.Binary)
	if !ok || ne.Op != uppaal.OpNe {
		return 0, false
	}
	id, ok := ne.X.(*uppaal.Ident)
	lit, ok2 := ne.Y.(*uppaal.IntLit)
	if !ok || !ok2 || id.Name != VariableName {
		return 0, false
	}
	return lit.Value, true
}
