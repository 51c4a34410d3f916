package check

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/uppaal"
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
	initial  refState
	metas    []refSpan
	shown    []refShown
	loops    int
	// strict makes an invalid guard or channel an error even where it does
	// not matter: on an edge with nobody to synchronise with.
	strict bool
}

type refKey struct {
	v    *uppaal.Var
	proc int // -1: global
}

type refSpan struct{ from, to int }

type refShown struct {
	name string
	at   int
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
	pos  uppaal.Pos
	msg  string
	loop bool // a bound on loops was reached
}

func (e *refError) Error() string { return position(e.pos) + e.msg }

// newReference lays out the variables and computes the initial state.
func newReference(info *uppaal.Info) (r *reference, err error) {
	r = &reference{info: info, offset: map[refKey]int{}, chanRank: map[int32]int{}}
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
		env.what = "initial value of " + v.Name
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
				env := &refEnv{r: r, st: &st, proc: i, what: "argument of " + a.Param.Name}
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
	env := &refEnv{r: r, st: &r.initial, proc: -1, what: "channel priority"}
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
	committed := false
	for i, p := range r.info.Processes {
		here := p.Template.Locations[st.locs[i]]
		committed = committed || here.Urgency == uppaal.Committed
		for k, e := range p.Template.Edges {
			if e.From != here {
				continue
			}
			list, err := r.offers(&st, i, k, e)
			if err != nil && r.strict {
				return nil, err
			}
			offers = append(offers, list...)
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
	if committed {
		sets = slices.DeleteFunc(sets, func(parts []refOffer) bool {
			return !slices.ContainsFunc(parts, func(o refOffer) bool { return o.edge.From.Urgency == uppaal.Committed })
		})
	}
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

// offers lists the valuations of an edge's selections that satisfy its guard.
func (r *reference) offers(st *refState, proc, index int, e *uppaal.Edge) (enabled []refOffer, err error) {
	defer catchRef(&err)
	list := []refOffer{{proc: proc, index: index, edge: e, bound: map[*uppaal.Var]refPlace{}, ch: -1}}
	for _, b := range e.Select {
		v := r.info.Defs[b]
		lo, hi, _ := uppaal.Range(v.Type)
		var longer []refOffer
		for _, o := range list {
			for x := int64(lo); x <= int64(hi); x++ {
				n := o
				n.sel = append(slices.Clone(o.sel), int32(x))
				n.bound = map[*uppaal.Var]refPlace{}
				for k, p := range o.bound {
					n.bound[k] = p
				}
				n.bound[v] = refPlace{v.Type, []int32{int32(x)}, v.Name}
				longer = append(longer, n)
			}
		}
		list = longer
	}
	for _, o := range list {
		if e.Guard != nil && r.env(st, o, "guard").int(e.Guard) == 0 {
			continue
		}
		if e.Sync != nil {
			o.ch = r.env(st, o, "synchronisation").place(e.Sync.Chan).cells[0]
		}
		enabled = append(enabled, o)
	}
	return enabled, nil
}

// env is the environment in which a label of an edge is evaluated.
func (r *reference) env(st *refState, o refOffer, label string) *refEnv {
	r.loops = 0
	return &refEnv{
		r: r, st: st, proc: o.proc, vars: o.bound,
		what: fmt.Sprintf("process %s, edge %d (%s to %s), %s", r.info.Processes[o.proc].Name, o.index,
			locationName(o.edge.From), locationName(o.edge.To), label),
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
	for _, o := range parts {
		env := r.env(&m.target, o, "update")
		for _, u := range o.edge.Update {
			env.run(u)
		}
	}
	for _, s := range r.metas {
		copy(m.target.mem[s.from:s.to], r.initial.mem[s.from:s.to])
	}
	if r.invariants(&m.target) {
		*moves = append(*moves, m)
	}
}

func (r *reference) invariants(st *refState) bool {
	for i, p := range r.info.Processes {
		l := p.Template.Locations[st.locs[i]]
		if l.Invariant == nil {
			continue
		}
		r.loops = 0
		env := &refEnv{r: r, st: st, proc: i, what: fmt.Sprintf("process %s, invariant of %s", p.Name, locationName(l))}
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
	env := &refEnv{r: r, st: &st, proc: -1, formula: true, limit: limit, known: true, what: "formula"}
	r.loops = 0
	value = env.int(e) != 0
	return value, env.known, nil
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
	out := State{}
	for i, p := range r.info.Processes {
		out.Locations = append(out.Locations, p.Template.Locations[st.locs[i]])
	}
	for _, v := range r.shown {
		out.Vars = append(out.Vars, VarValue{v.name, st.mem[v.at]})
	}
	return out
}

// locationName is the name of a location as traces print it.
func locationName(l *uppaal.Location) string {
	if l.Name != "" {
		return l.Name
	}
	return "_" + strings.TrimPrefix(l.ID, "_")
}
