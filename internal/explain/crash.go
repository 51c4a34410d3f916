package explain

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
)

// What a Result and an After of a step may be, beside numbers.
const (
	closedResult = "closed"
	withPrefix   = "with "
	nobody       = "nobody"
)

// crashed is the last step of the goroutine that has panicked, or that has ended the program, at the place of the
// finding; false if that is not known.
func (e *explanation) crashed() (int, bool) {
	f := e.finding
	for i, s := range slices.Backward(f.Interleaving) {
		if s.File == f.File && s.Line == f.Line && e.ended(s.G) {
			return i, true
		}
	}
	return 0, false
}

// crashedOn is crashed where it is known on what object that step works.
func (e *explanation) crashedOn() (int, bool) {
	i, ok := e.crashed()
	return i, ok && e.finding.Interleaving[i].Object != ""
}

// ended reports whether the program has ended by a goroutine.
func (e *explanation) ended(g string) bool {
	o := e.goroutine(g)
	return o != nil && (o.State == artifact.StatePanicked || o.State == artifact.StateEnded)
}

// MapUse is what a goroutine does to a map at the end of a run in which several access it at one time, as a verb;
// "" of others.
func MapUse(g artifact.FindingGoroutine) string {
	switch g.Operation {
	case "map read":
		return "reads the map"
	case "map iteration":
		return "ranges over the map"
	case "map write":
		return "writes to the map"
	}
	return ""
}

// race says which accesses nothing orders, "" if they are not known.
func (e *explanation) race() string {
	all := e.finding.Goroutines
	if len(all) != 2 {
		return ""
	}
	a, b := all[0], all[1]
	return fmt.Sprintf("%s %s at %s, and %s %s at %s: no lock, channel or other synchronisation orders the two",
		who(e.finding, a.G), Accessed(a.Operation), at(a.File, a.Line), who(e.finding, b.G), Accessed(b.Operation), at(b.File, b.Line))
}

// SameVariable is the number of the first of earlier findings that is a data race on the variable of another one, or
// concurrent accesses to its map,
// 0 if there is none: the two have an access in common, of one statement to what has one name there, or each has one in
// common with a third. What lets the one happen lets the other.
func SameVariable(earlier []artifact.Finding, f artifact.Finding) int {
	for i, o := range earlier {
		if !shareAccess(o, f) {
			continue
		}
		if n := SameVariable(earlier[:i], o); n > 0 {
			return n
		}
		return o.Number
	}
	return 0
}

// shareAccess reports whether two data races have an access in common, or two concurrent accesses to a map.
func shareAccess(f, o artifact.Finding) bool {
	if f.Kind != artifact.KindRace && f.Kind != artifact.KindMapRace || o.Kind != f.Kind || f.Verdict != o.Verdict {
		return false
	}
	return slices.ContainsFunc(f.Goroutines, func(g artifact.FindingGoroutine) bool {
		return accessedName(g) != "" && slices.ContainsFunc(o.Goroutines, func(h artifact.FindingGoroutine) bool {
			return g.Site == h.Site && g.File == h.File && g.Line == h.Line && accessedName(g) == accessedName(h)
		})
	})
}

// accessedName is the variable that a goroutine accesses in a data race, or how it accesses a map, "" if it is not known.
func accessedName(g artifact.FindingGoroutine) string {
	if use := MapUse(g); use != "" {
		return use
	}
	_, name, _ := strings.Cut(Accessed(g.Operation), " ")
	return name
}

// Standing says in a word or two what a goroutine of a finding does at the end, or how it accesses what races.
func Standing(g artifact.FindingGoroutine) string {
	switch {
	case g.State == "":
		return Accessed(g.Operation)
	case MapUse(g) != "":
		return MapUse(g)
	case g.State == artifact.StateAt:
		return "about to go on"
	case g.State == artifact.StateNotStarted:
		return "(has not begun)"
	case g.Operation == "":
		return "(" + g.State + ")"
	case g.State == artifact.StateEnded: // the operation
		return g.Operation + " (ended the program)"
	}
	return g.Operation + " (" + g.State + ")"
}

