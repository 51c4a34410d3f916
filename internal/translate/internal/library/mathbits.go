package library

import (
	"math/bits"
	"strconv"

	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// What package math/bits counts in an integer is computed where the integer is
// known.

func mathBitsOperations(l *execution.Library) {
	counts := func(size string, width int) {
		// A number of the model is widened with its sign, and cut to the width: so it has the bits of that
		// of the program.
		mask := ^uint64(0) >> (64 - width)
		for name, count := range map[string]func(v uint64) int{
			"Len":           bits.Len64,
			"LeadingZeros":  func(v uint64) int { return width - bits.Len64(v) },
			"TrailingZeros": func(v uint64) int { return min(bits.TrailingZeros64(v), width) },
			"OnesCount":     bits.OnesCount64,
		} {
			l.Known["math/bits."+name+size] = l.Add(program.Operation{Name: "bits", Args: []int{0}}, func(x *execution.Executor, p *exploration.Path) bool {
				n := p.Simplify(p.Arg(0)[0])
				if n.IsConst() {
					return x.OpReturn(p, []*sym.Expr{sym.Num(int32(count(uint64(n.K) & mask)))})
				}
				return x.OpReturn(p, []*sym.Expr{p.Each(n, func(k int32) *sym.Expr { return sym.Num(int32(count(uint64(k) & mask))) })})
			})
		}
	}
	counts("", strconv.IntSize)
	for _, width := range []int{8, 16, 32, 64} {
		counts(strconv.Itoa(width), width)
	}
}
