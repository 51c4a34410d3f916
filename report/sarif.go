package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/docs/findings"
	"github.com/vtrace/vtrace/internal/explain"
	"github.com/vtrace/vtrace/internal/pass"
)

const (
	toolName = "vtrace"
	toolURI  = "https://pkg.go.dev/github.com/vtrace/vtrace"
	// rootID stands for the directory that files are relative to.
	rootID = "SRCROOT"
	// rootText says which one that is. Where it is on a machine is left out.
	rootText = "the root of the repository, or of the program if that is in none"
	// fingerprintName is that of the fingerprints. It changes if what they are made of does.
	fingerprintName = "vtrace/v2"
)

// What SARIF calls how bad a result is.
const (
	levelError   = "error"
	levelWarning = "warning"
	levelNote    = "note"
)

// levelOf is how bad a finding is; what is false is no result.
func levelOf(f artifact.Finding) (level string, ok bool) {
	if explain.Refuted(f) {
		return levelNote, true
	}
	level, ok = levels[f.Verdict]
	return level, ok
}

// levels are those of verdicts.
var levels = map[string]string{
	artifact.Real:            levelError,
	artifact.Possible:        levelWarning,
	artifact.Unconfirmed:     levelWarning,
	artifact.TimingDependent: levelWarning,
	artifact.Note:            levelNote,
}

// SARIF writes the findings of the bundles of one program as a log of SARIF 2.1.0 with one
// run, as a [Log] does that has them all.
func SARIF(w io.Writer, bundles []*artifact.Bundle) error {
	var l Log
	for _, b := range bundles {
		if err := l.Add(Result{Entry: b.Manifest().Entry, Bundle: b}); err != nil {
			return err
		}
	}
	return l.Write(w, true)
}

// Log collects what is found in the entry points of one program, for a log of SARIF 2.1.0 with
// one run. Files are relative to the root of the program, unless Path says where they are in its
// repository. What several entry points show at the same place is one result, which is that of the
// first bundle with the gravest verdict. Its interleaving is a code flow with a thread flow for
// each goroutine; its fingerprint stays the same when other functions are edited. What the
// results do not cover are notifications. The zero value is an empty log. It is not safe for
// concurrent use.
type Log struct {
	// Path is the path of a file of the program in the repository, slash-separated; nil: the same.
	Path    func(file string) string
	index   map[string]int // in results, by fingerprint
	results []*sarif.Result
	entries [][]string // of the results
	notes   []*sarif.Notification
	failed  bool // an entry point could not be checked
}

// Add adds a result. Findings that are accepted are suppressed results.
func (l *Log) Add(r Result) error {
	if l.index == nil {
		l.index = map[string]int{}
	}
	if r.LeftOut != "" {
		l.note(levelNote, r.name()+": left out: "+r.LeftOut)
		return nil
	}
	if r.Bundle == nil {
		l.failed = true
		l.note(levelError, fmt.Sprintf("%s: %v", r.name(), r.Err))
		return nil
	}
	for _, f := range r.Bundle.Findings() {
		level, ok := levelOf(f)
		if !ok {
			continue
		}
		found, err := places{l.Path}.result(r.Bundle, f, level)
		if err != nil {
			return err
		}
		if a := r.accepted(f); a != nil {
			found.AddSuppression(places{l.Path}.suppression(a))
		}
		print := found.PartialFingerprints[fingerprintName]
		i, known := l.index[print]
		switch {
		case !known:
			l.index[print] = len(l.results)
			l.results, l.entries = append(l.results, found), append(l.entries, []string{r.name()})
		case graver(found, l.results[i]):
			l.results[i] = found
			fallthrough
		default:
			l.entries[i] = append(l.entries[i], r.name())
		}
	}
	for _, limit := range r.conclusion().Limits {
		l.note(levelNote, r.name()+": "+limit)
	}
	if runs := r.Bundle.Runs(); runs != nil {
		for _, g := range runs.Remaining {
			l.note(levelNote, r.name()+": when the test has ended, a goroutine of a library is still there: "+g)
		}
	}
	return nil
}

// places makes locations of files of the program.
type places struct{ path func(string) string }

// suppression is an acceptance as SARIF has it.
func (p places) suppression(a *Acceptance) *sarif.Suppression {
	switch a.By {
	case InBaseline:
		return sarif.NewSuppression().WithKind("external")
	case ByDriver:
		return sarif.NewSuppression().WithKind("external").WithJustification(a.Reason)
	}
	return sarif.NewSuppression().WithKind("inSource").WithJustification(a.Reason).WithLocation(p.location(a.File, a.Line, 0, ""))
}

