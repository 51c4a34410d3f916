package program

import (
	"go/constant"
	"go/token"
	"go/types"
	"net/netip"
	"regexp"

	"golang.org/x/tools/go/ssa"
)

// Functions of the library panic where they are misused: an argument of rand.Intn that is
// not positive, an error that is handed to template.Must. Where the arguments in the program
// say so such a call is relevant by itself, as a call of panic is. Of other calls it is looked
// for where the model follows the arguments, and where a function recovers it the arguments
// are kept, as for panics of the run-time system.

// Misuse says when a function of the library panics.
type Misuse struct {
	What string
	Args []int // that decide
	// static says what can be seen in the program: that a call panics always, or never. known
	// is false where it depends on more.
	static func(call *ssa.CallCommon) (panics, known bool)
	// Bad is what has to be true of the first of these arguments for a call to panic.
	Bad Bound
	// IsError: the value of the panic is an error, and otherwise a string.
	IsError bool
}

// A Bound is a comparison with a number; the zero bound says nothing.
type Bound struct {
	Op   token.Token // LSS, EQL or NEQ
	Than int32
}

// misuses are by the full names of functions.
var misuses = knownMisuses()

func knownMisuses() map[string]*Misuse {
	misuses := map[string]*Misuse{}
	less := func(what string, k int, below int32, names ...string) {
		for _, name := range names {
			misuses[name] = &Misuse{
				What: what,
				Args: []int{k},
				static: func(c *ssa.CallCommon) (panics, known bool) {
					n := IntegerConst(c.Args[k])
					return n != nil && n.IsInt64() && n.Int64() < int64(below), n != nil
				},
				Bad: Bound{token.LSS, below},
			}
		}
	}
	for _, n := range []string{"Intn", "Int31n", "Int63n"} {
		less("invalid argument to "+n, 0, 1, "math/rand."+n)
		less("invalid argument to "+n, 1, 1, "(*math/rand.Rand)."+n)
	}
	for _, n := range []string{"IntN", "Int32N", "Int64N", "UintN", "Uint32N", "Uint64N"} {
		less("invalid argument to "+n, 0, 1, "math/rand/v2."+n)
		less("invalid argument to "+n, 1, 1, "(*math/rand/v2.Rand)."+n)
	}
	less("invalid argument to N", 0, 1, "math/rand/v2.N")
	less("invalid argument to Shuffle", 0, 0, "math/rand.Shuffle", "math/rand/v2.Shuffle")
	less("invalid argument to Shuffle", 1, 0, "(*math/rand.Rand).Shuffle", "(*math/rand/v2.Rand).Shuffle")
	less("negative Repeat count", 1, 0, "strings.Repeat", "bytes.Repeat", "slices.Repeat")
	less("negative count in Grow", 1, 0, "(*bytes.Buffer).Grow", "(*strings.Builder).Grow", "slices.Grow")
	less("bytes.Buffer: truncation out of range", 1, 0, "(*bytes.Buffer).Truncate")
	less("cannot be less than 1", 1, 1, "slices.Chunk")
	less("non-positive interval for NewTicker", 0, 1, "time.NewTicker")
	less("non-positive interval for Ticker.Reset", 1, 1, "(*time.Ticker).Reset")
	misuses["math/bits.Div"] = &Misuse{
		What: "integer divide by zero", Args: []int{2}, IsError: true,
		static: func(c *ssa.CallCommon) (panics, known bool) {
			n := IntegerConst(c.Args[2])
			return n != nil && n.Sign() == 0, false
		},
		Bad: Bound{token.EQL, 0},
	}
	for _, n := range []string{"Div32", "Div64"} {
		misuses["math/bits."+n] = misuses["math/bits.Div"]
	}
	for _, n := range []string{"text/template.Must", "html/template.Must"} {
		misuses[n] = &Misuse{What: "template.Must", Args: []int{1}, IsError: true,
			Bad: Bound{token.NEQ, 0}}
	}
	parsed := func(name string, fails func(text string) bool) {
		misuses[name] = &Misuse{What: name, static: func(c *ssa.CallCommon) (panics, known bool) {
			k, ok := c.Args[0].(*ssa.Const)
			if !ok || k.Value == nil || k.Value.Kind() != constant.String {
				return false, false
			}
			return fails(constant.StringVal(k.Value)), true
		}}
	}
	parsed("regexp.MustCompile", func(text string) bool { _, err := regexp.Compile(text); return err != nil })
	parsed("regexp.MustCompilePOSIX", func(text string) bool { _, err := regexp.CompilePOSIX(text); return err != nil })
	parsed("net/netip.MustParseAddr", func(text string) bool { _, err := netip.ParseAddr(text); return err != nil })
	parsed("net/netip.MustParseAddrPort", func(text string) bool { _, err := netip.ParseAddrPort(text); return err != nil })
	parsed("net/netip.MustParsePrefix", func(text string) bool { _, err := netip.ParsePrefix(text); return err != nil })
	absent := func(what string, k int, names ...string) {
		for _, name := range names {
			misuses[name] = &Misuse{What: what, static: func(c *ssa.CallCommon) (panics, known bool) { return IsNil(c.Args[k]), true }}
		}
	}
	absent("cannot create context from nil parent", 0, "context.WithCancel", "context.WithCancelCause", "context.WithTimeout",
		"context.WithTimeoutCause", "context.WithDeadline", "context.WithDeadlineCause", "context.WithoutCancel")
	absent("os/signal: Notify using nil channel", 0, "os/signal.Notify")
	absent("http: nil handler", 1, "net/http.Handle", "net/http.HandleFunc")
	absent("http: nil handler", 2, "(*net/http.ServeMux).Handle", "(*net/http.ServeMux).HandleFunc")
	misuses["context.WithValue"] = &Misuse{What: "context.WithValue", static: func(c *ssa.CallCommon) (panics, known bool) {
		key, ok := c.Args[1].(*ssa.MakeInterface)
		return IsNil(c.Args[0]) || IsNil(c.Args[1]) || ok && !types.Comparable(key.X.Type()), true
	}}
	misuses["strings.NewReplacer"] = &Misuse{What: "strings.NewReplacer: odd argument count", static: func(c *ssa.CallCommon) (panics, known bool) {
		s, ok := c.Args[0].(*ssa.Slice)
		if !ok {
			return false, IsNil(c.Args[0])
		}
		array, ok := Pointee(s.X.Type()).Underlying().(*types.Array)
		if !ok || s.High != nil {
			return false, false
		}
		return array.Len()%2 != 0, true
	}}
	misuses["errors.As"] = &Misuse{What: "errors: *target must be interface or implement error", Args: []int{0},
		static: func(c *ssa.CallCommon) (panics, known bool) { return false, !badTarget(c.Args[1]) },
		Bad:    Bound{token.NEQ, 0},
	}
	return misuses
}

