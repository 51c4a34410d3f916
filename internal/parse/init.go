package parse

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/internal/sites"
)

// initPlan says how the initialisation of a package is run again.
type initPlan struct {
	// skip: it is not; the reason has been reported.
	skip bool
	// whole: all that it does is done again, what starts goroutines among it.
	whole bool
	// steps are the initialisers to repeat, in order of initialisation.
	steps []*types.Initializer
	// zeros are the variables without initialiser.
	zeros []*types.Var
}

// planInit decides what of the package's initialisation can be repeated. What
// registers something in a library could panic the second time: a variable that
// does keeps its first value, and if an init function does, nothing is
// repeated.
func (w *pkgRewriter) planInit(files []*ast.File, own map[string]bool) *initPlan {
	plan := &initPlan{whole: true}
	scan := &initScan{info: w.TypesInfo, own: map[string]bool{}, decls: map[types.Object]*ast.FuncDecl{}}
	for _, p := range w.prog.Packages {
		scan.own[p.PkgPath] = true
	}
	linked := map[string]bool{}
	editable := map[*token.File]bool{}
	for _, f := range files {
		if own[w.filename(f)] {
			editable[w.prog.Fset.File(f.FileStart)] = true
		}
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil {
				scan.decls[w.TypesInfo.Defs[fd.Name]] = fd
			}
		}
		for name := range linknames(f) {
			linked[name] = true
		}
	}
	report := func(pos token.Pos, persists bool, format string, args ...any) {
		p := w.prog.Fset.PositionFor(pos, false)
		w.overlay.report(w.prog.Rel(p.Filename), p.Line, p.Column, format, args...)
		w.overlay.Diagnostics[len(w.overlay.Diagnostics)-1].Persists = persists
	}
	var registering []token.Pos // of init functions
	steady := true              // all that is done once
	for _, f := range files {
		for _, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || fd.Recv != nil || fd.Name.Name != "init" || fd.Body == nil {
				continue
			}
			plan.whole = plan.whole && editable[w.prog.Fset.File(f.FileStart)]
			if pos := scan.registers(fd.Body); pos.IsValid() {
				registering = append(registering, pos)
			}
			steady = steady && scan.steady(fd.Body)
		}
	}
	if plan.skip = len(registering) > 0; plan.skip {
		for _, step := range w.TypesInfo.InitOrder {
			steady = steady && scan.steady(step.Rhs)
		}
		for _, pos := range registering {
			report(pos, steady, "an init function of package %s registers something in a library: initialisation is not repeated, so the package's variables live outside of runs", w.PkgPath)
		}
		return plan
	}
	kept, steadyTest := scan.testMain(files), scan.steadyTestMain(files)
	for _, v := range slices.SortedFunc(maps.Keys(kept), func(a, b *types.Var) int { return cmp.Compare(kept[a], kept[b]) }) {
		report(kept[v], steadyTest, "TestMain sets %s: it is not initialised anew, so it keeps its value from run to run", v.Name())
	}
	has := map[*types.Var]bool{}
	for _, step := range w.TypesInfo.InitOrder {
		ok := editable[w.prog.Fset.File(step.Rhs.Pos())]
		blank := true
		for _, v := range step.Lhs {
			has[v] = true
			blank = blank && v.Name() == "_"
			ok = ok && !linked[v.Name()] && !kept[v].IsValid()
		}
		if !ok || blank && !effects(step.Rhs) {
			plan.whole = plan.whole && !effects(step.Rhs)
			continue
		}
		if pos := scan.registers(step.Rhs); pos.IsValid() {
			report(pos, scan.steady(step.Rhs), "the initialiser registers something in a library: it is not repeated, so the variable keeps its value from run to run")
			plan.whole = false
			continue
		}
		plan.steps = append(plan.steps, step)
	}
	for _, f := range files {
		if !editable[w.prog.Fset.File(f.FileStart)] {
			continue
		}
		for _, d := range f.Decls {
			gd, ok := d.(*ast.GenDecl)
			if !ok || gd.Tok != token.VAR {
				continue
			}
			for _, s := range gd.Specs {
				spec := s.(*ast.ValueSpec)
				if embeds(gd.Doc) || embeds(spec.Doc) {
					continue
				}
				for _, n := range spec.Names {
					if v, ok := w.TypesInfo.Defs[n].(*types.Var); ok && !has[v] && n.Name != "_" && !linked[n.Name] && !kept[v].IsValid() {
						plan.zeros = append(plan.zeros, v)
					}
				}
			}
		}
	}
	return plan
}

func embeds(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	for _, c := range doc.List {
		if strings.HasPrefix(c.Text, "//go:embed") {
			return true
		}
	}
	return false
}

