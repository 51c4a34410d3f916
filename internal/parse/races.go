package parse

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"strings"
	"unicode/utf8"

	"github.com/vtrace/vtrace/internal/sites"
)

// placeInfo describes a place that touches memory, for the runtime.
type placeInfo struct {
	id, site   int
	file, text string
	line       int
}

// maxPlaceText is how much of an expression a report shows.
const maxPlaceText = 60

// touch numbers a place that touches the memory of e.
func (r *rewriter) touch(e ast.Node) int {
	if r.races == nil {
		return 0
	}
	start, end := r.file.Offset(e.Pos()), r.file.Offset(e.End())
	return r.touchAs(e, strings.Join(strings.Fields(string(r.src[start:end])), " "))
}

// touchAs is touch with the text that a report shows.
func (r *rewriter) touchAs(e ast.Node, text string) int {
	r.places++
	if utf8.RuneCountInString(text) > maxPlaceText {
		text = string([]rune(text)[:maxPlaceText-3]) + "..."
	}
	site := 0
	if s, ok := r.idx.Stmt(e.Pos()); ok {
		site = int(s.ID)
		r.unit.guarded[s.ID] = true
	}
	p := r.file.Position(e.Pos())
	r.overlay.Places = append(r.overlay.Places, text)
	r.unit.places = append(r.unit.places, placeInfo{r.places, site, r.prog.Rel(r.file.Name()), text, p.Line})
	return r.places
}

// read records the read of an expression, if it is to be recorded.
func (r *rewriter) read(e ast.Expr) {
	if r.races != nil {
		r.readLater(e, func() { r.recordRead(e) })
	}
}

func (r *rewriter) recordRead(e ast.Expr) {
	if why := r.races.hidden[e]; why != "" {
		r.unrecorded(e.Pos(), "%s", why)
	}
	if r.races.reads[e] {
		r.before(e.Pos(), fmt.Sprintf("(*%s.Rd(%d, &", r.zz, r.touch(e)))
		r.after(e.End(), "))")
	}
	if r.races.copied[e] {
		r.before(e.Pos(), fmt.Sprintf("(*%s.Rd(%d, ", r.zz, r.touch(e)))
		r.after(e.End(), "))")
	}
	if fields := r.races.fieldsCopied[e]; fields != nil {
		open, path := "&", ""
		for _, f := range fields {
			path += "." + f.Name()
		}
		if isPointer(fields[len(fields)-1].Type()) {
			open = ""
		}
		defer func() { // of what is recorded of the operand itself
			r.before(e.Pos(), fmt.Sprintf("(*%s.Rd(%d, %s", r.zz, r.touch(e), open))
			r.after(e.End(), path+"))")
		}()
	}
	if r.races.pointed[e] {
		r.before(e.Pos(), fmt.Sprintf("%s.Rd(%d, ", r.zz, r.touch(e)))
		r.after(e.End(), ")")
	}
	if method := r.races.dynamic[e]; method != "" {
		r.before(e.Pos(), fmt.Sprintf("%s.RdDynamic(%d, ", r.zz, r.touch(e)))
		r.after(e.End(), fmt.Sprintf(", %q)", method))
	}
	if r.races.elements[e] {
		function := "RdSlice"
		if isTypeParam(r.info.TypeOf(e)) {
			function = "RdElements"
		}
		r.before(e.Pos(), fmt.Sprintf("%s.%s(%d, ", r.zz, function, r.touch(e)))
		r.after(e.End(), ")")
	}
	if r.races.maps[e] {
		r.before(e.Pos(), fmt.Sprintf("%s.RdMap(%d, ", r.zz, r.touch(e)))
		r.after(e.End(), ")")
	}
	if r.races.mapWrites[e] {
		r.before(e.Pos(), fmt.Sprintf("%s.WrMap(%d, ", r.zz, r.touch(e)))
		r.after(e.End(), ")")
	}
	if path := r.races.embedded[e]; path != nil {
		open, end := "&", ")"
		if isPointer(r.info.TypeOf(e)) {
			open, end = "", ""
		}
		fields := strings.Trim(strings.ReplaceAll(fmt.Sprint(path), " ", ", "), "[]")
		call := fmt.Sprintf("%s.Embedded(%d, %s", r.zz, r.touch(e), open)
		if open != "" {
			call = "(*" + call
		}
		r.before(e.Pos(), call)
		r.after(e.End(), ", "+fields+")"+end)
	}
	if changes, ok := r.races.uses[e]; ok {
		function, field := r.use(e)
		r.before(e.Pos(), fmt.Sprintf("%s.%s", r.zz, fmt.Sprintf(function, r.touch(e))))
		r.after(e.End(), fmt.Sprintf("%s, %v)", field, constantBool(changes)))
		if r.races.lengthRead[e] {
			r.before(e.Pos(), fmt.Sprintf("%s.LengthRead(%d, ", r.zz, r.touch(e)))
			r.after(e.End(), ")")
		}
	}
	if changes, ok := r.races.handed[e]; ok {
		open, end := r.handing(e, changes)
		if r.races.addressed[e] {
			open, end = "(*"+open, end+")"
		}
		r.before(e.Pos(), open)
		r.after(e.End(), end)
	}
	function := r.races.reflectedBy[e]
	switch {
	case r.races.reflected[e]:
		function = "Reflected"
	case r.races.reflectedRead[e]:
		function = "ReflectedRead"
	}
	if function != "" {
		r.before(e.Pos(), fmt.Sprintf("%s.%s(%d, ", r.zz, function, r.touch(e)))
		r.after(e.End(), ")")
	}
}

// target is what an assignment writes to.
type target struct {
	expr ast.Expr
	// parts are the operands that are evaluated before the assignment and
	// decide what is written to.
	parts []ast.Expr
	isMap bool
}

