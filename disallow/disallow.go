package disallow

import "github.com/vtrace/vtrace/internal/disallow"

// ErrForm is wrapped by the errors about queries that cannot be rewritten because of their form.
var ErrForm = disallow.ErrForm

// Declaration gives the global declarations of the hash: the type hash_t, the variable hash32 and the function
// hash_path(id).
func Declaration() string { return disallow.Declaration() }

// FNV1a32 is the hash of a sequence of guard ids.
func FNV1a32(ids ...int32) int32 { return disallow.FNV1a32(ids...) }

// RewriteText gives a query that holds the traces with the given hashes to be no violation, or no witness, of a
// formula:
//
//	A[] not P                  A[] not (P and hash32 != h)
//	A[] Q imply (not P)        A[] Q imply (not (P and hash32 != h))
//	E<> P                      E<> P and hash32 != h
//
// Hashes that it excludes already are not repeated; the others follow in the given order. Rewriting a rewritten query is
// therefore the same as rewriting once with all the hashes. A query of another form is an error that wraps ErrForm,
// unless there are no hashes at all.
func RewriteText(formula string, hashes ...int32) (string, error) {
	return disallow.RewriteText(formula, hashes...)
}
