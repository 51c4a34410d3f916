package promela

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// Variables are split into arrays of integers, one for each path of struct
// fields: a variable of type struct { int a; bool b[2]; }[3] becomes an array
// of 3 and one of 6.

// variable is the storage of a variable.
type variable struct {
	key    varKey
	name   string
	local  bool
	leaves []leaf
	init   map[string][]int32 // by path
}

// leaf is one of the arrays that a type is split into.
type leaf struct {
	path  string // "_0_1": the first field, the second field of that
	n     int
	array bool // else n is 1 and it is written without index
	typ   uppaal.Type
}

func leavesOf(t uppaal.Type) []leaf {
	switch t := t.(type) {
	case *uppaal.Array:
		list := leavesOf(t.Elem)
		for i := range list {
			list[i].n *= t.Len()
			list[i].array = true
		}
		return list
	case *uppaal.Struct:
		var list []leaf
		for i, f := range t.Fields {
			for _, l := range leavesOf(f.Type) {
				l.path = fmt.Sprintf("_%d", i) + l.path
				list = append(list, l)
			}
		}
		return list
	case uppaal.Void, nil:
		return nil
	}
	return []leaf{{n: 1, typ: t}}
}

// spread distributes flattened values over the arrays.
func spread(t uppaal.Type, values []int32) map[string][]int32 {
	out := map[string][]int32{}
	k := 0
	var walk func(t uppaal.Type, path string)
	walk = func(t uppaal.Type, path string) {
		switch t := t.(type) {
		case *uppaal.Array:
			for range t.Len() {
				walk(t.Elem, path)
			}
		case *uppaal.Struct:
			for i, f := range t.Fields {
				walk(f.Type, fmt.Sprintf("%s_%d", path, i))
			}
		default:
			out[path] = append(out[path], values[k])
			k++
		}
	}
	walk(t, "")
	return out
}

// identifier keeps what an identifier of C may hold.
func identifier(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, name)
}

func isChan(t uppaal.Type) (uppaal.Chan, bool) {
	switch t := t.(type) {
	case uppaal.Chan:
		return t, true
	case *uppaal.Array:
		return isChan(t.Elem)
	}
	return uppaal.Chan{}, false
}

// layout gives every variable and channel its storage.
func (x *exporter) layout() {
	broadcast := maxChannels + 1 // numbers only, without a queue
	var pending []func()
	add := func(v *uppaal.Var, proc int, name string) {
		k := varKey{v, proc}
		if ch, ok := isChan(v.Type); ok {
			if ch.Broadcast {
				pending = append(pending, func() {
					x.channels[k] = broadcast
					broadcast += uppaal.Size(v.Type)
				})
				return
			}
			x.channels[k] = x.binary
			if x.binary += uppaal.Size(v.Type); x.binary-2 > maxChannels {
				failf(v.Pos, "Spin has at most %d channels", maxChannels)
			}
			return
		}
		if v.Const {
			return
		}
		x.metas = x.metas || v.Meta
		values := make([]int32, 0, uppaal.Size(v.Type))
		uppaal.Leaves(v.Type, func(suffix string, _ uppaal.Type) {
			value, ok := x.initial[name+suffix]
			if !ok {
				failf(v.Pos, "the initial value of %s is not known", name+suffix)
			}
			values = append(values, value)
		})
		s := &variable{key: k, local: proc >= 0 && !x.global[k] && !v.Meta, leaves: leavesOf(v.Type), init: spread(v.Type, values)}
		s.name = x.fresh("v") + "_" + identifier(v.Name)
		x.vars[k] = s
		x.order = append(x.order, s)
	}
	for _, v := range x.info.Globals {
		add(v, -1, v.Name)
	}
	for i, p := range x.info.Processes {
		for _, a := range p.Args {
			if a.Ref == nil {
				add(a.Param, i, p.Name+"."+a.Param.Name)
			}
		}
		for _, v := range x.info.Locals[p.Template] {
			add(v, i, p.Name+"."+v.Name)
		}
	}
	for _, f := range pending {
		f()
	}
}