// targetOf returns what is to be recorded of the assignment to e, nil for
// nothing.
func (r *rewriter) targetOf(e ast.Expr) *target {
	if isBlank(e) {
		return nil
	}
	t := &target{expr: e}
	shared, ok := r.parts(t, e)
	switch {
	case !ok:
		r.unrecorded(e.Pos(), "the write is not recorded: what it writes to cannot be named twice")
		return nil
	case !shared:
		return nil
	}
	return t
}

// parts collects the operands of e. It reports whether goroutines may share
// what e denotes.
func (r *rewriter) parts(t *target, e ast.Expr) (shared, ok bool) {
	switch x := e.(type) {
	case *ast.Ident:
		v, ok := r.info.ObjectOf(x).(*types.Var)
		return ok && r.races.variable(v), true
	case *ast.ParenExpr:
		return r.parts(t, x.X)
	case *ast.StarExpr:
		t.parts = append(t.parts, x.X)
		return true, true
	case *ast.SelectorExpr:
		m := r.info.Selections[x]
		switch {
		case m == nil:
			v, ok := r.info.Uses[x.Sel].(*types.Var)
			return ok && r.races.variable(v), true
		case r.races.hidden[x] != "":
			return true, false
		case isPointer(r.info.TypeOf(x.X)), m.Indirect(): // or an embedded pointer is followed
			t.parts = append(t.parts, x.X)
			return true, true
		}
		return r.parts(t, x.X)
	case *ast.IndexExpr:
		switch r.info.TypeOf(x.X).Underlying().(type) {
		case *types.Map:
			t.parts, t.isMap = append(t.parts, x.X), true
			return true, true
		case *types.Slice, *types.Pointer:
			t.parts = append(t.parts, x.X, x.Index)
			return !r.races.isPrivate(x.X), true
		case *types.Array:
			shared, ok := r.parts(t, x.X)
			t.parts = append(t.parts, x.Index)
			return shared, ok
		}
	}
	return true, false
}

// recordWrites records the writes of an assignment whose left side has been
// rewritten. It returns what to call when the rest of it has been, with what belongs behind that. Operands
// that could change are evaluated first, into variables: the writes are
// recorded when they have been done.
func (r *rewriter) recordWrites(s ast.Stmt, lhs, rhs []ast.Expr, define, list bool) func(behind string) {
	unchanged := func(behind string) { r.after(s.End(), behind) }
	if r.races == nil {
		return unchanged
	}
	var targets []*target
	for _, e := range lhs {
		if id, ok := e.(*ast.Ident); define && (!ok || r.info.Uses[id] == nil) {
			continue // a new variable
		}
		if t := r.targetOf(e); t != nil {
			targets = append(targets, t)
		}
	}
	a, assigned := s.(*ast.AssignStmt)
	// The compiler reads what says where to write behind the calls and receives: those of the left side, and of the values.
	valuesFirst := assigned && list && len(lhs) == len(rhs) && a.Tok != token.DEFINE && !r.onlyLooks(rhs) && (len(targets) == len(lhs) || callFree(lhs))
	if len(targets) == 0 && !(valuesFirst && r.records(lhs)) {
		return unchanged
	}
	if !list && r.recovers(rhs) {
		r.unrecorded(s.Pos(), "the write of a recovered value is not recorded here")
		return unchanged
	}
	quiet := len(lhs) == 1 && callFree(rhs)
	called, pre, hoisted := r.build(s.Pos()), r.build(s.Pos()), false
	for _, t := range targets {
		parts := t.parts
		if x := r.maps.element(t.expr); valuesFirst && x != nil && r.inTurn(x.Index) {
			parts = append(parts, x.Index)
		}
		for _, p := range parts {
			if r.info.Types[p].Value != nil || r.stable(p, len(lhs) == 1, quiet) {
				continue
			}
			name, front := r.name(), pre
			if valuesFirst && r.inTurn(p) {
				front = called
			}
			front.put("%s := ", name)
			front.node(p)
			front.put("; ")
			hoisted = true
			b := r.build(p.Pos())
			b.put("%s", name)
			b.done(p.End())
		}
	}
	called.move(s.Pos())
	pre.move(s.Pos())
	post := r.build(s.End())
	function := "Wr"
	if updates(s) {
		function = "Up"
	}
	for _, t := range targets {
		if t.isMap {
			post.put("; %s.WrMap(%d, ", r.zz, r.touch(t.expr))
			post.node(t.parts[0])
		} else {
			post.put("; %s.%s(%d, &", r.zz, function, r.touch(t.expr))
			post.node(t.expr)
		}
		post.put(")")
	}
	post.move(s.End())
	before, after := called.buf.String()+pre.buf.String(), post.buf.String()
	if valuesFirst && (hoisted || len(targets) == 0) {
		if h := r.hoist(rhs); h != nil {
			return func(behind string) {
				b, at := r.build(s.Pos()), s.Pos()
				b.put("{ %s", called.buf.String())
				h.putOperands(b)
				b.move(s.Pos())
				b.put("%s", pre.buf.String())
				for i, e := range rhs {
					b.source(at, e.Pos())
					h.operand(b, i)
					at = e.End()
				}
				b.put("%s", behind)
				b.move(s.End())
				b.put("%s }", after)
				b.done(s.End())
			}
		}
	}
	switch {
	case !list:
		before, after = "func() { "+before, after+" }()"
	case hoisted:
		before, after = "{ "+before, after+" }"
	}
	return func(behind string) {
		r.before(s.Pos(), before)
		r.after(s.End(), behind+after)
	}
}

