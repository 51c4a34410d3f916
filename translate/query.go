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
	x := e.x
	var out []artifact.Query
	// add returns the number of a query, 0 if it is not asked for.
	add := func(q artifact.Query, category string) int {
		if category == "" || category != CategoryInternal && category != CategoryPrecision && x.opts.Categories != nil && !slices.Contains(x.opts.Categories, category) {
			return 0
		}
		q.Category = category
		if q.Site != 0 {
			s := x.idx.Site(sites.ID(q.Site))
			q.File, q.Line, q.Col = s.File, s.Line, s.Col
		}
		q.Number = len(out) + 1
		out = append(out, q)
		return q.Number
	}
	type at struct {
		t *template
		l *location
	}
	// Ends, one query for each kind and place.
	type endKey struct {
		kind string
		site sites.ID
		pos  string
		what string
		at   *bounded
	}
	ends := map[endKey][]at{}
	var endOrder []endKey
	blocked := map[sites.ID][]at{}
	var blockOrder []sites.ID
	for _, t := range x.templates {
		for _, l := range t.locs {
			if _, ok := e.kept[l]; !ok {
				continue
			}
			switch {
			case l.kind == atSink && l.sink.kind != "":
				k := endKey{l.sink.kind, l.sink.site, "", "", l.sink.at}
				switch {
				case k.at != nil:
					// One for each place, wherever it is reached.
				case l.sink.site == 0:
					k.pos = x.position(l.sink.pos).String()
				}
				if k.at == nil && l.sink.kind == artifact.KindBound {
					k.what = l.sink.detail
				}
				if len(ends[k]) == 0 {
					endOrder = append(endOrder, k)
				}
				ends[k] = append(ends[k], at{t, l})
			case l.block:
				if len(blocked[l.site]) == 0 {
					blockOrder = append(blockOrder, l.site)
				}
				blocked[l.site] = append(blocked[l.site], at{t, l})
			}
		}
	}
	places := func(as []at, only func(*template) bool, each func(process, loc string) string) (string, string) {
		var parts []string
		procs := map[string]bool{}
		for _, a := range as {
			if only != nil && !only(a.t) {
				continue
			}
			for _, p := range e.processes[a.t] {
				procs[p] = true
				parts = append(parts, each(p, a.l.name))
			}
		}
		process := ""
		if len(procs) == 1 {
			for p := range procs {
				process = p
			}
		}
		if len(parts) == 0 {
			return "", ""
		}
		return disjunction(parts), process
	}
	sort.SliceStable(endOrder, func(i, j int) bool {
		return slices.Index(Categories(), crashCategory(endOrder[i].kind)) < slices.Index(Categories(), crashCategory(endOrder[j].kind))
	})
	for _, k := range endOrder {
		s, p := places(ends[k], nil, func(p, l string) string { return p + "." + l })
		q := artifact.Query{Formula: "A[] not " + s, Kind: k.kind, Site: int(k.site), Process: p, Description: describeEnd(k.kind, ends[k][0].l.sink.detail)}
		if k.site == 0 {
			pos := x.position(ends[k][0].l.sink.pos)
			if k.at != nil {
				pos = x.position(k.at.pos)
				q.Description = describeEnd(k.kind, k.at.more())
				k.at.shown = true
			}
			q.File, q.Line, q.Col = pos.Filename, pos.Line, pos.Column
		}
		if n := add(q, crashCategory(k.kind)); k.at != nil {
			k.at.Query = n
		}
	}
	main := e.processes[x.templates[0]][0]
	isMain := func(t *template) bool { return t.parent == nil }
	mainDone := ""
	var mainEnd []string
	for _, l := range x.templates[0].locs {
		if _, ok := e.kept[l]; !ok {
			continue
		}
		switch l.kind {
		case atDone:
			mainDone = main + "." + l.name
		case atEnd:
			mainEnd = append(mainEnd, main+"."+l.name)
		case atOp:
			// About to panic or to exit.
			if k := x.idx.Site(l.site).Kind; k == sites.Panic || k == sites.Exit {
				mainEnd = append(mainEnd, main+"."+l.name)
			}
		}
	}
	// Where something is about to crash, or a bound is about to be reached,
	// nobody can go on, but not for being stuck.
	crash := ""
	if e.over != nil {
		crash = " and stuck(" + e.over.process + ")"
	}
	for _, id := range blockOrder {
		cat := blockCategory(x.idx.Site(id).Kind)
		kind := x.idx.Site(id).Kind.String()
		if s, p := places(blocked[id], isMain, func(p, l string) string { return p + "." + l }); s != "" {
			add(artifact.Query{Formula: fmt.Sprintf("A[] not (%s and %s)", e.atRest(), s), Kind: artifact.KindDeadlock, Site: int(id), Process: p,
				Description: DescribeStuck(artifact.KindDeadlock, x.idx.Site(id).Kind, x.prog.test())}, cat)
			if e.endless && x.opts.Portable {
				e.notPortable(id, cat, "whether "+x.entryName()+" can never go on at "+kind+" while others can for ever")
			} else if e.endless {
				add(artifact.Query{Formula: fmt.Sprintf("A[] not (%s and stuck(%s) and not ended and stuck(%s) and %s.%s%s)", s, main, e.rest.process, e.rest.process, e.rest.first, crash),
					Kind: artifact.KindPartialDeadlock, Site: int(id), Process: p,
					Description: x.entryName() + " can never go on at " + kind + " while others can for ever"}, cat)
			}
		}
		q := artifact.Query{Site: int(id)}
		limit := ""
		switch {
		case x.prog.test() && mainDone != "":
			cat, q.Kind = CategoryLeak, artifact.KindLeak
			q.Description = DescribeStuck(q.Kind, x.idx.Site(id).Kind, true)
			limit = mainDone + " and not ended" + crash
		case x.prog.test(), !lockKind(x.idx.Site(id).Kind) && e.returns:
			// When main returns, it takes with it who waits for messages.
			continue
		default:
			q.Kind = artifact.KindPartialDeadlock
			q.Description = "a goroutine can never go on at " + kind + " while " + x.entryName() + " can"
			if x.opts.Portable {
				if slices.ContainsFunc(blocked[id], func(a at) bool { return !isMain(a.t) }) {
					e.notPortable(id, cat, "whether "+q.Description)
				}
				continue
			}
			var alive []string
			if e.returned != nil {
				alive = append(alive, "not stuck("+e.returned.process+")")
			}
			if e.rest != nil {
				alive = append(alive, fmt.Sprintf("stuck(%s) and not stuck(%s)", e.rest.process, main))
			}
			if len(alive) == 0 {
				continue
			}
			limit = "(" + strings.Join(alive, " or ") + ") and not ended" + crash
			for _, at := range mainEnd {
				limit += " and not " + at
			}
		}
		byProcess, order := map[string][]string{}, []string{}
		for _, a := range blocked[id] {
			if isMain(a.t) || x.prog.test() && a.t.daemon && !lockKind(x.idx.Site(id).Kind) {
				continue
			}
			if a.t.subtest() {
				continue // the test ends when it has
			}
			for _, p := range e.processes[a.t] {
				if byProcess[p] == nil {
					order = append(order, p)
				}
				byProcess[p] = append(byProcess[p], p+"."+a.l.name)
			}
		}
		for _, p := range order {
			q.Process = p
			stuck := "stuck(" + p + ")"
			if x.opts.Portable {
				stuck = "deadlock"
			}
			q.Formula = fmt.Sprintf("A[] not (%s and %s and %s)", disjunction(byProcess[p]), stuck, limit)
			if add(q, cat) > 0 && x.opts.Portable && x.endless(x.templates) {
				e.portable(id, "that it can never go on is asked where nobody can: where others go on for ever it is not found")
			}
		}
	}
	for _, s := range e.spins {
		if mainDone == "" {
			break
		}
		for _, p := range e.processes[s.t] {
			var at []string
			for _, l := range s.locs {
				if _, ok := e.kept[l]; ok {
					at = append(at, p+"."+l.name)
				}
			}
			if len(at) == 0 {
				continue
			}
			if x.opts.Portable {
				e.notPortable(s.site, CategoryLeak, "whether a goroutine goes on for ever after the end of the test")
				continue
			}
			add(artifact.Query{
				Formula: fmt.Sprintf("A[] not (%s and %s and not ended and not stuck(%s) and stuck(%s)%s)", disjunction(at), mainDone, p, e.rest.process, crash),
				Kind:    artifact.KindLeak, Site: int(s.site), Process: p,
				Description: "a goroutine goes on for ever after the end of the test, at " + x.idx.Site(s.site).Kind.String() + " again and again",
			}, CategoryLeak)
		}
	}
	e.goexits(add)
	e.reachability(add)
	if q, ok := e.beyondLimits(len(out) + 1); ok {
		add(q, CategoryPrecision)
	}
	e.overfullMaps(add)
	if s := e.halts(); s != "" {
		add(artifact.Query{Formula: fmt.Sprintf("A[] not (%s and %s)", e.atRest(), s), Kind: artifact.KindBound,
			Description: "internal error of the translator: never does a goroutine stop where it cannot wait (please report it)"}, CategoryInternal)
	}
	return out
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
	if x.prog.test() {
		return
	}
	var spinning []string
	for _, t := range x.templates {
		for _, l := range t.locs {
			if _, ok := e.kept[l]; !ok || l.kind != atSpin {
				continue
			}
			for _, p := range e.processes[t] {
				spinning = append(spinning, p+"."+l.name)
			}
		}
	}
	others := ""
	if len(spinning) > 0 {
		others = " and not " + disjunction(spinning)
	}
	main := e.processes[x.templates[0]][0]
	for _, l := range x.templates[0].locs {
		if _, ok := e.kept[l]; !ok || l.kind != atDone {
			continue
		}
		kind := x.idx.Site(l.site).Kind
		add(artifact.Query{Formula: fmt.Sprintf("A[] not (%s and %s.%s%s)", e.atRest(), main, l.name, others),
			Kind: artifact.KindDeadlock, Site: int(l.site), Process: main,
			Description: DescribeStuck(artifact.KindDeadlock, kind, false)}, blockCategory(kind))
	}
}

// halts is the formula that a goroutine stands where it cannot wait.
func (e *emitter) halts() string {
	var parts []string
	for _, t := range e.x.templates {
		for _, l := range t.locs {
			if _, ok := e.kept[l]; !ok || l.block {
				continue
			}
			switch l.kind {
			case atIdle, atDone, atSink, atSpin:
				continue
			}
			for _, p := range e.processes[t] {
				parts = append(parts, p+"."+l.name)
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

func (x *translator) entryName() string { return entryName(x.prog.test()) }

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
