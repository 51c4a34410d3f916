package translate

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/relevance"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// Memory is a sequence of cells, each of which holds one scalar. An object
// occupies consecutive cells; a reference is the address of a cell, 0 is nil.
// So a pointer into an object, to a field or an element, is a number like any
// other, and two pointers alias if they are equal. Functions are objects too.

type objKind uint8

const (
	objData    objKind = iota
	objChan            // see the chan* offsets
	objFunc            // a function without free variables
	objClosure         // its cells are the bindings
	objOpaque          // something of which only the identity matters
)

// The cells of a channel object. The payload cell i stands for component i of
// any message; the buffer holds capacity times width cells after the payload.
const (
	chanClosed = iota
	chanLen
	chanSenders   // queued senders, kept where somebody polls
	chanReceivers // queued receivers, likewise
	chanPayload
)

// object is a piece of memory.
type object struct {
	kind objKind
	base int32
	size int32
	name string
	pool *pool // nil if it is allocated at most once

	fn  *ssa.Function // objFunc, objClosure
	mk  *ssa.MakeClosure
	key string

	// channels
	elem   types.Type
	cap    int32
	pos    token.Pos // of the make
	polled bool
	timer  bool // see timer.go
	ticker bool
	// callback: see callback.go.
	callback bool
	ctx      bool   // see context.go
	values   bool   // see contextvalue.go
	once     bool   // see oncefunc.go
	uname    string // of a channel in the model
	boxed    string // the type of the value of an interface, see newBox

	messages
	wrapping
	testScope
	backing
}

// messages are those of a channel.
type messages struct {
	tracked bool  // they matter
	width   int32 // scalars of each
	kept    int32 // buffered ones whose contents are kept
}

// wrapping is what is known of an error, see errorchain.go.
type wrapping struct {
	wrapped *ssa.Global
	wraps   bool
}

// testScope is what a test has of its subtests, see subtest.go.
type testScope struct {
	parallels []int32            // the cells that say whether they are parallel and have not ended
	joiners   map[*location]bool // where they are waited for
}

// backing is an array that the model allocates for a slice or a map: its elements and the scalars of
// each. Behind them is a spare cell, so that the address behind the last element is still one of the
// array.
type backing struct {
	elems, stride int32
	mapping       *types.Map // see maps.go
	at            *bounded   // the entries of the map, nil if the bound is that asked for
	writeOnly     bool       // nobody reads what it holds, see writeOnly
}

// pool is what one allocation that can be executed repeatedly draws from.
type pool struct {
	name string
	id   int
	objs []*object
	at   *bounded // nil if the bound is that asked for
}

// Key is the number of the pool.
func (p *pool) Key() uint64 { return uint64(p.id) }

// Addresses are those of the objects that can be the free one number k.
func (p *pool) Addresses(k int32) []int32 {
	var out []int32
	for _, o := range p.objs[k:] {
		out = append(out, o.base)
	}
	return out
}

// poolOf is the pool that an expression draws from.
func poolOf(e *sym.Expr) *pool { return e.Leaf.(*pool) }

// Key is the address of the cell.
func (c *cell) Key() uint64 { return uint64(c.addr) }

// cellOf is the cell that an expression reads.
func cellOf(e *sym.Expr) *cell { return e.Leaf.(*cell) }

// cell is one scalar of memory.
type cell struct {
	addr int32
	name string
	init int32
	abs  sym.Set // all it can hold after the start
	fix  bool
	ref  bool // it holds references
	x    *sym.Expr
	// readers are the locations whose segments depend on abs.
	readers map[*location]bool
	// accessed collects which goroutines touch the cell by plain loads and
	// stores after the start, and where.
	access   map[*template]*accessInfo
	stmts    []sites.ID
	uses     []use
	confined bool // kept within limits, see limits.go

	// varies: a segment puts something into it that is not what it always holds
	// between segments. It may be back before the next guard; others see it once
	// there is a guard in between.
	varies  bool
	open    bool               // what it holds at first is not known
	writer  *template          // that writes it first
	shared  bool               // others write it too
	loose   bool               // it is not kept by place, see places.go
	places  map[*location]bool // where somebody has asked for it by place
	payload bool               // stands for the messages of a channel
	sync    bool               // part of a synchronisation object or channel
	outside string             // why nothing is ever known of it
	group   *object
}

type accessInfo struct{ read, written bool }

// memory allocates objects.
type memory struct {
	cells  []*cell // by address; cells[0] is nil's
	owner  []*object
	keyed  map[string]*object
	pools  map[string]*pool
	order  []*pool
	tags   map[string]int32 // dynamic types of interfaces, from 1
	tagged []types.Type
	strs   map[string]int32 // string constants; "" is 0
	texts  []string
}

