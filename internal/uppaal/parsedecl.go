package uppaal

// ParseDecls parses declarations: variables, constants, channels, types,
// functions, channel priorities, and instantiations.
//
// A dimension that is a single name, as in x[N], is parsed as a size; Check
// finds out whether N is a constant or a type.
func ParseDecls(text string) ([]Decl, error) { return parseDecls("", text) }

func parseDecls(where, text string) (ds []Decl, err error) {
	err = parseText(where, text, false, func(p *parser) {
		for p.tok().kind != tokEOF {
			ds = p.decl(ds)
		}
	})
	if err != nil {
		return nil, err
	}
	return ds, nil
}

// ParseParams parses the parameters of a template, without parentheses.
func ParseParams(text string) ([]*Param, error) { return parseParams("", text) }

func parseParams(where, text string) (ps []*Param, err error) {
	err = parseText(where, text, false, func(p *parser) {
		if p.tok().kind != tokEOF {
			ps = p.params()
		}
	})
	if err != nil {
		return nil, err
	}
	return ps, nil
}

// ParseSystem parses the text of the system section: declarations and
// instantiations, the system line, and progress measures. A gantt chart is
// skipped.
func ParseSystem(text string) (instances []Decl, line SystemLine, progress []*Measure, err error) {
	return parseSystem("", text)
}

func parseSystem(where, text string) (ds []Decl, line SystemLine, progress []*Measure, err error) {
	err = parseText(where, text, false, func(p *parser) {
		for !p.is("system") {
			if p.tok().kind == tokEOF {
				p.failf("the system line is missing")
			}
			ds = p.decl(ds)
		}
		line, progress = p.systemSection()
	})
	if err != nil {
		return nil, SystemLine{}, nil, err
	}
	return ds, line, progress, nil
}

// systemSection parses from the system line to the end.
func (p *parser) systemSection() (line SystemLine, progress []*Measure) {
	line = p.systemLine()
	for p.tok().kind != tokEOF {
		switch {
		case p.is("progress"):
			progress = append(progress, p.progress()...)
		case p.accept("gantt"):
			p.skipBraces()
		default:
			p.failf("unexpected %s after the system line", p.tok().describe())
		}
	}
	return line, progress
}

func (p *parser) systemLine() SystemLine {
	line := SystemLine{Pos: p.expect("system")}
	for {
		name, pos := p.name("a process")
		line.Names = append(line.Names, &Ident{pos, name})
		switch {
		case p.accept(","):
			line.Below = append(line.Below, false)
		case p.accept("<"):
			line.Below = append(line.Below, true)
		default:
			p.expect(";")
			return line
		}
	}
}

func (p *parser) progress() []*Measure {
	var ms []*Measure
	p.expect("progress")
	p.expect("{")
	for !p.accept("}") {
		m := &Measure{X: p.expr()}
		if p.accept(":") {
			m.Guard, m.X = m.X, p.expr()
		}
		ms = append(ms, m)
		p.expect(";")
	}
	return ms
}

// skipBraces skips a balanced { ... }.
func (p *parser) skipBraces() {
	p.expect("{")
	for depth := 1; depth > 0; p.i++ {
		switch t := p.tok(); {
		case t.kind == tokEOF:
			p.failf(`unexpected %s, expected "}"`, t.describe())
		case t.is("{"):
			depth++
		case t.is("}"):
			depth--
		}
	}
}

// decl parses one declaration and appends what it declares.
func (p *parser) decl(ds []Decl) []Decl {
	t := p.tok()
	if t.kind == tokKeyword {
		switch t.text {
		case "typedef":
			return p.typedef(ds)
		case "before_update", "after_update":
			return append(ds, p.aroundUpdate())
		case "import", "dynamic", "process", "IO":
			p.failf("%s is not supported", t.text)
		}
	}
	if t.is("chan") && p.peek(1).is("priority") {
		return append(ds, p.chanPriority())
	}
	if t.kind == tokName && (p.peek(1).is("(") || p.peek(1).is("=")) {
		return append(ds, p.instance())
	}
	typ := p.typeExpr()
	if typ.Const && typ.Kind == NamedType && p.tok().kind == tokInt {
		p.failf("this is the syntax of UPPAAL 3: write const int %s = %s;", typ.Name, p.tok().text)
	}
	name, pos := p.name("a declaration")
	if p.is("(") {
		return append(ds, p.function(typ, name, pos))
	}
	return p.vars(ds, typ, name, pos)
}

// aroundUpdate parses "before_update { e, ... }" or "after_update { e, ... }".
func (p *parser) aroundUpdate() *AroundUpdate {
	d := &AroundUpdate{Pos: p.pos(), After: p.is("after_update")}
	p.i++
	p.expect("{")
	for {
		d.X = append(d.X, p.expr())
		if !p.accept(",") {
			p.expect("}")
			return d
		}
	}
}

