package lsp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/docs/findings"
	"github.com/vtrace/vtrace/internal/earlier"
	"github.com/vtrace/vtrace/internal/explain"
	"github.com/vtrace/vtrace/report"
)

// entryKey names an entry point by the directory of its package.
type entryKey struct{ dir, entry string }

// result is what is known of an entry point.
type result struct {
	earlier.Result
	// session: the check was one of this session.
	session bool
	// accepted are the numbers of the findings that comments of the program accept.
	accepted []int
}

func newResult(r earlier.Result, session bool) *result {
	accepted, _ := report.Accept(r.Bundle, nil)
	return &result{r, session, report.Numbers(accepted)}
}

// failure is why the last check of a package has no result: its program does not build.
type failure struct {
	errors []vtrace.ProgramError
	texts  map[string][]byte // the files with errors as they were, by their names
}

func (s *server) resultOf(dir, entry string) *result {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.results[entryKey{dir, entry}]
}

// keep keeps what a check has found, in place of what was known before: the program builds, too.
func (s *server) keep(dir, entry string, r *result) {
	s.mu.Lock()
	s.results[entryKey{dir, entry}] = r
	delete(s.failures, dir)
	s.mu.Unlock()
	s.changed()
	s.refreshLenses()
}

// changed has the diagnostics made anew.
func (s *server) changed() {
	select {
	case s.republish <- struct{}{}:
	default:
	}
}

// publisher sends diagnostics when something has changed.
func (s *server) publisher() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.republish:
		}
		for waiting := true; waiting; {
			timer := time.NewTimer(quiet)
			select {
			case <-s.ctx.Done():
				return
			case <-s.republish:
				timer.Stop()
			case <-timer.C:
				waiting = false
			}
		}
		s.publish()
	}
}

// publish sends the diagnostics of all files for which they are others than before.
func (s *server) publish() {
	read := s.reader()
	byPath := s.diagnostics(read)
	s.mu.Lock()
	next := map[string][]diagnostic{}
	for path, all := range byPath {
		next[s.uri(path)] = all
	}
	for uri := range s.sent {
		if _, ok := next[uri]; !ok {
			next[uri] = []diagnostic{}
		}
	}
	s.mu.Unlock()
	for _, uri := range slices.Sorted(maps.Keys(next)) {
		data, err := json.Marshal(next[uri])
		if err != nil || s.sent[uri] == string(data) {
			continue
		}
		if s.sent[uri] = string(data); len(next[uri]) == 0 {
			delete(s.sent, uri)
		}
		s.notify("textDocument/publishDiagnostics", publishDiagnosticsParams{uri, next[uri]})
	}
}

// diagnostics are those of all results, by the absolute name of the file.
func (s *server) diagnostics(read earlier.ReadFile) map[string][]diagnostic {
	s.mu.Lock()
	results, failures := maps.Clone(s.results), maps.Clone(s.failures)
	s.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(results), func(a, b entryKey) int {
		return cmp.Or(cmp.Compare(a.dir, b.dir), cmp.Compare(a.entry, b.entry))
	})
	out := map[string][]diagnostic{}
	add := func(path string, d diagnostic) {
		// Several entry points may show the same.
		for _, o := range out[path] {
			if o.Range == d.Range && o.Message == d.Message {
				return
			}
		}
		out[path] = append(out[path], d)
	}
	for _, dir := range slices.Sorted(maps.Keys(failures)) {
		f := failures[dir]
		for _, e := range f.errors {
			was, known := f.texts[e.File]
			text, err := read(e.File)
			if !known || err != nil || !bytes.Equal(text, was) {
				continue // it was changed: the compiler may say something else now
			}
			add(e.File, diagnostic{Range: s.rangeOf(text, e.Line, e.Col), Severity: severityError, Code: "build", Source: origin, Message: plain(e.Message)})
		}
	}
	for _, k := range keys {
		s.findings(k, results[k], read, add)
	}
	for _, all := range out {
		slices.SortStableFunc(all, func(a, b diagnostic) int {
			return cmp.Or(cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Character, b.Range.Start.Character), cmp.Compare(a.Severity, b.Severity))
		})
	}
	return out
}

// origin is what the client shows as the source of diagnostics.
const origin = "vtrace"

// severityOf is the severity of a finding; what is false is not shown.
func severityOf(f artifact.Finding) (severity int, ok bool) {
	if explain.Refuted(f) {
		return severityInformation, true
	}
	severity, ok = severities[f.Verdict]
	return severity, ok
}

