package uppaal

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxDepth bounds the nesting of XML elements.
const maxDepth = 64

// An element is one XML element with its text, character data and CDATA
// merged.
type element struct {
	name     string
	attrs    map[string]string
	text     string
	children []*element
}

// ReadXML reads a model in UPPAAL's XML format, flat system, of any version.
// Elements may stand in any order. The document type is ignored and nothing is
// fetched. Labels of unknown kinds, colours, options and results of queries
// are ignored, queries without formula skipped, but counted. A branch point is dissolved:
// each edge into it is joined with each edge out of it.
//
// The error is an Errors if the texts of the model do not parse. If nothing
// but queries are wrong, the network without these queries is returned
// together with the error.
func ReadXML(r io.Reader) (*Network, error) {
	root, err := readElements(r)
	if err != nil {
		return nil, err
	}
	if root.name != "nta" {
		return nil, fmt.Errorf("the root element is %q, not nta", root.name)
	}
	x := &xmlReader{}
	n := x.network(root)
	if err := x.errs.err(); err != nil {
		return nil, err
	}
	x.queries(n, root)
	return n, x.errs.err()
}

// readElements reads the tree of elements.
func readElements(r io.Reader) (*element, error) {
	limited := &io.LimitedReader{R: r, N: maxText + 1}
	d := xml.NewDecoder(limited)
	d.CharsetReader = charset
	top := &element{}
	stack := []*element{top}
	var text []*strings.Builder
	for {
		tok, err := d.Token()
		if limited.N <= 0 {
			return nil, fmt.Errorf("the document is longer than %d bytes", maxText)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("reading XML: %w", err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			if len(stack) > maxDepth {
				line, col := d.InputPos()
				return nil, fmt.Errorf("%d:%d: elements are nested more than %d deep", line, col, maxDepth)
			}
			e := &element{name: tok.Name.Local, attrs: map[string]string{}}
			for _, a := range tok.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			parent := stack[len(stack)-1]
			parent.children = append(parent.children, e)
			stack = append(stack, e)
			text = append(text, &strings.Builder{})
		case xml.EndElement:
			last := len(text) - 1
			stack[len(stack)-1].text = text[last].String()
			stack, text = stack[:len(stack)-1], text[:last]
		case xml.CharData:
			if len(text) > 0 {
				text[len(text)-1].Write(tok)
			}
		}
	}
	if len(top.children) != 1 {
		return nil, errors.New("the document has no root element: is it XML? (The textual format has the names .xta and .ta.)")
	}
	return top.children[0], nil
}

// charset decodes the 8-bit character sets that old models are written in.
func charset(label string, input io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "iso-8859-1", "latin1", "us-ascii", "ascii":
		return &latin1{input}, nil
	}
	return nil, fmt.Errorf("character set %q is not supported", label)
}

// latin1 turns ISO 8859-1 into UTF-8.
type latin1 struct{ r io.Reader }

func (l *latin1) Read(p []byte) (int, error) {
	if len(p) < 2 {
		if len(p) == 0 {
			return 0, nil
		}
		return 0, io.ErrShortBuffer
	}
	buf := make([]byte, len(p)/2)
	n, err := l.r.Read(buf)
	out := p[:0]
	for _, b := range buf[:n] {
		out = append(out, string(rune(b))...)
	}
	return len(out), err
}

// An xmlReader builds the network and collects the errors of its texts.
type xmlReader struct {
	errs errorList
	rank int
}

// check records the error of parsing a text and reports whether there was
// none.
func (x *xmlReader) check(err error) bool {
	x.rank++
	if err == nil {
		return true
	}
	var e *Error
	if errors.As(err, &e) {
		x.errs.add(x.rank, e.Pos, "%s", e.Msg)
	} else {
		x.errs.add(x.rank, Pos{}, "%s", err)
	}
	return false
}

func (x *xmlReader) errorf(where, format string, args ...any) {
	x.rank++
	x.errs.add(x.rank, Pos{Where: where}, format, args...)
}

