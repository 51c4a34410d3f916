package source

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/tools/go/packages"
)

// What an entry can do depends on the declarations that it can reach, and not on the other
// functions of its packages. A name that stands in a declaration that is reached reaches
// what it names; a type reaches all of its methods, since any of them may be called through
// an interface or by reflection. Initialisation reaches whatever has an effect then. That is
// more than can be called and never less, so that a result for the entry holds as long as
// all of it is the same.

// declaration is what is reached, or not, as a whole: a function, a variable or type with
// those declared together with it, or a group of constants.
type declaration struct {
	pkg  *packages.Package
	file *ast.File
	node ast.Node
	// spans are where its text is, of which lines belong to it up to their end: directives above it
	// are part of it, and of its group, and so is a comment behind it.
	spans []span
	kind  token.Token // token.TYPE or token.VAR where node is one specification of its group
	name  string      // of its first part, with the package
	// begins: it does something when the program begins.
	begins bool
}

// span is a part of a file.
type span struct{ from, to token.Pos }

// mentions is what a declaration names.
type mentions struct {
	keys []string // of what is at package level, and of types with methods
	// imports are what imported names in it stand for.
	imports     map[string]bool
	environment bool // see reachable
	// text is what the declaration is, "" if it was not asked for.
	text string
}

// memory keeps what does not depend on the entry: programs of one Set share their syntax. It is
// locked while something is asked of what an entry can reach.
type memory struct {
	sync.Mutex
	named map[ast.Node]*mentions
	files map[string][]byte // that were read
	names map[string]string // of files, as of Rel, by the root and the name
}

// remember returns what is kept for the program, locked.
func (prog *Program) remember() *memory {
	if prog.memory == nil {
		prog.memory = &memory{}
	}
	m := prog.memory
	m.Lock()
	if m.named == nil {
		m.named, m.files, m.names = map[ast.Node]*mentions{}, map[string][]byte{}, map[string]string{}
	}
	return m
}

// reachable are the declarations of a program by name, and those that are reached.
type reachable struct {
	prog    *Program
	memory  *memory
	named   map[string][]*declaration // by key
	methods map[string][]*declaration // by the key of their type
	reached map[*declaration]bool
	queue   []*declaration
	// environment: something that is reached asks for the environment.
	environment bool
}

// environmentNames are what shows the environment, or hands it on, by package; nil stands for all of one.
var environmentNames = map[string][]string{
	"net/http":                 {"DefaultClient", "DefaultTransport", "ProxyFromEnvironment"},
	"os":                       {"Environ", "ExpandEnv", "Getenv", "Getwd", "LookupEnv", "StartProcess", "TempDir", "UserCacheDir", "UserConfigDir", "UserHomeDir"},
	"os/exec":                  nil,
	"os/user":                  nil,
	"syscall":                  {"Environ", "Exec", "ForkExec", "GetEnvironmentStrings", "GetEnvironmentVariable", "Getenv", "StartProcess"},
	"golang.org/x/sys/plan9":   {"Environ", "Exec", "ForkExec", "Getenv", "StartProcess"},
	"golang.org/x/sys/unix":    {"Environ", "Exec", "Getenv"},
	"golang.org/x/sys/windows": {"Environ", "ExpandEnvironmentStrings", "GetEnvironmentStrings", "GetEnvironmentVariable", "Getenv"},
}

// showsEnvironment reports whether an object is one of environmentNames.
func showsEnvironment(obj types.Object) bool {
	names, ok := environmentNames[obj.Pkg().Path()]
	return ok && (names == nil || slices.Contains(names, obj.Name()))
}

// key names what is declared at package level. Objects are not compared: a package and its
// variant for a test are loaded side by side.
func key(pkg *types.Package, name string) string { return pkg.Path() + "." + name }