// mapAccess says which goroutines access a map at one time, "" if that is not known.
func (e *explanation) mapAccess() string {
	all := e.finding.Goroutines
	for _, g := range all {
		if g.State != artifact.StateEnded || MapUse(g) == "" {
			continue
		}
		for _, o := range all {
			if o.G != g.G && o.Object == g.Object && g.Object != "" && o.State == artifact.StateAt && MapUse(o) != "" {
				return fmt.Sprintf("%s %s at %s while %s %s at %s: neither waits for the other",
					who(e.finding, o.G), MapUse(o), at(o.File, o.Line), who(e.finding, g.G), MapUse(g), at(g.File, g.Line))
			}
		}
	}
	return ""
}

// counts reports whether a step changes the counter of a WaitGroup.
func counts(s artifact.FindingStep) bool {
	return isKind(s, sites.WaitGroupAdd, sites.WaitGroupDone, sites.WaitGroupGo)
}

// negativeCounter says who has brought the counter of a WaitGroup to zero before somebody has lowered it again, "" if
// that is not known.
func (e *explanation) negativeCounter() string {
	i, ok := e.crashedOn()
	if !ok {
		return ""
	}
	steps := e.finding.Interleaving
	s := steps[i]
	text := fmt.Sprintf("%s calls %s at %s when the counter is 0", who(e.finding, s.G), called(s), at(s.File, s.Line))
	for k, z := range slices.Backward(steps[:i]) {
		if z.Object != s.Object || !counts(z) {
			continue
		}
		if z.After != "0" {
			return "" // then it was not the counter that the steps tell of
		}
		raised := slices.ContainsFunc(steps[:k], func(o artifact.FindingStep) bool { return o.Object == s.Object && counts(o) && o.After != "0" })
		if !raised {
			break
		}
		by := who(e.finding, z.G)
		if z.G == s.G {
			by = "it"
		}
		return text + fmt.Sprintf(": %s has brought it to 0 before, by %s at %s", by, called(z), at(z.File, z.Line))
	}
	return text + ": Add has not raised it before"
}

// unlocks says who has given back a lock before somebody does that nobody holds any more, "" if that is not known.
func (e *explanation) unlocks() string {
	i, ok := e.crashedOn()
	if !ok {
		return ""
	}
	steps := e.finding.Interleaving
	s := steps[i]
	text := fmt.Sprintf("%s calls %s at %s, and nobody holds the lock", who(e.finding, s.G), called(s), at(s.File, s.Line))
	for _, u := range slices.Backward(steps[:i]) {
		if u.Object == s.Object && isKind(u, sites.Unlock, sites.RUnlock) {
			return text + fmt.Sprintf(": %s has given it back before, by %s at %s", who(e.finding, u.G), called(u), at(u.File, u.Line))
		}
	}
	return text
}

// waitGroupReuse says who adds to a WaitGroup while a Wait for it has not returned, "" if that is not known.
func (e *explanation) waitGroupReuse() string {
	i, ok := e.crashedOn()
	if !ok {
		return ""
	}
	steps := e.finding.Interleaving
	object := steps[i].Object
	wait := slices.IndexFunc(steps, func(s artifact.FindingStep) bool { return s.Object == object && isKind(s, sites.WaitGroupWait) })
	if wait < 0 {
		return ""
	}
	zero := -1 // the step that lets the Wait go on
	for k, s := range steps {
		switch {
		case k <= wait || s.Object != object || !counts(s):
		case s.After == "0":
			zero = k
		case zero >= 0:
			w, z := steps[wait], steps[zero]
			return fmt.Sprintf("%s calls %s at %s before %s, which waits at %s, has come back from %s; the counter was 0 since %s had called %s at %s",
				who(e.finding, s.G), called(s), at(s.File, s.Line), who(e.finding, w.G), at(w.File, w.Line), called(w), who(e.finding, z.G), called(z), at(z.File, z.Line))
		}
	}
	return ""
}

// called is the call of a step as a text for a sentence, as "s.wg.Done".
func called(s artifact.FindingStep) string {
	kind := sites.Named(s.Operation)
	name := kind.Method().Name
	if x := Operand(kind, s.Text); x != "" {
		return x + "." + name
	}
	return name
}

// inBetween is a goroutine that was held between two of its steps although it could have gone on, and what others have
// done meanwhile.
type inBetween struct {
	from, to artifact.FindingStep
	others   []artifact.FindingStep
}

