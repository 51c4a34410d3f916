package parse

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
)

// What the environment decides is asked of the runtime, which chooses it in a run:
// random numbers, the order of maps, what a sync.Pool returns. These are no guards,
// and have no sites of their own: they belong to their statements.

// random are the functions that draw random numbers, with their types. They have
// the names of the methods of a *rand.Rand. Of those with a range of small
// numbers, every number is a choice, and so is every order of few elements.
var random = map[string]struct{ params, args, result string }{
	"math/rand.Int":         {"", "", "int"},
	"math/rand.Intn":        {"n int", "n", "int"},
	"math/rand.Int31":       {"", "", "int32"},
	"math/rand.Int31n":      {"n int32", "n", "int32"},
	"math/rand.Int63":       {"", "", "int64"},
	"math/rand.Int63n":      {"n int64", "n", "int64"},
	"math/rand.Uint32":      {"", "", "uint32"},
	"math/rand.Uint64":      {"", "", "uint64"},
	"math/rand.Float32":     {"", "", "float32"},
	"math/rand.Float64":     {"", "", "float64"},
	"math/rand.ExpFloat64":  {"", "", "float64"},
	"math/rand.NormFloat64": {"", "", "float64"},
	"math/rand.Perm":        {"k int", "k", "[]int"},
	"math/rand.Shuffle":     {"k int, swap func(i, j int)", "k, swap", ""},
	"math/rand.Read":        {"p []byte", "p", "(int, error)"},

	"math/rand/v2.Int":         {"", "", "int"},
	"math/rand/v2.IntN":        {"n int", "n", "int"},
	"math/rand/v2.Int32":       {"", "", "int32"},
	"math/rand/v2.Int32N":      {"n int32", "n", "int32"},
	"math/rand/v2.Int64":       {"", "", "int64"},
	"math/rand/v2.Int64N":      {"n int64", "n", "int64"},
	"math/rand/v2.Uint":        {"", "", "uint"},
	"math/rand/v2.UintN":       {"n uint", "n", "uint"},
	"math/rand/v2.Uint32":      {"", "", "uint32"},
	"math/rand/v2.Uint32N":     {"n uint32", "n", "uint32"},
	"math/rand/v2.Uint64":      {"", "", "uint64"},
	"math/rand/v2.Uint64N":     {"n uint64", "n", "uint64"},
	"math/rand/v2.Float32":     {"", "", "float32"},
	"math/rand/v2.Float64":     {"", "", "float64"},
	"math/rand/v2.ExpFloat64":  {"", "", "float64"},
	"math/rand/v2.NormFloat64": {"", "", "float64"},
	"math/rand/v2.Perm":        {"k int", "k", "[]int"},
	"math/rand/v2.Shuffle":     {"k int, swap func(i, j int)", "k, swap", ""},

	"crypto/rand.Read": {"p []byte", "p", "(int, error)"},
	"crypto/rand.Text": {"", "", "string"},
}

// importPaths are the import paths behind the names that generated functions use.
var importPaths = map[string]string{
	"synctest": "testing/synctest", "rand": "math/rand", "randv2": "math/rand/v2", "crypto": "crypto/rand",
}

// randomSource is the generated function in place of one of random: a function
// value, so that it may stand wherever the original does.
func randomSource(zz, what string) string {
	pkg, name, _ := strings.Cut(what, "_")
	sh := random[importPaths[pkg]+"."+name]
	ret, tail := "return ", ""
	if sh.result == "" {
		ret, tail = "", "; return"
	}
	draw := fmt.Sprintf("%s.New(s).%s(%s)", pkg, name, sh.args)
	if name == "Read" || pkg == "crypto" {
		draw = fmt.Sprintf("s.%s(%s)", name, sh.args)
	}
	small := ""
	switch name {
	case "Perm":
		small = fmt.Sprintf("\t\tif p := %s.Permuted(site, k); p != nil {\n\t\t\treturn p\n\t\t}\n", zz)
	case "Shuffle":
		small = fmt.Sprintf("\t\tif %s.Shuffled(site, k, swap) {\n\t\t\treturn\n\t\t}\n", zz)
	}
	if sh.args == "n" {
		small = fmt.Sprintf("\t\tif v, ok := %s.Choose(site, uint64(n)); ok {\n\t\t\treturn %s(v)\n\t\t}\n", zz, sh.result)
	}
	return fmt.Sprintf(`func %[1]sRandom_%[2]s(site %[1]s.Site) func(%[3]s) %[4]s {
	return func(%[3]s) %[4]s {
%[5]s		if s := %[1]s.Entropy(site); s != nil {
			%[6]s%[7]s%[8]s
		}
		%[6]s%[9]s.%[10]s(%[11]s)
	}
}`, zz, what, sh.params, sh.result, small, ret, draw, tail, pkg, name, sh.args)
}

