package sites

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// numberer numbers one file: collect finds its points, which the files of a program may do at the same time, and
// assign gives them their numbers, one file after the other.
type numberer struct {
	*Index
	fset    *token.FileSet
	rel     func(string) string
	pkg     Package
	file    *ast.File
	rels    map[string]string // what rel gives for the names of its lines
	entries []*types.Func

	ordinals *ordinals          // of the package
	starting map[token.Pos]bool // see startingRuns

	top    *function // of the initialisers of variables
	inits  int       // init functions so far, in the package
	points []point
	scopes []span // of function literals
	writes []store
	// Of the function at hand.
	fn    *function
	quiet bool // its statements have no guards
}

// ordinals are the last ones in the keys of operations and statements, by function.
type ordinals struct{ ops, stmts map[string]int }

// function is a function body on the way down the tree.
type function struct {
	name     string    // of a literal: once its number is known
	outer    *function // of a literal
	number   int       // of a literal, in the function around it
	literals int       // in it so far
	before   int       // literals that other files have in the same function, in front of it
}

// path names the function. That of a literal is known when those of the files before it are counted.
func (f *function) path() string {
	if f.name == "" {
		f.name = f.outer.path() + "$" + strconv.Itoa(f.outer.before+f.number)
	}
	return f.name
}

// point is a site before it has its number.
type point struct {
	kind Kind
	pos  token.Pos
	fn   *function
	at   []place // what finds it
	// cases are the positions of a select's cases; def is that of its default.
	cases []token.Pos
	def   token.Pos
	// operations are the cases as text.
	operations []string
	// extents are what a statement covers.
	extents [][2]token.Pos
}

// numberers are those of the files of a package, in the order of the files' names.
func numberers(x *Index, fset *token.FileSet, rel func(string) string, p Package, entries []*types.Func, starting map[token.Pos]bool) (list []*numberer) {
	ord := &ordinals{ops: map[string]int{}, stmts: map[string]int{}}
	for _, f := range p.Files {
		list = append(list, &numberer{Index: x, fset: fset, rel: rel, pkg: p, file: f, rels: map[string]string{}, entries: entries, ordinals: ord, starting: starting, top: &function{name: p.Path + ".init"}})
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].filename(list[i].file) < list[j].filename(list[j].file) })
	inits := 0
	for _, n := range list {
		n.inits = inits
		for _, d := range n.file.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && isInit(fd) {
				inits++
			}
		}
	}
	return list
}

func isInit(fd *ast.FuncDecl) bool {
	return fd.Name.Name == "init" && (fd.Recv == nil || len(fd.Recv.List) == 0)
}

// collect finds the points of the file.
func (n *numberer) collect() {
	for _, d := range n.file.Decls {
		n.decl(d)
	}
}

func (n *numberer) filename(f *ast.File) string {
	return n.fset.PositionFor(f.FileStart, false).Filename
}

func (n *numberer) decl(d ast.Decl) {
	fd, ok := d.(*ast.FuncDecl)
	if !ok {
		n.fn, n.quiet = n.top, false
		n.clocks(d)
		n.expr(d)
		return
	}
	path := n.funcPath(fd)
	if fd.Body == nil {
		return
	}
	n.fn, n.quiet = &function{name: path}, hasPragma(fd.Doc)
	n.list(fd.Body.List)
	if f, ok := n.pkg.Info.Defs[fd.Name].(*types.Func); ok && slices.Contains(n.entries, f) {
		if len(n.starting) > 0 {
			n.points = append(n.points, point{kind: Join, pos: fd.Body.Rbrace, fn: n.fn, at: []place{{Join, fd.Body.Rbrace}}})
		}
		n.points = append(n.points, point{kind: End, pos: fd.Body.Rbrace, fn: n.fn, at: []place{{End, fd.Body.Rbrace}}})
	}
}

