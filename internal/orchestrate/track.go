package orchestrate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/goroutine"
	"github.com/vtrace/vtrace/internal/sidecar"
	"github.com/vtrace/vtrace/internal/sites"
)

// A Track is where the model can be after what a run has done so far: all the
// states that it can have reached by the same steps.
//
// A step of a run grants one goroutine its guard. In the model that is a
// transition of its process, or nothing yet: an operation that cannot complete
// queues, and is completed later by what another goroutine does, which is a
// transition of both, or of the process alone once its guard holds. Transitions
// that go by without a step of the run are taken as often as possible: the rest
// of segments, and what completes queued operations.
type Track struct {
	f        *Follower
	names    []string // of goroutines, by number
	number   map[string]uint16
	children map[string]int
	places   map[place]*visit
	full     bool         // places would exceed maxPlaces, or tooMany
	tooMany  bool         // there are more goroutines than can be told apart
	bound    string       // a bound that was reached
	used     map[int]bool // approximations met
	// remembers: the places have the way there, and done are the steps with the places
	// behind them, those at the beginning first.
	remembers bool
	done      []stage
}

// place is a state of the model with who its processes are.
type place struct {
	at  check.Packed
	who string // an encoded cast
}

// member says who a process is and what it is waiting for.
type member struct {
	g    uint16 // number of the goroutine, 0: none
	mark mark
	sel  int8 // the case of a select by which it will go on
}

// maxCallbacks bounds the callbacks of one site that a track can name.
const maxCallbacks = 127

// mark says how far an operation has come.
type mark byte

const (
	standing  mark = iota // not granted
	queued                // granted; the model has no state for that
	committed             // granted and queued in the model
)

// A cast has a member for every process, and behind them one for every site of
// callbacks, which counts those made there in place of the case.
type cast []member

func (c cast) encode() string {
	b := make([]byte, 0, 4*len(c))
	for _, m := range c {
		b = append(b, byte(m.g), byte(m.g>>8), byte(m.mark), byte(m.sel))
	}
	return string(b)
}

func decode(s string) cast {
	c := make(cast, len(s)/4)
	for i := range c {
		c[i] = member{uint16(s[4*i]) | uint16(s[4*i+1])<<8, mark(s[4*i+2]), int8(s[4*i+3])}
	}
	return c
}

// Begin is the track of a run that has done nothing yet.
func (f *Follower) Begin() (*Track, error) { return f.begin(false) }

func (f *Follower) begin(remembers bool) (*Track, error) {
	t := &Track{f: f, remembers: remembers, names: []string{""}, number: map[string]uint16{}, children: map[string]int{}, used: map[int]bool{}}
	c := make(cast, len(f.templates)+len(f.callbacks))
	c[f.entry].g = t.goroutine(entryPath)
	t.places = map[place]*visit{}
	t.reach(nil, place{f.walk.Initial(), c.encode()}, nil)
	err := t.settle(false)
	t.note(artifact.PlanStep{})
	return t, err
}

// goroutine is the number of a creation path, which is not 0.
func (t *Track) goroutine(path string) uint16 {
	n, ok := t.number[path]
	if !ok {
		if len(t.names) > math.MaxUint16 {
			t.tooMany = true
			return math.MaxUint16
		}
		n = uint16(len(t.names))
		t.number[path] = n
		t.names = append(t.names, path)
	}
	return n
}

// Step does a step of the run. It is false if the model cannot do it, or has too
// many states that fit; the track is then where it was before.
//
// That a goroutine polls is no step of the model, see spinning, nor what nobody else
// can see, see unshared, nor where only errors can tell, see minor.
func (t *Track) Step(s artifact.PlanStep) (bool, error) {
	if t.f.ignores(s) {
		t.note(s)
		return true, nil
	}
	before := t.places
	err := t.step(s)
	if err == nil && len(t.places) == 0 && !t.full && !t.tooMany && s.G != timeStep {
		// What is due at once happens without a step.
		t.places = maps.Clone(before)
		if err = t.settle(true); err == nil && !t.full {
			err = t.step(s)
		}
	}
	t.full = t.full || t.tooMany
	if err != nil || len(t.places) == 0 || t.full {
		t.places = before
		return false, err
	}
	if sites.Named(t.f.siteByKey(s.Site).Kind).StartsGoroutine() {
		t.children[s.G]++
	}
	t.note(s)
	return true, nil
}

