//go:build go1.25

package orcruntime

import (
	"bytes"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// entryPath is the creation path of the first goroutine.
const entryPath = "0"

const defaultMaxSteps = 100_000

// run is the scheduler of one run. Its fields belong to whoever has the baton,
// the controller (the goroutine that called Run) or the goroutine it resumed,
// but for those under mu and the atomics.
type run struct {
	cfg      Config
	cur      atomic.Pointer[goroutine]
	dying    atomic.Bool
	progress atomic.Int64 // counts what the watchdog sees
	// base is the number of goroutines of the process that are not of the run,
	// started of those that the scheduler has started.
	base, started atomic.Int64
	strays        atomic.Int64 // goroutines outside
	backAgain     atomic.Int64 // of those, who are back, and run beside who has the baton until they stop
	alive         atomic.Int64 // how many goroutines are live, at least

	stacks bool
	back   chan struct{} // the baton's way back; nil in a bubble

	live []*goroutine // by path, without those that are done
	all  map[string]*goroutine
	// coroutines are those made in the run that have not ended.
	coroutines []*Coroutine
	first      *goroutine   // that of the entry function
	blocked    []*goroutine // in the order in which they queued
	// sleepers and settlers are how many of these are in Sleep and in Settle.
	sleepers, settlers int
	steps              int
	hash               uint64
	trace              []Step
	given              []GivenValue // with Config.values
	effects            []Effect     // with Config.values
	reads              []ReadValue  // with Config.values
	waited             []int        // steps of the trace, from 1, in which somebody queued
	log                []LogLine
	chooser            Chooser

	// Of the environment: the choices that the plan prescribes, those made, how
	// often it was asked, and hashes of the keys of sites.
	planned    map[asked]EnvChoice
	choices    []EnvChoice
	asked      int
	siteHashes map[Site]uint64
	numbers    map[unsafe.Pointer]int // of addresses, see canonical
	pools      map[*sync.Pool][]pooled
	seeds      map[uint64]bool // of hash/maphash, made in this run

	minors       bool          // goroutines stop at minor guards
	ahead        []Step        // of the plan that is followed
	named        map[Step]bool // the sites of the plan, by goroutine and without; nil until passOther asks
	reaching     sync.Mutex
	timed        bool         // something may have given the program a time; of reaching, like dated
	dated        map[int]bool // statements that count if something has
	lengths      bool         // also where the length of a channel is asked for
	over         bool         // the program has ended
	failedFirst  bool         // when the test had failed and was over, others going on
	initialising bool         // the entry goroutine repeats the initialisation of packages
	returned     bool         // the entry function has returned
	stopped      bool         // by the Chooser
	resting      bool         // nothing can move any more
	lost         string       // why the run cannot go on
	left         string       // what cannot be ended
	outcome      Outcome
	at           string // where a panic came from, "file:line"

	began time.Time // by the clock of the operating system
	start time.Time
	now   time.Duration
	dues  []time.Duration // known events, ascending
	// latest is the last deadline that each goroutine has set, and ordered whether it matters
	// in which order they have.
	latest  map[*goroutine]time.Duration
	ordered bool
	// tickers are those known, by channel.
	tickers map[unsafe.Pointer]ticks

	races *races // nil if they are not looked for

	held     int           // time has passed so often while the entry function was held at its end
	wakes    int           // by time, since the entry function has ended
	restless bool          // the run has ended while time still woke goroutines
	horizon  time.Duration // the last event that was known then
	times    int           // time has passed so often
	busy     string        // who polls in vain

	exec *execution // nil unless the exploration is exhaustive

	objects map[object]int
	counts  [objectKinds]int
	stash   map[unsafe.Pointer][]Case
	wgs     map[*sync.WaitGroup]int
	// zero are those whose counter has come to 0 in a Done that has not released the
	// waiters yet.
	zero     map[*sync.WaitGroup]bool
	owned    []ownership // in the order in which the locks were taken
	closings map[unsafe.Pointer]closing
	onces    map[*sync.Once]*goroutine
	conds    map[*sync.Cond][]*ticket

	measures  string                  // the function by which the program has measured its own memory
	finalized map[unsafe.Pointer]bool // what has a finalizer or a cleanup
	signals   map[any]bool            // the channels and contexts that signals come to
	ranges    mapRanges
	clockRead bool            // the program has called time.Now
	shown     []time.Time     // what it has got, see seeds.go
	drawn     map[seed]*drawn // what generators with a seed from the clock give
	// generators are those of them that are something else to the program.
	generators map[Generator]*Seeded
	repeats    bool // see Repeats
	readings   readings
	lent       bool // uninstrumented code has had a *testing.T
	kept       keptCleanups

	ready []Parked // reused by view
	buf   []byte   // reused for lines

	mu          sync.Mutex
	ids         map[uint64]*goroutine
	locks       libraryLocks
	done        chan Result  // gets that of the run
	lockWaiters []lockWaiter // outside control, in the order in which they came
	inbox       []*goroutine // callbacks that have arrived
	kick        chan struct{}
	callbacks   map[Site]int
	notes       []string
	weak        []string     // those of the notes that say where control was incomplete
	gone        atomic.Int64 // goroutines that have ended since time passed, and may be counted
	lingering   atomic.Int64 // how often in a row they have been, all of them
	stalls      []Stall
	granted     *goroutine // that does the step at hand, until it stops
	choosing    bool       // by the Chooser, not by the plan
	planStep    int        // of the plan, that is to be done, from 0
	following   bool       // it is being done, and its goroutine may go on with the next one
	next        *Choice    // what the Chooser has said in advance, see goesOn
	taker       *goroutine // that has done the last step, one of inRow in a row
	inRow       int
	guards      []bool   // see stopsAt
	bubbles     int      // calls of synctest.Test that the program is in
	strayWeak   []string // those of weak that are of goroutines blocked in code without guards
}

// Run runs the entry function under the plan and reports what it observed.
// There is one run at a time in a process.
func Run(cfg Config) (res Result) {
	if cfg.Plan.MaxSteps <= 0 {
		cfg.Plan.MaxSteps = max(defaultMaxSteps, 2*len(cfg.Plan.Steps)) // a plan may be longer
	}
	if cfg.Entry == "" {
		cfg.Entry = EntryMain
	}
	s := newRun(cfg)
	switch {
	case cfg.Main == nil:
		return s.unsupported("no entry function")
	case cfg.Entry != EntryMain && cfg.Entry != EntryTest:
		return s.unsupported("unknown entry " + cfg.Entry)
	case (cfg.Bubble.Run == nil) != (cfg.Bubble.Wait == nil):
		return s.unsupported("a bubble needs both Run and Wait")
	case !active.CompareAndSwap(nil, s):
		return s.unsupported("another run is in progress")
	}
	before.run.Store(true)
	s.tellPasses()
	if cfg.Watchdog <= 0 && cfg.Bubble.Wait == nil {
		return s.run()
	}
	s.done = make(chan Result, 2)
	go func() {
		defer close(s.done) // also where package testing ends the goroutine, as it does when the test of a bubble has failed
		s.done <- s.run()
	}()
	if cfg.Watchdog <= 0 {
		res, ok := <-s.done
		if !ok {
			runtime.Goexit()
		}
		return res
	}
	return s.watch(s.done)
}

// newRun makes what goroutines outside control may look at as soon as the run is
// the active one, and all else that need not be made in the bubble.
func newRun(cfg Config) *run {
	s := &run{
		cfg: cfg, began: time.Now(), chooser: cfg.Chooser, stacks: !cfg.NoStacks,
		ids: make(map[uint64]*goroutine), all: make(map[string]*goroutine),
		planned: planned(cfg.Plan.Choices), minors: cfg.Plan.stopsAtMinor() && !cfg.noMinor, lengths: cfg.exec != nil || cfg.lengths || cfg.Plan.stopsAtLengths(), exec: cfg.exec,
	}
	s.guards = guardTable(cfg.Guards)
	s.readings.known = durations()
	for _, d := range cfg.Durations {
		s.readings.learn(d)
	}
	if cfg.Bubble.Wait == nil {
		s.back = make(chan struct{})
	}
	if s.chooser == nil {
		s.chooser = FirstEnabled()
	}
	if cfg.Races || looksForRaces() && !cfg.NoRaces {
		s.races = newRaces(s.stacks)
	}
	return s
}

// deactivate has the run be the active one no more: what goroutines do that were started before it counts again.
func (s *run) deactivate() {
	if active.CompareAndSwap(s, nil) {
		stopping.Store(everySite)
	}
}

// run runs the controller, in the bubble if there is one.
func (s *run) run() (res Result) {
	finished := false
	defer func() {
		s.deactivate()
		// A bubble that cannot end panics: with goroutines of uninstrumented
		// code left over after the run, or because the run itself was stuck.
		if v := recover(); v != nil {
			if !finished {
				res = s.unsupported("the run could not be controlled: " + panicText(v))
				res.Left = res.Message
				return
			}
			res.Left = "after the run: " + panicText(v)
			res.Notes = append(res.Notes, res.Left)
		}
	}()
	body := func() {
		res = s.control()
		s.kept.giveBack()
		s.deactivate()
		finished = true
		if len(s.locks.waiting) > 0 {
			s.done <- res // a bubble in which somebody waits for a mutex does not end
		}
	}
	if s.cfg.Bubble.Run != nil {
		s.cfg.Bubble.Run(body)
	} else {
		body()
	}
	return res
}

// watch waits for the result, but not beyond Config.Watchdog without a step, nor for long for
// somebody who waits for the system: a step that a run controls cannot end that. A run that has
// gone astray is abandoned with its goroutines.
func (s *run) watch(done <-chan Result) Result {
	timer := time.NewTicker(min(s.cfg.Watchdog, systemLook))
	defer timer.Stop()
	last, since := int64(-1), time.Now()
	at, looks := "", 0 // where somebody waits for the system, and how often he was seen there
	for {
		select {
		case res, ok := <-done:
			if ok {
				return res
			}
			done = nil
		case <-timer.C:
		}
		g := s.cur.Load()
		if n := s.progress.Load(); n != last {
			last, since, looks = n, time.Now(), 0
			continue
		}
		stack := ""
		if g != nil {
			stack = inSystem(s.idsOf(g))
		}
		if stack == "" || stack != at {
			at, looks = stack, 0
		} else {
			looks++
		}
		why := ""
		switch {
		case looks >= systemLooks:
			why = "goroutine " + g.path + " waits for the network, a file or another process, which no run controls"
			if last := Site(g.passing.Load()); last != 0 {
				why += ", after " + last.key()
			}
		case time.Since(since) < s.cfg.Watchdog:
			continue
		case g == nil:
			why = "no step was completed for " + s.cfg.Watchdog.String() + ": something that time waits for does not happen"
		default:
			why = "no step was completed for " + s.cfg.Watchdog.String() + ": goroutine " + g.path + " does not come to "
			if last := Site(g.passing.Load()); last != 0 {
				why += "another guard after " + last.key()
			} else {
				why += "a guard"
			}
		}
		s.deactivate()
		return Result{Verdict: Unsupported, Message: why, Weak: true, Left: why}
	}
}

// A run is given up in which somebody waits for the system at the same place whenever it is looked
// at, once in systemLook and systemLooks times more. That is long for what a program does to files.
const (
	systemLook  = time.Second
	systemLooks = 5
)

// maxStacks bounds the bytes of the stacks of all goroutines that are looked through, which are some thousands of frames a
// mebibyte.
const maxStacks = 64 << 20

// inSystem is the stack of the goroutine with one of some numbers of the runtime that is in a system
// call or waits for the network, "" if none is.
func inSystem(ids []uint64) string {
	for stack := range bytes.SplitSeq(stacksOfAll(make([]byte, 1<<20)), []byte("\n\n")) {
		head, frames, _ := bytes.Cut(stack, []byte("\n"))
		id, state, ok := numberAndState(head)
		if !ok || !slices.Contains(ids, id) {
			continue
		}
		if bytes.HasPrefix(state, []byte("IO wait")) || bytes.HasPrefix(state, []byte("syscall")) {
			return string(frames)
		}
	}
	return ""
}

// stacksOfAll are the stacks of all goroutines, in a buffer or a larger one, that of the caller first. Beyond maxStacks some may be
// left out: then all of the buffer is used.
func stacksOfAll(buf []byte) []byte {
	n := runtime.Stack(buf, true)
	for n == len(buf) && n < maxStacks {
		buf = make([]byte, 4*n)
		n = runtime.Stack(buf, true)
	}
	return buf[:n]
}

// numberAndState are the runtime's number of a goroutine and its state, by the first line of its stack.
func numberAndState(head []byte) (id uint64, state []byte, ok bool) {
	number, state, _ := bytes.Cut(bytes.TrimPrefix(head, []byte("goroutine ")), []byte(" ["))
	id, err := strconv.ParseUint(string(number), 10, 64)
	return id, state, err == nil
}

func (s *run) unsupported(why string) Result {
	return Result{Verdict: Unsupported, Message: why, Notes: s.notes, Weak: true, Weaknesses: s.weak, Steps: s.steps, Trace: s.trace, Seed: s.cfg.Plan.Seed, Asked: s.asked, Choices: s.choices, Minor: s.minors, Log: s.log}
}

// ordinary is from when the clock of a bubble begins, on the first second of a century,
// to a moment at which nothing in particular is due, on a morning in June: programs
// that do something at the full minute, or at the end of a month, are not to do it just
// when a run begins. The year is one of today, and not 2000: what a program says to be
// valid since some year of this century is.
const ordinary = 9660*24*time.Hour + 10*time.Hour + 23*time.Minute + 47*time.Second

// Draw is the seed of the k-th draw of the environment: of random numbers that are too many to explore, of orders of
// large maps, and of when the clock begins, which is any moment but in draw 0. In the first it is just before a year ends, and with
// it a month, a day, an hour, a minute and a second.
func Draw(k int) uint64 {
	if k == 0 {
		return 0
	}
	return firstDraw + uint64(k)
}

// firstDraw is greater than the seeds of runs under random schedules, whose clock begins at an ordinary moment.
const firstDraw = 1 << 62

const (
	// yearEnds is from when the clock of a bubble begins to the end of the year of ordinary, 2026.
	yearEnds = (27*365 + 7) * 24 * time.Hour
	// otherStarts is how long behind ordinary the clock begins at most: a leap year and three others.
	otherStarts = (4*365 + 1) * 24 * time.Hour
	// beforeEnd is how long before the end of the year the clock of the first draw begins: many tests take some milliseconds.
	beforeEnd = 5 * time.Millisecond
)

// Began is when the clock of runs with a seed begins, in UTC, and whether that is another moment than the ordinary one.
func Began(seed uint64) (time.Time, bool) {
	return time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC).Add(startOfClock(seed)), seed > firstDraw
}

