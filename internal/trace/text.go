package trace

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// textVersion is the version of the text form.
const textVersion = "1"

// maxLine bounds the length of a line, in bytes.
const maxLine = 1 << 20

// TextError says in which line of a text what is wrong.
type TextError struct {
	Line   int
	Reason string
}

func (e *TextError) Error() string { return fmt.Sprintf("trace: line %d: %s", e.Line, e.Reason) }

// words of the text form that are no operations.
const (
	wordPending = "pending"
	wordPost    = "post"
	wordDefault = "default"
	wordFrom    = "from"
	wordFirst   = "first"
	wordSeq     = "seq"
)

var flagWords = []struct {
	flag Flags
	word string
}{{Closed, "closed"}, {Failed, "failed"}, {Ran, "ran"}, {Panicked, "panicked"}}

// Parse reads the text form of a trace. Errors are of type *TextError or *InvalidError.
//
// A line is about one thing; what follows a "#" is a comment. The first line is "trace 1". Then
// come, each optional, "program NAME", the objects and the goroutines:
//
//	trace 1
//	program example.com/p.main
//	chan x 0 @main.go:3:7
//	mutex m
//	goroutine 1 main.main
//	  go 2
//	  send x @main.go:9:2
//	  select recv x, send x, default : 0 from 2.1
//	  lock m from 2.3
//	  recv x pending
//	goroutine 2 main.main.func1 of 1
//	  send x
//
// An object is a line of its kind and name, with the capacity of a channel: chan x 2, mutex m,
// rwmutex r, waitgroup w, once o, cond c, atomic a, var v. Numbers of goroutines are those of
// their order; "of" names the goroutine that has started one, "truncated" says that its end was not
// recorded, "unreachable" or "reachable" what the garbage collector has said of one that was left. Every other line is an operation: its word, as in Op.String, and its object, "nil" for a
// nil channel. Operations of a goroutine are numbered from 1. Behind that come, in this order:
//
//	+N, -N             what an add adds
//	pending            it was not completed; or later, by a line "post N", with what follows here
//	: N, : default     the case of a select that was taken
//	closed, failed, ran, panicked
//	= N                what an add has made of the counter
//	from G.N, first    the partner: operation N of goroutine G; of a lock, that there is none
//	seq N              its place in the order of the operations on the object
//	@FILE:LINE:COLUMN  where it is, with the function and the site as in @f.go:1:2(p.F,p.F#3)
//
// In names of files, functions and sites, what is no letter, digit or one of _.-/$*#[]~ is
// written as %XX for each byte of UTF-8, in hexadecimal. Names have no control characters.
func Parse(text []byte) (*Trace, error) {
	p := &parser{t: &Trace{}, objects: map[string]ObjectID{}, positions: map[Position]PosID{}}
	if !utf8.Valid(text) {
		return nil, &TextError{Line: 1, Reason: "it is no UTF-8"}
	}
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		p.line++
		if len(line) > maxLine {
			return nil, &TextError{Line: p.line, Reason: fmt.Sprintf("it is longer than %d bytes", maxLine)}
		}
		if err := p.parse(fieldsOf(string(line))); err != nil {
			return nil, &TextError{Line: p.line, Reason: err.Error()}
		}
	}
	if !p.begun {
		return nil, &TextError{Line: p.line, Reason: `a trace begins with "trace ` + textVersion + `"`}
	}
	if err := p.t.Validate(); err != nil {
		return nil, err
	}
	return p.t, nil
}

// fieldsOf are the words of a line without its comment.
func fieldsOf(line string) []string {
	fields := strings.FieldsFunc(line, unicode.IsSpace)
	for i, f := range fields {
		if strings.HasPrefix(f, "#") {
			return fields[:i]
		}
	}
	return fields
}

// parser is where a text is read.
type parser struct {
	t         *Trace
	line      int
	begun     bool
	named     bool
	objects   map[string]ObjectID
	positions map[Position]PosID
	pending   []int // events of the last goroutine that have no end yet
	pc        int32
	words     []string // of the line that are not read yet
}

// next is the next word, "" at the end of the line.
func (p *parser) next() string {
	if len(p.words) == 0 {
		return ""
	}
	w := p.words[0]
	p.words = p.words[1:]
	return w
}

// is reads the next word if it is that one.
func (p *parser) is(word string) bool {
	if len(p.words) > 0 && p.words[0] == word {
		p.words = p.words[1:]
		return true
	}
	return false
}

