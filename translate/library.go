package translate

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/translate/internal/program"
)

// Calls of functions whose source is not part of the program are left out of
// the model. That loses something only where such a function is given what it
// can act on: a channel, a synchronisation object, or code of the program that
// matters to its concurrency, as a function or as the methods of a value. These
// calls are recorded.

// leftOut records the calls that leave something out.
func (x *translator) leftOut() {
	for _, f := range x.prog.Funcs {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				call, ok := instr.(ssa.CallInstruction)
				if !ok {
					continue
				}
				x.leftOutBehind(call)
				callee, pkg, outside := x.outside(call)
				if !outside {
					continue
				}
				if rendezvous[callee] {
					x.approximation(x.callPos(call), "unknown-call", artifact.DirectionUnder, callee+" makes what goroutines wait for each other at; that is not in the model")
				}
				for _, a := range program.Arguments(call) {
					if what := x.actsOn(a, callee); what != "" {
						reason := fmt.Sprintf("%s may use %s that is passed to it", callee, what)
						if host, _, _ := strings.Cut(pkg, "/"); strings.Contains(host, ".") {
							reason += "; package " + pkg + " is not among the dependencies that are checked"
						}
						x.approximation(x.callPos(call), "unknown-call", artifact.DirectionUnder, reason)
						break
					}
				}
			}
		}
	}
}

// rendezvous are the functions that return pairs of which one waits for the other. What
// they return is read and written through interfaces of all kinds, so that it is for the
// call itself that the result says so.
var rendezvous = map[string]bool{
	"io.Pipe": true, "net.Pipe": true, "os.Pipe": true, "net.Listen": true, "net/http/httptest.NewServer": true,
}

func (x *translator) callPos(call ssa.CallInstruction) token.Pos {
	if pos := x.prog.Function(call.Parent()).Positions[call]; pos.IsValid() {
		return pos
	}
	if call.Pos().IsValid() {
		return call.Pos()
	}
	return call.Parent().Pos() // of a wrapper: the method that it is for
}

// outside names the function that a call calls, and the package of it if that is
// known, if it is one that the model knows nothing of.
func (x *translator) outside(call ssa.CallInstruction) (name, pkg string, ok bool) {
	c := call.Common()
	if _, isBuiltin := c.Value.(*ssa.Builtin); isBuiltin {
		return "", "", false
	}
	callees := x.prog.Callees(call)
	for _, f := range callees {
		if f.Blocks == nil && intrinsicOf(f) == nil {
			if f.Object() != nil && f.Object().Pkg() != nil {
				pkg = f.Object().Pkg().Path()
			}
			return program.FullName(f), pkg, true
		}
	}
	if len(callees) == 0 && c.IsInvoke() && !program.LockerMethod(c.Method) {
		return c.Method.FullName(), "", true
	}
	return "", "", false
}

// printed are the methods by which the library prints and encodes a value that
// it knows nothing of.
var printed = map[string]bool{"String": true, "Error": true, "GoString": true, "Format": true, "LogValue": true,
	"MarshalJSON": true, "MarshalText": true, "MarshalBinary": true, "MarshalXML": true, "GobEncode": true,
	"UnmarshalJSON": true, "UnmarshalText": true, "UnmarshalBinary": true, "UnmarshalXML": true, "GobDecode": true,
	"Scan": true, "Value": true, "Set": true}

// actsOn says what the library can act on through an argument, "" if nothing.
func (x *translator) actsOn(a ssa.Value, callee string) string {
	switch v := a.(type) {
	case *ssa.Const:
		return ""
	case *ssa.Function:
		if x.touches(v, map[*ssa.Function]bool{}) {
			return "the function " + v.Name()
		}
		return ""
	case *ssa.MakeClosure:
		if f := v.Fn.(*ssa.Function); x.touches(f, map[*ssa.Function]bool{}) {
			return "the function " + f.Name()
		}
		return ""
	case *ssa.ChangeType:
		return x.actsOn(v.X, callee)
	case *ssa.ChangeInterface:
		return x.actsOn(v.X, callee)
	case *ssa.MakeMap: // of functions, for instance
		for _, r := range *v.Referrers() {
			if u, ok := r.(*ssa.MapUpdate); ok && u.Map == a {
				if what := x.actsOn(u.Value, callee); what != "" {
					return what
				}
			}
		}
		return ""
	case *ssa.MakeInterface:
		t := v.X.Type()
		if len(callee) > 8 && callee[:8] == "reflect." && (program.IsChan(t) || program.IsFunc(t)) {
			return "the " + program.TypeKey(t)
		}
		if program.IsFunc(t) {
			return x.actsOn(v.X, callee)
		}
		target, ok := a.Type().Underlying().(*types.Interface)
		if !ok {
			return ""
		}
		ms := x.prog.SSA.MethodSets.MethodSet(t)
		for i := range ms.Len() {
			m, ok := ms.At(i).Obj().(*types.Func)
			if !ok || !m.Exported() {
				continue
			}
			asked := printed[m.Name()]
			for k := range target.NumMethods() {
				asked = asked || target.Method(k).Name() == m.Name()
			}
			if f := x.prog.SSA.FuncValue(m); asked && f != nil && x.touches(f, map[*ssa.Function]bool{}) {
				return "the method " + m.Name() + " of a value"
			}
		}
		if program.IsSync(t) {
			return "the " + program.TypeKey(t)
		}
		return ""
	}
	t := a.Type()
	switch {
	case program.IsChan(t):
		return "the channel"
	case program.IsFunc(t):
		return "the function"
	case program.IsSync(t):
		return "the " + program.TypeKey(t)
	case program.IsError(t):
		return ""
	}
	// A value of any type that has the methods.
	if iface, ok := t.Underlying().(*types.Interface); ok {
		for m := range iface.Methods() {
			for _, f := range x.prog.CalledMethods(a, []string{m.Name()}) {
				if m.Exported() && x.touches(f, map[*ssa.Function]bool{}) {
					return "the method " + m.Name() + " of a value"
				}
			}
		}
	}
	return ""
}

// touches reports that a function has operations, or calls functions that have
// some; unlike the slice it also knows functions that only the library calls.
func (x *translator) touches(f *ssa.Function, seen map[*ssa.Function]bool) bool {
	if x.sl.Funcs[f] {
		return true
	}
	if seen[f] {
		return false
	}
	seen[f] = true
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			if x.sl.Seed(instr) {
				return true
			}
			if call, ok := instr.(ssa.CallInstruction); ok {
				for _, g := range x.prog.Callees(call) {
					if x.touches(g, seen) {
						return true
					}
				}
			}
		}
	}
	return false
}
