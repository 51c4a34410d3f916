package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/explain"
)

// Acceptance says that somebody has decided to live with a finding. It is reported in a line, and
// counts as no error.
type Acceptance struct {
	// Finding is its number.
	Finding int `json:"finding"`
	// By is what accepts it.
	By Source `json:"by"`
	// Reason is what a comment says, "" for those of a baseline.
	Reason string `json:"reason,omitempty"`
	// File is that of the comment.
	File string `json:"file,omitempty"`
	// Line is that of the comment.
	Line int `json:"line,omitempty"`
}

// Source is where a finding is accepted.
type Source string

const (
	// InComment: by a comment in the program.
	InComment Source = "comment"
	// InBaseline: by a file with the findings of an earlier check.
	InBaseline Source = "baseline"
	// ByDriver: the test that has shown it was written to call a function, and is to blame for it, or
	// another one has shown the same.
	ByDriver Source = "driver"
)

func (a Acceptance) String() string {
	switch a.By {
	case InBaseline:
		return "it is in the baseline"
	case ByDriver:
		return a.Reason
	}
	return fmt.Sprintf("%s:%d: %s", a.File, a.Line, a.Reason)
}

// Numbers are those of the findings that are accepted.
func Numbers(all []Acceptance) []int {
	var out []int
	for _, a := range all {
		out = append(out, a.Finding)
	}
	return out
}

// directive begins a comment that accepts findings:
//
//	//vtrace:ignore goroutine-leak the worker lives as long as the process
//
// A comment is about the findings of these kinds, which are separated by commas, in the line in
// which it stands or in the one below it, or in the function that it is a doc comment of.
const directive = "//vtrace:ignore"

// Accept finds out which findings of a bundle do not count, by comments in its program and by a
// baseline, which may be nil. Problems are comments that accept nothing since they are not
// understood, with their places.
func Accept(b *artifact.Bundle, base *Baseline) (accepted []Acceptance, problems []string) {
	comments, problems := commentsOf(b)
	for _, f := range b.Findings() {
		r, ok := ruleOf(f.Kind)
		if _, counts := levelOf(f); !ok || !counts {
			continue
		}
		at := slices.IndexFunc(comments, func(c comment) bool { return c.covers(f, r) })
		switch {
		case at >= 0:
			c := comments[at]
			accepted = append(accepted, Acceptance{f.Number, InComment, c.reason, c.file, c.line})
		case base.has(fingerprint(b, f, r)):
			accepted = append(accepted, Acceptance{Finding: f.Number, By: InBaseline})
		}
	}
	return accepted, problems
}

// comment is one with the directive.
type comment struct {
	file        string
	line        int
	rules       []string
	reason      string
	first, last int // lines of findings that it is about
}

// covers reports whether a comment is about a finding: by its place, or that which reports show.
func (c *comment) covers(f artifact.Finding, r rule) bool {
	in := func(file string, line int) bool { return file == c.file && c.first <= line && line <= c.last }
	at := explain.Place(f)
	return slices.Contains(c.rules, r.id) && (in(f.File, f.Line) || in(at.File, at.Line))
}

// commentsOf are the comments with the directive in the program of a bundle.
func commentsOf(b *artifact.Bundle) (out []comment, problems []string) {
	files := maps.Collect(b.Below(artifact.SourceDir))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Ext(name) != ".go" || !bytes.Contains(files[name], []byte(directive)) {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, files[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: its comments are not read: %v", name, err))
			continue
		}
		position := func(pos token.Pos) token.Position { return fset.PositionFor(pos, false) } // as findings have them
		for _, group := range f.Comments {
			for _, text := range group.List {
				rest, ok := strings.CutPrefix(text.Text, directive)
				if !ok || rest != "" && !strings.ContainsAny(rest[:1], " \t") {
					continue
				}
				c := comment{file: name, line: position(text.Pos()).Line}
				if err := c.read(rest); err != nil {
					problems = append(problems, fmt.Sprintf("%s:%d: %s: %v", name, c.line, directive, err))
					continue
				}
				c.first, c.last = c.line, c.line+1
				for _, d := range f.Decls {
					if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc == group {
						c.last = position(fn.End()).Line
					}
				}
				out = append(out, c)
			}
		}
	}
	return out, problems
}

