package parse

import (
	"fmt"
	"go/ast"
	"go/types"
	"regexp"
	"sort"
	"strings"

	"github.com/vtrace/vtrace/internal/sites"
)

// shape is the type of a guarded function or method, as the generated helpers
// spell it.
type shape struct{ recv, params, args, result string }

// shapes are those of the functions of the runtime that are called in place of functions and methods of the library.
// The other operations of package reflect are methods of a value of the runtime.
var shapes = func() map[string]shape {
	m := map[string]shape{}
	for f := range sites.LibraryFuncs() {
		if f.Runtime == "" || f.Receiver == locker {
			continue
		}
		s := shape{params: f.Parameters, args: arguments(f.Parameters), result: f.Result}
		if f.Receiver != "" {
			s.recv = "*" + f.Package + "." + f.Receiver
		}
		m[f.Runtime] = s
	}
	return m
}()

// locker is the interface of package sync with guarded methods.
const locker = "Locker"

// ifaceShape is the shape of a guarded method called through an interface: what may be
// behind it. Others are called.
type ifaceShape struct {
	shape
	behind []sites.LibraryFunc
}

var ifaceShapes = func() map[string]ifaceShape {
	m := map[string]ifaceShape{}
	for f := range sites.LibraryFuncs() {
		if f.Runtime == "" || f.Receiver == "" {
			continue
		}
		s := m["Iface_"+f.Name]
		s.shape = shape{params: f.Parameters, args: arguments(f.Parameters), result: f.Result}
		s.behind = append(s.behind, f)
		m["Iface_"+f.Name] = s
	}
	return m
}()

// arguments hands parameters on: "format, args..." for "format string, args ...any".
func arguments(params string) string {
	var list []string
	for p := range strings.SplitSeq(params, ", ") {
		name, t, _ := strings.Cut(p, " ")
		if strings.HasPrefix(t, "...") {
			name += "..."
		}
		list = append(list, name)
	}
	return strings.Join(list, ", ")
}

// shapeOf is the shape of a function of the runtime or, for a method called
// through an interface, of the function generated for it.
func shapeOf(name string) shape {
	s, ok := ifaceShapes[name]
	if !ok {
		return shapes[name]
	}
	_, method, _ := strings.Cut(name, "_")
	s.recv = fmt.Sprintf("interface{ %s(%s) %s }", method, s.params, s.result)
	return s.shape
}

// helper returns the name of a generated function of the package.
func (r *rewriter) helper(what string) string {
	r.unit.helpers[what] = true
	return r.zz + what
}

// value rewrites a guarded function or method that is used as a value: the
// value guards every call of it.
func (r *rewriter) value(e ast.Expr) {
	sel, isSel := e.(*ast.SelectorExpr)
	if isSel {
		r.walk(sel.X)
	}
	obj := sites.Function(r.info, e)
	if obj == nil {
		return
	}
	kind := sites.KindOf(obj)
	if kind == sites.Invalid || kind == sites.Atomic {
		r.now(e, obj)
		r.random(e, obj)
		r.signal(e, obj)
		r.testValue(e, obj)
		r.measures(e, obj)
		r.fileTimeValue(e, obj)
		if isFunc(obj, "testing.Testing") {
			r.before(e.Pos(), r.zz+".Testing(")
			r.after(e.End(), ")")
		}
		return
	}
	pos := e.Pos()
	var s *types.Selection
	if isSel {
		pos = sel.Sel.Pos()
		s = r.info.Selections[sel]
	}
	id := r.site(kind, pos)
	if id == 0 {
		return
	}
	b := r.build(e.Pos())
	switch name := function(obj); {
	case kind == sites.Callback:
		b.put("%s(%d)", r.helper("AfterFunc_"+obj.Pkg().Name()), id)
		r.unused(e, obj)
	case name != "" && s == nil:
		r.runtime(name)
		b.put("%s(%d)", r.helper("Func_"+name), id)
		r.unused(e, obj)
	case onReflectedChannel(obj) && r.onReflected(sel, id):
		return
	case name != "" && s.Kind() == types.MethodVal:
		o, ok := r.receiver(sel.X, s)
		if !ok {
			r.diag(pos, "%v through an embedded field that is not accessible here: not guarded", kind)
			return
		}
		r.runtime(name)
		if strings.HasPrefix(name, "Iface_") {
			o = r.bound(o)
		}
		b.put("%s(%d, ", r.helper("Bind_"+name), id)
		o.put(b)
		b.put(")")
	case name != "" && len(s.Index()) == 1 && shapes[name].recv != "":
		b.put("%s(%d)", r.helper("Expr_"+name), id)
	case name != "" && s.Kind() == types.MethodExpr:
		if !r.methodExpr(b, sel, s, name, id) {
			r.diag(pos, "%s used as a method expression: not guarded", obj.Name())
			return
		}
	case r.ends(obj) != "" && (s == nil || s.Kind() == types.MethodVal):
		shape := "any"
		switch {
		case strings.HasSuffix(obj.Name(), "Now"):
			shape = "none"
		case strings.HasSuffix(obj.Name(), "f"):
			shape = "format"
		case strings.HasSuffix(obj.Name(), "ln"):
			shape = "line"
		}
		b.put("%s(%d, ", r.helper(r.ends(obj)+"_"+shape), id)
		r.endCallee(b, e, obj, "")
		b.put(")")
	case kind == sites.Exit && s != nil && s.Kind() == types.MethodVal:
		r.boundEnd(b, sel, s, obj, id)
	default:
		r.diag(pos, "%s used as a value: not guarded", obj.Name())
		return
	}
	b.done(e.End())
}