func (l *Log) note(level, text string) {
	l.notes = append(l.notes, sarif.NewNotification().WithLevel(level).WithMessage(sarif.NewTextMessage(text)))
}

// Write writes the log. Complete says that all that was to be checked is in it: another one,
// and one of which something could not be checked, does not count as successful. The bytes depend
// on what was added alone.
func (l *Log) Write(w io.Writer, complete bool) error {
	driver := sarif.NewToolComponent().WithName(toolName).WithInformationURI(toolURI).WithVersion(pass.Version())
	for _, r := range rules {
		page, _ := findings.Page(r.id)
		d := sarif.NewReportingDescriptor().WithID(r.id)
		if r.kind != r.id {
			d.WithName(r.kind)
		}
		driver.AddRule(d.WithFullDescription(sarif.NewMultiformatMessageString().WithText(description(page))).
			WithShortDescription(sarif.NewMultiformatMessageString().WithText(r.short)).
			WithHelp(sarif.NewMultiformatMessageString().WithText(page).WithMarkdown(page)))
	}
	for i, r := range l.results {
		r.Properties.Add("entries", l.entries[i])
	}
	// A list that is null would say that nothing was looked at.
	run := sarif.NewRun().WithColumnKind("unicodeCodePoints").WithTool(sarif.NewTool().WithDriver(driver)).WithResults(append([]*sarif.Result{}, l.results...))
	run.OriginalUriBaseIds = map[string]sarif.ArtifactLocation{rootID: *sarif.NewArtifactLocation().WithDescription(sarif.NewTextMessage(rootText))}
	run.AddInvocation(sarif.NewInvocation().WithExecutionSuccessful(complete && !l.failed).WithToolExecutionNotifications(append([]*sarif.Notification{}, l.notes...)))
	log := sarif.NewReport()
	log.AddRun(run)
	if err := log.PrettyWrite(w); err != nil {
		return fmt.Errorf("sarif: %w", err)
	}
	return nil
}

// description is the first paragraph of a page, in a line: services show it beside a result.
func description(page string) string {
	_, text, _ := strings.Cut(page, "\n\n") // behind the title
	text, _, _ = strings.Cut(text, "\n\n")
	return strings.Join(strings.Fields(text), " ")
}

// graver reports whether a result counts for more than another one at the same place: one that is
// suppressed does for nothing.
func graver(a, b *sarif.Result) bool {
	if s, t := len(a.Suppressions) > 0, len(b.Suppressions) > 0; s != t {
		return t
	}
	return rank(a.Level) > rank(b.Level)
}

func rank(level string) int {
	switch level {
	case levelError:
		return 2
	case levelWarning:
		return 1
	}
	return 0
}

func entryName(b *artifact.Bundle) string {
	e := b.Manifest().Entry
	return e.Package + " " + e.Func
}

// result is a finding as SARIF has it.
func (p places) result(b *artifact.Bundle, f artifact.Finding, level string) (*sarif.Result, error) {
	rule, ok := ruleOf(f.Kind)
	if !ok {
		return nil, fmt.Errorf("sarif: %s: findings of the kind %q have no rule", entryName(b), f.Kind)
	}
	r := sarif.NewRuleResult(rule.id).WithRuleIndex(slices.Index(rules, rule)).WithLevel(level).WithMessage(sarif.NewTextMessage(Message(f)))
	if at := explain.Place(f); at.File != "" {
		l := p.location(at.File, at.Line, column(b, at), "")
		if at.Func != "" {
			l.AddLogicalLocation(sarif.NewLogicalLocation().WithFullyQualifiedName(at.Func).WithKind("function"))
		}
		r.AddLocation(l)
	}
	for _, g := range f.Goroutines {
		if g.File == "" {
			continue
		}
		who := "goroutine " + explain.Goroutine(f, g.G)
		r.AddRelatedLocation(p.location(g.File, g.Line, 0, who+": "+explain.Standing(g)))
		if c := g.Closed; c != nil && c.File != "" {
			r.AddRelatedLocation(p.location(c.File, c.Line, 0, "goroutine "+explain.Goroutine(f, c.G)+" closes the channel here"))
		}
		for _, h := range g.Holds {
			if h.File != "" {
				r.AddRelatedLocation(p.location(h.File, h.Line, 0, who+" holds "+h.Object+" since here"))
			}
		}
	}
	if flow := p.codeFlow(f); flow != nil {
		r.AddCodeFlow(flow)
	}
	r.PartialFingerprints = map[string]string{fingerprintName: fingerprint(b, f, rule)}
	properties := sarif.NewPropertyBag().Add("verdict", f.Verdict)
	if f.Test != "" {
		properties.Add("test", f.Test).Add("bundle", b.Digest())
	}
	return r.WithProperties(properties), nil
}

