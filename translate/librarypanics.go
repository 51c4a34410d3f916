package translate

import (
	"go/constant"
	"go/types"
	"net/netip"
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/program"
)

// Functions of the library panic where they are misused: an argument of rand.Intn that is
// not positive, an error that is handed to template.Must. Where the arguments in the program
// say so such a call is relevant by itself, as a call of panic is. Of other calls it is looked
// for where the model follows the arguments, and where a function recovers it the arguments
// are kept, as for panics of the run-time system.

// misuse says when a function of the library panics.
type misuse struct {
	what string
	args []int // that decide
	// static says what can be seen in the program: that a call panics always, or never. known
	// is false where it depends on more.
	static func(call *ssa.CallCommon) (panics, known bool)
	// bad is the condition that a call panics, by its arguments; nil if that is never known.
	bad func(args [][]*expr) *expr
	// isError: the value of the panic is an error, and otherwise a string.
	isError bool
}

// misuses are by the full names of functions.
var misuses map[string]*misuse

func init() {
	misuses = map[string]*misuse{}
	less := func(what string, k int, bound int64, names ...string) {
		for _, name := range names {
			misuses[name] = &misuse{
				what: what,
				args: []int{k},
				static: func(c *ssa.CallCommon) (panics, known bool) {
					n := program.IntegerConst(c.Args[k])
					return n != nil && n.IsInt64() && n.Int64() < bound, n != nil
				},
				bad: func(args [][]*expr) *expr { return arith(xLt, args[0][0], num(int32(bound))) },
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
	misuses["math/bits.Div"] = &misuse{
		what: "integer divide by zero", args: []int{2}, isError: true,
		static: func(c *ssa.CallCommon) (panics, known bool) {
			n := program.IntegerConst(c.Args[2])
			return n != nil && n.Sign() == 0, false
		},
		bad: func(args [][]*expr) *expr { return eq(args[0][0], 0) },
	}
	for _, n := range []string{"Div32", "Div64"} {
		misuses["math/bits."+n] = misuses["math/bits.Div"]
	}
	for _, n := range []string{"text/template.Must", "html/template.Must"} {
		misuses[n] = &misuse{what: "template.Must", args: []int{1}, isError: true,
			bad: func(args [][]*expr) *expr { return not(eq(args[0][0], 0)) }}
	}
	parsed := func(name string, fails func(text string) bool) {
		misuses[name] = &misuse{what: name, static: func(c *ssa.CallCommon) (panics, known bool) {
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
			misuses[name] = &misuse{what: what, static: func(c *ssa.CallCommon) (panics, known bool) { return isNil(c.Args[k]), true }}
		}
	}
	absent("cannot create context from nil parent", 0, "context.WithCancel", "context.WithCancelCause", "context.WithTimeout",
		"context.WithTimeoutCause", "context.WithDeadline", "context.WithDeadlineCause", "context.WithoutCancel")
	absent("os/signal: Notify using nil channel", 0, "os/signal.Notify")
	absent("http: nil handler", 1, "net/http.Handle", "net/http.HandleFunc")
	absent("http: nil handler", 2, "(*net/http.ServeMux).Handle", "(*net/http.ServeMux).HandleFunc")
	misuses["context.WithValue"] = &misuse{what: "context.WithValue", static: func(c *ssa.CallCommon) (panics, known bool) {
		key, ok := c.Args[1].(*ssa.MakeInterface)
		return isNil(c.Args[0]) || isNil(c.Args[1]) || ok && !types.Comparable(key.X.Type()), true
	}}
	misuses["strings.NewReplacer"] = &misuse{what: "strings.NewReplacer: odd argument count", static: func(c *ssa.CallCommon) (panics, known bool) {
		s, ok := c.Args[0].(*ssa.Slice)
		if !ok {
			return false, isNil(c.Args[0])
		}
		array, ok := program.Pointee(s.X.Type()).Underlying().(*types.Array)
		if !ok || s.High != nil {
			return false, false
		}
		return array.Len()%2 != 0, true
	}}
	misuses["errors.As"] = &misuse{what: "errors: *target must be interface or implement error", args: []int{0},
		static: func(c *ssa.CallCommon) (panics, known bool) { return false, !badTarget(c.Args[1]) },
		bad:    func(args [][]*expr) *expr { return not(eq(args[0][0], 0)) },
	}
}

// badTarget reports that errors.As panics because of its target, if there is an error.
func badTarget(v ssa.Value) bool {
	if isNil(v) {
		return true
	}
	m, ok := v.(*ssa.MakeInterface)
	if !ok {
		return false
	}
	ptr, ok := m.X.Type().Underlying().(*types.Pointer)
	return !ok || isNil(m.X) || !types.IsInterface(ptr.Elem()) && !types.Implements(ptr.Elem(), errorInterface)
}

// misuseOf is when a call of a function of the library panics, nil if it never does.
func misuseOf(call *ssa.Call) (m *misuse, always bool) {
	name := program.LibraryName(call)
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

// misusedCall is a call of a function that panics, always or where it is misused.
type misusedCall struct {
	*misuse
	always bool
}

// misuse continues with the panic of a function of the library that is misused; false if it
// has taken over the path. Of calls whose panic is recovered it is recorded where that is not
// known.
func (x *translator) misuse(p *path, call *ssa.Call) bool {
	m := x.sl.misused[call]
	if m.misuse == nil {
		return true
	}
	bad := num(1)
	if !m.always {
		bad = unknown("not tracked")
		if m.bad != nil && (x.sl.watched[call] || x.sl.checks[call] != "") {
			var args [][]*expr
			for _, k := range m.args {
				args = append(args, p.value(p.peek().ctx, call.Call.Args[k]))
			}
			bad = p.simplify(m.bad(args))
		}
		if bad.op == xUnknown || p.abs(bad).top {
			if what := x.sl.checks[call]; what != "" {
				x.unchecked(p.here(), what)
			}
			return true
		}
	}
	val := x.someError
	if !m.isError {
		val = x.someText
	}
	return x.checkWith(p, bad, m.what, call, val)
}

// misuses asks for the way to calls that may panic because of what the model follows. It
// reports whether there was anything new.
func (s *slice) misuses() bool {
	grown := false
	for b, instr := range s.instructions() {
		call, ok := instr.(*ssa.Call)
		if m := s.misused[call]; ok && m.misuse != nil && !s.watched[call] && s.followsAll(call, m.args) {
			s.watched[call], grown = true, true
			s.needBlock(b)
		}
	}
	return grown
}

// followsAll reports that the model has the values of arguments.
func (s *slice) followsAll(call *ssa.Call, args []int) bool {
	return len(args) > 0 && !slices.ContainsFunc(args, func(k int) bool {
		v := call.Call.Args[k]
		_, isConst := v.(*ssa.Const)
		return !isConst && !s.value[v]
	})
}

// someText is a string in an interface of which nothing else is known.
func (x *translator) someText() []*expr {
	return []*expr{num(x.mem.tag(types.Typ[types.String])), unknown("a text of a library")}
}

// Functions of the library that never return are in the model wherever they are called.
func endingIntrinsics(table map[string]*intrinsic) {
	panics := &intrinsic{Operation: program.Operation{Name: "logpanic", Seed: true, Args: []int{}}, run: func(x *translator, p *path) bool {
		x.raise(p, &unwind{kind: artifact.KindPanic, site: x.stmtOfOp(p), pos: p.here(), detail: "log.Panic"}, x.someText())
		return true
	}}
	for _, n := range []string{"Fatal", "Fatalf", "Fatalln"} {
		in := &intrinsic{Operation: program.Operation{Name: "logfatal", Kind: sites.Exit, Seed: true, Args: []int{}}, run: logFatal}
		table["log."+n] = in
		table["(*log.Logger)."+n] = in
	}
	for _, n := range []string{"Panic", "Panicf", "Panicln"} {
		table["log."+n] = panics
		table["(*log.Logger)."+n] = panics
	}
}
