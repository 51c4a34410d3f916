package uppaal

import (
	"fmt"
)

// A parser reads one text. Errors unwind to the entry function by panicking
// with a bailout, which recovers it.
type parser struct {
	where string
	query bool
	toks  []token
	i     int
	nest  int // nesting of the constructs being parsed
	ops   int // operators of the current expression, which bound its depth
}

type bailout struct{ err *Error }

// parseText runs f over the tokens of a text and demands that it uses all of
// them.
func parseText(where, text string, query bool, f func(p *parser)) (err error) {
	toks, lexErr := lex(where, text, query)
	if lexErr != nil {
		return lexErr
	}
	defer func() {
		if r := recover(); r != nil {
			b, ok := r.(bailout)
			if !ok {
				panic(r)
			}
			err = b.err
		}
	}()
	p := &parser{where: where, query: query, toks: toks}
	f(p)
	if p.tok().kind != tokEOF {
		p.failf("unexpected %s", p.tok().describe())
	}
	return nil
}

func (p *parser) tok() token { return p.toks[p.i] }

// peek is the token n places ahead.
func (p *parser) peek(n int) token {
	return p.toks[min(p.i+n, len(p.toks)-1)]
}

func (p *parser) pos() Pos { return p.posOf(p.tok()) }

func (p *parser) posOf(t token) Pos { return Pos{p.where, t.line, t.col} }

func (p *parser) failf(format string, args ...any) {
	p.failAt(p.pos(), format, args...)
}

func (p *parser) failAt(pos Pos, format string, args ...any) {
	panic(bailout{&Error{pos, fmt.Sprintf(format, args...)}})
}

func (p *parser) advance() token {
	t := p.tok()
	if t.kind != tokEOF {
		p.i++
	}
	return t
}

// is reports whether the current token is the operator or keyword s.
func (p *parser) is(s string) bool { return p.tok().is(s) }

func (t token) is(s string) bool {
	return t.text == s && (t.kind == tokOp || t.kind == tokKeyword)
}

// accept skips the operator or keyword s if it is there.
func (p *parser) accept(s string) bool {
	if p.is(s) {
		p.i++
		return true
	}
	return false
}

func (p *parser) expect(s string) Pos {
	pos := p.pos()
	if !p.accept(s) {
		p.failf("unexpected %s, expected %q", p.tok().describe(), s)
	}
	return pos
}

func (p *parser) name(what string) (string, Pos) {
	t := p.tok()
	if t.kind != tokName {
		p.failf("unexpected %s, expected the name of %s", t.describe(), what)
	}
	p.i++
	return t.text, p.posOf(t)
}

// enter counts one level of nesting; the caller defers leave.
func (p *parser) enter() {
	if p.nest++; p.nest > maxNest {
		p.failf("nested too deeply (more than %d levels)", maxNest)
	}
}

func (p *parser) leave() { p.nest-- }

// ---- expressions ----

// Precedence levels, loosest first.
const (
	precComma = iota + 1
	precAssign
	precCond
	precOr
	precAnd
	precBOr
	precBXor
	precBAnd
	precEq
	precRel
	precMinMax
	precShift
	precAdd
	precMul
	precPow
	precUnary
	precInc
	precPostfix
)

// binaryPrec gives the level of every binary operator; all are left
// associative. "||", "xor" and "imply" share one level.
var binaryPrec = map[Op]int{
	OpOr: precOr, OpXor: precOr, OpImply: precOr,
	OpAnd: precAnd,
	OpBOr: precBOr, OpBXor: precBXor, OpBAnd: precBAnd,
	OpEq: precEq, OpNe: precEq,
	OpLt: precRel, OpLe: precRel, OpGe: precRel, OpGt: precRel,
	OpMin: precMinMax, OpMax: precMinMax,
	OpShl: precShift, OpShr: precShift,
	OpAdd: precAdd, OpSub: precAdd,
	OpMul: precMul, OpDiv: precMul, OpMod: precMul,
	OpPow: precPow,
}

var assignOps = map[string]bool{
	"=": true, "+=": true, "-=": true, "*=": true, "/=": true, "%=": true,
	"&=": true, "|=": true, "^=": true, "<<=": true, ">>=": true,
}

// expr parses a whole expression, assignments included.
func (p *parser) expr() Expr {
	p.ops = 0
	return p.inner()
}

// inner parses an expression inside another one.
func (p *parser) inner() Expr { return p.binary(precAssign) }

// list parses a condition or a part of a for statement: expressions separated
// by commas.
func (p *parser) list() Expr {
	x := p.expr()
	for p.is(",") {
		pos := p.pos()
		p.op()
		p.i++
		x = &Comma{pos, x, p.inner()}
	}
	return x
}

// op counts an operator: the depth of a tree is at most their number.
func (p *parser) op() {
	if p.ops++; p.ops > maxOps {
		p.failf("expression is too long (more than %d operators)", maxOps)
	}
}

