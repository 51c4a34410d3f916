package check

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// This file and reference_eval.go are a second implementation of the
// semantics, written for clarity and not for speed: it walks the syntax tree
// and copies whole states. It shares nothing with the compiler but the tree
// and the results of the type checker. Traces are believed when it agrees.

// A reference executes a network step by step.
type reference struct {
	info *uppaal.Info
	// offset gives the storage of each variable, by process for those of
	// templates. Channels have storage too: it holds the channel's number.
	offset   map[refKey]int
	zero     []int32 // storage before initialisers
	channels []uppaal.Chan
	chanRank map[int32]int
	highest  [2]int // no transition has a higher priority
	initial  refState
	metas    []refSpan
	shown    []refShown
	loops    int
	// strict makes an invalid guard or channel an error even where it does
	// not matter: on an edge with nobody to synchronise with.
	strict bool
	// tries counts the valuations of selections looked at, up to maxTries.
	tries, maxTries int
}

type refKey struct {
	v    *uppaal.Var
	proc int // -1: global
}

type refSpan struct{ from, to int }

// refShown is a scalar of a state that is shown.
type refShown struct {
	name string
	at   int // in the memory
}

// refState is one state.
type refState struct {
	locs []int
	mem  []int32
}

func (s refState) clone() refState {
	return refState{slices.Clone(s.locs), slices.Clone(s.mem)}
}

// key is the same for equal states only.
func (s refState) key() string {
	key := make([]byte, 0, 4*(len(s.locs)+len(s.mem)))
	for _, l := range s.locs {
		key = binary.LittleEndian.AppendUint32(key, uint32(l))
	}
	for _, x := range s.mem {
		key = binary.LittleEndian.AppendUint32(key, uint32(x))
	}
	return string(key)
}

// refMove is a transition and the state it leads to.
type refMove struct {
	step   Step
	target refState
	ch     int32 // -1: none
}

// refError is an invalid evaluation.
type refError struct {
	pos   uppaal.Pos
	msg   string
	loop  bool // a bound on loops was reached
	tries bool // a bound on selections was reached
}

func (e *refError) Error() string { return position(e.pos) + e.msg }

// newReference lays out the variables and computes the initial state.
func newReference(info *uppaal.Info) (r *reference, err error) {
	r = &reference{info: info, offset: map[refKey]int{}, chanRank: map[int32]int{}, maxTries: math.MaxInt}
	defer catchRef(&err)
	for _, v := range info.Globals {
		r.allot(v, -1, v.Name)
	}
	for i, p := range info.Processes {
		for _, a := range p.Args {
			if a.Ref == nil {
				r.allot(a.Param, i, p.Name+"."+a.Param.Name)
			}
		}
		for _, v := range info.Locals[p.Template] {
			r.allot(v, i, p.Name+"."+v.Name)
		}
	}
	st := refState{mem: slices.Clone(r.zero)}
	init := func(v *uppaal.Var, proc int) {
		if v.Init == nil {
			return
		}
		env := &refEnv{r: r, st: &st, proc: proc}
		env.what = func() string { return "initial value of " + v.Name }
		r.loops = 0
		dst := r.storage(v, proc, &st)
		env.initialise(dst, v.Init)
	}
	for _, v := range info.Globals {
		init(v, -1)
	}
	for i, p := range info.Processes {
		for _, a := range p.Args {
			if a.Ref == nil {
				env := &refEnv{r: r, st: &st, proc: i, what: func() string { return "argument of " + a.Param.Name }}
				env.copyInto(r.storage(a.Param, i, &st), a.Value, a.Param.Pos)
			}
		}
		for _, v := range info.Locals[p.Template] {
			init(v, i)
		}
		st.locs = append(st.locs, slices.Index(p.Template.Locations, p.Template.Init))
	}
	r.initial = st
	r.rankChannels()
	r.highest = r.highestPriority()
	if !r.invariants(&st) {
		return nil, &refError{msg: "the initial state violates an invariant"}
	}
	return r, nil
}

// catchRef turns a thrown refError into an error.
func catchRef(err *error) {
	switch x := recover().(type) {
	case nil:
	case *refError:
		*err = x
	default:
		panic(x)
	}
}