// startOfClock is from when the clock of a bubble begins to when that of a run with a seed does.
func startOfClock(seed uint64) time.Duration {
	r := random(seed)
	switch second := time.Duration(r.next(int(time.Second))); {
	case seed == Draw(1):
		return yearEnds - beforeEnd
	case seed > firstDraw:
		return ordinary + time.Duration(r.next(int(otherStarts)))
	default:
		return ordinary + second
	}
}

// control is the controller: it starts the entry function, follows the plan,
// lets the rest run and judges.
func (s *run) control() Result {
	s.others()
	s.base.Store(betweenRuns.next(runtime.NumGoroutine))
	s.kick = make(chan struct{}, 1) // of the bubble
	if s.back == nil && readsClock() {
		// Who takes random numbers from the clock gets those of this environment.
		time.Sleep(startOfClock(s.cfg.Plan.Seed))
		s.readings.lags = true
	}
	s.start = time.Now() // its clock
	s.readings.begin(s.start)
	s.passed()

	s.first = s.add(entryPath, s.entry)
	s.beginRecording(s.first)
	s.resume(s.first)
	s.settle()

	d := s.follow()
	if d == nil {
		s.tail()
	}
	s.endRecording()
	return s.judge(d)
}

// entry is the body of the first goroutine.
func (s *run) entry() {
	s.initialising = true
	for _, i := range initializers() {
		i.reset()
	}
	s.initialising = false
	s.main()
	if s.cfg.EndSite == "" {
		s.endMain()
		return
	}
	site, ok := siteOf(s.cfg.EndSite)
	if !ok {
		s.note("the end site " + s.cfg.EndSite + " is not registered")
	}
	g := s.first
	g.arrive(opEnd, site, nil)
	s.exec.touch(touched{space: spaceTest}, touchWrite)
	g.pass()
	s.endMain()
}