// unlessSeeded is randomSource in a program that seeds what all share from the clock, and may seed
// it otherwise.
func unlessSeeded(zz, what string) string {
	text := strings.Replace(randomSource(zz, what), zz+"Random_", zz+"RandomUnseeded_", 1)
	pkg, name, _ := strings.Cut(what, "_")
	args := random[importPaths[pkg]+"."+name].args
	call := fmt.Sprintf("\t\tif %s.Repeats() {\n\t\t\treturn %s.%s(%s)\n\t\t}\n", zz, pkg, name, args)
	if random[importPaths[pkg]+"."+name].result == "" {
		call = fmt.Sprintf("\t\tif %s.Repeats() {\n\t\t\t%s.%s(%s)\n\t\t\treturn\n\t\t}\n", zz, pkg, name, args)
	}
	head, body, _ := strings.Cut(text, "{\n\treturn func(")
	inner, rest, _ := strings.Cut(body, "{\n")
	return head + "{\n\treturn func(" + inner + "{\n" + call + rest
}

// drawing are the methods of a *rand.Rand that draw a number of a range.
var drawing = map[string]bool{
	"(*math/rand.Rand).Intn": true, "(*math/rand.Rand).Int31n": true, "(*math/rand.Rand).Int63n": true,
	"(*math/rand/v2.Rand).IntN": true, "(*math/rand/v2.Rand).Int32N": true, "(*math/rand/v2.Rand).Int64N": true,
	"(*math/rand/v2.Rand).UintN": true, "(*math/rand/v2.Rand).Uint32N": true, "(*math/rand/v2.Rand).Uint64N": true,
}

// randomN is the generated function in place of rand.N of math/rand/v2.
const randomN = `func ZZRandomN[T ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr](site ZZ.Site, n T) T {
	if v, ok := ZZ.Choose(site, uint64(n)); ok {
		return T(v)
	}
	if s := ZZ.Entropy(site); s != nil && n > 0 {
		return T(randv2.New(s).Uint64N(uint64(n)))
	}
	return randv2.N(n)
}`

// same are the functions that have one of the same type in the runtime.
var same = map[string]string{
	"hash/maphash.String": "HashString", "hash/maphash.Bytes": "HashBytes",
}

// placed are the functions that are in the runtime what it makes of a site.
var placed = map[string]string{
	"hash/maphash.MakeSeed": "MakeSeed(%d)", countsGoroutines: "Goroutines(%d).Count",
}

// countsGoroutines tells how many goroutines there are.
const countsGoroutines = "runtime.NumGoroutine"

// statement is the site of the statement that a choice belongs to, 0 outside of
// functions.
func (r *rewriter) statement(pos token.Pos) sites.ID {
	s, ok := r.idx.Stmt(pos)
	if !ok {
		return 0
	}
	r.unit.guarded[s.ID] = true
	return s.ID
}

