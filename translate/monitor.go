package translate

import (
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/sym"
	"github.com/vtrace/vtrace/uppaal"
)

// A monitor is a process beside those of the goroutines that makes one step, so
// that a query can ask by stuck(monitor) whether what it waits for can still
// happen. A goroutine that waits for one that is about to crash the program, or
// for a main that never returns, is told by them from one that is stuck.
type monitor struct {
	process  string
	template string
	channel  string // on which it is told; "" if it finds out by itself
	first    string // its location before the step
}

// monitors finds out which monitors the queries need.
func (e *emitter) monitors() {
	x := e.x
	var crash, returns, blocks, mainBlocks, locks bool
	for i, t := range x.templates {
		for _, ed := range t.edges {
			switch {
			case ed.to.kind != atSink:
			case !ed.to.sink.normal():
				crash = true
			case i == 0:
				returns = true
			}
		}
		for _, l := range t.locs {
			switch {
			case !l.block:
			case i == 0:
				mainBlocks = true
			default:
				blocks = true
				locks = locks || lockKind(x.idx.Site(l.site).Kind)
			}
		}
	}
	test := x.prog.Test()
	e.returns = returns || test
	e.endless = mainBlocks && x.endless(x.templates[1:])
	partial := !test && blocks && (locks || !returns)
	if x.opts.Portable {
		// Only stuck(P) has a use for monitors.
		if test {
			e.forever()
		}
		return
	}
	if crash && (blocks || e.endless) {
		e.over = e.newMonitor("Over", true)
	}
	if partial && returns {
		e.returned = e.newMonitor("Returned", true)
	}
	if test {
		e.forever()
	}
	if e.endless || len(e.spins) > 0 || partial && x.endless(x.templates) {
		e.rest = e.newMonitor("Rest", false)
	}
}

// A spin is where a goroutine that never ends comes by again and again.
type spin struct {
	t    *template
	site sites.ID
	locs []*location
}

// forever finds the goroutines that may run for ever once they have got into a
// cycle that no way leads out of.
func (e *emitter) forever() {
	templates := e.x.templates[1:]
	if !e.x.endless(templates) {
		return
	}
	for _, t := range templates {
		if t.daemon {
			continue // it belongs to the process
		}
		back := map[*location][]*location{}
		live := map[*edge]bool{}
		for _, ed := range t.edges {
			back[ed.to] = append(back[ed.to], ed.from)
			live[ed] = ed.from.kind != atIdle && ed.to.kind != atSink
		}
		ends := map[*location]bool{}
		var work []*location
		for _, l := range t.locs {
			if l.kind == atIdle || l.kind == atDone || l.kind == atSink {
				ends[l] = true
				work = append(work, l)
			}
		}
		for len(work) > 0 {
			l := work[len(work)-1]
			work = work[:len(work)-1]
			for _, m := range back[l] {
				if !ends[m] {
					ends[m] = true
					work = append(work, m)
				}
			}
		}
		in := components(t, live)
		first := map[int]sites.ID{}
		for _, l := range t.locs {
			if ends[l] || in[l] == 0 || l.kind != atOp {
				continue
			}
			if s, ok := first[in[l]]; ok && s != l.site {
				continue
			}
			first[in[l]] = l.site
			k := slices.IndexFunc(e.spins, func(s spin) bool { return s.t == t && s.site == l.site })
			if k < 0 {
				k = len(e.spins)
				e.spins = append(e.spins, spin{t: t, site: l.site})
			}
			e.spins[k].locs = append(e.spins[k].locs, l)
		}
	}
}

// atRest is the formula that nothing can move any more and the program is not
// over.
func (e *emitter) atRest() string {
	if e.rest != nil {
		return e.rest.process + ".L_seen" // in a model with priorities there is no "deadlock"
	}
	return "deadlock and not ended"
}

func (e *emitter) newMonitor(name string, told bool) *monitor {
	m := &monitor{process: e.n.unique(name), template: e.n.unique("T_" + name), first: "L_watch"}
	if told {
		m.channel = e.n.unique("to_" + m.process)
	}
	return m
}

// normal reports that the program ends as it should, or that it may go on: a
// test that fails does.
func (s *sinkInfo) normal() bool {
	return s.end == "return" || s.end == "exit" && s.kind == "" || s.kind == artifact.KindTestFailure
}

// lockKind reports that a goroutine that is stuck at an operation of this kind
// holds up an object that others share: a lock, a wait group or a Once.
func lockKind(k sites.Kind) bool {
	switch k {
	case sites.Lock, sites.RLock, sites.WaitGroupWait, sites.OnceDo, sites.OnceFunc:
		return true
	}
	return false
}

// told is the monitor that an edge into a sink tells.
func (e *emitter) told(ed *edge) *monitor {
	switch {
	case ed.to.kind != atSink:
		return nil
	case !ed.to.sink.normal():
		return e.over
	case ed.from.tmpl.parent == nil:
		return e.returned
	}
	return nil
}

