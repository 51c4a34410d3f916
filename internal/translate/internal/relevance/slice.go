package relevance

import (
	"go/token"
	"go/types"
	"iter"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/program"
)

// A Slice says what of a program matters to its concurrency: the instructions
// to execute, the branches to take and the values to keep. It is computed
// without contexts, by a worklist from the guarded operations backward over
// control and data.
//
// Sets only grow, each by what follows from one more element, so that the order is of no matter and there is an
// end. What is missing in the slice is not in the model and not noticed by it: every case here has to err on the
// side of too much.
type Slice struct {
	kept
	inventoried
	localParts
	numberUses
	checked
	prog        *program.Program
	work        []func()
	TestContext bool // the context of a test matters
	// LimitsCapacity: the program limits the capacity of a slice, as in s[i:j:k].
	LimitsCapacity bool
	// LiveIn are the needed values live at the entry of each block, after its phis.
	LiveIn map[*ssa.Function][]map[ssa.Value]bool
	marks  map[*ssa.BasicBlock][]map[ssa.Value]bool // see liveMarks
	makers map[*ssa.Function]bool                   // see makes
}

// kept is what of the program is in the model.
type kept struct {
	Instrs map[ssa.Instruction]bool // to be executed for its effect
	Values map[ssa.Value]bool       // to be computed
	Blocks map[*ssa.BasicBlock]bool
	// Funcs holds the functions that contain something relevant: calls of them
	// are inlined.
	Funcs   map[*ssa.Function]bool
	Classes map[Class]bool // memory whose contents matter
}

// inventoried is where the program writes memory, sends and calls, made before anything is kept.
//
// The slice goes from what is read to what writes it, over all of the program: with these tables that is no search.
type inventoried struct {
	Stores        map[Class][]ssa.Instruction
	UntypedStores map[string][]ssa.Instruction // stores through pointers of unknown origin, by type
	WholeStores   []ssa.Instruction            // stores of structs and arrays
	ClassesByType map[string][]Class
	mapWrites     map[Class][]ssa.Instruction
	Callers       map[*ssa.Function][]ssa.CallInstruction
	Closures      map[*ssa.Function][]*ssa.MakeClosure
	sends         map[string][]ssa.Value // sent values by element type
	// CalledBack lists the calls of the library that call a function.
	CalledBack map[*ssa.Function][]ssa.CallInstruction
	poolGets   []ssa.CallInstruction
	poolNews   []*ssa.Function // what a field New of a sync.Pool can be
	// Filled are the pointers through which a call out of the program writes.
	Filled   map[ssa.Instruction][]ssa.Value
	recovers map[*ssa.Function][]ssa.CallInstruction
}

// localParts are the local variables that the model has without addresses, and their parts.
type localParts struct {
	// Plain are the pointers that the model replaces by what they point to.
	Plain      map[ssa.Value]bool
	Parts      map[ssa.Value]Part // the addresses of local variables and their parts
	partStores map[*ssa.Alloc][]*ssa.Store
	partNeeded map[ssa.Value]bool
}

// numberUses say what the numbers of the program are used for.
type numberUses struct {
	Numbers       map[ssa.Value]*Number
	NumberClasses map[Class]*Number
	Fixed         map[*ssa.Global]int64 // numbers that never change
	OSArgs        *ssa.Global           // os.Args, if it may be a number
	OSArgsRead    *ssa.UnOp             // where it is read
}

// checked are the instructions that the model looks at for more than their effect.
type checked struct {
	// Checks names the panics that instructions may raise and somebody recovers.
	Checks map[ssa.Instruction]string
	// MayBeNil are the checks of pointers that the program sets to nil, whether
	// or not the panic is recovered.
	MayBeNil map[ssa.Instruction]bool
	Misused  map[*ssa.Call]misusedCall
	// Watched are those of which the model has the arguments.
	Watched map[ssa.Instruction]bool
	// Annotated are the comments on reachability, and Marks where their statements
	// begin.
	Annotated []*program.Annotation
	Marks     map[ssa.Instruction]*program.Annotation
}