// testValue rewrites what subtest does where it is used as a value, not called.
func (r *rewriter) testValue(e ast.Expr, obj types.Object) {
	f, ok := obj.(*types.Func)
	if !ok || r.calledBy[e] != nil {
		return
	}
	pos, method := e.Pos(), false
	if sel, ok := e.(*ast.SelectorExpr); ok {
		pos = sel.Sel.Pos()
		s := r.info.Selections[sel]
		method = s != nil && s.Kind() == types.MethodVal
	}
	switch name := f.FullName(); name {
	case "(*testing.common).Cleanup", "(testing.TB).Cleanup", "(*testing.common).Context", "(testing.TB).Context":
		switch {
		case !method && f.Name() == "Cleanup":
			return // the run takes it from the *testing.T
		case !method:
			r.diag(pos, "testing's Context used as a method expression: that of a subtest ends with the test around it")
			return
		}
		r.before(e.Pos(), r.zz+"."+f.Name()+"Value(")
		r.after(e.End(), ")")
	case "(*testing.T).Run", "(*testing.T).Parallel", "testing/synctest.Test", "runtime.SetFinalizer", "runtime.AddCleanup":
		r.diag(pos, "%s used as a value: not guarded", name)
	default:
		if testWrites[name] == "" {
			return
		}
		site, ok := r.idx.Stmt(e.Pos())
		if !method || !ok {
			r.diag(pos, "testing's %s used as a method expression: that it is called after the end of the test is not seen", f.Name())
			return
		}
		r.before(e.Pos(), fmt.Sprintf("%s.%sValue(%d, ", r.zz, f.Name(), site.ID))
		r.after(e.End(), ")")
		r.unit.guarded[site.ID] = true
	}
}

// calledFunc is the function of a call, without type arguments.
func calledFunc(c *ast.CallExpr) ast.Expr {
	switch e := ast.Unparen(c.Fun).(type) {
	case *ast.IndexExpr:
		return ast.Unparen(e.X)
	case *ast.IndexListExpr:
		return ast.Unparen(e.X)
	default:
		return e
	}
}

// methodExpr adds a function literal in place of a method expression.
func (r *rewriter) methodExpr(b *builder, sel *ast.SelectorExpr, s *types.Selection, name string, id sites.ID) bool {
	path, t, ok := r.embedded(s)
	sh := shapeOf(name)
	if !ok || r.shadowed["int"] && sh.params == "n int" || r.shadowed["bool"] && sh.result == "bool" {
		return false
	}
	x := r.name()
	b.put("(func(%s ", x)
	b.node(sel.X)
	if sh.params != "" {
		b.put(", %s", sh.params)
	}
	b.put(") %s { ", sh.result)
	if sh.result != "" {
		b.put("return ")
	}
	b.put("%s(%d, ", r.runtime(name), id)
	if !isPointer(t) && !types.IsInterface(t) {
		b.put("&")
	}
	b.put("%s%s", x, path)
	if sh.args != "" {
		b.put(", %s", sh.args)
	}
	b.put(") })")
	return true
}

