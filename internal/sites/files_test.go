package sites

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"
)

// The files of a package have one initialisation: the literals in the values of variables are numbered through, and
// so are the init functions, in the order of the files' names, whatever the order in which they are given.
func TestFiles(t *testing.T) {
	const a = `package p

var c = make(chan int)

var f = func() { c <- 1; func() { c <- 2 }() }

func init() { c <- 3 }

var g = func() { c <- 4 }
`
	const b = `package p

func init() { func() { c <- 5 }() }

func h() { c <- 6 }

var i = func() { c <- 7; func() { c <- 8 }() }

func init() { c <- 9 }

func _() { c <- 10 }
`
	const z = `package p

func _() { c <- 11 }

var j = func() { c <- 12 }

func init() { c <- 13 }
`
	fset := token.NewFileSet()
	var files []*ast.File
	for _, f := range []struct{ name, text string }{{"b.go", b}, {"z.go", z}, {"a.go", a}} {
		file, err := parser.ParseFile(fset, f.name, f.text, 0)
		require.NoError(t, err)
		files = append(files, file)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}
	pkg, err := new(types.Config).Check("p", fset, files, info)
	require.NoError(t, err)
	text := map[string]string{"a.go": a, "b.go": b, "z.go": z}
	read := func(name string) ([]byte, error) { return []byte(text[name]), nil }
	x := Number(fset, func(s string) string { return s }, []Package{{Path: "p", Files: files, Types: pkg, Info: info, ReadFile: read}})
	var keys []string
	for _, s := range x.Sites() {
		if s.Kind == Send {
			keys = append(keys, s.File+" "+s.Key)
		}
	}
	require.Equal(t, []string{
		"a.go p.init$1#1", "a.go p.init$1$1#1", "a.go p.init#1#1", "a.go p.init$2#1",
		"b.go p.init#2$1#1", "b.go p.h#1", "b.go p.init$3#1", "b.go p.init$3$1#1", "b.go p.init#3#1", "b.go p._#1",
		"z.go p._#2", "z.go p.init$4#1", "z.go p.init#4#1",
	}, keys)
}