// ReachableDigest is the sha256, in hexadecimal, of all of the program that its entry can
// depend on: the declarations that it can reach, with their places, what its packages
// import, module files, embedded files and testdata, and of dependencies that are not among
// its packages those that no go.sum vouches for. Packages with cgo, assembly or linkname
// count as a whole, and so does what these directives name; with assembly all packages do. It covers
// the environment if something that is reached asks for that by the standard library or golang.org/x/sys,
// or has C code or assembly, and not the toolchain, nor what else the program reads when it runs. Of
// dependencies that are not among Packages it does not see what they do: that they ask for the
// environment, or that a linkname or assembly of theirs leads back to the program. Nor does it see what the
// standard library takes from the environment without being asked for it, such as TZ.
func (prog *Program) ReachableDigest() (string, error) {
	m := prog.remember()
	defer m.Unlock()
	h := sha256.New()
	for _, write := range []func(io.Writer) error{prog.reach(m).write, prog.writeOther} {
		if err := write(h); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// reach returns the declarations that the entry can reach.
func (prog *Program) reach(m *memory) *reachable {
	r := &reachable{prog: prog, memory: m, named: map[string][]*declaration{}, methods: map[string][]*declaration{}, reached: map[*declaration]bool{}}
	for _, p := range prog.Packages {
		r.declare(p)
	}
	for _, p := range prog.Packages {
		r.begin(p)
	}
	r.reachName(key(prog.Func.Pkg(), prog.Func.Name()))
	for len(r.queue) > 0 {
		d := r.queue[0]
		r.queue = r.queue[1:]
		r.follow(d)
	}
	return r
}

// declare lists the declarations of a package.
func (r *reachable) declare(p *packages.Package) {
	for _, file := range p.Syntax {
		last := file.Name.End()
		for _, d := range file.Decls {
			from := r.above(file, last, d.Pos())
			last = d.End()
			switch d := d.(type) {
			case *ast.FuncDecl:
				decl := &declaration{pkg: p, file: file, node: d, spans: []span{{from, d.End()}}, begins: d.Recv == nil && d.Name.Name == "init"}
				if d.Recv == nil {
					r.name(p, d.Name, decl)
					continue
				}
				decl.name = key(p.Types, d.Name.Name)
				if f, ok := p.TypesInfo.Defs[d.Name].(*types.Func); ok {
					if t := receiver(f); t != "" {
						decl.name = t + "." + d.Name.Name
						r.methods[t] = append(r.methods[t], decl)
						continue
					}
				}
				r.reach(decl) // of no type that is known: in doubt it counts
			case *ast.GenDecl:
				r.declareGroup(p, file, d, from)
			}
		}
	}
}

// above is where the comments before a declaration at pos begin, or pos: those behind the end of what
// stands before it, and not on its line. There may be empty lines between a directive and what it is about.
func (r *reachable) above(file *ast.File, last, pos token.Pos) token.Pos {
	line := func(p token.Pos) int { return r.prog.Fset.PositionFor(p, false).Line }
	i, _ := slices.BinarySearchFunc(file.Comments, last, func(g *ast.CommentGroup, p token.Pos) int { return cmp.Compare(g.Pos(), p) })
	for _, g := range file.Comments[i:] {
		if g.Pos() >= pos {
			break
		}
		if line(g.Pos()) != line(last) {
			return g.Pos()
		}
	}
	return pos
}

// receiver is the key of the type that a method has, "" if it has none.
func receiver(f *types.Func) string {
	recv := f.Signature().Recv()
	if recv == nil {
		return ""
	}
	t := types.Unalias(recv.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	if !ok {
		return ""
	}
	return key(n.Obj().Pkg(), n.Obj().Name())
}

// declareGroup lists a declaration that is no function. The comments above it begin at from.
func (r *reachable) declareGroup(p *packages.Package, file *ast.File, d *ast.GenDecl, from token.Pos) {
	switch d.Tok {
	case token.CONST:
		// What a constant is may hang on those before it.
		decl := &declaration{pkg: p, file: file, node: d, spans: []span{{from, d.End()}}}
		for _, s := range d.Specs {
			for _, n := range s.(*ast.ValueSpec).Names {
				r.name(p, n, decl)
			}
		}
	case token.TYPE, token.VAR:
		last := d.Lparen
		for _, s := range d.Specs {
			decl := &declaration{pkg: p, file: file, node: s, spans: []span{{from, d.End()}}, kind: d.Tok}
			if d.Lparen.IsValid() {
				decl.spans = []span{{from, d.Lparen + 1}, {r.above(file, last, s.Pos()), s.End()}, {d.Rparen, d.End()}}
				last = s.End()
			}
			switch s := s.(type) {
			case *ast.TypeSpec:
				r.name(p, s.Name, decl)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					r.name(p, n, decl)
				}
				if slices.ContainsFunc(s.Values, func(e ast.Expr) bool { return hasEffect(p.TypesInfo, e) }) {
					decl.begins = true
					r.reach(decl)
				}
			}
		}
	}
}

func (r *reachable) name(p *packages.Package, id *ast.Ident, d *declaration) {
	k := key(p.Types, id.Name)
	if d.name == "" {
		d.name = k
	}
	r.named[k] = append(r.named[k], d)
}

// hasEffect reports whether evaluating an expression may do more than make a value: call,
// panic, wait.
func hasEffect(info *types.Info, e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = found || !info.Types[n.Fun].IsType()
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr:
			found = found || !info.Types[n.(ast.Expr)].IsType()
		case *ast.SelectorExpr:
			// Through a pointer that may be nil, or a value of a method.
			found = found || info.Selections[n] != nil
		case *ast.BinaryExpr:
			found = found || info.Types[n].Value == nil // a division, or a comparison of interfaces
		}
		return !found
	})
	return found
}