// New finds what of a program matters.
func New(prog *program.Program) *Slice {
	s := &Slice{
		prog:   prog,
		LiveIn: map[*ssa.Function][]map[ssa.Value]bool{}, marks: map[*ssa.BasicBlock][]map[ssa.Value]bool{},
		kept: kept{
			Instrs: map[ssa.Instruction]bool{}, Values: map[ssa.Value]bool{}, Blocks: map[*ssa.BasicBlock]bool{},
			Funcs: map[*ssa.Function]bool{}, Classes: map[Class]bool{},
		},
		inventoried: inventoried{
			Stores: map[Class][]ssa.Instruction{}, UntypedStores: map[string][]ssa.Instruction{}, ClassesByType: map[string][]Class{},
			mapWrites: map[Class][]ssa.Instruction{}, Callers: map[*ssa.Function][]ssa.CallInstruction{},
			Closures: map[*ssa.Function][]*ssa.MakeClosure{}, sends: map[string][]ssa.Value{},
			CalledBack: map[*ssa.Function][]ssa.CallInstruction{}, Filled: map[ssa.Instruction][]ssa.Value{}, recovers: prog.Recoveries(),
		},
		localParts: localParts{Parts: map[ssa.Value]Part{}, partStores: map[*ssa.Alloc][]*ssa.Store{}, partNeeded: map[ssa.Value]bool{}},
		checked: checked{
			Checks: map[ssa.Instruction]string{}, MayBeNil: map[ssa.Instruction]bool{}, Misused: map[*ssa.Call]misusedCall{},
			Watched: map[ssa.Instruction]bool{},
		},
	}
	// Local variables come first: what is stored in them is nobody else's, and so in no class of memory.
	for _, f := range prog.Funcs {
		s.findLocals(f)
	}
	var seeds []ssa.Instruction
	for _, f := range prog.Funcs {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				s.inventory(instr)
				if s.Seed(instr) {
					seeds = append(seeds, instr)
				}
			}
		}
	}
	for _, f := range s.poolNews {
		s.CalledBack[f] = append(s.CalledBack[f], s.poolGets...)
	}
	for _, instr := range seeds {
		s.needInstr(instr)
	}
	s.mark()
	// Each of these looks at what the slice has so far and adds to it, so that they are asked again until none has
	// more.
	for again := true; again; again = s.bounds() || s.faults() || s.nils() || s.misuses() {
		for len(s.work) > 0 {
			f := s.work[len(s.work)-1]
			s.work = s.work[:len(s.work)-1]
			f()
		}
	}
	// What follows says how the slice is kept. It needs all of it, and adds nothing.
	s.Plain = s.byValue()
	for v, p := range s.Parts {
		if v == p.Root {
			s.Plain[v] = true
		}
	}
	for _, f := range prog.Funcs {
		s.liveness(prog.Function(f))
	}
	s.findNumbers()
	s.Fixed = s.fixedNumbers()
	return s
}

// Recovers reports whether any function of the program recovers from panics.
func (s *Slice) Recovers() bool { return len(s.recovers) > 0 }

