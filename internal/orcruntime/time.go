//go:build go1.25

package orcruntime

import (
	"math"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"time"
	"unsafe"
)

// far is later than any timer of a program, yet within the range of time.
const far = 200 * 365 * 24 * time.Hour

// Sleep is time.Sleep(d).
func Sleep(site Site, d time.Duration) {
	g := enter(site)
	if g == nil {
		time.Sleep(d)
		freeze()
		return
	}
	g.arrive(opSleep, site, nil)
	if d > 0 {
		g.wakeAt = int64(g.run.clock()) + int64(d)
		if g.wakeAt < 0 {
			g.wakeAt = math.MaxInt64
		}
		g.run.exec.awaitsTime()
		g.block()
	}
	g.pass()
}

// Due tells the run that something happens after d, and returns d. Around the
// duration given to time.After, time.NewTimer, context.WithTimeout and the like
// it makes the event known even while nobody waits for it, so that a step can
// let time pass up to it. Others may act before, and where other events are pending time may
// pass, see delay.go.
func Due(site Site, d time.Duration) time.Duration {
	if g := asks(); g != nil && d > 0 {
		g.stopToSet(site)
	}
	return set(site, d)
}

// set is Due in a step that has begun already.
func set(site Site, d time.Duration) time.Duration {
	if g := asks(); g != nil && d > 0 {
		g.delay(site, d, false)
		g.run.due(d)
	}
	return d
}

// DueAt tells the run that something happens at t, which no delay makes later, and returns
// t.
func DueAt(t time.Time) time.Time {
	if g := asks(); g != nil {
		d := time.Until(t)
		g.run.sets(g, g.run.clock()+d)
		if d > 0 {
			g.run.due(d)
		}
	}
	return t
}

// due notes that something happens after d.
func (s *run) due(d time.Duration) {
	at := s.clock() + d
	s.mu.Lock()
	defer s.mu.Unlock()
	if at > 0 {
		s.dues = inserted(s.dues, at)
	}
}

// AfterFunc is time.AfterFunc(d, f).
func AfterFunc(site Site, d time.Duration, f func()) *time.Timer {
	f = callbackOf(site, f, true)
	return time.AfterFunc(set(site, d), f)
}

// Callback prepares a function that others will call in a goroutine of their
// own, as time.AfterFunc does: that goroutine comes under control, parked at
// the Start guard of site. It is named after the site and the number of
// callbacks made there before.
func Callback(site Site, f func()) func() { return callbackOf(site, f, false) }

// callbackOf is Callback for who is called when it is time, or for another reason.
func callbackOf(site Site, f func(), timed bool) func() {
	s := active.Load()
	if s == nil {
		if r := recording(); r != nil {
			return r.callback(site, f, timed)
		}
		return freelyCalled(f)
	}
	by := s.caller()
	if by == nil {
		return f
	}
	by.stopToCall(site)
	s.exec.calls(by) // the order of such calls names the goroutines
	scope, bubble := by.scope, by.bubble
	creator := s.races.snapshot(by)
	var number, starter uint64 // in a recording
	if r := by.rec; r != nil {
		number, starter = r.goes(site), r.tag
		r.doing(0)
	}
	s.mu.Lock()
	if s.callbacks == nil {
		s.callbacks = make(map[Site]int)
	}
	s.callbacks[site]++
	path := "F@" + site.key() + "." + strconv.Itoa(s.callbacks[site])
	s.mu.Unlock()
	calls := 0
	return func() {
		if active.Load() != s {
			f()
			return
		}
		if s.dying.Load() || bubble != nil && bubble.over.Load() {
			return
		}
		if !s.cfg.Unchecked && s.byID(goid()) != nil {
			f() // called by a goroutine under control, in its turn
			return
		}
		g := &goroutine{run: s, path: path, wake: make(chan struct{}), scope: scope, bubble: bubble, creator: creator, recorded: -1}
		g.op, g.site, g.started, g.callback = opStart, site.start(), true, true
		s.register(g)
		s.mu.Lock()
		calls++
		g.recNumber, g.recBy = number, starter
		if calls > 1 {
			if number != 0 {
				g.recNumber = newGoroutine()
			}
			g.path += "~" + strconv.Itoa(calls)
		}
		s.inbox = append(s.inbox, g)
		s.mu.Unlock()
		s.wakeUp()
		defer s.exit(g)
		g.await()
		f()
	}
}

// wakeUp ends the wait of passTime.
func (s *run) wakeUp() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// await parks a callback, which has not had the baton yet.
func (g *goroutine) await() {
	<-g.wake
	if g.run.dying.Load() {
		runtime.Goexit()
	}
	g.startsRecorded()
	g.pass()
}

// adopt takes in the callbacks that have arrived, in the order of their names.
func (s *run) adopt() {
	s.mu.Lock()
	arrived := s.inbox
	s.inbox = nil
	s.mu.Unlock()
	slices.SortFunc(arrived, func(a, b *goroutine) int {
		if lowerPath(a.path, b.path) {
			return -1
		}
		return 1
	})
	for _, g := range arrived {
		s.insert(g)
		s.exec.arrived(g)
	}
}