func newMemory() *memory {
	return &memory{
		cells: make([]*cell, 1),
		owner: make([]*object, 1),
		keyed: map[string]*object{},
		pools: map[string]*pool{},
		tags:  map[string]int32{},
		strs:  map[string]int32{"": 0},
		texts: []string{""},
	}
}

// add makes an object of size cells.
func (m *memory) add(o *object) *object {
	o.size = max(o.size, 1)
	o.base = int32(len(m.cells))
	for i := range o.size {
		addr := o.base + i
		if o.writeOnly && i > 0 { // one cell stands for all
			m.cells = append(m.cells, m.cells[o.base])
			m.owner = append(m.owner, o)
			continue
		}
		c := &cell{addr: addr, abs: sym.Single(0), readers: map[*location]bool{}, places: map[*location]bool{}, access: map[*template]*accessInfo{}, group: o}
		c.name = fmt.Sprintf("%s_%d", o.name, i)
		c.x = sym.Read(sym.OpCell, c, 0)
		if o.writeOnly {
			c.outside, c.fix, c.loose, c.open, c.abs = "the element is not kept", true, true, true, sym.Anything()
		}
		m.cells = append(m.cells, c)
		m.owner = append(m.owner, o)
	}
	return o
}

// object returns the object that an address lies in, nil for nil.
func (m *memory) object(addr int32) *object {
	if addr <= 0 || int(addr) >= len(m.owner) {
		return nil
	}
	return m.owner[addr]
}

// keyedObject returns the object with that key, made on first use.
func (m *memory) keyedObject(key string, make func() *object) *object {
	if o := m.keyed[key]; o != nil {
		return o
	}
	o := m.add(make())
	o.key = key
	m.keyed[key] = o
	return o
}

// function returns the object of a function without free variables, of that where
// it is named at a position that matters, see namedAt.
func (m *memory) function(f *ssa.Function, pos token.Pos) *object {
	return m.keyedObject(fmt.Sprintf("func %s%d@%d", f, f.Pos(), pos), func() *object {
		return &object{kind: objFunc, name: "fn_" + mangle(f.Name()), fn: f, pos: pos}
	})
}

// newData makes the cells of a value of type t.
func (x *translator) newData(name string, t types.Type) *object {
	return &object{kind: objData, name: name, size: int32(x.width(t))}
}

// newVariable makes the cells of a variable of type t. Of an array there can be
// slices: one without elements points behind the last.
func (x *translator) newVariable(name string, t types.Type) *object {
	o := x.newData(name, t)
	if at, ok := t.Underlying().(*types.Array); ok {
		if w := x.width(at.Elem()); w > 0 && int64(o.size) == int64(w)*at.Len() {
			o.elems, o.stride = int32(at.Len()), int32(w)
			o.size++
			o.writeOnly = x.writeOnly(at.Elem())
		}
	}
	return o
}

// writeOnly reports that no element of a slice or array of its own is ever read, of
// those of a type: it need not be kept what they are, only where.
func (x *translator) writeOnly(elem types.Type) bool {
	if _, ok := elem.Underlying().(*types.Basic); !ok {
		return false
	}
	return !x.sl.Classes[relevance.Elements(elem)] && !x.sl.Classes[relevance.Unknown(elem)]
}

// describe names the cells of a data object and marks those of
// synchronisation objects.
func (x *translator) describe(o *object, t types.Type) {
	if o.writeOnly {
		return
	}
	x.describeAt(o.base, o.name, t, 0)
	x.markRefs(o.base, t)
}

// markRefs marks the cells of a value of type t that hold references.
func (x *translator) markRefs(addr int32, t types.Type) {
	for i, r := range x.scalarRefs(t) {
		if c := addr + int32(i); int(c) < len(x.mem.cells) {
			x.mem.cells[c].ref = r
		}
	}
}

