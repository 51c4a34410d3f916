package creation_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/vtrace/vtrace/internal/creation"
	"github.com/vtrace/vtrace/internal/frames"
	"github.com/vtrace/vtrace/parse"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/source"
)

// Where the channel was made that a goroutine sends on: by the calls that have led it there. Whoever else comes
// there sends on another one, so that without them no place is known.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "main.go": `package main

func main() {
	requests := make(chan int)
	answers := make(chan int)
	go send(requests)
	go send(answers)
	<-requests
	<-answers
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
	form, _ := ssautil.Packages(src.Packages, ssa.InstantiateGenerics|ssa.GlobalDebug)
	form.Build()
	index := parse.Index(src)
	p := creation.New(frames.New(src, form), index)
	for _, s := range index.Sites() {
		if s.Kind != sites.Send {
			continue
		}
		for _, pos := range p.Of(s.ID, []string{"example.com/m.send main.go:13"}, [][]string{{"example.com/m.main main.go:7"}}) {
			fmt.Println("made in line", src.Fset.Position(pos).Line)
		}
		for _, pos := range p.At(s.ID) {
			fmt.Println("known without the calls:", pos.IsValid())
		}
	}
	// Output:
	// made in line 5
	// known without the calls: false
}
