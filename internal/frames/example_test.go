package frames_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/vtrace/vtrace/internal/frames"
	"github.com/vtrace/vtrace/source"
)

// The functions that the stack of a run names, innermost first, and the call between them.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "main.go": `package main

func main() {
	c := make(chan int)
	go func() {
		send(c)
	}()
	<-c
}

func send(c chan int) {
	c <- 1
}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
	src, err := source.Load(context.Background(), source.Spec{Dir: dir, Pattern: ".", Entry: "main"})
	if err != nil {
		log.Fatal(err)
	}
	form, _ := ssautil.Packages(src.Packages, ssa.InstantiateGenerics)
	form.Build()
	p := frames.New(src, form)
	stack := p.Resolve([]string{"example.com/m.send main.go:12", "example.com/m.main.func1 main.go:6"})
	for _, f := range stack {
		fmt.Printf("%s in line %d\n", f.Fn, f.Line)
	}
	for _, call := range p.Calls(stack[0], stack[1]) {
		fmt.Println(call, "in line", src.Fset.Position(call.Pos()).Line)
	}
	// Output:
	// example.com/m.send in line 12
	// example.com/m.main$1 in line 6
	// send(t0) in line 6
}
