package driver

import (
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
)

// Class says whose error it is that a driver has shown.
type Class string

// The classes of errors.
const (
	Alarm      Class = "alarm"       // of the function
	Refused    Class = "refused"     // the function panics for these values, whatever the schedule
	ByContract Class = "by contract" // it waits for what another caller would do, or the driver has broken a rule
	Slow       Class = "slow"        // only if a goroutine is held while an hour passes
)

// Judgement is the class of a finding, and why, "" for an alarm.
type Judgement struct {
	Class  Class
	Reason string
}

// Judge says whose error a finding is that the driver of a valuation has shown. Positions of files that are
// not of the packages, and goroutines without a stack, speak for an alarm.
func (p *Plan) Judge(f *Function, v Valuation, finding artifact.Finding) Judgement {
	j := judge{finder: p.finder, function: f, called: v.called, finding: finding}
	if finding.Stall == artifact.StallLong {
		return Judgement{Slow, "only if a goroutine is held while an hour passes"}
	}
	switch finding.Kind {
	case artifact.KindPanic, artifact.KindNilCall:
		return j.panics()
	case artifact.KindDeadlock, artifact.KindPartialDeadlock, artifact.KindLeak:
		return j.stuck()
	case artifact.KindExit, artifact.KindTestFailure:
		return Judgement{ByContract, "the function ends the process"}
	}
	if inDriver(finding.File) {
		return Judgement{ByContract, "it is the driver that does this"}
	}
	return Judgement{Class: Alarm}
}

type judge struct {
	*finder
	function *Function
	called   []*types.Func
	finding  artifact.Finding
}

func inDriver(file string) bool { return filepath.Base(file) == File }

// panics judges a panic: one in the goroutine that calls the function, before anything else can come between, is how
// the function says that it is not for these values.
func (j *judge) panics() Judgement {
	g := j.finding.Goroutines
	switch {
	case inDriver(j.finding.File):
		return Judgement{ByContract, "the driver could make no better value"}
	case len(g) == 0 || g[0].G != "0":
		return Judgement{Class: Alarm}
	case strings.HasPrefix(j.finding.Message, "panic: runtime error"):
		return Judgement{Refused, "the function panics for these values"}
	}
	return Judgement{Refused, "the function panics for these values, and says so"}
}

// stuck judges goroutines that can never go on. Those that wait for what nobody else can do are the function's fault. If each of them
// waits on something on which an exported function works that the driver has not called, another caller might let it go on.
func (j *judge) stuck() Judgement {
	var open []string
	for _, g := range j.finding.Goroutines {
		if g.State != artifact.StateBlocked || len(g.Stack) == 0 {
			continue
		}
		if !slices.ContainsFunc(g.Stack, func(frame string) bool { return !inDriver(frameFile(frame)) }) {
			continue // of the driver
		}
		file, line := frameAt(g.Stack[0])
		who := j.partner(file, line)
		if who == waitsForOthers {
			continue // the others say why
		}
		if who == "" {
			return Judgement{Class: Alarm}
		}
		open = append(open, who)
	}
	if len(open) == 0 {
		return Judgement{Class: Alarm}
	}
	slices.Sort(open)
	return Judgement{ByContract, "it waits for what " + strings.Join(slices.Compact(open), " and ") + " may do"}
}

// frameFile and frameAt are where a frame, "function file:line", is.
func frameFile(frame string) string { file, _ := frameAt(frame); return file }

func frameAt(frame string) (file string, line int) {
	_, at, _ := strings.Cut(frame, " ")
	i := strings.LastIndexByte(at, ':')
	if i < 0 {
		return at, 0
	}
	line, _ = strconv.Atoi(at[i+1:])
	return at[:i], line
}

// waitsForOthers stands for a wait for a lock or a wait group: who has it is to blame.
const waitsForOthers = "others"

// partner says who might let a goroutine go on that waits at a line, and has not been called: an exported function, or
// the caller who has what it waits on; "" for nobody.
func (j *judge) partner(file string, line int) string {
	found, waits := false, ""
	for _, f := range j.all {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				at := j.fset.Position(instr.Pos())
				if at.Line != line || !strings.HasSuffix(filepath.ToSlash(at.Filename), "/"+filepath.ToSlash(file)) {
					continue
				}
				for _, op := range operations(instr) {
					found = true
					if op.way == locking {
						waits = waitsForOthers
						continue
					}
					if who := j.anybody(op); who != "" {
						return who
					}
				}
			}
		}
	}
	if !found {
		return "" // in a library
	}
	return waits
}

// way is what an operation does.
type way int

const (
	sending way = iota
	receiving
	closing
	waiting // for a Cond
	waking
	locking // or waiting for a wait group
)

// operation is what an instruction does with a channel or a Cond.
type operation struct {
	way way
	on  ssa.Value
}

// operations are those of an instruction that wait, or let others go on.
func operations(instr ssa.Instruction) (out []operation) {
	switch v := instr.(type) {
	case *ssa.Send:
		return []operation{{sending, v.Chan}}
	case *ssa.UnOp:
		if v.Op == token.ARROW {
			return []operation{{receiving, v.X}}
		}
	case *ssa.Select:
		for _, st := range v.States {
			if st.Dir == types.SendOnly {
				out = append(out, operation{sending, st.Chan})
			} else {
				out = append(out, operation{receiving, st.Chan})
			}
		}
		return out
	}
	c, ok := instr.(ssa.CallInstruction)
	if !ok {
		return nil
	}
	call := c.Common()
	if b, ok := call.Value.(*ssa.Builtin); ok {
		if b.Name() == "close" {
			return []operation{{closing, call.Args[0]}}
		}
		return nil
	}
	pkg, name := calleeName(call)
	if pkg != "sync" || len(call.Args) == 0 {
		return nil
	}
	cond := pointsTo(call.Args[0].Type(), "sync", "Cond")
	switch {
	case cond && name == "Wait":
		return []operation{{waiting, call.Args[0]}}
	case cond:
		return []operation{{waking, call.Args[0]}}
	case name == "Wait" || name == "Lock" || name == "RLock" || name == "Do":
		return []operation{{locking, call.Args[0]}}
	}
	return nil
}