// clocks adds the declarations of variables whose values have functions that read the clock:
// whoever calls one does so at its site.
func (n *numberer) clocks(d ast.Decl) {
	g, ok := d.(*ast.GenDecl)
	if !ok || g.Tok != token.VAR {
		return
	}
	for _, spec := range g.Specs {
		if n.namesClock(spec) {
			n.stmt(spec.Pos(), extent(spec.Pos(), spec.End()))
		}
	}
}

// namesClock reports whether there is a function that reads the clock and is not called, other
// than in function literals.
func (n *numberer) namesClock(node ast.Node) (found bool) {
	ast.Inspect(node, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if _, obj := Classify(n.pkg.Info, m.Fun); ClockReader(obj) != "" {
				found = found || slices.ContainsFunc(m.Args, func(a ast.Expr) bool { return n.namesClock(a) })
				return false
			}
		case *ast.Ident:
			found = found || ClockReader(n.pkg.Info.Uses[m]) != ""
		}
		return true
	})
	return found
}

// funcPath names a declared function.
func (n *numberer) funcPath(fd *ast.FuncDecl) string {
	name := fd.Name.Name
	if fd.Recv == nil || len(fd.Recv.List) == 0 {
		if isInit(fd) {
			n.inits++
			name += "#" + strconv.Itoa(n.inits)
		}
		return n.pkg.Path + "." + name
	}
	t := ast.Unparen(fd.Recv.List[0].Type)
	star, pointer := t.(*ast.StarExpr)
	if pointer {
		t = ast.Unparen(star.X)
	}
	switch i := t.(type) {
	case *ast.IndexExpr:
		t = i.X
	case *ast.IndexListExpr:
		t = i.X
	}
	recv := "_"
	if id, ok := ast.Unparen(t).(*ast.Ident); ok {
		recv = id.Name
	}
	if pointer {
		recv = "(*" + recv + ")"
	}
	return n.pkg.Path + "." + recv + "." + name
}

// hasPragma reports whether the function is one that must not call others.
func hasPragma(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	for _, c := range doc.List {
		switch strings.TrimSpace(c.Text) {
		case "//go:nosplit", "//go:norace", "//go:systemstack":
			return true
		}
	}
	return false
}

// op adds an operation that is found at pos and at more.
func (n *numberer) op(kind Kind, pos token.Pos, more ...token.Pos) *point {
	p := point{kind: kind, pos: pos, fn: n.fn, at: []place{{kind, pos}}}
	for _, q := range more {
		p.at = append(p.at, place{kind, q})
	}
	n.points = append(n.points, p)
	return &n.points[len(n.points)-1]
}

// stmt adds a statement that covers the extents.
func (n *numberer) stmt(pos token.Pos, extents ...[2]token.Pos) {
	if n.quiet {
		return
	}
	n.points = append(n.points, point{kind: Stmt, pos: pos, fn: n.fn, at: []place{{Stmt, pos}}, extents: extents})
}

func extent(from, to token.Pos) [2]token.Pos { return [2]token.Pos{from, to} }

func (n *numberer) list(list []ast.Stmt) {
	for _, s := range list {
		n.visit(s)
	}
}

