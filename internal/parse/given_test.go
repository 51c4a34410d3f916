package parse

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGivenTypes: what may be done to an argument depends on what its type is below, whatever
// name it has, and on all types of a type parameter.
func TestGivenTypes(t *testing.T) {
	const decls = `package p
type slice []byte
type alias = slice
type dict map[string]int
type named = dict
type array [2]byte
type text string
type list interface{ ~[]byte }
type either interface{ string | []byte }
func f[one []byte, ofNamed ~[]byte, declared slice, last string | []byte, first []byte | string, middle string | slice | text, within list, oneOf either, with interface { []byte; comparable }, texts string | text, maps map[string]int | dict, anything any]() {
`
	const (
		read      = givenReadSlice
		readMap   = givenReadMap
		neither   = givenUse(0)
		elements  = "elements" // a conversion to string copies them
		reference = ""
	)
	cases := []struct {
		typ  string
		read givenUse // as an argument that is printed
		fits givenUse // of those of slices and maps that may be recorded
		kind string
	}{
		{"[]byte", read, read, elements},
		{"slice", read, read, elements},
		{"alias", read, read, elements},
		{"map[string]int", readMap, readMap, reference},
		{"dict", readMap, readMap, reference},
		{"named", readMap, readMap, reference},
		{"array", neither, neither, reference},
		{"*array", neither, neither, reference},
		{"*[]byte", neither, neither, reference},
		{"text", neither, neither, reference},
		{"chan []byte", neither, neither, reference},
		{"any", neither, neither, reference},
		{"one", neither, read, elements},
		{"ofNamed", neither, read, elements},
		{"declared", neither, read, elements},
		{"last", neither, neither, elements},
		{"first", neither, neither, elements},
		{"middle", neither, neither, elements},
		{"within", neither, read, elements},
		{"oneOf", neither, neither, elements},
		{"texts", neither, neither, reference},
		{"maps", neither, neither, reference},
		{"anything", neither, neither, reference},
	}
	src := decls
	for i, c := range cases {
		src += fmt.Sprintf("\tvar v%d %s; _ = v%d\n", i, c.typ, i)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src+"}", 0)
	require.NoError(t, err)
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	_, err = new(types.Config).Check("p", fset, []*ast.File{file}, info)
	require.NoError(t, err)
	typeOf := map[string]types.Type{}
	for id, o := range info.Defs {
		if v, ok := o.(*types.Var); ok {
			typeOf[id.Name] = v.Type()
		}
	}
	for i, c := range cases {
		typ := typeOf[fmt.Sprintf("v%d", i)]
		require.NotNil(t, typ, c.typ)
		if !isTypeParam(typ) {
			require.Equal(t, c.read, readOf(typ), c.typ)
		}
		for _, u := range []givenUse{givenReadSlice, givenWrittenSlice} {
			require.Equal(t, c.fits == read, u.fits(typ), "%s as a slice", c.typ)
		}
		for _, u := range []givenUse{givenReadMap, givenWrittenMap} {
			require.Equal(t, c.fits == readMap, u.fits(typ), "%s as a map", c.typ)
		}
		require.Equal(t, c.kind == elements, readsElements(typ, types.Typ[types.String]), "string of %s", c.typ)
	}
}
