package translate

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/sites"
)

// assumptions are what a translation takes for true of the whole program before it has seen it.
// Where one turns out to be wrong, that is noted in them, and the translation begins again: what
// rests on it is in objects, templates and segments that were made long before. Each of them
// only ever grows, and there are only so many statements, channels and goroutines, so that there
// are only so many beginnings.
type assumptions struct {
	access  map[sites.ID]bool  // statements with guards
	polled  map[token.Pos]bool // channels that somebody polls, by their make
	splitAt map[point]bool     // where segments begin that are split
	dense   map[point]bool     // where segments begin that have many ways
	// recursive are the go statements that goroutines which they have started come to again.
	recursive map[started]bool
	plain     bool // the first segment is an edge like any other
	comparing bool // durations are compared
}

// started names the goroutines that a go statement starts with one target.
type started struct {
	by     ssa.Instruction
	target string
}

func newAssumptions() *assumptions {
	return &assumptions{
		access: map[sites.ID]bool{}, polled: map[token.Pos]bool{}, splitAt: map[point]bool{},
		dense: map[point]bool{}, recursive: map[started]bool{},
	}
}

// disproved says what an attempt has found wrong of the assumptions, so that there is to be another one.
type disproved struct {
	again       bool // some that everything rests on: the attempt ends at once
	newSplits   bool // splitAt has grown
	comparable  bool // durations are to be compared
	plainNeeded bool // the first segment is to be an edge like any other
}
