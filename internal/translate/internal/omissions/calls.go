package omissions

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
	"github.com/vtrace/vtrace/internal/translate/internal/termination"
)

// A Finder finds what the model leaves out of a program.
type Finder struct {
	prog  *program.Program
	sl    *relevance.Slice
	loops *termination.Loops
	note  Note
	sets  *bool // something by package reflect; nil: it is not known
}

// A Note records what is left out at a position.
type Note func(pos token.Pos, kind, direction, reason string)

// New makes a finder for a program, which notes with record what it finds.
func New(prog *program.Program, sl *relevance.Slice, loops *termination.Loops, record Note) *Finder {
	return &Finder{prog: prog, sl: sl, loops: loops, note: record}
}

// Calls notes the calls that leave something out.
func (o *Finder) Calls() {
	for _, f := range o.prog.Funcs {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				call, ok := instr.(ssa.CallInstruction)
				if !ok {
					continue
				}
				o.behind(call)
				callee, pkg, outside := o.outside(call)
				if !outside {
					continue
				}
				if rendezvous[callee] {
					o.note(o.callPos(call), "unknown-call", artifact.DirectionUnder, callee+" makes what goroutines wait for each other at; that is not in the model")
				}
				for _, a := range program.Arguments(call) {
					if what := o.actsOn(a, callee); what != "" {
						reason := fmt.Sprintf("%s may use %s that is passed to it", callee, what)
						if host, _, _ := strings.Cut(pkg, "/"); strings.Contains(host, ".") {
							reason += "; package " + pkg + " is not among the dependencies that are checked"
						}
						o.note(o.callPos(call), "unknown-call", artifact.DirectionUnder, reason)
						break
					}
				}
				if what := o.written(call, pkg); what != "" {
					o.note(o.callPos(call), "library-write", artifact.DirectionUnder, fmt.Sprintf("%s may write %s that it is given, which is not in the model", callee, what))
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

// callPos is where a call stands.
func (o *Finder) callPos(call ssa.CallInstruction) token.Pos {
	if pos := o.prog.Function(call.Parent()).Positions[call]; pos.IsValid() {
		return pos
	}
	if call.Pos().IsValid() {
		return call.Pos()
	}
	return call.Parent().Pos() // of a wrapper: the method that it is for
}

// outside names the function that a call calls, and the package of it if that is
// known, if it is one that the model knows nothing of.
func (o *Finder) outside(call ssa.CallInstruction) (name, pkg string, ok bool) {
	c := call.Common()
	if _, isBuiltin := c.Value.(*ssa.Builtin); isBuiltin {
		return "", "", false
	}
	callees := o.prog.Callees(call)
	for _, f := range callees {
		op := o.prog.Operation(f)
		// What has methods of the library, as sort.IntSlice has, is sorted out of the program.
		sorts := op != nil && len(op.Methods) > 0 && len(o.prog.CalledMethods(c.Args[0], op.Methods)) == 0
		if f.Blocks == nil && (op == nil || sorts) {
			if f.Origin() != nil {
				f = f.Origin()
			}
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
func (o *Finder) actsOn(a ssa.Value, callee string) string {
	switch v := a.(type) {
	case *ssa.Const:
		return ""
	case *ssa.Function:
		if o.touches(v, map[*ssa.Function]bool{}) {
			return "the function " + v.Name()
		}
		return ""
	case *ssa.MakeClosure:
		if f := v.Fn.(*ssa.Function); o.touches(f, map[*ssa.Function]bool{}) {
			return "the function " + f.Name()
		}
		return ""
	case *ssa.ChangeType:
		return o.actsOn(v.X, callee)
	case *ssa.ChangeInterface:
		return o.actsOn(v.X, callee)
	case *ssa.MakeMap: // of functions, for instance
		for _, r := range *v.Referrers() {
			if u, ok := r.(*ssa.MapUpdate); ok && u.Map == a {
				if what := o.actsOn(u.Value, callee); what != "" {
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
			return o.actsOn(v.X, callee)
		}
		target, ok := a.Type().Underlying().(*types.Interface)
		if !ok {
			return ""
		}
		ms := o.prog.SSA.MethodSets.MethodSet(t)
		for i := range ms.Len() {
			m, ok := ms.At(i).Obj().(*types.Func)
			if !ok || !m.Exported() {
				continue
			}
			asked := printed[m.Name()]
			for k := range target.NumMethods() {
				asked = asked || target.Method(k).Name() == m.Name()
			}
			if f := o.prog.SSA.FuncValue(m); asked && f != nil && o.touches(f, map[*ssa.Function]bool{}) {
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
			for _, f := range o.prog.CalledMethods(a, []string{m.Name()}) {
				if m.Exported() && o.touches(f, map[*ssa.Function]bool{}) {
					return "the method " + m.Name() + " of a value"
				}
			}
		}
	}
	return ""
}

// touches reports that a function has operations, writes memory that the model has, or calls
// functions that do; unlike the slice it also knows functions that only the library calls.
func (o *Finder) touches(f *ssa.Function, seen map[*ssa.Function]bool) bool {
	if o.sl.Funcs[f] {
		return true
	}
	if seen[f] {
		return false
	}
	seen[f] = true
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			if o.sl.Seed(instr) || o.sl.WritesKept(instr) {
				return true
			}
			if call, ok := instr.(ssa.CallInstruction); ok {
				for _, g := range o.prog.Callees(call) {
					if o.touches(g, seen) {
						return true
					}
				}
				for _, a := range call.Common().Args { // what is called may call it
					if c, ok := a.(*ssa.MakeClosure); ok {
						a = c.Fn
					}
					if g, ok := a.(*ssa.Function); ok && o.touches(g, seen) {
						return true
					}
				}
			}
		}
	}
	return false
}

// behind notes what a call through an interface leaves out: a function whose type has a
// method of which the model knows nothing.
func (o *Finder) behind(call ssa.CallInstruction) {
	for _, m := range o.prog.FunctionMethods(call.Common()) {
		if o.prog.Operation(m) != nil {
			continue
		}
		for _, f := range o.prog.Funcs {
			for _, b := range f.Blocks {
				for _, instr := range b.Instrs {
					c, ok := instr.(*ssa.ChangeType)
					if !ok || !types.Identical(c.Type(), m.Signature.Recv().Type()) {
						continue
					}
					if what := o.actsOn(c.X, program.FullName(m)); what != "" {
						o.note(o.callPos(call), "unknown-call", artifact.DirectionUnder, fmt.Sprintf("%s may use %s that it is a method of", program.FullName(m), what))
						return
					}
				}
			}
		}
	}
}
