package uppaal

import (
	"fmt"
	"io"
	"strings"
)

// unsupportedQueries explains the words that begin a query which is not one
// of the symbolic queries of this package.
var unsupportedQueries = map[string]string{
	"Pr": "probability queries", "E": "expectation queries",
	"simulate": "simulations", "simulation": "simulations",
	"control": "control queries", "control_t": "control queries",
	"strategy": "strategies", "saveStrategy": "strategies", "loadStrategy": "strategies",
	"minE": "strategy learning", "maxE": "strategy learning",
	"minPr": "strategy learning", "maxPr": "strategy learning",
	"scenario": "scenarios", "A": "until queries",
}

// ParseQuery parses one query. A newline ends a query, except after a
// backslash; blank lines and comments around it are ignored.
func ParseQuery(text string) (*Query, error) { return parseQuery("", text) }

func parseQuery(where, text string) (q *Query, err error) {
	err = parseText(where, text, true, func(p *parser) {
		p.skipNewlines()
		q = p.formula()
		if p.is("under") || p.tok().kind == tokName && p.tok().text == "under" {
			p.failf("queries under a strategy are not supported")
		}
		if p.tok().kind == tokNewline {
			end := p.pos()
			p.skipNewlines()
			if p.tok().kind != tokEOF {
				p.failAt(end, "a newline ends a query: a backslash in front of it continues the query")
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return q, nil
}

func (p *parser) skipNewlines() {
	for p.tok().kind == tokNewline {
		p.i++
	}
}

func (p *parser) formula() *Query {
	q := &Query{Pos: p.pos()}
	t := p.tok()
	switch op := PathOp(t.text); {
	case t.kind == tokOp && (op == Always || op == Possibly || op == PotentiallyAlway || op == Eventually):
		p.i++
		q.Op, q.X = op, p.expr()
		if p.is("-->") {
			p.failf("path operators do not nest")
		}
		return q
	case t.kind == tokName && op.Measures() && !p.beginsOperand():
		p.i++
		q.Op = op
		if p.accept("{") {
			q.X = p.expr()
			p.expect("}")
		}
		p.expect(":")
		q.Of = p.updates()
		return q
	case (t.text == "A" || t.text == "E") && p.peek(1).is("[") && p.peek(2).is("]"),
		(t.text == "A" || t.text == "E") && p.peek(1).is("<") && p.peek(2).is(">"):
		p.failf("a path operator is written without space: %s", t.text+p.peek(1).text+p.peek(2).text)
	case t.kind == tokName && unsupportedQueries[t.text] != "" && !p.beginsOperand():
		p.failf("%s are not supported", unsupportedQueries[t.text])
	case t.kind == tokEOF:
		p.failf("the query is empty")
	}
	q.X = p.expr()
	if !p.is("-->") {
		p.failf("unexpected %s: a query begins with A[], E<>, E[], A<>, sup, inf or bounds, or has the form p --> q", p.tok().describe())
	}
	p.i++
	q.Op, q.Y = LeadsTo, p.expr()
	return q
}

// beginsOperand reports whether the name here is used as a variable: it is
// followed by what can follow an operand and not by what the special queries
// have there.
func (p *parser) beginsOperand() bool {
	n := p.peek(1)
	return n.kind == tokOp && !n.is("[") && !n.is("{") && !n.is(":") && !n.is("(")
}

// maxQueries bounds how many queries a file may hold.
const maxQueries = 1 << 20

// ReadQueries reads a .q file: one query on each line, "\" before a newline
// continues it, // and /* */ begin comments, blank lines are skipped.
func ReadQueries(r io.Reader) ([]*Query, error) {
	text, err := readAll(r)
	if err != nil {
		return nil, err
	}
	var qs []*Query
	err = parseText("", text, true, func(p *parser) {
		for {
			p.skipNewlines()
			if p.tok().kind == tokEOF {
				return
			}
			if len(qs) == maxQueries {
				p.failf("more than %d queries", maxQueries)
			}
			q := p.formula()
			qs = append(qs, q)
			q.Number = len(qs)
			if p.tok().kind != tokNewline && p.tok().kind != tokEOF {
				p.failf("unexpected %s", p.tok().describe())
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return qs, nil
}

// readAll reads a text of bounded size.
func readAll(r io.Reader) (string, error) {
	var b strings.Builder
	n, err := io.Copy(&b, io.LimitReader(r, maxText+1))
	if err != nil {
		return "", err
	}
	if n > maxText {
		return "", fmt.Errorf("text is longer than %d bytes", maxText)
	}
	return b.String(), nil
}