// vars parses the rest of a variable declaration after its first name.
func (p *parser) vars(ds []Decl, typ *TypeExpr, name string, pos Pos) []Decl {
	for first := true; ; first = false {
		if !first {
			name, pos = p.name("a variable")
			typ = p.another(typ)
		}
		d := &VarDecl{Pos: pos, Name: name, Type: typ, Dims: p.dims()}
		if p.accept("=") {
			d.Init = p.initialiser()
		}
		ds = append(ds, d)
		if !p.accept(",") {
			p.expect(";")
			return ds
		}
	}
}

// another gives the type of the second and further names of a declaration.
func (p *parser) another(typ *TypeExpr) *TypeExpr {
	if typ.Kind == ScalarType {
		p.failf("a scalar type for several names needs a typedef")
	}
	return cloneType(typ)
}

func (p *parser) typedef(ds []Decl) []Decl {
	p.expect("typedef")
	typ := p.typeExpr()
	for {
		name, pos := p.name("a type")
		ds = append(ds, &TypedefDecl{pos, name, typ, p.dims()})
		if !p.accept(",") {
			p.expect(";")
			return ds
		}
		typ = p.another(typ)
	}
}

func (p *parser) initialiser() Expr {
	if !p.is("{") {
		return p.expr()
	}
	p.enter()
	defer p.leave()
	l := &InitList{Pos: p.expect("{")}
	if p.is("}") {
		p.failf("an initialiser cannot be empty")
	}
	for {
		name := ""
		if p.tok().kind == tokName && p.peek(1).is(":") {
			name = p.advance().text
			p.i++
		}
		if name != "" && l.Names == nil {
			l.Names = make([]string, len(l.Elems))
		}
		if l.Names != nil {
			l.Names = append(l.Names, name)
		}
		l.Elems = append(l.Elems, p.initialiser())
		if !p.accept(",") {
			p.expect("}")
			return l
		}
	}
}

func (p *parser) dims() []*Dim {
	var ds []*Dim
	for p.is("[") {
		d := &Dim{Pos: p.expect("[")}
		if p.startsType() {
			d.Type = p.typeExpr()
		} else {
			d.Size = p.expr()
		}
		p.expect("]")
		ds = append(ds, d)
	}
	return ds
}

// startsType reports whether the current token can only begin a type.
func (p *parser) startsType() bool {
	t := p.tok()
	if t.kind != tokKeyword {
		return false
	}
	switch t.text {
	case "const", "meta", "urgent", "broadcast", "hybrid", "void", "bool", "int",
		"chan", "clock", "double", "string", "scalar", "struct":
		return true
	}
	return false
}

func (p *parser) typeExpr() *TypeExpr {
	p.enter()
	defer p.leave()
	t := &TypeExpr{Pos: p.pos()}
	for prefix := true; prefix; {
		switch {
		case p.accept("const"):
			t.Const = true
		case p.accept("meta"):
			t.Meta = true
		case p.accept("urgent"):
			t.Urgent = true
		case p.accept("broadcast"):
			t.Broadcast = true
		case p.accept("hybrid"):
		default:
			prefix = false
		}
	}
	tok := p.advance()
	switch {
	case tok.kind == tokName:
		t.Kind, t.Name = NamedType, tok.text
	case tok.is("void"):
		t.Kind = VoidType
	case tok.is("bool"):
		t.Kind = BoolType
	case tok.is("chan"):
		t.Kind = ChanType
	case tok.is("clock"):
		t.Kind = ClockType
	case tok.is("double"):
		t.Kind = DoubleType
	case tok.is("string"):
		t.Kind = StringType
	case tok.is("int"):
		t.Kind = IntType
		if p.accept("[") {
			t.Kind = RangeType
			t.Lo = p.expr()
			p.expect(",")
			t.Hi = p.expr()
			p.expect("]")
		}
	case tok.is("scalar"):
		t.Kind = ScalarType
		p.expect("[")
		t.Size = p.expr()
		p.expect("]")
	case tok.is("struct"):
		t.Kind = StructType
		t.Fields = p.fields()
	default:
		p.failAt(p.posOf(tok), "unexpected %s, expected a type", tok.describe())
	}
	return t
}

func (p *parser) fields() []*StructField {
	var fs []*StructField
	p.expect("{")
	for !p.accept("}") {
		typ := p.typeExpr()
		for {
			name, pos := p.name("a field")
			fs = append(fs, &StructField{pos, name, typ, p.dims()})
			if !p.accept(",") {
				break
			}
			typ = p.another(typ)
		}
		p.expect(";")
	}
	return fs
}

func (p *parser) params() []*Param {
	var ps []*Param
	for {
		typ := p.typeExpr()
		ref := p.accept("&")
		name, pos := p.name("a parameter")
		ps = append(ps, &Param{pos, name, typ, ref, p.dims()})
		if !p.accept(",") {
			return ps
		}
	}
}