// interruptions are the places of an interleaving where a goroutine was held although it could go on, in the order of
// their ends, up to the step with an index.
func interruptions(steps []artifact.FindingStep, until int) (out []inBetween) {
	own := func(g string, from, to, by int, passed ...sites.Kind) artifact.FindingStep {
		for k := from; k != to; k += by {
			if steps[k].G == g && !isKind(steps[k], passed...) {
				return steps[k]
			}
		}
		return steps[from]
	}
	last := map[string]int{} // step, by goroutine
	for k, s := range steps[:until+1] {
		if s.Step == 0 || s.G == artifact.TimeStep {
			continue
		}
		if i, ok := last[s.G]; ok && i < k-1 && !steps[i].Waits && !isKind(steps[i], sites.CondWait) {
			others := slices.DeleteFunc(slices.Clone(steps[i+1:k]), func(o artifact.FindingStep) bool { return o.Step == 0 || o.G == artifact.TimeStep || o.G == s.G })
			if len(others) > 0 {
				// That it has given a lock back, or taken one, says less than what it has done under it.
				from, to := own(s.G, i, -1, -1, sites.Unlock, sites.RUnlock), own(s.G, k, until+1, 1, sites.Lock, sites.RLock)
				out = append(out, inBetween{from, to, others})
			}
		}
		last[s.G] = k
	}
	return out
}

// order says what the order of the steps has to do with an error that happens in one of them, "" if nothing of that is
// known: what another goroutine has done to what the step, or the check in front of it, is about, and whether the
// goroutine was held meanwhile although it could have gone on.
func (e *explanation) order(until int) string {
	text, _ := e.ordered(until)
	return text
}

// ordered is order, with how near that is to the error.
func (e *explanation) ordered(until int) (string, int) {
	const looked = 500 // steps: what is further away explains nothing
	from := max(until-looked, 0)
	steps := e.finding.Interleaving[from:]
	until -= from
	bad := steps[until].Text
	if c := checkBefore(steps, until); c >= 0 {
		bad += " " + steps[c].Text
	}
	best, rank := "", 0
	looksAt := lookedAt(steps, until)
	for _, b := range interruptions(steps, until) {
		for _, o := range b.others {
			// What is done later matters more, of what is as near to the error.
			if r := bearing(o, b, bad); r > 0 && r >= rank && comesTo(b, steps[:until], looksAt) {
				rank = r
				best = fmt.Sprintf("%s does %s while %s is between %s", who(e.finding, o.G), doneAt(o), who(e.finding, b.to.G), between(b.from, b.to))
			}
		}
	}
	if rank == nearest {
		return best, nearest
	}
	for _, o := range slices.Backward(steps[:until]) {
		if a := assignedIn(o); o.G != steps[until].G && (a != "" && mentions(bad, a) || storesTo(o, looksAt)) {
			return fmt.Sprintf("%s has done %s before", who(e.finding, o.G), doneAt(o)), nearest
		}
	}
	return best, rank
}

// lookedAt are the atomic variables that the step of an error, or the check in front of it, looks at.
func lookedAt(steps []artifact.FindingStep, until int) (objects []string) {
	for _, i := range []int{until, checkBefore(steps, until)} {
		if i >= 0 && isKind(steps[i], sites.Atomic) && steps[i].Object != "" {
			objects = append(objects, steps[i].Object)
		}
	}
	return objects
}

// comesTo reports whether what a goroutine does, while another one is held, may show in the variables that the step of an
// error looks at by what that one stores to them later. If there are none such it may.
func comesTo(b inBetween, before []artifact.FindingStep, objects []string) bool {
	return len(objects) == 0 || slices.ContainsFunc(before, func(s artifact.FindingStep) bool {
		return s.G == b.to.G && s.Step >= b.to.Step && storesTo(s, objects)
	})
}

// storesTo reports whether a step stores to one of some variables.
func storesTo(s artifact.FindingStep, objects []string) bool {
	return isKind(s, sites.Atomic) && s.After != "" && slices.Contains(objects, s.Object)
}

// nearest is the highest value of bearing.
const nearest = 4

