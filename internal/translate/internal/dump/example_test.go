package dump_test

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate/internal/dump"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
)

// What the slice keeps of a program that computes something beside its operations.
func Example() {
	ctx := context.Background()
	src, err := source.Load(ctx, source.Spec{Dir: "../relevance/testdata/sums"})
	if err != nil {
		fmt.Println(err)
		return
	}
	prog, err := program.Build(ctx, src, func(*ssa.Function) *program.Operation { return nil }, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	dump.Slice(os.Stdout, prog, relevance.New(prog))
	// Output:
	// func count internal/translate/internal/relevance/testdata/sums/main.go:10:6
	//     n int
	//     internal/translate/internal/relevance/testdata/sums/main.go:10:34 t0 = n + 1:int
	// func main internal/translate/internal/relevance/testdata/sums/main.go:12:6
	//   ! internal/translate/internal/relevance/testdata/sums/main.go:13:30 t0 = count(1:int)
	//     internal/translate/internal/relevance/testdata/sums/main.go:13:14 t1 = make chan int t0
	//   ! internal/translate/internal/relevance/testdata/sums/main.go:14:7 send t1 <- t2
	//   ! internal/translate/internal/relevance/testdata/sums/main.go:15:2 t3 = <-t1
	// memory
}