// main runs the entry function, its parallel subtests and what it has left to
// Cleanup, however it ends.
func (s *run) main() {
	g := s.first
	t := &scope{owner: g}
	g.scope = t
	if s.cfg.kept != nil {
		kept, ok := s.cfg.kept()
		if !ok {
			s.note("package testing is not one that is known: what uninstrumented code leaves to Cleanup is called after the run")
		}
		s.kept = kept
	}
	defer s.cleanUp(t)
	defer s.joinSubtests(t, entryJoin(s.cfg.EndSite))
	s.cfg.Main()
}

// endMain is the return of the entry function: of main it ends the program,
// unless others are expected to be stuck for good, which shows only if they can
// go on.
func (s *run) endMain() {
	s.returned = true
	if s.cfg.Entry == EntryMain && !s.expectsStuck() {
		s.over = true
	}
}

// expectsStuck: the expectation is about goroutines that outlast main.
func (s *run) expectsStuck() bool {
	k := s.cfg.Plan.Expect.Kind
	return k == KindLeak || k == KindPartialDeadlock
}

// add makes a goroutine that stands at its first guard.
func (s *run) add(path string, f func()) *goroutine {
	g := &goroutine{run: s, path: path, f: f, wake: make(chan struct{}), recorded: -1}
	s.insert(g)
	return g
}

