package parse

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/vtrace/vtrace/internal/sites"
)

// Some types of libraries leave it to their callers that one goroutine at a time uses a
// value. What they do with it is not recorded, but that they do is: two uses that nothing
// orders may race. The same goes for slices, maps and pointers that are given to a function
// that is not instrumented.

// unlocked are such types of the standard library.
var unlocked = map[string]bool{
	"archive/tar.Reader": true, "archive/tar.Writer": true, "archive/zip.Writer": true,
	"bufio.Reader": true, "bufio.Writer": true, "bufio.Scanner": true,
	"bytes.Buffer": true, "bytes.Reader": true,
	"compress/flate.Writer": true, "compress/gzip.Reader": true, "compress/gzip.Writer": true, "compress/zlib.Writer": true,
	"compress/lzw.Reader": true, "compress/lzw.Writer": true, "crypto/rc4.Cipher": true, "hash/maphash.Hash": true,
	"container/list.List": true, "container/ring.Ring": true,
	"encoding/csv.Reader": true, "encoding/csv.Writer": true,
	"encoding/json.Decoder": true, "encoding/json.Encoder": true,
	"encoding/xml.Decoder": true, "encoding/xml.Encoder": true,
	"flag.FlagSet":     true,
	"io.LimitedReader": true, "io.SectionReader": true, "io.OffsetWriter": true,
	"math/big.Int": true, "math/big.Rat": true, "math/big.Float": true,
	"math/rand.Rand": true, "math/rand.Zipf": true, "math/rand/v2.Rand": true, "math/rand/v2.Zipf": true,
	"math/rand/v2.PCG": true, "math/rand/v2.ChaCha8": true,
	"mime/multipart.Reader": true, "mime/multipart.Writer": true,
	"mime/quotedprintable.Reader": true, "mime/quotedprintable.Writer": true,
	"net/http/httptest.ResponseRecorder": true,
	"net/textproto.Reader":               true, "net/textproto.Writer": true,
	"strings.Builder": true, "strings.Reader": true,
	"text/scanner.Scanner": true, "text/tabwriter.Writer": true,
}

// looking are the methods of these types that change nothing.
var looking = map[string]bool{
	"Len": true, "Front": true, "Back": true, "Cap": true, "String": true, "Bytes": true, "Text": true, "Err": true,
	"Available": true, "Buffered": true, "Size": true, "Error": true, "FieldPos": true, "InputOffset": true,
	"Lookup": true, "Parsed": true, "Arg": true, "Args": true, "NArg": true, "NFlag": true, "Name": true,
	"Visit": true, "VisitAll": true, "Boundary": true, "FormDataContentType": true,
	"Sum": true, "Sum32": true, "Sum64": true, "BlockSize": true,
}

// lengthReads are methods that read the length of the first slice in their receiver, by type.
var lengthReads = map[string]map[string]bool{
	"bytes.Buffer":    {"Bytes": true, "Len": true, "String": true},
	"strings.Builder": {"Len": true, "String": true},
}

// reading are packages of which the methods of numbers read their arguments, but for the writers,
// and of the number itself those that are named.
var reading = map[string]map[string]bool{
	"math/big": {
		"Acc": true, "Append": true, "AppendText": true, "Bit": true, "BitLen": true, "Cmp": true, "CmpAbs": true, "FillBytes": true, "Float32": true,
		"Float64": true, "FloatPrec": true, "FloatString": true, "Format": true, "GobEncode": true, "Int": true, "Int64": true, "IsInf": true,
		"IsInt": true, "IsInt64": true, "IsUint64": true, "MantExp": true, "MarshalJSON": true, "MarshalText": true, "MinPrec": true, "Mode": true,
		"Prec": true, "ProbablyPrime": true, "Rat": true, "RatString": true, "Sign": true, "Signbit": true, "TrailingZeroBits": true, "Uint64": true,
	},
}

// filling are methods of these packages that write what they are given.
var filling = map[string]bool{"GCD": true, "Int": true, "MantExp": true, "Rat": true}

