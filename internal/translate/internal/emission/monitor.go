package emission

import (
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sidecar"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
	"github.com/vtrace/vtrace/internal/uppaal"
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
	var crash, returns, blocks, mainBlocks, locks bool
	for i, t := range e.in.Templates {
		for _, ed := range t.Edges {
			switch {
			case ed.To.Kind != state.AtSink:
			case !ed.To.Sink.Normal():
				crash = true
			case i == 0:
				returns = true
			}
		}
		for _, l := range t.Locations {
			switch {
			case !l.Block:
			case i == 0:
				mainBlocks = true
			default:
				blocks = true
				locks = locks || e.in.Sites.Site(l.Site).Kind.HoldsUp()
			}
		}
	}
	test := e.in.Program.Test()
	e.returns = returns || test
	e.endless = mainBlocks && e.forEver(e.in.Templates[1:])
	partial := !test && blocks && (locks || !returns)
	if e.in.Portable {
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
	if e.endless || len(e.spins) > 0 || partial && e.forEver(e.in.Templates) {
		e.rest = e.newMonitor("Rest", false)
	}
}

// A spin is where a goroutine that never ends comes by again and again.
type spin struct {
	t    *state.Template
	site sites.ID
	locs []*state.Location
}

// forever finds the goroutines that may run for ever once they have got into a
// cycle that no path leads out of.
func (e *emitter) forever() {
	templates := e.in.Templates[1:]
	if !e.forEver(templates) {
		return
	}
	for _, t := range templates {
		if t.Daemon {
			continue // it belongs to the process
		}
		back := map[*state.Location][]*state.Location{}
		live := map[*state.Edge]bool{}
		for _, ed := range t.Edges {
			back[ed.To] = append(back[ed.To], ed.From)
			live[ed] = ed.From.Kind != state.AtIdle && ed.To.Kind != state.AtSink
		}
		ends := map[*state.Location]bool{}
		var work []*state.Location
		for _, l := range t.Locations {
			if l.Kind == state.AtIdle || l.Kind == state.AtDone || l.Kind == state.AtSink {
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
		for _, l := range t.Locations {
			if ends[l] || in[l] == 0 || l.Kind != state.AtOp {
				continue
			}
			if s, ok := first[in[l]]; ok && s != l.Site {
				continue
			}
			first[in[l]] = l.Site
			k := slices.IndexFunc(e.spins, func(s spin) bool { return s.t == t && s.site == l.Site })
			if k < 0 {
				k = len(e.spins)
				e.spins = append(e.spins, spin{t: t, site: l.Site})
			}
			e.spins[k].locs = append(e.spins[k].locs, l)
		}
	}
}

// atRest is the formula that nothing can move any more and the program is not
// over.
func (e *emitter) atRest() uppaal.Expr {
	if e.rest != nil {
		return is(e.rest.process, "L_seen") // in a model with priorities there is no "deadlock"
	}
	return all(&uppaal.Deadlock{}, not(ended()))
}

func (e *emitter) newMonitor(name string, told bool) *monitor {
	m := &monitor{process: e.n.unique(name), template: e.n.unique("T_" + name), first: "L_watch"}
	if told {
		m.channel = e.n.unique("to_" + m.process)
	}
	return m
}

// told is the monitor that an edge into a sink tells.
func (e *emitter) told(ed *state.Edge) *monitor {
	switch {
	case ed.To.Kind != state.AtSink:
		return nil
	case !ed.To.Sink.Normal():
		return e.over
	case ed.From.Template.Parent == nil:
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
		side.Templates = append(side.Templates, artifact.TemplateInfo{Name: m.template, Role: string(sidecar.RoleEnvironment),
			Locations: []artifact.LocationInfo{{Name: from.Name}, {Name: to.Name}},
			Edges:     []artifact.EdgeInfo{{Role: artifact.RoleLocal}}})
	}
}

// forEver reports that goroutines of these templates may run for ever: along
// cycles whose messages and partners come from such cycles.
func (e *emitter) forEver(templates []*state.Template) bool {
	live := map[*state.Edge]bool{}
	var order []*state.Edge
	for _, t := range templates {
		for _, ed := range t.Edges {
			if ed.From.Kind != state.AtIdle && ed.To.Kind != state.AtSink {
				live[ed] = true
				order = append(order, ed)
			}
		}
	}
	for changed := true; changed && len(live) > 0; {
		changed = false
		for _, t := range templates {
			in := components(t, live)
			for _, ed := range t.Edges {
				if live[ed] && (in[ed.From] == 0 || in[ed.From] != in[ed.To]) {
					delete(live, ed)
					changed = true
				}
			}
		}
		offers := map[[2]any]bool{}
		for _, ed := range order {
			if live[ed] {
				for _, o := range e.offers(ed) {
					offers[o] = true
				}
			}
		}
		for _, ed := range order {
			if !live[ed] {
				continue
			}
			for _, n := range ed.Needs() {
				if !offers[n] {
					delete(live, ed)
					changed = true
				}
			}
		}
	}
	return len(live) > 0
}

// offers lists what an edge gives to others, and the messages that time will send for a
// timer that it arms.
func (e *emitter) offers(ed *state.Edge) [][2]any {
	out := ed.Exchanges()
	for _, a := range ed.Assign {
		if a.To.Op != sym.OpCell {
			continue
		}
		c := state.CellOf(a.To)
		if c.Group.Timer && c.Addr == c.Group.Behind(state.TimerArmed) && !(a.Value.IsConst() && a.Value.K == 0) {
			out = append(out, [2]any{e.in.Memory.Cells[c.Group.Base+state.ChanLen], false})
		}
	}
	return out
}

// components numbers the strongly connected components of a template, over live
// edges, from 1; locations on no cycle have 0.
func components(t *state.Template, live map[*state.Edge]bool) map[*state.Location]int {
	next, back := map[*state.Location][]*state.Location{}, map[*state.Location][]*state.Location{}
	for _, ed := range t.Edges {
		if live[ed] {
			next[ed.From] = append(next[ed.From], ed.To)
			back[ed.To] = append(back[ed.To], ed.From)
		}
	}
	var post []*state.Location
	seen := map[*state.Location]bool{}
	var walk func(l *state.Location)
	walk = func(l *state.Location) {
		seen[l] = true
		for _, m := range next[l] {
			if !seen[m] {
				walk(m)
			}
		}
		post = append(post, l)
	}
	for _, l := range t.Locations {
		if !seen[l] {
			walk(l)
		}
	}
	out := map[*state.Location]int{}
	done := map[*state.Location]bool{}
	n := 0
	for i := len(post) - 1; i >= 0; i-- {
		if done[post[i]] {
			continue
		}
		done[post[i]] = true
		comp := []*state.Location{post[i]}
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

// time makes the process that lets timers fire and deadlines pass.
func (e *emitter) time(side *artifact.Sidecar) {
	t := e.in.Time
	if len(t.Edges) == 0 {
		return
	}
	n := e.n
	n.current = t
	tmpl := &uppaal.Template{Name: n.unique("T_Time")}
	l := &uppaal.Location{Name: n.unique("L_time")}
	tmpl.Locations, tmpl.Init = []*uppaal.Location{l}, l
	info := artifact.TemplateInfo{Name: tmpl.Name, Role: string(sidecar.RoleEnvironment), Locations: []artifact.LocationInfo{{Name: l.Name}}}
	for _, ed := range t.Edges {
		ue := &uppaal.Edge{From: l, To: l, Update: e.update(ed)}
		for _, c := range ed.Guard {
			g := n.spell(c)
			if ue.Guard != nil {
				g = &uppaal.Binary{Op: uppaal.OpAnd, X: ue.Guard, Y: g}
			}
			ue.Guard = g
		}
		tmpl.Edges = append(tmpl.Edges, ue)
		info.Edges = append(info.Edges, artifact.EdgeInfo{Role: artifact.RoleTime, Approx: ed.Approx})
	}
	e.net.Templates = append(e.net.Templates, tmpl)
	side.Templates = append(side.Templates, info)
	e.clock = &uppaal.InstanceDecl{Name: n.unique("Time"), Template: &uppaal.Ident{Name: tmpl.Name}}
}