// records reports whether evaluating what is assigned to is recorded in part: by calls in its place.
func (r *rewriter) records(lhs []ast.Expr) bool {
	return evaluates(lhs, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		return ok && (r.races.reads[x] || r.races.maps[x] || r.races.embedded[x] != nil)
	})
}

// updates: a statement reads what it writes.
func updates(s ast.Stmt) bool {
	a, ok := s.(*ast.AssignStmt)
	return !ok || a.Tok != token.ASSIGN && a.Tok != token.DEFINE
}

// stable reports whether an operand has its value still when the assignment is
// done: a variable that the assignment does not set, and nobody else.
func (r *rewriter) stable(e ast.Expr, alone, quiet bool) bool {
	id, ok := e.(*ast.Ident)
	if _, guarded := r.maps.around[e]; !ok || !alone || guarded {
		return false
	}
	v, ok := r.info.Uses[id].(*types.Var)
	return ok && (quiet || !r.races.variable(v))
}

// callFree reports whether evaluating expressions calls nothing and waits for
// nothing.
func callFree(list []ast.Expr) bool {
	return !evaluates(list, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			return true
		case *ast.UnaryExpr:
			return n.Op == token.ARROW
		}
		return false
	})
}

// onlyLooks is callFree but for conversions and lengths, in which nothing can be changed.
func (r *rewriter) onlyLooks(list []ast.Expr) bool {
	return !evaluates(list, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			b, ok := builtin(r.info, n.Fun)
			return !r.info.Types[n.Fun].IsType() && !(ok && (b.Name() == "len" || b.Name() == "cap"))
		case *ast.UnaryExpr:
			return n.Op == token.ARROW
		}
		return false
	})
}

// inTurn: compiled programs evaluate an expression where it stands, before calls that follow, for what is in it. They read
// variables late, and calculate with them.
func (r *rewriter) inTurn(e ast.Expr) bool {
	return evaluates([]ast.Expr{e}, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeAssertExpr:
			return true
		case *ast.UnaryExpr:
			return n.Op == token.ARROW
		case *ast.CallExpr:
			t, basic := r.info.TypeOf(n).Underlying().(*types.Basic)
			return !r.info.Types[n.Fun].IsType() || !basic || t.Info()&types.IsNumeric == 0
		}
		return false
	})
}

// recovers reports whether the builtin recover is called directly.
func (r *rewriter) recovers(list []ast.Expr) bool {
	return evaluates(list, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return false
		}
		b, ok := r.races.builtin(c.Fun)
		return ok && b.Name() == "recover"
	})
}

// evaluates reports whether evaluating expressions evaluates a node that is
// one of those asked for: bodies of function literals do not count.
func evaluates(list []ast.Expr, is func(ast.Node) bool) bool {
	found := false
	for _, e := range list {
		ast.Inspect(e, func(n ast.Node) bool {
			if _, ok := n.(*ast.FuncLit); ok {
				return false
			}
			found = found || is(n)
			return !found
		})
	}
	return found
}

// incDec records the write of an increment or decrement.
func (r *rewriter) incDec(s *ast.IncDecStmt, list bool) {
	r.walk(s.X)
	if x, ok := ast.Unparen(s.X).(*ast.IndexExpr); ok {
		r.keyed(r.info.TypeOf(x.X), x.Index)
	}
	finish, behind := r.recordWrites(s, []ast.Expr{s.X}, nil, false, list), ""
	if list {
		behind = r.store(s, s.X, s.Tok, s.TokPos, nil)
	}
	finish(behind)
}

// variables records, in front of a body, the writes to variables that a
// statement sets before it: those of a range, or of a select case.
func (r *rewriter) variables(list []ast.Expr, define bool) string {
	if r.races == nil {
		return ""
	}
	text := ""
	for _, e := range list {
		if e == nil || isBlank(e) {
			continue
		}
		id, ok := ast.Unparen(e).(*ast.Ident)
		if !ok {
			text += r.assigned(e, list)
			continue
		}
		if v, ok := r.info.ObjectOf(id).(*types.Var); ok && r.races.variable(v) && (!define || r.perLoop()) {
			text += fmt.Sprintf(" %s.Wr(%d, &%s);", r.zz, r.touch(e), id.Name)
		}
	}
	return text
}

// assigned records the write to an expression that is no identifier, after it, if
// nothing that is assigned with it decides what it denotes.
func (r *rewriter) assigned(e ast.Expr, list []ast.Expr) string {
	t := &target{expr: e}
	shared, ok := r.parts(t, e)
	if ok && !shared {
		return ""
	}
	start, end := r.file.Offset(e.Pos()), r.file.Offset(e.End())
	if !ok || !pure(r.info, e) || strings.ContainsAny(string(r.src[start:end]), "\n/") || r.decides(e, list) {
		r.unrecorded(e.Pos(), "the write is not recorded in this place")
		return ""
	}
	if t.isMap {
		start, end = r.file.Offset(t.parts[0].Pos()), r.file.Offset(t.parts[0].End())
		return fmt.Sprintf(" %s.WrMap(%d, %s);", r.zz, r.touch(e), r.src[start:end])
	}
	return fmt.Sprintf(" %s.Wr(%d, &%s);", r.zz, r.touch(e), r.src[start:end])
}

// decides reports whether an assignment to one of a list may change what e denotes: one
// to a variable in it, or to anything else if it follows pointers or indices.
func (r *rewriter) decides(e ast.Expr, list []ast.Expr) bool {
	for _, o := range list {
		if o == nil || isBlank(o) {
			continue
		}
		id, ok := ast.Unparen(o).(*ast.Ident)
		if !ok && o != e {
			return true
		}
		if ok && evaluates([]ast.Expr{e}, func(n ast.Node) bool {
			x, ok := n.(*ast.Ident)
			return ok && r.info.ObjectOf(x) == r.info.ObjectOf(id)
		}) {
			return true
		}
	}
	return false
}

