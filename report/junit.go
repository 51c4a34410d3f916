package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/explain"
)

// JUnit collects results for a report in JUnit's XML, which continuous integration shows: a suite
// for each package, with a test case for each entry point. Real errors are failures; what could
// not be checked is an error; where the question is open the case is skipped, with the reason. The
// zero value is an empty report. It is not safe for concurrent use.
type JUnit struct {
	results []Result
}

// Add adds a result.
func (j *JUnit) Add(r Result) error {
	j.results = append(j.results, r)
	return nil
}

// Write writes the report. One that is not complete has a case that says so, which is an error.
func (j *JUnit) Write(w io.Writer, complete bool) error {
	all := junit.Testsuites{Name: toolName}
	var suites []*junit.Testsuite
	byName := map[string]*junit.Testsuite{}
	took := map[*junit.Testsuite]time.Duration{}
	for i := range j.results {
		r := &j.results[i]
		s := byName[r.Entry.Package]
		if s == nil {
			s = &junit.Testsuite{Name: r.Entry.Package, Package: r.Entry.Package, ID: len(suites)}
			byName[s.Name] = s
			suites = append(suites, s)
		}
		took[s] += r.Took
		s.AddTestcase(r.testcase())
	}
	if !complete {
		s := &junit.Testsuite{Name: toolName, ID: len(suites)}
		s.AddTestcase(junit.Testcase{Name: "complete", Classname: toolName, Time: seconds(0), Error: &junit.Result{Message: "the check has not come to its end: entry points are missing"}})
		suites = append(suites, s)
	}
	for _, s := range suites {
		s.Time = seconds(took[s])
		all.AddSuite(*s)
	}
	if err := all.WriteXML(w); err != nil {
		return fmt.Errorf("junit: %w", err)
	}
	return nil
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// testcase is a result as JUnit has it.
func (r *Result) testcase() junit.Testcase {
	tc := junit.Testcase{Name: r.Entry.Func, Classname: r.Entry.Package, Time: seconds(r.Took)}
	if r.LeftOut != "" {
		tc.Skipped = &junit.Result{Message: printable("left out: " + r.LeftOut)}
		return tc
	}
	if r.Bundle == nil {
		tc.Error = &junit.Result{Message: "not checked", Data: printable(fmt.Sprint(r.Err))}
		return tc
	}
	var real, other []string
	kind := ""
	for _, f := range r.Bundle.Findings() {
		level, ok := levelOf(f)
		switch a := r.accepted(f); {
		case !ok:
		case a != nil:
			other = append(other, fmt.Sprintf("accepted: %s (%v)", inFront(f)+Message(f), a))
		case level == levelError:
			if rule, ok := ruleOf(f.Kind); ok && kind == "" {
				kind = rule.id
			}
			real = append(real, details(f))
		default:
			other = append(other, inFront(f)+Message(f))
		}
	}
	switch c := r.conclusion(); {
	case len(real) > 0:
		first, _, _ := strings.Cut(real[0], "\n")
		tc.Failure = &junit.Result{Message: printable(first), Type: kind, Data: printable(strings.Join(real, "\n"))}
	case c.Inconclusive():
		why := append(other, c.Limits...)
		tc.Skipped = &junit.Result{Message: printable("inconclusive: " + why[0]), Data: printable(strings.Join(why, "\n"))}
		return tc
	}
	if len(other) > 0 {
		tc.SystemOut = &junit.Output{Data: printable(strings.Join(other, "\n"))}
	}
	return tc
}

// details are a finding with its interleaving, if it has one.
func details(f artifact.Finding) string {
	text := inFront(f) + Message(f) + "\n"
	if len(f.Interleaving) == 0 {
		return text
	}
	for _, line := range explain.ShortTable(f) {
		text += line + "\n"
	}
	return text
}

// printable is a text without what XML cannot have in it, nor in a section of characters.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == '\uFFFE' || r == '\uFFFF' {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.ReplaceAll(s, "]]>", "]] >")
}