// lets reports whether one operation can let another one go on, if they are on the same thing.
func (w way) lets(other way) bool {
	switch other {
	case sending:
		return w == receiving
	case receiving:
		return w == sending || w == closing
	case waiting:
		return w == waking
	}
	return false
}

// anybody says who might do what lets an operation go on, "" if nobody can that has not been called.
func (j *judge) anybody(op operation) string {
	things, held := j.matters.identity(op.on, j.isEntry)
	if held {
		return "its caller"
	}
	reached := j.reached(append(slices.Clone(j.called), j.function.fn)...)
	for _, f := range j.all {
		root := f
		for root.Parent() != nil {
			root = root.Parent()
		}
		if reached[root] || !j.operatesOn(f, op.way, things) {
			continue
		}
		if who := j.exportedAbove(root, reached); who != "" {
			return who
		}
	}
	return ""
}

// isEntry: the parameters of a function are what a caller outside has.
func (j *judge) isEntry(f *ssa.Function) bool {
	fn, ok := f.Object().(*types.Func)
	return ok && (fn == j.function.fn || isExported(fn) && !slices.Contains(j.called, fn))
}

// operatesOn: a function has an operation that lets one of a way on such things go on.
func (j *judge) operatesOn(f *ssa.Function, waits way, things map[any]bool) bool {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			for _, op := range operations(instr) {
				if !op.way.lets(waits) {
					continue
				}
				same, _ := j.matters.identity(op.on, func(*ssa.Function) bool { return false })
				for t := range same {
					if things[t] {
						return true
					}
				}
			}
		}
	}
	return false
}

// reached are the functions that are called by some, themselves or through others.
func (p *program) reached(from ...*types.Func) map[*ssa.Function]bool {
	out := map[*ssa.Function]bool{}
	var visit func(f *ssa.Function)
	visit = func(f *ssa.Function) {
		if f == nil {
			return
		}
		if f.Origin() != nil {
			f = f.Origin()
		}
		if out[f] {
			return
		}
		out[f] = true
		for _, c := range callees(f) {
			visit(c)
		}
	}
	for _, fn := range from {
		visit(p.prog.FuncValue(fn))
	}
	return out
}

// exportedAbove is the name of an exported function that is not reached and calls f, or is f, "" if there is none.
func (j *judge) exportedAbove(f *ssa.Function, reached map[*ssa.Function]bool) string {
	seen, todo := map[*ssa.Function]bool{f: true}, []*ssa.Function{f}
	for len(todo) > 0 {
		f := todo[0]
		todo = todo[1:]
		if fn, ok := f.Object().(*types.Func); ok && !reached[f] && fn.Exported() {
			return nameOf(fn)
		}
		for _, caller := range j.all {
			root := caller
			for root.Parent() != nil {
				root = root.Parent()
			}
			if !seen[root] && slices.Contains(callees(caller), f) {
				seen[root] = true
				todo = append(todo, root)
			}
		}
	}
	return ""
}

// identity is what a value may be: the fields that it is read from, or the places where it is made; held: a caller has it,
// since it comes from a parameter of an entry, or is in an exported field.
func (s *slice) identity(v ssa.Value, entry func(*ssa.Function) bool) (things map[any]bool, held bool) {
	things = map[any]bool{}
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value)
	each := func(list []ssa.Value) {
		for _, x := range list {
			visit(x)
		}
	}
	field := func(f *types.Var) {
		things[f] = true
		held = held || f.Exported()
	}
	visit = func(v ssa.Value) {
		if v == nil || seen[v] {
			return
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.MakeChan:
			things[v] = true
		case *ssa.Alloc:
			things[v] = true
			each(s.assigned[v])
		case *ssa.Global:
			things[v] = true
			held = held || v.Object() != nil && v.Object().Exported()
		case *ssa.FieldAddr:
			field(fieldOf(v))
			each(s.stored[fieldOf(v)])
		case *ssa.Field:
			f := structOf(v.X.Type()).Field(v.Field).Origin()
			field(f)
			each(s.stored[f])
		case *ssa.UnOp:
			if v.Op == token.MUL {
				visit(v.X)
			}
		case *ssa.Parameter:
			held = held || entry(v.Parent())
			each(s.arguments[v])
		case *ssa.FreeVar:
			each(s.captured[v])
			each(s.assigned[v])
		case *ssa.Phi:
			each(v.Edges)
		case *ssa.ChangeType:
			visit(v.X)
		case *ssa.IndexAddr:
			visit(v.X)
		case *ssa.Index:
			visit(v.X)
		case *ssa.Lookup:
			visit(v.X)
		case *ssa.Slice:
			visit(v.X)
		case *ssa.MakeSlice, *ssa.MakeMap:
			things[v] = true
		case *ssa.Extract:
			if c, ok := v.Tuple.(*ssa.Call); ok {
				if callee := s.callee(c); callee != nil {
					for _, results := range s.returned[callee] {
						if v.Index < len(results) {
							visit(results[v.Index])
						}
					}
					return
				}
			}
			visit(v.Tuple)
		case *ssa.Next:
			visit(v.Iter)
		case *ssa.Range:
			visit(v.X)
		case *ssa.Call:
			if callee := s.callee(v); callee != nil {
				for _, results := range s.returned[callee] {
					each(results)
				}
			}
		}
	}
	visit(v)
	return maps.Clone(things), held
}