// perLoop: a loop has one set of variables for all iterations.
func (r *rewriter) perLoop() bool {
	return r.version != "" && version.Compare(r.version, "go1.22") < 0
}

// copied records that the variables of a loop are read at the end of each iteration: those
// of the next one are copies.
func (r *rewriter) copied(s *ast.ForStmt) {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || r.perLoop() {
		return
	}
	reads := ""
	for _, e := range init.Lhs {
		if v, ok := r.info.ObjectOf(e.(*ast.Ident)).(*types.Var); ok && r.races.variable(v) {
			reads += fmt.Sprintf("%s.Rd(%d, &%s); ", r.zz, r.touch(e), v.Name())
		}
	}
	switch {
	case reads == "":
		return
	case len(init.Lhs) != len(init.Rhs):
		r.unrecorded(s.For, "that the variables of this loop are copied is not recorded")
		return
	}
	// One more variable of the loop holds a function, which the body sets. That names the variables of its iteration;
	// the post statement calls it, where the names stand for the copies already.
	name := r.name()
	r.after(init.Lhs[len(init.Lhs)-1].End(), ", "+name)
	r.after(init.Rhs[len(init.Rhs)-1].End(), ", func() {}")
	r.after(s.Body.Lbrace+1, fmt.Sprintf(" %s = func() { %s};", name, reads))
	if s.Post == nil {
		r.before(s.Body.Lbrace, name+"() ")
		return
	}
	r.before(s.Post.Pos(), "func() { "+name+"(); ")
	r.after(s.Post.End(), " }()")
}

// ofSlices: all types of the type parameter are slices, with one type of elements.
func ofSlices(p *types.TypeParam) bool {
	i, ok := p.Constraint().Underlying().(*types.Interface)
	if !ok || i.NumEmbeddeds() != 1 {
		return false
	}
	t := i.EmbeddedType(0)
	if u, ok := t.(*types.Union); ok {
		if u.Len() != 1 {
			return false
		}
		t = u.Term(0).Type()
	}
	_, ok = t.Underlying().(*types.Slice)
	return ok
}

// isArrayPointer: a range over a value of the type reads elements of an array as it goes.
func isArrayPointer(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	_, ok = p.Elem().Underlying().(*types.Array)
	return ok
}

// rangeElements rewrites a range over a slice, or a pointer to an array, whose elements are
// read. It reports whether it has.
func (r *rewriter) rangeElements(s *ast.RangeStmt) bool {
	if s.Value == nil || isBlank(s.Value) || r.races.isPrivate(s.X) {
		return false
	}
	t := r.info.TypeOf(s.X)
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		if !ofSlices(p) {
			r.unrecorded(s.X.Pos(), "the elements that are read are not recorded")
			return false
		}
	} else if _, ok := t.Underlying().(*types.Slice); !ok && !isArrayPointer(t) {
		return false
	}
	open, end := "", ""
	if isArrayPointer(t) {
		open, end = "(", ")[:]"
	}
	rg, tok := r.name(), s.Tok
	b := r.build(s.For)
	if s.Tok == token.DEFINE && r.perLoop() {
		// One pair of variables for all iterations.
		tok = token.ASSIGN
		b.put("for %s, ", rg)
		if s.Key == nil {
			b.put("_")
		} else {
			b.node(s.Key)
		}
		b.put(", ")
		b.node(s.Value)
		b.put(" := %s(", r.helper("RangeSlice"))
	} else {
		b.put("for %s := %s.RangeSlice(", rg, r.zz)
	}
	b.put("%s", open)
	b.node(s.X)
	b.put("%s); %s.Next(%d); { ", end, rg, r.touch(s.X))
	if isBlank(s.Key) {
		b.node(s.Value)
		b.put(" %v %s.V;", tok, rg)
	} else {
		b.node(s.Key)
		b.put(", ")
		b.node(s.Value)
		b.put(" %v %s.K, %s.V;", tok, rg, rg)
	}
	b.put(" ")
	b.node(s.Body)
	b.put("}")
	b.done(s.End())
	return true
}

// builtinCall records what builtins do to memory.
func (r *rewriter) builtinCall(c *ast.CallExpr) {
	if asksLength(r.info, c) {
		r.before(c.Args[0].Pos(), fmt.Sprintf("%s.Measured(%d, ", r.zz, r.statement(c.Pos())))
		r.after(c.Args[0].End(), ")")
		return
	}
	if r.races == nil {
		return
	}
	b, ok := r.races.builtin(c.Fun)
	if !ok || r.later[c] && r.removal(c) != "" {
		return
	}
	if fromTuple(r.info, c) {
		r.unrecorded(c.Lparen, "what %s does with the results of one call is not recorded", b.Name())
		return
	}
	first := func(format string, args ...any) {
		r.before(c.Args[0].Pos(), fmt.Sprintf(format, args...))
	}
	wrap := func(function string) {
		first("%s.%s(%d, ", r.zz, function, r.touch(c.Args[0]))
		r.after(c.Args[0].End(), ")")
	}
	switch b.Name() {
	case "delete":
		if !callFree(c.Args[1:]) {
			if !pure(r.info, c.Args[0]) || !r.maps.keepsType(c.Args[1]) {
				r.unrecorded(c.Lparen, "the deletion is not recorded: its key is the result of a call")
				return
			}
			start, end := r.file.Offset(c.Args[0].Pos()), r.file.Offset(c.Args[0].End())
			r.before(c.Args[1].Pos(), fmt.Sprintf("%s.ThenWrMap(%d, %s, ", r.zz, r.touch(c.Args[0]), r.src[start:end]))
			r.after(c.Args[1].End(), ")")
			return
		}
		wrap("WrMap")
	case "clear":
		if function := r.removal(c); function != "" {
			wrap(function)
		} else {
			r.unrecorded(c.Lparen, "what is cleared here is not recorded")
		}
	case "append":
		if len(c.Args) < 2 || r.info.Types[c.Args[0]].IsNil() || r.races.isPrivate(c.Args[0]) {
			return
		}
		t := r.info.TypeOf(c.Args[0])
		if p, ok := types.Unalias(t).(*types.TypeParam); ok && !ofSlices(p) {
			r.unrecorded(c.Lparen, "what is appended here is not recorded")
			return
		}
		r.appends(c)
	case "copy":
		to, okTo := r.info.TypeOf(c.Args[0]).Underlying().(*types.Slice)
		from, okFrom := r.info.TypeOf(c.Args[1]).Underlying().(*types.Slice)
		text, okText := r.info.TypeOf(c.Args[1]).Underlying().(*types.Basic)
		function := ".Copy"
		switch {
		case okTo && okText && text.Info()&types.IsString != 0 && types.Identical(to.Elem(), types.Typ[types.Byte]):
			function = ".CopyString"
		case !okTo || !okFrom || !types.Identical(to.Elem(), from.Elem()):
			r.unrecorded(c.Lparen, "what is copied here is not recorded")
			return
		}
		r.replaceFunction(c, function)
		first("%d, ", r.touch(c.Args[0]))
	}
}

