package translate

import (
	"fmt"
	"go/types"
	"slices"
	"sort"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/state"
)

// The categories of queries.
const (
	CategoryChannel           = "channel safety"
	CategoryMutex             = "mutex safety"
	CategoryWaitGroup         = "wait group safety"
	CategoryPanic             = "goroutine exits with panic"
	CategoryNilCall           = "nil function call"
	CategoryChannelDeadlock   = "channel related deadlock"
	CategoryMutexDeadlock     = "mutex related deadlock"
	CategoryOnceDeadlock      = "once related deadlock"
	CategoryWaitGroupDeadlock = "wait group related deadlock"
	CategoryCondDeadlock      = "cond related deadlock"
	CategorySubtestDeadlock   = "subtest related deadlock"
	CategoryLeak              = "goroutine leak"
	CategoryBound             = "resource bound"
	CategoryExit              = "exit with failure"
	CategoryTestFailure       = "test failure"
	// CategoryReachability asks what comments in the program say.
	CategoryReachability = "reachability"
	// CategoryPrecision asks whether the model needs its approximations: its query
	// is always generated.
	CategoryPrecision = "precision"
	// CategoryInternal asks whether the model itself is whole: its query is
	// always generated.
	CategoryInternal = "internal"
)

// Categories lists all categories of queries.
func Categories() []string {
	return []string{CategoryChannel, CategoryMutex, CategoryWaitGroup, CategoryPanic, CategoryNilCall, CategoryChannelDeadlock,
		CategoryMutexDeadlock, CategoryOnceDeadlock, CategoryWaitGroupDeadlock, CategoryCondDeadlock, CategorySubtestDeadlock, CategoryLeak, CategoryTestFailure, CategoryExit, CategoryReachability, CategoryBound, CategoryPrecision, CategoryInternal}
}

// sidecarSites copies the sites, by number.
func (x *translator) sidecarSites() []artifact.Site {
	out := []artifact.Site{{}}
	for _, s := range x.idx.Sites() {
		out = append(out, artifact.Site{ID: int(s.ID), Kind: s.Kind.String(), Key: s.Key, Func: s.Func, File: s.File, Line: s.Line, Col: s.Col, Text: s.Text, Cases: s.Cases})
	}
	return out
}

// funcKey names a function as package sites does: "pkg/path.Func",
// "pkg/path.(*T).Method", "pkg/path.Func$1" for its first literal.
func (x *translator) funcKey(f *ssa.Function) string {
	if p := f.Parent(); p != nil {
		key := x.funcKey(p)
		for i, g := range p.AnonFuncs {
			if g == f {
				key += fmt.Sprintf("$%d", i+1)
			}
		}
		return key
	}
	if o := f.Origin(); o != nil {
		f = o
	}
	pkg := ""
	if f.Pkg != nil {
		pkg = f.Pkg.Pkg.Path() + "."
	}
	if recv := f.Signature.Recv(); recv != nil {
		star := ""
		t := types.Unalias(recv.Type())
		if ptr, ok := t.(*types.Pointer); ok {
			star, t = "*", types.Unalias(ptr.Elem())
		}
		if n, ok := t.(*types.Named); ok {
			return fmt.Sprintf("%s(%s%s).%s", pkg, star, n.Obj().Name(), f.Name())
		}
	}
	return pkg + f.Name()
}

// blockCategory is the category of a goroutine that is stuck at an operation.
func blockCategory(k sites.Kind) string {
	switch k {
	case sites.Lock, sites.RLock:
		return CategoryMutexDeadlock
	case sites.WaitGroupWait:
		return CategoryWaitGroupDeadlock
	case sites.OnceDo, sites.OnceFunc:
		return CategoryOnceDeadlock
	case sites.CondWait:
		return CategoryCondDeadlock
	case sites.Subtest, sites.Parallel, sites.Join:
		return CategorySubtestDeadlock
	case sites.Exit:
		return CategoryExit // by runtime.Goexit
	}
	return CategoryChannelDeadlock
}

