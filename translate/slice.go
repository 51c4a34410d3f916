package translate

import (
	"go/token"
	"go/types"
	"iter"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/translate/internal/program"
)

// A slice says what of a program matters to its concurrency: the instructions
// to execute, the branches to take and the values to keep. It is computed
// without contexts, by a worklist from the guarded operations backward over
// control and data.
type slice struct {
	kept
	inventoried
	localParts
	numberUses
	checked
	prog        *program.Program
	work        []func()
	testContext bool // the context of a test matters
	// limited: the program limits the capacity of a slice, as in s[i:j:k].
	limited bool
	// liveIn are the needed values live at the entry of each block, after its phis.
	liveIn map[*ssa.Function][]map[ssa.Value]bool
	makers map[*ssa.Function]bool // see makes
}

// kept is what of the program is in the model.
type kept struct {
	instr map[ssa.Instruction]bool // to be executed for its effect
	value map[ssa.Value]bool       // to be computed
	block map[*ssa.BasicBlock]bool
	// funcs holds the functions that contain something relevant: calls of them
	// are inlined.
	funcs   map[*ssa.Function]bool
	classes map[memClass]bool // memory whose contents matter
}

// inventoried is where the program writes memory, sends and calls, made before anything is kept.
type inventoried struct {
	stores    map[memClass][]ssa.Instruction
	untyped   map[string][]ssa.Instruction // stores through pointers of unknown origin, by type
	whole     []ssa.Instruction            // stores of structs and arrays
	byType    map[string][]memClass
	mapWrites map[memClass][]ssa.Instruction
	callers   map[*ssa.Function][]ssa.CallInstruction
	closures  map[*ssa.Function][]*ssa.MakeClosure
	sends     map[string][]ssa.Value // sent values by element type
	// calledBack lists the calls of the library that call a function.
	calledBack map[*ssa.Function][]ssa.CallInstruction
	poolGets   []ssa.CallInstruction
	poolNews   []*ssa.Function // what a field New of a sync.Pool can be
	// filled are the pointers through which a call out of the program writes.
	filled   map[ssa.Instruction][]ssa.Value
	recovers map[*ssa.Function][]ssa.CallInstruction
}

// localParts are the local variables that the model has without addresses, and their parts.
type localParts struct {
	// plain are the pointers that the model replaces by what they point to.
	plain      map[ssa.Value]bool
	parts      map[ssa.Value]part // the addresses of local variables and their parts
	partStores map[*ssa.Alloc][]*ssa.Store
	partNeeded map[ssa.Value]bool
}

// numberUses say what the numbers of the program are used for.
type numberUses struct {
	numbers       map[ssa.Value]*number
	numberClasses map[memClass]*number
	fixed         map[*ssa.Global]int64 // numbers that never change
	args          *ssa.Global           // os.Args, if it may be a number
	argsRead      *ssa.UnOp             // where it is read
}

// checked are the instructions that the model looks at for more than their effect.
type checked struct {
	// checks names the panics that instructions may raise and somebody recovers.
	checks map[ssa.Instruction]string
	// mayBeNil are the checks of pointers that the program sets to nil, whether
	// or not the panic is recovered.
	mayBeNil map[ssa.Instruction]bool
	misused  map[*ssa.Call]misusedCall
	// watched are those of which the model has the arguments.
	watched map[ssa.Instruction]bool
	// annotated are the comments on reachability, and marks where their statements
	// begin.
	annotated []*program.Annotation
	marks     map[ssa.Instruction]*program.Annotation
}

// memClass names a class of memory cells: a struct field, a global, the
// elements of arrays of one type, the variables of one allocation.
type memClass struct {
	v   any    // *types.Var of a field, *ssa.Global, *ssa.Alloc; nil otherwise
	typ string // element type
}

// elementsClass is that of the elements of arrays of a type, of slices and on the heap.
func elementsClass(t types.Type) memClass { return memClass{nil, program.TypeKey(t)} }

// unknownClass is that of what is read through pointers of a type of which it is not known where
// they come from.
func unknownClass(t types.Type) memClass { return memClass{nil, "*" + program.TypeKey(t)} }