// unlockedInterfaces are types of the standard library whose values are of such a type, which is not exported.
var unlockedInterfaces = map[string]bool{
	"hash.Hash": true, "hash.Hash32": true, "hash.Hash64": true, "math/rand.Source": true, "math/rand.Source64": true,
	"crypto/cipher.BlockMode": true, "crypto/cipher.Stream": true,
	"io.Reader": true, "io.ReadCloser": true, "io.Writer": true, "io.WriteCloser": true,
}

// mapTypes are types of the standard library that are maps, with the methods that write
// them: the others read.
var mapTypes = map[string][]string{
	"net/http.Header":          {"Add", "Del", "Set"},
	"net/textproto.MIMEHeader": {"Add", "Del", "Set"},
	"net/url.Values":           {"Add", "Del", "Set"},
	"net/mail.Header":          {},
}

// writers are functions of the standard library that write what an argument refers to.
var writers = map[string]int{
	"encoding/json.Unmarshal": 1, "(*encoding/json.Decoder).Decode": 0,
	"encoding/xml.Unmarshal": 1, "(*encoding/xml.Decoder).Decode": 0,
	"(*encoding/gob.Decoder).Decode": 0, "encoding/binary.Read": 2, "errors.As": 1,
	"io.ReadFull": 1, "io.ReadAtLeast": 1, "crypto/rand.Read": 0, "math/rand.Read": 0,
	"(*os.File).Read": 0, "(*os.File).ReadAt": 0, "(*bufio.Reader).Read": 0, "(*bytes.Buffer).Read": 0,
	"(*bytes.Reader).Read": 0, "(*strings.Reader).Read": 0,
	"(*math/big.Int).QuoRem": 2, "(*math/big.Int).DivMod": 2,
}

// keeping are packages whose functions do not look at what they are given, or are no
// functions of a library to the program.
var keeping = map[string]bool{
	"context": true, "iter": true, "reflect": true, "runtime": true, "sync": true, "sync/atomic": true,
	"unique": true, "unsafe": true, "weak": true,
}

// nameOf is the package and the name of a type, or of the one that a pointer points to; ""
// for types without.
func nameOf(t types.Type) string {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return ""
	}
	return n.Obj().Pkg().Path() + "." + n.Obj().Name()
}

// unlockedName is the name of a type that is unlocked, or of the one that a pointer points
// to; "" for others.
func unlockedName(t types.Type) string {
	if name := nameOf(t); unlocked[name] {
		return name
	}
	return ""
}