// crashCategory is the category of an end.
func crashCategory(kind string) string {
	switch kind {
	case artifact.KindSendOnClosed, artifact.KindCloseOfClosed, artifact.KindCloseOfNil:
		return CategoryChannel
	case artifact.KindUnlockUnlocked:
		return CategoryMutex
	case artifact.KindNegativeCounter, artifact.KindWaitGroupReuse:
		return CategoryWaitGroup
	case artifact.KindNilCall:
		return CategoryNilCall
	case artifact.KindBound:
		return CategoryBound
	case artifact.KindTestFailure:
		return CategoryTestFailure
	case artifact.KindExit:
		return CategoryExit
	}
	return CategoryPanic
}

// CategoryOf is the category of an error of a kind at an operation.
func CategoryOf(kind string, at sites.Kind) string {
	switch kind {
	case artifact.KindLeak:
		return CategoryLeak
	case artifact.KindDeadlock, artifact.KindPartialDeadlock:
		return blockCategory(at)
	}
	return crashCategory(kind)
}

// DescribeStuck says in words that goroutines are stuck at an operation: the entry
// function in a deadlock, another one in a leak. What waits in code of others is at none.
func DescribeStuck(kind string, at sites.Kind, test bool) string {
	where := "at " + at.String()
	if at == sites.Invalid {
		where = "in a call of uninstrumented code"
	}
	switch {
	case kind == artifact.KindLeak:
		return "a goroutine can never go on " + where + " after the end of the test"
	case kind == artifact.KindDeadlock && at == sites.Exit:
		return entryName(test) + " has ended by runtime.Goexit, and no other goroutine is left that can go on"
	}
	return "all goroutines are asleep, " + entryName(test) + " " + where
}

// queries asks the questions about the model.
func (e *emitter) queries() []artifact.Query {
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
	if q, ok := e.beyondLimits(len(l.out) + 1); ok {
		l.add(q, CategoryPrecision)
	}
	e.overfullMaps(l.add)
	l.askHalts()
	return l.out
}

// queryList is the queries of a model while they are made, and the locations of the model
// that they speak of.
type queryList struct {
	e   *emitter
	out []artifact.Query
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
	done    string   // where it has ended by itself, "" if it cannot
	ending  []string // where it has returned, or is about to panic or to exit
}

// add returns the number of a query, 0 if it is not asked for.
func (l *queryList) add(q artifact.Query, category string) int {
	x := l.e.x
	if category == "" || category != CategoryInternal && category != CategoryPrecision && x.opts.Categories != nil && !slices.Contains(x.opts.Categories, category) {
		return 0
	}
	q.Category = category
	if q.Site != 0 {
		s := x.idx.Site(sites.ID(q.Site))
		q.File, q.Line, q.Col = s.File, s.Line, s.Col
	}
	q.Number = len(l.out) + 1
	l.out = append(l.out, q)
	return q.Number
}

// findOccurrences finds the locations where goroutines end or wait. Queries are about kinds of
// ends and about operations, which can have locations in several templates.
func (l *queryList) findOccurrences() {
	for _, t := range l.e.x.templates {
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
		k.pos = l.e.x.position(s.Pos).String()
	}
	if k.at == nil && s.Kind == artifact.KindBound {
		k.what = s.Detail
	}
	return k
}

// where is the formula that a process is at one of some locations, "" if there are none. The
// process is named also by itself if it can only be one.
func (l *queryList) where(at []occurrence) (formula, process string) {
	var parts []string
	procs := map[string]bool{}
	for _, a := range at {
		for _, p := range l.e.processes[a.t] {
			procs[p] = true
			parts = append(parts, p+"."+a.l.Name)
		}
	}
	if len(parts) == 0 {
		return "", ""
	}
	if len(procs) == 1 {
		for p := range procs {
			process = p
		}
	}
	return disjunction(parts), process
}

