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
	// Decided: nothing keeps the result open; otherwise Limits are what it does not cover, in words.
	Decided bool
	Limits  []string // see Decided
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

	by *Function // in whose call it is, if that is another one
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

// Summarise puts together what the checks of a function have shown, which are in the order of its valuations. Whether
// an error is one of another function, which the drivers call too, is asked by Attribute.
func (p *Plan) Summarise(f *Function, checked []Checked) *Summary {
	s := &Summary{Function: f, Checked: checked}
	type key struct {
		class Class
		place
	}
	known := map[key]*Error{}
	for i, c := range checked {
		if c.Bundle == nil {
			continue
		}
		refused, others := false, false
		misused := false // the function has said so, and what it does besides follows from that
		if c.Valuation.twice() {
			for _, found := range c.Bundle.Findings() {
				misused = misused || found.Verdict == artifact.Real && p.Judge(f, c.Valuation, found).Class == Refused
			}
		}
		for _, found := range c.Bundle.Findings() {
			if strength[found.Verdict] == 0 {
				continue
			}
			j := p.Judge(f, c.Valuation, found)
			if misused && j.Class == Alarm {
				j = Judgement{Refused, "the function says that it must not be called twice at once"}
			}
			refused = refused || j.Class == Refused
			others = others || j.Class == Alarm
			k := key{j.Class, place{found.Kind, found.File, found.Line}}
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
		own = own || !inDriver(k.file)
	}
	for k, e := range known {
		if own && inDriver(k.file) {
			continue // the driver waits for the function
		}
		e.by = p.by(f, checked[e.In[0]].Valuation, e.Finding)
		s.Errors = append(s.Errors, *e)
	}
	s.sort()
	return s
}

// Accept takes errors out of the alarms: those for which there is a reason, which is not "", to live with them.
func (s *Summary) Accept(reason func(e Error) string) {
	for i, e := range s.Errors {
		if e.Class != Alarm {
			continue
		}
		if why := reason(e); why != "" {
			s.Errors[i].Judgement = Judgement{Accepted, why}
		}
	}
	s.sort()
}

func (s *Summary) sort() {
	slices.SortFunc(s.Errors, func(a, b Error) int {
		return cmp.Or(cmp.Compare(order[a.Class], order[b.Class]), cmp.Compare(strength[b.Verdict], strength[a.Verdict]),
			cmp.Compare(len(b.In), len(a.In)), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kind, b.Kind))
	})
}

// by is the function in whose call an error is that the drivers of f have shown, if it is another one with drivers of
// its own; otherwise nil.
func (p *Plan) by(f *Function, v Valuation, finding artifact.Finding) *Function {
	j := judge{finder: p.finder, function: f, in: v, finding: finding}
	fn := j.by()
	if fn == nil || fn == f.fn || fn != v.beside && !slices.Contains(v.called, fn) {
		return nil
	}
	i := slices.IndexFunc(p.Functions, func(o *Function) bool { return o.fn == fn && o.LeftOut == "" })
	if i < 0 {
		return nil
	}
	return p.Functions[i]
}

// place is where an error of a kind is.
type place struct {
	kind, file string
	line       int
}

// Unattributed are the functions whose own summaries have to be known before errors of this one are attributed.
func (p *Plan) Unattributed(s *Summary) (out []*Function) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range s.Alarms() {
		if e.by != nil && !p.attributed[e.by] && !slices.Contains(out, e.by) {
			out = append(out, e.by)
		}
	}
	return out
}

// Attribute says which of the errors of a function are shown by another one, too, that its drivers call: such as the
// constructor of its receiver. Only functions count that were attributed before.
func (p *Plan) Attribute(s *Summary) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.alarms == nil {
		p.alarms, p.attributed = map[place][]*Function{}, map[*Function]bool{}
	}
	f := s.Function
	p.attributed[f] = true
	for i := range s.Errors {
		e := &s.Errors[i]
		if e.Class != Alarm {
			continue
		}
		at := place{e.Kind, e.File, e.Line}
		for _, other := range p.alarms[at] {
			calls := slices.ContainsFunc(f.Valuations, func(v Valuation) bool { return v.beside == other.fn || slices.Contains(v.called, other.fn) })
			if other != f && calls {
				e.Judgement = Judgement{Elsewhere, "an error of " + other.Name + ", and reported there"}
			}
		}
		if e.Class == Alarm {
			p.alarms[at] = append(p.alarms[at], f)
		}
	}
	s.sort()
}

// strength orders verdicts; those that are no errors have none.
var strength = map[string]int{artifact.Possible: 1, artifact.Unconfirmed: 2, artifact.Real: 3}

var order = map[Class]int{Alarm: 0, Accepted: 1, Elsewhere: 2, ByContract: 3, Slow: 4, Refused: 5}