// inventory collects what the worklist looks up.
//
// A store through a pointer that comes from somewhere is one to any cell of its type, one of a struct is one to all
// of its fields. Functions of the library write, call and send, too, as far as it is known of them. All calls of a
// function are noted, since what its parameters are is asked of each.
func (s *Slice) inventory(instr ssa.Instruction) {
	into := func(c Class) {
		if len(s.Stores[c]) == 0 {
			s.ClassesByType[c.typ] = append(s.ClassesByType[c.typ], c)
		}
		s.Stores[c] = append(s.Stores[c], instr)
	}
	store := func(addr ssa.Value) {
		c, known := ClassOf(addr)
		if known {
			into(c)
		} else {
			s.UntypedStores[program.TypeKey(program.Pointee(addr.Type()))] = append(s.UntypedStores[program.TypeKey(program.Pointee(addr.Type()))], instr)
		}
		switch program.Pointee(addr.Type()).Underlying().(type) {
		case *types.Struct, *types.Array:
			s.WholeStores = append(s.WholeStores, instr)
		}
	}
	if elem := s.prog.ElementsWritten(instr); elem != nil {
		into(Elements(elem))
		switch elem.Underlying().(type) {
		case *types.Struct, *types.Array:
			s.WholeStores = append(s.WholeStores, instr)
		}
	}
	if m := MapWrite(instr); m != nil {
		s.mapWrites[Entries(m.Type())] = append(s.mapWrites[Entries(m.Type())], instr)
	}
	switch i := instr.(type) {
	case *ssa.Store:
		if f, ok := i.Addr.(*ssa.FieldAddr); ok && program.LibraryType(program.Pointee(f.X.Type())) == "sync.Pool" {
			s.poolNews = append(s.poolNews, s.prog.Functions(i.Val)...)
		}
		if p, ok := s.Parts[i.Addr]; ok {
			s.partStores[p.Root] = append(s.partStores[p.Root], i)
			break
		}
		store(i.Addr)
	case *ssa.Slice:
		s.LimitsCapacity = s.LimitsCapacity || i.Max != nil
	case *ssa.MakeClosure:
		f := i.Fn.(*ssa.Function)
		s.Closures[f] = append(s.Closures[f], i)
	case *ssa.Send:
		k := program.TypeKey(i.X.Type())
		s.sends[k] = append(s.sends[k], i.X)
	case *ssa.Select:
		for _, st := range i.States {
			if st.Send != nil {
				k := program.TypeKey(st.Send.Type())
				s.sends[k] = append(s.sends[k], st.Send)
			}
		}
	}
	if call, ok := instr.(*ssa.Call); ok {
		if m, always := program.MisuseOf(call); m != nil {
			s.Misused[call] = misusedCall{m, always}
		}
	}
	if call, ok := instr.(ssa.CallInstruction); ok {
		if s.prog.FromLibrary(call) {
			for _, f := range s.prog.Calls[call] {
				s.CalledBack[f] = append(s.CalledBack[f], call)
			}
		}
		s.Filled[instr] = s.prog.Fills(call)
		for _, ptr := range s.Filled[instr] {
			store(ptr)
		}
		for _, f := range s.prog.Callees(call) {
			s.Callers[f] = append(s.Callers[f], call)
			in := s.prog.Operation(f)
			if in == nil || len(call.Common().Args) == 0 {
				continue
			}
			if in.Writes {
				store(call.Common().Args[0])
			}
			if in.Calls > 0 {
				for _, g := range s.prog.Functions(call.Common().Args[in.Calls]) {
					s.CalledBack[g] = append(s.CalledBack[g], call)
				}
			}
			if in.Forwards {
				for _, g := range s.prog.Forwarded(call, f) {
					s.CalledBack[g] = append(s.CalledBack[g], call)
				}
			}
			for _, g := range s.prog.CalledMethods(call.Common().Args[0], in.Methods) {
				s.CalledBack[g] = append(s.CalledBack[g], call)
			}
			if in.Name == "poolget" {
				s.poolGets = append(s.poolGets, call)
			}
		}
	}
}

// Seed reports that an instruction is relevant by itself.
//
// These are what another goroutine, or who runs the program, can notice. A call of which no callee is known may do
// any of that. recover is one of them since without it the panic ends the program.
func (s *Slice) Seed(instr ssa.Instruction) bool {
	switch i := instr.(type) {
	case *ssa.Send, *ssa.Select, *ssa.Go:
		return true
	case *ssa.UnOp:
		return i.Op == token.ARROW
	// A loop that waits for what another goroutine writes is an operation as much as a lock.
	case *ssa.If:
		return s.prog.SpinsOn(i) != nil
	case *ssa.Panic:
		return !program.UnreachablePanic(i)
	case *ssa.Store:
		return s.prog.CopiesSync(i)
	case ssa.CallInstruction:
		c := i.Common()
		if b, ok := c.Value.(*ssa.Builtin); ok {
			return b.Name() == "close" || b.Name() == "panic" || b.Name() == "recover"
		}
		// A lock may be behind the interface: methods of package sync are no callees in the call graph.
		if c.IsInvoke() && (program.LockerMethod(c.Method) || s.prog.OfSync(c)) {
			return true
		}
		if s.prog.Assertion(instr) != nil {
			return true
		}
		if call, ok := instr.(*ssa.Call); ok && s.Misused[call].Always {
			return true
		}
		callees := s.prog.Callees(i)
		for _, f := range callees {
			in := s.prog.Operation(f)
			if in != nil && (in.Seed || in.Forwards && len(s.prog.Forwarded(i, f)) == 0) {
				return true
			}
		}
		return len(callees) == 0 && !c.IsInvoke()
	}
	return false
}