// askEnds asks whether the program can end in the ways that it must not, category by category.
func (l *queryList) askEnds() {
	x := l.e.x
	sort.SliceStable(l.endOrder, func(i, j int) bool {
		return slices.Index(Categories(), crashCategory(l.endOrder[i].kind)) < slices.Index(Categories(), crashCategory(l.endOrder[j].kind))
	})
	for _, k := range l.endOrder {
		first := l.ends[k][0].l.Sink
		s, p := l.where(l.ends[k])
		q := artifact.Query{Formula: "A[] not " + s, Kind: k.kind, Site: int(k.site), Process: p, Description: describeEnd(k.kind, first.Detail)}
		if k.site == 0 {
			pos := x.position(first.Pos)
			if k.at != nil {
				pos = x.position(k.at.Pos)
				q.Description = describeEnd(k.kind, k.at.More())
				k.at.Shown = true
			}
			q.File, q.Line, q.Col = pos.Filename, pos.Line, pos.Column
		}
		if n := l.add(q, crashCategory(k.kind)); k.at != nil {
			k.at.Query = n
		}
	}
}

// findEntry finds where the goroutine of the entry function ends, or is about to: what others
// do after the end of a test is a leak, and when main ends they end with it.
func (l *queryList) findEntry() {
	x := l.e.x
	main := l.e.processes[x.templates[0]][0]
	l.entry.process = main
	for _, loc := range x.templates[0].Locations {
		if _, ok := l.e.kept[loc]; !ok {
			continue
		}
		switch loc.Kind {
		case state.AtDone:
			l.entry.done = main + "." + loc.Name
		case state.AtEnd:
			l.entry.ending = append(l.entry.ending, main+"."+loc.Name)
		case state.AtOp:
			// About to panic or to exit.
			if k := x.idx.Site(loc.Site).Kind; k == sites.Panic || k == sites.Exit {
				l.entry.ending = append(l.entry.ending, main+"."+loc.Name)
			}
		}
	}
}

// noCrash is the condition, with the "and" before it, that nothing is about to end the program.
// Where something is about to crash, or a bound is about to be reached, nobody can go on, but
// not for being stuck.
func (l *queryList) noCrash() string {
	if l.e.over == nil {
		return ""
	}
	return " and stuck(" + l.e.over.process + ")"
}

// askEntryStuck asks whether the entry function can be stuck at an operation: with all others
// in a deadlock, or while others go on for ever.
func (l *queryList) askEntryStuck(id sites.ID) {
	e, x := l.e, l.e.x
	at := slices.DeleteFunc(slices.Clone(l.blocked[id]), func(o occurrence) bool { return !o.inEntry() })
	s, p := l.where(at)
	if s == "" {
		return
	}
	kind := x.idx.Site(id).Kind
	cat := blockCategory(kind)
	l.add(artifact.Query{Formula: fmt.Sprintf("A[] not (%s and %s)", e.atRest(), s), Kind: artifact.KindDeadlock, Site: int(id), Process: p,
		Description: DescribeStuck(artifact.KindDeadlock, kind, x.prog.Test())}, cat)
	if !e.endless {
		return
	}
	if x.opts.Portable {
		e.notPortable(id, cat, "whether "+x.entryName()+" can never go on at "+kind.String()+" while others can for ever")
		return
	}
	l.add(artifact.Query{Formula: fmt.Sprintf("A[] not (%s and stuck(%s) and not ended and stuck(%s) and %s.%s%s)", s, l.entry.process, e.rest.process, e.rest.process, e.rest.first, l.noCrash()),
		Kind: artifact.KindPartialDeadlock, Site: int(id), Process: p,
		Description: x.entryName() + " can never go on at " + kind.String() + " while others can for ever"}, cat)
}

// stuckQuestion is what is asked of every goroutine but that of the entry function that can
// wait at an operation.
type stuckQuestion struct {
	query    artifact.Query // but for the process, and the formula that names it
	category string
	limit    string // where being stuck is an error
}

