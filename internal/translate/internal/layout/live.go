package layout

import (
	"sort"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/state"
)

// order numbers the values of a function, for sorting.
func (l *Layout) order(f *ssa.Function) map[ssa.Value]int {
	if o := l.orders[f]; o != nil {
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
	l.orders[f] = o
	return o
}

// Live lists the values that a control state needs, innermost frame last.
func (l *Layout) Live(frames []*state.Frame) []state.VarKey {
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
		in := l.prog.Function(f.Call.Fn)
		var live map[ssa.Value]bool
		var except ssa.Value
		switch {
		case f.Unwind != nil:
			live = map[ssa.Value]bool{}
			if r := f.Call.Fn.Recover; r != nil {
				live = l.sl.LiveIn[f.Call.Fn][r.Index]
			}
		case top:
			live = l.sl.LiveBefore(in, f.Block, f.Idx)
		default:
			live = l.sl.LiveBefore(in, f.Block, f.Idx+1)
			except, _ = f.Block.Instrs[f.Idx].(ssa.Value)
		}
		ord := l.order(f.Call.Fn)
		vals := make([]ssa.Value, 0, len(live))
		for v := range live {
			if v != except {
				vals = append(vals, v)
			}
		}
		sort.Slice(vals, func(i, j int) bool { return ord[vals[i]] < ord[vals[j]] })
		for _, v := range vals {
			for c := range l.ValueWidth(v) {
				out = append(out, state.VarKey{Call: f.Call, V: v, Comp: c})
			}
		}
		for _, d := range f.Defers {
			for c := range l.deferWidth(d) {
				out = append(out, state.VarKey{Call: f.Call, V: d, Comp: c})
			}
		}
		if f.Unwind != nil && !f.Unwind.Goexit {
			out = append(out, state.VarKey{Call: f.Call, V: state.PanicKey{}, Comp: 0}, state.VarKey{Call: f.Call, V: state.PanicKey{}, Comp: 1})
		}
	}
	return out
}

// VarName makes a readable name for a value.
func (l *Layout) VarName(k state.VarKey) string {
	s := "v"
	switch v := k.V.(type) {
	case ssa.Value:
		s = state.Identifier(v.Name())
		if n := l.SourceName(v); n != "" {
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

// SourceName is the name of the variable that a value is of, by its debug
// references.
func (l *Layout) SourceName(v ssa.Value) string {
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