// allot gives a variable its storage.
func (r *reference) allot(v *uppaal.Var, proc int, name string) {
	at := len(r.zero)
	r.offset[refKey{v, proc}] = at
	if ch, ok := refChan(v.Type); ok {
		for range uppaal.Size(v.Type) {
			r.zero = append(r.zero, int32(len(r.channels)))
			r.channels = append(r.channels, ch)
		}
		return
	}
	r.zero = append(r.zero, uppaal.Zero(v.Type)...)
	if v.Meta && !v.Const {
		r.metas = append(r.metas, refSpan{at, len(r.zero)})
	}
	if !v.Const {
		k := at
		uppaal.Leaves(v.Type, func(suffix string, _ uppaal.Type) {
			r.shown = append(r.shown, refShown{name + suffix, k})
			k++
		})
	}
}

func refChan(t uppaal.Type) (uppaal.Chan, bool) {
	switch t := t.(type) {
	case uppaal.Chan:
		return t, true
	case *uppaal.Array:
		return refChan(t.Elem)
	}
	return uppaal.Chan{}, false
}

// storage is a variable's place in a state.
func (r *reference) storage(v *uppaal.Var, proc int, st *refState) refPlace {
	if v.Kind == uppaal.GlobalVar {
		proc = -1
	}
	at, ok := r.offset[refKey{v, proc}]
	if !ok {
		panic(&refError{pos: v.Pos, msg: fmt.Sprintf("variable %q has no storage", v.Name)})
	}
	return refPlace{v.Type, st.mem[at : at+uppaal.Size(v.Type)], v.Name}
}

// rankChannels numbers the levels of the priority declaration; default is 0
// unless it is listed.
func (r *reference) rankChannels() {
	d := r.info.Priorities
	if d == nil {
		return
	}
	ranks := map[int32]int{}
	base := 0
	env := &refEnv{r: r, st: &r.initial, proc: -1, what: named("channel priority")}
	for level, group := range d.Groups {
		for _, e := range group {
			if e == nil {
				base = level + 1
				continue
			}
			for _, id := range env.place(e).cells {
				ranks[id] = level + 1
			}
		}
	}
	r.chanRank[-1] = base
	for i := range r.channels {
		r.chanRank[int32(i)] = base
		if k, ok := ranks[int32(i)]; ok {
			r.chanRank[int32(i)] = k
		}
	}
}

// highestPriority is one that no transition exceeds.
func (r *reference) highestPriority() (p [2]int) {
	for _, rank := range r.chanRank {
		p[0] = max(p[0], rank)
	}
	for _, proc := range r.info.Processes {
		p[1] = max(p[1], proc.Priority)
	}
	return p
}

// refOffer is an edge whose guard holds, for some selected values.
type refOffer struct {
	proc, index int
	edge        *uppaal.Edge
	sel         []int32
	bound       map[*uppaal.Var]refPlace
	ch          int32 // -1 without synchronisation
}

// moves lists the transitions of a state.
func (r *reference) moves(st refState) (moves []refMove, err error) {
	defer catchRef(&err)
	var offers []refOffer
	for i, p := range r.info.Processes {
		here := p.Template.Locations[st.locs[i]]
		for k, e := range p.Template.Edges {
			if e.From != here {
				continue
			}
			err := r.offers(&st, i, k, e, func(o refOffer) bool {
				offers = append(offers, o)
				return true
			})
			var bad *refError
			if errors.As(err, &bad) && (r.strict || bad.tries) {
				return nil, err
			}
		}
	}
	var sets [][]refOffer // participants of what may be transitions
	for _, o := range offers {
		switch {
		case o.ch < 0:
			sets = append(sets, []refOffer{o})
		case o.edge.Sync.Dir == uppaal.Receive:
		case r.channels[o.ch].Broadcast:
			// For every other process, its offers to receive.
			choices := [][]refOffer{{o}}
			for i := range r.info.Processes {
				var mine []refOffer
				for _, x := range offers {
					if x.proc == i && i != o.proc && x.ch == o.ch && x.edge.Sync.Dir == uppaal.Receive {
						mine = append(mine, x)
					}
				}
				if len(mine) == 0 {
					continue
				}
				var longer [][]refOffer
				for _, c := range choices {
					for _, x := range mine {
						longer = append(longer, append(slices.Clone(c), x))
					}
				}
				choices = longer
			}
			sets = append(sets, choices...)
		default:
			for _, x := range offers {
				if x.proc != o.proc && x.ch == o.ch && x.edge.Sync.Dir == uppaal.Receive {
					sets = append(sets, []refOffer{o, x})
				}
			}
		}
	}
	sets = r.committedOnly(&st, sets)
	// The highest priority with a transition.
	for len(sets) > 0 {
		best := r.priority(sets[0])
		for _, parts := range sets {
			if p := r.priority(parts); slices.Compare(p[:], best[:]) > 0 {
				best = p
			}
		}
		var rest [][]refOffer
		for _, parts := range sets {
			if r.priority(parts) == best {
				r.take(&moves, st, parts)
			} else {
				rest = append(rest, parts)
			}
		}
		if len(moves) > 0 {
			break
		}
		sets = rest
	}
	return moves, nil
}

