package growth

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/program"
)

// sizeClasses are the sizes of the blocks that the runtime allocates for small objects,
// internal/runtime/gc.SizeClassToSize.
var sizeClasses = []int64{8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 288, 320, 352, 384, 416, 448, 480, 512, 576, 640, 704, 768, 896, 1024, 1152, 1280, 1408, 1536, 1792, 2048, 2304, 2688, 3072, 3200, 3456, 4096, 4864, 5376, 6144, 6528, 6784, 6912, 8192, 9472, 9728, 10240, 10880, 12288, 13568, 14336, 16384, 18432, 19072, 20480, 21760, 24576, 27264, 28672, 32768}

const (
	mallocHeader    = 8   // of larger objects with pointers
	mostWithoutOne  = 512 // bytes of an object with pointers and no header
	pageSize        = 8192
	growsDoublingTo = 256 // elements, from which on arrays grow by less
	stackBuffer     = 32  // bytes of the arrays that append may have on the stack
)

// roundUpSize is how much the runtime allocates for a number of bytes.
func roundUpSize(size int64, pointers bool) int64 {
	header := int64(0)
	if pointers && size > mostWithoutOne {
		header = mallocHeader
	}
	if most := sizeClasses[len(sizeClasses)-1]; size <= most-mallocHeader {
		k, _ := slices.BinarySearch(sizeClasses, size+header)
		return sizeClasses[k] - header
	}
	return (size + pageSize - 1) / pageSize * pageSize
}

// grownCapacity is the capacity of an array on the heap that takes the place of one with
// a capacity that is too small for n elements.
func grownCapacity(n, capacity, size int64, pointers bool) int64 {
	if size == 0 {
		return n
	}
	grown := 2 * capacity
	switch {
	case n > grown:
		grown = n
	case capacity >= growsDoublingTo:
		for grown = capacity; grown < n; {
			grown += (grown + 3*growsDoublingTo) / 4
		}
	}
	return roundUpSize(grown*size, pointers) / size
}

// stackCapacities are the other capacities that what append returns can have, if it has n
// elements and does not escape at once: those of an array on the stack, or of a copy of
// one.
func stackCapacities(n, length, size int64, pointers bool) []int64 {
	if size == 0 || n*size > stackBuffer {
		return nil
	}
	out := []int64{roundUpSize(n*size, pointers) / size}
	if length == 0 {
		out = append(out, stackBuffer/size)
	}
	return out
}

// OnHeap is the capacity of an array on the heap to which append copies a slice that
// has no room for n elements.
func OnHeap(sizes types.Sizes, elem types.Type, n, capacity int32) int32 {
	return int32(grownCapacity(int64(n), int64(capacity), sizes.Sizeof(elem), hasPointers(elem)))
}

// Capacities are the capacities that what an append returns can have, where the slice
// before has no room.
func Capacities(sizes types.Sizes, call *ssa.Call, elem types.Type, n, length, capacity int32) []int32 {
	out := []int32{OnHeap(sizes, elem, n, capacity)}
	if leavesAtOnce(call) {
		return out
	}
	for _, k := range stackCapacities(int64(n), int64(length), sizes.Sizeof(elem), hasPointers(elem)) {
		if !slices.Contains(out, int32(k)) {
			out = append(out, int32(k))
		}
	}
	return out
}

// hasPointers reports that values of a type have pointers in them.
func hasPointers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0 || u.Kind() == types.UnsafePointer
	case *types.Array:
		return u.Len() > 0 && hasPointers(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if hasPointers(f.Type()) {
				return true
			}
		}
		return false
	}
	return true
}

// Observed are the types of elements, by their keys, of slices on whose capacities what the
// program does may depend: it asks for one, goes beyond the length of a slice, or uses a slice
// further that it has appended to.
func Observed(p *program.Program) map[string]bool {
	out := map[string]bool{}
	for _, f := range p.Funcs {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				if t := capacitySeen(instr); t != nil {
					out[program.TypeKey(t)] = true
				}
			}
		}
	}
	return out
}

// capacitySeen is the type of the elements of a slice whose capacity an instruction sees,
// nil for none.
func capacitySeen(instr ssa.Instruction) types.Type {
	elem := func(v ssa.Value) types.Type {
		if t, ok := v.Type().Underlying().(*types.Slice); ok {
			return t.Elem()
		}
		return nil
	}
	switch i := instr.(type) {
	case *ssa.Slice:
		if sum, ok := i.High.(*ssa.BinOp); ok && sum.Op == token.ADD && (builtinCall(sum.X, "len") != nil || builtinCall(sum.Y, "len") != nil) {
			return elem(i.X)
		}
	case *ssa.Call:
		if call := builtinCall(i, "cap"); call != nil {
			return elem(call.Call.Args[0])
		}
		if call := builtinCall(i, "append"); call != nil && usedFurther(call) {
			return elem(call)
		}
	}
	return nil
}