// random has the runtime choose what a function of random returns.
func (r *rewriter) random(e ast.Expr, obj types.Object) {
	f, ok := obj.(*types.Func)
	if !ok || f.Pkg() == nil || f.Signature().Recv() != nil {
		return
	}
	if function := same[f.FullName()]; function != "" {
		r.unused(e, obj)
		r.replace(r.file.Offset(e.Pos()), r.file.Offset(e.End()), r.zz+"."+function)
		return
	}
	if function := placed[f.FullName()]; function != "" {
		r.unused(e, obj)
		r.unit.counts = r.unit.counts || f.FullName() == countsGoroutines
		r.replace(r.file.Offset(e.Pos()), r.file.Offset(e.End()), r.zz+"."+fmt.Sprintf(function, r.statement(e.Pos())))
		return
	}
	if _, ok := random[f.FullName()]; !ok || r.seeded && f.Pkg().Path() == "math/rand" {
		return
	}
	name := ""
	for short, path := range importPaths {
		if path == f.Pkg().Path() {
			name = short + "_" + f.Name()
		}
	}
	r.unused(e, obj)
	kind := "Random_"
	if r.reseeded && f.Pkg().Path() == "math/rand" {
		kind = "RandomUnseeded_"
	}
	b := r.build(e.Pos())
	b.put("%s(%d)", r.helper(kind+name), r.statement(e.Pos()))
	b.done(e.End())
}

// seedsRandom reports whether the program calls rand.Seed, in a module for which that has an
// effect: its random numbers are no choices then, but repeat. They are some if a seed may be from
// the clock, until there is another one; a program of a module before Go 1.20 begins with one.
func seedsRandom(prog *source.Program, clock *clockUses) (seeded, fromClock bool) {
	effective, old := false, false
	for _, p := range prog.Packages {
		if m := p.Module; m != nil && m.Main && version.IsValid("go"+m.GoVersion) {
			effective = effective || version.Compare("go"+m.GoVersion, "go1.24") < 0
			old = old || version.Compare("go"+m.GoVersion, "go1.20") < 0
		}
	}
	if !effective || !uses(prog, func(obj types.Object) bool { return isFunc(obj, "math/rand.Seed") }) {
		return false, false
	}
	return true, !old && clock != nil && seedsAllFromClock(prog, clock)
}

// seedsAllFromClock reports whether the program seeds the generator of math/rand that all share
// with what may be from the clock. Where Seed is no call but a value, how is not seen.
func seedsAllFromClock(prog *source.Program, clock *clockUses) bool {
	from, seen := false, true
	for _, p := range prog.Packages {
		called := map[ast.Expr]bool{}
		for _, f := range p.Syntax {
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if _, obj := sites.Classify(p.TypesInfo, n.Fun); isFunc(obj, "math/rand.Seed") {
						called[calledFunc(n)] = true
						from = from || clock.seeds[n.Lparen]
					}
				case *ast.SelectorExpr:
					if isFunc(p.TypesInfo.Uses[n.Sel], "math/rand.Seed") {
						seen = seen && called[n]
						return false
					}
				case *ast.Ident:
					seen = seen && (called[n] || !isFunc(p.TypesInfo.Uses[n], "math/rand.Seed"))
				}
				return true
			})
		}
	}
	return from && seen
}

// uses reports whether a program names one of some objects.
func uses(prog *source.Program, is func(types.Object) bool) bool {
	return slices.ContainsFunc(prog.Packages, func(p *packages.Package) bool {
		for _, obj := range p.TypesInfo.Uses {
			if is(obj) {
				return true
			}
		}
		return false
	})
}

// ordered are the functions that hand out the entries of a map, with those of the
// runtime that have the site as their first argument.
var ordered = map[string]string{
	"maps.Keys": "MapKeys", "maps.Values": "MapValues", "maps.All": "MapAll",
	"golang.org/x/exp/maps.Keys": "KeySlice", "golang.org/x/exp/maps.Values": "ValueSlice",
}

// undecided are the functions whose results the run cannot choose.
var undecided = map[string]string{
	"os.Getpid": "the number of the process", "os.Getppid": "the number of the process",
	"(reflect.Value).MapRange": "the order of a map by reflection",
	"(reflect.Value).Pointer":  "an address as a number", "(reflect.Value).UnsafeAddr": "an address as a number",
	"(weak.Pointer[T]).Value": "whether the garbage has been collected",
}