// visit adds the sites of a statement.
func (n *numberer) visit(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		n.list(s.List)
	case *ast.LabeledStmt:
		n.visit(s.Stmt)
	case *ast.IfStmt:
		n.stmt(s.If, extent(s.If, s.Cond.End()))
		n.simple(s.Init)
		n.expr(s.Cond)
		n.list(s.Body.List)
		if s.Else != nil {
			n.visit(s.Else)
		}
	case *ast.ForStmt:
		switch {
		case s.Init != nil:
			n.stmt(s.For, extent(s.For, s.Init.End()))
		case s.Cond == nil:
			n.stmt(s.For)
		}
		n.simple(s.Init)
		if s.Cond != nil {
			n.stmt(s.Cond.Pos(), extent(s.Cond.Pos(), s.Cond.End()))
			n.expr(s.Cond)
		}
		n.simple(s.Post)
		n.list(s.Body.List)
	case *ast.RangeStmt:
		n.stmt(s.For, extent(s.X.Pos(), s.X.End()))
		if rangesOverChan(n.pkg.Info, s) {
			p := n.op(Range, s.For)
			p.at = append(p.at, place{Recv, s.For})
		}
		n.expr(s.Key)
		n.expr(s.Value)
		n.expr(s.X)
		n.list(s.Body.List)
	case *ast.SwitchStmt:
		header := s.Switch + token.Pos(len("switch"))
		if s.Init != nil {
			header = s.Init.End()
		}
		if s.Tag != nil {
			header = s.Tag.End()
		}
		n.cases(s.Switch, header, s.Body)
		n.simple(s.Init)
		n.expr(s.Tag)
		n.bodies(s.Body)
	case *ast.TypeSwitchStmt:
		n.cases(s.Switch, s.Assign.End(), s.Body)
		n.simple(s.Init)
		n.simple(s.Assign)
		n.bodies(s.Body)
	case *ast.SelectStmt:
		n.selectStmt(s)
	case *ast.EmptyStmt, nil:
	case *ast.DeclStmt:
		if d, ok := s.Decl.(*ast.GenDecl); ok && d.Tok == token.VAR {
			n.stmt(s.Pos(), extent(s.Pos(), s.End()))
		}
		n.expr(s.Decl)
	default:
		n.stmt(s.Pos(), extent(s.Pos(), s.End()))
		n.store(s)
		n.simple(s)
	}
}

// cases adds the site of a switch.
func (n *numberer) cases(from, to token.Pos, body *ast.BlockStmt) {
	extents := [][2]token.Pos{extent(from, to)}
	for _, c := range body.List {
		for _, e := range c.(*ast.CaseClause).List {
			extents = append(extents, extent(e.Pos(), e.End()))
		}
	}
	n.stmt(from, extents...)
}

func (n *numberer) bodies(body *ast.BlockStmt) {
	for _, c := range body.List {
		c := c.(*ast.CaseClause)
		for _, e := range c.List {
			n.expr(e)
		}
		n.list(c.Body)
	}
}

func (n *numberer) selectStmt(s *ast.SelectStmt) {
	extents := [][2]token.Pos{extent(s.Select, s.Body.Lbrace)}
	for _, c := range s.Body.List {
		switch comm := c.(*ast.CommClause).Comm.(type) {
		case *ast.SendStmt:
			extents = append(extents, extent(comm.Pos(), comm.End()))
		default:
			if r := commReceive(comm); r != nil {
				extents = append(extents, extent(r.Pos(), r.End()))
			}
		}
	}
	n.stmt(s.Select, extents...)
	p := n.op(Select, s.Select)
	for _, c := range s.Body.List {
		switch comm := c.(*ast.CommClause).Comm.(type) {
		case nil:
			p.def = c.Pos()
		case *ast.SendStmt:
			p.cases = append(p.cases, comm.Arrow)
			p.operations = append(p.operations, n.inOneLine(comm))
			if len(s.Body.List) == 1 {
				p.at = append(p.at, place{Send, comm.Arrow})
			}
		default:
			r := commReceive(comm)
			if r == nil {
				continue // does not type-check
			}
			p.cases = append(p.cases, r.OpPos)
			p.operations = append(p.operations, n.inOneLine(comm))
			if len(s.Body.List) == 1 {
				p.at = append(p.at, place{Recv, r.OpPos})
			}
		}
	}
	for _, c := range s.Body.List {
		clause := c.(*ast.CommClause)
		switch comm := clause.Comm.(type) {
		case *ast.SendStmt:
			n.expr(comm.Chan)
			n.expr(comm.Value)
		case *ast.AssignStmt:
			for _, l := range comm.Lhs {
				n.expr(l)
			}
			if r := commReceive(comm); r != nil {
				n.expr(r.X)
			}
		case *ast.ExprStmt:
			if r := commReceive(comm); r != nil {
				n.expr(r.X)
			}
		}
		n.list(clause.Body)
	}
}

