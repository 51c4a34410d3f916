//go:build go1.25

package orcruntime

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Exhaustion is an exploration of a program by all of its schedules that are not
// equivalent: depth-first over executions, each from the start to its end, with dynamic
// partial-order reduction by wakeup trees and sleep sets (Abdulla, Aronis, Jonsson,
// Sagonas: Source Sets, Journal of the ACM 64, 2017), which is optimal but for what
// wakeup.go says. Choices of the environment and of a select among several ready cases
// branch too.
type Exhaustion struct {
	// Config is that of every run, without a plan and a chooser.
	Config Config
	// Accesses are the keys of the statements that may race, with the number of their
	// group: those of different groups do not race with each other.
	Accesses []AccessGuard
	// Awaits are the keys of sites in loops that do nothing but look whether something
	// has changed: how often they look in vain makes no difference. Other loops are
	// followed a few times.
	Awaits []string
	// Stalls is how often, in one run, time may pass while a goroutine could go on;
	// -1: any number.
	Stalls int
	// Values is how many alternatives a choice of the environment may have; of those with
	// more one is explored. Less than 24 is 24.
	Values int
	// Bounding has the exploration bounded by preemptions, nil: it is not.
	Bounding *Bounding
	// sourceSets has all nodes explored by source sets, to compare wakeup trees with.
	sourceSets bool
	// distinct has no two goroutines taken for alike, and wholeTime everything depend on that time passes, to compare with.
	distinct, wholeTime bool
	// Misuse has goroutines stop at all minor guards, see the package comment.
	Misuse bool
	// Frontier is where an earlier exploration has stopped; nil: the beginning.
	Frontier *Frontier
	// Alone has the exploration end after one execution, cut or not. Whether the program does the same again with the
	// same choices is left to the caller then.
	Alone bool
	// Below has the exploration end where one of so many first nodes of the frontier would
	// be chosen anew, see Parts. Not for one that is bounded by preemptions.
	Below int
	// Runs, Steps of all runs together, and Until bound the exploration; 0 is no bound.
	Runs, Steps int
	Until       time.Time
	// Stop, if not nil, reports whether to end after a run.
	Stop func() bool
	// Ran is called after every run with the number, from 0, of its end, except those
	// that were cut since they are equivalent to others.
	Ran func(end int, res Result)
	// Found is called before, when the end is a new one, as that of Exploration.
	Found func(end int, res Result)
	// Saved, if not nil, is called with the frontier from time to time.
	Saved func(f *Frontier)
}

// AccessGuard is a statement that may race with others.
type AccessGuard struct {
	Site string // key
	// Group is 0 if the statement is not known to race.
	Group  int
	Writes bool
}

// Exhausted is how far an exploration has come.
type Exhausted struct {
	// Runs counts the executions that came to an end, or to the limit of steps. They
	// are not equivalent to each other. Cut are those that turned out equivalent to
	// others on the way.
	Runs, Cut int
	// Limited are those of Runs that came to the limit of steps.
	Limited int
	// Choices counts those of the environment that were met.
	Choices int
	// Steps counts all steps.
	Steps int
	// Complete: there is no other execution, but for what Bounds says.
	Complete bool
	// Preemptions is how far it has come with each bound of them, from 0.
	Preemptions []Bounded
	// Frontier is where to go on; nil if Complete.
	Frontier *Frontier
	// Through: there is no other execution with what is chosen at the first nodes, see
	// Exhaustion.Below. The frontier has them.
	Through bool `json:",omitempty"`
	// Bounds say what was not explored.
	Bounds []string
	// Misuse: an operation of a WaitGroup or a map has been seen that may be an error
	// if goroutines stop at minor guards, too. The exploration is to be repeated so.
	Misuse bool
	// Reused: a WaitGroup may be added to while others wait for it.
	Reused bool `json:",omitempty"`
	// Timed: time could have passed while a goroutine could go on.
	Timed bool
	// Untaken: a choice of the environment had more alternatives than Values.
	Untaken bool
	// Durations are those that the clock was compared with and that are not known. An exploration in which time passes at any moment is to be repeated with
	// them, see Config.
	Durations []time.Duration
	// Races are the data races seen, each pair of places once.
	Races []Race
	// Unseen says where data races may be that do not show. Bounds has it too. Unordered are
	// those of them that are of two uses by code that is not instrumented.
	Unseen    []string `json:",omitempty"`
	Unordered []Race   `json:",omitempty"`
	// Stuck are the keys of the sites at which goroutines were blocked for good when
	// main returned.
	Stuck []string
	// Reached are the statements, by number, that were executed and in which something is
	// not guarded or recorded, see the function of that name.
	Reached []int
	// Kept are the places at which the program uses values of which a library may have kept a
	// pointer while others can act: "file:line". Such a use is a step of its own here.
	Kept []string `json:",omitempty"`
	// Left and Tainted are the results of Explore.
	Left    string
	Tainted bool
}