// paramList parses parameters in parentheses.
func (p *parser) paramList() []*Param {
	p.expect("(")
	if p.accept(")") {
		return nil
	}
	ps := p.params()
	p.expect(")")
	return ps
}

func (p *parser) function(result *TypeExpr, name string, pos Pos) *FuncDecl {
	return &FuncDecl{pos, name, p.paramList(), result, p.block()}
}

// instance parses "Name(params) = Template(args);".
func (p *parser) instance() *InstanceDecl {
	name, pos := p.name("an instance")
	d := &InstanceDecl{Pos: pos, Name: name}
	if p.is("(") {
		d.Params = p.paramList()
	}
	p.expect("=")
	template, at := p.name("a template")
	d.Template = &Ident{at, template}
	p.expect("(")
	p.ops = 0
	d.Args = p.args()
	p.expect(";")
	return d
}

// chanPriority parses "chan priority a, b[0] < default < c;".
func (p *parser) chanPriority() *ChanPriority {
	d := &ChanPriority{Pos: p.expect("chan")}
	p.expect("priority")
	group := []Expr{}
	for {
		if p.accept("default") {
			group = append(group, nil)
		} else {
			name, pos := p.name("a channel")
			p.ops = 0
			group = append(group, p.postfix(&Ident{pos, name}))
		}
		switch {
		case p.accept(","):
		case p.accept("<"):
			d.Groups = append(d.Groups, group)
			group = []Expr{}
		default:
			p.expect(";")
			d.Groups = append(d.Groups, group)
			return d
		}
	}
}

// ---- statements ----

func (p *parser) block() *Block {
	b := &Block{Pos: p.expect("{")}
	for p.startsDecl() {
		if p.is("typedef") {
			b.Decls = p.typedef(b.Decls)
			continue
		}
		typ := p.typeExpr()
		name, pos := p.name("a variable")
		if p.is("(") {
			p.failf("functions cannot be declared inside a function")
		}
		b.Decls = p.vars(b.Decls, typ, name, pos)
	}
	for !p.accept("}") {
		b.Stmts = append(b.Stmts, p.stmt())
	}
	return b
}

// startsDecl reports whether a declaration begins here inside a block.
func (p *parser) startsDecl() bool {
	return p.startsType() || p.is("typedef") ||
		p.tok().kind == tokName && p.peek(1).kind == tokName
}

func (p *parser) stmt() Stmt {
	p.enter()
	defer p.leave()
	t := p.tok()
	pos := p.posOf(t)
	if t.kind == tokName && laterWords[t.text] {
		p.failf("%s does not exist in this language", t.text)
	}
	if p.startsDecl() {
		p.failf("declarations must come first in a block")
	}
	if t.kind == tokOp {
		switch t.text {
		case "{":
			return p.block()
		case ";":
			p.i++
			return &ExprStmt{pos, nil}
		}
	}
	if t.kind == tokKeyword {
		switch t.text {
		case "if":
			p.i++
			s := &IfStmt{Pos: pos, Cond: p.condition()}
			s.Then = p.stmt()
			if p.accept("else") {
				s.Else = p.stmt()
			}
			return s
		case "while":
			p.i++
			cond := p.condition()
			return &WhileStmt{pos, false, cond, p.stmt()}
		case "do":
			p.i++
			body := p.stmt()
			p.expect("while")
			cond := p.condition()
			p.expect(";")
			return &WhileStmt{pos, true, cond, body}
		case "for":
			return p.forStmt()
		case "return":
			p.i++
			s := &ReturnStmt{Pos: pos}
			if !p.is(";") {
				s.X = p.expr()
			}
			p.expect(";")
			return s
		case "assert":
			p.i++
			s := &AssertStmt{pos, p.expr()}
			p.expect(";")
			return s
		case "spawn", "exit":
			p.failf("%s is not supported", t.text)
		}
	}
	s := &ExprStmt{pos, p.expr()}
	p.expect(";")
	return s
}

func (p *parser) condition() Expr {
	p.expect("(")
	e := p.list()
	p.expect(")")
	return e
}

func (p *parser) forStmt() Stmt {
	pos := p.expect("for")
	p.expect("(")
	if p.tok().kind == tokName && p.peek(1).is(":") {
		b := p.binding("a loop variable")
		p.expect(")")
		return &RangeStmt{pos, b, p.stmt()}
	}
	s := &ForStmt{Pos: pos, Init: p.part(";")}
	p.expect(";")
	s.Cond = p.part(";")
	p.expect(";")
	s.Post = p.part(")")
	p.expect(")")
	s.Body = p.stmt()
	return s
}

// part parses a part of a for statement, which end follows.
func (p *parser) part(end string) Expr {
	if p.is(end) {
		p.failf("the three parts of a for statement cannot be empty: write true")
	}
	return p.list()
}
