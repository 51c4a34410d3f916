package check

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// A compiler turns a checked network into a program. Parameters and constants
// are folded for each process; variables that nothing assigns count as
// constants.
type compiler struct {
	info         *uppaal.Info
	p            *program
	processIndex map[*uppaal.Process]int
	written      map[*uppaal.Var]bool

	globals map[*uppaal.Var]int32   // first cell, or channel
	locals  []map[*uppaal.Var]int32 // by process: variables and parameters
	temp    map[*uppaal.Var]int32   // bindings and function variables
	funcs   map[funcKey]*function
	costs   map[funcKey]functionCost
	bound   map[*uppaal.Var]int32 // bindings of unrolled quantifiers
	nested  int64                 // instances of the quantifiers being unrolled
	folding bool                  // constant cells have their values
	inQuery bool
	proc    int // the process being compiled, -1: none
	fun     *function

	labels  *labels  // of the edges
	effects *effects // nil: not collected

	assumeAlive bool // compile "deadlock" as false
	stuckAtoms  []int
}

type funcKey struct {
	f    *uppaal.Func
	proc int // -1 for a global function
}

// maxCells bounds the cells of a program.
const maxCells = 1 << 22

// compileError carries an error out of the compiler's recursion.
type compileError struct{ err error }

func (c *compiler) fail(pos uppaal.Pos, format string, args ...any) {
	panic(compileError{&UnsupportedError{Pos: pos, What: fmt.Sprintf(format, args...)}})
}