// clock is the time since the start of the run. In a bubble it stands still
// while goroutines run.
func (s *run) clock() time.Duration {
	if s.back != nil {
		s.now = time.Since(s.start)
	}
	return s.now
}

// nextKnown is the time of the next event that the scheduler knows of.
func (s *run) nextKnown() (time.Duration, bool) {
	now := s.clock()
	next, ok := now+far, false
	s.mu.Lock()
	for len(s.dues) > 0 && s.dues[0] <= now {
		s.dues = slices.Delete(s.dues, 0, 1)
	}
	if len(s.dues) > 0 {
		next, ok = s.dues[0], true
	}
	s.mu.Unlock()
	if s.sleepers > 0 {
		for _, g := range s.blocked {
			if g.op == opSleep && !g.timeless() && (!ok || time.Duration(g.wakeAt) < next) {
				next, ok = time.Duration(g.wakeAt), true
			}
		}
	}
	if at, ticks := s.nextTick(now); ticks && (!ok || at < next) {
		next, ok = at, true
	}
	return next, ok
}

// mayPass says whether an event is known to come. Others show only when time
// passes, and if there is none, the clock of a bubble is at the end of time.
func (s *run) mayPass() bool {
	return s.anyKnown() && s.timePasses() && s.settlers == 0 && !s.awake()
}

// anyKnown reports whether there is an event that the scheduler knows of.
func (s *run) anyKnown() bool {
	now := s.clock()
	if s.sleepers > 0 && slices.ContainsFunc(s.blocked, func(g *goroutine) bool { return g.op == opSleep && !g.timeless() }) {
		return true
	}
	s.mu.Lock()
	n := len(s.dues)
	due := n > 0 && s.dues[n-1] > now
	s.mu.Unlock()
	return due || s.anyTick(now)
}

// passTime lets time pass to the next event: a known one, a receive or send of
// a queued goroutine that becomes possible, the arrival of a callback or the
// return of a goroutine from outside. It reports whether there was one.
func (s *run) passTime() bool {
	select {
	case <-s.kick: // for what has been seen, or is about to be
	default:
	}
	if s.settle() {
		return true
	}
	s.gone.Store(0)
	s.lingering.Store(0)
	s.tick()
	limit, known := s.nextKnown()
	before := s.clock()
	limit -= before
	if s.back != nil && !known {
		limit = min(limit, s.patience())
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	list := []reflect.SelectCase{
		{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(timer.C)},
		{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(s.kick)},
	}
	waits := make([]Case, 2, 8)
	owners := make([]*goroutine, 2, 8)
	for _, g := range s.live {
		if g.timeless() {
			continue
		}
		for _, c := range g.cases {
			// Who stands at a guard has not begun: only events are waited for in his place, which are then kept for
			// him. A tick is no such event: its time is known, and it stays in its channel, which has room for one.
			if c.channel() == nil || g.state == parked && (s.ticking(c) || !s.silent(c)) {
				continue
			}
			list = append(list, c.selectCase())
			waits = append(waits, c)
			owners = append(owners, g)
		}
	}
	s.progress.Add(1)
	i, v, ok, closed := selectOrClosed(list)
	if s.cfg.Bubble.Wait != nil {
		s.quiesce()
	}
	if s.readings.lags {
		time.Sleep(lag)
	}
	s.passed()
	switch {
	case closed:
	case i >= 2 && waits[i].sends():
		g := owners[i]
		g.chosen, g.ready = slices.Index(g.cases, waits[i]), true
		s.races.communicated(g, waits[i])
	case i >= 2 && ok:
		saved := waits[i].save()
		saved.chosen(v, ok)
		s.keep(saved)
	}
	// What is due at one instant has happened before anybody goes on, who might
	// stop a timer.
	for _, c := range waits[2:] {
		s.silent(c)
	}
	moved := s.settle()
	if s.reopenFree() {
		moved = true
	}
	if !moved {
		s.forgetStopped(before)
	}
	return moved || closed || i > 0 || known
}

// selectOrClosed is reflect.Select, or reports that it would panic since one of
// the sends is on a channel closed by now.
func selectOrClosed(list []reflect.SelectCase) (i int, v reflect.Value, ok, closed bool) {
	defer func() {
		if recover() != nil {
			closed = true
		}
	}()
	i, v, ok = reflect.Select(list)
	return i, v, ok, false
}

// silent: c, which nobody has begun, may be the receive of an event that has
// not happened yet. An event that has happened is kept for it.
func (s *run) silent(c Case) bool {
	if !c.event() || len(s.stash[c.channel()]) > 0 || c.buffered() > 0 {
		return false
	}
	probe := c.save()
	if !probe.try() {
		return true
	}
	if probe.received() {
		s.keep(probe)
	}
	return false
}

// keep holds a value that was received before anybody asked for it.
func (s *run) keep(c Case) {
	if s.stash == nil {
		s.stash = make(map[unsafe.Pointer][]Case)
	}
	s.stash[c.channel()] = append(s.stash[c.channel()], c)
}

func (s *run) patience() time.Duration {
	if s.cfg.Patience > 0 {
		return s.cfg.Patience
	}
	return time.Second
}
