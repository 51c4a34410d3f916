package report

import (
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/pass"
)

// Result is what became of an entry point.
type Result struct {
	Entry artifact.Entry
	// Bundle is the result of its check, nil if there is none: then Err says why.
	Bundle *artifact.Bundle
	Err    error
	// Took is how long the check took, 0 if that is not known.
	Took time.Duration
	// LeftOut says why it was not to be checked, "" if it was. It has neither a Bundle nor an Err
	// then.
	LeftOut string
	// Accepted are the findings that do not count, see Accept.
	Accepted []Acceptance
}

// accepted is why a finding does not count, nil if it does.
func (r *Result) accepted(f artifact.Finding) *Acceptance {
	for i := range r.Accepted {
		if r.Accepted[i].Finding == f.Number {
			return &r.Accepted[i]
		}
	}
	return nil
}

// conclusion sums a result up, without the findings that are accepted.
func (r *Result) conclusion() pass.Conclusion {
	return pass.Conclude(r.Bundle, Numbers(r.Accepted)...)
}

func (r *Result) name() string { return r.Entry.Package + " " + r.Entry.Func }
