//go:build go1.25

package orcruntime

import "slices"

// Along is a Chooser that goes along with the steps of a guide, as far as the
// program can do them: a run that is near to them, where a plan would end at the
// first that cannot be done. Which guide it takes, and how often it goes another
// way, the seed says; one run of four does not care for guides, and without any
// Along is Random.
func Along(guides [][]Step, seed uint64) Chooser {
	r := random(seed)
	strays := [...]int{0, 12, 4, 1}[seed%4]
	if len(guides) == 0 || strays == 1 {
		return &r
	}
	guide := guides[seed/4%uint64(len(guides))]
	return &along{random: r, left: slices.Clone(guide), strays: strays}
}

// along keeps the steps of its guide that are left.
type along struct {
	random
	left   []Step
	strays int // one choice of so many is random, 0: none
}

func (c *along) Next(v View) Choice {
	choice, ok := Choice{}, false
	if c.strays == 0 || c.random.next(c.strays) > 0 {
		choice, ok = c.guided(v)
	}
	if !ok {
		choice = c.random.Next(v)
	}
	c.done(v, choice)
	return choice
}

// guided is the first step that can be done: of every goroutine the first that is
// left counts.
func (c *along) guided(v View) (Choice, bool) {
	var waiting []string // goroutines whose first step cannot be done
	for len(c.left) > 0 && c.left[0].G == TimeStep && !v.Time && len(v.Ready) > 0 {
		c.left = c.left[1:] // nothing is pending: the program has been there
	}
	for i, st := range c.left {
		if st.G == TimeStep {
			if !v.Time && len(v.Ready) > 0 || i > 0 && c.random.next(2) == 0 {
				return Choice{}, false
			}
			return Choice{Index: TimePasses}, true
		}
		if slices.Contains(waiting, st.G) {
			continue
		}
		k := slices.IndexFunc(v.Ready, func(p Parked) bool { return p.G == st.G })
		if k >= 0 && (v.Ready[k].Key() == st.Site || v.Ready[k].Op == opNames[opStart] || c.unnamed(v.Ready[k])) {
			return Choice{Index: k, Case: max(st.Case, 0)}, true
		}
		waiting = append(waiting, st.G)
	}
	return Choice{}, false
}

// unnamed: p is at an atomic operation or a minor guard that no step names.
func (c *along) unnamed(p Parked) bool {
	_, _, _, minor := p.Site.major()
	return (minor || p.Op == opNames[opAtomic]) && !slices.ContainsFunc(c.left, func(st Step) bool { return st.Site == p.Key() })
}

// done takes a choice from the guide, with what the goroutine was to do before.
func (c *along) done(v View, choice Choice) {
	g, site := TimeStep, ""
	if choice.Index >= 0 {
		p := v.Ready[choice.Index]
		g, site = p.G, p.Key()
	}
	at := slices.IndexFunc(c.left, func(st Step) bool { return st.G == g && st.Site == site })
	if at < 0 {
		return
	}
	i := -1
	c.left = slices.DeleteFunc(c.left, func(st Step) bool {
		i++
		return i <= at && st.G == g
	})
}
