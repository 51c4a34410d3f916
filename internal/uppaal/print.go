package uppaal

import (
	"strconv"
	"strings"
)

// This file prints trees so that parsing the text gives the same tree again,
// positions apart, with as few parentheses as that takes.

// A printer collects the text. In a query the logical operators are words.
type printer struct {
	strings.Builder
	query bool
}

// ExprString prints an expression of the model.
func ExprString(e Expr) string {
	var p printer
	p.expr(e, precAssign, false)
	return p.String()
}

// QueryString prints a query. The logical operators are the words not, and,
// or, imply, and a "not" that is an operand of another operator stands in
// parentheses: A[] (not p) imply (not (q and r)).
func QueryString(q *Query) string {
	p := printer{query: true}
	if q.Op == LeadsTo {
		p.expr(q.X, precAssign, false)
		p.WriteString(" --> ")
		p.expr(q.Y, precAssign, false)
		return p.String()
	}
	p.WriteString(string(q.Op))
	if q.Op.Measures() {
		if q.X != nil {
			p.WriteByte('{')
			p.expr(q.X, precAssign, false)
			p.WriteByte('}')
		}
		p.WriteString(": ")
		p.list(q.Of)
		return p.String()
	}
	p.WriteByte(' ')
	p.expr(q.X, precAssign, false)
	return p.String()
}

// UpdateString prints the expressions of an update label.
func UpdateString(es []Expr) string {
	var p printer
	p.list(es)
	return p.String()
}

// SelectString prints the bindings of a select label.
func SelectString(bs []*Binding) string {
	var p printer
	for i, b := range bs {
		if i > 0 {
			p.WriteString(", ")
		}
		p.binding(b)
	}
	return p.String()
}

// SyncString prints a synchronisation label.
func SyncString(s *Sync) string {
	var p printer
	// The mark is no operator: no precedence is asked of the channel.
	p.expr(s.Chan, precAssign, false)
	if s.Dir == Send {
		p.WriteByte('!')
	} else {
		p.WriteByte('?')
	}
	return p.String()
}

// TypeString prints a type as written.
func TypeString(t *TypeExpr) string {
	var p printer
	p.typeExpr(t)
	return p.String()
}

// DeclString prints a declaration, without a newline at the end.
func DeclString(d Decl) string {
	var p printer
	p.decl(d, 0)
	return p.String()
}

// DeclsString prints declarations, each on a line of its own.
func DeclsString(ds []Decl) string {
	var p printer
	for _, d := range ds {
		p.decl(d, 0)
		p.WriteByte('\n')
	}
	return p.String()
}

// ParamsString prints parameters, without parentheses.
func ParamsString(ps []*Param) string {
	var p printer
	p.params(ps)
	return p.String()
}

// SystemString prints the system section of a network.
func SystemString(n *Network) string {
	var p printer
	p.WriteString(DeclsString(n.Instances))
	p.WriteString("system ")
	for i, id := range n.System.Names {
		if i > 0 {
			if i-1 < len(n.System.Below) && n.System.Below[i-1] {
				p.WriteString(" < ")
			} else {
				p.WriteString(", ")
			}
		}
		p.WriteString(id.Name)
	}
	p.WriteString(";\n")
	if len(n.Progress) > 0 {
		p.WriteString("progress {\n")
		for _, m := range n.Progress {
			p.indent(1)
			if m.Guard != nil {
				p.expr(m.Guard, precAssign, false)
				p.WriteString(" : ")
			}
			p.expr(m.X, precAssign, false)
			p.WriteString(";\n")
		}
		p.WriteString("}\n")
	}
	return p.String()
}

// level is the precedence of the outermost operator of an expression as it is
// printed.
func (p *printer) level(e Expr) int {
	switch e := e.(type) {
	case *Binary:
		return binaryPrec[e.Op]
	case *Assign:
		return precAssign
	case *Cond:
		return precCond
	case *Unary:
		if p.query && e.Op == OpNot {
			return precAssign // parentheses as an operand, see QueryString
		}
		return precUnary
	case *IntLit:
		if e.Value < 0 {
			return precUnary
		}
	case *Comma:
		return precComma
	case *Quant:
		return precUnary // as a prefix operator; see also expr
	case *IncDec:
		if e.Prefix {
			return precInc
		}
	}
	return precPostfix
}