// begin reaches what a package does when the program begins, and all of it if its functions
// have ways to each other that do not show. Those ways lead to other packages too.
func (r *reachable) begin(p *packages.Package) {
	r.reachName(key(p.Types, "init"))
	if r.prog.Test && (p.PkgPath == r.prog.Entry.PkgPath || p.ForTest != "") {
		r.reachName(key(p.Types, "TestMain"))
	}
	if hidden(p) {
		r.reachPackage(p)
	}
	r.environment = r.environment || usesCgo(p)
	for _, name := range linknames(p) {
		r.reachSymbol(name)
	}
	if r.hasMachineCode(p) {
		r.environment = true
		for _, q := range r.prog.Packages {
			r.reachPackage(q)
		}
	}
}

func (r *reachable) reachPackage(p *packages.Package) {
	for _, d := range r.named {
		r.reachAll(d, p)
	}
	for _, d := range r.methods {
		r.reachAll(d, p)
	}
}

// machineCode are the endings of files that may refer to what any package declares.
var machineCode = []string{".s", ".S", ".sx", ".syso"}

// hasMachineCode reports whether a package has files of machine code with something in them. An empty
// one, which allows functions without a body, has nothing.
func (r *reachable) hasMachineCode(p *packages.Package) bool {
	return slices.ContainsFunc(p.OtherFiles, func(name string) bool {
		if !slices.Contains(machineCode, filepath.Ext(name)) {
			return false
		}
		data, err := r.prog.ReadFile(name)
		return err != nil || len(bytes.TrimSpace(data)) > 0
	})
}

// linknames are the symbols that the linkname directives of a package name.
func linknames(p *packages.Package) []string {
	var out []string
	for _, file := range p.Syntax {
		for _, group := range file.Comments {
			for _, c := range group.List {
				if words := strings.Fields(c.Text); len(words) == 3 && words[0] == "//go:linkname" {
					out = append(out, words[2])
				}
			}
		}
	}
	return out
}

// reachSymbol reaches what the linker knows by a name, such as "example.com/m/p.f", "gopkg.in/x%2ev1.f"
// or "example.com/m/p.(*T).f": all names of the package in it, in doubt.
func (r *reachable) reachSymbol(symbol string) {
	if name, err := url.PathUnescape(symbol); err == nil {
		symbol = name
	}
	for _, p := range r.prog.Packages {
		for _, prefix := range []string{p.PkgPath, p.Name} {
			rest, ok := strings.CutPrefix(symbol, prefix+".")
			if !ok || prefix != p.PkgPath && p.Name != "main" {
				continue
			}
			for _, name := range strings.FieldsFunc(rest, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
				r.reachName(key(p.Types, name))
			}
		}
	}
	pkg, name, _ := strings.Cut(symbol, ".")
	r.environment = r.environment || slices.Contains([]string{"os", "runtime", "syscall"}, pkg) && strings.Contains(strings.ToLower(name), "env")
}

// hidden reports whether functions of a package may call each other, or be called, in ways
// that its syntax does not show.
func hidden(p *packages.Package) bool {
	if len(p.OtherFiles) > 0 || usesCgo(p) {
		return true
	}
	for _, file := range p.Syntax {
		for _, group := range file.Comments {
			for _, c := range group.List {
				if strings.HasPrefix(c.Text, "//go:linkname ") {
					return true
				}
			}
		}
	}
	return false
}

// usesCgo reports whether a package has C code, or files that cgo has written.
func usesCgo(p *packages.Package) bool {
	for _, file := range p.Syntax {
		if slices.ContainsFunc(file.Imports, func(imp *ast.ImportSpec) bool { return imp.Path.Value == `"C"` }) {
			return true
		}
	}
	// What cgo has written is not where the package is.
	return p.Imports["C"] != nil || slices.ContainsFunc(p.CompiledGoFiles, func(f string) bool { return filepath.Dir(f) != p.Dir && p.Dir != "" })
}

