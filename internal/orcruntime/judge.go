//go:build go1.25

package orcruntime

import (
	"path"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// judge ends the run and says what was observed.
func (s *run) judge(d *divergence) Result {
	if s.over && s.outcome.Kind == "" && s.cfg.Entry == EntryMain && s.returned {
		s.outcome = s.leftByMain()
	}
	if !s.over && s.resting {
		s.outcome = s.rest()
		if s.lost == "" {
			s.lost = s.lostInLocks()
		}
	}
	if s.resting || s.outcome.Kind == KindPartialDeadlock {
		s.neverComes(len(s.finalized) > 0, "finalizers or cleanups of the program, which are never called in a run, might end what is stuck")
		s.neverComes(len(s.signals) > 0, "signals, which do not come in a run, might end what is stuck")
	}
	if s.outcome.Kind == "" && s.failed() {
		s.outcome.Kind, s.outcome.G = KindTestFailure, entryPath
		s.outcome.Message = "the test has failed"
		if why := s.mayFail(); why != "" && s.lost == "" {
			s.outcome, s.lost = Outcome{}, "the test has failed, and "+why
		}
	}
	if s.failedFirst && s.cfg.Plan.Expect.Kind == KindTestFailure {
		s.outcome = Outcome{Kind: KindTestFailure, G: entryPath, Message: "the test has failed, before the program ended: " + s.endText()}
	}
	races := s.races.list()
	if s.outcome.Kind == "" && len(races) > 0 {
		s.outcome = races[0].outcome()
	}
	res := Result{Outcome: s.outcome, Races: races, RaceLimits: s.races.limits(), Unordered: s.races.unordered()}
	for _, g := range s.live {
		if s.daemon(g) {
			res.Daemons = append(res.Daemons, g.path)
		}
	}
	for _, l := range res.RaceLimits {
		s.note(l)
	}
	e := s.cfg.Plan.Expect
	switch {
	case s.lost != "":
		res.Verdict, res.Message = Unsupported, s.lost
	case d != nil:
		res.Verdict, res.Step, res.Want, res.Found = Infeasible, d.step, d.want, d.found
		res.Message = s.explain(d)
	case e.Kind != "" && s.observed():
		res.Verdict = Reproduced
		res.Message = "reproduced: " + s.endText()
	case !s.over && !s.resting && !s.stopped:
		res.Verdict = Limit
		res.Message = strconv.Itoa(s.steps) + " steps were done and the program has not ended"
		if s.busy != "" {
			res.Message = s.busy
		}
		if e.Kind == "" {
			res.Starved, res.Since = s.starved()
		} else if since, ok := s.queued(e.Goroutines); ok { // that others are blocked says nothing of those expected
			res.Starved, res.Since = e.Goroutines, since
			res.Message += "; those expected to be stuck have been blocked since step " + strconv.Itoa(since) + ", which is no proof"
		}
	case e.Kind != "":
		res.Verdict = NotReproduced
		res.Message = "expected " + expectText(e) + ", observed " + s.endText()
	default:
		res.Verdict = Completed
		res.Message = s.endText()
	}
	if s.returned && s.cfg.Entry == EntryMain {
		for _, g := range s.live {
			if g.state == blocked {
				s.note("when main returned, " + g.path + " was " + s.doing(g))
			}
		}
	}
	if s.back != nil && s.resting && s.anyLive() {
		s.note("outside a bubble: nothing moved for " + s.patience().String() + ", which is no proof")
	}
	res.Stalls, res.Failed = s.stallsAtEnd(), s.failed()
	res.AlsoFailed = s.outcome.Kind != "" && s.outcome.Kind != KindTestFailure && s.testFailed() && s.mayFail() == ""
	states := s.states()
	s.exec.waiting(s)
	s.unwind()
	for i := range states {
		states[i].Stack, states[i].Created = s.all[states[i].G].stack, s.all[states[i].G].created
	}
	res.Goroutines = states
	res.Steps, res.Hash, res.Trace, res.Log = s.steps, s.hash, s.trace, s.log
	res.Given, res.Waited, res.Effects, res.Reads = s.given, s.waited, s.effects, s.reads
	res.Deadlines, res.Durations = s.ordered, s.readings.compared
	if s.ordered {
		res.Setters = s.setters()
	}
	res.ClockLimits = s.readings.limits
	res.Seed, res.Asked, res.Choices = s.cfg.Plan.Seed, s.asked, s.choices
	res.Minor = s.minors
	res.VirtualTime = s.now
	res.Notes, res.Weak, res.Weaknesses, res.Left = s.notes, len(s.weak) > 0, s.weak, s.left
	res.Restless, res.Settled = s.restless, s.settledOutside()
	if res.Verdict == Completed {
		res.Remaining = s.remaining()
	}
	return res
}

// starved are the goroutines that have been blocked for most of the run, and the step
// in which the last of them queued.
func (s *run) starved() (out []At, since int) {
	for _, g := range s.live {
		if g.state != blocked || g.op == opSleep || g.since > s.steps/2 || s.ofProcess(g) || slices.ContainsFunc(g.cases, Case.event) {
			continue
		}
		out = append(out, At{g.path, g.site.key()})
		since = max(since, g.since)
	}
	return out, since
}

// settledOutside: the program rests in a bubble, and control was incomplete only in
// that goroutines were blocked in code without guards.
func (s *run) settledOutside() bool {
	return s.resting && s.cfg.Bubble.Wait != nil && len(s.strayWeak) > 0 && len(s.strayWeak) == len(s.weak)
}

// neverComes weakens a run in which something is stuck that what the program has
// asked for, and runs do not do, might have kept going.
func (s *run) neverComes(asked bool, what string) {
	switch s.outcome.Kind {
	case KindDeadlock, KindPartialDeadlock, KindLeak:
		if asked {
			s.weaken(what)
		}
	}
}

// mayFail is why the test may fail in a run without being wrong, "" if nothing of that is known.
func (s *run) mayFail() string {
	switch {
	case s.lent:
		return "uninstrumented code has had its *testing.T, by which it cannot start subtests in a run"
	case s.measures != "":
		return "what " + s.measures + " measures is not the same in the instrumented program, and may be why"
	}
	return ""
}

// testFailed: the test has failed. It may have left goroutines behind, but not ended otherwise
// before it was over.
func (s *run) testFailed() bool { return s.failed() && !s.over || s.failedFirst }

func (s *run) failed() bool { return s.cfg.Failed != nil && s.cfg.Failed() }

// rest says how the program ended when nothing can move any more.
func (s *run) rest() Outcome {
	entry := s.first
	var stuck, others []string
	calm := s.calm()
	over := s.returned || entry.state == done
	for _, g := range s.live {
		if g.state != blocked && g.state != outside {
			continue
		}
		if text := g.path + " " + s.doing(g); over && s.daemon(g) {
			others = append(others, text)
		} else {
			stuck = append(stuck, text)
		}
	}
	if len(others) > 0 {
		s.note("started by the initialisation of packages, these are left, and no leak of the test: " + strings.Join(others, "; "))
	}
	if calm && len(stuck) > 0 {
		s.restless = true
		s.note(calmText())
	}
	if len(stuck) == 0 {
		if s.cfg.Entry == EntryMain && !s.returned {
			return Outcome{Kind: KindDeadlock, Message: "no goroutines (main called runtime.Goexit) - deadlock!"}
		}
		return Outcome{}
	}
	text := strings.Join(stuck, "; ")
	switch {
	case s.returned, over && s.cfg.Entry == EntryTest:
		return Outcome{Kind: KindLeak, Message: text}
	case over && calm:
		return Outcome{} // main has called runtime.Goexit, and the others go on without it
	default:
		return Outcome{Kind: KindDeadlock, Message: text}
	}
}

// leftByMain: main has returned, and others were stuck by then at a lock, a wait group or a Once, whom nothing could have let go on if
// main had taken its time: all that are left are blocked, and neither time nor an event of a library comes. Those that wait at
// channels go with main, as package translate says of the model.
func (s *run) leftByMain() Outcome {
	var stuck []string
	for _, g := range s.live {
		if g == s.first || g.state == done {
			continue
		}
		if g.state != blocked || g.op == opSleep || slices.ContainsFunc(g.cases, Case.event) {
			return Outcome{}
		}
		if g.op.holdsUp() {
			stuck = append(stuck, g.path+" "+s.doing(g))
		}
	}
	if len(stuck) == 0 || len(s.dues) > 0 {
		return Outcome{}
	}
	return Outcome{Kind: KindPartialDeadlock, Message: strings.Join(stuck, "; ")}
}

// observed: what was expected has happened.
func (s *run) observed() bool {
	e := s.cfg.Plan.Expect
	switch e.Kind {
	case "":
		return false
	case KindDeadlock:
		return s.outcome.Kind == KindDeadlock && s.stuck(e.Goroutines)
	case KindPartialDeadlock:
		return (s.outcome.Kind == KindDeadlock || s.outcome.Kind == KindLeak) && s.stuck(e.Goroutines)
	case KindLeak:
		return s.outcome.Kind == KindLeak && s.stuck(e.Goroutines) &&
			!slices.ContainsFunc(e.Goroutines, func(at At) bool { return at.G != "" && s.daemon(s.all[at.G]) })
	case KindRace:
		return slices.ContainsFunc(s.races.list(), func(r Race) bool { return r.is(e.Goroutines) })
	case KindReachable:
		return s.reached(e.Goroutines)
	case KindTestFailure:
		return s.testFailed()
	case KindNilCall:
		// A call is not to be told from any other use of a nil pointer but by
		// the place; a go statement is.
		dereference := s.outcome.Kind == KindPanic && strings.Contains(s.outcome.Message, "nil pointer dereference")
		return (dereference || s.outcome.Kind == KindNilCall) && s.ended(e.Goroutines)
	}
	return s.outcome.Kind == e.Kind && s.ended(e.Goroutines)
}

// stuck: these goroutines are queued at their sites, or have ended there by a Goexit, and
// nothing can move.
func (s *run) stuck(want []At) bool {
	return s.resting && !slices.ContainsFunc(want, func(at At) bool { return s.queuedAt(at) == nil && !s.exitedAt(at) })
}

// exitedAt: the goroutine has ended by a Goexit there.
func (s *run) exitedAt(at At) bool {
	g := s.all[at.G]
	return g != nil && g.state == done && g.goexit != 0 && g.goexit.key() == at.Site
}

// queued: these goroutines are queued at their sites, since the step given.
func (s *run) queued(want []At) (since int, ok bool) {
	for _, at := range want {
		g := s.queuedAt(at)
		if g == nil {
			return 0, false
		}
		since = max(since, g.since)
	}
	return since, len(want) > 0
}

// queuedAt is a goroutine that is queued there, nil if none is. A daemon counts
// only by its name.
func (s *run) queuedAt(at At) *goroutine {
	for _, g := range s.live {
		if (g.state == blocked || s.stuckOutside(g)) && (at.G == g.path || at.G == "" && !s.daemon(g)) && (at.Site == "" || at.Site == g.site.key()) {
			return g
		}
	}
	return nil
}

// stuckOutside: g is blocked in code without guards, and nothing in its bubble can go
// on.
func (s *run) stuckOutside(g *goroutine) bool {
	return g.state == outside && s.resting && s.cfg.Bubble.Wait != nil
}

// ended: the goroutine that ended the program is one of these, at its site.
func (s *run) ended(want []At) bool {
	for _, at := range want {
		if (at.G == s.outcome.G || at.G == "") && (at.Site == "" || at.Site == s.outcome.Site || s.onLine(at.Site, s.at)) {
			return true
		}
	}
	return len(want) == 0
}

// reached: these goroutines stand at their sites or have just passed them.
func (s *run) reached(want []At) bool {
	for _, at := range want {
		site, ok := siteOf(at.Site)
		if !ok || !s.anyNamed(at.G, func(g *goroutine) bool { return g.site == site || g.passed[site] > 0 }) {
			return false
		}
	}
	return true
}

// anyNamed reports whether is holds for the goroutine of a path, or for any if the
// path is empty.
func (s *run) anyNamed(path string, is func(*goroutine) bool) bool {
	if path != "" {
		g := s.all[path]
		return g != nil && is(g)
	}
	for _, g := range s.all {
		if is(g) {
			return true
		}
	}
	return false
}

// onLine: the site with this key is on the line "file:line".
func (s *run) onLine(key, line string) bool {
	site, ok := siteOf(key)
	if !ok || line == "" {
		return false
	}
	i := site.info()
	return path.Base(i.File)+":"+strconv.Itoa(i.Line) == line
}

// unwind ends every goroutine that is left. Functions deferred by the program
// run, but end at their first guard.
func (s *run) unwind() {
	s.dying.Store(true)
	s.endWaiting()
	s.adopt()
	for len(s.live) > 0 {
		g := s.live[len(s.live)-1]
		s.live = s.live[:len(s.live)-1]
		switch {
		case g.state == done || !g.started:
			continue
		case g.state == outside:
			s.leave("goroutine " + g.path + " is left blocked in code without guards after " + g.site.key())
			continue
		}
		s.cur.Store(g)
		g.wake <- struct{}{}
		if s.back != nil {
			<-s.back
		} else {
			s.comeToRest()
		}
		if g.state != done {
			s.leave("goroutine " + g.path + " could not be ended: a deferred function blocks in code without guards")
		}
	}
	s.endCoroutines()
	s.cur.Store(nil)
}

// leave records what the run leaves behind, which does not touch what it has
// shown.
func (s *run) leave(text string) {
	s.note(text)
	s.left = text
}

// outcomeOf is the end of the program by a panic with value v in g.
func (g *goroutine) outcomeOf(v any) Outcome {
	text := panicText(v) // may run code of the program: once
	o := Outcome{Kind: KindPanic, Message: "panic: " + text, G: g.path}
	for _, k := range panicKinds {
		if text == k.text {
			o.Kind = k.kind
		}
	}
	stack, inOperation := panicCallers()
	o.Stack, g.stack = stack, stack
	if len(o.Stack) > 0 {
		_, g.run.at, _ = strings.Cut(o.Stack[0], " ")
	}
	// The panic may come from the last guard, or from an earlier one whose
	// deferred calls have passed others since.
	site := g.site
	if g.acting != 0 {
		site = g.acting
	} else if g.panicAt != 0 && (inOperation || g.run.onLine(g.panicAt.key(), g.run.at)) {
		site = g.panicAt
	}
	if of, _, _, ok := site.major(); ok {
		site = of
	}
	o.Site = site.key()
	return o
}

var panicKinds = []struct{ text, kind string }{
	{"send on closed channel", KindSendOnClosed},
	{"close of closed channel", KindCloseOfClosed},
	{"close of nil channel", KindCloseOfNil},
	{"sync: negative WaitGroup counter", KindNegativeCounter},
	{"sync: WaitGroup misuse: Add called concurrently with Wait", KindWaitGroupReuse},
	{"sync: WaitGroup is reused before previous Wait has returned", KindWaitGroupReuse},
}

// fatal is the end of the program by a fatal error in g.
func (s *run) fatal(g *goroutine, text string) Outcome {
	g.stack = callers()
	if len(g.stack) > 0 {
		_, s.at, _ = strings.Cut(g.stack[0], " ")
	}
	return Outcome{Kind: KindUnlockUnlocked, Message: "fatal error: " + text, G: g.path, Site: g.site.key(), Stack: g.stack}
}

// panicText is a panic value as the runtime prints it, without addresses.
func panicText(v any) (text string) {
	defer func() {
		if recover() != nil {
			text = "(" + reflect.TypeOf(v).String() + ")"
		}
	}()
	switch v := v.(type) {
	case nil:
		return "nil" // see panicsNil
	case error:
		return v.Error()
	case interface{ String() string }:
		return v.String()
	case string:
		return v
	}
	r := reflect.ValueOf(v)
	name := r.Type().String()
	switch r.Kind() {
	case reflect.Bool:
		text = strconv.FormatBool(r.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		text = strconv.FormatInt(r.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		text = strconv.FormatUint(r.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		text = strconv.FormatFloat(r.Float(), 'e', 6, 64)
	case reflect.String:
		text = strconv.Quote(r.String())
	default:
		return "(" + name + ")"
	}
	return name + "(" + text + ")"
}

// thisPackage is the path of this package with a dot, as it begins the names of
// its functions.
var thisPackage = func() string {
	pc, _, _, _ := runtime.Caller(0)
	name := runtime.FuncForPC(pc).Name()
	slash := strings.LastIndex(name, "/") + 1
	dot := strings.Index(name[slash:], ".")
	return name[:slash+dot+1]
}()

// callers is the stack of the calling goroutine as far as it concerns the
// program: "function file:line", innermost first.
func callers() []string {
	var stack []string
	eachFrame(func(f runtime.Frame) {
		if f.Function != "" && !internalFrame(f) {
			stack = append(stack, frameText(f))
		}
	})
	return slices.Clip(stack)
}

// panicCallers is callers from where the latest panic came from. inOperation: it
// came from an operation of this package.
func panicCallers() (stack []string, inOperation bool) {
	panicking := true
	eachFrame(func(f runtime.Frame) {
		switch {
		case f.Function == "":
		case panicking && f.Function == "runtime.gopanic": // up to here, deferred functions
			stack, inOperation, panicking = stack[:0], false, false
		case !internalFrame(f):
			stack = append(stack, frameText(f))
		case len(stack) == 0 && strings.HasPrefix(f.Function, thisPackage):
			inOperation = true
		}
	})
	return slices.Clip(stack), inOperation
}

// frameText is a frame in a stack.
func frameText(f runtime.Frame) string {
	return initialises(f.Function) + " " + path.Base(f.File) + ":" + strconv.Itoa(f.Line)
}

// initialises names what initialises a package as Go does, but for the numbers of init functions: where it is to be done again, an
// instrumented package has it in functions of other names.
func initialises(function string) string {
	dot := strings.LastIndex(function, "/") + 1
	dot += strings.Index(function[dot:], ".") + 1
	name, rest, literal := strings.Cut(function[dot:], ".")
	name, ours := strings.CutPrefix(name, generatedNames)
	if more, ok := strings.CutPrefix(name, "x"); ok { // the program has such names itself
		name = strings.TrimLeft(more, "0123456789")
	}
	number, init := strings.CutPrefix(name, "Init")
	if !init {
		number, init = strings.CutPrefix(name, "Reset")
	}
	if !ours || !init || strings.TrimLeft(number, "0123456789") != "" {
		return function
	}
	if literal {
		return function[:dot] + "init." + rest
	}
	return function[:dot] + "init"
}

// eachFrame visits the stack of the calling goroutine.
func eachFrame(visit func(runtime.Frame)) {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		visit(f)
		if !more {
			return
		}
	}
}

// ownDefect reports whether a goroutine that panics with v does so for an index that is out of range in this package, which has
// none of the program's: what it does for the program it does with pointers.
func ownDefect(v any) bool {
	err, ok := v.(runtime.Error)
	if !ok || !strings.Contains(err.Error(), "out of range") {
		return false
	}
	panicked, known, own := false, false, false
	eachFrame(func(f runtime.Frame) {
		switch {
		case known:
		case f.Function == "runtime.gopanic":
			panicked = true
		case panicked && !strings.HasPrefix(f.Function, "runtime."):
			known, own = true, ofThisPackage(f)
		}
	})
	return own
}

// generatedFiles begins the names of the files that instrumentation adds to packages. What is in
// them, and where, depends on how a program is instrumented.
const generatedFiles = "zz_vtrace_gen"

// generatedNames begins the names of what instrumentation adds to packages, and of what it renames.
const generatedNames = "zzorc"

func internalFrame(f runtime.Frame) bool {
	if strings.HasPrefix(path.Base(f.File), generatedFiles) {
		return true
	}
	for _, p := range [...]string{"runtime.", "testing.", "internal/", "sync.", "reflect."} {
		if strings.HasPrefix(f.Function, p) {
			return true
		}
	}
	return ofThisPackage(f)
}

// ofThisPackage reports whether a frame is of this package. A function literal of it is named after the function of the program that
// it was inlined into. Tests of this package are programs to it.
func ofThisPackage(f runtime.Frame) bool {
	return (strings.HasPrefix(f.Function, thisPackage) || path.Dir(f.File) == thisDirectory) && !strings.HasSuffix(f.File, "_test.go")
}

// thisDirectory has the files of this package.
var thisDirectory = func() string {
	_, file, _, _ := runtime.Caller(0)
	return path.Dir(file)
}()
