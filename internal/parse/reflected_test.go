package parse

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// apart are the methods of reflect.Value that touch no memory which others may share, and those that are limits wherever
// they are called.
var apart = strings.Fields(`Addr CanAddr CanComplex CanConvert CanFloat CanInt CanInterface CanSet CanUint Field Fields
	InterfaceData IsValid Kind Methods NumField NumMethod OverflowComplex OverflowFloat OverflowInt OverflowUint Type UnsafeAddr
	Close Recv Send Seq Seq2 TryRecv TrySend`)

// TestReflected: of each method of reflect.Value it is known whether it touches memory, and the runtime has one of its own
// for each that does, and no others.
func TestReflected(t *testing.T) {
	var all []string
	for m := range reflect.TypeFor[reflect.Value]().Methods() {
		all = append(all, m.Name)
	}
	known := apart
	for name := range reflected {
		known = append(known, name)
	}
	require.ElementsMatch(t, all, known)

	f, err := parser.ParseFile(token.NewFileSet(), "../orcruntime/reflected.go", nil, 0)
	require.NoError(t, err)
	functions, methods := map[string]bool{"": true}, map[string]bool{}
	for _, d := range f.Decls {
		switch d, ok := d.(*ast.FuncDecl); {
		case !ok || !d.Name.IsExported():
		case d.Recv == nil:
			functions[d.Name.Name] = true
		default:
			methods[d.Name.Name] = true
		}
	}
	require.Equal(t, reflected, methods)
	for name, function := range reflectedFunctions {
		require.Contains(t, functions, function, name)
	}
}