// network reads everything but the queries.
func (x *xmlReader) network(root *element) *Network {
	n := &Network{}
	var system *element
	for _, e := range root.children {
		switch e.name {
		case "declaration":
			ds, err := parseDecls("declaration", e.text)
			x.check(err)
			n.Decls = append(n.Decls, ds...)
		case "template":
			n.Templates = append(n.Templates, x.template(e, len(n.Templates)))
		case "instantiation":
			ds, err := parseDecls("instantiation", e.text)
			x.check(err)
			n.Instances = append(ds, n.Instances...)
		case "system":
			if system != nil {
				x.errorf("system", "the model has two system elements")
				continue
			}
			system = e
			ds, line, progress, err := parseSystem("system", e.text)
			x.check(err)
			n.Instances = append(n.Instances, ds...)
			n.System, n.Progress = line, progress
		case "lsc":
			x.errorf("lsc", "live sequence charts are not supported")
		}
	}
	if system == nil {
		x.errorf("", "the model has no system element")
	}
	return n
}

func (x *xmlReader) queries(n *Network, root *element) {
	before := 0 // queries of elements in front
	for _, e := range root.children {
		if e.name != "queries" {
			continue
		}
		list := e.all("query")
		for i, q := range list {
			f := q.first("formula")
			if f == nil || blank(f.text) {
				continue
			}
			comment := ""
			if c := q.first("comment"); c != nil {
				comment = c.text
			}
			number := before + i + 1
			parsed, err := parseQuery(fmt.Sprintf("query %d", number), f.text)
			if !x.check(err) {
				n.LeftOut = append(n.LeftOut, &LeftOut{number, f.text, comment, err})
				continue
			}
			parsed.Comment, parsed.Number = comment, number
			n.Queries = append(n.Queries, parsed)
		}
		before += len(list)
	}
}

// blank reports whether a query text holds nothing but space and comments.
func blank(text string) bool {
	toks, err := lex("", text, true)
	if err != nil {
		return false
	}
	for _, t := range toks {
		if t.kind != tokNewline && t.kind != tokEOF {
			return false
		}
	}
	return true
}

func (e *element) all(name string) []*element {
	var out []*element
	for _, c := range e.children {
		if c.name == name {
			out = append(out, c)
		}
	}
	return out
}

func (e *element) first(name string) *element {
	for _, c := range e.children {
		if c.name == name {
			return c
		}
	}
	return nil
}

// label gives the text of a label, "" if there is none.
func (e *element) label(kind string) string {
	for _, c := range e.children {
		if c.name == "label" && c.attrs["kind"] == kind {
			return c.text
		}
	}
	return ""
}

func (e *element) coordinate(name string) int {
	n, err := strconv.Atoi(strings.TrimSpace(e.attrs[name]))
	if err != nil {
		return 0 // layout only: never worth refusing a model for
	}
	return n
}

// A branch is an edge as written: its ends are locations or branch points.
type branch struct {
	edge     *Edge
	from, to string // ids in XML, names in text
	where    string // in XML
}

func (x *xmlReader) template(e *element, index int) *Template {
	t := &Template{Name: fmt.Sprintf("template %d", index)}
	if name := e.first("name"); name != nil && strings.TrimSpace(name.text) != "" {
		t.Name = strings.TrimSpace(name.text)
	} else {
		x.errorf(t.Name, "the template has no name")
	}
	where := "template " + t.Name
	t.Pos = Pos{Where: where}
	if p := e.first("parameter"); p != nil {
		ps, err := parseParams(where+", parameter", p.text)
		x.check(err)
		t.Params = ps
	}
	for _, d := range e.all("declaration") {
		ds, err := parseDecls(where+", declaration", d.text)
		x.check(err)
		t.Decls = append(t.Decls, ds...)
	}
	ids := map[string]*Location{}
	for i, l := range e.all("location") {
		loc := x.location(l, where, i)
		if loc.ID != "" && ids[loc.ID] != nil {
			x.errorf(where, "two locations have the id %q", loc.ID)
		}
		ids[loc.ID] = loc
		t.Locations = append(t.Locations, loc)
	}
	points := map[string]bool{}
	for _, b := range e.all("branchpoint") {
		points[b.attrs["id"]] = true
	}
	if init := e.first("init"); init == nil {
		x.errorf(where, "the template has no initial location")
	} else if t.Init = ids[init.attrs["ref"]]; t.Init == nil {
		x.errorf(where, "the initial location refers to the unknown id %q", init.attrs["ref"])
	}
	var branches []*branch
	for i, tr := range e.all("transition") {
		b := x.transition(tr, fmt.Sprintf("%s, edge %d", where, i))
		for _, id := range []string{b.from, b.to} {
			if ids[id] == nil && !points[id] {
				x.errorf(b.where, "the edge refers to the unknown id %q", id)
			}
		}
		b.edge.From, b.edge.To = ids[b.from], ids[b.to]
		branches = append(branches, b)
	}
	t.Edges = dissolve(branches, points, func(b *branch, format string, args ...any) {
		x.errorf(b.where, format, args...)
	})
	return t
}