// fieldClass is that of a field of structs, of all instances of a generic one.
func fieldClass(f *types.Var) memClass { return memClass{f.Origin(), program.TypeKey(f.Type())} }

// sentClass is that of what is sent in channels of a type of elements.
func sentClass(elem types.Type) memClass { return memClass{nil, "sent " + program.TypeKey(elem)} }

// What is kept of contexts.
var (
	causesClass        = memClass{nil, "causes of contexts"}
	contextValuesClass = memClass{nil, "values of contexts"}
)

// classOf returns the class of the cell at an address; known is false for an
// address that comes from elsewhere.
func classOf(addr ssa.Value) (c memClass, known bool) {
	switch a := addr.(type) {
	case *ssa.Global:
		return memClass{a, program.TypeKey(program.Pointee(a.Type()))}, true
	case *ssa.FieldAddr:
		f := program.Pointee(a.X.Type()).Underlying().(*types.Struct).Field(a.Field)
		return memClass{f.Origin(), program.TypeKey(program.Pointee(a.Type()))}, true
	case *ssa.IndexAddr:
		return elementsClass(program.Pointee(a.Type())), true
	case *ssa.Alloc:
		return memClass{a, program.TypeKey(program.Pointee(a.Type()))}, true
	}
	return unknownClass(program.Pointee(addr.Type())), false
}

func newSlice(prog *program.Program) *slice {
	s := &slice{
		prog:   prog,
		liveIn: map[*ssa.Function][]map[ssa.Value]bool{},
		kept: kept{
			instr: map[ssa.Instruction]bool{}, value: map[ssa.Value]bool{}, block: map[*ssa.BasicBlock]bool{},
			funcs: map[*ssa.Function]bool{}, classes: map[memClass]bool{},
		},
		inventoried: inventoried{
			stores: map[memClass][]ssa.Instruction{}, untyped: map[string][]ssa.Instruction{}, byType: map[string][]memClass{},
			mapWrites: map[memClass][]ssa.Instruction{}, callers: map[*ssa.Function][]ssa.CallInstruction{},
			closures: map[*ssa.Function][]*ssa.MakeClosure{}, sends: map[string][]ssa.Value{},
			calledBack: map[*ssa.Function][]ssa.CallInstruction{}, filled: map[ssa.Instruction][]ssa.Value{}, recovers: prog.Recoveries(),
		},
		localParts: localParts{parts: map[ssa.Value]part{}, partStores: map[*ssa.Alloc][]*ssa.Store{}, partNeeded: map[ssa.Value]bool{}},
		checked: checked{
			checks: map[ssa.Instruction]string{}, mayBeNil: map[ssa.Instruction]bool{}, misused: map[*ssa.Call]misusedCall{},
			watched: map[ssa.Instruction]bool{},
		},
	}
	for _, f := range prog.Funcs {
		s.findLocals(f)
	}
	var seeds []ssa.Instruction
	for _, f := range prog.Funcs {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				s.inventory(instr)
				if s.seed(instr) {
					seeds = append(seeds, instr)
				}
			}
		}
	}
	for _, f := range s.poolNews {
		s.calledBack[f] = append(s.calledBack[f], s.poolGets...)
	}
	for _, instr := range seeds {
		s.needInstr(instr)
	}
	s.mark()
	for again := true; again; again = s.bounds() || s.faults() || s.nils() || s.misuses() {
		for len(s.work) > 0 {
			f := s.work[len(s.work)-1]
			s.work = s.work[:len(s.work)-1]
			f()
		}
	}
	s.plain = s.byValue()
	for v, p := range s.parts {
		if v == p.root {
			s.plain[v] = true
		}
	}
	for _, f := range prog.Funcs {
		s.liveness(prog.Function(f))
	}
	s.findNumbers()
	s.fixed = s.fixedNumbers()
	return s
}

