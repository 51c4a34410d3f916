package state

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// Memory allocates objects.
type Memory struct {
	Cells  []*Cell // by address; cells[0] is nil's
	Owner  []*Object
	Keyed  map[string]*Object
	Pools  map[string]*Pool
	Order  []*Pool
	tags   map[string]int32 // dynamic types of interfaces, from 1
	tagged []types.Type
	strs   map[string]int32 // string constants; "" is 0
	texts  []string
}

// NewMemory is one without objects.
func NewMemory() *Memory {
	return &Memory{
		Cells: make([]*Cell, 1),
		Owner: make([]*Object, 1),
		Keyed: map[string]*Object{},
		Pools: map[string]*Pool{},
		tags:  map[string]int32{},
		strs:  map[string]int32{"": 0},
		texts: []string{""},
	}
}

// Add makes an object of size cells.
func (m *Memory) Add(o *Object) *Object {
	o.Size = max(o.Size, 1)
	o.Base = int32(len(m.Cells))
	for i := range o.Size {
		addr := o.Base + i
		if o.WriteOnly && i > 0 { // one cell stands for all
			m.Cells = append(m.Cells, m.Cells[o.Base])
			m.Owner = append(m.Owner, o)
			continue
		}
		c := &Cell{Addr: addr, Abs: sym.Single(0), Readers: map[*Location]bool{}, AskedAt: map[*Location]bool{}, Access: map[*Template]*Access{}, Group: o}
		c.Name = fmt.Sprintf("%s_%d", o.Name, i)
		c.Expr = sym.Read(sym.OpCell, c, 0)
		if o.WriteOnly {
			c.Outside, c.Fix, c.Loose, c.Open, c.Abs = "the element is not kept", true, true, true, sym.Anything()
		}
		m.Cells = append(m.Cells, c)
		m.Owner = append(m.Owner, o)
	}
	return o
}

// Object returns the object that an address lies in, nil for nil.
func (m *Memory) Object(addr int32) *Object {
	if addr <= 0 || int(addr) >= len(m.Owner) {
		return nil
	}
	return m.Owner[addr]
}

// KeyedObject returns the object with that key, made on first use.
func (m *Memory) KeyedObject(key string, make func() *Object) *Object {
	if o := m.Keyed[key]; o != nil {
		return o
	}
	o := m.Add(make())
	o.Key = key
	m.Keyed[key] = o
	return o
}

// Function returns the object of a function without free variables, of that where
// it is named at a position that matters, see namedAt.
func (m *Memory) Function(f *ssa.Function, pos token.Pos) *Object {
	return m.KeyedObject(fmt.Sprintf("func %s%d@%d", f, f.Pos(), pos), func() *Object {
		return &Object{Kind: FunctionObject, Name: "fn_" + Identifier(f.Name()), Fn: f, Pos: pos}
	})
}

// Tag numbers the dynamic types of interfaces.
func (m *Memory) Tag(t types.Type) int32 {
	k := program.TypeKey(t) + declaredIn(t)
	if n, ok := m.tags[k]; ok {
		return n
	}
	m.tagged = append(m.tagged, t)
	n := int32(len(m.tagged))
	m.tags[k] = n
	return n
}

// TypeOf is the dynamic type of a number, nil for none.
func (m *Memory) TypeOf(tag int32) types.Type {
	if tag < 1 || int(tag) > len(m.tagged) {
		return nil
	}
	return m.tagged[tag-1]
}

// Text numbers string constants.
func (m *Memory) Text(s string) int32 {
	if n, ok := m.strs[s]; ok {
		return n
	}
	n := int32(len(m.texts))
	m.strs[s] = n
	m.texts = append(m.texts, s)
	return n
}

// TextOf is the text of a number, if there is one.
func (m *Memory) TextOf(n int32) (s string, ok bool) {
	if n < 0 || int(n) >= len(m.texts) {
		return "", false
	}
	return m.texts[n], true
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

// Identifier makes a Go name part of a name of the model.
func Identifier(s string) string {
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

// Objects lists all objects in order of address.
func (m *Memory) Objects() []*Object {
	var out []*Object
	for _, o := range m.Owner {
		if o != nil && (len(out) == 0 || out[len(out)-1] != o) {
			out = append(out, o)
		}
	}
	return out
}

// Pooled reports that a value can refer to an object of a pool.
func (m *Memory) Pooled(a sym.Set) bool {
	if a.Interval || a.Top {
		return false
	}
	for _, k := range a.Elems {
		if o := m.Object(k); o != nil && o.Pool != nil {
			return true
		}
	}
	return false
}

// Holds reports that what is live at a location needs a place in the state: also
// the only object that it can refer to there, if that is one of a pool, since it is
// free where nothing refers to it.
func (m *Memory) Holds(lv LiveValue, a sym.Set) bool {
	return Stored(a) || lv.Variable.Refs && m.Pooled(a)
}