// bearing says how near what a goroutine does, while another one is held, is to an error in a statement with a text: 0
// is that it has nothing to do with it as far as is known.
func bearing(o artifact.FindingStep, b inBetween, bad string) int {
	stores := isKind(o, sites.Atomic) && o.After != ""
	assigned := assignedIn(o)
	switch {
	case sites.Named(b.from.Operation).StartsGoroutine():
		return 0 // that others run when they were started is no wonder
	case stores && o.Object != "" && (o.Object == b.from.Object || o.Object == b.to.Object), assigned != "" && mentions(bad, assigned):
		return nearest
	case assigned != "" && assigned == assignedIn(b.to):
		return 3 // one of the two is lost
	case assigned != "" && (mentions(b.from.Text, assigned) || mentions(b.to.Text, assigned)):
		return 2
	case stores || assigned != "":
		return 1
	}
	return 0
}

// assignment finds what a statement assigns to.
var assignment = regexp.MustCompile(`(?:^|[\s{;])` + assigned)

// assigned is what is assigned to, and that it is.
const assigned = `[*(]*([\pL_][\pL\d_]*\)?(?:\.[\pL_][\pL\d_]*)*)(?:\[[^\]]*\])*\s*(?:=[^=]|\+=|-=|\+\+|--)`

// assignedIn is the variable that a step assigns to, or ".c" of a field, as of "p.c = nil"; "" if it does not assign.
func assignedIn(s artifact.FindingStep) string {
	if s.Operation != opAccess && s.Operation != opWrite && s.Operation != opMapAccess {
		return ""
	}
	m := assignment.FindStringSubmatch(s.Text)
	if m == nil {
		return ""
	}
	return m[1][max(strings.LastIndexByte(m[1], '.'), 0):]
}

// mentions reports whether what assignedIn has found stands in a text.
func mentions(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:from+i])
		from += i + len(name)
		after, _ := utf8.DecodeRuneInString(text[from:])
		if !inName(after) && (name[0] == '.' || !inName(before) && before != '.') { // else it is a field
			return true
		}
	}
}

// between are two steps of a goroutine, which may be of one statement.
func between(from, to artifact.FindingStep) string {
	if doneAt(from) == doneAt(to) {
		return "reading and writing in " + doneAt(to)
	}
	return doneAt(from) + " and " + doneAt(to)
}

// doneAt is a step in a sentence.
func doneAt(s artifact.FindingStep) string {
	text := brief(s)
	if s.Taken != "" {
		text = "case " + s.Taken
	}
	if !strings.Contains(text, "`") {
		text = "`" + strings.TrimSuffix(text, " {") + "`"
	}
	return text + " at " + at(s.File, s.Line)
}

// panics says what has come in between when a goroutine panics, or ends the program, "" if that is not known.
func (e *explanation) panics() string {
	if i, ok := e.crashed(); ok {
		if text := cmp.Or(e.order(i), e.halfway(i), e.tookDefault(i)); text != "" {
			return text
		}
	} else if i, ok := e.lastOfEnded(); ok {
		if text := e.halfway(i); text != "" {
			return text
		}
	}
	return cmp.Or(e.stuckBy(len(e.finding.Interleaving)), e.lockedBefore())
}

// lastOfEnded is the last step of the goroutine by which the program has ended: what has ended it may be none.
func (e *explanation) lastOfEnded() (int, bool) {
	for i, s := range slices.Backward(e.finding.Interleaving) {
		if e.ended(s.G) {
			return i, true
		}
	}
	return 0, false
}

// stuckBy says what all others wait for that have not come to their ends by a step, in front of which time has passed, "" if
// one of them may still do something: who gives up after some time does so for that.
func (e *explanation) stuckBy(until int) string {
	steps := e.finding.Interleaving[:until]
	if !slices.ContainsFunc(steps, func(s artifact.FindingStep) bool { return s.G == artifact.TimeStep }) {
		return ""
	}
	last := map[string]int{} // step, by goroutine
	for i, s := range e.finding.Interleaving {
		last[s.G] = i
	}
	for _, g := range e.finding.Goroutines {
		gives := e.ended(g.G) || until < len(e.finding.Interleaving) && g.G == e.finding.Interleaving[until].G
		rests := (g.State == artifact.StateFinished || g.State == artifact.StateBlocked) && last[g.G] < until
		if !gives && !rests {
			return ""
		}
	}
	text := e.waits()
	if text == "" {
		return ""
	}
	return "by then " + text
}