func (p *parser) parse(words []string) error {
	if len(words) == 0 {
		return nil
	}
	p.words = words
	word := p.next()
	if !p.begun {
		if word != "trace" || !p.is(textVersion) {
			return fmt.Errorf("a trace begins with \"trace %s\"", textVersion)
		}
		p.begun = true
		return p.end()
	}
	switch {
	case word == "program":
		return p.program()
	case word == "goroutine":
		return p.goroutine()
	}
	for k, w := range objectWords {
		// The word "once" is that of an operation, too.
		if k != int(NoObject) && w == word && (k != int(Once) || len(p.t.Goroutines) == 0) {
			return p.object(ObjectKind(k))
		}
	}
	if len(p.t.Goroutines) == 0 {
		return fmt.Errorf("there is no goroutine that does %q", clip(word))
	}
	if word == wordPost {
		return p.post()
	}
	for o, w := range opWords {
		if o != int(OpNone) && w == word {
			return p.operation(Op(o))
		}
	}
	return fmt.Errorf("there is no operation %q", clip(word))
}

// end refuses what is left of a line.
func (p *parser) end() error {
	if len(p.words) > 0 {
		return fmt.Errorf("%q is too much", clip(p.words[0]))
	}
	return nil
}

// clip is a word as a message shows it.
func clip(word string) string { return word[:min(len(word), 40)] }

func (p *parser) program() error {
	if p.named || len(p.t.Objects)+len(p.t.Goroutines) > 0 {
		return fmt.Errorf("the program is named once, in front of objects and goroutines")
	}
	p.named = true
	name, err := unescape(p.next())
	if err != nil {
		return err
	}
	if name == "" {
		return fmt.Errorf("the program has no name")
	}
	p.t.Program = name
	return p.end()
}

func (p *parser) object(kind ObjectKind) error {
	if len(p.t.Goroutines) > 0 {
		return fmt.Errorf("objects come in front of goroutines")
	}
	o := Object{Kind: kind}
	var err error
	if o.Name, err = unescape(p.next()); err != nil {
		return err
	}
	if o.Name == "" || o.Name == "nil" {
		return fmt.Errorf("the %s needs a name, and nil is none", kind)
	}
	if p.objects[o.Name] != 0 {
		return fmt.Errorf("there are two objects %s", clip(o.Name))
	}
	if kind == Chan {
		if o.Cap, err = number(p.next(), 0, 1<<31-1); err != nil {
			return fmt.Errorf("the capacity of a channel: %w", err)
		}
	}
	if o.Pos, err = p.position(); err != nil {
		return err
	}
	p.t.Objects = append(p.t.Objects, o)
	p.objects[o.Name] = ObjectID(len(p.t.Objects))
	return p.end()
}

func (p *parser) goroutine() error {
	n, err := number(p.next(), 1, 1<<31-1)
	if err != nil {
		return err
	}
	if n != len(p.t.Goroutines)+1 {
		return fmt.Errorf("this should be goroutine %d", len(p.t.Goroutines)+1)
	}
	var g Goroutine
	if w := p.words; len(w) > 0 && w[0] != "of" && w[0] != "path" && w[0] != "truncated" && w[0] != leftWords[Unreachable] && w[0] != leftWords[Reachable] {
		if g.Name, err = unescape(p.next()); err != nil {
			return err
		}
	}
	if p.is("of") {
		parent, err := number(p.next(), 1, 1<<31-1)
		if err != nil {
			return err
		}
		g.Parent = GoroutineID(parent)
	}
	if p.is("path") {
		if g.Path, err = unescape(p.next()); err != nil {
			return err
		}
		if g.Path == "" {
			return fmt.Errorf("the path is empty")
		}
	}
	g.Truncated = p.is("truncated")
	for _, l := range []Left{Unreachable, Reachable} {
		if p.is(l.String()) {
			g.Left = l
			break
		}
	}
	p.t.Goroutines = append(p.t.Goroutines, g)
	p.pending, p.pc = nil, 0
	return p.end()
}

// reference reads the name of an object.
func (p *parser) reference() (ObjectID, error) {
	name, err := unescape(p.next())
	if err != nil {
		return 0, err
	}
	if name == "nil" {
		return 0, nil
	}
	id := p.objects[name]
	if id == 0 {
		return 0, fmt.Errorf("there is no object %q", clip(name))
	}
	return id, nil
}

