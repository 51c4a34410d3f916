package exploration

import (
	"cmp"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/sites"
)

// Assumptions are what a translation takes for true of the whole program before it has seen it.
// Where one turns out to be wrong, that is noted in them, and the translation begins again: what
// rests on it is in objects, templates and segments that were made long before. Each of them
// only ever grows, and there are only so many statements, channels and goroutines, so that there
// are only so many beginnings.
//
// Each begins with what makes the smaller model: that nobody looks between two statements, that nobody polls a
// channel, that a goroutine is the only one of its kind. To go on with one that is wrong would leave out what the
// program does.
type Assumptions struct {
	Access  map[sites.ID]bool  // statements with guards
	Polled  map[token.Pos]bool // channels that somebody polls, by their make
	splitAt map[point]bool     // where segments begin that are split
	dense   map[point]bool     // where segments begin that have many paths
	// recursive are the go statements that goroutines which they have started come to again.
	recursive map[started]bool
	Plain     bool // the first segment is an edge like any other
	Comparing bool // durations are compared
}

// started names the goroutines that a go statement starts with one target.
type started struct {
	by     ssa.Instruction
	target string
}

// NewAssumptions are those of the first attempt.
func NewAssumptions() *Assumptions {
	return &Assumptions{
		Access: map[sites.ID]bool{}, Polled: map[token.Pos]bool{}, splitAt: map[point]bool{},
		dense: map[point]bool{}, recursive: map[started]bool{},
	}
}

// An Assumption is one of those that are in force.
type Assumption struct {
	What string
	Site sites.ID  // of the statement that it is about, 0 if that has none
	Pos  token.Pos // of what it is about otherwise
}

// List lists them by what they say, then by where.
func (a *Assumptions) List() []Assumption {
	var out []Assumption
	for s, so := range a.Access {
		if so {
			out = append(out, Assumption{What: "the statement touches memory that goroutines share", Site: s})
		}
	}
	at := func(what string, pos token.Pos) { out = append(out, Assumption{What: what, Pos: pos}) }
	for pos, so := range a.Polled {
		if so {
			at("somebody polls the channel", pos)
		}
	}
	for p := range a.splitAt {
		at("segments are split that begin", p.pos())
	}
	for p := range a.dense {
		at("there are many paths through segments that begin", p.pos())
	}
	for s := range a.recursive {
		at("its goroutines come to it again: the go statement", s.by.Pos())
	}
	if a.Plain {
		at("the first segment is an edge like any other", token.NoPos)
	}
	if a.Comparing {
		at("durations are compared", token.NoPos)
	}
	slices.SortFunc(out, func(a, b Assumption) int {
		return cmp.Or(cmp.Compare(a.What, b.What), cmp.Compare(a.Site, b.Site), cmp.Compare(a.Pos, b.Pos))
	})
	return out
}

// Disproved says what an attempt has found wrong of the assumptions, so that there is to be another one.
type Disproved struct {
	Again       bool // some that everything rests on: the attempt ends at once
	NewSplits   bool // splitAt has grown
	Comparable  bool // durations are to be compared
	PlainNeeded bool // the first segment is to be an edge like any other
}
