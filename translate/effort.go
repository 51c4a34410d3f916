package translate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vtrace/vtrace/artifact"
)

// How many ways there are through a program multiplies with the objects that an
// allocation stands for, the elements of slices, the entries of maps and the
// activations of functions. Where there are too many with the default bounds,
// the translation is made again with smaller ones: paths that need more then end
// in locations that say so, for which there are queries, instead of there being
// no model at all. What is counted decides, not time, so that the result is the
// same everywhere.

// effort is one attempt at a translation: the bounds that are smaller than by
// default, and the cost at which it is given up.
type effort struct {
	objects, slice, recursion, entries int // 0: the default
	cost                               int
}

var efforts = []effort{
	{cost: 14_000},
	{objects: 3, slice: 4, recursion: 2, entries: 3, cost: 22_000},
	{objects: 3, slice: 4, recursion: 2, entries: 2, cost: 24_000},
	{objects: 2, slice: 2, recursion: 2, entries: 1, cost: 8_000},
	{objects: 1, slice: 2, recursion: 2, entries: 1},
}

// cost is what an analysis has cost so far: the ways, and what was computed on
// them.
func (x *translator) cost() int { return x.work + x.steps/20 + x.evals/50 }

// errTooLarge ends an attempt after which another one can be made.
var errTooLarge = errors.New("too large for these bounds")

// lower returns the options for an attempt. Bounds that are given stay.
func (e effort) lower(o Options) Options {
	set := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	set(&o.Objects, e.objects)
	set(&o.Slice, e.slice)
	set(&o.Recursion, e.recursion)
	return o
}

// noteEffort records that a model has smaller bounds than asked for.
func (x *translator) noteEffort() {
	var what []string
	add := func(used, standard int, of string) {
		if used < standard {
			what = append(what, fmt.Sprintf("%d %s", used, of))
		}
	}
	def := x.asked.withDefaults()
	add(x.opts.Objects, def.Objects, "objects of an allocation")
	add(x.opts.Slice, def.Slice, "elements of slices that grow")
	add(x.entries, mapEntries, "entries of maps")
	add(x.opts.Recursion, def.Recursion, "activations of a function")
	if len(what) > 0 {
		x.approximation(x.prog.entry.Pos(), "bounds", artifact.DirectionBound,
			"with larger bounds the model would be too large: at most "+strings.Join(what, ", "))
	}
}