// unlockedTypes are pointers to those types of the packages that a program imports.
func unlockedTypes(roots []*packages.Package) (out []types.Type) {
	seen := map[*types.Package]bool{}
	var visit func(p *types.Package)
	visit = func(p *types.Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		for _, q := range p.Imports() {
			visit(q)
		}
	}
	for _, p := range roots {
		visit(p.Types)
	}
	for p := range seen {
		for name := range unlocked {
			if i := strings.LastIndexByte(name, '.'); name[:i] == p.Path() {
				if o := p.Scope().Lookup(name[i+1:]); o != nil {
					out = append(out, types.NewPointer(o.Type()))
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b types.Type) int { return strings.Compare(nameOf(a), nameOf(b)) })
	return slices.CompactFunc(out, func(a, b types.Type) bool { return nameOf(a) == nameOf(b) })
}

// mayHold: a pointer to a value of an unlocked type may be in an interface with methods.
func (a *memory) mayHold(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	if !ok || i.NumMethods() == 0 {
		return false
	}
	return unlockedInterfaces[nameOf(t)] || slices.ContainsFunc(a.unlocked, func(u types.Type) bool { return types.Implements(u, i) })
}

// use marks the receiver of a call of a method of a type that is unlocked, or may be.
func (a *memory) use(c *ast.CallExpr) {
	x, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	m := a.info.Selections[x]
	if m == nil || m.Kind() != types.MethodVal {
		return
	}
	if f, ok := m.Obj().(*types.Func); ok && choosing[f.FullName()] != "" {
		return // the runtime is given what the method is called of
	}
	fields := a.fields(m)
	if len(fields) < len(m.Index())-1 {
		return // they cannot be named
	}
	recv := m.Recv()
	if n := len(fields); n > 0 {
		recv = fields[n-1].Type()
	}
	changes := !looking[x.Sel.Name] && !(m.Obj().Pkg() != nil && reading[m.Obj().Pkg().Path()][x.Sel.Name])
	switch name := unlockedName(recv); {
	case name != "" && (isPointer(recv) || a.isShared(x.X) || isPointer(m.Recv())):
	case name == "" && a.mayHold(recv):
	case name == "" && a.mapReceiver(x, m, recv):
		return
	default:
		return
	}
	a.uses[x.X] = changes
	if name := unlockedName(recv); lengthReads[name][x.Sel.Name] {
		a.lengthRead[x.X] = true
	}
	if len(fields) > 0 {
		a.promoted[x.X] = fields
	}
}

// methodValue is for a method of a type that is unlocked where it is used as a value: who has that may call it, and when, is not seen.
func (a *memory) methodValue(x *ast.SelectorExpr, m *types.Selection) {
	recv := m.Recv()
	if fields := a.fields(m); len(fields) > 0 {
		recv = fields[len(fields)-1].Type()
	}
	if !a.called[x] && unlockedName(recv) != "" {
		a.hidden[x] = "what a method of a library does that is called as a value is not recorded"
	}
}

// fields are the embedded fields that lead to a method, as far as the package may name them.
func (a *memory) fields(m *types.Selection) (out []*types.Var) {
	t := m.Recv()
	for _, i := range m.Index()[:len(m.Index())-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			return out
		}
		f := s.Field(i)
		if !f.Exported() && f.Pkg() != a.pkg {
			return out
		}
		out, t = append(out, f), f.Type()
	}
	return out
}

// mapReceiver marks the receiver of a method that reads or writes a map.
func (a *memory) mapReceiver(x *ast.SelectorExpr, m *types.Selection, recv types.Type) bool {
	methods, ok := mapTypes[nameOf(recv)]
	if !ok || isPointer(recv) || len(m.Index()) > 1 {
		return false
	}
	if slices.Contains(methods, x.Sel.Name) {
		a.mapWrites[x.X] = true
	} else {
		a.maps[x.X] = true
	}
	return true
}

// unuse is for calls that happen later than their receiver is evaluated.
func (a *memory) unuse(c *ast.CallExpr) {
	operands := c.Args
	if x, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
		operands = append([]ast.Expr{x.X}, operands...)
		delete(a.behind, x.X) // the fields that a deferred Close reads are not worth a limit
	}
	for _, e := range operands {
		_, handed := a.handed[e]
		if handed || a.behind[e] != "" {
			delete(a.handed, e)
			delete(a.behind, e)
			a.hidden[e] = "what a call of a library uses that is made later is not recorded"
		}
	}
	if x, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok && a.plainCalls[c] == nil {
		if _, used := a.uses[x.X]; used {
			a.plainCalls[c] = []ast.Expr{x.X}
		}
		delete(a.maps, x.X)
		delete(a.mapWrites, x.X)
	}
	if used, ok := a.plainCalls[c]; ok {
		for _, e := range used {
			a.usedLater[c] = a.usedLater[c] || a.uses[e]
			delete(a.uses, e)
		}
	}
}

// readsBehind is the function of the runtime that records what a function reads by reflection behind what it is
// given; "" if it is not known to read anything.
func readsBehind(f *types.Func) string {
	starts := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(f.Name(), p) })
	}
	switch f.Pkg().Path() {
	case "encoding/gob", "encoding/json", "encoding/xml":
		if starts("Marshal", "Encode") {
			return "GivenBehind" // but for fields that are not exported
		}
	case "encoding/csv":
		if starts("Write") {
			return "GivenBehind"
		}
	case "html/template", "text/template":
		if starts("Execute") {
			return "GivenBehind"
		}
	case "fmt":
		if starts("Print", "Sprint", "Fprint", "Append", "Errorf") {
			return "GivenPrinted"
		}
	case "log", "log/slog", "testing":
		return "GivenPrinted"
	case "reflect":
		if f.FullName() == "reflect.DeepEqual" {
			return "GivenCompared"
		}
	}
	return ""
}