// ErrorInterface is the interface that error is.
var ErrorInterface = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// badTarget reports that errors.As panics because of its target, if there is an error.
func badTarget(v ssa.Value) bool {
	if IsNil(v) {
		return true
	}
	m, ok := v.(*ssa.MakeInterface)
	if !ok {
		return false
	}
	ptr, ok := m.X.Type().Underlying().(*types.Pointer)
	return !ok || IsNil(m.X) || !types.IsInterface(ptr.Elem()) && !types.Implements(ptr.Elem(), ErrorInterface)
}

// MisuseOf is when a call of a function of the library panics, nil if it never does.
func MisuseOf(call *ssa.Call) (m *Misuse, always bool) {
	name := LibraryName(call)
	if name == "" {
		return nil, false
	}
	if m = misuses[name]; m == nil || m.static == nil {
		return m, false
	}
	panics, known := m.static(&call.Call)
	if known && !panics {
		return nil, false
	}
	return m, panics
}

// IsNil reports that a value is the constant nil.
func IsNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value == nil
}

// UnreachablePanic recognises the panic that go/ssa puts after a blocking
// select.
func UnreachablePanic(p *ssa.Panic) bool {
	if p.Pos().IsValid() {
		return false
	}
	m, ok := p.X.(*ssa.MakeInterface)
	if !ok {
		return false
	}
	c, ok := m.X.(*ssa.Const)
	return ok && c.Value != nil && c.Value.ExactString() == `"blocking select matched no case"`
}
