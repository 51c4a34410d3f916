package source

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/vtrace/vtrace/internal/sites"
)

// Fuzz tests, benchmarks and other functions become entry points by a test that
// calls them, Test_FuzzX for FuzzX: a file that is added to the package, in
// memory. What a caller may choose, a select of that test chooses, among cases
// that are all ready: the model has every choice, and a replay makes it.
//
//   - A fuzz test runs its function with one input of its seed corpus: those of
//     its calls of Add and of testdata/fuzz, and where there are none, a choice.
//   - A benchmark has a B whose N is 2, as Loop has; RunParallel has two
//     goroutines, with two iterations each.
//   - A function is given values of the sets in choices, or those of the entry
//     itself: "Drain(1|4, true)".

// iterations is the N of benchmarks.
const iterations = 2

// choices are the values for parameters of basic types.
func choices(t *types.Basic) []string {
	switch info := t.Info(); {
	case info&types.IsBoolean != 0:
		return []string{"false", "true"}
	case info&types.IsUnsigned != 0:
		return []string{"0", "1", "2"}
	case info&types.IsInteger != 0:
		return []string{"0", "1", "2", "-1"}
	case info&types.IsFloat != 0:
		return []string{"0", "1.5"}
	case info&types.IsString != 0:
		return []string{`""`, `"a"`}
	}
	return nil
}

// wrapped is a function that a test calls.
type wrapped struct {
	spec Spec
	p    *packages.Package
	fset *token.FileSet
	fn   *types.Func
	decl *ast.FuncDecl
	args [][]string // the values of each parameter, nil for those of choices

	imports map[string]string // path by name
	body    bytes.Buffer
	decls   bytes.Buffer
	edits   map[string][]edit // of the files of the package
}

// edit replaces the bytes from start to end.
type edit struct {
	start, end int
	text       string
}

// wrap makes a test of the function that spec.Entry names, if there is one in
// the package of that path: its name, and the files that hold it.
func (s *Set) wrap(spec Spec, path string) (entry string, overlay map[string][]byte, err error) {
	name, args, err := splitEntry(spec.Entry)
	if err != nil {
		return "", nil, err
	}
	w := &wrapped{spec: spec, fset: s.fset, args: args, imports: map[string]string{"testing": "testing"}, edits: map[string][]edit{}}
	for _, p := range s.pkgs {
		if strings.HasSuffix(p.ID, ".test") || p.PkgPath != path && p.PkgPath != path+"_test" || p.ForTest != "" && p.ForTest != path || p.Types == nil {
			continue
		}
		f, ok := p.Types.Scope().Lookup(name).(*types.Func)
		if !ok || w.p != nil && p.ForTest == "" {
			continue
		}
		w.p, w.fn = p, f
	}
	if w.p == nil || len(w.p.GoFiles) == 0 {
		return "", nil, nil
	}
	if err := errorsOf([]*packages.Package{w.p}); err != nil {
		return "", nil, err
	}
	for _, file := range w.p.Syntax {
		for _, d := range file.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && w.p.TypesInfo.Defs[fd.Name] == w.fn {
				w.decl = fd
			}
		}
	}
	if w.decl == nil {
		return "", nil, nil
	}
	entry = "Test_" + name
	if w.p.Types.Scope().Lookup(entry) != nil {
		return "", nil, w.errorf(w.decl.Pos(), "there is a function %s already", entry)
	}
	if w.fn.Signature().TypeParams().Len() > 0 {
		return "", nil, w.errorf(w.decl.Pos(), "%s has type parameters: write a test that instantiates it", name)
	}
	switch kind := w.kind(); {
	case kind == "*testing.F" && strings.HasPrefix(name, "Fuzz"):
		err = w.fuzz()
	case kind == "*testing.B" && strings.HasPrefix(name, "Benchmark"):
		err = w.benchmark()
	default:
		err = w.function()
	}
	if err != nil {
		return "", nil, err
	}
	overlay, err = w.files(entry)
	return entry, overlay, err
}