// needBlock asks for what decides whether a block is executed: the branches that it is control dependent on
// (Ferrante, Ottenstein, Warren: The Program Dependence Graph and Its Use in Optimization, TOPLAS 1987), and the
// calls of its function.
func (s *Slice) needBlock(b *ssa.BasicBlock) {
	if s.Blocks[b] {
		return
	}
	s.Blocks[b] = true
	for _, a := range s.prog.Function(b.Parent()).ControlDeps[b.Index] {
		s.needBranch(b.Parent().Blocks[a])
	}
	s.needFunc(b.Parent())
}

func (s *Slice) needBranch(b *ssa.BasicBlock) {
	if br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
		s.needInstr(br)
	}
}

// needFunc asks for all calls of a function in which something is relevant. Which of them matter would depend on
// the calling context.
func (s *Slice) needFunc(f *ssa.Function) {
	if s.Funcs[f] {
		return
	}
	s.Funcs[f] = true
	for _, call := range s.Callers[f] {
		s.needInstr(call)
	}
	for _, call := range s.CalledBack[f] {
		s.needInstr(call)
	}
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			switch instr.(type) {
			case *ssa.RunDefers:
				// Deferred calls run where the function ends, if there are any.
				if s.defers(f) {
					s.needInstr(instr)
				}
			}
		}
	}
}

func (s *Slice) defers(f *ssa.Function) bool {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			if _, ok := instr.(*ssa.Defer); ok {
				return true
			}
		}
	}
	return false
}

// needInstr asks for an instruction that is executed for its effect, with what that depends on, and for its block.
//
// Not all of its operands are asked for. What is sent matters if somebody who receives it uses it (needSent), and
// an argument of a call if the function uses its parameter (needArguments): most channels carry what the
// concurrency does not depend on. Of functions without a body it is known which arguments they act on
// (program.Operation), or else only that they may call the functions that they are given.
func (s *Slice) needInstr(instr ssa.Instruction) {
	if s.Instrs[instr] {
		return
	}
	s.Instrs[instr] = true
	s.needBlock(instr.Block())
	switch i := instr.(type) {
	case *ssa.If:
		s.need(i.Cond)
	case *ssa.Send:
		s.need(i.Chan)
	case *ssa.Store:
		s.need(i.Addr)
		s.need(i.Val)
	case *ssa.Select:
		for _, st := range i.States {
			s.need(st.Chan)
		}
	case *ssa.UnOp:
		s.need(i.X)
	case *ssa.Panic:
		s.need(i.X)
	case *ssa.MapUpdate:
		s.need(i.Map)
		s.need(i.Key)
		s.need(i.Value)
	case ssa.CallInstruction:
		if call, ok := instr.(*ssa.Call); ok && program.LibraryName(call) == "errors.As" && len(s.Filled[instr]) > 0 {
			s.need(call.Call.Args[0])
		}
		for _, ptr := range s.Filled[instr] {
			s.need(ptr)
		}
		c := i.Common()
		if c.StaticCallee() == nil {
			if _, ok := c.Value.(*ssa.Builtin); !ok {
				s.need(c.Value)
			}
		} else if _, ok := c.Value.(*ssa.MakeClosure); ok {
			s.need(c.Value)
		}
		if b, ok := c.Value.(*ssa.Builtin); ok {
			if b.Name() != "recover" && b.Name() != "print" && b.Name() != "println" {
				for _, a := range c.Args {
					s.need(a)
				}
			}
			return
		}
		if c.IsInvoke() && program.LockerMethod(c.Method) {
			return
		}
		if a := s.prog.Assertion(instr); a != nil && a.Subject != nil {
			s.need(a.Subject)
		}
		for _, f := range s.prog.Callees(i) {
			in := s.prog.Operation(f)
			switch {
			case in != nil:
				first := 0
				if c.IsInvoke() {
					first = 1 // behind the receiver
				}
				for k, a := range c.Args {
					if in.Needs(first + k) {
						s.need(a)
					}
				}
				s.needLibrary(i, in)
			case f.Blocks == nil:
				for _, a := range c.Args {
					_, asks := a.Type().Underlying().(*types.Interface)
					asks = asks && len(s.prog.Calls[i]) > 0
					if _, ok := a.Type().Underlying().(*types.Signature); ok || asks {
						s.need(a)
					}
				}
			}
		}
	}
}