// builtinCall is a value as the call of a builtin, nil for others.
func builtinCall(v ssa.Value, name string) *ssa.Call {
	call, ok := v.(*ssa.Call)
	if !ok {
		return nil
	}
	if b, ok := call.Call.Value.(*ssa.Builtin); !ok || b.Name() != name {
		return nil
	}
	return call
}

// usedFurther reports that the slice to which a call appends may be used behind it, so that
// it matters whether the two have one array.
func usedFurther(call *ssa.Call) bool {
	v := call.Call.Args[0]
	for {
		s, ok := v.(*ssa.Slice)
		if !ok || s.Max != nil {
			break // with a bound, which is its capacity
		}
		if _, isSlice := s.X.Type().Underlying().(*types.Slice); !isSlice {
			return false // so is that of part of an array
		}
		if usedBehind(s, call) {
			return true
		}
		v = s.X
	}
	switch v := v.(type) {
	case *ssa.Const, *ssa.Slice, *ssa.MakeSlice:
		return false // its capacity is known
	case *ssa.UnOp:
		return usedBehind(v, call) || !slices.ContainsFunc(*call.Referrers(), func(i ssa.Instruction) bool {
			s, ok := i.(*ssa.Store)
			return ok && s.Val == call && samePlace(s.Addr, v.X)
		})
	case *ssa.Phi, *ssa.Call:
		return usedBehind(v, call)
	}
	return true // somebody else has it
}

// samePlace reports that two addresses are written alike.
func samePlace(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *ssa.FieldAddr:
		b, ok := b.(*ssa.FieldAddr)
		return ok && a.Field == b.Field && samePlace(a.X, b.X)
	case *ssa.IndexAddr:
		b, ok := b.(*ssa.IndexAddr)
		return ok && a.Index == b.Index && samePlace(a.X, b.X)
	case *ssa.UnOp:
		b, ok := b.(*ssa.UnOp)
		return ok && a.Op == token.MUL && b.Op == token.MUL && samePlace(a.X, b.X)
	}
	return false
}

// usedBehind reports that a value is used behind a call, but for its length, before it is
// computed anew.
func usedBehind(v ssa.Value, call *ssa.Call) bool {
	behind := map[*ssa.BasicBlock]bool{}
	work := slices.Clone(call.Block().Succs)
	own := v.(ssa.Instruction).Block()
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if !behind[b] && b != own {
			behind[b] = true
			work = append(work, b.Succs...)
		}
	}
	for _, r := range *v.Referrers() {
		if r == call || r.Block() == nil {
			continue
		}
		if _, ok := r.(*ssa.DebugRef); ok {
			continue
		}
		if n, ok := r.(ssa.Value); ok && builtinCall(n, "len") != nil {
			continue
		}
		if phi, ok := r.(*ssa.Phi); ok {
			for i, e := range phi.Edges {
				if from := phi.Block().Preds[i]; e == v && (behind[from] || from == call.Block()) {
					return true
				}
			}
			continue
		}
		later := r.Block() == call.Block() && slices.Index(r.Block().Instrs, r) > slices.Index(r.Block().Instrs, ssa.Instruction(call))
		if later || behind[r.Block()] {
			return true
		}
	}
	return false
}

// leavesAtOnce reports that what an append returns is written through a pointer or to a
// global variable, and that the slice before was not in a variable of the function: the
// compiler has such an array on the heap.
func leavesAtOnce(call *ssa.Call) bool {
	switch v := call.Call.Args[0].(type) {
	case *ssa.Const:
	case *ssa.UnOp:
		if !shared(v.X) {
			return false
		}
	default:
		return false
	}
	return slices.ContainsFunc(*call.Referrers(), func(i ssa.Instruction) bool {
		s, ok := i.(*ssa.Store)
		return ok && s.Val == call && shared(s.Addr)
	})
}

// shared reports that the compiler takes what is written to an address to escape: it is that
// of a global variable, or behind a pointer or slice.
func shared(addr ssa.Value) bool {
	switch a := addr.(type) {
	case *ssa.Global, *ssa.Parameter, *ssa.UnOp, *ssa.Call, *ssa.Extract:
		return true
	case *ssa.FieldAddr:
		return shared(a.X)
	case *ssa.IndexAddr:
		_, ok := a.X.Type().Underlying().(*types.Slice)
		return ok || shared(a.X)
	}
	return false
}