func (p *parser) operation(op Op) error {
	g := &p.t.Goroutines[len(p.t.Goroutines)-1]
	p.pc++
	e := Event{Phase: Whole, Op: op, PC: p.pc}
	var err error
	switch op {
	case OpSelect:
		if err := p.cases(&e); err != nil {
			return err
		}
	case OpGo:
		child, err := number(p.next(), 1, 1<<31-1)
		if err != nil {
			return err
		}
		e.Partner.Goroutine = GoroutineID(child)
	case OpEnd:
	default:
		if e.Object, err = p.reference(); err != nil {
			return err
		}
	}
	if op == OpAdd {
		w := p.next()
		delta, err := strconv.ParseInt(w, 10, 32)
		if err != nil || w[0] != '+' && w[0] != '-' {
			return fmt.Errorf("an add says what it adds, as +1")
		}
		e.Delta = int32(delta)
	}
	if p.is(wordPending) {
		e.Phase = Pre
	} else if err := p.result(&e); err != nil {
		return err
	}
	if e.Pos, err = p.position(); err != nil {
		return err
	}
	if e.Phase == Pre {
		p.pending = append(p.pending, len(g.Events))
	}
	g.Events = append(g.Events, e)
	return p.end()
}

// post reads the end of an operation that is pending.
func (p *parser) post() error {
	g := &p.t.Goroutines[len(p.t.Goroutines)-1]
	n, err := number(p.next(), 1, 1<<31-1)
	if err != nil {
		return err
	}
	if len(p.pending) == 0 || int(g.Events[p.pending[len(p.pending)-1]].PC) != n {
		return fmt.Errorf("the last pending operation is not %d", n)
	}
	pre := g.Events[p.pending[len(p.pending)-1]]
	p.pending = p.pending[:len(p.pending)-1]
	e := Event{Phase: Post, Op: pre.Op, PC: pre.PC, Object: pre.Object}
	if err := p.result(&e); err != nil {
		return err
	}
	if e.Pos, err = p.position(); err != nil {
		return err
	}
	g.Events = append(g.Events, e)
	return p.end()
}

// result reads how an operation has ended.
func (p *parser) result(e *Event) error {
	if e.Op == OpSelect {
		if !p.is(":") {
			return fmt.Errorf("a select says which case it has taken, as : 0, or that it is pending")
		}
		if p.is(wordDefault) {
			e.Case = DefaultCase
		} else {
			c, err := number(p.next(), 0, 1<<31-1)
			if err != nil {
				return err
			}
			e.Case = int32(c)
		}
	}
	for _, f := range flagWords {
		if p.is(f.word) {
			e.Flags |= f.flag
		}
	}
	if p.is("=") {
		n, err := strconv.ParseInt(p.next(), 10, 32)
		if err != nil {
			return fmt.Errorf("a counter is a number")
		}
		e.Flags |= Counted
		e.Counter = int32(n)
	}
	if p.is(wordFirst) {
		e.Partner = First
	} else if p.is(wordFrom) {
		if e.Op == OpGo {
			return fmt.Errorf("a go names the goroutine that it starts")
		}
		g, pc, _ := strings.Cut(p.next(), ".")
		from, err := number(g, 1, 1<<31-1)
		if err != nil {
			return err
		}
		at, err := number(pc, 1, 1<<31-1)
		if err != nil {
			return err
		}
		e.Partner = Ref{Goroutine: GoroutineID(from), PC: int32(at)}
	}
	if p.is(wordSeq) {
		n, err := number(p.next(), 1, 1<<62)
		if err != nil {
			return err
		}
		e.Seq = int64(n)
	}
	return nil
}

