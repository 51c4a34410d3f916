package sites_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"

	"github.com/vtrace/vtrace/internal/sites"
)

const program = `package main

func main() {
	c := make(chan int)
	go func() { c <- 1 }()
	<-c
}
`

func Example() {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "main.go", program, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	pkg, err := (&types.Config{Importer: importer.Default()}).Check("main", fset, []*ast.File{file}, info)
	if err != nil {
		fmt.Println(err)
		return
	}
	index := sites.Number(fset, func(name string) string { return name }, []sites.Package{{
		Path: "main", Files: []*ast.File{file}, Types: pkg, Info: info,
		ReadFile: func(string) ([]byte, error) { return []byte(program), nil },
	}}, pkg.Scope().Lookup("main").(*types.Func))
	for _, s := range index.Sites() {
		if s.IsOp() {
			fmt.Printf("%d %-7s %-18s %s:%d:%d: %s\n", s.ID, s.Kind, s.Key, s.File, s.Line, s.Col, s.Text)
		}
	}
	// Output:
	// 3 go      main.main#1        main.go:5:2: go func() { c <- 1 }()
	// 4 start   main.main#1.start  main.go:5:2: go func() { c <- 1 }()
	// 6 send    main.main$1#1      main.go:5:16: go func() { c <- 1 }()
	// 8 receive main.main#2        main.go:6:2: <-c
	// 9 end     main.main.end      main.go:7:1: }
}