// binary parses an expression whose operators bind at least as tightly as
// level.
func (p *parser) binary(level int) Expr {
	p.enter()
	defer p.leave()
	x := p.unary()
	for {
		t := p.tok()
		if t.kind != tokOp {
			return x
		}
		if prec := binaryPrec[Op(t.text)]; prec >= level {
			p.op()
			p.i++
			y := p.binary(prec + 1)
			x = &Binary{p.posOf(t), Op(t.text), x, y}
			continue
		}
		switch {
		case t.text == "?" && precCond >= level:
			p.op()
			p.i++
			then := p.inner()
			p.expect(":")
			// Right associative: the else part takes further conditionals.
			x = &Cond{p.posOf(t), x, then, p.binary(precCond)}
		case assignOps[t.text] && precAssign >= level:
			p.op()
			p.i++
			x = &Assign{p.posOf(t), t.text, x, p.binary(precAssign)}
		default:
			return x
		}
	}
}

func (p *parser) unary() Expr {
	p.enter()
	defer p.leave()
	t := p.tok()
	if t.kind == tokOp {
		switch t.text {
		case "!", "-", "+":
			p.op()
			p.i++
			if n := p.tok(); t.text == "-" && n.kind == tokInt && !p.postfixAt(1) {
				p.i++
				return &IntLit{p.posOf(t), int32(-n.val)}
			}
			return &Unary{p.posOf(t), Op(t.text), p.unary()}
		case "++", "--":
			p.op()
			p.i++
			return &IncDec{p.posOf(t), Op(t.text), true, p.incOperand()}
		}
	}
	return p.incOperand()
}

// incOperand parses an operand with its postfix operators; a prefix "++"
// takes another such operand, not a sign.
func (p *parser) incOperand() Expr {
	p.enter()
	defer p.leave()
	t := p.tok()
	if t.is("++") || t.is("--") {
		p.op()
		p.i++
		return &IncDec{p.posOf(t), Op(t.text), true, p.incOperand()}
	}
	return p.postfix(p.primary())
}

// postfixAt reports whether the token n places ahead is a postfix operator.
func (p *parser) postfixAt(n int) bool {
	t := p.peek(n)
	return t.is("(") || t.is("[") || t.is(".") || t.is("'") || t.is("++") || t.is("--")
}

func (p *parser) postfix(x Expr) Expr {
	for {
		t := p.tok()
		if !p.postfixAt(0) {
			return x
		}
		p.op()
		p.i++
		switch t.text {
		case "[":
			i := p.inner()
			p.expect("]")
			x = &Index{p.posOf(t), x, i}
		case ".":
			if p.accept("location") {
				x = &Field{p.posOf(t), x, "location"}
				continue
			}
			name, _ := p.name("a member")
			x = &Field{p.posOf(t), x, name}
		case "(":
			switch f := x.(type) {
			case *Ident:
				x = &Call{Pos: f.Pos, Fun: f, Args: p.args()}
			case *Field:
				x = &Call{Pos: f.Position(), Fun: &Ident{f.Pos, f.Name}, Args: p.args(), Process: f.X}
			default:
				p.failAt(p.posOf(t), "only a name can be called")
			}
		case "++", "--":
			x = &IncDec{p.posOf(t), Op(t.text), false, x}
		case "'":
			p.failAt(p.posOf(t), "clock rates are not supported")
		}
	}
}

// args parses the arguments of a call after its "(".
func (p *parser) args() []Expr {
	var args []Expr
	if p.accept(")") {
		return nil
	}
	for {
		args = append(args, p.inner())
		if p.accept(")") {
			return args
		}
		p.expect(",")
	}
}

func (p *parser) primary() Expr {
	t := p.tok()
	pos := p.posOf(t)
	switch t.kind {
	case tokInt:
		if t.val > maxInt32 {
			p.failf("integer literal overflows 32 bits")
		}
		p.i++
		return &IntLit{pos, int32(t.val)}
	case tokName:
		p.i++
		if p.query {
			switch t.text {
			case "deadlock":
				return &Deadlock{pos}
			case "stuck":
				if p.is("(") {
					return p.stuck(pos)
				}
			}
		}
		return &Ident{pos, t.text}
	case tokKeyword:
		switch t.text {
		case "true", "false":
			p.i++
			return &BoolLit{pos, t.text == "true"}
		case "forall", "exists", "sum":
			return p.quant()
		case "abs":
			p.i++
			if !p.is("(") {
				p.failf("unexpected %s, expected the argument of abs", p.tok().describe())
			}
			return &Ident{pos, t.text}
		}
		if doubleFuncs(t.text) {
			p.failf("function %s works on floating-point numbers, which are not supported", t.text)
		}
	case tokOp:
		if p.accept("(") {
			x := p.inner()
			p.expect(")")
			return x
		}
		for _, op := range pathTokens {
			if t.text == op {
				p.failf("path operator %s inside a formula: path operators do not nest", op)
			}
		}
	}
	p.failf("unexpected %s, expected an expression", t.describe())
	return nil
}

