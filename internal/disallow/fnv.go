package disallow

import (
	"fmt"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// The parameters of the hash as 32-bit signed integers.
const (
	OffsetBasis int32 = -2128831035 // 2166136261 as unsigned
	Prime       int32 = 16777619
)

// The names that Declaration declares.
const (
	TypeName     = "hash_t"    // full 32-bit integers; int32_t is taken in newer versions
	VariableName = "hash32"    // the hash of the path so far
	FunctionName = "hash_path" // mixes in one guard
)

// FNV1a32 is the hash of a sequence of guard ids.
func FNV1a32(ids ...int32) int32 {
	h := NewHasher()
	for _, id := range ids {
		h.Add(id)
	}
	return h.Sum()
}

// A Hasher computes the hash of a growing sequence.
type Hasher struct{ hash int32 }

// NewHasher gives the hash of the empty sequence.
func NewHasher() *Hasher { return &Hasher{OffsetBasis} }

// Add mixes in one guard id.
func (h *Hasher) Add(id int32) { h.hash = (h.hash ^ id) * Prime }

// Sum is the hash of what was added so far; more can be added.
func (h *Hasher) Sum() int32 { return h.hash }

// Declaration gives the global declarations of the hash: the type hash_t, the
// variable hash32 and the function hash_path(id).
func Declaration() string {
	return fmt.Sprintf(`typedef int[-2147483648,2147483647] %[1]s;
%[1]s %[2]s = %[3]d;
void %[4]s(%[1]s id) {
    %[2]s = (%[2]s ^ id) * %[5]d;
}
`, TypeName, VariableName, OffsetBasis, FunctionName, Prime)
}

// Decls gives Declaration as a tree, new at every call.
func Decls() []uppaal.Decl {
	ds, err := uppaal.ParseDecls(Declaration())
	if err != nil {
		panic("disallow: the declaration does not parse: " + err.Error())
	}
	return ds
}

// Call gives the update of a guarded edge: hash_path(id).
func Call(id int32) uppaal.Expr {
	return &uppaal.Call{
		Fun:  &uppaal.Ident{Name: FunctionName},
		Args: []uppaal.Expr{&uppaal.IntLit{Value: id}},
	}
}
