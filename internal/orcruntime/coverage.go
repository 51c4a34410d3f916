//go:build go1.25

package orcruntime

import "unsafe"

// coverage is what runs have come to, as far as it says whether a run was like an earlier
// one. It is nil in runs that nobody compares; all of its methods that the runtime calls
// are no-ops then.
//
// It has classes of runs: those in which steps that may depend on each other came in the
// same order, by a hash as that of a fingerprint. What a step touches is taken from the guard
// that its goroutine stands at, so that some equivalent runs are in different classes. And
// it has features: two sites one after the other at one object, by different goroutines;
// the sites of a send and of the receive that has got its value; the case that a select
// has taken.
type coverage struct {
	classes, features map[uint64]bool

	// Of the run at hand:
	prints  fingerprint
	past    map[*goroutine]uint64
	time    uint64 // a hash of all that was done when time has passed last
	last    map[touched]lastUse
	sends   map[unsafe.Pointer][]Site // those that have completed, in their order
	recvs   map[unsafe.Pointer][]Site
	found   int      // features that no run before has had
	done    int      // steps
	newAt   int      // in which of them, from 1, the first such feature came
	mine    []uint64 // all features, each once, as in has
	has     map[uint64]bool
	touches []touch
	// steps, if not nil, has what was done.
	steps *observation
}

// lastUse is who has used an object last.
type lastUse struct {
	g    *goroutine
	site Site
	kind touchKind
}

// The kinds of features.
const (
	featurePair = 1 + iota
	featurePartners
	featureCase
)

func newCoverage() *coverage {
	return &coverage{classes: map[uint64]bool{}, features: map[uint64]bool{}}
}

// begin is called before a run.
func (c *coverage) begin() {
	c.prints.reset()
	c.past, c.last = map[*goroutine]uint64{}, map[touched]lastUse{}
	c.sends, c.recvs = map[unsafe.Pointer][]Site{}, map[unsafe.Pointer][]Site{}
	c.time, c.found, c.done, c.newAt, c.mine, c.has = 0, 0, 0, 0, nil, map[uint64]bool{}
}

// end is called after a run. It reports whether the run was like no earlier one, and how many
// features it had that none of them had.
func (c *coverage) end() (class bool, features int) {
	print := c.all()
	class = !c.classes[print]
	c.classes[print] = true
	return class, c.found
}

// all is a hash of everything that was done.
func (c *coverage) all() (sum uint64) {
	for g, h := range c.past {
		sum += mix(h, g.number)
	}
	return mix(sum, c.time)
}

// step notes that g is about to pass its guard.
func (c *coverage) step(g *goroutine) {
	if c == nil {
		return
	}
	c.done++
	c.touches = g.run.mayTouch(g, c.touches[:0])
	h := c.prints.touched(mix(c.past[g], c.time, uint64(g.site)), c.touches)
	c.prints.touch(h, c.touches)
	c.past[g] = h
	c.steps.step(g, c.touches)
	if g.op == opClose {
		c.steps.closes(g, g.obj)
	}
	for _, t := range c.touches {
		before, used := c.last[t.object]
		c.last[t.object] = lastUse{g, g.site, t.kind}
		if used && before.g != g && (t.kind != touchRead || before.kind != touchRead) {
			c.feature(featurePair, before.site, g.site)
		}
	}
}

// passes notes that time passes.
func (c *coverage) passes() {
	if c != nil {
		c.time = c.all()
	}
}

// communicated: g has completed k on the real channel.
func (c *coverage) communicated(g *goroutine, k Case) {
	if c == nil {
		return
	}
	c.steps.communicated(g, k)
	p, mine, others := k.channel(), c.recvs, c.sends
	if k.sends() {
		mine, others = c.sends, c.recvs
	}
	n := len(mine[p])
	mine[p] = append(mine[p], g.site)
	c.past[g] = mix(c.past[g], uint64(n))
	switch {
	case !k.sends() && !k.received():
		c.feature(featurePartners, 0, g.site)
	case n >= len(others[p]):
	case k.sends():
		c.feature(featurePartners, g.site, others[p][n])
	default:
		c.feature(featurePartners, others[p][n], g.site)
	}
}

// met: g and w have passed a value without a buffer.
func (c *coverage) met(g, w *goroutine) {
	if c == nil {
		return
	}
	c.steps.met(g, w)
	c.past[g], c.past[w] = mix(c.past[g], w.number), mix(c.past[w], g.number)
	c.feature(featurePartners, min(g.site, w.site), max(g.site, w.site))
}

func (c *coverage) started(parent, child *goroutine) {
	if c != nil {
		c.steps.started(parent, child)
	}
}

func (c *coverage) released(g *goroutine, k syncKey) {
	if c != nil && g.run.cur.Load() == g { // who is outside control comes here at any time
		c.steps.released(g, k)
	}
}

func (c *coverage) acquired(g *goroutine, k syncKey) {
	if c != nil && g.run.cur.Load() == g { // who is outside control comes here at any time
		c.steps.acquired(g, k)
	}
}

// selected: g has taken a case of a select, or the default.
func (c *coverage) selected(g *goroutine) {
	if c == nil {
		return
	}
	c.past[g] = mix(c.past[g], uint64(g.chosen))
	c.feature(featureCase, g.site, Site(g.chosen))
}

func (c *coverage) feature(kind int, a, b Site) {
	h := mix(uint64(kind), uint64(a), uint64(b))
	if !c.features[h] {
		c.features[h] = true
		if c.found++; c.found == 1 {
			c.newAt = c.done
		}
	}
	if !c.has[h] {
		c.has[h] = true
		c.mine = append(c.mine, h)
	}
}