// expr prints an expression where operators of the given level or tighter are
// expected. followed says that an operator follows, which the body of a
// quantifier at the end of the expression would take.
func (p *printer) expr(e Expr, level int, followed bool) {
	_, quant := e.(*Quant)
	if p.level(e) < level || quant && followed {
		p.WriteByte('(')
		p.bare(e, false)
		p.WriteByte(')')
		return
	}
	p.bare(e, followed)
}

func (p *printer) bare(e Expr, followed bool) {
	switch e := e.(type) {
	case *Ident:
		p.WriteString(e.Name)
	case *IntLit:
		p.WriteString(strconv.Itoa(int(e.Value)))
	case *BoolLit:
		p.WriteString(strconv.FormatBool(e.Value))
	case *Unary:
		p.unary(e, followed)
	case *Binary:
		prec := binaryPrec[e.Op]
		p.expr(e.X, prec, true)
		p.WriteByte(' ')
		p.WriteString(p.word(e.Op))
		p.WriteByte(' ')
		p.expr(e.Y, prec+1, followed)
	case *Cond:
		p.expr(e.If, precCond+1, true)
		p.WriteString(" ? ")
		p.expr(e.Then, precAssign, false)
		p.WriteString(" : ")
		p.expr(e.Else, precCond, followed)
	case *Index:
		p.expr(e.X, precPostfix, true)
		p.WriteByte('[')
		p.expr(e.I, precAssign, false)
		p.WriteByte(']')
	case *Field:
		p.expr(e.X, precPostfix, true)
		p.WriteByte('.')
		p.WriteString(e.Name)
	case *Call:
		if e.Process != nil {
			p.expr(e.Process, precPostfix, true)
			p.WriteByte('.')
		}
		p.WriteString(e.Fun.Name)
		p.WriteByte('(')
		p.list(e.Args)
		p.WriteByte(')')
	case *Assign:
		p.expr(e.L, precAssign+1, true)
		p.WriteString(" " + e.Op + " ")
		p.expr(e.R, precAssign, followed)
	case *IncDec:
		if e.Prefix {
			p.WriteString(string(e.Op))
			p.expr(e.X, precInc, followed)
		} else {
			p.expr(e.X, precPostfix, true)
			p.WriteString(string(e.Op))
		}
	case *Comma:
		p.expr(e.X, precComma, true)
		p.WriteString(", ")
		p.expr(e.Y, precAssign, followed)
	case *Quant:
		p.WriteString([]string{"forall", "exists", "sum"}[e.Kind])
		p.WriteString(" (")
		p.binding(e.Bind)
		p.WriteString(") ")
		p.expr(e.Body, precAssign, followed)
	case *InitList:
		p.WriteByte('{')
		for i, x := range e.Elems {
			if i > 0 {
				p.WriteString(", ")
			}
			if i < len(e.Names) && e.Names[i] != "" {
				p.WriteString(e.Names[i])
				p.WriteString(": ")
			}
			p.expr(x, precAssign, false)
		}
		p.WriteByte('}')
	case *Deadlock:
		p.WriteString("deadlock")
	case *Stuck:
		p.WriteString("stuck(")
		p.expr(e.Process, precAssign, false)
		p.WriteByte(')')
	}
}

func (p *printer) unary(e *Unary, followed bool) {
	if e.Op == OpNot {
		if p.query {
			p.WriteString("not ")
		} else {
			p.WriteByte('!')
		}
		p.expr(e.X, precUnary, followed)
		return
	}
	p.WriteString(string(e.Op))
	// The operand must neither make "--" or "++" with the sign nor, as a
	// number, become one literal with it.
	clash := false
	switch x := e.X.(type) {
	case *IntLit:
		clash = e.Op == OpNeg
	case *Unary:
		clash = x.Op == e.Op
	case *IncDec:
		clash = x.Prefix
	}
	if clash {
		p.WriteByte('(')
		p.expr(e.X, precAssign, false)
		p.WriteByte(')')
		return
	}
	p.expr(e.X, precUnary, followed)
}