// priority is that of the channel, then the highest of the participants.
func (r *reference) priority(parts []refOffer) [2]int {
	p := [2]int{r.chanRank[parts[0].ch], 0}
	for _, o := range parts {
		p[1] = max(p[1], r.info.Processes[o.proc].Priority)
	}
	return p
}

// offers calls visit for every valuation of an edge's selections that
// satisfies its guard, until visit returns false.
func (r *reference) offers(st *refState, proc, index int, e *uppaal.Edge, visit func(refOffer) bool) (err error) {
	defer catchRef(&err)
	sel := make([]int32, len(e.Select))
	var next func(k int) bool
	next = func(k int) bool {
		if k == len(sel) {
			if r.tries++; r.tries > r.maxTries {
				panic(&refError{msg: "too many selections", tries: true})
			}
			o, ok := r.offer(st, proc, index, e, sel)
			return !ok || visit(o)
		}
		lo, hi, _ := uppaal.Range(r.info.Defs[e.Select[k]].Type)
		for x := int64(lo); x <= int64(hi); x++ {
			sel[k] = int32(x)
			if !next(k + 1) {
				return false
			}
		}
		return true
	}
	next(0)
	return nil
}

// offer is an edge with selected values, if they are in range and satisfy the
// guard.
func (r *reference) offer(st *refState, proc, index int, e *uppaal.Edge, sel []int32) (o refOffer, ok bool) {
	o = refOffer{proc: proc, index: index, edge: e, ch: -1}
	if len(e.Select) > 0 {
		o.bound = map[*uppaal.Var]refPlace{}
	}
	for k, b := range e.Select {
		v := r.info.Defs[b]
		if lo, hi, _ := uppaal.Range(v.Type); sel[k] < lo || sel[k] > hi {
			return o, false
		}
		o.sel = append(o.sel, sel[k])
		o.bound[v] = refPlace{v.Type, []int32{sel[k]}, v.Name}
	}
	if e.Guard != nil && r.env(st, o, "guard").int(e.Guard) == 0 {
		return o, false
	}
	if e.Sync != nil {
		o.ch = r.env(st, o, "synchronisation").place(e.Sync.Chan).cells[0]
	}
	return o, true
}

// follow takes one given step, if it is a transition of the state. Unlike
// moves it does not look at all the others, of which there may be many.
func (r *reference) follow(st refState, step Step) (target refState, ok bool, err error) {
	defer catchRef(&err)
	parts, ok := r.parts(&st, step)
	if !ok {
		return st, false, nil
	}
	if p := r.priority(parts); slices.Compare(p[:], r.highest[:]) < 0 {
		// Another transition may go before it.
		moves, err := r.moves(st)
		for _, m := range moves {
			if reflect.DeepEqual(m.step, step) {
				return m.target, true, err
			}
		}
		return st, false, err
	}
	var moves []refMove
	r.take(&moves, st, parts)
	if len(moves) == 0 {
		return st, false, nil
	}
	return moves[0].target, true, nil
}