// tellsItself: values of the type have a method by which libraries learn what is in them, as errors have.
func tellsItself(t types.Type) bool {
	set := types.NewMethodSet(t)
	for m := range set.Methods() {
		if f, ok := m.Obj().(*types.Func); ok && tells(f) {
			return true
		}
	}
	return false
}

// isDeep: behind a value of the type may be more memory than what it refers to itself.
func isDeep(t types.Type) bool {
	refers := func(t types.Type) bool { return referenceOf(t) != noReference }
	if isTypeParam(t) {
		return refers(t)
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return refers(u.Elem())
	case *types.Slice:
		return refers(u.Elem())
	case *types.Map:
		return refers(u.Key()) || refers(u.Elem())
	case *types.Array, *types.Struct, *types.Interface:
		return refers(t)
	}
	return false // of channels and functions the address
}

// readsFields: a method of a library is called of a struct with fields that the program may set itself, which it may read.
// What else a library does to a value of its own is its own affair.
func (a *memory) readsFields(x *ast.SelectorExpr, m *types.Selection, f *types.Func) bool {
	if silent[f.FullName()] || unlockedName(m.Recv()) != "" {
		return false
	}
	if path := f.Pkg().Path(); path == "time" || strings.HasPrefix(path, "container/") {
		return false // of elements these do not look at the value, and timers are the runtime's
	}
	s, ok := pointedTo(m.Recv()).Underlying().(*types.Struct)
	if !ok || !isPointer(f.Signature().Recv().Type()) {
		return false
	}
	for field := range s.Fields() {
		if field.Exported() {
			return isPointer(m.Recv()) || a.isShared(x.X)
		}
	}
	return false
}

// changesValue: a method of a library has the address of a value that others may copy, as time.Time or net.IP, in which is
// nothing that could order who uses it: what the method writes there, it writes as a statement of the program would.
func (a *memory) changesValue(x *ast.SelectorExpr, m *types.Selection, f *types.Func) bool {
	if silent[f.FullName()] || !isPointer(f.Signature().Recv().Type()) || !isPointer(m.Recv()) && !a.isShared(x.X) {
		return false
	}
	n, ok := types.Unalias(pointedTo(m.Recv())).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.TypeArgs() != nil || unlockedName(n) != "" {
		return false
	}
	first, _, _ := strings.Cut(n.Obj().Pkg().Path(), "/")
	// Others may have a lock for all values of the type.
	return !strings.Contains(first, ".") && first != "container" && ordersNobody(n, nil)
}

// ordersNobody: neither in a value of the type nor behind it is anything by which goroutines wait for each other, or that
// may have code of its own.
func ordersNobody(t types.Type, seen []types.Type) bool {
	t = types.Unalias(t)
	if slices.Contains(seen, t) {
		return true
	}
	if n, ok := t.(*types.Named); ok {
		if p := n.Obj().Pkg(); p != nil && (p.Path() == "sync" || p.Path() == "sync/atomic") {
			return false
		}
		seen = append(seen, t)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer
	case *types.Pointer:
		return ordersNobody(u.Elem(), seen)
	case *types.Slice:
		return ordersNobody(u.Elem(), seen)
	case *types.Array:
		return ordersNobody(u.Elem(), seen)
	case *types.Map:
		return ordersNobody(u.Key(), seen) && ordersNobody(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if !ordersNobody(f.Type(), seen) {
				return false
			}
		}
		return true
	}
	return false
}

// isLibrarySlice: a type of a library is a slice or a map, as sort.IntSlice: its methods, which are not instrumented, look
// at the elements.
func (a *memory) isLibrarySlice(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || a.own[n.Obj().Pkg().Path()] {
		return false
	}
	return hasElements(n)
}