// need asks for a value.
// Its sources are asked for later: values lead to values, and chains of them would be as deep on the stack as they
// are long.
func (s *Slice) need(v ssa.Value) {
	if s.Values[v] {
		return
	}
	switch v.(type) {
	case *ssa.Const, *ssa.Function, *ssa.Builtin, *ssa.Global:
		return
	}
	s.Values[v] = true
	s.work = append(s.work, func() { s.sources(v) })
}

// sources asks for what a value is computed from.
// Which object an allocation makes depends on whether it is executed, and which value a phi has on the way by which
// its block is entered, in
//
//	x := 0
//	if c { x = 1 }
//	if x == 1 { mu.Lock() }
//
// on c: these ask for the branches as well.
func (s *Slice) sources(v ssa.Value) {
	if instr, ok := v.(ssa.Instruction); ok {
		switch v.(type) {
		case *ssa.Alloc, *ssa.MakeChan, *ssa.MakeMap, *ssa.Phi:
			s.needBlock(instr.Block())
		}
	}
	switch v := v.(type) {
	case *ssa.Lookup:
		s.needMap(v.X.Type())
		s.need(v.X)
		s.need(v.Index)
	case *ssa.Range:
		s.needMap(v.X.Type())
		s.need(v.X)
	case *ssa.Phi:
		for i, e := range v.Edges {
			s.need(e)
			pred := v.Block().Preds[i]
			s.needBlock(pred)
			s.needBranch(pred)
		}
	case *ssa.UnOp:
		switch v.Op {
		case token.MUL:
			s.need(v.X)
			s.needCell(v.X)
		case token.ARROW:
			s.needSent(v.X.Type())
		default:
			s.need(v.X)
		}
	case *ssa.Extract:
		s.needComponent(v)
	case *ssa.Call:
		s.needReturn(v)
	case *ssa.Parameter:
		s.needArguments(v)
	case *ssa.FreeVar:
		s.needBindings(v)
	case *ssa.MakeClosure:
		// Bindings are asked for by the free variables that are used.
	default:
		if instr, ok := v.(ssa.Instruction); ok {
			for _, op := range instr.Operands(nil) {
				if *op != nil {
					s.need(*op)
				}
			}
		}
	}
}

// needComponent asks for what one component of a tuple is computed from.
func (s *Slice) needComponent(v *ssa.Extract) {
	switch t := v.Tuple.(type) {
	case *ssa.Call:
		s.needCall(t, v.Index)
	case *ssa.UnOp:
		if v.Index == 0 {
			s.needSent(t.X.Type())
		}
	case *ssa.Select:
		if v.Index >= 2 {
			n := 1
			for _, st := range t.States {
				if st.Dir == types.RecvOnly {
					if n++; n == v.Index {
						s.needSent(st.Chan.Type())
					}
				}
			}
		}
	}
	s.need(v.Tuple)
}

// needReturn asks for what the value of a call is computed from: by a function of
// the program, from what it returns, and by the library, from what that reads.
// The call itself is executed, also of a function that has nothing else to do: its value is computed there.
func (s *Slice) needReturn(v *ssa.Call) {
	if v.Call.Signature().Results().Len() == 1 {
		s.needCall(v, 0)
	}
	s.needInstr(v)
	for _, a := range program.KnownArgs(v) {
		s.need(a)
	}
	s.needContext(v)
	s.TestContext = s.TestContext || s.prog.AsksForContext(v)
	if b, ok := v.Call.Value.(*ssa.Builtin); ok && b.Name() == "len" {
		s.needMap(v.Call.Args[0].Type())
	}
	if in := s.prog.Operation(v.Call.StaticCallee()); in != nil && in.Reads && len(v.Call.Args) > 0 {
		s.needCell(v.Call.Args[0])
		if in.Name == "poolget" {
			s.needReturned(s.poolNews)
		}
	}
}