// step goes to the places behind a step.
func (t *Track) step(s artifact.PlanStep) error {
	before := t.places
	if s.G == timeStep {
		t.places = maps.Clone(before)
		return t.settle(true)
	}
	g, kind := t.goroutine(s.G), t.f.siteByKey(s.Site).Kind
	t.places = map[place]*visit{}
	for _, p := range t.ordered(before) {
		if err := t.grant(p, before[p], g, s, kind); err != nil {
			return err
		}
	}
	return t.settle(false)
}

// grant adds the places behind a place in which the goroutine passes its guard.
func (t *Track) grant(p place, v *visit, g uint16, s artifact.PlanStep, kind string) error {
	who := decode(p.who)
	process := slices.IndexFunc(who, func(m member) bool { return m.g == g })
	if process < 0 || t.f.urgent(p.at) {
		return nil
	}
	if err := t.grantTo(process, p, who, v, s, kind); err != nil || !strings.HasPrefix(s.G, goroutine.CallbackPrefix) {
		return err
	}
	// Callbacks of a site are named in the order in which they are handed over. That is another one in the model if other
	// goroutines have passed the guards in front of it in another order, whose steps include it. So which of those that have
	// not begun it is is decided when it begins.
	for i, m := range who {
		if i == process || m.g == 0 || m.mark != standing || siteOf(t.f.side, t.f.at(p.at, i).Site).Key != s.Site || !sameSite(t.names[m.g], s.G) {
			continue
		}
		other := slices.Clone(who)
		other[i].g, other[process].g = g, m.g
		if err := t.grantTo(i, p, other, v, s, kind); err != nil {
			return err
		}
	}
	return nil
}

// sameSite reports whether two names are those of callbacks of one site.
func sameSite(a, b string) bool {
	return strings.HasPrefix(a, goroutine.CallbackPrefix) && a[:strings.LastIndexByte(a, '.')] == b[:strings.LastIndexByte(b, '.')]
}

// grantTo is grant for a process, which is the goroutine in a cast.
func (t *Track) grantTo(process int, p place, who cast, v *visit, s artifact.PlanStep, kind string) error {
	g := who[process].g
	here := t.f.at(p.at, process)
	if siteOf(t.f.side, here.Site).Key != s.Site {
		return nil
	}
	moves, err := t.f.successors(p.at)
	if err != nil {
		return err
	}
	completes := false
	for _, m := range moves {
		ok := false
		for _, part := range m.Step.Parts {
			if part.Process != process {
				continue
			}
			switch t.f.edge(part).Role {
			case artifact.RoleOp, artifact.RoleStart, artifact.RoleCommit:
				// Who was signalled by a Cond is granted the guard again, for its lock.
				ok = who[process].mark != committed || kind == sites.CondWait.String()
			}
		}
		if !ok {
			continue
		}
		next := slices.Clone(who)
		next[process] = member{g: g}
		if !t.others(m, next, process) {
			continue
		}
		completes = true
		for _, part := range m.Step.Parts {
			e := t.f.edge(part)
			switch {
			case part.Process == process && e.Role == artifact.RoleCommit:
				next[process].mark, next[process].sel = committed, int8(s.Case)
			case part.Process == process && kind == sites.Select.String():
				ok = e.Case == s.Case || t.f.last[t.f.templates[process]][t.f.walk.Location(p.at, process)]
			case e.Role == artifact.RoleBirth:
				next[part.Process] = member{g: t.goroutine(s.G + "." + strconv.Itoa(t.children[s.G]+1))}
			}
		}
		if ok {
			t.add(v, m, next)
		}
	}
	if !completes && here.Blocking {
		if who[process].mark != committed {
			who[process].mark, who[process].sel = queued, int8(s.Case)
		}
		t.reach(v, place{p.at, who.encode()}, nil)
	}
	return nil
}

