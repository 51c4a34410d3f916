package exploration

import "github.com/vtrace/vtrace/internal/translate/internal/state"

// FindShared adds the statements that touch memory which goroutines share and
// that somebody writes. It reports whether there are new ones.
//
// Only there can another goroutine see, or change, what is between two statements of one segment. So only these
// statements need a guard, which makes them steps of their own, and the attempt begins again with them: the
// segments are others then. All others stay in one step, which keeps the model small. Cells that have one value
// throughout cannot be seen to change; of those that are not tracked nothing is known anyway.
func (x *Explorer) FindShared() bool {
	if len(x.Refusals) > 0 && !x.Options.Continue {
		return false
	}
	grown := x.findTimed()
	var shared []*state.Cell
	for _, c := range x.Memory.Cells {
		if c == nil || c.Sync && len(c.Stmts) == 0 || c.Abs.Top { // of what belongs to a channel statements ask for its length
			continue
		}
		if _, ok := c.Abs.Single(); ok && !c.Varies {
			continue
		}
		n, written := 0, false
		for t, in := range c.Access {
			// Two goroutines of one template are two as well.
			n += t.Slots
			written = written || in.Written
		}
		if n < 2 || !written {
			continue
		}
		shared = append(shared, c)
		for _, s := range c.Stmts {
			if !x.Access[s] {
				x.Access[s] = true
				grown = true
			}
		}
	}
	return x.findStores(shared) || grown
}