// needArguments asks for what calls hand over as a parameter.
// A library that calls the function back calls it with what it was given: then the call that gives it has to be
// executed.
func (s *Slice) needArguments(v *ssa.Parameter) {
	f := v.Parent()
	i := -1
	for k, p := range f.Params {
		if p == v {
			i = k
		}
	}
	for _, call := range s.CalledBack[f] {
		s.needInstr(call)
	}
	for _, call := range s.Callers[f] {
		c := call.Common()
		if c.IsInvoke() {
			if i == 0 {
				s.need(c.Value)
			} else {
				s.need(c.Args[i-1])
			}
		} else if i < len(c.Args) {
			s.need(c.Args[i])
		}
	}
}

// needBindings asks for what closures capture as a free variable.
// A closure is a value as well, but of what it has captured only this variable is asked for.
func (s *Slice) needBindings(v *ssa.FreeVar) {
	f := v.Parent()
	for k, fv := range f.FreeVars {
		if fv == v {
			for _, m := range s.Closures[f] {
				s.need(m.Bindings[k])
			}
		}
	}
}

// needCall asks for one result of a call.
// Which of several returns is executed decides the result, so that all are asked for with what leads to them.
func (s *Slice) needCall(call *ssa.Call, i int) {
	s.needInstr(call)
	for _, f := range s.prog.Callees(call) {
		for _, b := range f.Blocks {
			if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && i < len(r.Results) {
				s.needBlock(b)
				s.need(r.Results[i])
			}
		}
	}
}

// needSent asks for what is sent on channels of a type.
// Channels are not told apart but by their elements' type: which channel a receive is from is known only when the
// program is executed.
func (s *Slice) needSent(ch types.Type) {
	c, ok := ch.Underlying().(*types.Chan)
	if !ok {
		return
	}
	if cls := Sent(c.Elem()); !s.Classes[cls] {
		s.Classes[cls] = true
		for _, v := range s.sends[program.TypeKey(c.Elem())] {
			s.need(v)
		}
	}
}

// needCell asks for the contents of the memory at an address.
// Whoever writes to the class is asked for, and so is who may, as far as types allow it: through a pointer of this
// type that comes from elsewhere, or, if this one does, to any class of cells of its type.
func (s *Slice) needCell(addr ssa.Value) {
	if p, ok := s.Parts[addr]; ok {
		s.needPart(addr, p)
		return
	}
	c, known := ClassOf(addr)
	if s.Classes[c] {
		return
	}
	s.Classes[c] = true
	t := program.Pointee(addr.Type())
	for _, st := range s.Stores[c] {
		s.needInstr(st)
	}
	for _, st := range s.UntypedStores[program.TypeKey(t)] {
		s.needInstr(st)
	}
	if !known {
		for _, d := range s.ClassesByType[program.TypeKey(t)] {
			for _, st := range s.Stores[d] {
				s.needInstr(st)
			}
		}
	}
	// Stores of whole structs and arrays that contain such a cell, and if the
	// cell is itself one, stores into its parts.
	for _, st := range s.WholeStores {
		whole := s.prog.ElementsWritten(st)
		if store, ok := st.(*ssa.Store); ok {
			whole = program.Pointee(store.Addr.Type())
		}
		for _, ptr := range s.Filled[st] {
			if u := program.Pointee(ptr.Type()); Contains(u, t) {
				whole = u
			}
		}
		if whole != nil && Contains(whole, t) {
			s.needInstr(st)
		}
	}
	s.needParts(t)
}