// word spells an operator.
func (p *printer) word(op Op) string {
	if p.query {
		switch op {
		case OpAnd:
			return "and"
		case OpOr:
			return "or"
		}
	}
	return string(op)
}

func (p *printer) list(es []Expr) {
	for i, e := range es {
		if i > 0 {
			p.WriteString(", ")
		}
		p.expr(e, precAssign, false)
	}
}

func (p *printer) binding(b *Binding) {
	p.WriteString(b.Name)
	p.WriteString(" : ")
	p.typeExpr(b.Type)
}

func (p *printer) typeExpr(t *TypeExpr) {
	for _, prefix := range []struct {
		set  bool
		word string
	}{{t.Const, "const "}, {t.Meta, "meta "}, {t.Urgent, "urgent "}, {t.Broadcast, "broadcast "}} {
		if prefix.set {
			p.WriteString(prefix.word)
		}
	}
	switch t.Kind {
	case VoidType:
		p.WriteString("void")
	case BoolType:
		p.WriteString("bool")
	case IntType:
		p.WriteString("int")
	case RangeType:
		p.WriteString("int[")
		p.expr(t.Lo, precAssign, false)
		p.WriteByte(',')
		p.expr(t.Hi, precAssign, false)
		p.WriteByte(']')
	case ChanType:
		p.WriteString("chan")
	case ClockType:
		p.WriteString("clock")
	case DoubleType:
		p.WriteString("double")
	case StringType:
		p.WriteString("string")
	case ScalarType:
		p.WriteString("scalar[")
		p.expr(t.Size, precAssign, false)
		p.WriteByte(']')
	case StructType:
		p.WriteString("struct { ")
		for _, f := range t.Fields {
			p.typeExpr(f.Type)
			p.WriteString(" " + f.Name)
			p.dims(f.Dims)
			p.WriteString("; ")
		}
		p.WriteByte('}')
	case NamedType:
		p.WriteString(t.Name)
	}
}

func (p *printer) dims(ds []*Dim) {
	for _, d := range ds {
		p.WriteByte('[')
		if d.Type != nil {
			p.typeExpr(d.Type)
		} else {
			p.expr(d.Size, precAssign, false)
		}
		p.WriteByte(']')
	}
}

// condition prints what may hold a comma.
func (p *printer) condition(e Expr) { p.expr(e, precComma, false) }

func (p *printer) params(ps []*Param) {
	for i, q := range ps {
		if i > 0 {
			p.WriteString(", ")
		}
		p.typeExpr(q.Type)
		p.WriteByte(' ')
		if q.Ref {
			p.WriteByte('&')
		}
		p.WriteString(q.Name)
		p.dims(q.Dims)
	}
}

func (p *printer) indent(depth int) {
	for range depth {
		p.WriteString("    ")
	}
}

func (p *printer) decl(d Decl, depth int) {
	p.indent(depth)
	switch d := d.(type) {
	case *VarDecl:
		p.typeExpr(d.Type)
		p.WriteString(" " + d.Name)
		p.dims(d.Dims)
		if d.Init != nil {
			p.WriteString(" = ")
			p.expr(d.Init, precAssign, false)
		}
		p.WriteByte(';')
	case *TypedefDecl:
		p.WriteString("typedef ")
		p.typeExpr(d.Type)
		p.WriteString(" " + d.Name)
		p.dims(d.Dims)
		p.WriteByte(';')
	case *FuncDecl:
		p.typeExpr(d.Result)
		p.WriteString(" " + d.Name + "(")
		p.params(d.Params)
		p.WriteString(") ")
		p.block(d.Body, depth)
	case *InstanceDecl:
		p.WriteString(d.Name)
		if len(d.Params) > 0 {
			p.WriteByte('(')
			p.params(d.Params)
			p.WriteByte(')')
		}
		p.WriteString(" = " + d.Template.Name + "(")
		p.list(d.Args)
		p.WriteString(");")
	case *ChanPriority:
		p.WriteString("chan priority ")
		for i, g := range d.Groups {
			if i > 0 {
				p.WriteString(" < ")
			}
			for k, e := range g {
				if k > 0 {
					p.WriteString(", ")
				}
				if e == nil {
					p.WriteString("default")
				} else {
					p.expr(e, precPostfix, false)
				}
			}
		}
		p.WriteByte(';')
	case *AroundUpdate:
		p.WriteString(map[bool]string{false: "before_update { ", true: "after_update { "}[d.After])
		p.list(d.X)
		p.WriteString(" }")
	}
}

