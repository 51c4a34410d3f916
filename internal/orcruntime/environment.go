//go:build go1.25

package orcruntime

import (
	"io"
	"time"
)

// The environment of a run is what decides, besides the schedule, what the
// program does, and is not the program: random numbers, the order of a map, which
// value a sync.Pool has left. The run chooses it, by a seed, so that a plan with
// the same seed finds the same environment.
//
// What is chosen is a function of the seed, the goroutine, the site, and how often
// the goroutine has chosen there, and of nothing else: choices of one goroutine do
// not depend on those of another, nor on steps that a plan has left out.

// EnvChoice is one choice of the environment: Value, of N from 0.
type EnvChoice struct {
	G    string // creation path of who asked
	Site string // key of the statement, "" outside of functions
	Occ  int    // counts, from 1, what G has asked for at Site
	N    int
	// Value is the number that a random function returns; the index, in
	// lexicographic order, of the permutation that a map's keys, sorted, come in; which of
	// the entries, sorted and from 1, that were created since the range over a map has
	// begun comes next, 0 for none of them;
	// for a sync.Pool how many values have been put after the one that it
	// returns, N-1 if that is a new one; where a deadline is set behind how many
	// others, that it would have come before, a slow goroutine puts it; and where the
	// clock is read which of the times that make a difference it shows.
	Value int
	// Late is how late that is, where something is set or read late. It counts, whatever
	// N and Value are, if no event comes meanwhile.
	Late time.Duration
}

// smallRange is the greatest range of random numbers that are choices each. Of
// larger ones only the seed is kept.
const smallRange = 16

// maxChoices bounds how many choices a run records. The others follow from its
// seed as well.
const maxChoices = 10_000

// asked is one question to the environment.
type asked struct {
	g, site string
	occ     int
}

// planned are the choices that a plan prescribes.
func planned(choices []EnvChoice) map[asked]EnvChoice {
	if len(choices) == 0 {
		return nil
	}
	m := make(map[asked]EnvChoice, len(choices))
	for _, c := range choices {
		m[asked{c.G, c.Site, c.Occ}] = c
	}
	return m
}

// asks returns the goroutine under control that calls, nil for none. It is enter
// for what is no guard.
func asks() *goroutine {
	s := active.Load()
	if s == nil || s.dying.Load() {
		return nil
	}
	return s.caller()
}

// ask counts a question of g at a site, and returns the seed of the answer.
func (g *goroutine) ask(site Site) (occ int, seed uint64) {
	if g.asked == nil {
		g.asked = make(map[Site]int)
	}
	g.asked[site]++
	occ = g.asked[site]
	s := g.run
	s.asked++
	key, ok := s.siteHashes[site]
	if !ok {
		if s.siteHashes == nil {
			s.siteHashes = make(map[Site]uint64)
		}
		key = hashText(site.key())
		s.siteHashes[site] = key
	}
	return occ, mix(s.cfg.Plan.Seed, g.number, key, uint64(occ))
}

// choose is a choice of n that the plan may prescribe and that the run records.
// Without a seed it is the first, if there is one that comes first.
func (g *goroutine) choose(site Site, n int, ordered bool) int {
	occ, seed := g.ask(site)
	s := g.run
	value := 0
	if s.cfg.Plan.Seed != 0 || !ordered {
		r := random(seed)
		value = r.next(n)
	}
	if s.exec != nil {
		if s.cfg.Plan.Seed == 0 {
			value = 0
		}
		value = s.exec.pick(g, site, n, value)
	}
	return g.decided(site, occ, n, value)
}

// decided is the value of a choice, if the plan prescribes no other one. The run records it.
func (g *goroutine) decided(site Site, occ, n, value int) int {
	if c, ok := g.prescribed(site, occ); ok && c.N == n && c.Value >= 0 && c.Value < n {
		value = c.Value
	}
	g.run.record(EnvChoice{G: g.path, Site: site.key(), Occ: occ, N: n, Value: value})
	return value
}

// prescribed is the choice that the plan has for what g asks for.
func (g *goroutine) prescribed(site Site, occ int) (c EnvChoice, ok bool) {
	if g.run.planned == nil {
		return c, false
	}
	c, ok = g.run.planned[asked{g.path, site.key(), occ}]
	return c, ok
}

// record notes a choice, if the run is recorded.
func (s *run) record(c EnvChoice) {
	if s.cfg.Record && len(s.choices) < maxChoices {
		s.choices = append(s.choices, c)
	}
}

// Choose returns a number below n that the run has chosen. It fails outside of
// runs, and if n is not in a small range.
func Choose(site Site, n uint64) (uint64, bool) {
	if n < 2 || n > smallRange {
		return 0, false
	}
	g := asks()
	if g == nil {
		return 0, false
	}
	return uint64(g.choose(site, int(n), false)), true
}

// Permuted is an order of the numbers below n that the run has chosen, nil outside of runs, and
// if there are too many.
func Permuted(site Site, n int) []int {
	if n < 2 || n > choicesOfOrder {
		return nil
	}
	g := asks()
	if g == nil {
		return nil
	}
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	g.permute(site, n, func(i, j int) { p[i], p[j] = p[j], p[i] })
	return p
}

// Shuffled has swap shuffle n elements, as the functions of packages math/rand and math/rand/v2
// do, into an order that the run chooses. It reports whether it has: not outside of runs, nor if
// there are too many orders.
func Shuffled(site Site, n int, swap func(i, j int)) bool {
	if n < 2 || n > choicesOfOrder || asks() == nil {
		return false
	}
	for i := n - 1; i > 0; i-- {
		j, ok := Choose(site, uint64(i+1))
		if !ok { // the run is over
			return true
		}
		swap(i, int(j))
	}
	return true
}

// Numbers are random numbers that follow from the seed of the run: a source for
// the packages math/rand and math/rand/v2, and a reader.
type Numbers struct{ random }

// Entropy returns the random numbers that a call at the site uses, nil outside of
// runs.
func Entropy(site Site) *Numbers {
	g := asks()
	if g == nil {
		return nil
	}
	_, seed := g.ask(site)
	g.run.exec.draws(site)
	return &Numbers{random(seed)}
}

// Uint64 is the next number.
func (n *Numbers) Uint64() uint64 { return n.word() }

// Int63 is that of a source of math/rand.
func (n *Numbers) Int63() int64 { return int64(n.word() >> 1) }

// Seed is that of a source of math/rand. It does nothing.
func (n *Numbers) Seed(int64) {}

// Read fills p.
func (n *Numbers) Read(p []byte) (int, error) {
	for i := 0; i < len(p); {
		for w, k := n.word(), 0; k < 8 && i < len(p); k++ {
			p[i] = byte(w)
			w >>= 8
			i++
		}
	}
	return len(p), nil
}

// Text is that of crypto/rand.
func (n *Numbers) Text() string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	var text [26]byte
	for i := range text {
		text[i] = alphabet[n.next(len(alphabet))]
	}
	return string(text[:])
}

// Reader is r, which gives random bytes, or in a run what gives those that the run
// has chosen.
func Reader(site Site, r io.Reader) io.Reader { return reader{site, r} }

type reader struct {
	site Site
	io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if n := Entropy(r.site); n != nil {
		return n.Read(p)
	}
	return r.Reader.Read(p)
}