// fromTuple reports whether the arguments of a call are the results of another one.
func fromTuple(info *types.Info, c *ast.CallExpr) bool {
	if len(c.Args) != 1 {
		return false
	}
	_, ok := info.TypeOf(c.Args[0]).(*types.Tuple)
	return ok
}

// removal is the function of the runtime that records what the builtins delete and clear write
// to their first argument, "" for other calls and where it is not known what that is.
func (r *rewriter) removal(c *ast.CallExpr) string {
	b, ok := r.races.builtin(c.Fun)
	if !ok || b.Name() != "delete" && b.Name() != "clear" || fromTuple(r.info, c) {
		return ""
	}
	switch r.info.TypeOf(c.Args[0]).Underlying().(type) {
	case *types.Map:
		return "WrMap"
	case *types.Slice:
		return "WrSlice"
	}
	if b.Name() == "delete" {
		return "WrMap" // of a type parameter
	}
	return ""
}

// deferRemoval records what a deferred delete or clear writes when it runs: in front of it,
// which is to say in a call that is deferred behind it.
func (r *rewriter) deferRemoval(s *ast.DeferStmt) {
	if r.races == nil {
		return
	}
	function := r.removal(s.Call)
	if function == "" {
		return
	}
	of := s.Call.Args[0]
	if !pure(r.info, of) {
		r.unrecorded(s.Defer, "what a deferred call removes is not recorded")
		return
	}
	r.deferInFront(s, fmt.Sprintf("%s.%s(%d, ", r.zz, function, r.touch(of)), of)
}

// deferInFront has a deferred call preceded by one of the runtime, which begins with that text and gets x last.
func (r *rewriter) deferInFront(s *ast.DeferStmt, call string, x ast.Expr) {
	b := r.build(s.End())
	b.put("; defer %s", call)
	b.again(x)
	b.put(")")
	b.move(s.End())
	r.after(s.End(), b.buf.String())
}

// appends records what an append does to the array behind its first argument, when the others
// have been evaluated.
func (r *rewriter) appends(c *ast.CallExpr) {
	from, to := r.file.Offset(c.Args[0].End()), r.file.Offset(c.Args[1].Pos())
	comma := strings.IndexByte(string(r.src[from:to]), ',')
	if strings.Contains(string(r.src[from:to]), "/") {
		comma = -1 // it may stand in a comment
	}
	text := false
	if c.Ellipsis.IsValid() {
		t := r.info.TypeOf(c.Args[1])
		b, ok := t.Underlying().(*types.Basic)
		text = ok && b.Info()&types.IsString != 0
		if p, ok := types.Unalias(t).(*types.TypeParam); ok && !ofSlices(p) {
			comma = -1 // a string, or a slice
		}
	}
	if comma < 0 {
		r.unrecorded(c.Lparen, "what is appended here is not recorded")
		return
	}
	function := ".Append"
	if to := c.Args[0]; !text && r.info.Types[to].Addressable() && pure(r.info, to) && !callFree(c.Args[1:]) {
		function = ".AppendTo" // what is called there may set the variable
		r.before(to.Pos(), "&")
	}
	r.before(c.Args[0].Pos(), fmt.Sprintf("%d, ", r.touch(c.Args[0])))
	if text {
		at := r.file.Offset(c.Ellipsis)
		r.replace(at, at+len("..."), "")
		r.replaceFunction(c, ".AppendString")
		return
	}
	r.replace(from+comma, from+comma+1, ")(")
	r.replaceFunction(c, function)
}

// replaceFunction has a call call a function of the runtime.
func (r *rewriter) replaceFunction(c *ast.CallExpr, function string) {
	fun := ast.Unparen(c.Fun)
	r.replace(r.file.Offset(fun.Pos()), r.file.Offset(fun.End()), r.zz+function)
}