// cases reads the alternatives of a select.
func (p *parser) cases(e *Event) error {
	for len(p.words) > 0 && p.words[0] != ":" && p.words[0] != wordPending && !strings.HasPrefix(p.words[0], "@") {
		if e.Has(HasDefault) {
			return fmt.Errorf("the default is the last case")
		}
		word, more := strings.CutSuffix(p.next(), ",")
		if word == wordDefault {
			e.Flags |= HasDefault
			if more {
				return fmt.Errorf("the default is the last case")
			}
			continue
		}
		var c Case
		switch word {
		case opWords[OpSend]:
			c.Op = OpSend
		case opWords[OpRecv]:
			c.Op = OpRecv
		default:
			return fmt.Errorf("a case is send, recv or default, and not %q", clip(word))
		}
		if more || len(p.words) == 0 {
			return fmt.Errorf("a case has a channel")
		}
		// The comma stands behind the channel, or behind its position.
		p.words[0], more = strings.CutSuffix(p.words[0], ",")
		var err error
		if c.Object, err = p.reference(); err != nil {
			return err
		}
		if !more && len(p.words) > 0 && strings.HasPrefix(p.words[0], "@") {
			p.words[0], more = strings.CutSuffix(p.words[0], ",")
			if c.Pos, err = p.position(); err != nil {
				return err
			}
		}
		e.Cases = append(e.Cases, c)
		ends := len(p.words) == 0 || p.words[0] == ":" || p.words[0] == wordPending
		if more == ends {
			return fmt.Errorf("cases are separated by commas")
		}
	}
	return nil
}

// position reads a position, if there is one.
func (p *parser) position() (PosID, error) {
	if len(p.words) == 0 || !strings.HasPrefix(p.words[0], "@") {
		return 0, nil
	}
	text := p.next()[1:]
	var pos Position
	bad := fmt.Errorf("a position is @FILE:LINE:COLUMN, and not %q", clip(text))
	text, in, of := strings.Cut(text, "(")
	if of {
		var ok bool
		if in, ok = strings.CutSuffix(in, ")"); !ok {
			return 0, bad
		}
		fn, site, _ := strings.Cut(in, ",")
		var err error
		if pos.Func, err = unescape(fn); err != nil {
			return 0, err
		}
		if pos.Site, err = unescape(site); err != nil {
			return 0, err
		}
	}
	parts := strings.Split(text, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return 0, bad
	}
	var err error
	if pos.File, err = unescape(parts[0]); err != nil {
		return 0, err
	}
	if pos.Line, err = number(parts[1], 1, 1<<31-1); err != nil || pos.File == "" {
		return 0, bad
	}
	if len(parts) == 3 {
		if pos.Column, err = number(parts[2], 1, 1<<31-1); err != nil {
			return 0, bad
		}
	}
	id := p.positions[pos]
	if id == 0 {
		p.t.Positions = append(p.t.Positions, pos)
		id = PosID(len(p.t.Positions))
		p.positions[pos] = id
	}
	return id, nil
}

// number reads a number without a sign, in its shortest form.
func number(text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most || strconv.Itoa(n) != text {
		return 0, fmt.Errorf("%q is no number from %d to %d", clip(text), least, most)
	}
	return n, nil
}

// plain reports whether a byte stands for itself in a name.
func plain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_.-/$*#[]~", c) >= 0
}

