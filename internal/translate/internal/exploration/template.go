package exploration

import (
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/state"
)

// Context is the activation that an instruction of another activation calls, the nth of its kind there.
// what names it where it has no function.
func (x *Explorer) Context(t *state.Template, parent *state.CallPath, site ssa.Instruction, nth int, fn *ssa.Function, what string) *state.CallPath {
	inLoop := false
	if site != nil && site.Parent() != nil && parent != nil && parent.Fn == site.Parent() {
		_, isDefer := site.(*ssa.Defer)
		inLoop = !isDefer && x.Program.Function(site.Parent()).InCycle[site.Block().Index]
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