// parts are the edges of a given step, if they make a transition of the state where priorities
// and invariants do not matter.
func (r *reference) parts(st *refState, step Step) (parts []refOffer, ok bool) {
	taking := map[int]bool{}
	for _, p := range step.Parts {
		if p.Process < 0 || p.Process >= len(st.locs) || taking[p.Process] {
			return nil, false
		}
		taking[p.Process] = true
		t := r.info.Processes[p.Process].Template
		if p.Edge < 0 || p.Edge >= len(t.Edges) || len(p.Select) != len(t.Edges[p.Edge].Select) ||
			t.Edges[p.Edge].From != t.Locations[st.locs[p.Process]] {
			return nil, false
		}
		o, ok := r.offer(st, p.Process, p.Edge, t.Edges[p.Edge], p.Select)
		if !ok {
			return nil, false
		}
		// The first sends, or is alone; the others receive from its channel.
		if receives := o.edge.Sync != nil && o.edge.Sync.Dir == uppaal.Receive; receives != (len(parts) > 0) {
			return nil, false
		}
		if len(parts) > 0 && (o.ch != parts[0].ch || o.proc <= parts[len(parts)-1].proc && len(parts) > 1) {
			return nil, false
		}
		parts = append(parts, o)
	}
	if len(parts) == 0 {
		return nil, false
	}
	switch ch := parts[0].ch; {
	case ch < 0:
		ok = len(parts) == 1
	case r.channels[ch].Broadcast:
		// Nobody who could receive is left out.
		ok = true
		for i, p := range r.info.Processes {
			if taking[i] {
				continue
			}
			for k, e := range p.Template.Edges {
				if e.From == p.Template.Locations[st.locs[i]] && e.Sync != nil && e.Sync.Dir == uppaal.Receive {
					// An invalid guard is no offer, as in moves.
					_ = r.offers(st, i, k, e, func(o refOffer) bool {
						ok = ok && o.ch != ch
						return ok
					})
				}
			}
		}
	default:
		ok = len(parts) == 2
	}
	return parts, ok && len(r.committedOnly(st, [][]refOffer{parts})) > 0
}

// committedOnly leaves out the participants of whom none leaves a committed
// location, if some process is in one.
func (r *reference) committedOnly(st *refState, sets [][]refOffer) [][]refOffer {
	for i, p := range r.info.Processes {
		if p.Template.Locations[st.locs[i]].Urgency == uppaal.Committed {
			return slices.DeleteFunc(sets, func(parts []refOffer) bool {
				return !slices.ContainsFunc(parts, func(o refOffer) bool { return o.edge.From.Urgency == uppaal.Committed })
			})
		}
	}
	return sets
}

// env is the environment in which a label of an edge is evaluated.
func (r *reference) env(st *refState, o refOffer, label string) *refEnv {
	r.loops = 0
	return &refEnv{
		r: r, st: st, proc: o.proc, vars: o.bound,
		what: func() string {
			return fmt.Sprintf("process %s, edge %d (%s to %s), %s", r.info.Processes[o.proc].Name, o.index,
				o.edge.From.QueryName(), o.edge.To.QueryName(), label)
		},
	}
}

// take adds the transition of the offers, the sender first, unless it leads
// into a violated invariant.
func (r *reference) take(moves *[]refMove, st refState, parts []refOffer) {
	m := refMove{target: st.clone(), ch: parts[0].ch}
	for _, o := range parts {
		p := r.info.Processes[o.proc]
		m.step.Parts = append(m.step.Parts, Part{Process: o.proc, Edge: o.index, Select: o.sel})
		m.target.locs[o.proc] = slices.Index(p.Template.Locations, o.edge.To)
	}
	r.always(&m.target, "before_update", r.info.Before)
	for _, o := range parts {
		env := r.env(&m.target, o, "update")
		for _, u := range o.edge.Update {
			env.run(u)
		}
	}
	r.always(&m.target, "after_update", r.info.After)
	for _, s := range r.metas {
		copy(m.target.mem[s.from:s.to], r.initial.mem[s.from:s.to])
	}
	if r.invariants(&m.target) {
		*moves = append(*moves, m)
	}
}