// simple adds the operations of a simple statement.
func (n *numberer) simple(s ast.Stmt) {
	switch s := s.(type) {
	case nil:
	case *ast.SendStmt:
		n.op(Send, s.Arrow)
		n.expr(s.Chan)
		n.expr(s.Value)
	case *ast.GoStmt:
		p := n.op(Go, s.Go)
		p.at = append(p.at, place{Start, s.Go})
		n.call(s.Call, s.Go)
	case *ast.DeferStmt:
		n.call(s.Call, s.Defer)
	default:
		n.expr(s)
	}
}

// call adds the operations of a call; keyword is that of the go or defer
// statement around it.
func (n *numberer) call(c *ast.CallExpr, keyword ...token.Pos) {
	kind, obj := Classify(n.pkg.Info, c.Fun)
	if kind == Invalid && len(keyword) == 0 {
		kind = n.subtest(c, obj)
	}
	if kind == Invalid {
		n.expr(c.Fun)
	} else {
		p := n.op(kind, c.Lparen, keyword...)
		if kind.Starts() != Nobody {
			p.at = append(p.at, place{Start, c.Lparen})
		}
		if kind == Subtest {
			p.at = append(p.at, place{Join, c.Lparen})
		}
		if _, ok := obj.(*types.Builtin); !ok {
			n.operand(c.Fun)
		}
	}
	for _, a := range c.Args {
		n.expr(a)
	}
}

// operand adds the operations in the receiver of a called or bound method.
func (n *numberer) operand(fun ast.Expr) {
	switch e := ast.Unparen(fun).(type) {
	case *ast.SelectorExpr:
		n.expr(e.X)
	case *ast.IndexExpr:
		n.operand(e.X)
	case *ast.IndexListExpr:
		n.operand(e.X)
	}
}

// expr adds the operations of everything below a node that is not a statement
// of a body.
func (n *numberer) expr(node ast.Node) {
	if node == nil {
		return
	}
	ast.Inspect(node, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.FuncLit:
			n.literal(m)
			return false
		case *ast.CallExpr:
			n.call(m)
			return false
		case *ast.UnaryExpr:
			if m.Op == token.ARROW {
				n.op(Recv, m.OpPos)
			}
		case *ast.SelectorExpr:
			if kind := n.value(m); kind != Invalid {
				n.op(kind, m.Sel.Pos())
			}
			n.expr(m.X)
			return false
		case *ast.Ident:
			if kind := n.value(m); kind != Invalid {
				n.op(kind, m.Pos())
			}
			return false
		}
		return true
	})
}

// value returns the kind of operation that a function used as a value
// performs.
func (n *numberer) value(e ast.Expr) Kind {
	if f := Function(n.pkg.Info, e); f != nil {
		return KindOf(f)
	}
	return Invalid
}

func (n *numberer) literal(lit *ast.FuncLit) {
	outer := n.fn
	outer.literals++
	n.fn = &function{outer: outer, number: outer.literals}
	n.scopes = append(n.scopes, span{start: lit.Body.Pos(), end: lit.Body.End()})
	n.list(lit.Body.List)
	n.fn = outer
}