// halfway says whose change the goroutine of a step has seen before it was whole: somebody has stored what it has read
// last, has at most given a lock back since, and is about to store something else, or to take a lock for that; "" if that is
// nobody.
func (e *explanation) halfway(until int) string {
	const looked = 20 // steps of that goroutine
	steps := e.finding.Interleaving
	goesOn := func(s artifact.FindingStep) bool {
		return isKind(s, sites.Atomic) && storing.MatchString(s.Text) || assignedIn(s) != "" || isKind(s, sites.Lock, sites.RLock)
	}
	n := 0
	for r, read := range slices.Backward(steps[:until+1]) {
		if read.G != steps[until].G {
			continue
		}
		if n++; n > looked {
			break
		}
		for k, o := range slices.Backward(steps[:r]) {
			a := assignedIn(o)
			if !(isKind(o, sites.Atomic) && o.After != "" && o.Object != "" && o.Object == read.Object || a != "" && mentions(read.Text, a)) {
				continue
			}
			g := e.goroutine(o.G)
			if o.G == read.G || g == nil || g.State != artifact.StateAt || slices.ContainsFunc(steps[k+1:], func(s artifact.FindingStep) bool { return s.G == o.G && !isKind(s, sites.Unlock, sites.RUnlock) }) {
				break
			}
			if next := (artifact.FindingStep{Operation: g.Operation, File: g.File, Line: g.Line, Text: g.Text}); goesOn(next) {
				return fmt.Sprintf("%s has read what %s has written, %s, before %[2]s has come to %[4]s", who(e.finding, read.G), who(e.finding, o.G), doneAt(o), doneAt(next))
			}
			break
		}
	}
	return ""
}

// storing finds an operation that stores to an atomic variable.
var storing = regexp.MustCompile(`\b(?:Store|Add|Swap|CompareAndSwap|And|Or)\w*\(`)

// tookDefault says who has come to a channel only after the goroutine of a step has looked there and has taken the default
// of a select, "" if there is nobody.
func (e *explanation) tookDefault(until int) string {
	steps := e.finding.Interleaving
	for i, s := range slices.Backward(steps[:until]) {
		if s.G != steps[until].G || !isKind(s, sites.Select) || s.Case >= 0 {
			continue
		}
		for _, o := range steps[i:] {
			if o.G != s.G && o.Object != "" && slices.Contains(strings.Split(s.Object, ", "), o.Object) && isKind(o, sites.Send, sites.Recv, sites.Close, sites.Select) {
				return fmt.Sprintf("%s takes the default of its select at %s before %s does %s", who(e.finding, s.G), at(s.File, s.Line), who(e.finding, o.G), doneAt(o))
			}
		}
		return ""
	}
	return ""
}

// lockedBefore says who has had the lock before that the goroutine has taken last by which the program has ended, "" if
// there is none.
func (e *explanation) lockedBefore() string {
	steps := e.finding.Interleaving
	locks := func(s artifact.FindingStep) bool { return s.Object != "" && isKind(s, sites.Lock, sites.RLock) }
	for i, l := range slices.Backward(steps) {
		if !locks(l) || !e.ended(l.G) {
			continue
		}
		for _, o := range slices.Backward(steps[:i]) {
			if o.G != l.G && o.Object == l.Object && locks(o) {
				return fmt.Sprintf("%s has done %s before %s has done %s", who(e.finding, o.G), doneAt(o), who(e.finding, l.G), doneAt(l))
			}
		}
		return ""
	}
	return ""
}

// testFails says which check fails, and what the interleaving has to do with it, "" if nothing is known.
func (e *explanation) testFails() string {
	f := e.finding
	steps := f.Interleaving
	fails, text := lastAt(steps, "", f.File, f.Line), ""
	check := -1
	if fails >= 0 {
		check = checkBefore(steps, fails)
	} else if check = checkAbove(steps, f.File, f.Line); check >= 0 {
		fails = check
	} else {
		return e.readBefore()
	}
	if check < 0 {
		if why := e.readBefore(); why != "" {
			return why
		}
	} else {
		c := steps[check]
		text = fmt.Sprintf("the check of %s fails, %s", who(f, c.G), doneAt(c))
		if r := Result(c); r != "" {
			text += " (" + r
			if o, ok := sentBy(steps, check); ok {
				text += ", which " + who(f, o.G) + " has sent at " + at(o.File, o.Line)
			}
			text += ")"
		}
	}
	why := cmp.Or(e.order(fails), e.halfway(fails), e.tookDefault(fails), e.stuckBy(fails), e.behind(fails))
	switch s := steps[fails]; {
	case why == "":
		return text
	case text == "":
		return fmt.Sprintf("%s fails the test at %s: %s", who(f, s.G), at(s.File, s.Line), why)
	}
	return text + "; " + why
}

