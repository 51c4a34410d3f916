package parse

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"sort"
	"strings"
)

// lostText is the diagnostic of a part of an edit that was asked for.
const lostText = "a part of the statement is not as it was rewritten: guards in it may be lost"

// edit replaces the bytes [start, end), never none, of a file.
type edit struct {
	start, end int
	text       string
}

// editor holds the edits of one file: disjoint, in order of position. They are
// made from the inside out: an edit around others takes up their text.
//
// Every edit ends, for the compiler's counting of lines, at the line where the
// original ended, by a line directive if need be. So edits can be nested and
// moved and all positions in the program's own text stay true.
type editor struct {
	file  *token.File
	src   []byte
	edits []edit
	// lost are the offsets where a part of an edit was asked for, which there is not: what is there
	// now is the text without the edit, or both.
	lost []int
}

// first is the index of the first edit that starts at or after an offset.
func (e *editor) first(offset int) int {
	return sort.Search(len(e.edits), func(i int) bool { return e.edits[i].start >= offset })
}

// inside are the edits in [start, end), from index i to before j. It reports whether there is no
// edit of which that is a part.
func (e *editor) inside(start, end int) (i, j int, whole bool) {
	i = e.first(start)
	j = i
	for j < len(e.edits) && e.edits[j].end <= end {
		j++
	}
	whole = (i == 0 || e.edits[i-1].end <= start) && (j == len(e.edits) || e.edits[j].start >= end)
	return i, j, whole
}

// taken is inside, for edits that are taken up by another one.
func (e *editor) taken(start, end int) (i, j int) {
	i, j, whole := e.inside(start, end)
	if !whole {
		e.lost = append(e.lost, start)
	}
	return i, j
}

// text returns the bytes [start, end) with the edits inside.
func (e *editor) text(start, end int) string {
	var b strings.Builder
	at := start
	i, j := e.taken(start, end)
	for _, ed := range e.edits[i:j] {
		b.Write(e.src[at:ed.start])
		b.WriteString(ed.text)
		at = ed.end
	}
	b.Write(e.src[at:end])
	return b.String()
}

// replace adds an edit in place of those inside of it.
func (e *editor) replace(start, end int, text string) {
	i, j := e.taken(start, end)
	if j > i {
		e.edits[i] = edit{start, end, text}
		e.edits = append(e.edits[:i+1], e.edits[j:]...)
		return
	}
	e.edits = append(e.edits, edit{})
	copy(e.edits[i+1:], e.edits[i:])
	e.edits[i] = edit{start, end, text}
}

// before puts text in front of what is at pos.
func (e *editor) before(pos token.Pos, text string) {
	if text == "" {
		return
	}
	at := e.file.Offset(pos)
	if i := e.first(at); i < len(e.edits) && e.edits[i].start == at {
		// That edit is of the same node or of a part of it, since edits are made from the inside out.
		e.edits[i].text = text + e.edits[i].text
		return
	}
	e.replace(at, at+1, text+string(e.src[at:at+1]))
}

// after puts text behind what ends at end.
func (e *editor) after(end token.Pos, text string) {
	if text == "" {
		return
	}
	at := e.file.Offset(end)
	if i := e.first(at) - 1; i >= 0 && e.edits[i].end == at {
		e.edits[i].text += text
		return
	}
	e.replace(at-1, at, string(e.src[at-1:at])+text)
}

// builder composes the text of an edit from own text and pieces of the source,
// which may come from other lines and in another order.
type builder struct {
	e    *editor
	from token.Pos
	line int // where the compiler believes to be
	buf  strings.Builder
}

func (e *editor) build(from token.Pos) *builder {
	return &builder{e: e, from: from, line: e.line(from)}
}

// line is the line in the file itself, whatever line directives it holds.
func (e *editor) line(pos token.Pos) int { return e.file.PositionFor(pos, false).Line }

// put adds text without line breaks.
func (b *builder) put(format string, args ...any) {
	fmt.Fprintf(&b.buf, format, args...)
}

// source adds the text of [from, to), edited.
func (b *builder) source(from, to token.Pos) {
	b.move(from)
	b.buf.WriteString(b.e.text(b.e.file.Offset(from), b.e.file.Offset(to)))
	b.line = b.e.line(to)
}

func (b *builder) node(n ast.Node) { b.source(n.Pos(), n.End()) }

// original adds the text of a node as it is in the file.
func (b *builder) original(n ast.Node) {
	b.move(n.Pos())
	b.buf.Write(b.e.src[b.e.file.Offset(n.Pos()):b.e.file.Offset(n.End())])
	b.line = b.e.line(n.End())
}

// again adds the text of an expression that is evaluated once more: as it is in the file, if what
// is around it has been rewritten.
func (b *builder) again(x ast.Expr) {
	if _, _, whole := b.e.inside(b.e.file.Offset(x.Pos()), b.e.file.Offset(x.End())); !whole {
		b.original(x)
		return
	}
	b.node(x)
}

// move tells the compiler that what follows is at pos.
func (b *builder) move(pos token.Pos) {
	if line := b.e.line(pos); line != b.line {
		b.buf.WriteString(b.e.directive(pos))
		b.line = line
	}
}

// directive is the line directive for what is at pos. The name of the file is
// left out, unless the file has line directives of its own that change it.
func (e *editor) directive(pos token.Pos) string {
	p := e.file.Position(pos)
	name := ""
	if bytes.Contains(e.src, []byte("//line ")) || bytes.Contains(e.src, []byte("/*line ")) {
		if rel, err := filepath.Rel(filepath.Dir(e.file.Name()), p.Filename); err == nil {
			name = filepath.ToSlash(rel)
		}
	}
	return fmt.Sprintf("/*line %s:%d:%d*/", name, p.Line, max(p.Column, 1))
}

// done replaces the source from the start of the builder to an end.
func (b *builder) done(to token.Pos) {
	b.move(to)
	b.e.replace(b.e.file.Offset(b.from), b.e.file.Offset(to), b.buf.String())
}