// splitEntry splits "F(1|2, true)".
func splitEntry(text string) (name string, args [][]string, err error) {
	name, list, ok := strings.Cut(text, "(")
	if !ok {
		return name, nil, nil
	}
	list, ok = strings.CutSuffix(strings.TrimSpace(list), ")")
	if !ok {
		return "", nil, fmt.Errorf("entry %q: the list of arguments has no end", text)
	}
	e, err := parser.ParseExpr("f(" + list + ")")
	call, isCall := e.(*ast.CallExpr)
	if err == nil && isCall {
		// The list may have closed the call itself, and begun another one.
		_, own := call.Fun.(*ast.Ident)
		isCall = own && !call.Ellipsis.IsValid()
	}
	if err != nil || !isCall {
		return "", nil, fmt.Errorf("entry %q: arguments are constants, with | between alternatives", text)
	}
	for _, a := range call.Args {
		var values []string
		for a != nil {
			v := a
			if b, ok := a.(*ast.BinaryExpr); ok && b.Op == token.OR {
				a, v = b.X, b.Y
			} else {
				a = nil
			}
			value, err := exprText(v)
			if err != nil {
				return "", nil, fmt.Errorf("entry %q: %w", text, err)
			}
			values = append(values, value)
		}
		slices.Reverse(values)
		args = append(args, values)
	}
	return name, args, nil
}

func (w *wrapped) errorf(pos token.Pos, format string, args ...any) error {
	at := w.fset.Position(pos)
	at.Filename = filepath.Base(at.Filename)
	return fmt.Errorf("%s: %s: %w", at, w.fn.Name(), fmt.Errorf(format, args...))
}

// kind is the type of the only parameter, if the function has one.
func (w *wrapped) kind() string {
	if params := w.fn.Signature().Params(); params.Len() == 1 {
		return params.At(0).Type().String()
	}
	return ""
}

// typeName writes a type as the package has it.
func (w *wrapped) typeName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == w.p.Types {
			return ""
		}
		w.imports[p.Name()] = p.Path()
		return p.Name()
	})
}

// function calls a function with values that its caller may choose.
func (w *wrapped) function() error {
	sig := w.fn.Signature()
	n := sig.Params().Len()
	if sig.Variadic() {
		n-- // no more arguments
	}
	if w.args != nil && len(w.args) != n {
		return w.errorf(w.decl.Pos(), "%d arguments for %d parameters", len(w.args), n)
	}
	var names []string
	for i := range n {
		p := sig.Params().At(i)
		var values []string
		if w.args != nil {
			values = w.args[i]
		}
		name, err := w.choose(p, i, values)
		if err != nil {
			return err
		}
		names = append(names, name)
	}
	fmt.Fprintf(&w.body, "%s(%s)\n", w.fn.Name(), strings.Join(names, ", "))
	return nil
}

// choose writes the choice of a value for a parameter, and returns its name.
func (w *wrapped) choose(p *types.Var, i int, values []string) (string, error) {
	t := p.Type()
	if values == nil {
		var err error
		if values, err = w.values(p); err != nil {
			return "", err
		}
	}
	if t.String() == "*testing.T" || t.String() == "testing.TB" {
		return "t", nil
	}
	name := fmt.Sprintf("arg%d", i)
	fmt.Fprintf(&w.body, "var %s %s\n", name, w.typeName(t))
	if len(values) == 1 {
		fmt.Fprintf(&w.body, "%s = %s\n", name, values[0])
		return name, nil
	}
	w.ready()
	w.body.WriteString("select {\n")
	for _, v := range values {
		fmt.Fprintf(&w.body, "case <-ready:\n%s = %s\n", name, v)
	}
	w.body.WriteString("}\n")
	return name, nil
}

// ready declares the channel that is always ready, once.
func (w *wrapped) ready() {
	if !bytes.Contains(w.body.Bytes(), []byte("ready :=")) {
		w.body.WriteString("ready := make(chan struct{})\nclose(ready)\n")
	}
}