// measuring are the functions by which a program measures its own memory, which is not that of the instrumented one.
var measuring = map[string]bool{
	"runtime.ReadMemStats": true, "runtime/metrics.Read": true, "runtime/debug.ReadGCStats": true, "testing.AllocsPerRun": true,
	"testing.Benchmark": true, "runtime.MemProfile": true, "syscall.Getrusage": true,
	"(testing.BenchmarkResult).AllocsPerOp": true, "(testing.BenchmarkResult).AllocedBytesPerOp": true,
}

// measures tells the runtime that such a function is used.
func (r *rewriter) measures(e ast.Expr, obj types.Object) {
	if f, ok := obj.(*types.Func); ok && measuring[f.FullName()] {
		r.before(e.Pos(), fmt.Sprintf("%s.Measures(%q, ", r.zz, f.FullName()))
		r.after(e.End(), ")")
	}
}

// environment rewrites a call of what the environment decides and that is no
// function value by itself.
func (r *rewriter) environment(c *ast.CallExpr, obj types.Object) {
	f, ok := obj.(*types.Func)
	if !ok || f.Pkg() == nil {
		return
	}
	fun, name := calledFunc(c), f.FullName()
	with := func(function string) {
		if len(c.Args) == 0 {
			return
		}
		r.replace(r.file.Offset(fun.Pos()), r.file.Offset(fun.End()), function)
		r.before(c.Args[0].Pos(), fmt.Sprintf("%d, ", r.statement(c.Pos())))
	}
	switch {
	case ordered[name] != "":
		r.keep[r.qualifier(fun)+f.Name()+"[map[struct{}]struct{}]"] = true
		with(r.zz + "." + ordered[name])
	case name == "hash/maphash.Comparable":
		r.keep[r.qualifier(fun)+"String"] = true
		r.replace(r.file.Offset(fun.Pos()), r.file.Offset(fun.End()), r.zz+".HashComparable")
	case name == "math/rand/v2.N":
		r.keep[r.qualifier(fun)+"IntN"] = true
		with(r.helper("RandomN"))
	case name == "math/rand/v2.New" && r.clockUses != nil && len(r.clockUses.seeds) > 0:
		r.keep[r.qualifier(fun)+"New"] = true
		r.replace(r.file.Offset(fun.Pos()), r.file.Offset(fun.End()), r.helper("NewRand"))
	case name == "math/rand.Seed" && r.reseeded:
		r.keep[r.qualifier(fun)+"Seed"] = true
		r.before(c.Args[0].Pos(), constantBool(r.clockUses.seeds[c.Lparen])+", ")
		with(r.helper("SeedAll"))
	case r.clockUses == nil || !r.clockUses.seeds[c.Lparen]:
	case name == "math/rand.NewSource":
		r.keep[r.qualifier(fun)+"NewSource"] = true
		with(r.helper("SeededSource"))
	case name == "math/rand/v2.NewPCG":
		r.keep[r.qualifier(fun)+"NewPCG"] = true
		with(r.helper("SeededPCG"))
	case r.seeded: // by a function value
		r.clockNumber(c.Lparen, "the seed of a generator of random numbers")
	}
}

// undecided rewrites a call whose result the environment decides.
func (r *rewriter) undecided(c *ast.CallExpr, obj types.Object) {
	f, ok := obj.(*types.Func)
	if !ok || f.Pkg() == nil {
		return
	}
	around := func(function, more string) {
		id := r.statement(c.Pos())
		r.before(c.Pos(), fmt.Sprintf("%s.%s(%d, %s", r.zz, function, id, more))
		r.after(c.End(), ")")
	}
	switch name := f.Origin().FullName(); {
	case name == "(reflect.Value).MapKeys":
		around("ReflectedKeys", "")
	case undecided[name] != "":
		around("Undecided", fmt.Sprintf("%q, ", undecided[name]))
	case name == "fmt.Sprintf" && len(c.Args) > 0:
		if v := r.info.Types[c.Args[0]].Value; v != nil && v.Kind() == constant.String && strings.Contains(constant.StringVal(v), "%p") {
			around("Undecided", `"an address as text", `)
		}
	}
}

// choosing are the methods that choose, with the function of the runtime for what
// has them.
var choosing = map[string]string{
	"(*sync.Pool).Get": "Pool", "(*sync.Pool).Put": "Pool", "(*sync.Map).Range": "SyncMap",
	"(*hash/maphash.Hash).Sum64": "Hash", "(*hash/maphash.Hash).Sum": "Hash",
}