func (s *run) insert(g *goroutine) {
	s.all[g.path] = g
	g.readyAt = s.now
	s.races.created(g)
	s.exec.add(g)
	g.number = hashText(g.path)
	i := sort.Search(len(s.live), func(i int) bool { return lowerPath(g.path, s.live[i].path) })
	s.live = slices.Insert(s.live, i, g)
	s.alive.Store(int64(len(s.live)))
}

// spawn makes the goroutine that a go site starts.
func (s *run) spawn(parent *goroutine, site Site, f func()) *goroutine {
	parent.children++
	g := s.add(parent.path+"."+strconv.Itoa(parent.children), f)
	g.op, g.site, g.scope, g.bubble = opStart, site.start(), parent.scope, parent.bubble
	if s.stacks {
		g.created = callers()
	}
	parent.recordStart(site, g)
	s.races.started(parent, g)
	s.cfg.cover.started(parent, g)
	return g
}

// resume gives the baton to g and waits until it has it back.
func (s *run) resume(g *goroutine) {
	if g.state == blocked {
		s.blocked = remove(s.blocked, g)
		s.enqueued(g.op, -1)
		g.woken, g.wokenOcc = g.site, g.occ()
	}
	g.state = running
	g.passing.Store(int64(g.site))
	s.progress.Add(1)
	s.cur.Store(g)
	if g.started {
		g.wake <- struct{}{}
	} else {
		g.started = true
		s.started.Add(1)
		go g.main()
	}
	s.await(g)
}