// others completes the queued operations of those who take part in a move beside
// process. It is false if one of them has not queued.
func (t *Track) others(m check.Move, who cast, process int) bool {
	for _, part := range m.Step.Parts {
		if part.Process == process || !t.f.goroutine(part.Process) {
			continue
		}
		switch e := t.f.edge(part); e.Role {
		case artifact.RoleOp, artifact.RoleWake:
			if !t.completes(e, who[part.Process]) {
				return false
			}
			who[part.Process] = member{g: who[part.Process].g}
		case artifact.RoleCommit, artifact.RoleStart, artifact.RoleTime:
			return false
		}
	}
	return true
}

// completes reports whether an edge completes the queued operation of a process
// without a step of the run.
func (t *Track) completes(e artifact.EdgeInfo, m member) bool {
	if m.mark == standing {
		return false
	}
	switch siteOf(t.f.side, e.Site).Kind {
	case sites.Lock.String():
		// A Mutex is not handed over: its waiters are granted once more. The
		// writer of an RWMutex that waits for readers is not.
		return m.mark == committed
	case sites.CondWait.String():
		// Nor is that of a Cond handed over, but to a writer.
		return m.mark == committed && e.Role == artifact.RoleWake
	case sites.Select.String():
		return e.Case == int(m.sel)
	}
	return true
}

// settle adds what can go by without a step of the run; with time, also what the
// passing of time does.
func (t *Track) settle(time bool) error {
	t.full = false
	work := t.ordered(t.places)
	for len(work) > 0 {
		if len(t.places) > maxPlaces {
			t.full = true
			return nil
		}
		p := work[len(work)-1]
		work = work[:len(work)-1]
		moves, err := t.f.successors(p.at)
		if err != nil {
			return err
		}
		for _, m := range moves {
			who := decode(p.who)
			if !t.silent(m, who, time) {
				continue
			}
			if next, added := t.add(t.places[p], m, who); added {
				work = append(work, next)
			}
		}
	}
	return nil
}

// silent reports whether a move is no step of the run, and completes what it
// completes.
func (t *Track) silent(m check.Move, who cast, time bool) bool {
	acting := 0
	for _, part := range m.Step.Parts {
		e := t.f.edge(part)
		switch e.Role {
		case artifact.RoleLocal:
		case artifact.RoleBirth:
			made := len(t.f.templates) + slices.Index(t.f.callbacks, e.Site)
			if made < len(t.f.templates) || who[made].sel == maxCallbacks {
				return false
			}
			who[made].sel++
			who[part.Process] = member{g: t.goroutine(callbackPath(siteOf(t.f.side, e.Site).Key, int(who[made].sel)))}
		case artifact.RoleTime:
			if !time || t.f.goroutine(part.Process) && who[part.Process].mark == standing {
				return false
			}
			who[part.Process].mark, who[part.Process].sel = standing, 0
		case artifact.RoleOp, artifact.RoleWake:
			if acting++; acting > 1 || !t.completes(e, who[part.Process]) {
				return false
			}
			who[part.Process] = member{g: who[part.Process].g}
		default:
			return false
		}
	}
	return true
}

// add adds the place behind a move from a visit.
func (t *Track) add(from *visit, m check.Move, who cast) (p place, added bool) {
	for _, part := range m.Step.Parts {
		i := part.Process
		for _, a := range t.f.edge(part).Approx {
			t.used[a] = true
		}
		if at := t.f.at(m.To, i); sidecar.End(at.End) == sidecar.EndBound {
			t.bound = at.Detail
		}
		if i != t.f.entry && t.f.walk.Location(m.To, i) == t.f.idle[t.f.templates[i]] {
			who[i] = member{}
		}
	}
	p = place{m.To, who.encode()}
	return p, t.reach(from, p, &m.Step)
}

// urgent reports whether a process is in a committed location: the segment has
// not ended yet, or the program has.
func (f *Follower) urgent(s check.Packed) bool {
	for i, t := range f.templates {
		if f.committed[t][f.walk.Location(s, i)] {
			return true
		}
	}
	return false
}

// Ends reports whether the model can be at the end that a run has come to, with
// every goroutine where it was.
//
// Timers that are due at once fire without a step of the run, see Step.
func (t *Track) Ends(v *Verdict) (bool, error) {
	ok, err := t.endsHere(v)
	if ok || err != nil {
		return ok, err
	}
	before := t.places
	t.places = maps.Clone(before)
	err = t.settle(true)
	if err == nil && !t.full {
		ok, err = t.endsHere(v)
	}
	t.places = before
	return ok, err
}