// severities are those of verdicts.
var severities = map[string]int{
	artifact.Real:            severityError,
	artifact.Possible:        severityWarning,
	artifact.Unconfirmed:     severityWarning,
	artifact.TimingDependent: severityWarning,
	artifact.Note:            severityInformation,
}

// findings adds the findings of a result.
func (s *server) findings(k entryKey, r *result, read earlier.ReadFile, add func(string, diagnostic)) {
	all := r.Bundle.Findings()
	if len(all) == 0 {
		return
	}
	c := r.Compare(read)
	for _, f := range all {
		severity, ok := severityOf(f)
		if !ok || slices.Contains(r.accepted, f.Number) {
			continue
		}
		at, ok := earlier.Anchor(f)
		place, now := c.Locate(at.File, at.Line, at.Col)
		if !ok { // it is all in other modules: then it is shown at the entry point
			place, now = s.declared(k, read)
		}
		text, err := read(place.File)
		if now == earlier.Gone || err != nil {
			continue
		}
		d := diagnostic{
			Range: s.rangeOf(text, place.Line, 0), Severity: severity, Source: origin, Message: plain(report.Message(f)),
			Data: &diagnosticData{Entry: k.entry, Finding: f.Number},
		}
		if id, ok := report.RuleID(f.Kind); ok {
			d.Code = id
			if s.client.Capabilities.TextDocument.PublishDiagnostics.CodeDescriptionSupport {
				d.CodeDescription = &codeDescription{findings.URL(id)}
			}
		}
		switch c.State(f) {
		case earlier.Changed:
			d.Severity, d.Data.Stale = severityHint, true
			d.Message = "before this code was changed: " + d.Message
		case earlier.Elsewhere:
			d.Message += "; other code of the program has changed since the check"
		}
		if s.client.Capabilities.TextDocument.PublishDiagnostics.RelatedInformation {
			d.RelatedInformation = s.related(f, c, read)
		}
		add(place.File, d)
	}
}

// declared is where an entry point is declared.
func (s *server) declared(k entryKey, read earlier.ReadFile) (earlier.Place, earlier.State) {
	files, _ := filepath.Glob(filepath.Join(k.dir, "*.go")) // none, if it is no pattern
	for _, name := range files {
		text, err := read(name)
		if err != nil {
			continue
		}
		entries, _ := entriesOf(name, text)
		for _, e := range entries {
			if e.name == k.entry {
				return earlier.Place{File: name, Line: e.line}, earlier.Elsewhere
			}
		}
	}
	return earlier.Place{}, earlier.Gone
}

// maxRelated bounds the steps that a diagnostic names.
const maxRelated = 200

// related are the steps of a finding's interleaving, and where its goroutines are at the end.
func (s *server) related(f artifact.Finding, c *earlier.Comparison, read earlier.ReadFile) []relatedInformation {
	var out []relatedInformation
	add := func(path string, line int, message string) {
		if path == "" || len(out) == maxRelated {
			return
		}
		place, state := c.Locate(path, line, 0)
		text, err := read(place.File)
		if state == earlier.Gone || err != nil {
			return
		}
		s.mu.Lock()
		uri := s.uri(place.File)
		s.mu.Unlock()
		out = append(out, relatedInformation{location{uri, s.rangeOf(text, place.Line, 0)}, plain(message)})
	}
	for _, step := range f.Interleaving {
		add(step.File, step.Line, fmt.Sprintf("step %d, goroutine %s: %s", step.Step, explain.Goroutine(f, step.G), explain.Step(step)))
	}
	for _, g := range f.Goroutines {
		text := "at the end goroutine " + explain.Goroutine(f, g.G)
		if g.State != "" {
			text += ", " + g.State
		}
		add(g.File, g.Line, text+": "+g.Text)
		for _, h := range g.Holds {
			add(h.File, h.Line, fmt.Sprintf("goroutine %s holds %s", explain.Goroutine(f, g.G), explain.Holding(f, h)))
		}
	}
	return out
}

// plain leaves out of a text of the program what could command a terminal, or change the
// order in which it is read.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}

// textsOf are the files with errors, as they are now.
func textsOf(errs []vtrace.ProgramError, read earlier.ReadFile) map[string][]byte {
	out := map[string][]byte{}
	for _, e := range errs {
		if e.File == "" {
			continue
		}
		if data, err := read(filepath.Clean(e.File)); err == nil {
			out[e.File] = data
		}
	}
	return out
}
