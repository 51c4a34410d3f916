package omissions

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
)

// What a library writes into a slice or map of the program is not executed: in
//
//	b := make([]byte, 1)
//	rand.Read(b)
//	if b[0] == 7 { ... }
//
// the model has b[0] at 0 throughout. That loses something where the program asks for such elements. What decoders write through
// pointers is in the model (program.Fills).

// written says what of a kind that the model keeps a call out of the program may write, "" if nothing. pkg is the package
// of what is called, "" if that is only known as the method of an interface.
func (o *Finder) written(call ssa.CallInstruction, pkg string) string {
	if o.prog.Assertion(call) != nil || !o.writes(call, pkg) {
		return ""
	}
	for _, a := range call.Common().Args {
		if c, ok := a.(*ssa.Const); ok && c.Value == nil {
			continue
		}
		if s, ok := a.(*ssa.Slice); ok {
			if array, ok := s.X.(*ssa.Alloc); ok && array.Comment == "varargs" {
				continue // nobody else has it
			}
		}
		t := a.Type()
		if m, ok := a.(*ssa.MakeInterface); ok {
			iface, ok := t.Underlying().(*types.Interface)
			// What is passed as any value is looked at, but by package reflect.
			if ok && iface.NumMethods() == 0 && pkg != "reflect" {
				continue
			}
			t = m.X.Type()
			if p, ok := t.Underlying().(*types.Pointer); ok && pkg == "reflect" && o.keeps(m.X, p.Elem()) {
				return "what the pointer points to"
			}
		}
		switch u := t.Underlying().(type) {
		case *types.Slice:
			if o.sl.Classes[relevance.Elements(u.Elem())] {
				return "the elements of a slice"
			}
		case *types.Map:
			if o.sl.Classes[relevance.Entries(t)] {
				return "the entries of a map"
			}
		}
	}
	return ""
}

// keeps reports that the model keeps what a pointer points to, or a field of it.
func (o *Finder) keeps(ptr ssa.Value, t types.Type) bool {
	if c, _ := relevance.ClassOf(ptr); o.sl.Classes[c] {
		return true
	}
	if s, ok := t.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			if o.sl.Classes[relevance.Field(f)] {
				return true
			}
		}
	}
	return false
}

// writes reports that a function which is not part of the program writes slices or maps that it is given. Of the standard
// library the names say so, which are few; of other modules each function may.
func (o *Finder) writes(call ssa.CallInstruction, pkg string) bool {
	c := call.Common()
	name, method := "", c.IsInvoke()
	if method {
		name = c.Method.Name()
		if p := c.Method.Pkg(); p != nil {
			pkg = p.Path()
		}
	} else if f := c.StaticCallee(); f != nil {
		if f.Origin() != nil {
			f = f.Origin()
		}
		name, method = f.Name(), f.Signature.Recv() != nil
	}
	if host, _, _ := strings.Cut(pkg, "/"); strings.Contains(host, ".") || name == "" {
		return true
	}
	if pkg == "reflect" {
		return name == "Copy" || name == "Swapper" || name == "ValueOf" && o.reflects()
	}
	if lookers[pkg] && !method {
		return strings.HasPrefix(name, "Append")
	}
	for _, prefix := range writerPrefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return pkg == "slices" && (strings.HasPrefix(name, "Replace") || strings.HasPrefix(name, "Compact"))
}

// lookers are packages whose functions that are no methods only look at what they are given, unless they append to it.
var lookers = map[string]bool{
	"bytes": true, "encoding/pem": true, "fmt": true, "os": true, "regexp": true, "strings": true, "unicode/utf16": true,
	"crypto/md5": true, "crypto/sha1": true, "crypto/sha256": true, "crypto/sha3": true, "crypto/sha512": true,
}

// writerPrefixes are the beginnings of the names of functions and methods of the standard library that write what they are given
// in a slice or map: what they append to one may be in its array.
var writerPrefixes = []string{
	"Add", "Append", "BlockProfile", "Buffer", "Callers", "ConstantTimeCopy", "Copy", "CryptBlocks", "Decode", "Decrypt", "Del",
	"Delete", "Encode", "Encrypt", "Expand", "Fill", "Float64s", "GoroutineProfile", "Grow", "Insert", "Ints", "MemProfile",
	"MutexProfile", "NewBuffer", "Next", "Open", "Put", "Quantize", "Read", "Reverse", "Seal", "Set", "Sort", "Stable", "Stack",
	"Strings", "Sum", "Swap", "ThreadCreateProfile", "XOR",
}

// reflects reports that the program sets something by package reflect.
func (o *Finder) reflects() bool {
	if o.sets == nil {
		sets := false
		for _, f := range o.prog.Funcs {
			for _, b := range f.Blocks {
				for _, instr := range b.Instrs {
					if call, ok := instr.(ssa.CallInstruction); ok {
						sets = sets || strings.HasPrefix(program.LibraryName(call), "(reflect.Value).Set")
					}
				}
			}
		}
		o.sets = &sets
	}
	return *o.sets
}