// assign turns the points of the file into sites.
func (n *numberer) assign() {
	sort.SliceStable(n.points, func(i, j int) bool {
		a, b := &n.points[i], &n.points[j]
		if a.pos != b.pos {
			return a.pos < b.pos
		}
		return a.kind == Stmt && b.kind != Stmt
	})
	n.spans = append(n.spans, n.scopes...)
	text := n.lines(n.file)
	for i := range n.points {
		p := &n.points[i]
		fn := p.fn.path()
		var key string
		switch p.kind {
		case Stmt:
			n.ordinals.stmts[fn]++
			key = fn + "@" + strconv.Itoa(n.ordinals.stmts[fn])
		case End:
			key = fn + ".end"
		case Join:
			key = fn + ".join"
		default:
			n.ordinals.ops[fn]++
			key = fn + "#" + strconv.Itoa(n.ordinals.ops[fn])
		}
		site := n.site(p, text)
		id := n.add(site, p.kind, key)
		for _, at := range p.at {
			if at.kind == p.kind || at.kind != Start && at.kind != Join {
				n.at[at] = id
				continue
			}
			derived, of := ".start", n.starts
			if at.kind == Join {
				derived, of = ".join", n.joins
			}
			n.at[at] = n.add(site, at.kind, key+derived)
			of[id] = n.at[at]
		}
		for i, pos := range p.cases {
			n.Index.cases[pos] = selectCase{id, i}
		}
		if p.def.IsValid() {
			n.Index.cases[p.def] = selectCase{id, -1}
		}
		for _, e := range p.extents {
			n.spans = append(n.spans, span{start: e[0], end: e[1], site: id})
		}
		if p.kind == End {
			n.end = id
		}
	}
	n.points, n.scopes = nil, nil
}

// site is the site of a point, but for its number, kind and key.
func (n *numberer) site(p *point, text func(line int) string) Site {
	pos := n.fset.PositionFor(p.pos, false)
	line := text(pos.Line)
	file := n.relative(pos.Filename)
	if !filepath.IsLocal(filepath.FromSlash(file)) {
		// Written by cgo outside of the module: say what it was made from.
		pos = n.fset.Position(p.pos)
		file = n.relative(pos.Filename)
	}
	return Site{Func: p.fn.path(), Pos: p.pos, File: file, Line: pos.Line, Col: pos.Column, Text: line, Cases: p.operations}
}

func (n *numberer) relative(file string) string {
	rel, ok := n.rels[file]
	if !ok {
		rel = n.rel(file)
		n.rels[file] = rel
	}
	return rel
}

// add gives a site its number.
func (n *numberer) add(s Site, kind Kind, key string) ID {
	s.ID, s.Kind, s.Key = ID(len(n.sites)), kind, key
	n.sites = append(n.sites, s)
	return s.ID
}

// maxCase bounds the text of a case, in bytes: what is sent may be a function of any length.
const maxCase = 120

// inOneLine is a statement as gofmt writes it, without its line breaks; of a long one the beginning.
func (n *numberer) inOneLine(s ast.Stmt) string {
	var out strings.Builder
	if err := format.Node(&out, n.fset, s); err != nil {
		return ""
	}
	text := strings.Join(strings.Fields(out.String()), " ")
	if len(text) > maxCase {
		text = strings.ToValidUTF8(text[:maxCase], "") + "…"
	}
	return text
}

// lines returns a function that gives the trimmed lines of a file, without the comments that end
// them: quoted in a report these read as if they were its own words.
func (n *numberer) lines(f *ast.File) func(int) string {
	if len(n.points) == 0 {
		return nil
	}
	read := n.pkg.ReadFile
	if read == nil {
		read = os.ReadFile
	}
	data, err := read(n.filename(f))
	if err != nil {
		return func(int) string { return "" }
	}
	lines := bytes.Split(data, []byte("\n"))
	for _, group := range f.Comments {
		for _, c := range group.List {
			at := n.fset.PositionFor(c.Pos(), false)
			if line := at.Line - 1; line < len(lines) && at.Column <= len(lines[line]) {
				before, rest := lines[line][:at.Column-1], lines[line][at.Column-1:]
				if len(rest) <= len(c.Text) || len(bytes.TrimSpace(rest[len(c.Text):])) == 0 {
					lines[line] = before
				}
			}
		}
	}
	return func(i int) string {
		if i < 1 || i > len(lines) {
			return ""
		}
		return string(bytes.TrimSpace(lines[i-1]))
	}
}
