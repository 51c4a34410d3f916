package translate

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/vtrace/vtrace/internal/translate/internal/dump"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
)

// A Stage is one of those in which a model is made, as far as what it finds can be printed. What comes
// after the last of them is the network itself.
type Stage string

// The stages, in the order in which they come.
const (
	StageSlice       Stage = "slice"       // what of the program matters
	StageAssumptions Stage = "assumptions" // what each attempt takes for true of the whole program
	StageSolution    Stage = "solution"    // every location, with what variables and memory can hold
)

// Stages are all of them.
func Stages() []Stage { return []Stage{StageSlice, StageAssumptions, StageSolution} }

// ErrStage is wrapped by the error for what names no stage.
var ErrStage = errors.New("no stage of the translation")

// ParseStage is the stage of a name.
func ParseStage(name string) (Stage, error) {
	for _, s := range Stages() {
		if string(s) == name {
			return s, nil
		}
	}
	return "", fmt.Errorf("%q: %w: they are %s, %s and %s", name, ErrStage, StageSlice, StageAssumptions, StageSolution)
}

// Dump is a stage to be printed. Text is what was found in the last translation that had this dump in its
// options, also if no model came of it.
type Dump struct {
	Stage Stage
	Text  bytes.Buffer
}

// begins starts with the stages before any attempt.
func (d *Dump) begins(p *Prepared) {
	if d == nil {
		return
	}
	d.Text.Reset()
	if d.Stage == StageSlice {
		dump.Slice(&d.Text, p.program, p.slice)
	}
}

// attempts has what an attempt begins with.
func (d *Dump) attempts(p *Prepared, taken *exploration.Assumptions, nth int) {
	if d != nil && d.Stage == StageAssumptions {
		fmt.Fprintf(&d.Text, "attempt %d\n", nth)
		dump.Assumptions(&d.Text, p.program, p.sites, taken)
	}
}

// solves has what an attempt has found, of which nothing but the last is kept.
func (d *Dump) solves(x *exploration.Explorer) {
	if d != nil && d.Stage == StageSolution {
		d.Text.Reset()
		dump.Solution(&d.Text, x)
	}
}
