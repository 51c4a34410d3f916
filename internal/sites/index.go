package sites

import (
	"go/token"
	"go/types"
	"slices"
	"sort"

	"github.com/vtrace/vtrace/internal/parallel"
)

// Index holds the sites of a program. It is immutable and safe for concurrent
// use.
type Index struct {
	sites  []Site // by ID; sites[0] is the zero Site
	at     map[place]ID
	cases  map[token.Pos]selectCase
	starts map[ID]ID
	joins  map[ID]ID
	stores map[ID]ID // by statement
	end    ID
	spans  []span // by start; of two with the same start the longer first
}

type place struct {
	kind Kind
	pos  token.Pos
}

type selectCase struct {
	site  ID
	index int
}

// span is a piece of a function body: what one statement guard stands in front
// of, or, with site 0, the body of a function literal.
type span struct {
	start, end token.Pos // half open
	site       ID
	parent     int // the innermost span around this one, -1 if none
}

// Number numbers the program points of the packages. rel makes file names
// relative to the module root; entries are the functions whose returns are End
// sites. The numbers depend on nothing but the contents of the
// packages: not on the order in which they are given.
func Number(fset *token.FileSet, rel func(string) string, pkgs []Package, entries ...*types.Func) *Index {
	x := &Index{
		sites:  make([]Site, 1),
		cases:  map[token.Pos]selectCase{},
		starts: map[ID]ID{},
		joins:  map[ID]ID{},
		stores: map[ID]ID{},
	}
	sorted := append([]Package(nil), pkgs...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].Path < sorted[j].Path })
	starting := startingRuns(sorted)
	var all []*numberer
	for _, p := range sorted {
		all = append(all, numberers(x, fset, rel, p, entries, starting)...)
	}
	points := 0
	for _, n := range parallel.Map(len(all), func(i int) *numberer { all[i].collect(); return all[i] }) {
		points += len(n.points)
	}
	x.sites, x.at = slices.Grow(x.sites, points), make(map[place]ID, points)
	for i, n := range all {
		if i > 0 && all[i-1].ordinals == n.ordinals { // of one package
			n.top.before = all[i-1].top.before + all[i-1].top.literals
		}
		n.assign()
	}
	for _, n := range all {
		n.addStores()
	}
	x.nest()
	return x
}

// nest sorts the spans and finds their parents.
func (x *Index) nest() {
	sort.SliceStable(x.spans, func(i, j int) bool {
		a, b := x.spans[i], x.spans[j]
		if a.start != b.start {
			return a.start < b.start
		}
		return a.end > b.end
	})
	var open []int
	for i := range x.spans {
		s := &x.spans[i]
		for len(open) > 0 && x.spans[open[len(open)-1]].end < s.end {
			open = open[:len(open)-1]
		}
		s.parent = -1
		if len(open) > 0 {
			s.parent = open[len(open)-1]
		}
		open = append(open, i)
	}
}

// At returns the site of the operation of that kind at a position, as go/ssa
// has it:
//
//   - a send or receive: its arrow; a receive of a range over a channel, as
//     Range or as Recv: the for keyword
//   - a select: its keyword; one with a single case and no default, which the
//     SSA form has as a plain send or receive: also the arrow of the case, as
//     Send or Recv
//   - a go statement, as Go or Start: its keyword
//   - a call, the builtins close and panic included: its left parenthesis; a
//     call that is deferred or the operand of a go statement: also the keyword
//   - a method value, or a function used as a value: the name of the method or
//     function
//   - a store, as Store: the operator of the assignment; also what go/ssa gives
//     to the instruction: the variable, the name of the field, or the star
//   - End, and the entry's Join: the closing brace of the entry function
//   - the Join of a Subtest: the left parenthesis of the call
//   - Stmt: the first token of the statement or condition; see Stmt for others
func (x *Index) At(kind Kind, pos token.Pos) (Site, bool) {
	id, ok := x.at[place{kind, pos}]
	return x.sites[id], ok
}

// Case returns the site of the select statement that has a case at pos, and
// the number of the case, in source order from 0, a default not counted. The
// position of a case is its arrow, that of the default, which is number -1,
// its keyword.
func (x *Index) Case(pos token.Pos) (Site, int, bool) {
	c, ok := x.cases[pos]
	return x.sites[c.site], c.index, ok
}

// Stmt returns the statement site whose guard stands in front of what is at
// pos: the innermost simple statement, or the header of a control statement.
// The statement's extent is
//
//   - of a simple statement, all of it
//   - of an if or else if, the initialiser and the condition
//   - of a for, the initialiser; the condition has a site of its own, and the
//     post statement none: it runs in the segment that the last guard of the
//     body began. So does the copy of variables from one iteration to the next,
//     since Go 1.22; in the SSA form the load and the store of the copy have no
//     position, and the new variable that of the initialiser's
//   - of a range, the operand; the iteration variables have none
//   - of a switch, the header and the expressions of its cases
//   - of a select, the channels and the values to send; what a case assigns to
//     has none, since it is assigned after the choice
//
// The body of a function literal belongs to the literal's own statements.
// Outside of function bodies, but for declarations of variables whose values are functions
// that read the clock, and in functions that must not call others (go:nosplit and the
// like), there is none.
func (x *Index) Stmt(pos token.Pos) (Site, bool) {
	i := sort.Search(len(x.spans), func(i int) bool { return x.spans[i].start > pos }) - 1
	for i >= 0 && x.spans[i].end <= pos {
		i = x.spans[i].parent
	}
	if i < 0 || x.spans[i].site == 0 {
		return Site{}, false
	}
	return x.sites[x.spans[i].site], true
}

// Start returns the first guard of the goroutine that a Go, WaitGroupGo,
// Callback or Subtest site starts; the zero Site for others.
func (x *Index) Start(site ID) Site { return x.sites[x.starts[site]] }

// Join returns where the function of a Subtest site waits for its own parallel
// subtests; the zero Site for others.
func (x *Index) Join(site ID) Site { return x.sites[x.joins[site]] }

// Store returns the store of a statement; the zero Site if it has none.
func (x *Index) Store(stmt ID) Site { return x.sites[x.stores[stmt]] }

// End returns the site of the return of the entry function, the zero Site if
// there is none, and that of the last one if there are several.
func (x *Index) End() Site { return x.sites[x.end] }

// Sites returns all sites in order of their numbers, from 1. The caller must
// not change the slice.
func (x *Index) Sites() []Site { return x.sites[1:] }

// Site returns the site with that number, the zero Site if there is none.
func (x *Index) Site(id ID) Site {
	if id < 0 || int(id) >= len(x.sites) {
		return Site{}
	}
	return x.sites[id]
}
