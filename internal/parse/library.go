package parse

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/internal/sites"
)

// quiet are the packages of the standard library whose functions order nothing
// between the goroutines that call them, whatever they are given.
var quiet = map[string]bool{
	"bytes": true, "cmp": true, "container/heap": true, "container/list": true, "container/ring": true,
	"errors": true, "hash/crc32": true, "hash/fnv": true, "iter": true, "maps": true, "math": true, "math/bits": true,
	"math/cmplx": true, "math/rand": true, "math/rand/v2": true, "path": true, "path/filepath": true, "regexp": true,
	"runtime": true, "slices": true, "sort": true, "strconv": true, "strings": true, "unicode": true,
	"unicode/utf16": true, "unicode/utf8": true, "unsafe": true, "encoding/binary": true, "encoding/hex": true,
	"encoding/base64": true, "hash/adler32": true, "hash/crc64": true,
	"crypto/md5": true, "crypto/sha1": true, "crypto/sha256": true, "crypto/sha3": true, "crypto/sha512": true,
}

// quietInterfaces are interfaces of the standard library whose methods order nothing, whoever has them: what is
// hashed by one goroutine at a time, and types.
var quietInterfaces = map[string]bool{
	"reflect.Type": true, "hash.Hash": true, "hash.Hash32": true, "hash.Hash64": true,
}

// isQuiet reports whether a call of an uninstrumented function orders nothing.
func isQuiet(info *types.Info, c *ast.CallExpr, f *types.Func) bool {
	path := f.Pkg().Path()
	if recv := f.Signature().Recv(); recv != nil && mapTypes[nameOf(recv.Type())] != nil {
		return true
	}
	switch path {
	case "fmt":
		if !strings.HasPrefix(f.Name(), "Fprint") {
			return !strings.HasPrefix(f.Name(), "Fscan")
		}
		// To a writer of its own, others may do more.
		switch types.TypeString(info.TypeOf(c.Args[0]), nil) {
		case "*os.File", "*strings.Builder", "*bytes.Buffer":
			return true
		}
		return false
	case "reflect":
		return !ordering[f.Name()]
	case "time":
		if recv := f.Signature().Recv(); recv != nil {
			return !strings.Contains(recv.Type().String(), "Timer") && !strings.Contains(recv.Type().String(), "Ticker")
		}
		return true
	}
	return quiet[path] && !givesStream(f)
}

// holding are functions of the standard library, as they are linked, that call back with a
// lock of their own, by the package that programs import.
var holding = map[string][]string{
	"crypto/tls":   {"crypto/tls.(*Conn).Handshake", "crypto/tls.(*Conn).Read", "crypto/tls.(*Conn).Write"},
	"database/sql": {"database/sql.withLock"},
	"encoding/gob": {"encoding/gob.(*Decoder).DecodeValue", "encoding/gob.(*Encoder).EncodeValue"},
	"expvar":       {"expvar.(*Map).Do", "expvar.Do"},
	"log":          {"log.(*Logger).output"},
	"log/slog":     {"log/slog.(*commonHandler).handle"},
}

// holdingLocks are those of the packages that a package imports.
func holdingLocks(pkg *types.Package) (out []string) {
	for _, p := range pkg.Imports() {
		out = append(out, holding[p.Path()]...)
	}
	slices.Sort(out)
	return out
}

// calleeOf says what a call, which is no builtin, may call; 0 is instrumented
// code, an operation that the runtime knows, or code that orders nothing.
func (a *memory) calleeOf(c *ast.CallExpr) callee {
	fun := ast.Unparen(c.Fun)
	if _, ok := fun.(*ast.FuncLit); ok {
		return 0
	}
	kind, obj := sites.Classify(a.info, c.Fun)
	if kind != sites.Invalid {
		return 0 // also what is atomic
	}
	f, ok := obj.(*types.Func)
	if !ok {
		return funcValue
	}
	if becomesCall[f.FullName()] || silent[f.FullName()] {
		return 0
	}
	recv := f.Signature().Recv()
	if recv != nil && types.IsInterface(recv.Type()) {
		if s := f.Signature(); s.Params().Len() == 0 && (f.Name() == "Error" || f.Name() == "String") {
			return 0
		}
		if sel, ok := fun.(*ast.SelectorExpr); ok {
			if quietInterfaces[nameOf(a.info.TypeOf(sel.X))] {
				return 0
			}
			if m := a.info.Selections[sel]; m != nil && m.Kind() == types.MethodVal && len(m.Index()) == 1 {
				return ifaceCall
			}
		}
		return library
	}
	switch {
	case f.Pkg() == nil, a.own[f.Pkg().Path()], isQuiet(a.info, c, f), wraps(f), a.plainly(c, f):
		return 0
	case a.forwards(c, f):
		return forwarding
	}
	return library
}

// becomesCall are the functions that call what they are given, in a run, or that the
// runtime does itself.
var becomesCall = map[string]bool{
	"(*sync.Pool).Get": true, "(*sync.Pool).Put": true,
	"(*testing.T).Run": true, "(*testing.T).Parallel": true, "(*testing.common).Cleanup": true, "(testing.TB).Cleanup": true, "testing/synctest.Test": true,
	"(*testing.common).Context": true, "(testing.TB).Context": true,
}

// silent are functions of packages that are not quiet which tell those that call them
// nothing of each other. What a context's methods return does not change, but for Err.
var silent = map[string]bool{
	"context.Background": true, "context.TODO": true, "context.WithValue": true, "context.WithoutCancel": true,
	"context.WithCancel": true, "context.WithCancelCause": true, "context.WithTimeout": true, "context.WithTimeoutCause": true,
	"context.WithDeadline": true, "context.WithDeadlineCause": true,
	"(context.Context).Done": true, "(context.Context).Deadline": true, "(context.Context).Value": true,
	"(*testing.common).Helper": true, "(testing.TB).Helper": true, "(*testing.common).Name": true, "(testing.TB).Name": true,
	"(*testing.common).Log": true, "(testing.TB).Log": true, "(*testing.common).Logf": true, "(testing.TB).Logf": true,
	"runtime/debug.Stack": true, "runtime/debug.PrintStack": true,
	"net/http.NewRequest": true, "net/http.NewRequestWithContext": true, "net/http/httptest.NewRecorder": true,
	"net/http/httptest.NewRequest": true, "net/http/httptest.NewRequestWithContext": true,
	"(*net/http.Request).Context": true, "(*net/http.Request).WithContext": true, "(*net/http.Request).PathValue": true,
}

// pure reports whether an expression may be evaluated twice.
func pure(info *types.Info, e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.ParenExpr:
		return pure(info, x.X)
	case *ast.SelectorExpr:
		return pure(info, x.X)
	case *ast.StarExpr:
		return pure(info, x.X)
	case *ast.IndexExpr:
		return pure(info, x.X) && pure(info, x.Index)
	}
	return false
}