// readBefore says what the order has to do with what the goroutine of the test has read last, where the check that fails is no
// step, "" if nothing of that is known.
func (e *explanation) readBefore() string {
	for i, s := range slices.Backward(e.finding.Interleaving) {
		if s.G != entryGoroutine || s.Operation != opAccess && s.Operation != opMapAccess && !isKind(s, sites.Atomic) {
			continue
		}
		if why, rank := e.ordered(i); rank == nearest {
			return fmt.Sprintf("%s fails the test at %s with what it has read, %s: %s", who(e.finding, s.G), at(e.finding.File, e.finding.Line), doneAt(s), why)
		}
		return ""
	}
	return ""
}

// checkBefore is the condition that the goroutine of a step has looked at right before it, -1 if there is none.
func checkBefore(steps []artifact.FindingStep, i int) int {
	s := steps[i]
	for k, c := range slices.Backward(steps[:i]) {
		if c.G == s.G {
			if c.File == s.File && c.Line <= s.Line && isCheck(c) {
				return k
			}
			break
		}
	}
	return -1
}

// checkAbove is the last condition right above a line that has no step itself, -1 if there is none.
func checkAbove(steps []artifact.FindingStep, file string, line int) int {
	best := -1
	for k, c := range steps {
		if c.File == file && c.Line < line && (best < 0 || c.Line >= steps[best].Line) {
			best = k
		}
	}
	if best < 0 || !isCheck(steps[best]) {
		return -1
	}
	return best
}

// isCheck reports whether a step is one of an if statement.
func isCheck(s artifact.FindingStep) bool {
	return strings.HasPrefix(strings.TrimPrefix(s.Text, "} else "), "if ")
}

// sentBy is the step that has sent what is received in a step, false if that is not known. Channels keep the order.
func sentBy(steps []artifact.FindingStep, received int) (artifact.FindingStep, bool) {
	r := steps[received]
	if r.Object == "" || !isKind(r, sites.Recv, sites.Range) || r.Result == closedResult {
		return artifact.FindingStep{}, false
	}
	var sends []artifact.FindingStep
	n := 0 // what was received before
	for k, s := range steps[:received+1] {
		switch {
		case !slices.Contains(strings.Split(s.Object, ", "), r.Object):
		case isKind(s, sites.Select):
			return artifact.FindingStep{}, false // which may have done either
		case isKind(s, sites.Send):
			sends = append(sends, s)
		case isKind(s, sites.Recv, sites.Range) && k < received:
			n++
		}
	}
	if n >= len(sends) {
		return artifact.FindingStep{}, false
	}
	return sends[n], true
}

// behind says which goroutines have still something to do when an error happens in a step, "" if there are none.
func (e *explanation) behind(until int) string {
	steps := e.finding.Interleaving
	var parts []string
	for _, g := range e.finding.Goroutines {
		if g.G == steps[until].G {
			continue
		}
		before := slices.ContainsFunc(steps[:until], func(s artifact.FindingStep) bool { return s.G == g.G })
		next := slices.IndexFunc(steps[until:], func(s artifact.FindingStep) bool { return s.G == g.G })
		start, started := Started(e.finding, g.G)
		switch {
		case !before && started:
			parts = append(parts, fmt.Sprintf("%s, started at %s, has not begun", who(e.finding, g.G), at(start.File, start.Line)))
		case before && next >= 0:
			n := steps[until+next]
			parts = append(parts, fmt.Sprintf("%s has not come to %s", who(e.finding, g.G), doneAt(n)))
		}
	}
	if len(parts) == 0 || len(parts) > shownWaits {
		return ""
	}
	return "by then " + strings.Join(parts, ", and ")
}