// effects reports whether evaluating an expression may do more than give a
// value.
func effects(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// initScan looks for what an initialisation does, in functions of the package
// that it calls as well.
type initScan struct {
	info  *types.Info
	own   map[string]bool // paths of the instrumented packages
	decls map[types.Object]*ast.FuncDecl
	seen  map[ast.Node]bool
	match func(ast.Node) token.Pos
}

// registers returns where running a node registers something in a library.
func (s *initScan) registers(n ast.Node) token.Pos {
	return s.scan(n, func(m ast.Node) token.Pos {
		c, ok := m.(*ast.CallExpr)
		if !ok {
			return token.NoPos
		}
		_, obj := sites.Classify(s.info, c.Fun)
		f, ok := obj.(*types.Func)
		if !ok || f.Pkg() == nil || s.own[f.Pkg().Path()] || !isRegistration(f) {
			return token.NoPos
		}
		return c.Lparen
	})
}

// steady reports whether what a node does is the same in each process, and over when it is done: it starts no
// goroutine, makes no channel, and asks neither the clock nor the environment; and it calls nothing of the program
// that is not looked at.
func (s *initScan) steady(n ast.Node) bool {
	return !s.scan(n, func(m ast.Node) token.Pos {
		switch m := m.(type) {
		case *ast.GoStmt, *ast.SendStmt, *ast.SelectStmt:
			return m.Pos()
		case *ast.UnaryExpr:
			if m.Op == token.ARROW {
				return m.Pos()
			}
		case *ast.CallExpr:
			if !s.steadyCall(m) {
				return m.Lparen
			}
		}
		return token.NoPos
	}).IsValid()
}

// varying are the packages of whose functions the results differ from process to process, or which
// start something, but for those named.
var varying = map[string][]string{
	"time":         {"Date", "ParseDuration", "LoadLocation", "FixedZone"},
	"context":      {"Background", "TODO", "WithValue"},
	"math/rand":    nil,
	"math/rand/v2": nil,
	"crypto/rand":  nil,
	"hash/maphash": nil,
	"net":          nil,
	"os":           {"Getenv", "LookupEnv", "Exit", "Getwd", "ReadFile"},
	"os/signal":    nil,
	"os/exec":      nil,
	"runtime":      {"GOMAXPROCS", "NumCPU", "Caller", "Callers", "CallersFrames", "FuncForPC"},
}

// steadyCall reports whether a call is steady by itself: what it calls of the package is looked at by scan.
func (s *initScan) steadyCall(c *ast.CallExpr) bool {
	if tv := s.info.Types[c.Fun]; tv.IsType() {
		return true
	} else if tv.IsBuiltin() {
		_, channel := s.info.TypeOf(c).Underlying().(*types.Chan)
		return !channel
	}
	if _, ok := ast.Unparen(c.Fun).(*ast.FuncLit); ok {
		return true
	}
	_, obj := sites.Classify(s.info, c.Fun)
	f, ok := obj.(*types.Func)
	if !ok || f.Pkg() == nil {
		return ok // the Error method of an error, say
	}
	if recv := f.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		return !s.own[f.Pkg().Path()]
	}
	if s.own[f.Pkg().Path()] {
		return s.decls[obj] != nil
	}
	but, varies := varying[f.Pkg().Path()]
	return !varies || f.Signature().Recv() != nil || slices.Contains(but, f.Name())
}

// steadyTestMain reports whether all that TestMain does is steady.
func (s *initScan) steadyTestMain(files []*ast.File) bool {
	steady := true
	eachTestMain(files, func(body *ast.BlockStmt) { steady = steady && s.steady(body) })
	return steady
}

// eachTestMain calls a function with the body of TestMain, if there is one.
func eachTestMain(files []*ast.File, do func(body *ast.BlockStmt)) {
	for _, f := range files {
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv == nil && fd.Name.Name == "TestMain" && fd.Body != nil {
				do(fd.Body)
			}
		}
	}
}

// testMain returns the variables of the package that its TestMain sets before
// any run begins, and where.
func (s *initScan) testMain(files []*ast.File) map[*types.Var]token.Pos {
	set := map[*types.Var]token.Pos{}
	note := func(e ast.Expr) {
		for {
			switch x := ast.Unparen(e).(type) {
			case *ast.IndexExpr:
				e = x.X
				continue
			case *ast.StarExpr:
				e = x.X
				continue
			case *ast.SelectorExpr:
				e = x.X
				continue
			case *ast.Ident:
				if v, ok := s.info.Uses[x].(*types.Var); ok && isPackageVar(v) && !set[v].IsValid() {
					set[v] = x.Pos()
				}
			}
			return
		}
	}
	eachTestMain(files, func(body *ast.BlockStmt) {
		s.scan(body, func(n ast.Node) token.Pos {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, e := range n.Lhs {
					note(e)
				}
			case *ast.IncDecStmt:
				note(n.X)
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					note(n.X)
				}
			}
			return token.NoPos
		})
	})
	return set
}