// inventory collects what the worklist looks up.
func (s *slice) inventory(instr ssa.Instruction) {
	into := func(c memClass) {
		if len(s.stores[c]) == 0 {
			s.byType[c.typ] = append(s.byType[c.typ], c)
		}
		s.stores[c] = append(s.stores[c], instr)
	}
	store := func(addr ssa.Value) {
		c, known := classOf(addr)
		if known {
			into(c)
		} else {
			s.untyped[program.TypeKey(program.Pointee(addr.Type()))] = append(s.untyped[program.TypeKey(program.Pointee(addr.Type()))], instr)
		}
		switch program.Pointee(addr.Type()).Underlying().(type) {
		case *types.Struct, *types.Array:
			s.whole = append(s.whole, instr)
		}
	}
	if elem := s.prog.ElementsWritten(instr); elem != nil {
		into(elementsClass(elem))
		switch elem.Underlying().(type) {
		case *types.Struct, *types.Array:
			s.whole = append(s.whole, instr)
		}
	}
	if m := mapWrite(instr); m != nil {
		s.mapWrites[mapClass(m.Type())] = append(s.mapWrites[mapClass(m.Type())], instr)
	}
	switch i := instr.(type) {
	case *ssa.Store:
		if f, ok := i.Addr.(*ssa.FieldAddr); ok && program.LibraryType(program.Pointee(f.X.Type())) == "sync.Pool" {
			s.poolNews = append(s.poolNews, s.prog.Functions(i.Val)...)
		}
		if p, ok := s.parts[i.Addr]; ok {
			s.partStores[p.root] = append(s.partStores[p.root], i)
			break
		}
		store(i.Addr)
	case *ssa.Slice:
		s.limited = s.limited || i.Max != nil
	case *ssa.MakeClosure:
		f := i.Fn.(*ssa.Function)
		s.closures[f] = append(s.closures[f], i)
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
			s.misused[call] = misusedCall{m, always}
		}
	}
	if call, ok := instr.(ssa.CallInstruction); ok {
		if s.prog.FromLibrary(call) {
			for _, f := range s.prog.Calls[call] {
				s.calledBack[f] = append(s.calledBack[f], call)
			}
		}
		s.filled[instr] = s.prog.Fills(call)
		for _, ptr := range s.filled[instr] {
			store(ptr)
		}
		for _, f := range s.prog.Callees(call) {
			s.callers[f] = append(s.callers[f], call)
			in := s.prog.Operation(f)
			if in == nil || len(call.Common().Args) == 0 {
				continue
			}
			if in.Writes {
				store(call.Common().Args[0])
			}
			if in.Calls > 0 {
				for _, g := range s.prog.Functions(call.Common().Args[in.Calls]) {
					s.calledBack[g] = append(s.calledBack[g], call)
				}
			}
			if in.Forwards {
				for _, g := range s.prog.Forwarded(call, f) {
					s.calledBack[g] = append(s.calledBack[g], call)
				}
			}
			for _, g := range s.prog.CalledMethods(call.Common().Args[0], in.Methods) {
				s.calledBack[g] = append(s.calledBack[g], call)
			}
			if in.Name == "poolget" {
				s.poolGets = append(s.poolGets, call)
			}
		}
	}
}