// doubleFuncs reports whether a keyword names a function of the mathematical
// library.
func doubleFuncs(word string) bool {
	return keywords[word] && mathFuncs[word]
}

var mathFuncs = wordSet(`
	fabs fmod fma fmax fmin fdim exp exp2 expm1 ln log log10 log2 log1p pow
	sqrt cbrt hypot sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh
	atanh erf erfc tgamma lgamma ceil floor trunc round fint ldexp ilogb logb
	nextafter copysign isfinite isinf isnan isnormal signbit isunordered
	random random_arcsine random_beta random_gamma random_normal random_poisson
	random_weibull random_tri`)

// stuck parses the argument of the atom stuck(P).
func (p *parser) stuck(pos Pos) Expr {
	p.expect("(")
	name, at := p.name("a process")
	var x Expr = &Ident{at, name}
	if p.accept("(") {
		x = &Call{Pos: at, Fun: x.(*Ident), Args: p.args()}
	}
	p.expect(")")
	return &Stuck{pos, x}
}

var quantKinds = map[string]QuantKind{"forall": Forall, "exists": Exists, "sum": Sum}

// quant parses a quantified expression; its body extends as far as it can.
func (p *parser) quant() Expr {
	p.enter()
	defer p.leave()
	p.op()
	t := p.advance()
	p.expect("(")
	b := p.binding("a bound variable")
	p.expect(")")
	return &Quant{p.posOf(t), quantKinds[t.text], b, p.inner()}
}

// binding parses "name : type".
func (p *parser) binding(what string) *Binding {
	name, pos := p.name(what)
	p.expect(":")
	return &Binding{pos, name, p.typeExpr()}
}

// ParseExpr parses an expression of the model language.
func ParseExpr(text string) (Expr, error) { return parseExpr("", text) }

func parseExpr(where, text string) (e Expr, err error) {
	err = parseText(where, text, false, func(p *parser) { e = p.expr() })
	if err != nil {
		return nil, err
	}
	return e, nil
}

// ParseUpdate parses the comma-separated expressions of an update label. An
// empty text has none.
func ParseUpdate(text string) ([]Expr, error) { return parseUpdate("", text) }

func parseUpdate(where, text string) (es []Expr, err error) {
	err = parseText(where, text, false, func(p *parser) {
		if p.tok().kind == tokEOF {
			return
		}
		es = p.updates()
	})
	if err != nil {
		return nil, err
	}
	return es, nil
}

// updates parses the expressions of an update, of which there is at least one.
func (p *parser) updates() (es []Expr) {
	for {
		es = append(es, p.expr())
		if !p.accept(",") {
			return es
		}
	}
}

// ParseSelect parses the comma-separated bindings of a select label. An empty
// text has none.
func ParseSelect(text string) ([]*Binding, error) { return parseSelect("", text) }

func parseSelect(where, text string) (bs []*Binding, err error) {
	err = parseText(where, text, false, func(p *parser) {
		if p.tok().kind == tokEOF {
			return
		}
		bs = p.bindings()
	})
	if err != nil {
		return nil, err
	}
	return bs, nil
}

// bindings parses the bindings of a select label, of which there is at least one.
func (p *parser) bindings() (bs []*Binding) {
	for {
		bs = append(bs, p.binding("a selected value"))
		if !p.accept(",") {
			return bs
		}
	}
}

// ParseSync parses a synchronisation label, "c!" or "c?".
func ParseSync(text string) (*Sync, error) { return parseSync("", text) }

func parseSync(where, text string) (s *Sync, err error) {
	err = parseText(where, text, false, func(p *parser) { s = p.sync(len(p.toks) - 1) })
	if err != nil {
		return nil, err
	}
	return s, nil
}

// sync parses a synchronisation that the token at index end follows.
func (p *parser) sync(end int) *Sync {
	// The direction is taken off first: "c ?" is not the beginning of a
	// conditional expression.
	n := end - 1
	if n < p.i || !p.toks[n].is("!") && !p.toks[n].is("?") {
		p.i = max(n, p.i)
		p.failf("a synchronisation must end in ! or ?")
	}
	s := &Sync{Pos: p.pos(), Dir: Send}
	mark := p.toks[n]
	if mark.is("?") {
		s.Dir = Receive
	}
	p.toks[n].kind, p.toks[n].text = tokEOF, ""
	s.Chan = p.expr()
	if p.i != n {
		p.failf("unexpected %s", p.tok().describe())
	}
	p.toks[n] = mark
	p.i = end
	return s
}