// values are those of a parameter that nothing is said about.
func (w *wrapped) values(p *types.Var) ([]string, error) {
	t := p.Type()
	switch t.String() {
	case "*testing.T", "testing.TB":
		return []string{"t"}, nil
	case "context.Context":
		w.imports["context"] = "context"
		return []string{"context.Background()"}, nil
	case "error":
		w.imports["errors"] = "errors"
		return []string{"nil", `errors.New("error")`}, nil
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if v := choices(u); v != nil {
			return v, nil
		}
	case *types.Slice:
		if e, ok := u.Elem().Underlying().(*types.Basic); ok && e.Kind() == types.Byte {
			return []string{"nil", w.typeName(t) + `("a")`}, nil
		}
	}
	return nil, w.errorf(p.Pos(), "parameter %s has type %s: only booleans, numbers, strings, bytes, errors, contexts and *testing.T are chosen; give its values, as in %s(VALUE|VALUE), or write a test", p.Name(), t, w.fn.Name())
}

// method returns the name of the method that a call calls on a parameter of
// the function.
func (w *wrapped) method(call *ast.CallExpr, param *types.Var) *ast.Ident {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	if x, ok := ast.Unparen(sel.X).(*ast.Ident); ok && w.p.TypesInfo.Uses[x] == param {
		return sel.Sel
	}
	return nil
}

// replace changes the text of a node.
func (w *wrapped) replace(n ast.Node, text string) {
	start, end := w.fset.Position(n.Pos()), w.fset.Position(n.End())
	w.edits[start.Filename] = append(w.edits[start.Filename], edit{start.Offset, end.Offset, text})
}

// retype replaces types of package testing in the files of the package.
func (w *wrapped) retype(with map[string]string) {
	for _, file := range w.p.Syntax {
		name := w.fset.Position(file.FileStart).Filename
		if !strings.HasSuffix(name, "_test.go") {
			continue
		}
		w.rename(file)
		before := len(w.edits[name])
		ast.Inspect(file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if obj := w.p.TypesInfo.Uses[sel.Sel]; obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == "testing" {
				if _, isType := obj.(*types.TypeName); isType && with[obj.Name()] != "" {
					w.replace(sel, with[obj.Name()])
				}
			}
			return true
		})
		if len(w.edits[name]) == before {
			continue
		}
		for _, imp := range file.Imports {
			if imp.Path.Value != `"testing"` || imp.Name != nil && imp.Name.Name == "." {
				continue
			}
			local := "testing"
			if imp.Name != nil {
				local = imp.Name.Name
			}
			end := w.fset.Position(file.FileEnd).Offset
			w.edits[name] = append(w.edits[name], edit{end, end, "\n\nvar _ " + local + ".TB\n"}) // it stays in use
		}
	}
}

// rename gives the benchmarks and fuzz tests of the package, in a file, other
// names: the go command knows how they are declared.
func (w *wrapped) rename(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		if f, ok := w.p.TypesInfo.ObjectOf(id).(*types.Func); ok && f.Parent() == w.p.Types.Scope() && (strings.HasPrefix(id.Name, "Benchmark") || strings.HasPrefix(id.Name, "Fuzz")) {
			w.replace(id, "vtrace"+id.Name)
		}
		return true
	})
}

