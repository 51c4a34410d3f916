package exploration

import (
	"fmt"
	"strings"
)

// What the entry does with a number that is chosen before it starts a goroutine, how
// often its loops run and how long its slices are, is followed for each of the
// values: there are locations of the entry for each. So it is as exact as with a
// constant, whatever the number is used for.

// maxVariants is for how many choices of numbers there are locations.
const maxVariants = 16

// Vary notes that one of n values has been chosen on the path.
// In a loop each iteration would multiply them.
func (p *Path) Vary(k int32, n int) {
	if !p.Alone || n < 2 || p.repeats() {
		return
	}
	for _, f := range strings.Split(p.variant, "|")[1:] {
		var value, of int
		fmt.Sscanf(f, "%d/%d", &value, &of)
		n *= of
	}
	if n <= maxVariants {
		p.variant += fmt.Sprintf("|%d/%d", k, n)
	}
}

// repeats reports that the path is in a loop.
func (p *Path) repeats() bool {
	for _, f := range p.Frames {
		if f.Call.InLoop || f.Block != nil && p.Explorer.Program.Function(f.Call.Fn).InCycle[f.Block.Index] {
			return true
		}
	}
	return false
}