// qualifier is a package of the standard library that generated functions use.
var qualifier = regexp.MustCompile(`\b(context|crypto|fmt|iter|rand|randv2|reflect|runtime|sync|synctest|testing|time)\.`)

// helperSource writes the generated function of that name. It notes which
// packages the function needs.
func helperSource(zz, what string, imports map[string]bool) string {
	kind, name, _ := strings.Cut(what, "_")
	sh := shapeOf(name)
	args := []string{"site"}
	for _, a := range []string{sh.recv, sh.args} {
		switch a {
		case "":
		case sh.recv:
			args = append(args, "x")
		default:
			args = append(args, a)
		}
	}
	body := fmt.Sprintf("%s.%s(%s)", zz, name, strings.Join(args, ", "))
	if strings.HasPrefix(name, "Iface_") || name == "Settle" {
		body = fmt.Sprintf("%s%s(%s)", zz, name, strings.Join(args, ", "))
	}
	if sh.result != "" {
		body = "return " + body
	}
	head := fmt.Sprintf("func %s%s(site %s.Site", zz, what, zz)
	var text string
	switch kind {
	case "Range":
		text = fmt.Sprintf("func %sRange[T interface{}](ch <-chan T) (r *%s.Ranger[T], v T) { return %s.RangeCh(ch), v }", zz, zz, zz)
	case "RangeSlice":
		text = fmt.Sprintf("func %sRangeSlice[S interface{ ~[]E }, E interface{}](s S) (r *%s.SliceRange[E], k int, v E) { return %s.RangeSlice([]E(s)), k, v }", zz, zz, zz)
	case "RangeMap":
		text = fmt.Sprintf("func %sRangeMap[M interface{ ~map[K]V }, K comparable, V interface{}](site %s.Site, m M, values bool) (r *%s.MapRanger[K, V], k K, v V) {\n\treturn %s.RangeMap(site, m, values), k, v\n}", zz, zz, zz, zz)
	case "Random":
		text = randomSource(zz, name)
	case "RandomN":
		text = strings.ReplaceAll(randomN, "ZZ", zz)
	case "RandomUnseeded":
		text = unlessSeeded(zz, name)
	case "SeededSource":
		text = fmt.Sprintf("func %[1]sSeededSource(site %[1]s.Site, seed int64) rand.Source {\n\treturn %[1]s.SeededSource(site, seed, rand.NewSource(seed).(%[1]s.OldGenerator))\n}", zz)
	case "SeededPCG":
		text = fmt.Sprintf("func %[1]sSeededPCG(site %[1]s.Site, seed1, seed2 uint64) *randv2.PCG {\n\tpcg := randv2.NewPCG(seed1, seed2)\n\t%[1]s.SeededPCG(site, seed1, seed2, pcg)\n\treturn pcg\n}", zz)
	case "NewRand":
		text = fmt.Sprintf("func %[1]sNewRand(source randv2.Source) *randv2.Rand {\n\tif pcg, ok := source.(*randv2.PCG); ok {\n\t\tif seeded := %[1]s.SeededBy(pcg); seeded != nil {\n\t\t\treturn randv2.New(seeded)\n\t\t}\n\t}\n\treturn randv2.New(source)\n}", zz)
	case "SeedAll":
		text = fmt.Sprintf("func %[1]sSeedAll(site %[1]s.Site, perhaps bool, seed int64) {\n\t%[1]s.SeedAll(site, perhaps, seed)\n\trand.Seed(seed)\n}", zz)
	case "Zero":
		text = fmt.Sprintf("func %sZero[T interface{}](p *T) { var zero T; *p = zero }", zz)
	case "TRun":
		text = fmt.Sprintf("func %sTRun(site %s.Site, t *testing.T, name string, f func(*testing.T)) bool {\n\tif !%s.Controlled() {\n\t\treturn %s.FreeSubtest(site, t, f, func(f func(*testing.T)) bool { return t.Run(name, f) })\n\t}\n\t%s.Subtest(site, func() { f(t) })\n\treturn !t.Failed()\n}", zz, zz, zz, zz, zz)
	case "Bubble":
		text = fmt.Sprintf("func %sBubble(t *testing.T, f func(*testing.T)) {\n\tif !%s.Controlled() {\n\t\tsynctest.Test(t, f)\n\t\treturn\n\t}\n\t%s.InBubble(func() { f(t) })\n}", zz, zz, zz)
	case "SetFinalizer", "AddCleanup":
		text = strings.ReplaceAll(finalizers[kind], "ZZ", zz)
	case "TParallel":
		text = fmt.Sprintf("func %sTParallel(site %s.Site, t *testing.T) {\n\tif !%s.Controlled() {\n\t\t%s.FreeParallel(site, t, t.Parallel)\n\t\treturn\n\t}\n\t%s.Parallel(site, t.Parallel)\n}", zz, zz, zz, zz, zz)
	case "RecvAs":
		text = fmt.Sprintf("func %sRecvAs[B ~bool, T interface{}](site %s.Site, ch <-chan T) (T, B) {\n\tv, ok := %s.Recv2(site, ch)\n\treturn v, ok == (0 == 0)\n}", zz, zz, zz)
	case "OnceFunc", "OnceValue", "OnceValues":
		text = onceSource(zz, kind)
	case "Pull", "Pull2":
		text = pullSource(zz, kind)
	case "Field":
		text = strings.NewReplacer("ZZ", zz, "TYPE", name).Replace(fieldSource)
	case "Sprint", "Sprintln":
		text = fmt.Sprintf("func %s%s(args ...interface{}) string { return fmt.%s(args...) }", zz, kind, kind)
	case "Sprintf":
		text = fmt.Sprintf("func %sSprintf(format string, args ...interface{}) string { return fmt.Sprintf(format, args...) }", zz)
	case "Try":
		text = strings.ReplaceAll(trySource, "ZZ", zz)
	case "Settle":
		text = strings.ReplaceAll(settleSource, "ZZ", zz)
	case "Iface":
		text = ifaceSource(zz, what)
	case "End":
		text = endSource(zz, name)
	case "Func":
		text = fmt.Sprintf("%s) func(%s) %s { return func(%s) %s { %s } }", head, sh.params, sh.result, sh.params, sh.result, body)
	case "Bind":
		text = fmt.Sprintf("%s, x %s) func(%s) %s { return func(%s) %s { %s } }", head, sh.recv, sh.params, sh.result, sh.params, sh.result, body)
	case "Expr":
		params := "x " + sh.recv
		if sh.params != "" {
			params += ", " + sh.params
		}
		text = fmt.Sprintf("%s) func(%s) %s { return func(%s) %s { %s } }", head, params, sh.result, params, sh.result, body)
	case "AfterFunc":
		sig := "(d time.Duration, f func()) *time.Timer"
		call := zz + ".AfterFunc(site, d, f)"
		if name == "context" {
			sig = "(c context.Context, f func()) func() bool"
			call = fmt.Sprintf("context.AfterFunc(c, %s.Callback(site, f))", zz)
		}
		text = fmt.Sprintf("%s) func%s { return func%s { return %s } }", head, sig, sig, call)
	default: // Fatal, TestEnd
		params, pass, format := "args ...interface{}", "args...", "Sprint"
		switch name {
		case "none":
			params, pass = "", ""
		case "format":
			params, pass, format = "format string, args ...interface{}", "format, args...", "Sprintf"
		case "line":
			format = "Sprintln"
		}
		f := params
		if kind == "Fatal" {
			f, pass = "int, string) (error", fmt.Sprintf("%d, fmt.%s(%s)", logDepth+1, format, pass)
		}
		text = fmt.Sprintf("%s, f func(%s)) func(%s) { return func(%s) { %s.%s(site, func() { f(%s) }) } }", head, f, params, params, zz, kind, pass)
	}
	text = qualifier.ReplaceAllStringFunc(text, func(p string) string {
		imports[strings.TrimSuffix(p, ".")] = true
		return zz + p
	})
	return text + "\n\n"
}

func sortedKeys(m map[string]bool) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