// declare writes the declarations of the variables for which want holds.
func (x *exporter) declare(indent string, want func(*variable) bool) string {
	var b strings.Builder
	for _, s := range x.order {
		if !want(s) {
			continue
		}
		for _, l := range s.leaves {
			init := s.init[l.path]
			fmt.Fprintf(&b, "%s%s %s%s", indent, promelaType(l.typ), s.name, l.path)
			if l.array {
				fmt.Fprintf(&b, "[%d]", l.n)
			}
			switch {
			case !slices.ContainsFunc(init, func(v int32) bool { return v != init[0] }):
				if init[0] != 0 {
					fmt.Fprintf(&b, " = %s", lit(int64(init[0])).text)
				}
			default:
				text := make([]string, len(init))
				for i, v := range init {
					text[i] = lit(int64(v)).text
				}
				fmt.Fprintf(&b, " = { %s }", strings.Join(text, ", "))
			}
			b.WriteString(";\n")
		}
	}
	return b.String()
}

// promelaType is the smallest type that holds the values.
func promelaType(t uppaal.Type) string {
	lo, hi, _ := uppaal.Range(t)
	switch {
	case lo >= 0 && hi <= 1:
		return "bool"
	case lo >= 0 && hi <= 255:
		return "byte"
	case lo >= -32768 && hi <= 32767:
		return "short"
	}
	return "int"
}

// declarations writes what is global.
func (x *exporter) declarations() {
	x.printf("%s", x.declare("", func(s *variable) bool { return !s.local }))
	for i, p := range x.info.Processes {
		if x.tracked[i] {
			x.printf("%s %s = %d; /* location of %s */\n", promelaType(uppaal.Int{Hi: int32(len(p.Template.Locations))}), locationVar(i), slices.Index(p.Template.Locations, p.Template.Init), comment(p.Name))
			if slices.ContainsFunc(x.options[i], (*option).hears) {
				x.printf("short %s; /* how it takes part in a broadcast */\n", choiceVar(i))
			}
		}
	}
	if x.committed {
		n := 0
		for _, p := range x.info.Processes {
			if p.Template.Init.Urgency == uppaal.Committed {
				n++
			}
		}
		x.printf("byte committed = %d; /* processes in committed locations */\n", n)
	}
	if x.ids {
		x.printf("short sender;\n")
	}
	if x.binary > 2 {
		x.printf("chan ch[%d] = [0] of { bit, short }; /* ch[0] and ch[1] are dead */\n", x.binary)
	}
	if x.functions.Len() > 0 {
		// Spin bounds the text of one block.
		block := []byte(helpers)
		for line := range bytes.Lines(x.functions.Bytes()) {
			if len(block)+len(line) > maxBlock {
				x.printf("c_code {\n%s}\n", block)
				block = nil
			}
			block = append(block, line...)
		}
		x.printf("c_code {\n%s}\n", block)
	}
	x.printf("\n")
}

func locationVar(proc int) string { return fmt.Sprintf("at%d", proc) }
func choiceVar(proc int) string   { return fmt.Sprintf("hears%d", proc) }

// maxBlock is the size in bytes up to which functions share a block of embedded C.
const maxBlock = 1 << 15

// helpers are the C functions that embedded code uses.
const helpers = `extern void (*uerror)(char *);
static int bad(char *why) { uerror(why); return 0; }
static inline int ck(int v, int lo, int hi) { if (v < lo || v > hi) bad("value out of range"); return v; }
static inline int ix(int i, int lo, int hi) { if (i < lo || i > hi) { bad("index out of range"); return 0; } return i - lo; }
static inline int dv(int a, int b) { return b == 0 ? bad("division by zero") : b == -1 ? -a : a / b; }
static inline int md(int a, int b) { return b == 0 ? bad("division by zero") : b == -1 ? 0 : a % b; }
static inline int sl(int a, int b) { return b < 0 ? bad("negative shift") : b > 31 ? 0 : (int)((unsigned)a << b); }
static inline int sr(int a, int b) { return b < 0 ? bad("negative shift") : b > 31 ? a >> 31 : a >> b; }
static inline int mn(int a, int b) { return a < b ? a : b; }
static inline int mx(int a, int b) { return a > b ? a : b; }
static inline int pw(int a, int b) { int p = 1; if (b < 0) return bad("negative exponent"); for (; b > 0; b >>= 1) { if (b & 1) p *= a; a *= a; } return p; }
`