func (w *wrapped) fuzz() error {
	if w.args != nil {
		return w.errorf(w.decl.Pos(), "a fuzz test has its own inputs")
	}
	param := w.fn.Signature().Params().At(0)
	var target *types.Signature
	adds := 0
	var bad error
	ast.Inspect(w.decl.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || bad != nil {
			return bad == nil
		}
		switch m := w.method(call, param); {
		case m == nil:
		case m.Name == "Add":
			adds++
			w.replace(m, "vtraceAdd")
		case m.Name == "Fuzz" && len(call.Args) == 1:
			sig, ok := w.p.TypesInfo.TypeOf(call.Args[0]).Underlying().(*types.Signature)
			if target != nil || !ok || sig.Params().Len() == 0 || sig.Params().At(0).Type().String() != "*testing.T" || sig.Results().Len() > 0 {
				bad = w.errorf(call.Pos(), "a fuzz test has one call of Fuzz, with a function of *testing.T and the input")
				return false
			}
			target = sig
			w.replace(m, "vtraceFuzz")
		}
		return true
	})
	if bad != nil {
		return bad
	}
	if target == nil {
		return w.errorf(w.decl.Pos(), "no call of Fuzz")
	}
	w.retype(map[string]string{"F": "vtraceF"})
	var fields, params, names, values, chosen []string
	for i := 1; i < target.Params().Len(); i++ {
		p := target.Params().At(i)
		t, name := w.typeName(p.Type()), fmt.Sprintf("arg%d", i)
		fields = append(fields, name+" "+t)
		params = append(params, t)
		names = append(names, name)
		values = append(values, "s."+name)
		if _, err := w.values(p); err != nil {
			return err
		}
	}
	corpus, err := w.corpus()
	if err != nil {
		return err
	}
	if adds == 0 && len(corpus) == 0 {
		for i := 1; i < target.Params().Len(); i++ {
			name, err := w.choose(target.Params().At(i), i, nil)
			if err != nil {
				return err
			}
			chosen = append(chosen, name)
		}
	}
	fn := "func(" + strings.Join(append([]string{"*testing.T"}, params...), ", ") + ")"
	fmt.Fprintf(&w.decls, "type vtraceSeed struct { %s }\n", strings.Join(fields, "; "))
	fmt.Fprintf(&w.decls, "type vtraceF struct {\n*testing.T\nseeds []vtraceSeed\n}\n")
	fmt.Fprintf(&w.decls, "func (f *vtraceF) vtraceAdd(%s) { f.seeds = append(f.seeds, vtraceSeed{%s}) }\n", strings.Join(fields, ", "), strings.Join(names, ", "))
	w.decls.WriteString("// Fuzz and Add are those of other fuzz tests.\nfunc (f *vtraceF) Fuzz(any) {}\nfunc (f *vtraceF) Add(...any) {}\n")
	fmt.Fprintf(&w.decls, `func (f *vtraceF) vtraceFuzz(fn %s) {
last := len(f.seeds) - 1
ready := make(chan struct{})
close(ready)
for i, s := range f.seeds {
if i < last {
select {
case <-ready:
continue
case <-ready:
}
}
fn(%s)
return
}
}
`, fn, strings.Join(append([]string{"f.T"}, values...), ", "))
	w.body.WriteString("f := &vtraceF{T: t}\n")
	for _, c := range corpus {
		fmt.Fprintf(&w.body, "f.vtraceAdd(%s)\n", strings.Join(c, ", "))
	}
	if chosen != nil {
		fmt.Fprintf(&w.body, "f.vtraceAdd(%s)\n", strings.Join(chosen, ", "))
	}
	fmt.Fprintf(&w.body, "vtrace%s(f)\n", w.fn.Name())
	return nil
}

// corpus reads the inputs in testdata/fuzz.
func (w *wrapped) corpus() ([][]string, error) {
	names, err := filepath.Glob(filepath.Join(filepath.Dir(w.p.GoFiles[0]), "testdata", "fuzz", w.fn.Name(), "*"))
	if err != nil {
		return nil, fmt.Errorf("seed corpus: %w", err)
	}
	var out [][]string
	for _, name := range names {
		data, err := w.spec.readFile(name)
		if err != nil {
			return nil, fmt.Errorf("seed corpus: %w", err)
		}
		args, err := corpusArgs(data)
		if err != nil {
			return nil, fmt.Errorf("seed corpus: testdata/fuzz/%s/%s: %w", w.fn.Name(), filepath.Base(name), err)
		}
		out = append(out, args)
	}
	return out, nil
}

