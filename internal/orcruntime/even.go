//go:build go1.25

package orcruntime

import "math"

// even is StrategyEven. Where goroutines do long sequences of steps at the same time, as they do on as many processors,
// they go on side by side; a random run has them so for some steps, and hardly from the beginning to the end. An error
// that needs steps of one between all of another's shows in one random schedule of hundreds.
//
// The entry function goes on at a speed of 1, which is that at which all end together, and every other goroutine at one
// between 1/swiftest and swiftest. Runs with seeds one behind the other have different speeds, as evenly spread as can be.
type even struct {
	*random
	group // the steps that count: those on what is shared
	seed  uint64
	speed map[string]float64 // by goroutine
	done  map[string]int     // steps that count
	since map[string]int     // those that were done when the last goroutine was born: from then on all go on evenly
	first map[string]uint64  // who is first among those that have come as far
}

// swiftest is the greatest speed, and spread has a number for each goroutine, by its birth: multiples of square roots of
// primes, without what is in front of the point, are evenly spread, and those of one have nothing to do with those of
// another (Richtmyer 1951).
const swiftest = 2

var spreads = [...]float64{math.Sqrt2, 1.7320508075688772, 2.23606797749979, 2.6457513110645907, 3.3166247903554}

func newEven(r *random, groups []group, seed uint64) *even {
	c := &even{random: r, seed: seed, speed: map[string]float64{}, done: map[string]int{}, since: map[string]int{}, first: map[string]uint64{}}
	if len(groups) > 0 {
		c.group = groups[len(groups)-1]
	}
	return c
}

func (c *even) born(name string) {
	c.speed[name], c.first[name] = 1, c.word()>>1
	switch n := len(c.speed); {
	case name != entryPath:
		_, part := math.Modf(float64(c.seed) * spreads[n%len(spreads)])
		c.speed[name] = math.Pow(swiftest, 2*part-1)
	case c.seed%2 == 0:
		c.first[name] = 0
	default:
		c.first[name] = math.MaxUint64
	}
	for g := range c.speed {
		c.since[g] = c.done[g]
	}
}

// progress is the part of the steps that a goroutine had left then which it has done by now, and would have at a speed of 1.
func (c *even) progress(name string) float64 {
	left := max(c.steps[name]-c.since[name], 1)
	return float64(c.done[name]-c.since[name]) / (float64(left) * c.speed[name])
}

func (c *even) pick(v View, among []int, _ int) int {
	for _, i := range among {
		if name := nameOf(v, i); c.speed[name] == 0 {
			c.born(name)
		}
	}
	best := among[0]
	for _, i := range among[1:] {
		a, b := nameOf(v, i), nameOf(v, best)
		if p, q := c.progress(a), c.progress(b); p < q || p == q && c.first[a] < c.first[b] {
			best = i
		}
	}
	return best
}

func (c *even) took(v View, i int) {
	if i != TimePasses && (c.sites == nil || c.sites[v.Ready[i].Site]) {
		c.done[v.Ready[i].G]++
	}
}

// yields counts a turn in vain as a step: else who polls for another one would always be the one who has done least.
func (c *even) yields(name string) { c.done[name]++ }