// Message is what there is to say of a finding in one paragraph: its kind, its cause, and what
// its verdict rests on.
func Message(f artifact.Finding) string {
	text := f.Kind
	if f.Cause != "" {
		text += ": " + f.Cause
	} else if f.Message != "" && !strings.HasPrefix(f.Message, f.Kind) {
		text += ": " + f.Message
	} else if f.Message != "" {
		text = f.Message
	}
	switch f.Verdict {
	case artifact.Real:
		text += " (the program has done it, in a replay)"
	case artifact.Possible:
		text += " (possible: the program was not run)"
	default:
		text += " (" + f.Verdict
		if f.Reason != "" {
			text += ": " + f.Reason
		}
		text += ")"
	}
	return explain.Renamed(f, text)
}

func (p places) location(file string, line, col int, text string) *sarif.Location {
	if p.path != nil {
		file = p.path(file)
	}
	region := sarif.NewRegion().WithStartLine(max(line, 1))
	if col > 0 {
		region.WithStartColumn(col)
	}
	l := sarif.NewLocation().WithPhysicalLocation(sarif.NewPhysicalLocation().
		WithArtifactLocation(sarif.NewArtifactLocation().WithURI(uri(file)).WithURIBaseID(rootID)).
		WithRegion(region))
	if text != "" {
		l.WithMessage(sarif.NewTextMessage(text))
	}
	return l
}

// codeFlow is the interleaving of a finding, nil if it has none.
func (p places) codeFlow(f artifact.Finding) *sarif.CodeFlow {
	if len(f.Interleaving) == 0 {
		return nil
	}
	var order []string
	flows := map[string]*sarif.ThreadFlow{}
	for _, s := range f.Interleaving {
		if s.File == "" {
			continue // time passes
		}
		flow := flows[s.G]
		if flow == nil {
			flow = sarif.NewThreadFlow().WithID("goroutine " + explain.Goroutine(f, s.G))
			flows[s.G] = flow
			order = append(order, s.G)
		}
		flow.AddLocation(sarif.NewThreadFlowLocation().WithExecutionOrder(s.Step).
			WithLocation(p.location(s.File, s.Line, 0, explain.Step(s))))
	}
	if len(order) == 0 {
		return nil
	}
	flow := sarif.NewCodeFlow().WithMessage(sarif.NewTextMessage("how it comes about"))
	for _, g := range order {
		flow.AddThreadFlow(flows[g])
	}
	return flow
}

// fingerprint tells findings apart, and stays the same when something else is edited: it is
// made of the kind, and of the number of the operation in its function.
func fingerprint(b *artifact.Bundle, f artifact.Finding, r rule) string {
	place := f.Function + " " + f.File
	if side := b.Sidecar(); side != nil {
		for _, s := range side.Sites {
			if s.File == f.File && s.Line == f.Line && s.Col == f.Col && s.Key != "" {
				place = s.Key
				break
			}
		}
	}
	if f.File == "" {
		place = entryName(b) // it has no place of its own
	}
	if at := explain.Place(f); at.Site != "" {
		place += "\n" + at.Site // who waits in the end may do so for many reasons
	}
	sum := sha256.Sum256([]byte(r.id + "\n" + place))
	return hex.EncodeToString(sum[:16])
}

// inFront is a place in front of a message.
func inFront(f artifact.Finding) string {
	at := explain.Place(f)
	if at.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d: ", at.File, at.Line)
}

// column is that of a place in code points, from 1; 0 if it is not known.
func column(b *artifact.Bundle, at explain.Location) int {
	source, ok := b.Read(artifact.SourceDir + "/" + at.File)
	if !ok || at.Col < 1 {
		return 0
	}
	n := 1
	for line := range bytes.Lines(source) {
		if n == at.Line {
			return utf8.RuneCount(line[:min(at.Col-1, len(line))]) + 1
		}
		n++
	}
	return 0
}

// uri is a slash-separated path as a relative reference.
func uri(file string) string {
	return (&url.URL{Path: file}).EscapedPath()
}