// always runs what every transition does.
func (r *reference) always(st *refState, what string, list []uppaal.Expr) {
	r.loops = 0
	env := &refEnv{r: r, st: st, proc: -1, what: named(what)}
	for _, e := range list {
		env.run(e)
	}
}

func (r *reference) invariants(st *refState) bool {
	for i, p := range r.info.Processes {
		l := p.Template.Locations[st.locs[i]]
		if l.Invariant == nil {
			continue
		}
		r.loops = 0
		env := &refEnv{r: r, st: st, proc: i, what: func() string {
			return fmt.Sprintf("process %s, invariant of %s", p.Name, l.QueryName())
		}}
		if env.int(l.Invariant) == 0 {
			return false
		}
	}
	return true
}

// holds evaluates a state formula. If it has a stuck atom and more than limit
// states would have to be visited, known is false.
func (r *reference) holds(e uppaal.Expr, st refState, limit int) (value, known bool, err error) {
	defer catchRef(&err)
	env := &refEnv{r: r, st: &st, proc: -1, formula: true, limit: limit, known: true, what: named("formula")}
	r.loops = 0
	value = env.int(e) != 0
	return value, env.known, nil
}

// value evaluates an expression of a query.
func (r *reference) value(e uppaal.Expr, st refState) (value int32, err error) {
	defer catchRef(&err)
	env := &refEnv{r: r, st: &st, proc: -1, formula: true, known: true, what: named("formula")}
	r.loops = 0
	return env.int(e), nil
}

// limited runs f with a bound on the selections looked at; it reports whether
// that was kept, and that of loops, which the machine may keep where the
// reference does not: it need not compute again what is constant.
func (r *reference) limited(f func() error) (kept bool, err error) {
	r.tries, r.maxTries = 0, 1<<17
	defer func() { r.maxTries = math.MaxInt }()
	err = f()
	var bad *refError
	if errors.As(err, &bad) && (bad.tries || bad.loop) {
		return false, nil
	}
	return true, err
}

// stuck finds out by exploration whether a process never moves again.
func (r *reference) stuck(proc int, st refState, limit int) (stuck, known bool) {
	seen := map[string]bool{st.key(): true}
	work := []refState{st}
	for len(work) > 0 {
		s := work[0]
		work = work[1:]
		moves, err := r.moves(s)
		if err != nil {
			panic(err)
		}
		for _, m := range moves {
			for _, p := range m.step.Parts {
				if p.Process == proc {
					return false, true
				}
			}
			if k := m.target.key(); !seen[k] {
				if len(seen) >= limit {
					return false, false
				}
				seen[k] = true
				work = append(work, m.target)
			}
		}
	}
	return true, true
}

// canRest reports whether a path may end in the state: nothing can happen, or
// time can pass for ever.
func (r *reference) canRest(st refState) (bool, error) {
	moves, err := r.moves(st)
	if err != nil {
		return false, err
	}
	if len(moves) == 0 {
		return true, nil
	}
	for i, p := range r.info.Processes {
		if p.Template.Locations[st.locs[i]].Urgency != uppaal.Normal {
			return false, nil
		}
	}
	for _, m := range moves {
		if m.ch >= 0 && r.channels[m.ch].Urgent {
			return false, nil
		}
	}
	return true, nil
}

// show spells a state out.
func (r *reference) show(st refState) State {
	out := State{Locations: make([]*uppaal.Location, len(r.info.Processes)), Vars: make([]VarValue, 0, len(r.shown))}
	for i, p := range r.info.Processes {
		out.Locations[i] = p.Template.Locations[st.locs[i]]
	}
	for _, v := range r.shown {
		out.Vars = append(out.Vars, VarValue{v.name, st.mem[v.at]})
	}
	return out
}

// shows reports whether a state, spelled out, is that one.
func (r *reference) shows(st refState, s State) bool {
	if len(s.Locations) != len(r.info.Processes) || len(s.Vars) != len(r.shown) {
		return false
	}
	for i, p := range r.info.Processes {
		if s.Locations[i] != p.Template.Locations[st.locs[i]] {
			return false
		}
	}
	for i, v := range r.shown {
		if s.Vars[i] != (VarValue{v.name, st.mem[v.at]}) {
			return false
		}
	}
	return true
}