// mark adds the beginning of a call that may be one of uninstrumented code: Lib and the
// like, or Ready and the like, after which an operand follows.
func (r *rewriter) mark(function string, c *ast.CallExpr) *builder {
	fun, k := ast.Unparen(c.Fun), r.calls[c]
	sel, _ := fun.(*ast.SelectorExpr)
	b := r.build(c.Pos())
	at := r.statement(c.Pos())
	if target, _ := r.decider(c); function == "Ready" && target != nil && r.calleeLast(c) == target {
		function += "Starts"
	}
	switch {
	case k == funcValue && pure(r.info, fun):
		b.put("%s.%sFunc(%d, ", r.zz, function, at)
		b.again(fun)
	case k == ifaceCall && sel != nil && pure(r.info, sel.X):
		b.put("%s.%sIface(%d, ", r.zz, function, at)
		b.again(sel.X)
	default:
		if target, _ := r.decider(c); target != nil {
			function += "Begun"
		}
		if k == forwarding {
			b.put("%s.%sOf(%d, %d", r.zz, function, at, r.touch(c))
		} else {
			b.put("%s.%s(%d", r.zz, function, at)
		}
	}
	return b
}

// decider is the expression whose value decides whether a call is one of uninstrumented
// code, if that may be evaluated only once, or nothing can stand before the call, which has
// several results: a function, or if on is true what is in an interface. It is nil if the
// call is one in any case, what decides is evaluated twice, or it cannot be passed on.
func (r *rewriter) decider(c *ast.CallExpr) (target ast.Expr, on bool) {
	n := r.results(c)
	if n > maxResults || r.inferred(c.Fun) {
		return nil, false
	}
	fun := ast.Unparen(c.Fun)
	sel, _ := fun.(*ast.SelectorExpr)
	switch k := r.calls[c]; {
	case k == ifaceCall && sel != nil && (n > 0 || !pure(r.info, sel.X)):
		return sel.X, true
	case n > 0, k == funcValue && !pure(r.info, fun):
		return c.Fun, false
	}
	return nil, false
}

// decided orders a call of which a value decides whether it is one of uninstrumented code.
func (r *rewriter) decided(c *ast.CallExpr, target ast.Expr, on bool) {
	function := fmt.Sprintf("Begun(%d, ", r.statement(c.Pos()))
	switch {
	case r.begins[c] && r.calleeLast(c) == target:
		function = "" // the operand behind which the call begins has noted it
	case r.begins[c] && on:
		function = "StartsOn("
	case r.begins[c]:
		function = "Starts("
	case on:
		function = fmt.Sprintf("On(%d, ", r.statement(c.Pos()))
	}
	b := r.build(target.End())
	if r.calls[c] == forwarding && !r.begins[c] {
		function = fmt.Sprintf("BegunOf(%d, %d, ", r.statement(c.Pos()), r.touch(c))
		r.putOperands(b, c)
	}
	b.put(")")
	b.move(target.End())
	if function != "" {
		r.readLater(target, func() {
			r.before(target.Pos(), r.zz+"."+function)
			r.after(target.End(), b.buf.String())
		})
	}
	if r.info.Types[c].IsVoid() {
		open, end := r.block(c)
		r.before(c.Pos(), open)
		r.after(c.End(), fmt.Sprintf("; %s.Ended() %s", r.zz, end))
		return
	}
	r.before(c.Pos(), fmt.Sprintf("%s.Ended%d(", r.zz, max(r.results(c), 1)))
	r.after(c.End(), ")")
}

// block is around the statements that a call without results becomes.
func (r *rewriter) block(c *ast.CallExpr) (open, end string) {
	if r.listed[c] {
		return "{ ", "}"
	}
	return "func() { ", "}()"
}

// results is how many results a call has that has several, 0 for others.
func (r *rewriter) results(c *ast.CallExpr) int {
	tuple, _ := r.info.TypeOf(c).(*types.Tuple)
	return tuple.Len()
}

// library orders a call of uninstrumented code. A call that is a statement of a
// list is a block then.
func (r *rewriter) library(c *ast.CallExpr) {
	if r.calls[c] == 0 || r.later[c] {
		return
	}
	n := r.results(c)
	if 0 < n && n <= maxResults && r.inferred(c.Fun) && !r.begins[c] && r.lastOperation(c) == nil {
		if a := r.firstOperand(c); a != nil { // the function value cannot be passed on
			r.begin(c, a)
		}
	}
	if target, on := r.decider(c); target != nil {
		r.decided(c, target, on)
		return
	}
	begin := r.zz + ".Depth()"
	if !r.begins[c] {
		b := r.mark("Lib", c)
		r.putOperands(b, c)
		b.put(")")
		b.move(c.Pos())
		begin = b.buf.String()
	}
	switch {
	case r.info.Types[c].IsVoid():
		m := r.name()
		open, end := r.block(c)
		r.before(c.Pos(), fmt.Sprintf("%s%s := %s; ", open, m, begin))
		r.after(c.End(), fmt.Sprintf("; %s.Back(%s) %s", r.zz, m, end))
	case n == 0:
		r.before(c.Pos(), fmt.Sprintf("%s.Back1(%s, ", r.zz, begin))
		r.after(c.End(), ")")
	case n > maxResults:
		r.before(c.Fun.Pos(), fmt.Sprintf("%s.Passed(%d, ", r.zz, r.statement(c.Pos())))
		r.after(c.Fun.End(), ")")
	default:
		r.before(c.Pos(), fmt.Sprintf("%s.Back%d(", r.zz, n))
		r.after(c.End(), ")")
	}
}

// maxResults is how many results a call may have that Ended2 and the like stand around.
const maxResults = 4

// beginsBehind decides, before the operands of a call of uninstrumented code are rewritten,
// behind which of them it begins: those in which something is done come first.
func (r *rewriter) beginsBehind(c *ast.CallExpr) {
	if r.calls[c] == 0 || r.later[c] {
		return
	}
	last := r.lastOperation(c)
	if last == nil {
		return
	}
	if target, _ := r.decider(c); r.results(c) > maxResults || target != nil && last.Pos() < c.Lparen {
		return // Passed, Begun, or On, follows behind it
	}
	t := r.info.TypeOf(last)
	if _, several := t.(*types.Tuple); several {
		return // which cannot be passed on with more
	}
	if _, ok := last.(*ast.BinaryExpr); ok && types.TypeString(t, nil) != "bool" {
		return
	}
	r.awaited[last] = c
}