func (r *reachable) reachAll(all []*declaration, p *packages.Package) {
	for _, d := range all {
		if d.pkg == p {
			r.reach(d)
		}
	}
}

func (r *reachable) reach(d *declaration) {
	if !r.reached[d] {
		r.reached[d] = true
		r.queue = append(r.queue, d)
	}
}

func (r *reachable) reachName(k string) {
	for _, d := range r.named[k] {
		r.reach(d)
	}
	for _, d := range r.methods[k] {
		r.reach(d)
	}
}

// follow reaches what a declaration names.
func (r *reachable) follow(d *declaration) {
	n := r.memory.named[d.node]
	if n == nil {
		n = d.names()
		r.memory.named[d.node] = n
	}
	for _, k := range n.keys {
		r.reachName(k)
	}
	r.environment = r.environment || n.environment
}

// names finds out what a declaration names.
func (d *declaration) names() *mentions {
	info := d.pkg.TypesInfo
	out, seen := &mentions{imports: map[string]bool{}}, map[string]bool{}
	add := func(k string) {
		if !seen[k] {
			seen[k] = true
			out.keys = append(out.keys, k)
		}
	}
	ast.Inspect(d.node, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		for _, obj := range []types.Object{info.Uses[id], info.Defs[id]} {
			if imported, ok := obj.(*types.PkgName); ok {
				out.imports[id.Name+" "+imported.Imported().Path()] = true
				continue
			}
			if obj == nil || obj.Pkg() == nil {
				continue
			}
			out.environment = out.environment || showsEnvironment(obj)
			if f, ok := obj.(*types.Func); ok && f.Signature().Recv() != nil {
				if t := receiver(f.Origin()); t != "" {
					add(t)
				}
				continue
			}
			if obj.Parent() == obj.Pkg().Scope() {
				if obj.Pkg().Path() != d.pkg.PkgPath {
					out.imports[key(obj.Pkg(), obj.Name())] = true // of an import with a dot, above all
				}
				add(key(obj.Pkg(), obj.Name()))
			}
		}
		return true
	})
	return out
}

// Reached calls f with each declaration that the entry can reach, and its package, by place: a function, or a
// part of a declaration of variables, types or constants.
func (prog *Program) Reached(f func(p *packages.Package, n ast.Node)) {
	m := prog.remember()
	defer m.Unlock()
	for _, d := range prog.reach(m).sorted() {
		f(d.pkg, d.node)
	}
}

// sorted are the declarations that are reached, by place.
func (r *reachable) sorted() []*declaration {
	type place struct {
		file   string
		offset int
	}
	places := make(map[*declaration]place, len(r.reached))
	for d := range r.reached {
		at := r.prog.Fset.Position(d.node.Pos())
		places[d] = place{r.rel(at.Filename), at.Offset}
	}
	return slices.SortedFunc(maps.Keys(r.reached), func(a, b *declaration) int {
		x, y := places[a], places[b]
		return cmp.Or(strings.Compare(x.file, y.file), x.offset-y.offset)
	})
}

// rel is the name of a file as of Program.Rel.
func (r *reachable) rel(file string) string {
	k := r.prog.Root + "\x00" + file
	name, ok := r.memory.names[k]
	if !ok {
		name = r.prog.Rel(file)
		r.memory.names[k] = name
	}
	return name
}

// text is what a declaration is: its own text, what imported names in it stand for, and the version
// of the language, if its file says which.
func (r *reachable) text(d *declaration) (string, error) {
	prog, read, n := r.prog, r.memory.files, r.memory.named[d.node]
	if n.text != "" {
		return n.text, nil
	}
	var parts []string
	for _, span := range d.spans {
		// Line directives move positions: it is the file itself that is read.
		at, end := prog.Fset.PositionFor(span.from, false), prog.Fset.PositionFor(span.to, false)
		data, ok := read[at.Filename]
		if !ok {
			var err error
			if data, err = prog.ReadFile(at.Filename); err != nil {
				return "", fmt.Errorf("read source: %w", err)
			}
			read[at.Filename] = data
		}
		if at.Offset > end.Offset || end.Offset > len(data) {
			return "", fmt.Errorf("read source: %s has changed since it was loaded", at.Filename)
		}
		rest, _, _ := bytes.Cut(data[end.Offset:], []byte("\n"))
		parts = append(parts, string(data[at.Offset:end.Offset])+string(bytes.TrimRight(rest, " \t\r")))
	}
	n.text = fmt.Sprintf("%s %q of %q, imports %q", d.kind, parts, d.file.GoVersion, slices.Sorted(maps.Keys(n.imports)))
	return n.text, nil
}