func hasElements(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Slice, *types.Map:
		return true
	}
	return false
}

// hand marks what a function that is not instrumented is given and may look at, but for
// what give has marked.
func (a *memory) hand(c *ast.CallExpr) {
	kind, obj := sites.Classify(a.info, c.Fun)
	f, ok := obj.(*types.Func)
	if kind != sites.Invalid || !ok || f.Pkg() == nil || a.own[f.Pkg().Path()] || a.plain[f.Pkg().Path()] != nil || keeping[f.Pkg().Path()] && f.FullName() != "reflect.DeepEqual" {
		return
	}
	name := f.FullName()
	sig, ok := a.info.TypeOf(c.Fun).(*types.Signature)
	if !ok || becomesCall[name] || sig.Recv() != nil && types.IsInterface(sig.Recv().Type()) {
		return
	}
	if x, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
		m := a.info.Selections[x]
		switch {
		case m == nil || m.Kind() != types.MethodVal || len(m.Index()) > 1:
		case a.changesValue(x, m, f):
			a.behind[x.X] = "GivenReceiver"
		case a.readsFields(x, m, f):
			a.behind[x.X] = "GivenFields"
		case a.isLibrarySlice(pointedTo(m.Recv())) && mapTypes[nameOf(pointedTo(m.Recv()))] == nil:
			changes := isPointer(f.Signature().Recv().Type()) // the slice itself
			a.handed[x.X] = changes
			a.addressed[x.X] = changes && !isPointer(m.Recv())
		}
	}
	written, writes := writers[name]
	reads := readsBehind(f)
	makes := strings.HasPrefix(f.Name(), "New") // and keeps what it is given
	for i, arg := range c.Args {
		tv := a.info.Types[arg]
		if tv.IsNil() || tv.Value != nil || tv.Type == nil {
			continue
		}
		to := tv.Type
		if n := sig.Params().Len(); i < n && !(sig.Variadic() && i == n-1) {
			to = sig.Params().At(i).Type()
		} else if s, ok := sig.Params().At(n - 1).Type().(*types.Slice); ok && !c.Ellipsis.IsValid() {
			to = s.Elem()
		}
		wide, isInterface := to.Underlying().(*types.Interface)
		// What refers to something may be evaluated in front of the calls behind it: it is recorded then a little early.
		if reads != "" && isDeep(tv.Type) && (reads == "GivenCompared" || !tellsItself(tv.Type)) && !(isInterface && wide.NumMethods() > 0) && (refersOpenly(tv.Type) && !types.IsInterface(tv.Type) || callFree(c.Args[i+1:])) {
			a.behind[arg] = reads
		}
		switch {
		case slices.ContainsFunc(a.given[c], func(g givenArg) bool { return g.expr == arg }):
		case unlockedName(tv.Type) != "" && isPointer(tv.Type), isInterface && a.mayHold(tv.Type):
			if a.reaches(arg) && !wraps(f) {
				a.uses[arg] = !makes && (reading[f.Pkg().Path()] == nil || writes && i == written || filling[f.Name()])
			}
		case makes && !hasElements(tv.Type), isInterface && wide.NumMethods() > 0 && !a.isLibrarySlice(tv.Type), !refersOpenly(tv.Type), !a.reaches(arg):
		default:
			a.handed[arg] = writes && i == written
		}
	}
}

// isUsed reports whether a function is given a value of an unlocked type, or may be, or something else that it may look at.
func (a *memory) isUsed(e ast.Expr) bool {
	_, used := a.uses[e]
	_, handed := a.handed[e]
	return used || handed || a.behind[e] != ""
}

// refersOpenly: what a value refers to is a map, the elements of a slice or what a pointer
// points to, or that is in an interface; an error tells itself.
func refersOpenly(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		t = p
	}
	switch u := t.Underlying().(type) {
	case *types.Map, *types.Slice, *types.Pointer:
		return true
	case *types.Interface:
		return u.NumMethods() == 0
	}
	return false
}
