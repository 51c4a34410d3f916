//go:build go1.25

package orcruntime

// Settle is synctest.Wait, which is wait: in a run, it returns when no other
// goroutine stands at a guard or can go on by itself. Time does not pass before.
func Settle(site Site, wait func()) {
	g := enter(site)
	if g == nil {
		wait()
		return
	}
	g.arrive(opSettle, site, nil)
	g.block()
	g.run.races.settled(g)
	g.pass()
}

// settler is the first goroutine that waits for the others to settle.
func (s *run) settler() *goroutine {
	if s.settlers == 0 {
		return nil
	}
	for _, g := range s.blocked {
		if g.op == opSettle {
			return g
		}
	}
	return nil
}

// settled: no goroutine but those that are blocked is left.
func (s *run) settled() bool {
	for _, g := range s.live {
		if g.state == parked {
			return false
		}
	}
	return true
}
