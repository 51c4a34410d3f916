package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/docs/findings"
	"github.com/vtrace/vtrace/internal/explain"
	"github.com/vtrace/vtrace/internal/goroutine"
	"github.com/vtrace/vtrace/internal/output"
	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/report"
)

// exitCode is that for a result of which some findings are accepted.
func exitCode(b *vtrace.Bundle, accepted []report.Acceptance) int {
	switch c := conclude(b, accepted); {
	case c.Real > 0:
		return exitReal
	case c.Inconclusive():
		return exitInconclusive
	default:
		return exitNothing
	}
}

// conclude sums a result up, without the findings that are accepted.
func conclude(b *vtrace.Bundle, accepted []report.Acceptance) pass.Conclusion {
	return pass.Conclude(b, report.Numbers(accepted)...)
}

// unchangedText says why a program was not checked.
func unchangedText(u *pass.Unchanged) string {
	const off = "; -cache off checks it again"
	if u.Elsewhere {
		return "not checked again: nothing that the entry point can reach has changed since its check; the bundle has the other files as they were then" + off
	}
	return "not checked again: nothing has changed since its check" + off
}

func encode(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func resultOf(b *vtrace.Bundle, path string, accepted []report.Acceptance) output.EntryOutput {
	m := b.Manifest()
	r := output.EntryOutput{
		Pass: m.Pass, Entry: m.Entry, Bundle: path, Digest: b.Digest(),
		Found: b.Findings(), Accepted: accepted, Limits: conclude(b, accepted).Limits, Verdict: b.Verdicts(),
		Runs: b.Runs(), Races: b.Races(), Approximations: sidecar(b).Approximations,
	}
	if r.Found == nil {
		r.Found = []vtrace.Finding{}
	}
	if r.Limits == nil {
		r.Limits = []string{}
	}
	if r.Verdict == nil {
		r.Verdict = []artifact.Verdict{}
	}
	for i := range r.Found {
		r.Found[i].Reproduce = reproduce(b, r.Found[i], path)
	}
	return r
}

// reproduce is the command that shows a finding of a bundle again, "" if there is none.
func reproduce(b *vtrace.Bundle, f vtrace.Finding, path string) string {
	if f.Test == "" || path == "" {
		return ""
	}
	flags := ""
	if list := pass.Unobeyed(b); len(list) > 0 {
		flags = fmt.Sprintf("-flags '%s' ", strings.ReplaceAll(strings.Join(list, " "), "'", `'\''`))
	}
	return fmt.Sprintf("vtrace replay %s%s %s", flags, path, testName(f.Test))
}

// testName turns tests/q3-1_test.go into q3-1.
func testName(path string) string {
	return strings.TrimSuffix(strings.TrimPrefix(path, "tests/"), "_test.go")
}

func writeText(w io.Writer, b *vtrace.Bundle, path string, accepted []report.Acceptance) error {
	m := b.Manifest()
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s: %s\n", m.Entry.Package, m.Entry.Func, headline(b, accepted))
	refuted := 0
	told := newTold()
	for _, f := range b.Findings() {
		if f.Verdict == artifact.False {
			refuted++
			continue
		}
		if i := slices.IndexFunc(accepted, func(a report.Acceptance) bool { return a.Finding == f.Number }); i >= 0 {
			writeAccepted(&out, f, accepted[i])
			continue
		}
		writeFinding(&out, b, f, path, told)
	}
	if refuted > 0 && predicted(b) {
		fmt.Fprintf(&out, "\nerrors that were predicted, and that the program does not have in these orders: %d; \"vtrace inspect BUNDLE findings\" tells why\n", refuted)
	} else if refuted > 0 {
		fmt.Fprintf(&out, "\nsuspected besides, and refuted by running the program: %s; \"vtrace inspect BUNDLE findings\" tells why\n", plural(refuted, "error", "errors"))
	}
	c := conclude(b, accepted)
	if len(c.Limits) > 0 {
		out.WriteString("\nwhat this result does not cover")
		if c.Real > 0 {
			// The program itself has shown it.
			out.WriteString(" (what is REAL above stands, other errors may be missed)")
		}
		out.WriteString(":\n")
		for _, l := range c.Limits {
			fmt.Fprintf(&out, "  %s\n", l)
		}
	}
	out.WriteString(remaining("\n", b.Runs()))
	// How the answer came about matters where there is no error to look at.
	if c.Real == 0 {
		if r := b.Runs(); r != nil {
			out.WriteString("\n" + ran(r, c.Limits))
		}
		out.WriteString("\n" + modelled(b))
	}
	if r := b.Races(); r != nil {
		out.WriteString("\n" + raceSearch(b, r))
	} else if r := b.Runs(); r != nil && r.RaceRuns > 0 && c.Real == 0 {
		fmt.Fprintf(&out, "\ndata races: none in %d runs; other schedules were not looked at (-race looks at more)\n", r.RaceRuns)
	} else if r != nil && r.RaceSchedules > 0 && c.Real == 0 {
		out.WriteString("\ndata races: none in any schedule\n")
	} else if len(sidecar(b).Accesses) > 0 && c.Real == 0 {
		out.WriteString("\ndata races were not looked for (-race does): a statement that accesses shared memory counts as one step, or as two if it reads and then writes\n")
	}
	out.WriteString(listRaces("\n", wordRaces(b)))
	if path != "" {
		fmt.Fprintf(&out, "\nbundle: %s\n", path)
	}
	return printReport(w, plain(out.String()))
}

// sidecar is that of a bundle, an empty one if it has none.
func sidecar(b *vtrace.Bundle) *artifact.Sidecar {
	if s := b.Sidecar(); s != nil {
		return s
	}
	return &artifact.Sidecar{}
}

// plain is text without what a terminal takes for commands, or shows in another order than it
// stands there: a bundle may have been written by anybody.
func plain(s string) string {
	command := func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
	}
	s = strings.ToValidUTF8(s, "\ufffd")
	if !strings.ContainsFunc(s, command) {
		return s
	}
	var out strings.Builder
	for _, r := range s {
		if command(r) {
			fmt.Fprintf(&out, "\\u%04x", r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// wordRaces are the data races that a result does not count.
func wordRaces(b *vtrace.Bundle) []string {
	if b == nil || b.Runs() == nil {
		return nil
	}
	return b.Runs().WordRaces
}

// listRaces says, behind a prefix, which data races a result does not count; "" if there are none.
func listRaces(prefix string, races []string) string {
	if len(races) == 0 {
		return ""
	}
	return prefix + "data races, not counted as errors, since the model has every order of these statements (-race reports them):\n  " +
		strings.Join(races, "\n  ") + "\n"
}

// remaining says which goroutines of libraries a test leaves behind, after a text.
func remaining(before string, r *artifact.Runs) string {
	if r == nil || len(r.Remaining) == 0 {
		return ""
	}
	return before + "note: when the test has ended, goroutines of libraries are still there, perhaps since something is not closed or cancelled:\n  " +
		strings.Join(r.Remaining, "\n  ") + "\n"
}

// ran says how the program was run beside its model. Limits of the result have been said.
func ran(r *artifact.Runs, limits []string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "runs of the program: %d under random schedules, %d of them different", r.Runs, r.Schedules)
	if r.Limited > 0 {
		fmt.Fprintf(&out, ", %d cut off", r.Limited)
	}
	if r.Uncontrolled > 0 {
		fmt.Fprintf(&out, ", %d without a verdict", r.Uncontrolled)
	}
	if r.Stopped != "" {
		out.WriteString("; ended: " + r.Stopped)
	}
	if c := r.Conformance; c != nil {
		fmt.Fprintf(&out, "; %d were compared with the model, which can do %d of them", c.Runs, c.Followed)
		for _, g := range c.Gaps {
			if text := g.String(); !slices.Contains(limits, text) {
				out.WriteString("\n  " + text)
			}
		}
	}
	if e := r.Exhaustive; e != nil {
		out.WriteString("\n" + e.Coverage())
		for _, l := range e.Limits {
			if !slices.Contains(limits, l) {
				out.WriteString("\n  not covered: " + l)
			}
		}
	}
	if e := r.Preemptions; e != nil && !e.Complete {
		out.WriteString("\n" + e.Coverage())
		if e.Errors == 0 {
			out.WriteString("; none ends in an error")
		}
	}
	for _, s := range r.SmallScopes {
		out.WriteString("\n" + smallScope(s))
	}
	return out.String() + "\n"
}

// outcomes are the words for those of a check with smaller numbers.
var outcomes = map[string]string{
	artifact.ScopeProved: "no error",
	artifact.ScopeFails:  "it fails in some runs, and in others it does not",
	artifact.ScopeUnfit:  "it fails in every run, most likely since they do not fit each other any more",
	artifact.ScopeOpen:   "no error found within bounds",
}

// shownPlaces is how many of the places of a smaller number are printed.
const shownPlaces = 2

// smallScope says what a check with smaller numbers has shown.
func smallScope(s artifact.SmallScope) string {
	numbers := make([]string, len(s.Numbers))
	for i, n := range s.Numbers {
		at := strings.Join(n.At[:min(len(n.At), shownPlaces)], ", ")
		if more := len(n.At) - shownPlaces; more > 0 {
			at += fmt.Sprintf(", and %s", plural(more, "other place", "other places"))
		}
		numbers[i] = fmt.Sprintf("%d in place of %d (%s)", n.To, n.From, at)
	}
	text := fmt.Sprintf("with smaller numbers, %s: %s", strings.Join(numbers, ", "), outcomes[s.Outcome])
	switch {
	case len(s.Why) > shownLimits:
		return fmt.Sprintf("%s: %s, and %d more", text, strings.Join(s.Why[:shownLimits], "; "), len(s.Why)-shownLimits)
	case len(s.Why) > 0:
		return text + ": " + strings.Join(s.Why, "; ")
	}
	return text
}

// raceSearch says how data races were looked for.
func raceSearch(b *vtrace.Bundle, r *artifact.RaceSearch) string {
	found := 0
	for _, f := range b.Findings() {
		if f.Kind == artifact.KindRace {
			found++
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "data races: %d in %d replays and %d runs under random schedules, %d of them different", found, r.Replays, r.Runs, r.Schedules)
	if r.Limited > 0 {
		fmt.Fprintf(&out, ", %d cut off", r.Limited)
	}
	out.WriteString("; other schedules were not looked at\n")
	for _, kind := range slices.Sorted(maps.Keys(r.Ends)) {
		fmt.Fprintf(&out, "  %d of these runs ended in: %s; \"vtrace explore\" shows such ends\n", r.Ends[kind], kind)
	}
	return out.String()
}

func headline(b *vtrace.Bundle, accepted []report.Acceptance) string {
	c := conclude(b, accepted)
	var parts []string
	for _, n := range []struct {
		n    int
		what string
	}{{c.Real, "real"}, {c.Possible, "possible"}, {c.Unconfirmed, "unconfirmed"}} {
		if n.n > 0 {
			noun := " error"
			if n.n > 1 {
				noun = " errors"
			}
			parts = append(parts, fmt.Sprintf("%d %s", n.n, n.what+noun))
		}
	}
	if refuted := refutedOf(b.Findings()); c.Unconfirmed > 0 && refuted == c.Unconfirmed {
		them := "it"
		if refuted > 1 {
			them = "them"
		}
		parts[len(parts)-1] += fmt.Sprintf(" (the program did not do %s when it was tried)", them)
	}
	if c.TimingDependent > 0 && b.Manifest().Entry.Func == "main" {
		parts = append(parts, "a timing-dependent error")
	} else if c.TimingDependent > 0 {
		parts = append(parts, "a timing-dependent test")
	}
	switch {
	case c.Notes == 1:
		parts = append(parts, "1 note")
	case c.Notes > 1:
		parts = append(parts, fmt.Sprintf("%d notes", c.Notes))
	}
	if len(accepted) > 0 {
		parts = append(parts, fmt.Sprintf("%d accepted", len(accepted)))
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, ", ")
	case c.Proved && len(c.Limits) == 0:
		return "no error: " + b.Runs().Exhaustive.Coverage()
	case b.Runs() != nil && b.Runs().Failing != "":
		return "it fails in every run"
	case b.Runs() != nil && b.Runs().FailsPlain != "":
		return "it fails when it is run as it is, which no run under control has shown"
	case predicted(b):
		return "no model; no error seen in runs that follow predictions"
	case sidecar(b).Outside() != nil:
		return "no model; no error seen in random runs" + inScope(b)
	case len(c.Limits) > 0:
		return "no error found within bounds" + inScope(b)
	case c.False > 0:
		return "no error: every trace of the model was refuted by the program"
	default:
		return "no error"
	}
}

// refutedOf counts the errors that the program did not do when it was tried.
func refutedOf(all []artifact.Finding) (n int) {
	for _, f := range all {
		if explain.Refuted(f) {
			n++
		}
	}
	return n
}

// inScope says what is known of the program with smaller numbers, behind a headline.
func inScope(b *vtrace.Bundle) string {
	if b.Runs() == nil {
		return ""
	}
	is := func(outcome string) bool {
		return slices.ContainsFunc(b.Runs().SmallScopes, func(s artifact.SmallScope) bool { return s.Outcome == outcome })
	}
	switch {
	case is(artifact.ScopeFails):
		return "; there is one with smaller numbers"
	case is(artifact.ScopeProved):
		return "; none with smaller numbers"
	}
	return ""
}

// predicted reports whether a bundle is of predictions, which have no runs besides those that follow them.
func predicted(b *vtrace.Bundle) bool {
	return b.Manifest().Pass == artifact.PassDeep && b.Runs() == nil && sidecar(b).Outside() != nil
}

// The words for a model that is not exact.
const (
	wordPartial      = "partial"
	wordApproximated = "approximated"
)

// inexact explains the words for a model that is not exact.
var inexact = map[string]string{
	wordPartial:      "the model of the program, which is searched for errors, leaves places out",
	wordApproximated: "the model of the program, which is searched for errors, can do a little more or less than the program in places",
}

// precision says how a bundle's model relates to its program, in a word.
func precision(b *vtrace.Bundle) string {
	if b == nil {
		return "refused"
	}
	switch p := vtrace.Conclude(b).Precision; {
	case p.Outside > 0:
		return wordPartial
	case p.Approximated > 0 || slices.ContainsFunc(sidecar(b).Approximations, func(a artifact.Approximation) bool { return a.Direction != artifact.DirectionControl && !a.Unreached }):
		return wordApproximated
	default:
		return "exact"
	}
}

// modelled says how far the model of the program, which was searched for errors, does what the program does, and names
// the places where it is not exact, the first of each kind.
func modelled(b *vtrace.Bundle) string {
	var out strings.Builder
	p := vtrace.Conclude(b).Precision
	fmt.Fprintf(&out, "model of the program, which was searched for errors: %s as in the program", plural(p.Exact, "operation is", "operations are"))
	if p.Approximated > 0 {
		fmt.Fprintf(&out, ", %s only nearly so", plural(p.Approximated, "is", "are"))
	}
	if p.Outside > 0 {
		fmt.Fprintf(&out, "; it leaves out %s", plural(p.Outside, "place", "places"))
	}
	out.WriteString("\n")
	type kind struct{ kind, direction string }
	count := map[kind]int{}
	var kinds []kind
	first := map[kind]artifact.Approximation{}
	for _, a := range sidecar(b).Approximations {
		if a.Unreached {
			continue
		}
		k := kind{a.Kind, a.Direction}
		if count[k]++; count[k] == 1 {
			kinds = append(kinds, k)
			first[k] = a
		}
	}
	for _, k := range kinds {
		a := first[k]
		at, n := "at", count[k]
		if n > 1 {
			at = "as at"
		}
		fmt.Fprintf(&out, "  %s %s, %s %s:%d:%d: %s\n", plural(n, "place", "places"), directions[k.direction], at, a.File, a.Line, a.Col, a.Reason)
	}
	if len(kinds) > 0 {
		out.WriteString("  \"vtrace inspect BUNDLE sidecar.approximations\" lists them\n")
	}
	return out.String()
}

// directions explain the directions of approximations.
var directions = map[string]string{
	artifact.DirectionOver:    "where the model can do more than the program",
	artifact.DirectionUnder:   "where the program can do more than the model",
	artifact.DirectionBound:   "where the model holds within a bound, or an assumption",
	artifact.DirectionControl: "that a replay does not control",
}

// shownStalls is how many of what has to be slow for an error is printed.
const shownStalls = 3

// writeStalls says what has to be slow for an error to come about.
func writeStalls(out io.Writer, f vtrace.Finding) {
	for i, s := range f.Stalls {
		if i == shownStalls {
			fmt.Fprintf(out, "     and %d others for less\n", len(f.Stalls)-i)
			break
		}
		fmt.Fprintf(out, "   only if goroutine %s does not get to run for %v", explain.Goroutine(f, s.G), readable(s.For))
		if s.File != "" {
			fmt.Fprintf(out, " at %s:%d: %s", s.File, s.Line, s.Text)
		}
		fmt.Fprintln(out)
	}
	switch f.Stall {
	case artifact.StallShort:
		fmt.Fprintln(out, "     (a short stall, as any machine has now and then)")
	case artifact.StallLong:
		fmt.Fprintln(out, "     (a long stall: even a busy machine seldom takes so long)")
	}
}

// readable is a duration without what nobody wants to know of it: the nanoseconds that
// readings of the clock take in a run.
func readable(d time.Duration) time.Duration {
	switch {
	case d >= time.Second:
		return d.Round(time.Millisecond)
	case d >= time.Millisecond:
		return d.Round(time.Microsecond)
	}
	return d
}

// writeAccepted tells of a finding that does not count.
func writeAccepted(out *strings.Builder, f vtrace.Finding, a report.Acceptance) {
	fmt.Fprintf(out, "\n%d. accepted: %s", f.Number, f.Kind)
	if at := explain.Place(f); at.File != "" {
		fmt.Fprintf(out, " at %s:%d", at.File, at.Line)
	}
	fmt.Fprintf(out, "\n   %v\n", a)
}

// told is what a report has said already.
type told struct {
	said          map[string]bool // kinds of findings against which it says what helps, and words whose meaning it says
	findings      []vtrace.Finding
	interleavings []interleaving
}

// interleaving is that of a finding, and how it is printed: the ends of its goroutines are in there, too.
type interleaving struct {
	number int
	steps  []artifact.FindingStep
	text   string
}

func newTold() *told { return &told{said: map[string]bool{}} }

// first reports whether something has not been said yet, and notes that it is.
func (t *told) first(what string) bool {
	was := t.said[what]
	t.said[what] = true
	return !was
}

// real reports whether an error that is real has been told of.
func (t *told) real() bool {
	return slices.ContainsFunc(t.findings, func(f vtrace.Finding) bool { return f.Verdict == artifact.Real })
}

// The words that are explained once.
const (
	wordGoroutine = "goroutine"
	wordTest      = "test"
)

// asInStacks is the name of a function as stacks have it: literals in it are named func1, func1.2.
func asInStacks(name string) string {
	outer, literals, _ := strings.Cut(name, "$")
	if literals == "" {
		return name
	}
	return outer + ".func" + strings.ReplaceAll(literals, "$", ".")
}

func writeFinding(out *strings.Builder, b *vtrace.Bundle, f vtrace.Finding, path string, told *told) {
	fmt.Fprintf(out, "\n%d. %s: %s", f.Number, strings.ToUpper(f.Verdict), f.Kind)
	at := explain.Place(f)
	if at.File != "" {
		fmt.Fprintf(out, " at %s:%d", at.File, at.Line)
		if at.Col > 0 {
			fmt.Fprintf(out, ":%d", at.Col)
		}
	}
	if at.Func != "" {
		fmt.Fprintf(out, " in %s", asInStacks(at.Func))
	}
	out.WriteString("\n")
	defer func() { told.findings = append(told.findings, f) }()
	cause := explain.Renamed(f, f.Cause)
	if n := explain.SameVariable(told.findings, f); n > 0 {
		// What is to be done about it is said there; the pair of statements is what is new.
		of := "variable"
		if f.Kind == artifact.KindMapRace {
			of = "map"
		}
		fmt.Fprintf(out, "   on the %s of %d, in other statements: %s\n", of, n, cause)
		writeReproduce(out, b, f, path, told)
		return
	}
	writeCause(out, cause)
	if explain.MessageAdds(f) {
		fmt.Fprintf(out, "   %s\n", explain.Renamed(f, f.Message))
	}
	if f.Reason != "" {
		label := "reason: "
		if f.Verdict == artifact.Real {
			label = "" // of how it was found
		}
		fmt.Fprintf(out, "   %s%s\n", label, siteKeys.ReplaceAllString(f.Reason, " ("))
	}
	if explain.Refuted(f) || (f.Verdict == artifact.Unconfirmed || f.Verdict == artifact.Possible) && told.real() {
		// What the model has for it is of little interest where the program does not do it, or does something else.
		writeReproduce(out, b, f, path, told)
		return
	}
	writeStalls(out, f)
	if len(f.Goroutines) > 0 {
		writeGoroutines(out, b, f, told)
	}
	if f.Begins != "" {
		fmt.Fprintf(out, "   in a run that begins at %s by its clock, as its replay does\n", f.Begins)
	}
	for _, v := range f.Values {
		fmt.Fprintf(out, "   only if goroutine %s gets %d, of 0 to %d", explain.Goroutine(f, v.G), v.Value, v.N-1)
		if v.File != "" {
			fmt.Fprintf(out, ", at %s:%d: %s", v.File, v.Line, v.Text)
		}
		out.WriteString("\n")
	}
	writeInterleaving(out, f, told)
	if id, ok := report.RuleID(f.Kind); ok && told.first(f.Kind) {
		text := strings.NewReplacer("\n", "\n     ", "**", "").Replace(findings.Help(id, explain.Waiting(f)...))
		fmt.Fprintf(out, "   what helps: %s\n     (with an example: vtrace help %s)\n", text, id)
	}
	writeReproduce(out, b, f, path, told)
}

// writeCause prints why an error comes about, a line for each goroutine of which it speaks.
func writeCause(out io.Writer, cause string) {
	for cause != "" {
		line, rest := cause, ""
		if at := nextGoroutine.FindStringIndex(cause); at != nil {
			line, rest = cause[:at[0]+1], cause[at[0]+2:]
		}
		fmt.Fprintf(out, "   %s\n", line)
		cause = rest
	}
}

// nextGoroutine finds where a cause goes on with another goroutine.
var nextGoroutine = regexp.MustCompile(`; (?:goroutines? \d|the goroutine of |and \d+ more wait)`)

// siteKeys finds the keys of sites in front of their places, which say more.
var siteKeys = regexp.MustCompile(` at \S+[#@]\d+(?:\.\w+)? \(`)

// writeInterleaving prints the steps of a finding, or where the same ones are printed.
func writeInterleaving(out *strings.Builder, f vtrace.Finding, told *told) {
	if len(f.Interleaving) == 0 {
		return
	}
	lines := explain.ShortTable(f)
	own := interleaving{f.Number, f.Interleaving, strings.Join(lines, "\n")}
	for _, o := range told.interleavings {
		if o.text == own.text && reflect.DeepEqual(o.steps, own.steps) {
			fmt.Fprintf(out, "   interleaving: that of %d\n", o.number)
			return
		}
	}
	told.interleavings = append(told.interleavings, own)
	heading := "interleaving"
	if f.Verdict == artifact.Unconfirmed {
		heading += ", of which no run has confirmed that it leads to the error"
	}
	fmt.Fprintf(out, "   %s:\n", heading)
	for _, line := range lines {
		fmt.Fprintln(out, "   "+line)
	}
}

// writeReproduce prints the command that shows a finding again.
func writeReproduce(out *strings.Builder, b *vtrace.Bundle, f vtrace.Finding, path string, told *told) {
	cmd := reproduce(b, f, path)
	if cmd == "" {
		return
	}
	fmt.Fprintf(out, "   reproduce: %s\n", cmd)
	if told.first(wordTest) {
		fmt.Fprintf(out, "     (builds the program and takes it through these steps again; %s is their name in the bundle)\n", testName(f.Test))
	}
}

// writeGoroutines says where the goroutines of a finding are at the end. Those of which the same is true share a line,
// and so do those that have come to their end and have nothing to do with the error, as far as is known.
func writeGoroutines(out *strings.Builder, b *vtrace.Bundle, f vtrace.Finding, told *told) {
	out.WriteString("   goroutines")
	if text := creationPaths(b, f); text != "" && told.first(wordGoroutine) {
		out.WriteString(text)
	}
	out.WriteString(":\n")
	type group struct {
		names []string
		text  string
	}
	var groups []group
	var done []string
	for _, g := range f.Goroutines {
		name, text := explain.Goroutine(f, g.G), goroutineText(b, f, g)
		if i := slices.IndexFunc(groups, func(o group) bool { return o.text == text }); i >= 0 {
			groups[i].names = append(groups[i].names, name)
			continue
		}
		groups = append(groups, group{[]string{name}, text})
		if g.G != entryPath && !explain.Involved(f, g) {
			done = append(done, text)
		}
	}
	const few = 2
	var others []string
	for _, g := range groups {
		if len(done) > few && slices.Contains(done, g.text) {
			others = append(others, g.names...)
			continue
		}
		fmt.Fprintf(out, "     %-6s%s", explain.Names(g.names), g.text)
	}
	if n := len(others); n > 0 {
		fmt.Fprintf(out, "     %d more goroutines have finished: %s\n", n, explain.Names(others))
	}
	out.WriteString(objects(f))
}

// objects says where the objects were made that a finding is about, in lines; "" where nothing of that is known.
func objects(f artifact.Finding) string {
	all := explain.Objects(f)
	if len(all) == 0 {
		return ""
	}
	var out strings.Builder
	out.WriteString("   objects, and where they were made:\n")
	for _, o := range all {
		fmt.Fprintf(&out, "     %-6s at %s:%d: %s\n", o.Name, o.File, o.Line, o.Text)
	}
	return out.String()
}

// entryPath is the creation path of the goroutine of main or of the test.
const entryPath = "0"

// creationPaths says what the names of goroutines mean, by one of a finding.
func creationPaths(b *vtrace.Bundle, f vtrace.Finding) string {
	deepest := 0
	for _, g := range f.Goroutines {
		if strings.HasPrefix(g.G, entryPath+".") {
			deepest = max(deepest, strings.Count(g.G, "."))
		}
	}
	switch text := " (0 is " + b.Manifest().Entry.Func + ", 0.1 the first that it starts"; deepest {
	case 0:
		return ""
	case 1:
		return text + ")"
	default:
		return text + ", 0.1.2 would be the second that 0.1 starts)"
	}
}

// shownCalls is how many of the calls that have led to where a goroutine is are printed.
const shownCalls = 6

// goroutineText says where a goroutine of a finding is at the end, and how it came there, behind its name.
func goroutineText(b *vtrace.Bundle, f vtrace.Finding, g artifact.FindingGoroutine) string {
	out := &strings.Builder{}
	out.WriteString(" " + explain.Standing(g))
	s, started := explain.Started(f, g.G)
	if last, ok := lastStep(f, g.G); ok && g.State == artifact.StateFinished {
		text := last.Text
		if last.Operation == sites.Select.String() {
			text = explain.Step(last)
		}
		fmt.Fprintf(out, " after %s:%d: %s", last.File, last.Line, text)
	} else if g.State == artifact.StatePanicked && g.File == "" && f.File != "" {
		fmt.Fprintf(out, " at %s:%d", f.File, f.Line)
	} else if g.File != "" && !(started && g.State == artifact.StateNotStarted) {
		fmt.Fprintf(out, " at %s:%d", g.File, g.Line)
		if g.Text != "" { // the initialiser of a variable of a package is no statement
			fmt.Fprintf(out, ": %s", g.Text)
		}
	}
	out.WriteString("\n")
	if f.Kind == artifact.KindRace {
		for _, line := range g.Stack {
			fmt.Fprintf(out, "              %s\n", line)
		}
	} else if calls := callsOf(b, f, g); len(calls) > 1 {
		for i, line := range calls {
			if i == shownCalls {
				fmt.Fprintf(out, "              and %s\n", plural(len(calls)-i, "more call", "more calls"))
				break
			}
			fmt.Fprintf(out, "              %s\n", line)
		}
	}
	if started {
		how := "started"
		if strings.HasPrefix(g.G, goroutine.CallbackPrefix) {
			how = "runs the function that is given"
		}
		fmt.Fprintf(out, "              %s at %s:%d: %s\n", how, s.File, s.Line, s.Text)
	}
	if g.State == artifact.StateBlocked && len(g.Cases) > 0 {
		fmt.Fprintf(out, "              waits for %s\n", explain.NamingOf(f).Cases(g))
	}
	if text := explain.Owed(f, g); text != "" {
		fmt.Fprintf(out, "              %s\n", text)
	}
	for _, h := range g.Holds {
		fmt.Fprintf(out, "              holds %s\n", explain.Holding(f, h))
	}
	return out.String()
}

// lastStep is the last step of a goroutine in the program, but for its start.
func lastStep(f vtrace.Finding, g string) (artifact.FindingStep, bool) {
	for _, s := range slices.Backward(f.Interleaving) {
		if s.G == g && s.File != "" && !sites.IsEntryFile(s.File) && s.Operation != sites.Start.String() {
			return s, true
		}
	}
	return artifact.FindingStep{}, false
}

// callsOf are the calls that have led to where a goroutine is, innermost first. Of those in a
// library only that which the program has made is named. The function literal that the
// instrumentation has made of the call of a go statement is none: where it was started is said
// anyway.
func callsOf(b *vtrace.Bundle, f vtrace.Finding, g artifact.FindingGoroutine) (lines []string) {
	stack := g.Stack
	s, ok := explain.Started(f, g.G)
	if n := len(stack); ok && n > 0 && strings.HasSuffix(stack[n-1], fmt.Sprintf(" %s:%d", path.Base(s.File), s.Line)) {
		stack = stack[:n-1]
	}
	own := map[string]bool{}
	for _, s := range sidecar(b).Sites {
		own[sites.PackageOf(s.Func)] = true
	}
	library := ""
	for _, frame := range stack {
		fn, at, _ := strings.Cut(frame, " ")
		place, _, _ := strings.Cut(at, ":")
		switch {
		case sites.IsEntryFile(place): // which nobody has written
		case !own[sites.PackageOf(fn)]:
			library = fn
		case len(lines) == 0:
			text := fmt.Sprintf("is at %s in %s", at, fn)
			if library != "" {
				text, library = text+", which calls "+library, ""
			}
			lines = append(lines, text)
		case library != "":
			lines = append(lines, fmt.Sprintf("called through %s at %s in %s", library, at, fn))
			library = ""
		default:
			lines = append(lines, fmt.Sprintf("called at %s in %s", at, fn))
		}
	}
	return lines
}

func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