// escape is a name as a word of the text form. A "#" that begins a word would begin a comment.
func escape(name string) string {
	var out strings.Builder
	for i := range len(name) {
		if c := name[i]; plain(c) && (c != '#' || i > 0) {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}

// unescape is the name that a word stands for.
func unescape(word string) (string, error) {
	out := make([]byte, 0, len(word))
	for i := 0; i < len(word); i++ {
		switch c := word[i]; {
		case plain(c) && (c != '#' || i > 0):
			out = append(out, c)
		case c == '%' && i+2 < len(word):
			n, err := strconv.ParseUint(word[i+1:i+3], 16, 8)
			if err != nil || n < ' ' || n == 0x7f {
				return "", fmt.Errorf("%q has a %% that stands for nothing, or for a control character", clip(word))
			}
			out = append(out, byte(n))
			i += 2
		default:
			return "", fmt.Errorf("%q is no name: other characters than letters, digits and _.-/$*#[]~ are written as %%XX", clip(word))
		}
	}
	if !utf8.Valid(out) {
		return "", fmt.Errorf("%q is no UTF-8", clip(word))
	}
	return string(out), nil
}

// Format writes the text form of a valid trace, which Parse reads if no name has control
// characters; objects get the names of
// Trace.ObjectName, and two of the same name their numbers behind it.
func Format(w io.Writer, t *Trace) error {
	f := &formatter{t: t, names: names(t)}
	f.print("trace ", textVersion, "\n")
	if t.Program != "" {
		f.print("program ", escape(t.Program), "\n")
	}
	for i, o := range t.Objects {
		f.print(o.Kind.String(), " ", f.name(ObjectID(i+1)))
		if o.Kind == Chan {
			f.print(" ", strconv.Itoa(o.Cap))
		}
		f.position(o.Pos)
		f.print("\n")
	}
	for i := range t.Goroutines {
		g := &t.Goroutines[i]
		f.print("goroutine ", strconv.Itoa(i+1))
		if g.Name != "" {
			// A name that is a word of the line could not be told from it.
			switch g.Name {
			case "of", "path", "truncated", leftWords[Unreachable], leftWords[Reachable]:
				f.print(fmt.Sprintf(" %%%02X%s", g.Name[0], g.Name[1:]))
			default:
				f.print(" ", escape(g.Name))
			}
		}
		if g.Parent > 0 {
			f.print(" of ", strconv.Itoa(int(g.Parent)))
		}
		if g.Path != "" {
			f.print(" path ", escape(g.Path))
		}
		if g.Truncated {
			f.print(" truncated")
		}
		if g.Left != NotJudged {
			f.print(" ", g.Left.String())
		}
		f.print("\n")
		for j := range g.Events {
			f.event(&g.Events[j])
		}
		if _, err := w.Write(f.out); err != nil {
			return err
		}
		f.out = f.out[:0]
	}
	_, err := w.Write(f.out)
	return err
}

// names are the names of the objects, all different.
func names(t *Trace) []string {
	out := make([]string, len(t.Objects))
	used := map[string]bool{"nil": true}
	for i := range t.Objects {
		name := t.ObjectName(ObjectID(i + 1))
		for used[name] {
			name += "." + strconv.Itoa(i+1)
		}
		used[name] = true
		out[i] = escape(name)
	}
	return out
}

// formatter collects a text.
type formatter struct {
	t     *Trace
	names []string
	out   []byte
}

func (f *formatter) print(words ...string) {
	for _, w := range words {
		f.out = append(f.out, w...)
	}
}

func (f *formatter) name(id ObjectID) string {
	if id == 0 {
		return "nil"
	}
	return f.names[id-1]
}

func (f *formatter) position(id PosID) {
	p := f.t.Position(id)
	if p.File == "" || p.Line < 1 {
		return
	}
	f.print(" @", escape(p.File), ":", strconv.Itoa(p.Line))
	if p.Column > 0 {
		f.print(":", strconv.Itoa(p.Column))
	}
	if p.Func != "" || p.Site != "" {
		f.print("(", escape(p.Func))
		if p.Site != "" {
			f.print(",", escape(p.Site))
		}
		f.print(")")
	}
}

func (f *formatter) event(e *Event) {
	f.print("  ")
	if e.Phase == Post {
		f.print(wordPost, " ", strconv.Itoa(int(e.PC)))
	} else {
		f.print(e.Op.String())
		switch e.Op {
		case OpSelect:
			for i, c := range e.Cases {
				f.print(" ", c.Op.String(), " ", f.name(c.Object))
				f.position(c.Pos)
				if i < len(e.Cases)-1 || e.Has(HasDefault) {
					f.print(",")
				}
			}
			if e.Has(HasDefault) {
				f.print(" ", wordDefault)
			}
		case OpGo:
			f.print(" ", strconv.Itoa(int(e.Partner.Goroutine)))
		case OpEnd:
		default:
			f.print(" ", f.name(e.Object))
		}
		if e.Op == OpAdd {
			f.print(fmt.Sprintf(" %+d", e.Delta))
		}
	}
	if e.Phase == Pre {
		f.print(" ", wordPending)
	} else {
		f.result(e)
	}
	f.position(e.Pos)
	f.print("\n")
}

func (f *formatter) result(e *Event) {
	if e.Op == OpSelect {
		if e.Case == DefaultCase {
			f.print(" : ", wordDefault)
		} else {
			f.print(" : ", strconv.Itoa(int(e.Case)))
		}
	}
	for _, w := range flagWords {
		if e.Has(w.flag) {
			f.print(" ", w.word)
		}
	}
	if e.Has(Counted) {
		f.print(" = ", strconv.Itoa(int(e.Counter)))
	}
	switch {
	case e.Partner == First:
		f.print(" ", wordFirst)
	case e.Partner.Known() && e.Op != OpGo:
		f.print(" ", wordFrom, " ", strconv.Itoa(int(e.Partner.Goroutine)), ".", strconv.Itoa(int(e.Partner.PC)))
	}
	if e.Seq > 0 {
		f.print(" ", wordSeq, " ", strconv.FormatInt(e.Seq, 10))
	}
}