// block prints "{ ... }" whose opening brace stands on a line indented by
// depth.
func (p *printer) block(b *Block, depth int) {
	p.WriteString("{\n")
	if b != nil {
		for _, d := range b.Decls {
			p.decl(d, depth+1)
			p.WriteByte('\n')
		}
		for _, s := range b.Stmts {
			p.indent(depth + 1)
			p.stmt(s, depth+1)
			p.WriteByte('\n')
		}
	}
	p.indent(depth)
	p.WriteByte('}')
}

// stmt prints a statement whose line is indented by depth already.
func (p *printer) stmt(s Stmt, depth int) {
	switch s := s.(type) {
	case *Block:
		p.block(s, depth)
	case *ExprStmt:
		if s.X != nil {
			p.expr(s.X, precAssign, false)
		}
		p.WriteByte(';')
	case *IfStmt:
		p.WriteString("if (")
		p.condition(s.Cond)
		p.WriteByte(')')
		then := s.Then
		if s.Else != nil && openIf(then) {
			then = &Block{Stmts: []Stmt{then}} // or the else would change sides
		}
		p.body(then, depth)
		if s.Else == nil {
			return
		}
		if _, block := then.(*Block); block {
			p.WriteString(" else")
		} else {
			p.WriteByte('\n')
			p.indent(depth)
			p.WriteString("else")
		}
		if _, chain := s.Else.(*IfStmt); chain {
			p.WriteByte(' ')
			p.stmt(s.Else, depth)
			return
		}
		p.body(s.Else, depth)
	case *WhileStmt:
		if s.Do {
			p.WriteString("do")
			p.body(s.Body, depth)
			if _, block := s.Body.(*Block); block {
				p.WriteByte(' ')
			} else {
				p.WriteByte('\n')
				p.indent(depth)
			}
			p.WriteString("while (")
			p.condition(s.Cond)
			p.WriteString(");")
			return
		}
		p.WriteString("while (")
		p.condition(s.Cond)
		p.WriteByte(')')
		p.body(s.Body, depth)
	case *ForStmt:
		p.WriteString("for (")
		p.part(s.Init)
		p.WriteString("; ")
		p.part(s.Cond)
		p.WriteString("; ")
		p.part(s.Post)
		p.WriteByte(')')
		p.body(s.Body, depth)
	case *RangeStmt:
		p.WriteString("for (")
		p.binding(s.Bind)
		p.WriteByte(')')
		p.body(s.Body, depth)
	case *ReturnStmt:
		p.WriteString("return")
		if s.X != nil {
			p.WriteByte(' ')
			p.expr(s.X, precAssign, false)
		}
		p.WriteByte(';')
	case *AssertStmt:
		p.WriteString("assert ")
		p.expr(s.X, precAssign, false)
		p.WriteByte(';')
	}
}

// part prints a part of a for statement, which must not be empty.
func (p *printer) part(e Expr) {
	if e == nil {
		e = &BoolLit{Value: true}
	}
	p.condition(e)
}

// body prints the statement that another one controls.
func (p *printer) body(s Stmt, depth int) {
	if b, ok := s.(*Block); ok {
		p.WriteByte(' ')
		p.block(b, depth)
		return
	}
	p.WriteByte('\n')
	p.indent(depth + 1)
	p.stmt(s, depth+1)
}

// openIf reports whether a statement ends in an if without else, to which a
// following else would belong.
func openIf(s Stmt) bool {
	switch s := s.(type) {
	case *IfStmt:
		return s.Else == nil || openIf(s.Else)
	case *WhileStmt:
		return !s.Do && openIf(s.Body)
	case *ForStmt:
		return openIf(s.Body)
	case *RangeStmt:
		return openIf(s.Body)
	}
	return false
}