// othersQuestion chooses what is asked of the goroutines that can wait at an operation: whether
// they are leaks of a test, or stuck while main goes on. It is nil where nothing is.
func (l *queryList) othersQuestion(id sites.ID) *stuckQuestion {
	e, x := l.e, l.e.x
	kind := x.idx.Site(id).Kind
	switch {
	case x.prog.Test() && l.entry.done != "":
		return &stuckQuestion{
			query:    artifact.Query{Kind: artifact.KindLeak, Site: int(id), Description: DescribeStuck(artifact.KindLeak, kind, true)},
			category: CategoryLeak,
			limit:    l.entry.done + " and not ended" + l.noCrash(),
		}
	case x.prog.Test(), !lockKind(kind) && e.returns:
		// When main returns, it takes with it who waits for messages.
		return nil
	}
	q := &stuckQuestion{
		query: artifact.Query{Kind: artifact.KindPartialDeadlock, Site: int(id),
			Description: "a goroutine can never go on at " + kind.String() + " while " + x.entryName() + " can"},
		category: blockCategory(kind),
	}
	if x.opts.Portable {
		if slices.ContainsFunc(l.blocked[id], func(o occurrence) bool { return !o.inEntry() }) {
			e.notPortable(id, q.category, "whether "+q.query.Description)
		}
		return nil
	}
	if q.limit = l.mainGoesOn(); q.limit == "" {
		return nil
	}
	return q
}

// mainGoesOn is the condition that main can still return, or can run for ever, "" if it does
// neither: a goroutine that is stuck then does not wait for what ends it anyway.
func (l *queryList) mainGoesOn() string {
	e := l.e
	var alive []string
	if e.returned != nil {
		alive = append(alive, "not stuck("+e.returned.process+")")
	}
	if e.rest != nil {
		alive = append(alive, fmt.Sprintf("stuck(%s) and not stuck(%s)", e.rest.process, l.entry.process))
	}
	if len(alive) == 0 {
		return ""
	}
	limit := "(" + strings.Join(alive, " or ") + ") and not ended" + l.noCrash()
	for _, at := range l.entry.ending {
		limit += " and not " + at
	}
	return limit
}

// waiter is a process with those of its locations where it waits at one operation.
type waiter struct {
	process string
	at      []string
}

// waiters are the processes that must not be stuck at an operation, but for that of the entry
// function.
func (l *queryList) waiters(id sites.ID) []*waiter {
	x := l.e.x
	var out []*waiter
	byProcess := map[string]*waiter{}
	for _, o := range l.blocked[id] {
		if o.inEntry() || x.prog.Test() && o.t.Daemon && !lockKind(x.idx.Site(id).Kind) {
			continue
		}
		if ofSubtests(o.t) {
			continue // the test ends when it has
		}
		for _, p := range l.e.processes[o.t] {
			if byProcess[p] == nil {
				byProcess[p] = &waiter{process: p}
				out = append(out, byProcess[p])
			}
			byProcess[p].at = append(byProcess[p].at, p+"."+o.l.Name)
		}
	}
	return out
}

// askOthersStuck asks of each process but that of the entry function whether it can be stuck
// at an operation.
func (l *queryList) askOthersStuck(id sites.ID) {
	e, x := l.e, l.e.x
	question := l.othersQuestion(id)
	if question == nil {
		return
	}
	for _, w := range l.waiters(id) {
		q := question.query
		q.Process = w.process
		stuck := "stuck(" + w.process + ")"
		if x.opts.Portable {
			stuck = "deadlock"
		}
		q.Formula = fmt.Sprintf("A[] not (%s and %s and %s)", disjunction(w.at), stuck, question.limit)
		if l.add(q, question.category) > 0 && x.opts.Portable && x.endless(x.templates) {
			e.portable(id, "that it can never go on is asked where nobody can: where others go on for ever it is not found")
		}
	}
}

// askSpin asks of the processes that may go round a cycle for ever whether they do so after
// the end of the test, which is a leak as well.
func (l *queryList) askSpin(s spin) {
	e, x := l.e, l.e.x
	if l.entry.done == "" {
		return
	}
	for _, p := range e.processes[s.t] {
		var at []string
		for _, loc := range s.locs {
			if _, ok := e.kept[loc]; ok {
				at = append(at, p+"."+loc.Name)
			}
		}
		if len(at) == 0 {
			continue
		}
		if x.opts.Portable {
			e.notPortable(s.site, CategoryLeak, "whether a goroutine goes on for ever after the end of the test")
			continue
		}
		l.add(artifact.Query{
			Formula: fmt.Sprintf("A[] not (%s and %s and not ended and not stuck(%s) and stuck(%s)%s)", disjunction(at), l.entry.done, p, e.rest.process, l.noCrash()),
			Kind:    artifact.KindLeak, Site: int(s.site), Process: p,
			Description: "a goroutine goes on for ever after the end of the test, at " + x.idx.Site(s.site).Kind.String() + " again and again",
		}, CategoryLeak)
	}
}