// corpusArgs are the arguments in a file of a seed corpus, each as an expression.
func corpusArgs(data []byte) ([]string, error) {
	head, rest, _ := strings.Cut(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	if head != "go test fuzz v1" {
		return nil, errors.New("not of the form \"go test fuzz v1\"")
	}
	var args []string
	for _, line := range strings.Split(strings.TrimSpace(rest), "\n") {
		e, err := parser.ParseExpr(line)
		if err != nil {
			return nil, err
		}
		arg, err := exprText(e)
		if err != nil {
			return nil, err
		}
		args = append(args, arg)
	}
	return args, nil
}

// exprText is the text of an expression, without comments.
func exprText(e ast.Expr) (string, error) {
	var out bytes.Buffer
	err := format.Node(&out, token.NewFileSet(), e)
	return out.String(), err
}

func (w *wrapped) benchmark() error {
	if w.args != nil {
		return w.errorf(w.decl.Pos(), "a benchmark has no arguments")
	}
	w.retype(map[string]string{"B": "vtraceB", "PB": "vtracePB"})
	w.imports["sync"], w.imports["time"] = "sync", "time"
	fmt.Fprintf(&w.decls, `type vtraceB struct {
*testing.T
N int
done int
}
func (b *vtraceB) Loop() bool { b.done++; return b.done <= %[1]d }
func (b *vtraceB) RunParallel(body func(*vtracePB)) {
var wg sync.WaitGroup
for range 2 {
wg.Add(1)
go func() {
defer wg.Done()
body(&vtracePB{})
}()
}
wg.Wait()
}
func (b *vtraceB) Run(name string, f func(*vtraceB)) bool { f(&vtraceB{T: b.T, N: %[1]d}); return true }
func (b *vtraceB) ResetTimer() {}
func (b *vtraceB) StartTimer() {}
func (b *vtraceB) StopTimer() {}
func (b *vtraceB) ReportAllocs() {}
func (b *vtraceB) SetBytes(int64) {}
func (b *vtraceB) SetParallelism(int) {}
func (b *vtraceB) ReportMetric(float64, string) {}
func (b *vtraceB) Elapsed() time.Duration { return 0 }
type vtracePB struct { done int }
func (p *vtracePB) Next() bool { p.done++; return p.done <= %[1]d }
`, iterations)
	fmt.Fprintf(&w.body, "vtrace%s(&vtraceB{T: t, N: %d})\n", w.fn.Name(), iterations)
	return nil
}

// files are the test and the files of the package that change for it.
func (w *wrapped) files(entry string) (map[string][]byte, error) {
	dir := filepath.Dir(w.p.GoFiles[0])
	file := filepath.Join(dir, sites.EntryFile(w.fn.Name()))
	if _, err := os.Stat(file); err == nil {
		return nil, w.errorf(w.decl.Pos(), "there is a file %s already", filepath.Base(file))
	}
	var src bytes.Buffer
	fmt.Fprintf(&src, "// Code generated by vtrace: %s as an entry point. DO NOT EDIT.\n\npackage %s\n\nimport (\n", w.fn.Name(), w.p.Name)
	names := make([]string, 0, len(w.imports))
	for name := range w.imports {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if strings.HasSuffix(w.imports[name], "/"+name) || w.imports[name] == name {
			fmt.Fprintf(&src, "%q\n", w.imports[name])
		} else {
			fmt.Fprintf(&src, "%s %q\n", name, w.imports[name])
		}
	}
	fmt.Fprintf(&src, ")\n\nfunc %s(t *testing.T) {\n%s}\n\n%s", entry, w.body.String(), w.decls.String())
	text, err := format.Source(src.Bytes())
	if err != nil {
		return nil, w.errorf(w.decl.Pos(), "%w", err)
	}
	out := map[string][]byte{file: text}
	for name, edits := range w.edits {
		data, err := w.spec.readFile(name)
		if err != nil {
			return nil, fmt.Errorf("read source: %w", err)
		}
		slices.SortStableFunc(edits, func(a, b edit) int { return b.start - a.start })
		for _, e := range edits {
			if e.end > len(data) {
				return nil, errors.New(filepath.Base(name) + ": changed since it was loaded")
			}
			data = slices.Concat(data[:e.start], []byte(e.text), data[e.end:])
		}
		out[name] = data
	}
	return out, nil
}