// needParts asks for all cells inside a struct or array.
// A struct that is read as a whole has been written field by field, perhaps.
func (s *Slice) needParts(t types.Type) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			f := u.Field(i)
			s.needClass(Field(f), f.Type())
		}
	case *types.Array:
		s.needClass(Elements(u.Elem()), u.Elem())
	}
}

// needClass asks for the cells of a class, which hold values of type t.
// It is needCell for a class that is known by itself, without an address.
func (s *Slice) needClass(c Class, t types.Type) {
	if s.Classes[c] {
		return
	}
	s.Classes[c] = true
	for _, st := range s.Stores[c] {
		s.needInstr(st)
	}
	for _, st := range s.UntypedStores[program.TypeKey(t)] {
		s.needInstr(st)
	}
	s.needParts(t)
}

// Contains reports that a value of type t holds one of type part inside, however deep: a type that holds itself does
// so behind a pointer.
func Contains(t, part types.Type) bool {
	if types.Identical(t, part) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if Contains(u.Field(i).Type(), part) {
				return true
			}
		}
	case *types.Array:
		return Contains(u.Elem(), part)
	}
	return false
}

// Executed reports that the instruction is to be executed.
func (s *Slice) Executed(instr ssa.Instruction) bool {
	if s.Instrs[instr] {
		return true
	}
	v, ok := instr.(ssa.Value)
	return ok && s.Values[v]
}

// instructions are those of the functions that matter, with their blocks.
func (s *Slice) instructions() iter.Seq2[*ssa.BasicBlock, ssa.Instruction] {
	return func(yield func(*ssa.BasicBlock, ssa.Instruction) bool) {
		for _, f := range s.prog.Funcs {
			if !s.Funcs[f] {
				continue
			}
			for _, b := range f.Blocks {
				for _, instr := range b.Instrs {
					if !yield(b, instr) {
						return
					}
				}
			}
		}
	}
}

// Considered reports that the model does something at an instruction, if only to look at what
// may panic.
// A check is made at an instruction of which neither the effect nor the value is kept.
func (s *Slice) Considered(instr ssa.Instruction) bool {
	return s.Executed(instr) || s.Checks[instr] != "" || s.Watched[instr]
}

// liveness computes the needed values that are live at the entry of each
// block, after its phis.
// It is the usual backward analysis, over the values and branches of the slice only: each variable that is live at
// a guard is part of the state of the model. Sets only grow, so that their sizes tell whether one has changed.
func (s *Slice) liveness(in *program.Function) {
	n := len(in.Func.Blocks)
	liveIn := make([]map[ssa.Value]bool, n)
	for i := range liveIn {
		liveIn[i] = map[ssa.Value]bool{}
	}
	s.LiveIn[in.Func] = liveIn
	for changed := true; changed; {
		changed = false
		for i := n - 1; i >= 0; i-- {
			b := in.Func.Blocks[i]
			live := s.liveOut(in, b)
			for _, instr := range slices.Backward(b.Instrs) {
				s.liveAcross(in, instr, live)
			}
			if len(live) != len(liveIn[i]) {
				liveIn[i] = live
				changed = true
			}
		}
	}
}

// LiveBefore returns the values live before instruction idx of b, which the caller may change; phis of b
// count as defined.
// Those are the variables of a location of the model whose goroutine stands there.
func (s *Slice) LiveBefore(in *program.Function, b *ssa.BasicBlock, idx int) map[ssa.Value]bool {
	if s.LiveIn[in.Func] == nil { // of a goroutine that the call graph does not foresee
		s.liveness(in)
	}
	from, live := len(b.Instrs), map[ssa.Value]bool(nil)
	if len(b.Instrs) > 2*liveMark {
		marks := s.liveMarks(in, b)
		if k := (idx + liveMark - 1) / liveMark; k < len(marks) {
			from, live = k*liveMark, maps.Clone(marks[k])
		}
	}
	if live == nil {
		live = s.liveOut(in, b)
	}
	for i := from - 1; i >= idx; i-- {
		s.liveAcross(in, b.Instrs[i], live)
	}
	return live
}

// liveMark is how many instructions lie between those of a block before which the live values are kept. A block of
// thousands is asked for what is live before each operation in it, and to go through all that follow, each time,
// takes quadratic time.
const liveMark = 64