// endsHere does the same for what no time has passed in.
func (t *Track) endsHere(v *Verdict) (bool, error) {
	for p := range t.places {
		ok, err := t.endsAt(p, v)
		if ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

func (t *Track) endsAt(p place, v *Verdict) (bool, error) {
	who := decode(p.who)
	for _, g := range v.Goroutines {
		i := slices.IndexFunc(who, func(m member) bool { return m.g != 0 && m.g == t.number[g.G] })
		at := artifact.LocationInfo{}
		if i >= 0 {
			at = t.f.at(p.at, i)
		}
		ok := true
		switch g.State {
		case artifact.StateFinished:
			ok = i < 0 || at.Site == 0 || at.End != ""
		case artifact.StateNotStarted, "at":
			if t.f.minor(g.Site) || t.f.unshared(g.Site) {
				break // the model has no guard there
			}
			if t.f.spinning(g.Site) {
				ok = i >= 0 && at.End == "" && who[i].mark == standing
				break
			}
			ok = siteOf(t.f.side, at.Site).Key == g.Site && at.End == ""
		case artifact.StateBlocked:
			ok = i >= 0 && siteOf(t.f.side, at.Site).Key == g.Site && at.End == "" && who[i].mark != standing
		case artifact.StatePanicked, artifact.StateEnded:
			ok = sidecar.End(at.End).Crash()
		}
		if !ok {
			return false, nil
		}
	}
	switch v.Kind {
	case artifact.KindDeadlock, artifact.KindPartialDeadlock, artifact.KindLeak:
		return t.rests(p, who)
	}
	return true, nil
}

// rests reports whether nothing can go on but time.
func (t *Track) rests(p place, who cast) (bool, error) {
	if t.f.urgent(p.at) {
		return false, nil
	}
	moves, err := t.f.successors(p.at)
	if err != nil {
		return false, err
	}
	for _, m := range moves {
		for _, part := range m.Step.Parts {
			switch t.f.edge(part).Role {
			case artifact.RoleOp, artifact.RoleWake, artifact.RoleStart, artifact.RoleCommit:
				return false, nil
			}
		}
	}
	return true, nil
}

// maxInstead bounds what a rejection lists.
const maxInstead = 12

// instead lists what the model could do.
func (t *Track) instead() []string {
	seen := map[string]bool{}
	for p := range t.places {
		if t.f.urgent(p.at) {
			continue
		}
		moves, err := t.f.successors(p.at)
		if err != nil {
			continue
		}
		who := decode(p.who)
		for _, m := range moves {
			for _, part := range m.Step.Parts {
				e := t.f.edge(part)
				switch e.Role {
				case artifact.RoleTime:
					seen["time passes"] = true
				case artifact.RoleOp, artifact.RoleStart, artifact.RoleCommit, artifact.RoleWake:
					seen[fmt.Sprintf("%s: %s %s", t.names[who[part.Process].g], e.Role, t.f.place(siteOf(t.f.side, e.Site).Key))] = true
				}
			}
		}
	}
	return first(seen)
}

// standing lists where a goroutine can be in the model.
func (t *Track) standing(g string) []string {
	seen := map[string]bool{}
	for p := range t.places {
		at := "not there"
		for i, m := range decode(p.who) {
			if m.g != 0 && t.names[m.g] == g {
				l := t.f.at(p.at, i)
				at = strings.TrimSpace(l.Name + " " + t.f.place(siteOf(t.f.side, l.Site).Key))
				if l.End != "" {
					at += " " + l.End + " " + l.Detail
				}
				if m.mark != standing {
					at += ", queued"
				}
			}
		}
		seen[at] = true
	}
	return first(seen)
}

// first are the first maxInstead keys.
func first(seen map[string]bool) []string {
	var out []string
	for s := range seen {
		out = append(out, s)
	}
	slices.Sort(out)
	if len(out) > maxInstead {
		out = append(out[:maxInstead], fmt.Sprintf("and %d more", len(seen)-maxInstead))
	}
	return out
}