// choice has the runtime choose what a method returns, or in which order.
func (r *rewriter) choice(sel *ast.SelectorExpr) {
	s := r.info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal {
		return
	}
	f, ok := s.Obj().(*types.Func)
	if !ok {
		return
	}
	if drawing[f.FullName()] && r.clockUses != nil && len(r.clockUses.seeds) > 0 {
		r.before(sel.Pos(), fmt.Sprintf("%s.Drawing(%d, ", r.zz, r.statement(sel.Pos())))
		r.after(sel.End(), ")")
	}
	if choosing[f.FullName()] == "" {
		return
	}
	o, ok := r.receiver(sel.X, s)
	if !ok {
		return
	}
	id := r.statement(sel.Pos())
	b := r.build(sel.Pos())
	b.put("%s.%s(%d, ", r.zz, choosing[f.FullName()], id)
	o.put(b)
	b.put(").")
	b.node(sel.Sel)
	b.done(sel.End())
}

// reader has the runtime give what crypto/rand.Reader does, where it is read. The read
// is recorded before: what the runtime returns has no address.
func (r *rewriter) reader(e ast.Expr, name *ast.Ident) {
	v, ok := r.info.Uses[name].(*types.Var)
	if !ok || v.Pkg() == nil || v.Pkg().Path() != "crypto/rand" || v.Name() != "Reader" || r.set[e] {
		return
	}
	id := r.statement(e.Pos())
	r.before(e.Pos(), fmt.Sprintf("%s.Reader(%d, ", r.zz, id))
	r.after(e.End(), ")")
}

// setVariables are the expressions of a file that are assigned to, or whose address is
// taken.
func setVariables(f *ast.File) map[ast.Expr]bool {
	set := map[ast.Expr]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				set[ast.Unparen(e)] = true
			}
		case *ast.RangeStmt:
			set[n.Key], set[n.Value] = true, true
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				set[ast.Unparen(n.X)] = true
			}
		}
		return true
	})
	return set
}

// rangeMap rewrites a range over a map into a loop over its entries, in the order
// that the runtime chooses. It reports whether it has.
func (r *rewriter) rangeMap(s *ast.RangeStmt) bool {
	t := r.info.TypeOf(s.X)
	m := mapOf(t)
	if m == nil || clears(r.info, s) {
		return false
	}
	stmt, ok := r.idx.At(sites.Stmt, s.For)
	if !ok {
		return false // no other function may be called here
	}
	if r.version != "" && version.Compare(r.version, "go1.20") < 0 && !strictlyComparable(m.Key()) {
		r.diag(s.For, "range over a map with keys of type %v in a module before Go 1.20: its order is not chosen", m.Key())
		return false
	}
	r.walkExpr(s.Key)
	r.walkExpr(s.Value)
	r.walk(s.X)
	r.list(s.Body.List)
	r.unit.guarded[stmt.ID] = true
	key, value := s.Key, s.Value
	if key != nil && isBlank(key) {
		key = nil
	}
	if value != nil && isBlank(value) {
		value = nil
	}
	rg := r.name()
	b := r.build(s.For)
	perLoop := s.Tok == token.DEFINE && r.perLoop() && (key != nil || value != nil)
	if perLoop {
		// One pair of variables for all iterations.
		b.put("for %s", rg)
		for _, e := range []ast.Expr{key, value} {
			if e == nil {
				b.put(", _")
				continue
			}
			b.put(", ")
			b.node(e)
		}
		b.put(" := %s(%d, ", r.helper("RangeMap"), stmt.ID)
	} else {
		b.put("for %s := %s.RangeMap(%d, ", rg, r.zz, stmt.ID)
	}
	b.node(s.X)
	b.put(", %v); %s.Next(); {", constantBool(value != nil), rg)
	tok := s.Tok
	if perLoop {
		tok = token.ASSIGN
	}
	switch {
	case key != nil && value != nil:
		b.put(" ")
		b.node(key)
		b.put(", ")
		b.node(value)
		b.put(" %v %s.K, %s.V;", tok, rg, rg)
	case key != nil:
		b.put(" ")
		b.node(key)
		b.put(" %v %s.K;", tok, rg)
	case value != nil:
		b.put(" ")
		b.node(value)
		b.put(" %v %s.V;", tok, rg)
	}
	b.put("%s ", r.variables([]ast.Expr{s.Key, s.Value}, s.Tok == token.DEFINE))
	b.node(s.Body)
	b.put("}")
	b.done(s.End())
	return true
}