func (x *translator) describeAt(addr int32, name string, t types.Type, depth int) {
	cells := x.mem.cells
	if names := program.SyncCells(t); names != nil {
		for i, n := range names {
			c := cells[addr+int32(i)]
			c.name, c.sync = name+n, true
			if lim := syncLimit(t, i, x.opts); lim > 0 {
				c.abs, c.fix = sym.Range(0, lim), true
			}
		}
		return
	}
	if n := x.width(t); n == 1 {
		cells[addr].name = name
	}
	if cs := x.layout(t); cs != nil {
		for i, c := range cs {
			cells[addr+int32(i)].name = name + c.name
		}
		return
	}
	if program.IsCond(t) {
		cells[addr].name, cells[addr+1].name = name+"_L_type", name+"_L"
		for i := range int32(condWaiters) {
			c := cells[addr+condQueue+i]
			c.name, c.sync = fmt.Sprintf("%s_waiter%d", name, i), true
			c.abs, c.fix = sym.Range(0, sym.MaxProcesses), true
		}
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if x.foreign(t) {
			return
		}
		for i := range u.NumFields() {
			f := u.Field(i)
			x.describeAt(addr, name+"_"+mangle(f.Name()), f.Type(), depth+1)
			addr += int32(x.width(f.Type()))
		}
	case *types.Array:
		w := int32(x.width(u.Elem()))
		if int64(x.width(t)) < int64(w)*u.Len() {
			return
		}
		for i := range int32(u.Len()) {
			x.describeAt(addr+i*w, fmt.Sprintf("%s_%d", name, i), u.Elem(), depth+1)
		}
	case *types.Interface:
		cells[addr].name, cells[addr+1].name = name+"_type", name+"_val"
	case *types.Slice:
		cells[addr].name, cells[addr+1].name, cells[addr+2].name = name+"_ptr", name+"_len", name+"_cap"
	}
}

// maxArray is the most cells that an array inside a value may have.
const maxArray = 4096

// syncLimit bounds the counters of synchronisation objects.
func syncLimit(t types.Type, i int, opts Options) int32 {
	switch types.Unalias(t).(*types.Named).Obj().Name() {
	case "RWMutex":
		if i == 2 {
			return int32(opts.Counter)
		}
	case "WaitGroup":
		return int32(opts.Counter)
	}
	return 0
}

// foreign reports that a type is declared in a package whose source is not
// part of the program: its fields are not looked into.
func (x *translator) foreign(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && !x.prog.Translated(n.Obj().Pkg().Path())
}

// width is the number of scalars of a value of type t.
func (x *translator) width(t types.Type) int {
	if w, ok := x.widths[t]; ok {
		return w
	}
	w := x.widthOf(t)
	x.widths[t] = w
	return w
}

func (x *translator) widthOf(t types.Type) int {
	if names := program.SyncCells(t); names != nil {
		return len(names)
	}
	if program.IsCond(t) {
		return condQueue + condWaiters
	}
	if cs := x.layout(t); cs != nil {
		return len(cs)
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return 2
	case *types.Slice:
		return 3
	case *types.Struct:
		if x.foreign(t) {
			return 1
		}
		w := 0
		for i := range u.NumFields() {
			w += x.width(u.Field(i).Type())
		}
		return w
	case *types.Array:
		if u.Len() > maxArray {
			return 1
		}
		if w := int64(x.width(u.Elem())) * u.Len(); w <= maxArray {
			return int(w)
		}
		return 1
	case *types.Tuple:
		w := 0
		for i := range u.Len() {
			w += x.width(u.At(i).Type())
		}
		return w
	}
	return 1
}

// fieldOffset is the offset of field i in a struct.
func (x *translator) fieldOffset(st *types.Struct, i int) int {
	off := 0
	for k := range i {
		off += x.width(st.Field(k).Type())
	}
	return off
}

// tag numbers the dynamic types of interfaces.
func (m *memory) tag(t types.Type) int32 {
	k := program.TypeKey(t) + declaredIn(t)
	if n, ok := m.tags[k]; ok {
		return n
	}
	m.tagged = append(m.tagged, t)
	n := int32(len(m.tagged))
	m.tags[k] = n
	return n
}

// declaredIn tells types apart that functions declare by the same name.
func declaredIn(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Parent() == nil || n.Obj().Parent() == n.Obj().Pkg().Scope() {
		return ""
	}
	return fmt.Sprintf("@%d", n.Obj().Pos())
}

func (m *memory) typeOf(tag int32) types.Type {
	if tag < 1 || int(tag) > len(m.tagged) {
		return nil
	}
	return m.tagged[tag-1]
}

// text numbers string constants.
func (m *memory) text(s string) int32 {
	if n, ok := m.strs[s]; ok {
		return n
	}
	n := int32(len(m.texts))
	m.strs[s] = n
	m.texts = append(m.texts, s)
	return n
}

// textOf is the text of a number, if there is one.
func (m *memory) textOf(n int32) (s string, ok bool) {
	if n < 0 || int(n) >= len(m.texts) {
		return "", false
	}
	return m.texts[n], true
}

// mangle makes a Go name part of a name of the model.
func mangle(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			b.WriteRune(r)
		case r == '$' || r == '.' || r == '-' || r == '#':
			b.WriteByte('_')
		case r > 127:
			fmt.Fprintf(&b, "u%x", r)
		}
	}
	if b.Len() == 0 {
		return "x"
	}
	return b.String()
}