// write writes the declarations that are reached, by place.
func (r *reachable) write(h io.Writer) error {
	for _, d := range r.sorted() {
		text, err := r.text(d)
		if err != nil {
			return err
		}
		place := r.prog.Fset.Position(d.node.Pos())
		fmt.Fprintf(h, "%q:%d %s\n", r.rel(place.Filename), place.Line, text)
	}
	if r.environment {
		fmt.Fprintf(h, "environment %q\n", r.prog.environment())
	}
	return nil
}

// environment is that of the program, sorted.
func (prog *Program) environment() []string {
	env := prog.Spec.Env
	if env == nil {
		env = os.Environ()
	}
	return slices.Sorted(slices.Values(env))
}

// writeOther writes what counts beside declarations.
func (prog *Program) writeOther(h io.Writer) error {
	fmt.Fprintf(h, "%s\n", prog.entryText())
	for _, p := range prog.Packages {
		fmt.Fprintf(h, "package %q %s\n", p.PkgPath, packageText(p))
	}
	names, err := prog.otherFiles()
	if err != nil {
		return err
	}
	for _, f := range names {
		if err := prog.writeFile(h, f); err != nil {
			return err
		}
	}
	return nil
}

// entryText says which function the entry is, and what its package asks of the runtime.
func (prog *Program) entryText() string {
	return fmt.Sprintf("entry %q %q of Go %q, %q", prog.Entry.PkgPath, prog.Func.Name(), prog.GoVersion, prog.debugDirectives())
}

func packageText(p *packages.Package) string {
	return fmt.Sprintf("imports %q", slices.Sorted(maps.Keys(p.Imports)))
}

// otherFiles are the names of the files that count as a whole, sorted.
func (prog *Program) otherFiles() ([]string, error) {
	names := map[string]bool{}
	for _, p := range prog.Packages {
		lists := [][]string{p.OtherFiles, p.EmbedFiles}
		if hidden(p) {
			lists = append(lists, p.GoFiles) // the text of cgo is in comments
		}
		for _, f := range slices.Concat(lists...) {
			names[f] = true
		}
	}
	prog.moduleFiles(names)
	if err := prog.choiceFiles(names); err != nil {
		return nil, err
	}
	if err := prog.testdata(names); err != nil {
		return nil, err
	}
	for _, f := range prog.loose {
		names[f] = true
	}
	return slices.Sorted(maps.Keys(names)), nil
}

func (prog *Program) writeFile(h io.Writer, name string) error {
	data, err := prog.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read source: %w", err)
	}
	fmt.Fprintf(h, "file %q %d\n", prog.Rel(name), len(data))
	_, err = h.Write(data)
	return err
}

// reachableParts is what ReachableDigest covers, by what it is called: but for the places of
// declarations, and in which file of its package one is. What begins a program keeps its order.
func (prog *Program) reachableParts() (map[string]string, error) {
	m := prog.remember()
	defer m.Unlock()
	r := prog.reach(m)
	parts := map[string]string{}
	add := func(name, text string) { parts[name] += text + "\n" } // several functions are called init
	for _, d := range r.sorted() {
		text, err := r.text(d)
		if err != nil {
			return nil, err
		}
		add(d.name, text)
		if d.begins {
			add("the order of initialisation in "+d.pkg.PkgPath, d.name)
		}
	}
	if r.environment {
		add("the environment", fmt.Sprintf("%q", prog.environment()))
	}
	add("the entry point", prog.entryText())
	for _, p := range prog.Packages {
		add("the imports of "+p.PkgPath, packageText(p))
	}
	names, err := prog.otherFiles()
	if err != nil {
		return nil, err
	}
	for _, f := range names {
		data, err := prog.ReadFile(f)
		if err != nil {
			return nil, fmt.Errorf("read source: %w", err)
		}
		add("the file "+prog.Rel(f), string(data))
	}
	for name, text := range parts {
		sum := sha256.Sum256([]byte(text))
		parts[name] = hex.EncodeToString(sum[:])
	}
	return parts, nil
}
