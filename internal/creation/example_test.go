package creation_test

import (
	"context"
	"fmt"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/vtrace/vtrace/internal/creation"
	"github.com/vtrace/vtrace/internal/frames"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
)

// Where the channel was made that a goroutine sends on: by the calls that have led it there. Whoever else comes
// there sends on another one, so that without them no place is known.
func Example() {
	src, err := source.Load(context.Background(), source.Spec{Dir: "testdata/send"})
	if err != nil {
		fmt.Println(err)
		return
	}
	form, _ := ssautil.Packages(src.Packages, ssa.InstantiateGenerics|ssa.GlobalDebug)
	form.Build()
	index := parse.Index(src)
	p := creation.New(frames.New(src, form), index)
	for _, s := range index.Sites() {
		if s.Kind != sites.Send {
			continue
		}
		for _, pos := range p.Of(s.ID, []string{"github.com/vtrace/vtrace/internal/creation/testdata/send.send main.go:13"}, [][]string{{"github.com/vtrace/vtrace/internal/creation/testdata/send.main main.go:7"}}) {
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