// read reads what stands behind the directive.
func (c *comment) read(text string) error {
	codes := strings.TrimSpace(text)
	if i := strings.IndexAny(codes, " \t"); i >= 0 {
		codes, c.reason = codes[:i], strings.TrimSpace(codes[i:])
	}
	if codes == "" {
		return errors.New("it names no kind of finding, as in " + directive + " goroutine-leak REASON")
	}
	for id := range strings.SplitSeq(codes, ",") {
		if !slices.ContainsFunc(rules, func(r rule) bool { return r.id == id }) {
			var ids []string
			for _, r := range rules {
				ids = append(ids, r.id)
			}
			return fmt.Errorf("no kind of finding is called %q: they are %s", id, strings.Join(ids, ", "))
		}
		c.rules = append(c.rules, id)
	}
	if c.reason == "" {
		return errors.New("it gives no reason, which has to stand behind the kind")
	}
	return nil
}

// Baseline are findings that were there before, which a check does not count. The zero value has
// none. It is not safe for concurrent use while findings are added.
type Baseline struct {
	known map[string]known // by fingerprint
}

// known is a finding of a baseline. Only its fingerprint counts: the rest is for people.
type known struct {
	Fingerprint string `json:"fingerprint"`
	Rule        string `json:"rule"`
	File        string `json:"file,omitempty"`
	Function    string `json:"function,omitempty"`
	Message     string `json:"message,omitempty"`
}

// baselineFile is the form of a baseline in a file.
type baselineFile struct {
	Format   string  `json:"format"`
	Version  int     `json:"version"`
	Findings []known `json:"findings"`
}

const (
	baselineFormat  = "vtrace-baseline"
	baselineVersion = 1
	// maxBaseline bounds the bytes of a baseline.
	maxBaseline = 64 << 20
)

// ReadBaseline reads what Write has written.
func ReadBaseline(r io.Reader) (*Baseline, error) {
	if r == nil {
		return nil, &artifact.ArgumentError{Name: "reader", Reason: "nil"}
	}
	data, err := io.ReadAll(io.LimitReader(r, maxBaseline+1))
	if err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	if len(data) > maxBaseline {
		return nil, fmt.Errorf("baseline: more than %d bytes", maxBaseline)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var f baselineFile
	if err := dec.Decode(&f); err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("baseline: something stands behind its end")
	}
	if f.Format != baselineFormat || f.Version != baselineVersion {
		return nil, fmt.Errorf("baseline: its format is %q, version %d; wanted is %q, version %d", f.Format, f.Version, baselineFormat, baselineVersion)
	}
	base := &Baseline{known: map[string]known{}}
	for _, k := range f.Findings {
		if k.Fingerprint == "" {
			return nil, errors.New("baseline: a finding without a fingerprint")
		}
		base.known[k.Fingerprint] = k
	}
	return base, nil
}

// Add adds the findings of a bundle that count as errors, or may be some, but for those that
// comments accept.
func (base *Baseline) Add(b *artifact.Bundle) {
	if base.known == nil {
		base.known = map[string]known{}
	}
	accepted, _ := Accept(b, nil)
	for _, f := range b.Findings() {
		r, ok := ruleOf(f.Kind)
		level, _ := levelOf(f)
		if !ok || level != levelError && level != levelWarning || slices.Contains(Numbers(accepted), f.Number) {
			continue
		}
		print := fingerprint(b, f, r)
		base.known[print] = known{print, r.id, f.File, f.Function, Message(f)}
	}
}

// Keep adds what another baseline has, nil for nothing.
func (base *Baseline) Keep(other *Baseline) {
	if other == nil {
		return
	}
	if base.known == nil {
		base.known = map[string]known{}
	}
	for print, k := range other.known {
		if _, ok := base.known[print]; !ok {
			base.known[print] = k
		}
	}
}

// Len is how many findings there are.
func (base *Baseline) Len() int { return len(base.known) }

// Write writes a baseline. The same findings are the same bytes.
func (base *Baseline) Write(w io.Writer) error {
	f := baselineFile{baselineFormat, baselineVersion, []known{}}
	for _, print := range slices.Sorted(maps.Keys(base.known)) {
		f.Findings = append(f.Findings, base.known[print])
	}
	slices.SortStableFunc(f.Findings, func(a, b known) int {
		return strings.Compare(a.File+"\x00"+a.Rule, b.File+"\x00"+b.Rule)
	})
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(f); err != nil {
		return fmt.Errorf("baseline: %w", err)
	}
	return nil
}

func (base *Baseline) has(print string) bool {
	if base == nil {
		return false
	}
	_, ok := base.known[print]
	return ok
}
