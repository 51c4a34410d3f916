package layout_test

import (
	"context"
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
)

// A package-level variable with a lock, a slice and a number is five cells.
func Example() {
	src, err := source.Load(context.Background(), source.Spec{Dir: "testdata/queue"})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := program.Build(context.Background(), src, func(*ssa.Function) *program.Operation { return nil }, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	memory := state.NewMemory()
	l := layout.New(p, relevance.New(p), memory, 32, func() int { return 4 })
	o := l.Global(p.Entry.Pkg.Var("queue"))
	for _, c := range memory.Cells[o.Base : o.Base+o.Size] {
		fmt.Println(c.Name, "ref:", c.Ref)
	}
	// Output:
	// queue_Mutex_locked ref: false
	// queue_items_ptr ref: true
	// queue_items_len ref: false
	// queue_items_cap ref: false
	// queue_taken ref: false
}