// askHalts asks whether the model itself is whole: no goroutine stops where it cannot wait.
func (l *queryList) askHalts() {
	if s := l.e.halts(); s != "" {
		l.add(artifact.Query{Formula: fmt.Sprintf("A[] not (%s and %s)", l.e.atRest(), s), Kind: artifact.KindBound,
			Description: "internal error of the translator: never does a goroutine stop where it cannot wait (please report it)"}, CategoryInternal)
	}
}

// notPortable notes a question that only stuck(P) can ask.
func (e *emitter) notPortable(id sites.ID, category, question string) {
	if c := e.x.opts.Categories; c == nil || slices.Contains(c, category) {
		e.portable(id, "it is not asked "+question)
	}
}

// portable notes what a model without stuck(P) does not answer, once for each site.
func (e *emitter) portable(id sites.ID, reason string) {
	s := e.x.idx.Site(id)
	a := artifact.Approximation{Site: int(id), File: s.File, Line: s.Line, Col: s.Col, Kind: "portable", Direction: artifact.DirectionUnder, Reason: reason}
	if !slices.Contains(e.x.approx, a) {
		e.x.approx = append(e.x.approx, a)
	}
}

// goexits asks whether a main that has ended by runtime.Goexit leaves anybody who can go on:
// if not, the run-time system ends the program by a fatal error. One that spins for ever can.
func (e *emitter) goexits(add func(q artifact.Query, category string) int) {
	x := e.x
	if x.prog.Test() {
		return
	}
	var spinning []string
	for _, t := range x.templates {
		for _, l := range t.Locations {
			if _, ok := e.kept[l]; !ok || l.Kind != state.AtSpin {
				continue
			}
			for _, p := range e.processes[t] {
				spinning = append(spinning, p+"."+l.Name)
			}
		}
	}
	others := ""
	if len(spinning) > 0 {
		others = " and not " + disjunction(spinning)
	}
	main := e.processes[x.templates[0]][0]
	for _, l := range x.templates[0].Locations {
		if _, ok := e.kept[l]; !ok || l.Kind != state.AtDone {
			continue
		}
		kind := x.idx.Site(l.Site).Kind
		add(artifact.Query{Formula: fmt.Sprintf("A[] not (%s and %s.%s%s)", e.atRest(), main, l.Name, others),
			Kind: artifact.KindDeadlock, Site: int(l.Site), Process: main,
			Description: DescribeStuck(artifact.KindDeadlock, kind, false)}, blockCategory(kind))
	}
}

// halts is the formula that a goroutine stands where it cannot wait.
func (e *emitter) halts() string {
	var parts []string
	for _, t := range e.x.templates {
		for _, l := range t.Locations {
			if _, ok := e.kept[l]; !ok || l.Block {
				continue
			}
			switch l.Kind {
			case state.AtIdle, state.AtDone, state.AtSink, state.AtSpin:
				continue
			}
			for _, p := range e.processes[t] {
				parts = append(parts, p+"."+l.Name)
			}
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return disjunction(parts)
}

// disjunction is one of formulas that are names, or in parentheses, or a comparison. It can
// stand behind "not", which binds tighter than any operator.
func disjunction(parts []string) string {
	if only := parts[0]; len(parts) == 1 && (only[0] == '(' || !strings.Contains(only, " ")) {
		return only
	}
	return "(" + strings.Join(parts, " or ") + ")"
}

func (x *translator) entryName() string { return entryName(x.prog.Test()) }

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
		return "the model is complete: never " + detail
	}
	return kind
}
