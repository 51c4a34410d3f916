//go:build go1.25

package orcruntime

import (
	"maps"
	"slices"
)

// Profile is what a run at random has shown of a program, for strategies to expect. The zero
// value is for a program of which nothing is known.
type Profile struct {
	// Choices counts the choices among several.
	Choices int
	// Steps counts what goroutines have done at each site.
	Steps []ProfiledSteps
	// Shared are the sites of the operations on an object, for each object that several
	// goroutines have used.
	Shared [][]string
}

// ProfiledSteps is how often a goroutine has passed a site.
type ProfiledSteps struct {
	G, Site string
	N       int
}

// profileSeed is that of the run.
const profileSeed = 1

// maxShared bounds the objects of a profile.
const maxShared = 100

// profiling is a picker at random that looks at what there is.
type profiling struct {
	*random
	steps   map[string]map[Site]int
	objects map[touched]*profiledObject
	touches []touch
}

// profiledObject says by whom an object was used, and where.
type profiledObject struct {
	by     string
	shared bool
	sites  map[Site]bool
}

func (c *profiling) pick(_ View, among []int, _ int) int { return among[c.next(len(among))] }

func (c *profiling) took(v View, i int) {
	if i == TimePasses {
		return
	}
	p := v.Ready[i]
	if c.steps[p.G] == nil {
		c.steps[p.G] = map[Site]int{}
	}
	c.steps[p.G][p.Site]++
	c.touches = v.run.mayTouch(p.g, c.touches[:0])
	for _, t := range c.touches {
		o := c.objects[t.object]
		if o == nil {
			o = &profiledObject{by: p.G, sites: map[Site]bool{}}
			c.objects[t.object] = o
		}
		o.shared = o.shared || o.by != p.G
		o.sites[p.Site] = true
	}
}

func (c *profiling) yields(string) {}

// profileOf runs the program once.
func profileOf(run func(Chooser, uint64) Result) (*Profile, Result) {
	c := &strategist{random: profileSeed, limit: unlimited}
	look := &profiling{random: &c.random, steps: map[string]map[Site]int{}, objects: map[touched]*profiledObject{}}
	c.picker = look
	res := run(c, profileSeed)
	p := &Profile{Choices: c.choices}
	for _, g := range slices.Sorted(maps.Keys(look.steps)) {
		for _, site := range slices.Sorted(maps.Keys(look.steps[g])) {
			p.Steps = append(p.Steps, ProfiledSteps{g, site.key(), look.steps[g][site]})
		}
	}
	for _, o := range look.objects {
		if !o.shared {
			continue
		}
		var keys []string
		for site := range o.sites {
			keys = append(keys, site.key())
		}
		slices.Sort(keys)
		p.Shared = append(p.Shared, keys)
	}
	slices.SortFunc(p.Shared, func(a, b []string) int { return slices.Compare(a, b) })
	p.Shared = slices.CompactFunc(p.Shared, slices.Equal)
	p.Shared = p.Shared[:min(len(p.Shared), maxShared)]
	return p, res
}

// group are steps that matter to StrategySURW: those at some sites, nil for all, and how many
// of them goroutines do.
type group struct {
	sites map[Site]bool
	steps map[string]int
}

// groups are the operations on each object that is shared, and in the end on all of them.
func (p *Profile) groups() (out []group) {
	all := map[Site]bool{}
	add := func(sites map[Site]bool) {
		g := group{sites, map[string]int{}}
		for _, st := range p.Steps {
			if site, ok := siteOf(st.Site); ok && sites[site] {
				g.steps[st.G] += st.N
			}
		}
		out = append(out, g)
	}
	for _, keys := range p.Shared {
		sites := map[Site]bool{}
		for _, key := range keys {
			if site, ok := siteOf(key); ok {
				sites[site], all[site] = true, true
			}
		}
		add(sites)
	}
	if len(out) > 1 {
		add(all)
	}
	return out
}