// done begins the call of uninstrumented code for which an expression is the last operand
// in which something is done. It is called as soon as the expression is rewritten, before
// what is around it.
func (r *rewriter) done(e ast.Expr) {
	if c := r.awaited[e]; c != nil {
		delete(r.awaited, e)
		r.begin(c, e)
	}
}

// begin begins a call behind one of its operands.
func (r *rewriter) begin(c *ast.CallExpr, operand ast.Expr) {
	b := r.mark("Ready", c)
	b.put(", ")
	b.move(operand.Pos())
	r.before(operand.Pos(), b.buf.String())
	end := r.build(operand.End())
	r.putOperands(end, c)
	end.put(")")
	end.move(operand.End())
	r.after(operand.End(), end.buf.String())
	r.begins[c] = true
	r.restore(r.calleeLast(c)) // mark has what is recorded of it
}

// lastOperation is the last expression, of those that the operands of a call are evaluated
// from, that may stand at a guard or runs code of its own; nil if there is none.
func (r *rewriter) lastOperation(c *ast.CallExpr) ast.Expr {
	for i := len(c.Args) - 1; i >= 0; i-- {
		if last := r.operationIn(c.Args[i]); last != nil {
			return last
		}
	}
	if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
		return r.operationIn(sel.X)
	}
	return r.operationIn(ast.Unparen(c.Fun))
}

// operationIn is the last operation of an expression, nil if it only computes.
func (r *rewriter) operationIn(e ast.Expr) (last ast.Expr) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			tv := r.info.Types[n.Fun]
			if (tv.IsType() || tv.IsBuiltin()) && !asksLength(r.info, n) {
				return true
			}
			last = n
			return false
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				last = n
				return false
			}
		case *ast.IndexExpr:
			if r.maps.isMap(n.X) {
				last = n
				return false
			}
		case *ast.BinaryExpr:
			// The right side may not be evaluated.
			if (n.Op == token.LAND || n.Op == token.LOR) && r.operationIn(n.Y) != nil {
				last = n
				return false
			}
		}
		return true
	})
	return last
}

// firstOperand is an argument of a call whose type does not follow from its place, nil if
// there is none.
func (r *rewriter) firstOperand(c *ast.CallExpr) ast.Expr {
	for _, a := range c.Args {
		tv := r.info.Types[a]
		b, basic := tv.Type.(*types.Basic)
		if _, several := tv.Type.(*types.Tuple); !several && tv.Value == nil && !(basic && b.Info()&types.IsUntyped != 0) && !tv.IsNil() {
			if _, lit := ast.Unparen(a).(*ast.FuncLit); !lit {
				return a
			}
		}
	}
	return nil
}

// inferred reports whether a function has type arguments, inferred or not.
func (r *rewriter) inferred(fun ast.Expr) bool {
	switch x := ast.Unparen(fun).(type) {
	case *ast.Ident:
		_, ok := r.info.Instances[x]
		return ok
	case *ast.SelectorExpr:
		_, ok := r.info.Instances[x.Sel]
		return ok
	case *ast.IndexExpr: // or an element that is a function
		return r.info.Types[x.Index].IsType()
	case *ast.IndexListExpr:
		return true
	}
	return false
}

// deferLibrary orders a deferred call of uninstrumented code.
func (r *rewriter) deferLibrary(s *ast.DeferStmt) {
	c := s.Call
	if r.races != nil && len(r.races.plainCalls[c]) > 0 {
		r.deferUse(s)
	}
	if r.calls[c] == 0 {
		return
	}
	k := r.calls[c]
	fun := ast.Unparen(c.Fun)
	sel, selects := fun.(*ast.SelectorExpr)
	switch {
	case k == funcValue && !pure(r.info, fun):
		r.deferOnce(s, c.Fun, "Func")
		return
	case k == ifaceCall && selects && !pure(r.info, sel.X):
		r.deferOnce(s, sel.X, "Iface")
		return
	}
	pre, post, at := r.build(s.Defer), r.build(s.End()), r.statement(c.Pos())
	if k == ifaceCall && selects {
		pre.put("defer %s.EndIface(", r.zz)
		pre.node(sel.X)
		pre.put("); ")
		post.put("; defer %s.LibIface(%d, ", r.zz, at)
		post.node(sel.X)
		post.put(")")
	} else if k == funcValue {
		pre.put("defer %s.EndFunc(", r.zz)
		pre.node(fun)
		pre.put("); ")
		post.put("; defer %s.LibFunc(%d, ", r.zz, at)
		post.node(fun)
		post.put(")")
	} else if k == forwarding {
		place := r.touch(c)
		pre.put("defer %s.EndOf(%d", r.zz, place)
		r.putOperands(pre, c)
		pre.put("); ")
		post.put("; defer %s.LibOf(%d, %d", r.zz, at, place)
		r.putOperands(post, c)
		post.put(")")
	} else {
		pre.put("defer %s.End(); ", r.zz)
		post.put("; defer %s.Lib(%d)", r.zz, at)
	}
	pre.move(s.Defer)
	post.move(s.End())
	if k == ifaceCall && selects || k == funcValue {
		r.restore(r.calleeLast(c))
	}
	r.before(s.Defer, pre.buf.String())
	r.after(s.End(), post.buf.String())
}

