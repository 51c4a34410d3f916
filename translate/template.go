package translate

import (
	"sort"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/translate/internal/state"
)

func (x *translator) context(t *state.Template, parent *state.CallPath, site ssa.Instruction, nth int, fn *ssa.Function, what string) *state.CallPath {
	inLoop := false
	if site != nil && site.Parent() != nil && parent != nil && parent.Fn == site.Parent() {
		_, isDefer := site.(*ssa.Defer)
		inLoop = !isDefer && x.prog.Function(site.Parent()).InCycle[site.Block().Index]
	}
	name := ""
	if fn != nil {
		if name = x.names[fn]; name == "" {
			name = fn.String() + "@" + strconv.Itoa(int(fn.Pos()))
			x.names[fn] = name
		}
	}
	return t.Call(state.CallPath{Parent: parent, Site: site, Nth: nth, Fn: fn, What: what, InLoop: inLoop}, name)
}

// order numbers the values of a function, for sorting.
func (x *translator) order(f *ssa.Function) map[ssa.Value]int {
	if o := x.orders[f]; o != nil {
		return o
	}
	o := map[ssa.Value]int{}
	for _, p := range f.Params {
		o[p] = len(o)
	}
	for _, v := range f.FreeVars {
		o[v] = len(o)
	}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if v, ok := in.(ssa.Value); ok {
				o[v] = len(o)
			}
		}
	}
	x.orders[f] = o
	return o
}

// liveOf lists the values that a control state needs, innermost frame last.
func (x *translator) liveOf(frames []*state.Frame) []state.VarKey {
	var out []state.VarKey
	for i, f := range frames {
		top := i == len(frames)-1
		if f.Op != nil {
			for k, comps := range f.Target.Args {
				for c := range comps {
					out = append(out, state.VarKey{Call: f.Call, V: state.ArgKey(k), Comp: c})
				}
			}
			continue
		}
		in := x.prog.Function(f.Call.Fn)
		var live map[ssa.Value]bool
		var except ssa.Value
		switch {
		case f.Unwind != nil:
			live = map[ssa.Value]bool{}
			if r := f.Call.Fn.Recover; r != nil {
				live = x.sl.LiveIn[f.Call.Fn][r.Index]
			}
		case top:
			live = x.sl.LiveBefore(in, f.Block, f.Idx)
		default:
			live = x.sl.LiveBefore(in, f.Block, f.Idx+1)
			except, _ = f.Block.Instrs[f.Idx].(ssa.Value)
		}
		ord := x.order(f.Call.Fn)
		vals := make([]ssa.Value, 0, len(live))
		for v := range live {
			if v != except {
				vals = append(vals, v)
			}
		}
		sort.Slice(vals, func(i, j int) bool { return ord[vals[i]] < ord[vals[j]] })
		for _, v := range vals {
			for c := range x.valueWidth(v) {
				out = append(out, state.VarKey{Call: f.Call, V: v, Comp: c})
			}
		}
		for _, d := range f.Defers {
			for c := range x.deferWidth(f.Call, d) {
				out = append(out, state.VarKey{Call: f.Call, V: d, Comp: c})
			}
		}
		if f.Unwind != nil && !f.Unwind.Goexit {
			out = append(out, state.VarKey{Call: f.Call, V: state.PanicKey{}, Comp: 0}, state.VarKey{Call: f.Call, V: state.PanicKey{}, Comp: 1})
		}
	}
	return out
}

// varName makes a readable name for a value.
func (x *translator) varName(k state.VarKey) string {
	s := "v"
	switch v := k.V.(type) {
	case ssa.Value:
		s = state.Identifier(v.Name())
		if n := x.sourceName(v); n != "" {
			s = state.Identifier(n)
		}
	case state.ArgKey:
		s = "arg" + strconv.Itoa(int(v))
	case state.DeferKey:
		s = "defer"
	case state.PanicKey:
		s = "panic"
	}
	if k.Call.Fn != nil {
		s = state.Identifier(k.Call.Fn.Name()) + "_" + s
	}
	return s
}

// sourceName is the name of the variable that a value is of, by its debug
// references.
func (x *translator) sourceName(v ssa.Value) string {
	refs := v.Referrers()
	if refs == nil {
		return ""
	}
	if a, ok := v.(*ssa.Alloc); ok {
		return a.Comment
	}
	if p, ok := v.(*ssa.Phi); ok {
		return p.Comment
	}
	for _, r := range *refs {
		if d, ok := r.(*ssa.DebugRef); ok && d.Object() != nil {
			return d.Object().Name()
		}
	}
	return ""
}
