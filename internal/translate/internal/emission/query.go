package emission

import (
	"fmt"
	"slices"
	"sort"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// DescribeStuck says in words that goroutines are stuck at an operation: the entry
// function in a deadlock, another one in a leak, or while the entry function goes on. What waits in code of others is at none.
func DescribeStuck(kind string, at sites.Kind, test bool) string {
	where := "at " + at.String()
	if at == sites.Invalid {
		where = "in a call of uninstrumented code"
	}
	switch {
	case kind == artifact.KindLeak:
		return "a goroutine can never go on " + where + " after the end of the test"
	case kind == artifact.KindPartialDeadlock:
		return "a goroutine can never go on " + where + " while " + entryName(test) + " can"
	case kind == artifact.KindDeadlock && at == sites.Exit:
		return entryName(test) + " has ended by runtime.Goexit, and no other goroutine is left that can go on"
	}
	return "all goroutines are asleep, " + entryName(test) + " " + where
}

// queries asks the questions about the model. The formula of each is there as a tree, too.
func (e *emitter) queries() ([]artifact.Query, []*uppaal.Query) {
	l := &queryList{e: e, ends: map[endKey][]occurrence{}, blocked: map[sites.ID][]occurrence{}}
	l.findOccurrences()
	l.askEnds()
	l.findEntry()
	for _, id := range l.blockOrder {
		l.askEntryStuck(id)
		l.askOthersStuck(id)
	}
	for _, s := range e.spins {
		l.askSpin(s)
	}
	e.goexits(l.add)
	e.reachability(l.add)
	if q, formula := e.askSaturated(len(l.out) + 1); formula != nil {
		l.add(q, formula, CategoryPrecision)
	}
	e.overfullMaps(l.add)
	l.askHalts()
	return l.out, l.formulas
}

// queryList is the queries of a model while they are made, and the locations of the model
// that they speak of.
type queryList struct {
	e        *emitter
	out      []artifact.Query
	formulas []*uppaal.Query // parallel to out
	// ends and blocked are where goroutines end and where they wait. The orders are those in
	// which they were found, and ask about them.
	ends       map[endKey][]occurrence
	endOrder   []endKey
	blocked    map[sites.ID][]occurrence
	blockOrder []sites.ID
	entry      entryLocations
}

// occurrence is a location in the template that has it: it is part of every process of that.
type occurrence struct {
	t *state.Template
	l *state.Location
}

// inEntry reports that a location is one of the goroutine of the entry function.
func (o occurrence) inEntry() bool { return o.t.Parent == nil }

// endKey tells ends apart: there is one query for each kind and place.
type endKey struct {
	kind string
	site sites.ID
	pos  string
	what string
	at   *state.Bound
}

// entryLocations is what queries about other goroutines say of the one of the entry function.
type entryLocations struct {
	process string
	done    uppaal.Expr   // that it has ended by itself, nil if it cannot
	ending  []uppaal.Expr // that it has returned, or is about to panic or to exit
}

// add returns the number of a query, 0 if it is not asked for.
func (l *queryList) add(q artifact.Query, formula *uppaal.Query, category string) int {
	if category == "" || category != CategoryInternal && category != CategoryPrecision && l.e.in.Categories != nil && !slices.Contains(l.e.in.Categories, category) {
		return 0
	}
	q.Category, q.Formula = category, uppaal.QueryString(formula)
	if q.Site != 0 {
		s := l.e.in.Sites.Site(sites.ID(q.Site))
		q.File, q.Line, q.Col = s.File, s.Line, s.Col
	}
	q.Number = len(l.out) + 1
	l.out, l.formulas = append(l.out, q), append(l.formulas, formula)
	return q.Number
}

// findOccurrences finds the locations where goroutines end or wait. Queries are about kinds of
// ends and about operations, which can have locations in several templates.
func (l *queryList) findOccurrences() {
	for _, t := range l.e.in.Templates {
		for _, loc := range t.Locations {
			if _, ok := l.e.kept[loc]; !ok {
				continue
			}
			switch {
			case loc.Kind == state.AtSink && loc.Sink.Kind != "":
				k := l.keyOf(loc.Sink)
				if len(l.ends[k]) == 0 {
					l.endOrder = append(l.endOrder, k)
				}
				l.ends[k] = append(l.ends[k], occurrence{t, loc})
			case loc.Block:
				if len(l.blocked[loc.Site]) == 0 {
					l.blockOrder = append(l.blockOrder, loc.Site)
				}
				l.blocked[loc.Site] = append(l.blocked[loc.Site], occurrence{t, loc})
			}
		}
	}
}

// keyOf says which query an end belongs to.
func (l *queryList) keyOf(s *state.Sink) endKey {
	k := endKey{s.Kind, s.Site, "", "", s.At}
	switch {
	case k.at != nil:
		// One for each place, wherever it is reached.
	case s.Site == 0:
		k.pos = l.e.in.Program.Position(s.Pos).String()
	}
	if k.at == nil && s.Kind == artifact.KindBound {
		k.what = s.Detail
	}
	return k
}

// where is the formula that a process is at one of some locations, nil if there are none. The
// process is named also by itself if it can only be one.
func (l *queryList) where(at []occurrence) (formula uppaal.Expr, process string) {
	var parts []uppaal.Expr
	procs := map[string]bool{}
	for _, a := range at {
		for _, p := range l.e.processes[a.t] {
			procs[p] = true
			parts = append(parts, is(p, a.l.Name))
		}
	}
	if len(procs) == 1 {
		for p := range procs {
			process = p
		}
	}
	return some(parts...), process
}

// askEnds asks whether the program can end in the ways that it must not, category by category.
func (l *queryList) askEnds() {
	sort.SliceStable(l.endOrder, func(i, j int) bool {
		return slices.Index(Categories(), crashCategory(l.endOrder[i].kind)) < slices.Index(Categories(), crashCategory(l.endOrder[j].kind))
	})
	for _, k := range l.endOrder {
		first := l.ends[k][0].l.Sink
		s, p := l.where(l.ends[k])
		q := artifact.Query{Kind: k.kind, Site: int(k.site), Process: p, Description: describeEnd(k.kind, first.Detail)}
		if k.site == 0 {
			pos := l.e.in.Program.Position(first.Pos)
			if k.at != nil {
				pos = l.e.in.Program.Position(k.at.Pos)
				q.Description = describeEnd(k.kind, k.at.More())
				k.at.Shown = true
			}
			q.File, q.Line, q.Col = pos.Filename, pos.Line, pos.Column
		}
		if n := l.add(q, never(s), crashCategory(k.kind)); k.at != nil {
			k.at.Query = n
		}
	}
}

// findEntry finds where the goroutine of the entry function ends, or is about to: what others
// do after the end of a test is a leak, and when main ends they end with it.
func (l *queryList) findEntry() {
	main := l.e.processes[l.e.in.Templates[0]][0]
	l.entry.process = main
	for _, loc := range l.e.in.Templates[0].Locations {
		if _, ok := l.e.kept[loc]; !ok {
			continue
		}
		switch loc.Kind {
		case state.AtDone:
			l.entry.done = is(main, loc.Name)
		case state.AtEnd:
			l.entry.ending = append(l.entry.ending, is(main, loc.Name))
		case state.AtOp:
			// About to panic or to exit.
			if k := l.e.in.Sites.Site(loc.Site).Kind; k == sites.Panic || k == sites.Exit {
				l.entry.ending = append(l.entry.ending, is(main, loc.Name))
			}
		}
	}
}

// noCrash is the condition that nothing is about to end the program, nil if nothing can be.
// Where something is about to crash, or a bound is about to be reached, nobody can go on, but
// not for being stuck.
func (l *queryList) noCrash() uppaal.Expr {
	if l.e.over == nil {
		return nil
	}
	return stuck(l.e.over.process)
}

// askEntryStuck asks whether the entry function can be stuck at an operation: with all others
// in a deadlock, or while others go on for ever.
func (l *queryList) askEntryStuck(id sites.ID) {
	e := l.e
	at := slices.DeleteFunc(slices.Clone(l.blocked[id]), func(o occurrence) bool { return !o.inEntry() })
	s, p := l.where(at)
	if s == nil {
		return
	}
	kind := e.in.Sites.Site(id).Kind
	cat := blockCategory(kind)
	l.add(artifact.Query{Kind: artifact.KindDeadlock, Site: int(id), Process: p,
		Description: DescribeStuck(artifact.KindDeadlock, kind, e.in.Program.Test())}, never(all(e.atRest(), s)), cat)
	if !e.endless {
		return
	}
	if e.in.Portable {
		e.notPortable(id, cat, "whether "+e.entryName()+" can never go on at "+kind.String()+" while others can for ever")
		return
	}
	l.add(artifact.Query{Kind: artifact.KindPartialDeadlock, Site: int(id), Process: p,
		Description: e.entryName() + " can never go on at " + kind.String() + " while others can for ever"},
		never(all(s, stuck(l.entry.process), not(ended()), stuck(e.rest.process), is(e.rest.process, e.rest.first), l.noCrash())), cat)
}

// stuckQuestion is what is asked of every goroutine but that of the entry function that can
// wait at an operation.
type stuckQuestion struct {
	query    artifact.Query // but for the process, and the formula that names it
	category string
	limit    uppaal.Expr // where being stuck is an error
}

// othersQuestion chooses what is asked of the goroutines that can wait at an operation: whether
// they are leaks of a test, or stuck while main goes on. It is nil where nothing is.
func (l *queryList) othersQuestion(id sites.ID) *stuckQuestion {
	e := l.e
	kind := e.in.Sites.Site(id).Kind
	switch {
	case e.in.Program.Test() && l.entry.done != nil:
		return &stuckQuestion{
			query:    artifact.Query{Kind: artifact.KindLeak, Site: int(id), Description: DescribeStuck(artifact.KindLeak, kind, true)},
			category: CategoryLeak,
			limit:    all(l.entry.done, not(ended()), l.noCrash()),
		}
	case e.in.Program.Test(), !kind.HoldsUp() && e.returns:
		// When main returns, it takes with it who waits for messages.
		return nil
	}
	q := &stuckQuestion{
		query: artifact.Query{Kind: artifact.KindPartialDeadlock, Site: int(id),
			Description: DescribeStuck(artifact.KindPartialDeadlock, kind, false)},
		category: blockCategory(kind),
	}
	if e.in.Portable {
		if slices.ContainsFunc(l.blocked[id], func(o occurrence) bool { return !o.inEntry() }) {
			e.notPortable(id, q.category, "whether "+q.query.Description)
		}
		return nil
	}
	if q.limit = l.mainGoesOn(); q.limit == nil {
		return nil
	}
	return q
}

// mainGoesOn is the condition that main can still return, or can run for ever, nil if it does
// neither: a goroutine that is stuck then does not wait for what ends it anyway.
func (l *queryList) mainGoesOn() uppaal.Expr {
	e := l.e
	var returns, runs uppaal.Expr
	if e.returned != nil {
		returns = not(stuck(e.returned.process))
	}
	if e.rest != nil {
		runs = all(stuck(e.rest.process), not(stuck(l.entry.process)))
	}
	alive := some(returns, runs)
	if alive == nil {
		return nil
	}
	limit := all(alive, not(ended()), l.noCrash())
	for _, at := range l.entry.ending {
		limit = all(limit, not(at))
	}
	return limit
}

// waiter is a process with those of its locations where it waits at one operation.
type waiter struct {
	process string
	at      []uppaal.Expr
}

// waiters are the processes that must not be stuck at an operation, but for that of the entry
// function.
func (l *queryList) waiters(id sites.ID) []*waiter {
	var out []*waiter
	byProcess := map[string]*waiter{}
	for _, o := range l.blocked[id] {
		if o.inEntry() || l.e.in.Program.Test() && o.t.Daemon && !l.e.in.Sites.Site(id).Kind.HoldsUp() {
			continue
		}
		if o.t.Subtest {
			continue // the test ends when it has
		}
		for _, p := range l.e.processes[o.t] {
			if byProcess[p] == nil {
				byProcess[p] = &waiter{process: p}
				out = append(out, byProcess[p])
			}
			byProcess[p].at = append(byProcess[p].at, is(p, o.l.Name))
		}
	}
	return out
}

// askOthersStuck asks of each process but that of the entry function whether it can be stuck
// at an operation.
func (l *queryList) askOthersStuck(id sites.ID) {
	e := l.e
	question := l.othersQuestion(id)
	if question == nil {
		return
	}
	for _, w := range l.waiters(id) {
		q := question.query
		q.Process = w.process
		neverGoesOn := stuck(w.process)
		if e.in.Portable {
			neverGoesOn = &uppaal.Deadlock{}
		}
		if l.add(q, never(all(some(w.at...), neverGoesOn, question.limit)), question.category) > 0 && e.in.Portable && e.forEver(e.in.Templates) {
			e.portable(id, "that it can never go on is asked where nobody can: where others go on for ever it is not found")
		}
	}
}

// askSpin asks of the processes that may go round a cycle for ever whether they do so after
// the end of the test, which is a leak as well.
func (l *queryList) askSpin(s spin) {
	e := l.e
	if l.entry.done == nil {
		return
	}
	for _, p := range e.processes[s.t] {
		var at []uppaal.Expr
		for _, loc := range s.locs {
			if _, ok := e.kept[loc]; ok {
				at = append(at, is(p, loc.Name))
			}
		}
		if len(at) == 0 {
			continue
		}
		if e.in.Portable {
			e.notPortable(s.site, CategoryLeak, "whether a goroutine goes on for ever after the end of the test")
			continue
		}
		l.add(artifact.Query{
			Kind: artifact.KindLeak, Site: int(s.site), Process: p,
			Description: "a goroutine goes on for ever after the end of the test, at " + e.in.Sites.Site(s.site).Kind.String() + " again and again",
		}, never(all(some(at...), l.entry.done, not(ended()), not(stuck(p)), stuck(e.rest.process), l.noCrash())), CategoryLeak)
	}
}

// askHalts asks whether the model itself is whole: no goroutine stops where it cannot wait.
func (l *queryList) askHalts() {
	if s := l.e.halts(); s != nil {
		l.add(artifact.Query{Kind: artifact.KindBound,
			Description: "internal error of the translator: never does a goroutine stop where it cannot wait (please report it)"}, never(all(l.e.atRest(), s)), CategoryInternal)
	}
}

// notPortable notes a question that only stuck(P) can ask.
func (e *emitter) notPortable(id sites.ID, category, question string) {
	if c := e.in.Categories; c == nil || slices.Contains(c, category) {
		e.portable(id, "it is not asked "+question)
	}
}

// portable notes what a model without stuck(P) does not answer, once for each site.
func (e *emitter) portable(id sites.ID, reason string) {
	s := e.in.Sites.Site(id)
	a := artifact.Approximation{Site: int(id), File: s.File, Line: s.Line, Col: s.Col, Kind: "portable", Direction: artifact.DirectionUnder, Reason: reason}
	if !slices.Contains(e.approx, a) {
		e.approx = append(e.approx, a)
	}
}

// goexits asks whether a main that has ended by runtime.Goexit leaves anybody who can go on:
// if not, the run-time system ends the program by a fatal error. One that spins for ever can.
func (e *emitter) goexits(add ask) {
	if e.in.Program.Test() {
		return
	}
	var nobody uppaal.Expr
	if spinning := e.somebody(func(l *state.Location) bool { return l.Kind == state.AtSpin }); spinning != nil {
		nobody = not(spinning)
	}
	main := e.processes[e.in.Templates[0]][0]
	for _, l := range e.in.Templates[0].Locations {
		if _, ok := e.kept[l]; !ok || l.Kind != state.AtDone {
			continue
		}
		kind := e.in.Sites.Site(l.Site).Kind
		add(artifact.Query{Kind: artifact.KindDeadlock, Site: int(l.Site), Process: main,
			Description: DescribeStuck(artifact.KindDeadlock, kind, false)}, never(all(e.atRest(), is(main, l.Name), nobody)), blockCategory(kind))
	}
}

// ask asks a query of a category, and returns its number, 0 if it is not asked for.
type ask func(q artifact.Query, formula *uppaal.Query, category string) int

// halts is the formula that a goroutine stands where it cannot wait, nil if there is no such place.
func (e *emitter) halts() uppaal.Expr {
	return e.somebody(func(l *state.Location) bool {
		switch l.Kind {
		case state.AtIdle, state.AtDone, state.AtSink, state.AtSpin:
			return false
		}
		return !l.Block
	})
}

func (e *emitter) entryName() string { return entryName(e.in.Program.Test()) }

func entryName(test bool) string {
	if test {
		return "the test"
	}
	return "main"
}

func describeEnd(kind, detail string) string {
	switch kind {
	case artifact.KindPanic:
		if detail == "panic" {
			return "a panic is not recovered"
		}
		return "a panic is not recovered: " + detail
	case artifact.KindTestFailure:
		return "the test reports a failure"
	case artifact.KindExit:
		return "the program exits with a failure: " + detail
	case artifact.KindBound:
		return approximation.Never + detail
	}
	return kind
}

// reachability asks whether somebody gets to the annotated statements.
func (e *emitter) reachability(add ask) {
	for _, a := range e.in.Annotated {
		s := a.Guard(e.in.Sites)
		if s == 0 || !a.Runs {
			continue
		}
		there := e.somebody(func(l *state.Location) bool { return l.Kind == state.AtStmt && l.Site == s })
		if there == nil {
			there = &uppaal.BoolLit{}
		}
		why := ""
		if a.Why != "" {
			why = fmt.Sprintf(" (%s)", a.Why)
		}
		if a.Reachable {
			add(artifact.Query{Kind: artifact.KindNeverReached, Site: int(s),
				Description: "no schedule gets to a statement that is said to be reachable" + why}, &uppaal.Query{Op: uppaal.Possibly, X: there}, CategoryReachability)
			continue
		}
		add(artifact.Query{Kind: artifact.KindReachable, Site: int(s),
			Description: "a statement is reached that is said to be unreachable" + why}, never(there), CategoryReachability)
	}
}

// askSaturated asks whether a number is ever saturated, where somebody reads it, or a map has more
// entries than the model keeps, less than asked for. If none is, the approximations of paths on
// which one is are none. number is that of the query.
func (e *emitter) askSaturated(number int) (artifact.Query, *uppaal.Query) {
	if len(e.in.Conditional) == 0 {
		return artifact.Query{}, nil
	}
	var at []uppaal.Expr
	what := "numbers are"
	for _, b := range e.in.Bounds {
		if full := e.overfull(b); len(full) > 0 {
			at, what = append(at, full...), "numbers and maps are"
		}
	}
	for _, c := range e.in.Memory.Cells {
		if c != nil && e.in.Limited[c] && e.n.cells[c] != "" {
			at = append(at, equal(&uppaal.Ident{Name: e.n.cells[c]}, c.Abs.Hi))
		}
	}
	for _, t := range e.in.Templates {
		for _, l := range t.Locations {
			if _, ok := e.kept[l]; !ok {
				continue
			}
			for i, lv := range l.Live {
				if name := e.n.vars[lv.Variable]; l.Saturates[i] && name != "" {
					for _, p := range e.processes[t] {
						at = append(at, all(is(p, l.Name), equal(is(p, name), l.In[i].Hi)))
					}
				}
			}
		}
	}
	if len(at) == 0 {
		return artifact.Query{}, nil
	}
	for _, i := range e.in.Conditional {
		e.approx[i].Query = number
	}
	return artifact.Query{Kind: artifact.KindImprecise,
		Description: "the model is exact where " + what + " within its limits: none is beyond them"}, never(some(at...))
}

// overfull are the conditions that maps made at a site have had more entries than
// the model keeps.
func (e *emitter) overfull(b *state.Bound) []uppaal.Expr {
	var at []uppaal.Expr
	for _, c := range b.Over {
		if n, ok := c.Abs.Single(); ok && n != 0 {
			at = append(at, &uppaal.BoolLit{Value: true}) // from the start on
		} else if name := e.n.cells[c]; name != "" {
			at = append(at, equal(&uppaal.Ident{Name: name}, 1))
		}
	}
	return at
}

// overfullMaps asks of the maps that the model goes on with when they have more
// entries than it keeps whether they ever have.
func (e *emitter) overfullMaps(add ask) {
	for _, b := range e.in.Bounds {
		at := e.overfull(b)
		if len(at) == 0 {
			continue
		}
		b.Shown = true
		pos := e.in.Program.Position(b.Pos)
		b.Query = add(artifact.Query{Kind: artifact.KindImprecise,
			Description: "the model is exact where maps are small: never " + b.More(), File: pos.Filename, Line: pos.Line, Col: pos.Column}, never(some(at...)), CategoryPrecision)
	}
}