// liveMarks returns the values live before every liveMark-th instruction of b.
func (s *Slice) liveMarks(in *program.Function, b *ssa.BasicBlock) []map[ssa.Value]bool {
	if marks, known := s.marks[b]; known {
		return marks
	}
	marks := make([]map[ssa.Value]bool, (len(b.Instrs)+liveMark-1)/liveMark)
	live := s.liveOut(in, b)
	for i := len(b.Instrs) - 1; i >= 0; i-- {
		s.liveAcross(in, b.Instrs[i], live)
		if i%liveMark == 0 {
			marks[i/liveMark] = maps.Clone(live)
		}
	}
	s.marks[b] = marks
	return marks
}

// liveOut returns the values live behind b.
func (s *Slice) liveOut(in *program.Function, b *ssa.BasicBlock) map[ssa.Value]bool {
	liveIn, live := s.LiveIn[in.Func], map[ssa.Value]bool{}
	// A branch that does not matter is not executed: the model goes on at the next block that is on all ways from
	// here, or returns (execution.Executor), and what is used in between is not live.
	succs := b.Succs
	if _, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok && !s.Instrs[b.Instrs[len(b.Instrs)-1]] {
		if d := in.PostDominator[b.Index]; d >= 0 {
			succs = []*ssa.BasicBlock{in.Func.Blocks[d]}
		} else {
			succs = nil
		}
	}
	for _, t := range succs {
		for v := range liveIn[t.Index] {
			if phi, ok := v.(*ssa.Phi); !ok || phi.Block() != t {
				live[v] = true
			}
		}
	}
	for _, t := range succs {
		// A phi uses what comes along the edge by which its block is entered.
		for pi, p := range t.Preds {
			if p != b {
				continue
			}
			for _, instr := range t.Instrs {
				phi, ok := instr.(*ssa.Phi)
				if !ok {
					break
				}
				if s.Values[phi] {
					s.use(live, phi.Edges[pi])
				}
			}
		}
	}
	// Named results are read by the recover block after a panic anywhere; what
	// it uses are addresses, which are live from their allocation on.
	if r := in.Func.Recover; r != nil && b != r {
		for v := range liveIn[r.Index] {
			live[v] = true
		}
	}
	return live
}

// liveAcross makes of the values live behind an instruction those live before it.
func (s *Slice) liveAcross(in *program.Function, instr ssa.Instruction, live map[ssa.Value]bool) {
	if _, ok := instr.(*ssa.Phi); ok {
		return
	}
	if v, ok := instr.(ssa.Value); ok {
		delete(live, v)
	}
	// Every return is executed, in the slice or not.
	if r, ok := instr.(*ssa.Return); ok {
		for _, x := range r.Results {
			s.use(live, x)
		}
		return
	}
	if !s.Considered(instr) {
		return
	}
	switch i := instr.(type) {
	case *ssa.DebugRef:
		return
	case *ssa.FieldAddr, *ssa.IndexAddr:
		if _, ok := s.Parts[i.(ssa.Value)]; ok {
			return
		}
	case *ssa.Store:
		if p, ok := s.Parts[i.Addr]; ok {
			// Where a panic may be recovered the old value may be read.
			if i.Addr == p.Root && in.Func.Recover == nil {
				delete(live, p.Root)
			}
			s.use(live, i.Val)
			return
		}
	case *ssa.UnOp:
		if p, ok := s.Parts[i.X]; ok && i.Op == token.MUL {
			s.use(live, p.Root)
			return
		}
	case *ssa.Call:
		if program.LibraryName(i) == "errors.As" && len(s.Filled[i]) > 0 {
			s.use(live, i.Call.Args[0])
		}
		for _, ptr := range s.Filled[i] {
			s.use(live, ptr)
		}
		for _, a := range program.KnownArgs(i) {
			s.use(live, a)
		}
	}
	for _, op := range instr.Operands(nil) {
		if *op != nil {
			s.use(live, *op)
		}
	}
}

func (s *Slice) use(live map[ssa.Value]bool, v ssa.Value) {
	if s.Values[v] {
		live[v] = true
	}
}