// seed reports that an instruction is relevant by itself.
func (s *slice) seed(instr ssa.Instruction) bool {
	switch i := instr.(type) {
	case *ssa.Send, *ssa.Select, *ssa.Go:
		return true
	case *ssa.UnOp:
		return i.Op == token.ARROW
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
		if c.IsInvoke() && (program.LockerMethod(c.Method) || s.prog.OfSync(c)) {
			return true
		}
		if s.prog.Assertion(instr) != nil {
			return true
		}
		if call, ok := instr.(*ssa.Call); ok && s.misused[call].always {
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

func (s *slice) needBlock(b *ssa.BasicBlock) {
	if s.block[b] {
		return
	}
	s.block[b] = true
	for _, a := range s.prog.Function(b.Parent()).ControlDeps[b.Index] {
		s.needBranch(b.Parent().Blocks[a])
	}
	s.needFunc(b.Parent())
}

func (s *slice) needBranch(b *ssa.BasicBlock) {
	if br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
		s.needInstr(br)
	}
}

func (s *slice) needFunc(f *ssa.Function) {
	if s.funcs[f] {
		return
	}
	s.funcs[f] = true
	for _, call := range s.callers[f] {
		s.needInstr(call)
	}
	for _, call := range s.calledBack[f] {
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

func (s *slice) defers(f *ssa.Function) bool {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			if _, ok := instr.(*ssa.Defer); ok {
				return true
			}
		}
	}
	return false
}

func (s *slice) needInstr(instr ssa.Instruction) {
	if s.instr[instr] {
		return
	}
	s.instr[instr] = true
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
		if call, ok := instr.(*ssa.Call); ok && program.LibraryName(call) == "errors.As" && len(s.filled[instr]) > 0 {
			s.need(call.Call.Args[0])
		}
		for _, ptr := range s.filled[instr] {
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
func (s *slice) need(v ssa.Value) {
	if s.value[v] {
		return
	}
	switch v.(type) {
	case *ssa.Const, *ssa.Function, *ssa.Builtin, *ssa.Global:
		return
	}
	s.value[v] = true
	s.work = append(s.work, func() { s.sources(v) })
}

// sources asks for what a value is computed from.
func (s *slice) sources(v ssa.Value) {
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
func (s *slice) needComponent(v *ssa.Extract) {
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
func (s *slice) needReturn(v *ssa.Call) {
	if v.Call.Signature().Results().Len() == 1 {
		s.needCall(v, 0)
	}
	s.needInstr(v)
	for _, a := range program.KnownArgs(v) {
		s.need(a)
	}
	s.needContext(v)
	s.testContext = s.testContext || s.prog.AsksForContext(v)
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
func (s *slice) needArguments(v *ssa.Parameter) {
	f := v.Parent()
	i := -1
	for k, p := range f.Params {
		if p == v {
			i = k
		}
	}
	for _, call := range s.calledBack[f] {
		s.needInstr(call)
	}
	for _, call := range s.callers[f] {
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
func (s *slice) needBindings(v *ssa.FreeVar) {
	f := v.Parent()
	for k, fv := range f.FreeVars {
		if fv == v {
			for _, m := range s.closures[f] {
				s.need(m.Bindings[k])
			}
		}
	}
}

// needCall asks for one result of a call.
func (s *slice) needCall(call *ssa.Call, i int) {
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
func (s *slice) needSent(ch types.Type) {
	c, ok := ch.Underlying().(*types.Chan)
	if !ok {
		return
	}
	if cls := sentClass(c.Elem()); !s.classes[cls] {
		s.classes[cls] = true
		for _, v := range s.sends[program.TypeKey(c.Elem())] {
			s.need(v)
		}
	}
}

// needCell asks for the contents of the memory at an address.
func (s *slice) needCell(addr ssa.Value) {
	if p, ok := s.parts[addr]; ok {
		s.needPart(addr, p)
		return
	}
	c, known := classOf(addr)
	if s.classes[c] {
		return
	}
	s.classes[c] = true
	t := program.Pointee(addr.Type())
	for _, st := range s.stores[c] {
		s.needInstr(st)
	}
	for _, st := range s.untyped[program.TypeKey(t)] {
		s.needInstr(st)
	}
	if !known {
		for _, d := range s.byType[program.TypeKey(t)] {
			for _, st := range s.stores[d] {
				s.needInstr(st)
			}
		}
	}
	// Stores of whole structs and arrays that contain such a cell, and if the
	// cell is itself one, stores into its parts.
	for _, st := range s.whole {
		whole := s.prog.ElementsWritten(st)
		if store, ok := st.(*ssa.Store); ok {
			whole = program.Pointee(store.Addr.Type())
		}
		for _, ptr := range s.filled[st] {
			if u := program.Pointee(ptr.Type()); contains(u, t, 0) {
				whole = u
			}
		}
		if whole != nil && contains(whole, t, 0) {
			s.needInstr(st)
		}
	}
	s.needParts(t, 0)
}

// needParts asks for all cells inside a struct or array.
func (s *slice) needParts(t types.Type, depth int) {
	if depth > 4 {
		return
	}
	part := func(c memClass, t types.Type) { s.needClass(c, t, depth+1) }
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			f := u.Field(i)
			part(fieldClass(f), f.Type())
		}
	case *types.Array:
		part(elementsClass(u.Elem()), u.Elem())
	}
}

// needClass asks for the cells of a class, which hold values of type t.
func (s *slice) needClass(c memClass, t types.Type, depth int) {
	if s.classes[c] {
		return
	}
	s.classes[c] = true
	for _, st := range s.stores[c] {
		s.needInstr(st)
	}
	for _, st := range s.untyped[program.TypeKey(t)] {
		s.needInstr(st)
	}
	s.needParts(t, depth)
}

// contains reports that a value of type t holds one of type part inside.
func contains(t, part types.Type, depth int) bool {
	if types.Identical(t, part) {
		return true
	}
	if depth > 6 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if contains(u.Field(i).Type(), part, depth+1) {
				return true
			}
		}
	case *types.Array:
		return contains(u.Elem(), part, depth+1)
	}
	return false
}

// executed reports that the instruction is to be executed.
func (s *slice) executed(instr ssa.Instruction) bool {
	if s.instr[instr] {
		return true
	}
	v, ok := instr.(ssa.Value)
	return ok && s.value[v]
}

// instructions are those of the functions that matter, with their blocks.
func (s *slice) instructions() iter.Seq2[*ssa.BasicBlock, ssa.Instruction] {
	return func(yield func(*ssa.BasicBlock, ssa.Instruction) bool) {
		for _, f := range s.prog.Funcs {
			if !s.funcs[f] {
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

// considered reports that the model does something at an instruction, if only to look at what
// may panic.
func (s *slice) considered(instr ssa.Instruction) bool {
	return s.executed(instr) || s.checks[instr] != "" || s.watched[instr]
}

// liveness computes the needed values that are live at the entry of each
// block, after its phis.
func (s *slice) liveness(in *program.Function) {
	n := len(in.Func.Blocks)
	liveIn := make([]map[ssa.Value]bool, n)
	for i := range liveIn {
		liveIn[i] = map[ssa.Value]bool{}
	}
	s.liveIn[in.Func] = liveIn
	for changed := true; changed; {
		changed = false
		for i := n - 1; i >= 0; i-- {
			b := in.Func.Blocks[i]
			live := s.liveBefore(in, b, 0)
			if len(live) != len(liveIn[i]) {
				liveIn[i] = live
				changed = true
			}
		}
	}
}

// liveBefore returns the values live before instruction idx of b; phis of b
// count as defined.
func (s *slice) liveBefore(in *program.Function, b *ssa.BasicBlock, idx int) map[ssa.Value]bool {
	if s.liveIn[in.Func] == nil { // of a goroutine that the call graph does not foresee
		s.liveness(in)
	}
	liveIn, live := s.liveIn[in.Func], map[ssa.Value]bool{}
	succs := b.Succs
	if _, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok && !s.instr[b.Instrs[len(b.Instrs)-1]] {
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
		for pi, p := range t.Preds {
			if p != b {
				continue
			}
			for _, instr := range t.Instrs {
				phi, ok := instr.(*ssa.Phi)
				if !ok {
					break
				}
				if s.value[phi] {
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
	for i := len(b.Instrs) - 1; i >= idx; i-- {
		instr := b.Instrs[i]
		if _, ok := instr.(*ssa.Phi); ok {
			continue
		}
		if v, ok := instr.(ssa.Value); ok {
			delete(live, v)
		}
		if r, ok := instr.(*ssa.Return); ok {
			for _, x := range r.Results {
				s.use(live, x)
			}
			continue
		}
		if !s.considered(instr) {
			continue
		}
		switch i := instr.(type) {
		case *ssa.DebugRef:
			continue
		case *ssa.FieldAddr, *ssa.IndexAddr:
			if _, ok := s.parts[i.(ssa.Value)]; ok {
				continue
			}
		case *ssa.Store:
			if p, ok := s.parts[i.Addr]; ok {
				// Where a panic may be recovered the old value may be read.
				if i.Addr == p.root && in.Func.Recover == nil {
					delete(live, p.root)
				}
				s.use(live, i.Val)
				continue
			}
		case *ssa.UnOp:
			if p, ok := s.parts[i.X]; ok && i.Op == token.MUL {
				s.use(live, p.root)
				continue
			}
		case *ssa.Call:
			if program.LibraryName(i) == "errors.As" && len(s.filled[i]) > 0 {
				s.use(live, i.Call.Args[0])
			}
			for _, ptr := range s.filled[i] {
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
	return live
}

func (s *slice) use(live map[ssa.Value]bool, v ssa.Value) {
	if s.value[v] {
		live[v] = true
	}
}