func (s *initScan) scan(n ast.Node, match func(ast.Node) token.Pos) token.Pos {
	s.seen, s.match = map[ast.Node]bool{}, match
	return s.find(n)
}

func (s *initScan) find(n ast.Node) (pos token.Pos) {
	if s.seen[n] {
		return token.NoPos
	}
	s.seen[n] = true
	ast.Inspect(n, func(m ast.Node) bool {
		if pos.IsValid() || m == nil {
			return false
		}
		if pos = s.match(m); pos.IsValid() {
			return false
		}
		switch m := m.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if lit, ok := ast.Unparen(m.Fun).(*ast.FuncLit); ok {
				pos = s.find(lit.Body)
			} else if _, obj := sites.Classify(s.info, m.Fun); obj != nil && s.decls[obj] != nil {
				pos = s.find(s.decls[obj].Body)
			}
		}
		return true
	})
	return pos
}

// isRegistration guesses by name whether a library function keeps what it is
// given under a name that it will not take twice.
func isRegistration(f *types.Func) bool {
	path := f.Pkg().Path()
	switch path {
	case "crypto", "encoding/gob", "image", "mime":
		return false // take the same twice
	case "flag", "github.com/spf13/pflag":
		return f.Signature().Recv() == nil && f.Name() != "NewFlagSet" && f.Name() != "Parse"
	case "expvar":
		return f.Name() == "Publish" || strings.HasPrefix(f.Name(), "New")
	case "net/http":
		return f.Name() == "Handle" || f.Name() == "HandleFunc"
	}
	if strings.HasPrefix(path, "google.golang.org/protobuf/") && f.Name() == "Build" {
		return true // of generated code
	}
	return strings.HasSuffix(path, "/promauto") ||
		strings.HasPrefix(f.Name(), "Register") || strings.HasPrefix(f.Name(), "MustRegister")
}

// renameInit gives an init function a name by which it can be called again.
func (r *rewriter) renameInit(fd *ast.FuncDecl) {
	r.inits++
	name := fmt.Sprintf("%sInit%d", r.zz, r.inits)
	start := r.file.Offset(fd.Name.Pos())
	r.replace(start, start+len("init"), name)
	r.renamed = append(r.renamed, name)
}

// repeat writes the functions that run the initialisers of the file again, and
// the init functions in place of those renamed.
func (r *rewriter) repeat(plan *initPlan) string {
	b := r.build(r.ast.FileEnd)
	for _, name := range r.renamed {
		b.put("\nfunc init() { %s() }\n", name)
		r.unit.inits = append(r.unit.inits, name)
	}
	if plan.skip {
		return b.buf.String()
	}
	for i, step := range plan.steps {
		if !r.holds(step.Rhs.Pos()) {
			continue
		}
		names := make([]string, len(step.Lhs))
		for i, v := range step.Lhs {
			names[i] = v.Name()
		}
		name := fmt.Sprintf("%sReset%d", r.zz, i+1)
		b.put("\nfunc %s() { %s = ", name, strings.Join(names, ", "))
		b.line = 0
		b.node(step.Rhs)
		if r.races != nil && !r.hasStaticValue(step.Rhs) {
			for _, v := range step.Lhs {
				if r.races.variable(v) {
					b.put("; %s.Wr(%d, &%s)", r.zz, r.touch(&ast.Ident{NamePos: v.Pos(), Name: v.Name()}), v.Name())
				}
			}
		}
		b.put(" }\n")
		r.unit.vars[i] = name
	}
	for _, v := range plan.zeros {
		if r.holds(v.Pos()) {
			r.unit.zeros = append(r.unit.zeros, v.Name())
		}
	}
	return b.buf.String()
}

// hasStaticValue reports whether a variable has the value of an expression before anything of its package is executed, as gc does it:
// nobody can find it without.
func (r *rewriter) hasStaticValue(e ast.Expr) bool {
	tv := r.info.Types[e]
	if tv.Value != nil || tv.IsNil() || r.static(e) {
		return true
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		lit, ok := ast.Unparen(e.X).(*ast.CompositeLit)
		return ok && e.Op == token.AND && r.hasStaticValue(lit)
	case *ast.CompositeLit:
		if _, ok := tv.Type.Underlying().(*types.Map); ok {
			return false
		}
		return !slices.ContainsFunc(e.Elts, func(elt ast.Expr) bool {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				elt = kv.Value
			}
			return !r.hasStaticValue(elt)
		})
	}
	return false
}

func (r *rewriter) holds(pos token.Pos) bool {
	return r.ast.FileStart <= pos && pos < r.ast.FileEnd
}