// deferOnce orders a deferred call of a function value, or of a method of an interface, that an
// expression has which is evaluated once, as a call is: whether that is uninstrumented code is
// seen where it runs.
func (r *rewriter) deferOnce(s *ast.DeferStmt, e ast.Expr, kind string) {
	name, end := r.name(), r.zz+".End"+kind
	b := r.build(s.Defer)
	b.put("{ %s := ", name)
	b.node(e)
	b.put("; defer %s(%s); defer ", end, name)
	b.source(s.Call.Pos(), e.Pos()) // parentheses
	b.put("%s", name)
	b.source(e.End(), s.End())
	b.put("; defer %s.Lib%s(%d, %s) }", r.zz, kind, r.statement(s.Call.Pos()), name)
	b.done(s.End())
}

// deferUse records what a deferred call of a plain package uses, when it is made.
func (r *rewriter) deferUse(s *ast.DeferStmt) {
	b := r.build(s.End())
	for _, e := range r.races.plainCalls[s.Call] {
		if !pure(r.info, e) {
			r.unrecorded(e.Pos(), "what a deferred call of a library uses is not recorded")
			return
		}
		function, field := r.use(e)
		b.put("; defer %s.%s", r.zz, fmt.Sprintf(function, r.touch(e)))
		b.node(e)
		b.put("%s, %v)", field, constantBool(r.races.usedLater[s.Call]))
	}
	b.move(s.End())
	r.after(s.End(), b.buf.String())
}

// goLibrary is what the goroutine that a go statement starts does first;
// function is the variable that holds what it calls, if there is one, and foreign the one
// that says whether it is uninstrumented code, if that is known before.
func (r *rewriter) goLibrary(c *ast.CallExpr, function, foreign string) string {
	if r.calls[c] == 0 {
		return ""
	}
	if foreign != "" {
		return fmt.Sprintf("defer %s.Back(%s.LibIf(%s)); ", r.zz, r.zz, foreign)
	}
	if r.calls[c] == funcValue && function != "" {
		return fmt.Sprintf("defer %s.Back(%s.LibFunc(0, %s)); ", r.zz, r.zz, function)
	}
	return fmt.Sprintf("defer %s.Back(%s.Lib(0)); ", r.zz, r.zz)
}

// atomicFunctions are the functions of package sync/atomic, by how their names
// begin, with the runtime's.
var atomicFunctions = []struct{ prefix, function string }{
	{"Load", "Loading"}, {"Store", "Storing"}, {"CompareAndSwap", "Swapping"},
	{"Swap", "Updating"}, {"Add", "Updating"}, {"And", "Updating"}, {"Or", "Updating"},
}

// operated is what a function of package sync/atomic is called for.
func (r *rewriter) operated(sel *ast.SelectorExpr) ast.Expr {
	c := r.calledBy[sel]
	if c == nil {
		return sel
	}
	if u, ok := ast.Unparen(c.Args[0]).(*ast.UnaryExpr); ok && u.Op == token.AND {
		return u.X
	}
	return c.Args[0]
}

// atomic guards and records what a function or method of package sync/atomic does.
func (r *rewriter) atomic(sel *ast.SelectorExpr) {
	f, ok := r.info.Uses[sel.Sel].(*types.Func)
	if !ok || sites.KindOf(f) != sites.Atomic {
		return
	}
	guard := r.atomicSite(sel)
	if r.races == nil && guard == 0 {
		return
	}
	m := r.info.Selections[sel]
	if m == nil {
		for _, a := range atomicFunctions {
			if strings.HasPrefix(f.Name(), a.prefix) {
				function := a.function
				if r.accumulates(sel) {
					function = "Accumulating"
				}
				r.before(sel.Pos(), fmt.Sprintf("%s.%s(%d, %d, ", r.zz, function, guard, r.touch(r.operated(sel))))
				r.after(sel.End(), ")")
				r.placeAtomic(guard)
				return
			}
		}
		return
	}
	if m.Kind() != types.MethodVal {
		if r.races != nil {
			r.unrecorded(sel.Pos(), "method expression of package sync/atomic: races are not looked for where it is called")
		}
		return
	}
	recv := types.Unalias(f.Signature().Recv().Type())
	if p, ok := recv.(*types.Pointer); ok {
		recv = types.Unalias(p.Elem())
	}
	named, ok := recv.(*types.Named)
	o, fits := r.receiver(sel.X, m)
	if !ok || !fits {
		if r.races != nil {
			r.unrecorded(sel.Pos(), "atomic operation through an embedded field that is not accessible here: not recorded")
		}
		return
	}
	at := r.touch(sel.X)
	r.placeAtomic(guard)
	b := r.build(sel.Pos())
	b.put("%s.%s(%d, %d, ", r.zz, named.Obj().Name(), guard, at)
	o.put(b)
	if b.put(")."); r.accumulates(sel) {
		b.put("Accumulate")
	} else {
		b.node(sel.Sel)
	}
	b.done(sel.End())
}

// accumulates reports whether a function or method of package sync/atomic adds, and nobody sees the result.
func (r *rewriter) accumulates(sel *ast.SelectorExpr) bool {
	c := r.calledBy[sel]
	return strings.HasPrefix(sel.Sel.Name, "Add") && (r.listed[c] || r.later[c])
}

// atomicSite is the guard of an operation of package sync/atomic, 0 if it has none.
// Whether goroutines share the variable is not asked: what the model knows of that
// is tested by runs that do not rely on it.
func (r *rewriter) atomicSite(sel *ast.SelectorExpr) sites.ID {
	pos := sel.Sel.Pos()
	if c := r.calledBy[sel]; c != nil {
		pos = c.Lparen
	}
	s, _ := r.idx.At(sites.Atomic, pos)
	return s.ID
}

func (r *rewriter) placeAtomic(id sites.ID) {
	if id != 0 {
		r.place(id)
	}
}