// await waits until g has parked, or, in a bubble, cannot go on.
func (s *run) await(g *goroutine) {
	if s.back != nil {
		<-s.back
	} else {
		s.quiesce()
		for g.late > 0 {
			s.delayed(g)
			s.quiesce()
		}
	}
	s.cur.Store(nil)
	switch g.state {
	case running:
		g.state = outside
		s.races.throughLibrary(g)
		s.strays.Add(1)
		g.strayed.Store(true)
		why := "goroutine " + g.path + " blocked in code without guards after " + g.site.key()
		if slices.ContainsFunc(s.idsOf(g), s.locks.holdsUp) {
			why = "goroutine " + g.path + " waits for a lock inside a library, in code without guards after " + g.site.key()
			g.op, g.obj = opLibraryLock, nil
		}
		s.weaken(why)
		if !slices.Contains(s.strayWeak, why) {
			s.strayWeak = append(s.strayWeak, why)
		}
		if s.cfg.Unchecked {
			s.over, s.lost = true, why+", which needs the check of goroutines"
		}
	case done:
		s.live = remove(s.live, g)
		s.alive.Store(int64(len(s.live)))
	}
}

func remove(list []*goroutine, g *goroutine) []*goroutine {
	if i := slices.Index(list, g); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// grant does one step: g passes its guard, and what that completes runs on.
func (s *run) grant(g *goroutine, want int, strict bool) {
	s.tick()
	s.begin(g, want, strict)
	s.resume(g)
	s.stepped()
	s.settle()
}

// begin notes a step that is about to be done.
func (s *run) begin(g *goroutine, want int, strict bool) {
	s.steps++
	occ := g.occ()
	if s.cfg.Journal != nil {
		s.journal(g.path, g.site.key(), occ, want)
	}
	if s.cfg.Record {
		s.trace = append(s.trace, Step{G: g.path, Site: g.site.key(), Occ: occ})
	}
	if g.granted {
		if g.grants == nil {
			g.grants = make(map[Site]int)
		}
		g.grants[g.site]++
	} else {
		g.granted = true
		s.logPass(g, g.site)
	}
	s.hash = mix(s.hash, g.number, uint64(g.site), uint64(occ))
	s.stalled(g)
	s.took(g)
	s.exec.step(g)
	s.cfg.cover.step(g)
	g.selects = g.op == opSelect
	g.recorded = len(s.trace) - 1
	g.touches()
	g.want, g.strict, g.chosen, g.mismatch = want, strict, pending, ""
	s.granted = g
}

// stepped notes that who was granted a step has stopped.
func (s *run) stepped() {
	g := s.granted
	if g == nil {
		return
	}
	if g.selects && g.chosen != pending {
		s.hash = mix(s.hash, uint64(g.chosen))
	}
	s.granted = nil
}

// goesOn is called by a goroutine that has come to its next guard. It reports whether
// the Chooser, or the plan, has it do the next step, too: then the goroutine passes the guard at once,
// without the two switches of goroutines that a step takes else. What the Chooser says
// instead is kept for the controller.
func (s *run) goesOn(g *goroutine) bool {
	if s.granted != g || !s.choosing && !s.following || s.readings.taken > 0 || g.state != parked || g.library > 0 || !s.alone() {
		return false
	}
	if s.following {
		return s.goesAlong(g)
	}
	s.stepped()
	s.adopt()
	if s.completed() != nil || !s.more() {
		return false
	}
	v := s.view()
	if _, spins := s.spin(v); spins || len(v.Ready) == 0 {
		return false
	}
	c := s.chooser.Next(v)
	if c.Index < 0 || c.Index >= len(v.Ready) || v.Ready[c.Index].g != g {
		s.next = &c
		return false
	}
	s.passes(g, max(c.Case, 0), false)
	return true
}

// passes has g, which has the baton, do a step.
func (s *run) passes(g *goroutine, want int, strict bool) {
	s.begin(g, want, strict)
	g.state = running
	g.passing.Store(int64(g.site))
	s.progress.Add(1)
}

// alone: nobody in the bubble can do anything but the goroutine with the baton.
func (s *run) alone() bool {
	if s.strays.Load() > 0 {
		return false
	}
	return s.cfg.Unchecked || s.back != nil || int64(runtime.NumGoroutine())-s.started.Load() <= s.base.Load()
}

// mix adds values to a hash.
func mix(h uint64, values ...uint64) uint64 {
	for _, v := range values {
		h ^= v + 0x9e3779b97f4a7c15 + h<<6 + h>>2
		h *= 0xbf58476d1ce4e5b9
		h ^= h >> 31
	}
	return h
}

// hashText is the FNV-1a hash.
func hashText(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// settle lets everything that the last step has completed run to its next
// guard, one after the other.
func (s *run) settle() (moved bool) {
	for !s.over {
		s.adopt()
		g := s.completed()
		if g == nil {
			return moved
		}
		moved = true
		s.exec.passedFor(g)
		s.resume(g)
	}
	return moved
}

// completed returns the first queued goroutine whose operation is complete.
func (s *run) completed() *goroutine {
	for _, g := range s.blocked {
		if g.ready || !g.timeless() && s.poll(g) {
			g.ready = true
			return g
		}
	}
	if g := s.settler(); g != nil && s.settled() {
		return g
	}
	return nil
}

// poll asks whether something outside the scheduler has made the operation of
// a queued goroutine possible, and does it.
func (s *run) poll(g *goroutine) bool {
	switch g.op {
	case opSend, opRecv, opSelect:
		return s.pollCases(g, nil)
	case opSleep:
		return g.wakeAt <= int64(s.now)
	case opWait:
		wg := (*sync.WaitGroup)(g.obj)
		return !s.zero[wg] && s.waitGroupCount(wg) == 0
	}
	return false
}

// journal writes a line for a step.
func (s *run) journal(g, site string, occ, want int) {
	b := strconv.AppendInt(s.buf[:0], int64(s.steps), 10)
	b = append(append(b, ' '), g...)
	if site != "" {
		b = append(append(b, ' '), site...)
		b = strconv.AppendInt(append(b, ' '), int64(occ), 10)
		if want != anyCase {
			b = strconv.AppendInt(append(b, ' '), int64(want), 10)
		}
	}
	b = append(b, '\n')
	s.buf = b
	if _, err := s.cfg.Journal.Write(b); err != nil {
		s.note("journal: " + err.Error())
		s.cfg.Journal = nil
	}
}

// logPass logs that g passes a guard.
func (s *run) logPass(g *goroutine, site Site) {
	if s.cfg.NoLog && s.cfg.Log == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	line := LogLine{Time: s.now, G: g.path, Site: site}
	if !s.cfg.NoLog {
		s.log = append(s.log, line)
	}
	if s.cfg.Log != nil {
		if _, err := s.cfg.Log.Write([]byte(line.String() + "\n")); err != nil {
			s.notes = append(s.notes, "log: "+err.Error())
			s.cfg.Log = nil
		}
	}
}

// note records a remark, once.
func (s *run) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.notes, text) {
		s.notes = append(s.notes, text)
	}
}

// unchosen records what the environment has decided and the run could not. An exploration of
// all schedules has not run what else there is.
func (s *run) unchosen(text string) {
	s.note(text)
	if s.exec != nil && !slices.Contains(s.exec.unchosen, text) {
		s.exec.unchosen = append(s.exec.unchosen, text)
	}
}

// weaken records why the run was not fully controlled.
func (s *run) weaken(text string) {
	s.note(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.weak, text) {
		s.weak = append(s.weak, text)
	}
}

// end records how the program ended; the first end counts.
func (s *run) end(o Outcome) {
	if !s.over {
		s.failedFirst = s.entryEnded() && s.failed()
		s.over = true
		s.outcome = o
	}
}

// halt ends the program in g, which never goes on.
func (g *goroutine) halt(o Outcome) {
	g.run.end(o)
	g.state = blocked
	g.park()
}
