package exploration

import (
	"fmt"
	"strings"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
)

// While the entry is alone, but for subtests that it waits for or that wait for it,
// each iteration of a loop has locations and objects of its own, as far as there are few:
// what a program sets up in loops is as exact as what it sets up one by one. So it is
// in these subtests, up to t.Parallel, and each iteration has subtests of its own.
//
//	for range 3 { locks = append(locks, new(sync.Mutex)) }
//
// With one location for all iterations the locks would come from one pool, and each
// element of the slice could be any of them.

const (
	// maxIterations is how many iterations of a loop there are locations and objects for.
	maxIterations = 16
	// maxUnrolled is how many such locations there are in all.
	maxUnrolled = 400
)

// iterationsOf names the iterations of the loops that a stack is in, "" if it is in none. once
// reports that a goroutine comes by such a stack with these iterations only once.
// The iteration behind the last one that is kept apart stands for all that follow.
func (x *Explorer) iterationsOf(frames []*state.Frame) (iterations string, once bool) {
	var b strings.Builder
	once = true
	for i, f := range frames {
		if f.Op.StartedBy(sites.Subtest) || f.Op.RunsSubtest() && i == len(frames)-1 {
			continue
		}
		if f.Op != nil || f.Block == nil || f.Running || f.Unwind != nil {
			once = false // it may call the function above several times
			continue
		}
		in := x.Program.Function(f.Call.Fn)
		in.Arrange()
		once = once && !in.Tangled
		for _, h := range in.Loops[f.Block.Index] {
			n := min(f.Iteration(h), maxIterations)
			once = once && n < maxIterations
			fmt.Fprintf(&b, "@%d", n)
		}
	}
	return b.String(), once
}

// unroll returns what tells the location of a path apart from those of other iterations,
// given its key without that.
func (x *Explorer) unroll(p *Path, key string) string {
	if !p.Serial || p.rolled {
		return ""
	}
	iterations, _ := x.iterationsOf(p.Frames)
	if iterations == "" || p.Template.ByKey[key+iterations] != nil {
		return iterations
	}
	// From here on the path may come to a location again: what it makes comes from pools (AllocateKey).
	if x.unrolled == maxUnrolled {
		p.rolled = true
		return ""
	}
	x.unrolled++
	return iterations
}
