package driver

import (
	"cmp"
	"slices"

	"github.com/vtrace/vtrace/artifact"
)

// Checked is the check of a function with one valuation.
type Checked struct {
	Valuation Valuation
	Bundle    *artifact.Bundle // nil if there is no result
	Err       error            // why there is none
	// Decided: nothing keeps the result open.
	Decided bool
}

// Error is one possible error of a function, in all valuations that show it.
type Error struct {
	Judgement
	Verdict string // of artifact.Finding, the strongest of those in the valuations: real, unconfirmed or possible
	Kind    string // as of artifact.Finding
	File    string // as of artifact.Finding
	Line    int    // as of artifact.Finding
	// In are the numbers, in Summary.Checked, of the valuations that show it with this verdict, the least first.
	In []int
	// Finding is the one of the first of these.
	Finding artifact.Finding
}

// Summary is what the checks of a function have shown.
type Summary struct {
	Function *Function
	Checked  []Checked
	// Errors are those that are the function's own, and then the others: by class, confirmed ones first, those that
	// more valuations show before those that fewer do.
	Errors []Error
	// Refused is in how many valuations the function has refused the values, and does nothing else.
	Refused int
}

// Valuations is how many valuations have a result, but for those that the function refuses.
func (s *Summary) Valuations() int {
	n := -s.Refused
	for _, c := range s.Checked {
		if c.Bundle != nil {
			n++
		}
	}
	return n
}

// Alarms are the errors of the function itself.
func (s *Summary) Alarms() []Error {
	i := slices.IndexFunc(s.Errors, func(e Error) bool { return e.Class != Alarm })
	if i < 0 {
		return s.Errors
	}
	return s.Errors[:i]
}

// Summarise puts together what the checks of a function have shown, which are in the order of its valuations.
func (p *Plan) Summarise(f *Function, checked []Checked) *Summary {
	s := &Summary{Function: f, Checked: checked}
	type key struct {
		class      Class
		kind, file string
		line       int
	}
	known := map[key]*Error{}
	for i, c := range checked {
		if c.Bundle == nil {
			continue
		}
		refused, others := false, false
		for _, found := range c.Bundle.Findings() {
			if strength[found.Verdict] == 0 {
				continue
			}
			j := p.Judge(f, c.Valuation, found)
			refused = refused || j.Class == Refused
			others = others || j.Class == Alarm
			k := key{j.Class, found.Kind, found.File, found.Line}
			e := known[k]
			if e == nil || strength[found.Verdict] > strength[e.Verdict] {
				known[k] = &Error{Judgement: j, Verdict: found.Verdict, Kind: found.Kind, File: found.File, Line: found.Line, In: []int{i}, Finding: found}
			} else if found.Verdict == e.Verdict && e.In[len(e.In)-1] != i {
				e.In = append(e.In, i)
			}
		}
		if refused && !others {
			s.Refused++
		}
	}
	own := false // there is an error at a place that is not of a driver
	for k := range known {
		own = own || k.class == Alarm && !inDriver(k.file)
	}
	for k, e := range known {
		if own && k.class == Alarm && inDriver(k.file) {
			continue // the driver waits for the function
		}
		if by := p.shownBy(f, *e); e.Class == Alarm && by != "" {
			e.Judgement = Judgement{Elsewhere, "an error of " + by + ", and reported there"}
		}
		s.Errors = append(s.Errors, *e)
	}
	slices.SortFunc(s.Errors, func(a, b Error) int {
		return cmp.Or(cmp.Compare(order[a.Class], order[b.Class]), cmp.Compare(strength[b.Verdict], strength[a.Verdict]),
			cmp.Compare(len(b.In), len(a.In)), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kind, b.Kind))
	})
	return s
}

// strength orders verdicts; those that are no errors have none.
var strength = map[string]int{artifact.Possible: 1, artifact.Unconfirmed: 2, artifact.Real: 3}

var order = map[Class]int{Alarm: 0, Elsewhere: 1, ByContract: 2, Slow: 3, Refused: 4}

// place is where an error of a kind is.
type place struct {
	kind, file string
	line       int
}

// shownBy is the function that the drivers of f call too, and that was found to have an error before, "" if there is none.
func (p *Plan) shownBy(f *Function, e Error) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Class == Alarm {
		if p.alarms == nil {
			p.alarms = map[place][]*Function{}
		}
		at := place{e.Kind, e.File, e.Line}
		for _, other := range p.alarms[at] {
			for _, v := range f.Valuations {
				if other != f && slices.Contains(v.called, other.fn) {
					return other.Name
				}
			}
		}
		p.alarms[at] = append(p.alarms[at], f)
	}
	return ""
}