// Add adds what the exploration that has gone on from this one has come to. The frontiers stay
// as they are.
func (s *Exhausted) Add(later Exhausted) {
	s.Runs, s.Cut, s.Limited = s.Runs+later.Runs, s.Cut+later.Cut, s.Limited+later.Limited
	s.Steps, s.Choices = s.Steps+later.Steps, s.Choices+later.Choices
	s.Misuse, s.Timed, s.Untaken = s.Misuse || later.Misuse, s.Timed || later.Timed, s.Untaken || later.Untaken
	s.Reused = s.Reused || later.Reused
	s.Complete, s.Left, s.Tainted = later.Complete, later.Left, later.Tainted
	if len(later.Preemptions) > 0 { // which have what was before
		s.Preemptions = later.Preemptions
	}
	s.Bounds = union(s.Bounds, later.Bounds)
	s.Durations = union(s.Durations, later.Durations)
	s.Reached = union(s.Reached, later.Reached)
	s.Stuck = union(s.Stuck, later.Stuck)
	s.Unseen = union(s.Unseen, later.Unseen)
	s.Kept = union(s.Kept, later.Kept)
	for _, r := range later.Races {
		s.Races = addRace(s.Races, r)
	}
	for _, r := range later.Unordered {
		s.Unordered = addRace(s.Unordered, r)
	}
}

