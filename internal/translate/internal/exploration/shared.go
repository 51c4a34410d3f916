package exploration

import "github.com/vtrace/vtrace/internal/translate/internal/state"

// FindShared adds the statements that touch memory which goroutines share and
// that somebody writes. It reports whether there are new ones.
func (x *Explorer) FindShared() bool {
	if len(x.Refusals) > 0 && !x.Options.Continue {
		return false
	}
	grown := x.findTimed()
	var shared []*state.Cell
	for _, c := range x.Memory.Cells {
		if c == nil || c.Sync || c.Abs.Top {
			continue
		}
		if _, ok := c.Abs.Single(); ok && !c.Varies {
			continue
		}
		n, written := 0, false
		for t, in := range c.Access {
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