// watchers adds the monitors to the model.
func (e *emitter) watchers(side *artifact.Sidecar) {
	for _, m := range []*monitor{e.over, e.returned, e.rest} {
		if m == nil {
			continue
		}
		// The place behind the step is committed: the program is over, or
		// nothing else can move.
		from, to := &uppaal.Location{Name: m.first}, &uppaal.Location{Name: "L_seen", Urgency: uppaal.Committed}
		ed := &uppaal.Edge{From: from, To: to}
		if m.channel != "" {
			ed.Sync = &uppaal.Sync{Chan: &uppaal.Ident{Name: m.channel}, Dir: uppaal.Receive}
		} else {
			// It has the lowest priority: it moves where no goroutine can.
			ed.Guard = &uppaal.Unary{Op: uppaal.OpNot, X: &uppaal.Ident{Name: "ended"}}
		}
		e.net.Templates = append(e.net.Templates, &uppaal.Template{Name: m.template, Locations: []*uppaal.Location{from, to}, Init: from, Edges: []*uppaal.Edge{ed}})
		side.Templates = append(side.Templates, artifact.TemplateInfo{Name: m.template, Role: "env",
			Locations: []artifact.LocationInfo{{Name: from.Name}, {Name: to.Name}},
			Edges:     []artifact.EdgeInfo{{Role: artifact.RoleLocal}}})
	}
}

// endless reports that goroutines of these templates may run for ever: along
// cycles whose messages and partners come from such cycles.
func (x *translator) endless(templates []*template) bool {
	live := map[*edge]bool{}
	var order []*edge
	for _, t := range templates {
		for _, ed := range t.edges {
			if ed.from.kind != atIdle && ed.to.kind != atSink {
				live[ed] = true
				order = append(order, ed)
			}
		}
	}
	for changed := true; changed && len(live) > 0; {
		changed = false
		for _, t := range templates {
			in := components(t, live)
			for _, ed := range t.edges {
				if live[ed] && (in[ed.from] == 0 || in[ed.from] != in[ed.to]) {
					delete(live, ed)
					changed = true
				}
			}
		}
		offers := map[[2]any]bool{}
		for _, ed := range order {
			if live[ed] {
				for _, o := range x.offers(ed) {
					offers[o] = true
				}
			}
		}
		for _, ed := range order {
			if !live[ed] {
				continue
			}
			for _, n := range ed.needs() {
				if !offers[n] {
					delete(live, ed)
					changed = true
				}
			}
		}
	}
	return len(live) > 0
}

// exchanges lists what an edge gives to others: a side of a rendezvous, a message
// for a buffer (false) or place in it (true).
func (ed *edge) exchanges() [][2]any {
	var out [][2]any
	if s := ed.sync; s != nil && s.obj != nil {
		out = append(out, [2]any{s.obj, s.send})
	}
	for _, a := range ed.assign {
		if a.to.Op != sym.OpCell {
			continue
		}
		if c := cellOf(a.to); c.group.kind == objChan && c.addr == c.group.base+chanLen {
			out = append(out, [2]any{c, a.e.Op == sym.OpSub || a.e.IsConst() && a.e.K == 0})
		}
	}
	return out
}

// offers lists what an edge gives to others, and the messages that time will send for a
// timer that it arms.
func (x *translator) offers(ed *edge) [][2]any {
	out := ed.exchanges()
	for _, a := range ed.assign {
		if a.to.Op != sym.OpCell {
			continue
		}
		c := cellOf(a.to)
		if c.group.timer && c.addr == c.group.behind(timerArmed) && !(a.e.IsConst() && a.e.K == 0) {
			out = append(out, [2]any{x.mem.cells[c.group.base+chanLen], false})
		}
	}
	return out
}

// needs lists what an edge needs of others: the counterparts of what it gives them. A
// ticker needs nobody.
func (ed *edge) needs() [][2]any {
	var out [][2]any
	for _, e := range ed.exchanges() {
		if c, ok := e[0].(*cell); ok && c.group.ticker {
			continue
		}
		out = append(out, [2]any{e[0], !e[1].(bool)})
	}
	return out
}

// components numbers the strongly connected components of a template, over live
// edges, from 1; locations on no cycle have 0.
func components(t *template, live map[*edge]bool) map[*location]int {
	next, back := map[*location][]*location{}, map[*location][]*location{}
	for _, ed := range t.edges {
		if live[ed] {
			next[ed.from] = append(next[ed.from], ed.to)
			back[ed.to] = append(back[ed.to], ed.from)
		}
	}
	var post []*location
	seen := map[*location]bool{}
	var walk func(l *location)
	walk = func(l *location) {
		seen[l] = true
		for _, m := range next[l] {
			if !seen[m] {
				walk(m)
			}
		}
		post = append(post, l)
	}
	for _, l := range t.locs {
		if !seen[l] {
			walk(l)
		}
	}
	out := map[*location]int{}
	done := map[*location]bool{}
	n := 0
	for i := len(post) - 1; i >= 0; i-- {
		if done[post[i]] {
			continue
		}
		done[post[i]] = true
		comp := []*location{post[i]}
		for k := 0; k < len(comp); k++ {
			for _, m := range back[comp[k]] {
				if !done[m] {
					done[m] = true
					comp = append(comp, m)
				}
			}
		}
		self := false
		for _, m := range next[post[i]] {
			self = self || m == post[i]
		}
		if len(comp) > 1 || self {
			n++
			for _, l := range comp {
				out[l] = n
			}
		}
	}
	return out
}
