package view

import "maps"

// The bounds of a page: it is small enough to be sent by mail, and what a bundle holds cannot make
// it take more time or memory than this. None depends on how fast anything is.
const (
	maxModel    = 8 << 20  // bytes of the model
	maxWork     = 1 << 20  // transitions of the model that are looked at, see check.Walk.Bound
	maxCells    = 50 << 20 // variables and processes of the states along one trace
	maxSteps    = 20_000   // of one trace
	maxFindings = 500
	maxFacts    = 20
	maxText     = 600 // bytes of one text

	// Bytes of JSON, which leave room in 2 MB for the findings and the page itself.
	maxTraceBytes    = 1_350_000
	maxAutomataBytes = 150_000
	maxFileBytes     = 150_000
)

// fits takes the size of a value as JSON out of the room that is left, unless it is larger.
func fits(v any, room *int) bool {
	n := len(encoded(v))
	if n > *room {
		return false
	}
	*room -= n
	return true
}

// cut leaves out steps at the beginning of a trace, so that it fits into the room that is left, and
// takes what it needs out of it. It is false where not even the last step fits.
func cut(tr *Trace, room *int) bool {
	if fits(*tr, room) {
		return true
	}
	sizes := make([]int, len(tr.Steps))
	for i, s := range tr.Steps {
		sizes[i] = len(encoded(s)) + 1
	}
	for _, a := range tr.Arrows {
		sizes[a.ToStep-1] += len(encoded(a)) + 1
	}
	state := maps.Clone(tr.Start)
	skip, total := 0, len(encoded(*tr))
	for ; skip < len(tr.Steps)-1; skip++ {
		if skip > 0 && total <= *room && total+len(encoded(state)) <= *room {
			break
		}
		total -= sizes[skip]
		for key, v := range tr.Steps[skip].Set {
			if v == nil {
				delete(state, key)
			} else {
				state[key] = v
			}
		}
	}
	arrows := []Arrow{}
	for _, a := range tr.Arrows {
		if a.ToStep > skip {
			arrows = append(arrows, a)
		}
	}
	tr.Steps, tr.Start, tr.Arrows, tr.Skipped = tr.Steps[skip:], state, arrows, skip
	return fits(*tr, room)
}
