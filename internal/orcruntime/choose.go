//go:build go1.25

package orcruntime

// Chooser chooses what happens next when no plan does. It sees one run and may
// keep state; the run is a function of its choices.
type Chooser interface {
	// Next is called with every goroutine that stands at a guard, or with none
	// if only time can pass. The view is valid during the call.
	Next(v View) Choice
}

// View is the choice at hand.
type View struct {
	Ready []Parked // by creation path; granting any of them is allowed
	// Time says that an event is known to come, so that TimePasses is allowed
	// beside ready goroutines.
	Time bool
	Step int // steps done

	run *run
}

// Parked is a goroutine at a guard.
type Parked struct {
	G    string
	Site Site
	Op   string
	// Cases is the number of cases of a select, without the default.
	Cases int
	// End marks the guard at the return of the entry function.
	End bool

	g *goroutine
}

// Key is the key of the site.
func (p Parked) Key() string { return p.Site.key() }

// Choice is an answer to a View.
type Choice struct {
	Index int // in View.Ready, or TimePasses, or Stop
	// Case is the case of a select to try first; the others follow in cyclic
	// source order. The default is taken only if none is ready.
	Case int
}

// Special values of Choice.Index.
const (
	TimePasses = -1 // let time pass to the next event
	Stop       = -2 // end the run here
)

// fairness is how many choices in a row FirstEnabled gives one goroutine while
// others are ready: a goroutine that spins must not starve those it waits for.
const fairness = 1000

// FirstEnabled chooses the lowest creation path and lets time pass when no
// goroutine is ready. A goroutine chosen 1000 times in a row, or in a busy loop,
// yields to the next one, and when all have had their turn, to time.
func FirstEnabled() Chooser { return &firstEnabled{} }

type firstEnabled struct {
	last    string
	streak  int
	skipped map[string]bool
}

func (c *firstEnabled) Next(v View) Choice {
	if len(v.Ready) == 0 {
		c.skipped = nil
		return Choice{Index: TimePasses}
	}
	for i, p := range v.Ready {
		if c.skipped[p.G] {
			continue
		}
		if p.G != c.last {
			c.last, c.streak = p.G, 0
		}
		if c.streak++; c.streak >= fairness || p.Op == opNames[opSpin] {
			if c.skipped == nil {
				c.skipped = make(map[string]bool)
			}
			c.skipped[p.G] = true
		}
		return Choice{Index: i}
	}
	// Everyone who is ready has had a long turn.
	c.skipped = nil
	c.last, c.streak = "", 0
	if v.Time {
		return Choice{Index: TimePasses}
	}
	return Choice{Index: 0}
}

// Random chooses by a generator with the given seed. Time passes when no
// goroutine is ready, and now and then while an event is known to come.
func Random(seed uint64) Chooser { r := random(seed); return &r }

// random is the splitmix64 generator.
type random uint64

func (r *random) next(n int) int { return int(r.word() % uint64(n)) }

func (r *random) word() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (r *random) Next(v View) Choice {
	n := len(v.Ready)
	if n == 0 {
		return Choice{Index: TimePasses}
	}
	if v.Time {
		n++
	}
	i := r.next(n)
	if i == len(v.Ready) {
		return Choice{Index: TimePasses}
	}
	c := Choice{Index: i}
	if k := v.Ready[i].Cases; k > 1 {
		c.Case = r.next(k)
	}
	return c
}