// constantBool is a boolean that no declaration can change.
func constantBool(v bool) string {
	if v {
		return "0 == 0"
	}
	return "0 != 0"
}

// mapOf is the map type that a range over t iterates over, nil if that is none.
func mapOf(t types.Type) *types.Map {
	if t == nil {
		return nil
	}
	p, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		m, _ := t.Underlying().(*types.Map)
		return m
	}
	return mapOfTerms(p.Constraint().Underlying(), map[types.Type]bool{})
}

func mapOfTerms(t types.Type, seen map[types.Type]bool) *types.Map {
	if seen[t] {
		return nil
	}
	seen[t] = true
	switch u := t.(type) {
	case *types.Map:
		return u
	case *types.Interface:
		for e := range u.EmbeddedTypes() {
			if m := mapOfTerms(e, seen); m != nil {
				return m
			}
			if m := mapOfTerms(e.Underlying(), seen); m != nil {
				return m
			}
		}
	case *types.Union:
		for term := range u.Terms() {
			if m := mapOfTerms(term.Type().Underlying(), seen); m != nil {
				return m
			}
		}
	}
	return nil
}

// strictlyComparable: the type satisfies comparable in every language version.
func strictlyComparable(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return isTypeParam(t)
	case *types.Array:
		return strictlyComparable(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if !strictlyComparable(f.Type()) {
				return false
			}
		}
	}
	return true
}

// clears reports whether a range over a map does nothing but delete its entries,
// which the compiler knows to do for all keys.
func clears(info *types.Info, s *ast.RangeStmt) bool {
	if len(s.Body.List) != 1 || s.Key == nil || s.Value != nil || !pure(info, s.X) {
		return false
	}
	e, ok := s.Body.List[0].(*ast.ExprStmt)
	if !ok {
		return false
	}
	c, ok := e.X.(*ast.CallExpr)
	if !ok || len(c.Args) != 2 {
		return false
	}
	id, ok := c.Fun.(*ast.Ident)
	if !ok {
		return false
	}
	b, ok := info.Uses[id].(*types.Builtin)
	return ok && b.Name() == "delete" && types.ExprString(c.Args[0]) == types.ExprString(s.X) && types.ExprString(c.Args[1]) == types.ExprString(s.Key)
}

// keyed has the runtime see a key that is inserted into a map, if it may hold
// addresses.
func (r *rewriter) keyed(m types.Type, key ast.Expr) {
	t, ok := m.Underlying().(*types.Map)
	if !ok || !holdsAddresses(t.Key(), 0) {
		return
	}
	tv, ok := r.info.Types[key]
	if lit, elided := key.(*ast.CompositeLit); !ok || tv.Value != nil || tv.IsNil() || elided && lit.Type == nil {
		return
	}
	if _, ok := tv.Type.(*types.Tuple); ok {
		return
	}
	r.before(key.Pos(), r.zz+".Keyed(")
	r.after(key.End(), ")")
}

// keyedElements is keyed for the keys of a composite literal.
func (r *rewriter) keyedElements(c *ast.CompositeLit) {
	for _, e := range c.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			r.keyed(r.info.TypeOf(c), kv.Key)
		}
	}
}

// holdsAddresses: values of the type may hold pointers or channels that count in a
// comparison.
func holdsAddresses(t types.Type, depth int) bool {
	if depth > 10 {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Chan, *types.Interface:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Array:
		return holdsAddresses(u.Elem(), depth+1)
	case *types.Struct:
		for f := range u.Fields() {
			if holdsAddresses(f.Type(), depth+1) {
				return true
			}
		}
	}
	return false
}
