//go:build go1.25

package orcruntime

import "sync"

// PoolAt is a sync.Pool at a site. In a run the pool loses nothing: the run chooses
// whether Get returns one of the values that were put, and which, or a new one.
type PoolAt struct {
	site Site
	pool *sync.Pool
}

// pooled is a value in a pool, with what has happened before it was put there.
type pooled struct {
	value any
	clock clock
}

// Pool is a pool at a site.
func Pool(site Site, p *sync.Pool) PoolAt { return PoolAt{site, p} }

// Get is that of sync.Pool.
func (a PoolAt) Get() any {
	g := asks()
	if g == nil {
		x := a.pool.Get()
		recording().pooled(x, recLoad)
		return x
	}
	s := g.run
	g.stopToCall(a.site)
	s.exec.calls(g)
	list := s.pools[a.pool]
	if n := len(list); n > 0 {
		// The value put last is choice 0, as it is what a real pool mostly gives; the last choice is none of them.
		if i := n - 1 - g.choose(a.site, n+1, true); i >= 0 {
			p := list[i]
			s.pools[a.pool] = append(list[:i:i], list[i+1:]...)
			s.races.joined(g, p.clock)
			g.rec.pooled(p.value, recLoad)
			return p.value
		}
	}
	if a.pool.New == nil {
		return nil
	}
	return a.pool.New()
}

// Put is that of sync.Pool.
func (a PoolAt) Put(x any) {
	g := asks()
	switch {
	case g == nil:
		recording().pooled(x, recStore)
		a.pool.Put(x)
	case x != nil:
		s := g.run
		g.stopToCall(a.site)
		s.exec.calls(g)
		_ = a.pool.New // panics if there is no pool, as the original does
		if s.pools == nil {
			s.pools = make(map[*sync.Pool][]pooled)
		}
		g.rec.pooled(x, recStore)
		s.pools[a.pool] = append(s.pools[a.pool], pooled{x, s.races.snapshot(g)})
	}
}

// joined orders what has happened before c before what g does.
func (r *races) joined(g *goroutine, c clock) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	g.joins(c)
}