func (x *xmlReader) location(e *element, where string, index int) *Location {
	l := &Location{ID: e.attrs["id"], X: e.coordinate("x"), Y: e.coordinate("y")}
	if name := e.first("name"); name != nil {
		l.Name = strings.TrimSpace(name.text)
	}
	where += ", " + l.describe(index)
	l.Pos = Pos{Where: where}
	if text := e.label("invariant"); strings.TrimSpace(text) != "" {
		inv, err := parseExpr(where+", invariant", text)
		x.check(err)
		l.Invariant = inv
	}
	l.Comment = e.label("comments")
	urgent, committed := e.first("urgent") != nil, e.first("committed") != nil
	switch {
	case urgent && committed:
		x.errorf(where, "the location is both urgent and committed")
	case urgent:
		l.Urgency = Urgent
	case committed:
		l.Urgency = Committed
	}
	return l
}

func (x *xmlReader) transition(e *element, where string) *branch {
	b := &branch{edge: &Edge{Pos: Pos{Where: where}}, where: where}
	if s := e.first("source"); s != nil {
		b.from = s.attrs["ref"]
	}
	if t := e.first("target"); t != nil {
		b.to = t.attrs["ref"]
	}
	var err error
	b.edge.Select, err = parseSelect(where+", select", e.label("select"))
	x.check(err)
	if text := e.label("guard"); strings.TrimSpace(text) != "" {
		b.edge.Guard, err = parseExpr(where+", guard", text)
		x.check(err)
	}
	if text := e.label("synchronisation"); strings.TrimSpace(text) != "" {
		b.edge.Sync, err = parseSync(where+", synchronisation", text)
		x.check(err)
	}
	b.edge.Update, err = parseUpdate(where+", assignment", e.label("assignment"))
	x.check(err)
	b.edge.Comment = e.label("comments")
	for _, n := range e.all("nail") {
		b.edge.Nails = append(b.edge.Nails, Point{n.coordinate("x"), n.coordinate("y")})
	}
	return b
}

// Bounds on a template after dissolving branch points: its edges, and the expressions
// that they are copied with.
const (
	maxEdges  = 1 << 20
	maxCopied = maxTokens
)

// size counts the expressions of an edge.
func (e *Edge) size() (n int) {
	for _, x := range append([]Expr{e.Guard}, e.Update...) {
		Inspect(x, func(Expr) { n++ })
	}
	if e.Sync != nil {
		Inspect(e.Sync.Chan, func(Expr) { n++ })
	}
	return n + len(e.Select)
}

// dissolve joins each edge into a branch point with each edge out of it, and tells
// wrong what is wrong with a branch.
func dissolve(branches []*branch, points map[string]bool, wrong func(b *branch, format string, args ...any)) []*Edge {
	out := map[string][]*branch{} // by branch point
	for _, b := range branches {
		if !points[b.from] {
			continue
		}
		if points[b.to] {
			wrong(b, "an edge joins two branch points")
		}
		if b.edge.Select != nil || b.edge.Guard != nil || b.edge.Sync != nil {
			wrong(b, "an edge out of a branch point can have an assignment and a weight only")
		}
		out[b.from] = append(out[b.from], b)
	}
	var edges []*Edge
	copied := 0
	for _, b := range branches {
		switch {
		case points[b.from]:
		case !points[b.to]:
			edges = append(edges, b.edge)
		default:
			if len(out[b.to]) == 0 {
				wrong(b, "the edge ends in a branch point that no edge leaves")
			}
			for _, second := range out[b.to] {
				if len(edges) == maxEdges {
					wrong(b, "the template has more than %d edges", maxEdges)
					return nil
				}
				if copied += b.edge.size() + second.edge.size(); copied > maxCopied {
					wrong(b, "the edges through branch points have more than %d expressions", maxCopied)
					return nil
				}
				edges = append(edges, join(b.edge, second.edge))
			}
		}
	}
	return edges
}

// join makes one edge of an edge into a branch point and one out of it.
func join(first, second *Edge) *Edge {
	e := cloneEdge(first)
	e.To = second.To
	e.Update = append(e.Update, cloneExprs(second.Update)...)
	e.Nails = append(e.Nails, second.Nails...)
	if e.Comment == "" {
		e.Comment = second.Comment
	}
	return e
}