// union adds what a list lacks.
func union[T comparable](list, more []T) []T {
	for _, m := range more {
		if !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

// Frontier is what a depth-first search has left to do: the choices of the last
// execution, with the alternatives of each.
type Frontier struct {
	Nodes []Node
	// Bounds and Timed are those of the executions so far.
	Bounds []string
	Timed  bool
	// Preemptions are those of Exhausted: the last one is of what is left to do.
	Preemptions []Bounded `json:",omitempty"`
	// Trees: the nodes have wakeup trees. Those of earlier versions do not.
	Trees bool `json:",omitempty"`
}

// Node is a choice: of a goroutine, or, if Of is not 0, of one of so many values.
type Node struct {
	Chosen string   `json:",omitempty"` // creation path, or TimeStep
	Ready  []string `json:",omitempty"` // all that there were
	// To is what is to be run besides what is chosen, a wakeup tree.
	To []branch `json:"Wakeup,omitempty"`
	// Then is what is to be run after the step that is chosen, and Values what that is to
	// choose itself.
	Then   []branch `json:",omitempty"`
	Values []int    `json:",omitempty"`
	// Older is To in frontiers of versions that knew no sequences.
	Older []string `json:"To,omitempty"`
	Sleep []sleeper
	// Alike are groups of those who were ready that are alike, see symmetry.go.
	Alike [][]string `json:",omitempty"`
	// Extra are what the step that was chosen has touched without an address, in all
	// executions with it so far.
	Extra []extraTouch `json:",omitempty"`
	// Ended: the step that was chosen has ended the program in one of them.
	Ended bool `json:",omitempty"`
	// Asked: an exploration below the node has found something that To had not. What it
	// has made of that depends on To.
	Asked bool `json:",omitempty"`
	Of    int  `json:",omitempty"`
	Value int  `json:",omitempty"`
	First int  `json:",omitempty"` // value
	hash  uint64
}

// sleeper is a goroutine whose step need not be done: it has been explored in the place
// of an earlier choice, and nothing since depends on it.
type sleeper struct {
	G string
	// Extra are what its step has touched that has no address.
	Extra []extraTouch `json:",omitempty"`
	// Followed: it has never ended the program, so that what can come after it has been
	// explored, too.
	Followed bool `json:",omitempty"`
	// Stale: a step was chosen since that is in no wakeup tree, see loose.
	Stale bool `json:",omitempty"`
}

// extraTouch is a touch of an object without an address.
type extraTouch struct {
	Space touchSpace
	N     int
	Kind  touchKind
}

const (
	// maxValues is how many alternatives a choice of the environment may have at least.
	maxValues = 24
	// futile is how often in a row a goroutine may look at the same, unchanged, until
	// it waits for a change.
	futile = 3
	// streak is how many steps in a row one goroutine does by default while others
	// could go on.
	streak = 64
	// defaultExhaustSteps bounds a run.
	defaultExhaustSteps = 2000
	// maxBounds is how many places are said at which control was incomplete.
	maxBounds = 8
	// saveEvery is how often the frontier is saved.
	saveEvery = 200 * time.Millisecond
)

// What is not explored of what the environment may give, but for one of it.
const (
	oneTaken    = "one was taken"
	oneExplored = "of which one is explored"
)

// Drawn reports whether another seed has other values for what a bound says is not explored, see Draw.
func Drawn(bound string) bool {
	return strings.HasSuffix(bound, oneTaken) || strings.HasSuffix(bound, oneExplored)
}

// CutOff is what is not explored behind the limit of steps.
const CutOff = "runs that were cut off"

// loopBound is what is not explored of a loop that may do more than to look.
const loopBound = "a loop that looks again and again while nothing changes, more than three times in a row"

// Exhaust does the exploration.
func Exhaust(e Exhaustion) Exhausted {
	x := &search{e: e, exec: &execution{next: -1, misuse: e.Misuse, census: countsGoroutines(), accesses: map[Site]accessGroup{}}}
	x.exec.pick = func(g *goroutine, site Site, n, untaken int) int {
		x.out.Choices++
		x.asks++
		if k := len(x.exec.events); k > 0 {
			x.exec.events[k-1].picks = true
		}
		if n > max(e.Values, maxValues) {
			x.out.Untaken = true
			x.bound(len(x.out.Bounds) < maxBounds, site.position()+": a choice with more alternatives than are explored, of which "+oneTaken)
			x.by.chose(g, x.pick(1))
			return untaken
		}
		value := x.pick(n)
		x.by.chose(g, value)
		return value
	}
	x.exec.timed = e.Stalls != 0
	x.exec.timeCommutes = e.Stalls < 0 && e.Bounding == nil && !e.wholeTime
	x.exec.mayDelay = func() bool {
		x.out.Timed = true
		x.bound(e.Stalls != 0 && e.Bounding != nil, "that time passes before a deadline is set, which is not counted as a preemption")
		return x.mayStall() && e.Bounding == nil
	}
	x.exec.delay = func(g *goroutine, site Site, n int, looksAgain bool) int {
		if looksAgain { // whoever is slow, it takes the time
			return 1 + x.exec.pick(g, site, n-1, 0)
		}
		value := x.exec.pick(g, site, n, 0)
		if value > 0 {
			x.stalls++
		}
		return value
	}
	for _, a := range e.Accesses {
		if site, ok := siteOf(a.Site); ok {
			x.exec.accesses[site] = accessGroup{a.Group, a.Writes}
		}
	}
	x.awaits, x.versions, x.noted = map[Site]bool{}, map[touched]int{}, map[[callFrames]uintptr]bool{}
	for _, key := range e.Awaits {
		if site, ok := siteOf(key); ok {
			x.awaits[site] = true
			for _, o := range [...]op{opMeasure, opCall, opRead, opCount} {
				x.awaits[site.minor(o)] = true
			}
		}
	}
	if e.Frontier != nil {
		if (e.Bounding != nil) != (len(e.Frontier.Preemptions) > 0) {
			return Exhausted{Frontier: e.Frontier, Left: "the frontier is of another kind of exploration", Tainted: true}
		}
		x.nodes = e.Frontier.nodes()
		x.out.Bounds, x.out.Timed = e.Frontier.Bounds, e.Frontier.Timed
		x.out.Preemptions = slices.Clone(e.Frontier.Preemptions)
	}
	x.by = &reduction{search: x}
	if e.Bounding != nil {
		b := newBounding(x, *e.Bounding)
		if b.over() {
			x.out.Frontier = x.frontier()
			return x.out
		}
		x.by = b
	}
	return x.do()
}

// strategy says which executions are run.
type strategy interface {
	// begin is called before every run.
	begin()
	// observe is called before every choice of a run, when what communications have
	// touched of late is not known yet, and stepped for every step after that.
	observe()
	stepped(s *run, e *event)
	// chose is told of a choice of the environment.
	chose(g *goroutine, value int)
	// open chooses at a new node, and says what is to be chosen there too. It reports
	// whether anything is to be.
	open(n *Node, s *run, v View, ready []int, stall bool) bool
	// note is told of every node that a run comes to.
	note(n *Node, pos int, s *run)
	// taken is told of a choice, which is one of v.Ready, or TimePasses.
	taken(v View, ready []int, i int)
	// analyse is called after every run, to add what is to be chosen at nodes.
	analyse(res Result)
	// leave is called when all executions with the choice at a node have been run.
	leave(n *Node)
	// more is called when nothing is left to choose. It reports whether the search is to
	// begin again from the start, or else whether that was all.
	more() (again, all bool)
}

// search is the state of an exploration.
type search struct {
	e     Exhaustion
	by    strategy
	nodes []Node
	pos   int // of the next choice
	exec  *execution
	hb    happensBefore
	out   Exhausted

	// Of the run at hand.
	asks     int    // of the environment
	cutOff   bool   // all that could go on are asleep
	ends     bool   // what is chosen next ends the program, or lets time pass before
	strange  string // why the run does not repeat what it is to repeat
	sleep    []sleeper
	advice   []branch // what is to be run next
	values   []int    // and chosen in the step at hand
	stepped  int      // events whose touches have been looked at
	stalls   int      // so far
	last     int32    // the goroutine that has done the last step, -1: none
	row      int
	age      []int // when a goroutine has stepped last
	versions map[touched]int
	looked   [][]looks // by goroutine, since it has changed anything
	mayTouch []touch
	awaits   map[Site]bool
	noted    map[[callFrames]uintptr]bool // calls of uninstrumented code
}

// looks are what a goroutine has seen at one site while it only looked.
type looks struct {
	site  Site
	from  uint64  // see event
	first touched // of the objects
	sum   int
	n     int
	reads []touched
}

func (x *search) do() Exhausted {
	ends := map[string]int{}
	saved := time.Now()
	for first := true; ; first = false {
		if !first && !x.goOn() {
			break
		}
		if !first && x.e.Alone || x.e.Runs > 0 && x.out.Runs >= x.e.Runs || x.e.Steps > 0 && x.out.Steps >= x.e.Steps || !x.e.Until.IsZero() && time.Now().After(x.e.Until) || !first && x.e.Stop != nil && x.e.Stop() {
			x.out.Frontier = x.frontier()
			break
		}
		if x.e.Saved != nil && time.Since(saved) > saveEvery {
			saved = time.Now()
			x.e.Saved(x.frontier())
		}
		res := x.run(x.e.Alone)
		x.out.Steps += res.Steps
		if x.strange != "" {
			x.out.Left, x.out.Tainted = x.strange, true
			break
		}
		x.by.analyse(res)
		x.limits(res)
		x.stuck(res)
		for _, r := range res.Races {
			x.out.Races = addRace(x.out.Races, r)
		}
		for _, r := range res.Unordered {
			x.out.Unordered = addRace(x.out.Unordered, r)
		}
		if x.cutOff {
			x.out.Cut++
		} else {
			x.out.Runs++
			if res.Verdict == Limit {
				x.out.Limited++
			}
			key := res.end()
			n, known := ends[key]
			if !known {
				n = len(ends)
				ends[key] = n
				recorded := res
				if res.Left == "" && !x.e.Alone {
					choices := x.out.Choices // which another part of the exploration does not make again
					recorded = x.run(true)
					x.out.Choices = choices
					if x.strange != "" || recorded.Hash != res.Hash || recorded.end() != key {
						x.out.Left, x.out.Tainted = "two runs with the same choices differ: state outlives runs, or the program chooses by itself", true
						break
					}
				}
				x.e.Found(n, recorded)
			}
			x.e.Ran(n, res)
		}
		if res.Left != "" {
			if x.goOn() {
				x.out.Frontier = x.frontier()
			}
			x.out.Left = res.Left
			break
		}
	}
	x.out.Reached = x.reached()
	for _, at := range x.exec.kept {
		info := at.info()
		x.out.Kept = union(x.out.Kept, []string{info.File + ":" + strconv.Itoa(info.Line)})
	}
	return x.out
}

// goOn moves on to the next execution. It reports whether there is one.
func (x *search) goOn() bool {
	if x.next() {
		return true
	}
	if x.e.Below > 0 {
		x.nodes = x.nodes[:x.e.Below]
		x.out.Through, x.out.Frontier = true, x.frontier()
		return false
	}
	again, all := x.by.more()
	x.nodes = nil
	switch {
	case again:
		return true
	case all:
		x.out.Complete = true
	default:
		x.out.Frontier = x.frontier()
	}
	return false
}

// limits notes what a run has shown that is not explored. It does so after every run, so
// that a frontier has it too.
func (x *search) limits(res Result) {
	x.bound(res.Verdict == Limit, CutOff)
	x.bound(res.Verdict != Completed && res.Verdict != Limit, res.Message)
	x.out.Durations = union(x.out.Durations, res.Durations)
	x.bound(x.exec.uncounted, "runtime.NumGoroutine, called where there is no guard: what others start and end meanwhile")
	x.bound(x.exec.finalizes, "what finalizers and cleanups of package runtime do, which runs never call")
	x.bound(x.exec.unguarded, "the length of a channel, asked for where there is no guard")
	x.bound(x.exec.held, "operations in what a library calls back with a lock of its own: others do not come before them")
	x.bound(x.exec.timeStands, "that time passes while somebody waits for a lock inside a library: in a bubble of testing/synctest it cannot")
	x.bound(x.exec.foreign, "an RWMutex that is unlocked by a goroutine that has not locked it")
	for _, site := range x.exec.repeated {
		x.bound(!x.awaits[site] && len(x.out.Bounds) < maxBounds, site.position()+": "+loopBound)
	}
	for _, site := range x.exec.drawn {
		x.bound(len(x.out.Bounds) < maxBounds, site.position()+": a random number of a large range, the order of a large map or the like, "+oneExplored)
	}
	for _, site := range x.exec.cutRanges {
		x.bound(len(x.out.Bounds) < maxBounds, fmt.Sprintf("%s: entries that are created while a map is ranged over, of which at most %d come in a range", site.position(), maxCreated))
	}
	for _, text := range x.exec.unchosen {
		x.bound(len(x.out.Bounds) < maxBounds, text)
	}
	x.bound(res.Asked > x.asks && len(x.exec.drawn) == 0, "random numbers of a large range, the order of large maps and the like, "+oneExplored)
	x.out.Unseen = union(x.out.Unseen, res.RaceLimits)
	limits := slices.Concat(res.Weaknesses, res.RaceLimits)
	if x.e.Stalls != 0 { // else the clock shows what it does
		limits = append(limits, res.ClockLimits...)
	}
	for _, l := range limits {
		x.bound(len(x.out.Bounds) < maxBounds, l)
	}
}

// reached are the statements that Reached was called for, in order.
func (x *search) reached() (out []int) {
	for n := range x.exec.reached {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

func (x *search) bound(is bool, text string) {
	if is && !slices.Contains(x.out.Bounds, text) {
		x.out.Bounds = append(x.out.Bounds, text)
	}
}

func (x *search) frontier() *Frontier {
	return &Frontier{slices.Clone(x.nodes), x.out.Bounds, x.out.Timed, slices.Clone(x.out.Preemptions), true}
}

// nodes are those of a frontier. What one of an earlier version has explored says nothing
// of sequences.
func (f *Frontier) nodes() []Node {
	nodes := slices.Clone(f.Nodes)
	if f.Trees {
		return nodes
	}
	for i := range nodes {
		n := &nodes[i]
		n.Sleep = slices.Clone(n.Sleep)
		stale(n.Sleep)
		for _, g := range n.Older {
			n.To = append(n.To, branch{G: g})
		}
		n.Older = nil
	}
	return nodes
}

// run does one execution: the choices in nodes, then new ones.
func (x *search) run(record bool) Result {
	x.asks = 0
	x.pos, x.cutOff, x.strange, x.sleep, x.stepped, x.stalls, x.last, x.row = 0, false, "", nil, 0, 0, -1, 0
	x.advice, x.values = nil, nil
	x.age = x.age[:0]
	clear(x.versions)
	x.forget()
	x.exec.reset()
	x.by.begin()
	cfg := x.e.Config
	cfg.Plan.Steps = nil
	if cfg.Plan.MaxSteps <= 0 {
		cfg.Plan.MaxSteps = defaultExhaustSteps
	}
	cfg.Chooser, cfg.exec = x, x.exec
	cfg.Record, cfg.NoStacks, cfg.NoLog = record, !record, true
	return Run(cfg)
}

// next moves on to the next execution: it changes the last choice that has an
// alternative left. It reports whether there is one.
func (x *search) next() bool {
	for i := len(x.nodes) - 1; i >= x.e.Below; i-- {
		n := &x.nodes[i]
		if n.Of > 0 {
			if n.Value = (n.Value + 1) % n.Of; n.Value != n.First {
				x.nodes = x.nodes[:i+1]
				return true
			}
			continue
		}
		x.by.leave(n)
		for len(n.To) > 0 {
			b := n.To[0]
			n.To = n.To[1:]
			// Who is asleep was explored here since the branch was planned.
			if !asleep(n.Sleep, b.G) && !x.superseded(&b, n.Sleep) {
				n.Chosen, n.Then, n.Values = b.G, b.Then, b.Values
				if b.Loose {
					stale(n.Sleep)
				}
				x.nodes = x.nodes[:i+1]
				return true
			}
		}
	}
	return false
}

// Next is that of Chooser.
func (x *search) Next(v View) Choice {
	s := v.run
	x.observe(s)
	x.exec.spins = false
	var ready []int // in v.Ready
	var end, held, spinning = -1, -1, -1
	for i, p := range v.Ready {
		g := p.g
		switch {
		case p.End && s.cfg.Entry == EntryMain:
			end = i
		case !s.enabled(g):
			if held < 0 {
				held = i
			}
		case x.spins(g):
			x.bound(!x.awaits[p.Site] && len(x.out.Bounds) < maxBounds, p.Site.position()+": "+loopBound)
			if spinning < 0 || x.ageOf(g) < x.ageOf(v.Ready[spinning].g) {
				spinning = i
			}
		default:
			ready = append(ready, i)
		}
	}
	stall := v.Time && len(ready) > 0
	if stall {
		x.out.Timed = true
		stall = x.mayStall()
	}
	x.ends = false
	switch {
	case len(ready) > 0:
	// The return of main ends the program, so it comes behind all that others can do. Who is held is seen to wait
	// first, unless it is not certain that he waits for ever.
	case end >= 0 && (held < 0 || v.Time || spinning >= 0):
		x.out.Timed = x.out.Timed || v.Time
		if !v.Time || !x.exec.timeCommutes {
			return Choice{Index: end}
		}
		x.ends, ready, stall = true, append(ready, end), true
	case v.Time && x.exec.timeCommutes: // who is asleep may keep it from passing
		stall = true
	case v.Time:
		return Choice{Index: TimePasses}
	case spinning >= 0:
		x.tick(v.Ready[spinning].g)
		x.exec.spins = true
		return Choice{Index: spinning}
	case held >= 0:
		x.exec.queues = true
		return Choice{Index: held} // to be seen to wait
	default:
		x.exec.idle = true
		return Choice{Index: TimePasses}
	}
	chosen := x.choose(s, v, ready, stall)
	switch {
	case chosen == "":
		return Choice{Index: Stop}
	case chosen == TimeStep:
		x.by.taken(v, ready, TimePasses)
		x.stalls++
		return Choice{Index: TimePasses}
	}
	i := slices.IndexFunc(v.Ready, func(p Parked) bool { return p.G == chosen })
	if i < 0 {
		x.strange = "a run that is to repeat another one does not: goroutine " + chosen + " cannot go on"
		return Choice{Index: Stop}
	}
	g := v.Ready[i].g
	x.by.taken(v, ready, i)
	x.tick(g)
	return Choice{Index: i, Case: x.selectCase(s, g)}
}

// mayStall: time may pass once more while a goroutine could go on.
func (x *search) mayStall() bool { return x.e.Stalls < 0 || x.stalls < x.e.Stalls }

// tick notes that a goroutine is about to do a step.
func (x *search) tick(g *goroutine) {
	if g.seq == x.last {
		x.row++
	} else {
		x.last, x.row = g.seq, 0
	}
	for int(g.seq) >= len(x.age) {
		x.age = append(x.age, 0)
	}
	x.age[g.seq] = len(x.exec.events) + 1
}

// ageOf is the lower the longer a goroutine has done no step.
func (x *search) ageOf(g *goroutine) int {
	if int(g.seq) >= len(x.age) {
		return 0
	}
	return x.age[g.seq]
}

// choose is the choice at a node: the one that is to be repeated, or a new one. It
// returns "" if what could be chosen need not be.
func (x *search) choose(s *run, v View, ready []int, stall bool) string {
	hash := uint64(len(ready))
	for _, i := range ready {
		hash = mix(hash, v.Ready[i].g.number, uint64(v.Ready[i].Site))
	}
	x.exec.next = int32(x.pos)
	if x.pos < len(x.nodes) {
		n := &x.nodes[x.pos]
		if n.Of > 0 || n.hash != 0 && n.hash != hash {
			x.strange = "a run that is to repeat another one does not: state outlives runs, or the program chooses by itself"
			return ""
		}
		n.hash = hash
		return x.follow(n, s)
	}
	n := Node{hash: hash, Ready: make([]string, 0, len(ready)+1)}
	for _, i := range ready {
		n.Ready = append(n.Ready, v.Ready[i].G)
	}
	if stall {
		n.Ready = append(n.Ready, TimeStep)
	}
	if !x.by.open(&n, s, v, ready, stall) {
		x.cutOff = true
		return ""
	}
	if x.pos > 0 && x.nodes[x.pos-1].Of == 0 {
		x.nodes[x.pos-1].Then = nil // the new node has it
	}
	x.nodes = append(x.nodes, n)
	return x.follow(&x.nodes[x.pos], s)
}

// follow goes on from a node with what is chosen there.
func (x *search) follow(n *Node, s *run) string {
	x.by.note(n, x.pos, s)
	x.pos++
	x.sleep = slices.Clone(n.Sleep)
	x.advice, x.values = n.Then, n.Values
	return n.Chosen
}

// selectCase chooses among the cases that are ready.
func (x *search) selectCase(s *run, g *goroutine) int {
	if g.op != opSelect {
		return 0
	}
	var list []int
	for i, c := range g.cases {
		if s.couldTake(c) {
			list = append(list, i)
		}
	}
	switch len(list) {
	case 0:
		return 0
	case 1:
		return list[0]
	}
	return list[x.pick(len(list))]
}

// pick is a choice of one of n values.
func (x *search) pick(n int) int {
	if n < 2 {
		return 0
	}
	first := 0
	if len(x.values) > 0 {
		if first = x.values[0]; first >= n {
			first = 0
		}
		x.values = x.values[1:]
	}
	if x.pos == len(x.nodes) {
		x.nodes = append(x.nodes, Node{Of: n, Value: first, First: first})
	}
	node := &x.nodes[x.pos]
	if node.Of != n {
		x.strange = "a run that is to repeat another one does not: state outlives runs, or the program chooses by itself"
		return 0
	}
	x.pos++
	if node.Value != node.First {
		x.advice = straight(x.advice)
		stale(x.sleep)
	}
	return node.Value
}

// observe looks at what the last steps have touched: who is asleep and depends on that
// wakes up, and who only looks again and again is noticed.
func (x *search) observe(s *run) {
	x.by.observe()
	for _, id := range x.exec.changed {
		x.exec.touchesOf(&x.exec.comms[id])
	}
	x.exec.changed = x.exec.changed[:0]
	for ; x.stepped < len(x.exec.events); x.stepped++ {
		e := &x.exec.events[x.stepped]
		x.by.stepped(s, e)
		if e.g >= 0 {
			x.look(s, e)
		} else {
			x.forget()
		}
	}
}

// forget forgets what goroutines have looked at.
func (x *search) forget() {
	for i := range x.looked {
		x.looked[i] = x.looked[i][:0]
	}
}

// look notes whether a step has only looked at objects, and at nothing new.
func (x *search) look(s *run, e *event) {
	if len(e.touches) == 0 {
		return
	}
	only, sum := true, 0
	for _, t := range e.touches {
		if t.kind.looks() || e.reads && (t.object.space == spaceLibrary || t.object.space == spaceDeadlines) {
			sum += x.versions[t.object]
		} else {
			only = false
			x.versions[t.object]++
		}
	}
	for int(e.g) >= len(x.looked) {
		x.looked = append(x.looked, nil)
	}
	list := &x.looked[e.g]
	if i := slices.IndexFunc(s.live, func(g *goroutine) bool { return g.seq == e.g }); i >= 0 {
		s.live[i].watched = only
	}
	if !only {
		*list = (*list)[:0]
		return
	}
	// At one site several objects may be looked at in turn, as in len(a) + len(b).
	find := func(from uint64) int {
		return slices.IndexFunc(*list, func(l looks) bool {
			return l.site == e.site && l.from == from && l.first == e.touches[0].object
		})
	}
	i := find(e.from)
	if i < 0 {
		before := -1 // when it was not watched yet
		if e.from != 0 {
			before = find(0)
		}
		i = len(*list)
		if i < cap(*list) { // with what its reads were kept in
			*list = (*list)[:i+1]
		} else {
			*list = append(*list, looks{})
		}
		l := &(*list)[i]
		l.site, l.from, l.first, l.n = e.site, e.from, e.touches[0].object, 0
		if before >= 0 {
			was := &(*list)[before]
			l.n, l.sum, l.reads = was.n, was.sum, append(l.reads[:0], was.reads...)
		}
	}
	l := &(*list)[i]
	if l.n > 0 && l.sum == sum {
		l.n++
		return
	}
	l.sum, l.n, l.reads = sum, 1, l.reads[:0]
	for _, t := range e.touches {
		l.reads = append(l.reads, t.object)
	}
}

// looks: a touch of the kind changes nothing.
func (k touchKind) looks() bool {
	switch k {
	case touchRead, touchOfferRecv, touchOfferSend, touchMeasured, touchTryFailed, touchLibrarySee, touchCounted:
		return true
	}
	return false
}

// spins reports whether a goroutine is to wait until what it looks at has changed.
func (x *search) spins(g *goroutine) bool {
	if int(g.seq) >= len(x.looked) {
		return false
	}
	found := false
	for i := range x.looked[g.seq] {
		l := &x.looked[g.seq][i]
		if l.site != g.site || l.from != g.from { // another call of the same function, say
			continue
		}
		if l.n < futile || !x.unchanged(l) {
			return false
		}
		found = true
	}
	return found
}

// unchanged: nothing that was looked at has changed since.
func (x *search) unchanged(l *looks) bool {
	sum := 0
	for _, o := range l.reads {
		sum += x.versions[o]
	}
	return sum == l.sum
}

// races looks for reversible races of a run: of the events first and second. It notes
// what they, and data races, say of the guards that the exploration is to have.
func (x *search) races(res Result, found func(first, second int)) {
	events := x.exec.events
	x.hb.races(x.exec, func(first, second int) {
		x.hazard(&events[first], &events[second])
		if events[first].node < 0 {
			x.bound(true, "orders in which goroutines queue that time has let go on")
			return
		}
		found(first, second)
	})
	for _, e := range x.hb.together {
		x.noteCalls(&events[e])
	}
	x.out.Misuse = x.out.Misuse || x.hb.early
	for _, r := range res.Races {
		x.out.Misuse = x.out.Misuse || r.First.Op == opMapWrite || r.Second.Op == opMapWrite
	}
}

const opMapWrite = "map write"

// hazard notes that a WaitGroup may be added to while others wait for it, and calls of
// uninstrumented code that others may act before.
func (x *search) hazard(a, b *event) {
	for _, e := range []*event{a, b} {
		if !e.apart && onLibrary(a, b) {
			x.noteCalls(e)
		}
	}
	for _, t := range a.touches {
		for _, u := range b.touches {
			if t.object == u.object && t.object.space == spaceWaitGroup && (t.kind == touchAdd && u.kind == touchWait || t.kind == touchWait && u.kind == touchAdd) {
				x.out.Misuse, x.out.Reused = true, true
			}
		}
	}
}

// noteCalls notes the calls of uninstrumented code of a step.
func (x *search) noteCalls(e *event) {
	for i := range e.calls {
		at := e.calls[i].at
		if at[0] == 0 || x.noted[at] {
			continue
		}
		x.noted[at] = true
		_, place, _ := strings.Cut(placeOf(at[:]), " ")
		x.bound(len(x.out.Bounds) < maxBounds, cmp.Or(place, "an unknown place")+": a call of uninstrumented code in one step with what was before it, between which others may act")
	}
}

// onLibrary reports whether what uninstrumented code does in two steps depends on each
// other.
func onLibrary(a, b *event) bool {
	is := func(e *event, kinds ...touchKind) bool {
		return slices.ContainsFunc(e.touches, func(t touch) bool { return t.object.space == spaceLibrary && slices.Contains(kinds, t.kind) })
	}
	return is(a, touchLibrary) && is(b, touchLibrary, touchLibrarySee) || is(a, touchLibrarySee) && is(b, touchLibrary)
}

// endsProgram: a goroutine has ended the program, and the others with it.
func (o Outcome) endsProgram() bool {
	return o.G != "" && o.Kind != KindTestFailure && o.Kind != KindRace
}

// maxExhaustRaces bounds the races of an exploration.
const maxExhaustRaces = 200

// addRace adds a race unless there is one between the same places, or there are too many.
func addRace(races []Race, r Race) []Race {
	if len(races) < maxExhaustRaces && !slices.ContainsFunc(races, func(o Race) bool { return o.Places() == r.Places() }) {
		return append(races, r)
	}
	return races
}

// stuck notes who was blocked when main returned, which it did last.
func (x *search) stuck(res Result) {
	if x.e.Config.Entry != EntryMain || res.Outcome.Kind != "" && res.Outcome.Kind != KindPartialDeadlock {
		return
	}
	for _, g := range res.Goroutines {
		if g.State == stateBlocked && !slices.Contains(x.out.Stuck, g.Site) {
			x.out.Stuck = append(x.out.Stuck, g.Site)
		}
	}
}