// caught runs f and returns the error it failed with.
func caught(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case compileError:
			err = r.err
		case *fault:
			err = r
		case interrupted:
			err = r.err
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

func (f *fault) Error() string { return position(f.pos) + f.msg }

// compile makes a program of a network. poll is called while the initial
// values are computed, and for every edge, since a large network takes longer to
// compile than many a search: what it returns ends that. A *fault is returned if the
// values cannot be computed.
func compile(info *uppaal.Info, opts *Options, poll func(int) error) (c *compiler, err error) {
	c = &compiler{
		info:         info,
		p:            &program{info: info},
		processIndex: map[*uppaal.Process]int{},
		globals:      map[*uppaal.Var]int32{},
		temp:         map[*uppaal.Var]int32{},
		bound:        map[*uppaal.Var]int32{},
		costs:        map[funcKey]functionCost{},
		written:      writtenVars(info),
		proc:         -1,
	}
	err = caught(func() {
		c.layout()
		c.initialValues(poll)
		c.pack()
		c.folding = true
		c.p.before, c.p.after = c.updates(c.info.Before), c.updates(c.info.After)
		c.edges(opts, poll)
		c.priorities()
		c.fields()
	})
	return c, err
}

// newCell adds a cell of a scalar type.
func (c *compiler) newCell(t uppaal.Type, kind cellKind) int32 {
	if len(c.p.cells) >= maxCells {
		c.fail(uppaal.Pos{}, "a model of more than %d variables", maxCells)
	}
	lo, hi, truth := scalarRange(t)
	c.p.cells = append(c.p.cells, cell{lo: lo, hi: hi, truth: truth, kind: kind})
	start := lo
	if lo <= 0 && hi >= 0 {
		start = 0
	}
	c.p.initial = append(c.p.initial, start)
	return int32(len(c.p.cells) - 1)
}

// newCells adds the cells of a type and returns the first.
func (c *compiler) newCells(t uppaal.Type, kind cellKind) int32 {
	base := int32(len(c.p.cells))
	if n := uppaal.Size(t); n < 0 || n > maxCells {
		c.fail(uppaal.Pos{}, "a variable of more than %d cells", maxCells)
	}
	uppaal.Leaves(t, func(_ string, t uppaal.Type) { c.newCell(t, kind) })
	return base
}

// temps adds temporary cells of a type.
func (c *compiler) temps(t uppaal.Type) int32 { return c.newCells(t, tempCell) }

// tempOf is the temporary of a binding or function variable.
func (c *compiler) tempOf(v *uppaal.Var) int32 {
	base, ok := c.temp[v]
	if !ok {
		base = c.temps(v.Type)
		c.temp[v] = base
	}
	return base
}

// declare allots the cells, or channels, of a variable.
func (c *compiler) declare(name string, v *uppaal.Var) int32 {
	if ch, ok := hasChannels(v.Type); ok {
		base := int32(len(c.p.channels))
		n := uppaal.Size(v.Type)
		if n > maxCells {
			c.fail(v.Pos, "more than %d channels", maxCells)
		}
		for range n {
			c.p.channels = append(c.p.channels, channel{broadcast: ch.Broadcast, urgent: ch.Urgent})
		}
		return base
	}
	kind := stateCell
	switch {
	case v.Const || !c.written[v]:
		kind = constCell
	case v.Meta:
		kind = tempCell
	}
	base := c.newCells(v.Type, kind)
	for i := base; i < int32(len(c.p.cells)); i++ {
		if cl := &c.p.cells[i]; kind == stateCell && cl.lo == cl.hi {
			cl.kind = tempCell
		}
		if kind == tempCell {
			c.p.metas = append(c.p.metas, i)
		}
	}
	if !v.Const {
		c.p.vars = append(c.p.vars, shownVar{name, v.Type, base})
	}
	return base
}

// layout allots cells to everything that lives as long as the network.
func (c *compiler) layout() {
	for _, v := range c.info.Globals {
		c.globals[v] = c.declare(v.Name, v)
	}
	for i, p := range c.info.Processes {
		c.processIndex[p] = i
		n := len(p.Template.Locations)
		if n == 0 {
			c.fail(p.Template.Pos, "template %s has no location", p.Template.Name)
		}
		loc := c.newCell(uppaal.Int{Lo: 0, Hi: int32(n - 1)}, stateCell)
		if n == 1 {
			c.p.cells[loc].kind = tempCell
		}
		at := slices.Index(p.Template.Locations, p.Template.Init)
		if at < 0 {
			c.fail(p.Template.Pos, "template %s has no initial location", p.Template.Name)
		}
		c.p.initial[loc] = int32(at)
		c.p.procs = append(c.p.procs, process{loc: loc, prio: int32(p.Priority)})
		vars := map[*uppaal.Var]int32{}
		c.locals = append(c.locals, vars)
		for _, a := range p.Args {
			if a.Ref == nil {
				vars[a.Param] = c.declare(p.Name+"."+a.Param.Name, a.Param)
			}
		}
		for _, v := range c.info.Locals[p.Template] {
			vars[v] = c.declare(p.Name+"."+v.Name, v)
		}
	}
}

// varPlace is the place of a variable as seen from the current process.
func (c *compiler) varPlace(v *uppaal.Var, pos uppaal.Pos) place {
	size := int32(uppaal.Size(v.Type))
	at := func(base int32) place {
		return place{k: base, typ: v.Type, lo: base, hi: base + size}
	}
	switch v.Kind {
	case uppaal.GlobalVar:
		if base, ok := c.globals[v]; ok {
			return at(base)
		}
	case uppaal.LocalVar, uppaal.ParamVar:
		if c.proc < 0 {
			c.fail(pos, "variable %q outside its process", v.Name)
		}
		if base, ok := c.locals[c.proc][v]; ok {
			return at(base)
		}
		for _, a := range c.info.Processes[c.proc].Args {
			if a.Param == v && a.Ref != nil {
				p := c.place(a.Ref)
				p.typ = v.Type
				return p
			}
		}
	case uppaal.BoundVar, uppaal.FuncLocal:
		return at(c.tempOf(v))
	case uppaal.FuncParam:
		if !v.Ref {
			return at(c.tempOf(v))
		}
		cell := c.refCell(v)
		hi := int32(len(c.p.cells))
		if _, ok := hasChannels(v.Type); ok {
			hi = int32(len(c.p.channels))
		}
		return place{fn: func(m *machine) int32 { return m.v[cell] }, typ: v.Type, lo: 0, hi: hi, ref: cell + 1}
	}
	c.fail(pos, "variable %q has no place here", v.Name)
	return place{}
}

// refCell is the temporary that holds what a reference parameter of a function
// denotes.
func (c *compiler) refCell(v *uppaal.Var) int32 {
	cell, ok := c.temp[v]
	if !ok {
		cell = c.temps(uppaal.Int{Lo: 0, Hi: 1<<31 - 1})
		c.temp[v] = cell
	}
	return cell
}

// initialValues evaluates the initialisers in declaration order.
func (c *compiler) initialValues(poll func(int) error) {
	var run []runFn
	bind := func(base int32, v *uppaal.Var, init uppaal.Expr, what string) {
		if _, ok := hasChannels(v.Type); ok || init == nil {
			return
		}
		f := c.initialise(base, v.Type, init)
		pos := init.Position()
		run = append(run, func(m *machine) {
			m.begin()
			defer func() {
				switch r := recover().(type) {
				case nil:
				case *fault:
					throw(pos, "initial value of %s: %s", what, r.msg)
				default:
					panic(r)
				}
			}()
			f(m)
		})
	}
	c.funcs = map[funcKey]*function{}
	for _, v := range c.info.Globals {
		bind(c.globals[v], v, v.Init, v.Name)
	}
	for i, p := range c.info.Processes {
		c.proc = i
		for _, a := range p.Args {
			if a.Ref == nil {
				c.bindArgument(c.locals[i][a.Param], a, p)
			}
		}
		for _, v := range c.info.Locals[p.Template] {
			bind(c.locals[i][v], v, v.Init, p.Name+"."+v.Name)
		}
	}
	c.proc = -1
	m := &machine{prog: c.p, v: slices.Clone(c.p.initial), w: make([]uint64, 1), poll: poll}
	// Not packed yet: stores must only reach v.
	cells := slices.Clone(c.p.cells)
	for i := range c.p.cells {
		c.p.cells[i].kind = tempCell
	}
	for _, f := range run {
		f(m)
	}
	copy(c.p.cells, cells)
	copy(c.p.initial, m.v)
	// What initialisers compiled has the values of constants not folded.
	c.funcs = map[funcKey]*function{}
}

func (c *compiler) bindArgument(base int32, a uppaal.Arg, p *uppaal.Process) {
	if len(a.Value) != uppaal.Size(a.Param.Type) {
		c.fail(a.Param.Pos, "argument of parameter %q of process %s", a.Param.Name, p.Name)
	}
	for i, x := range a.Value {
		cl := c.p.cells[int(base)+i]
		if cl.truth {
			x = truth(x != 0)
		}
		if x < cl.lo || x > cl.hi {
			throw(a.Param.Pos, "argument %d of parameter %q of process %s is outside [%d,%d]", x, a.Param.Name, p.Name, cl.lo, cl.hi)
		}
		c.p.initial[int(base)+i] = x
	}
}

// initialise compiles the assignment of an initialiser.
func (c *compiler) initialise(base int32, t uppaal.Type, init uppaal.Expr) runFn {
	list, ok := init.(*uppaal.InitList)
	if !ok {
		pos := init.Position()
		if !isAggregate(t) {
			f := c.number(init).code()
			return func(m *machine) { m.set(base, f(m), pos) }
		}
		from := c.place(init)
		c.reads(from)
		src := from.code()
		size := int32(uppaal.Size(t))
		return func(m *machine) {
			from := src(m)
			for i := range size {
				m.set(base+i, m.v[from+i], pos)
			}
		}
	}
	var run []runFn
	switch t := t.(type) {
	case *uppaal.Array:
		size := int32(uppaal.Size(t.Elem))
		if int64(len(list.Elems)) != int64(t.Hi)-int64(t.Lo)+1 {
			c.fail(list.Pos, "an initialiser with %d elements for %d", len(list.Elems), int64(t.Hi)-int64(t.Lo)+1)
		}
		for i, e := range list.Elems {
			run = append(run, c.initialise(base+int32(i)*size, t.Elem, e))
		}
	case *uppaal.Struct:
		off := int32(0)
		for i, e := range list.ByField(t) {
			if e == nil {
				c.fail(list.Pos, "no initial value for field %q", t.Fields[i].Name)
			}
			run = append(run, c.initialise(base+off, t.Fields[i].Type, e))
			off += int32(uppaal.Size(t.Fields[i].Type))
		}
	default:
		c.fail(list.Pos, "a list as initial value of a number")
	}
	return func(m *machine) {
		for _, f := range run {
			f(m)
		}
	}
}

// pack gives the state cells their places in the words, the widest first.
func (c *compiler) pack() {
	for i := range c.p.cells {
		if c.p.cells[i].kind == stateCell {
			c.p.stateCells = append(c.p.stateCells, int32(i))
		}
	}
	byWidth := slices.Clone(c.p.stateCells)
	slices.SortStableFunc(byWidth, func(a, b int32) int { return c.bitsOf(b) - c.bitsOf(a) })
	var free []int // bits left in each word
	first := 0     // words before are full
	for _, i := range byWidth {
		n := c.bitsOf(i)
		w := first
		for ; w < len(free) && free[w] < n; w++ {
		}
		if w == len(free) {
			free = append(free, 64)
		}
		c.p.cells[i].word, c.p.cells[i].shift = uint32(w), uint8(64-free[w])
		free[w] -= n
		for first < len(free) && free[first] == 0 {
			first++
		}
	}
	c.p.width = max(len(free), 1)
}

func (c *compiler) bitsOf(i int32) int {
	cl := &c.p.cells[i]
	return bits.Len32(uint32(cl.hi - cl.lo))
}

// addStateCell adds a cell to the packed state after pack.
func (c *compiler) addStateCell(lo, hi int32) int32 {
	i := c.newCell(uppaal.Int{Lo: lo, Hi: hi}, stateCell)
	n := c.bitsOf(i)
	used := make([]int, c.p.width)
	for _, j := range c.p.stateCells {
		cl := &c.p.cells[j]
		used[cl.word] = max(used[cl.word], int(cl.shift)+c.bitsOf(j))
	}
	w := slices.IndexFunc(used, func(u int) bool { return u+n <= 64 })
	if w < 0 {
		w = c.p.width
		c.p.width++
		used = append(used, 0)
	}
	c.p.cells[i].word, c.p.cells[i].shift = uint32(w), uint8(used[w])
	c.p.stateCells = append(c.p.stateCells, i)
	return i
}

// fields lists what unpacking does.
func (c *compiler) fields() {
	c.p.fieldAt = make([]int32, 64*c.p.width)
	for _, i := range c.p.stateCells {
		cl := &c.p.cells[i]
		for b := range c.bitsOf(i) {
			c.p.fieldAt[64*int(cl.word)+int(cl.shift)+b] = int32(len(c.p.fields))
		}
		c.p.fields = append(c.p.fields, field{
			cell: i, word: cl.word, shift: cl.shift, lo: cl.lo,
			mask: uint32(1<<c.bitsOf(i) - 1),
		})
	}
}

// edges compiles the processes.
func (c *compiler) edges(opts *Options, poll func(int) error) {
	c.p.receivers = make([][]int32, len(c.p.channels))
	labels := newLabels(opts, c.info)
	for i, p := range c.info.Processes {
		c.proc = i
		pr := &c.p.procs[i]
		hasInvariant, hasCommitted := false, false
		index := map[*uppaal.Location]int32{}
		for k, l := range p.Template.Locations {
			index[l] = int32(k)
			loc := location{committed: l.Urgency == uppaal.Committed, urgent: l.Urgency == uppaal.Urgent}
			hasCommitted = hasCommitted || loc.committed
			if l.Invariant != nil {
				if t := c.test(l.Invariant); t.fn != nil || !t.value {
					loc.inv = t.code()
					hasInvariant = true
				}
			}
			pr.locs = append(pr.locs, loc)
		}
		if hasCommitted {
			c.p.committable = append(c.p.committable, int32(i))
		}
		if hasInvariant {
			c.p.invariant = append(c.p.invariant, int32(i))
		}
		for k, e := range p.Template.Edges {
			if err := poll(0); err != nil {
				panic(interrupted{err})
			}
			ce := &edge{proc: int32(i), index: int32(k), from: index[e.From], to: index[e.To], label: -1}
			if !c.edge(ce, e) {
				continue
			}
			ce.label = labels.number(i, k)
			l := &pr.locs[ce.from]
			if ce.kind == recvEdge {
				l.recvs = append(l.recvs, ce)
				for ch := ce.chanLo; ch < ce.chanHi; ch++ {
					if r := c.p.receivers[ch]; len(r) == 0 || r[len(r)-1] != int32(i) {
						c.p.receivers[ch] = append(r, int32(i))
					}
				}
			} else {
				l.acts = append(l.acts, ce)
			}
		}
	}
	c.proc = -1
	c.p.monitor, c.labels = labels.monitor(), labels
	if m := c.p.monitor; m != nil {
		m.cell = c.addStateCell(0, m.last())
	}
}

// edge compiles one edge; it reports false if the edge can never be taken.
func (c *compiler) edge(ce *edge, e *uppaal.Edge) bool {
	for _, b := range e.Select {
		v := c.info.Defs[b]
		if v == nil {
			c.fail(b.Pos, "binding %q is not resolved", b.Name)
		}
		// Each process selects on its own: a transition may take the same
		// edge in several processes.
		cell := c.temps(v.Type)
		c.temp[v] = cell
		lo, hi, _ := scalarRange(v.Type)
		ce.sel = append(ce.sel, selection{cell, lo, hi})
		if lo > hi {
			return false
		}
	}
	if e.Guard != nil {
		t := c.test(e.Guard)
		if t.fn == nil && !t.value {
			return false
		}
		ce.guard = t.fn
	}
	if e.Sync != nil {
		ce.kind = sendEdge
		if e.Sync.Dir == uppaal.Receive {
			ce.kind = recvEdge
		}
		p := c.place(e.Sync.Chan)
		if _, ok := p.typ.(uppaal.Chan); !ok {
			c.fail(e.Sync.Pos, "synchronisation over what is no channel")
		}
		ce.chanID, ce.chanFn, ce.chanLo, ce.chanHi = p.k, p.fn, p.lo, p.hi
	}
	ce.update = c.updates(e.Update)
	return true
}

// updates compiles expressions for their side effects.
func (c *compiler) updates(list []uppaal.Expr) (code []runFn) {
	for _, u := range list {
		if f := c.effect(u); f != nil {
			code = append(code, f)
		}
	}
	return code
}

// priorities resolves the channel priorities. Channels that are not named,
// and internal transitions, have the priority of "default", which is below all
// named ones unless it is listed.
func (c *compiler) priorities() {
	level, defaultPrio := int32(0), int32(0)
	named := map[int32]int32{}
	if cp := c.info.Priorities; cp != nil {
		for _, g := range cp.Groups {
			level++
			for _, e := range g {
				if e == nil {
					defaultPrio = level
					continue
				}
				p := c.place(e)
				if p.fn != nil {
					c.fail(e.Position(), "a channel priority with an index that is not constant")
				}
				for ch := p.k; ch < p.k+int32(uppaal.Size(p.typ)); ch++ {
					named[ch] = level
				}
			}
		}
	}
	c.p.defaultPrio = defaultPrio
	for i := range c.p.channels {
		c.p.channels[i].prio = defaultPrio
		if l, ok := named[int32(i)]; ok {
			c.p.channels[i].prio = l
		}
	}
	c.p.priorities = level > 0
	for i := range c.p.procs {
		c.p.priorities = c.p.priorities || c.p.procs[i].prio != c.p.procs[0].prio
	}
}
