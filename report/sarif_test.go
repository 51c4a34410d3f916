package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/goroutine"
)

// bundleOf has findings of an entry, and sites of a program with some more lines before them.
func bundleOf(t *testing.T, entry string, lines int, all ...artifact.Finding) *artifact.Bundle {
	t.Helper()
	out := artifact.New(artifact.Manifest{Pass: artifact.PassDeep, Parent: strings.Repeat("a", 64), Entry: artifact.Entry{Package: "m/p", Func: entry}})
	out.Put("source/a b.go", []byte(strings.Repeat("\n", 2+lines)+"\tä(); c <- 1\n"))
	out.SetSidecar(&artifact.Sidecar{Sites: []artifact.Site{{}, {ID: 1, Key: "p.f#1", File: "a b.go", Line: 3 + lines, Col: 7}, {ID: 2, Key: "p.f#2", File: "a b.go", Line: 3 + lines, Col: 9}}})
	for i := range all {
		if all[i].File != "" {
			all[i].Line += lines
		}
	}
	out.SetFindings(all)
	b, err := out.Bundle()
	require.NoError(t, err)
	return b
}

// resultOf is the result that a bundle is.
func resultOf(b *artifact.Bundle, accepted ...Acceptance) Result {
	return Result{Entry: b.Manifest().Entry, Bundle: b, Took: 1500 * time.Millisecond, Accepted: accepted}
}

func deadlock(verdict string) artifact.Finding {
	return artifact.Finding{Number: 1, Verdict: verdict, Kind: artifact.KindDeadlock, File: "a b.go", Line: 3, Col: 9, Function: "p.f", Message: "all are asleep", Cause: "nobody receives", Test: "tests/q1-1_test.go",
		Goroutines: []artifact.FindingGoroutine{{G: "0", Operation: "send", State: "blocked", File: "a b.go", Line: 3, Text: "c <- 1",
			Holds: []artifact.FindingAct{{G: "0", Operation: "lock", Object: "mutex#1", File: "a b.go", Line: 2}}}, {G: "0.1"}},
		Interleaving: []artifact.FindingStep{
			{Step: 1, G: "0", Operation: "go", File: "a b.go", Line: 1, Text: "go f()"}, {Step: 2, G: "0.1", Operation: "start", File: "a b.go", Line: 1, Text: "go f()"},
			{Step: 3, G: "T", Operation: "time passes"}, {Step: 4, G: "0", Operation: "access", File: "a b.go", Line: 2, Text: "x++"},
		}}
}

// officialSchema is that of the standard, as the library that writes logs has it in its source, for
// another validator, with the formats of texts: the library's own one reads what it has written itself.
var officialSchema = func() func(t *testing.T) *jsonschema.Schema {
	once := sync.OnceValues(func() (*jsonschema.Schema, error) {
		dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", reflect.TypeFor[sarif.Report]().PkgPath()).Output()
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "schema.go"), nil, 0)
		if err != nil {
			return nil, err
		}
		var text string
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && len(lit.Value) > len(text) {
				text = lit.Value
			}
			return true
		})
		if text, err = strconv.Unquote(text); err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			return nil, err
		}
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		if err := c.AddResource("sarif.json", doc); err != nil {
			return nil, err
		}
		return c.Compile("sarif.json")
	})
	return func(t *testing.T) *jsonschema.Schema {
		t.Helper()
		s, err := once()
		require.NoError(t, err)
		return s
	}
}()

// logOf is the log of some bundles, which has to fit the schema of SARIF.
func logOf(t *testing.T, bundles ...*artifact.Bundle) gjson.Result {
	t.Helper()
	var out, again bytes.Buffer
	require.NoError(t, SARIF(&out, bundles))
	require.NoError(t, SARIF(&again, bundles))
	require.Equal(t, out.String(), again.String())
	_, err := sarif.FromBytes(out.Bytes(), sarif.WithStrictValidation())
	require.NoError(t, err, out.String())
	read, err := sarif.FromBytes(out.Bytes())
	require.NoError(t, err)
	require.NoError(t, read.Validate(), out.String())
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(out.Bytes()))
	require.NoError(t, err)
	require.NoError(t, officialSchema(t).Validate(doc), out.String())
	return gjson.ParseBytes(out.Bytes()).Get("runs.0")
}

// Files of a module that is not the root of its repository are those of the repository, in each place,
// and the fingerprint is the same.
func TestSARIFPath(t *testing.T) {
	b := bundleOf(t, "TestA", 0, deadlock(artifact.Real))
	write := func(l Log) gjson.Result {
		require.NoError(t, l.Add(resultOf(b, Acceptance{Finding: 1, By: InComment, Reason: "r", File: "a b.go", Line: 3})))
		var out bytes.Buffer
		require.NoError(t, l.Write(&out, true))
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(out.Bytes()))
		require.NoError(t, err)
		require.NoError(t, officialSchema(t).Validate(doc))
		require.Equal(t, strings.Count(out.String(), `"uri": `), strings.Count(out.String(), `"uriBaseId": "SRCROOT"`))
		return gjson.ParseBytes(out.Bytes()).Get("runs.0")
	}
	plain := write(Log{})
	require.Equal(t, "the root of the repository, or of the program if that is in none", plain.Get("originalUriBaseIds.SRCROOT.description.text").String())
	moved := write(Log{Path: func(file string) string { return "services/ä/" + file }})
	require.Equal(t, strings.ReplaceAll(plain.Raw, `"a%20b.go"`, `"services/%C3%A4/a%20b.go"`), moved.Raw)
	require.Equal(t, 7, strings.Count(moved.Raw, `"services/%C3%A4/a%20b.go"`)) // the place, two of a goroutine, three steps, the comment
}

func TestSARIF(t *testing.T) {
	run := logOf(t, bundleOf(t, "TestA", 0, deadlock(artifact.Real)))
	require.Equal(t, "vtrace", run.Get("tool.driver.name").String())
	require.Len(t, run.Get("tool.driver.rules").Array(), len(rules))
	for _, r := range run.Get("tool.driver.rules").Array() {
		require.Regexp(t, `^\pL.*\.$`, r.Get("fullDescription.text").String(), "GitHub demands one")
	}
	require.NotEmpty(t, run.Get("tool.driver.version").String())
	require.Equal(t, run.Get("results.0.ruleId").String(), run.Get("tool.driver.rules."+run.Get("results.0.ruleIndex").Raw+".id").String())
	require.EqualValues(t, 1, run.Get("results.#").Int())
	r := run.Get("results.0")
	require.Equal(t, "deadlock", r.Get("ruleId").String())
	require.Equal(t, "error", r.Get("level").String())
	require.Equal(t, "deadlock: nobody receives (the program has done it, in a replay)", r.Get("message.text").String())
	at := r.Get("locations.0.physicalLocation")
	require.Equal(t, "a%20b.go", at.Get("artifactLocation.uri").String())
	require.EqualValues(t, 3, at.Get("region.startLine").Int())
	require.EqualValues(t, 8, at.Get("region.startColumn").Int(), "in code points") // "\tä(); c" has 8 bytes
	require.Equal(t, "p.f", r.Get("locations.0.logicalLocations.0.fullyQualifiedName").String())
	require.Equal(t, `["goroutine 0: send (blocked)","goroutine 0 holds mutex#1 since here"]`, r.Get("relatedLocations.#.message.text").Raw)
	require.Equal(t, `["goroutine 0","goroutine 0.1"]`, r.Get("codeFlows.0.threadFlows.#.id").Raw)
	require.Equal(t, `[1,4]`, r.Get("codeFlows.0.threadFlows.0.locations.#.executionOrder").Raw)
	require.Equal(t, `["go f()","x++"]`, r.Get("codeFlows.0.threadFlows.0.locations.#.location.message.text").Raw)
	require.Equal(t, `["start of the goroutine"]`, r.Get("codeFlows.0.threadFlows.1.locations.#.location.message.text").Raw)
	require.Equal(t, "real", r.Get("properties.verdict").String())
	require.Equal(t, `["m/p TestA"]`, r.Get("properties.entries|@ugly").Raw)
}

// TestSARIFMerged: what several entries show is one result, and the gravest.
func TestSARIFMerged(t *testing.T) {
	other := deadlock(artifact.Unconfirmed)
	other.Col = 7 // another operation of the line
	other.Reason = "there was no time"
	left := other // what the program was shown not to do
	left.Line, left.Refuted = 8, 2
	refuted := deadlock(artifact.False)
	refuted.Kind = artifact.KindPanic
	run := logOf(t, bundleOf(t, "TestA", 0, deadlock(artifact.Note), other, left, refuted), bundleOf(t, "TestB", 0, deadlock(artifact.Real)), bundleOf(t, "TestC", 0, deadlock(artifact.TimingDependent)))
	require.Equal(t, `["error","warning","note"]`, run.Get("results.#.level").Raw)
	require.Contains(t, run.Get("results.0.properties").Raw, "m/p TestB")
	require.Contains(t, run.Get("results.0.properties").Raw, "m/p TestC")
	require.Contains(t, run.Get("results.1.message.text").String(), "(unconfirmed: there was no time)")
}

// TestFingerprints: they stay the same when something before them is edited.
func TestFingerprints(t *testing.T) {
	print := func(lines int, f artifact.Finding) string {
		return logOf(t, bundleOf(t, "TestA", lines, f)).Get("results.0.partialFingerprints").Raw
	}
	first := print(0, deadlock(artifact.Real))
	require.Contains(t, first, fingerprintName)
	require.Equal(t, first, print(5, deadlock(artifact.Real)))
	other := deadlock(artifact.Real)
	other.Col = 7
	require.NotEqual(t, first, print(0, other))
	other = deadlock(artifact.Real)
	other.Kind = artifact.KindLeak
	require.NotEqual(t, first, print(0, other))
}

// TestLimits: what a result does not cover is said.
func TestLimits(t *testing.T) {
	run := logOf(t, bundleOf(t, "TestA", 0))
	require.Empty(t, run.Get("results").Array())
	require.Equal(t, "true", run.Get("invocations.0.executionSuccessful").Raw)
	b := artifact.New(artifact.Manifest{Pass: artifact.PassDeep, Parent: strings.Repeat("a", 64)})
	b.SetSidecar(&artifact.Sidecar{Approximations: []artifact.Approximation{{File: "a.go", Line: 1, Col: 2, Direction: artifact.DirectionUnder, Reason: "not followed"}}})
	made, err := b.Bundle()
	require.NoError(t, err)
	require.Contains(t, logOf(t, made).Get("invocations.0.toolExecutionNotifications.0.message.text").String(), "a.go:1:2: not in the model: not followed")
}

// TestRemaining: goroutines of libraries that a test leaves behind are said.
func TestRemaining(t *testing.T) {
	b := artifact.New(artifact.Manifest{Pass: artifact.PassDeep, Parent: strings.Repeat("a", 64)})
	b.SetRuns(&artifact.Runs{Runs: 1, Schedules: 1, Remaining: []string{"p.f, started by p.g"}})
	made, err := b.Bundle()
	require.NoError(t, err)
	notifications := logOf(t, made).Get("invocations.0.toolExecutionNotifications.#.message.text").String()
	require.Contains(t, notifications, "a goroutine of a library is still there: p.f, started by p.g")
}

// TestLogIncomplete: a log that is not complete, or of which an entry point could not be
// checked, is no success.
func TestLogIncomplete(t *testing.T) {
	var l Log
	require.NoError(t, l.Add(resultOf(bundleOf(t, "TestA", 0, deadlock(artifact.Real)))))
	read := func(complete bool) gjson.Result {
		var out bytes.Buffer
		require.NoError(t, l.Write(&out, complete))
		_, err := sarif.FromBytes(out.Bytes(), sarif.WithStrictValidation())
		require.NoError(t, err)
		return gjson.GetBytes(out.Bytes(), "runs.0")
	}
	require.Equal(t, "false", read(false).Get("invocations.0.executionSuccessful").Raw)
	require.Equal(t, "true", read(true).Get("invocations.0.executionSuccessful").Raw)
	require.NoError(t, l.Add(Result{Entry: artifact.Entry{Package: "m/p", Func: "TestB"}, Err: errors.New("it does not compile")}))
	require.NoError(t, l.Add(resultOf(bundleOf(t, "TestC", 0, deadlock(artifact.Real)))))
	run := read(true)
	require.Equal(t, "false", run.Get("invocations.0.executionSuccessful").Raw)
	require.Equal(t, "error", run.Get("invocations.0.toolExecutionNotifications.0.level").String())
	require.Equal(t, "m/p TestB: it does not compile", run.Get("invocations.0.toolExecutionNotifications.0.message.text").String())
	require.Equal(t, `["m/p TestA","m/p TestC"]`, run.Get("results.0.properties.entries|@ugly").Raw)
}

// TestSuppressed: of a result that one entry point shows accepted and another one not, the second counts.
func TestSuppressed(t *testing.T) {
	var l Log
	accepted := Acceptance{Finding: 1, By: InComment, Reason: "why", File: "a.go", Line: 1}
	require.NoError(t, l.Add(resultOf(bundleOf(t, "TestA", 0, deadlock(artifact.Real)), accepted)))
	read := func() gjson.Result {
		var out bytes.Buffer
		require.NoError(t, l.Write(&out, true))
		return gjson.GetBytes(out.Bytes(), "runs.0.results.0")
	}
	require.Equal(t, `[{"kind":"inSource","reason":"why"}]`, suppressionsOf(read()))
	require.NoError(t, l.Add(resultOf(bundleOf(t, "TestB", 0, deadlock(artifact.Unconfirmed)))))
	require.Equal(t, "[]", suppressionsOf(read()))
	require.Equal(t, "warning", read().Get("level").String())
	require.NoError(t, l.Add(resultOf(bundleOf(t, "TestC", 0, deadlock(artifact.Real)), accepted)))
	require.Equal(t, "[]", suppressionsOf(read()))
}

// suppressionsOf are the kinds and reasons of the suppressions of a result.
func suppressionsOf(r gjson.Result) string {
	out := "["
	for _, s := range r.Get("suppressions").Array() {
		out += `{"kind":"` + s.Get("kind").String() + `","reason":"` + s.Get("justification").String() + `"}`
	}
	return out + "]"
}

// TestCallbackNames: a goroutine of a function that was given to a library is named by where that was, in
// messages, locations and flows.
func TestCallbackNames(t *testing.T) {
	g := goroutine.CallbackPrefix + "m.f#1.1"
	f := artifact.Finding{
		Verdict: artifact.Real, Kind: artifact.KindPanic, Message: "goroutine " + g + " has ended so", File: "a.go", Line: 9,
		Goroutines: []artifact.FindingGoroutine{{
			G: g, Operation: "panic", State: artifact.StatePanicked, File: "a.go", Line: 9,
			Holds: []artifact.FindingAct{{Object: "mu", File: "a.go", Line: 8}},
		}},
		Interleaving: []artifact.FindingStep{{Step: 1, G: g, Operation: "start", File: "a.go", Line: 7, Text: "time.AfterFunc(d, f)"}},
	}
	require.Equal(t, "panic: goroutine timer set at a.go:7 has ended so (the program has done it, in a replay)", Message(f))
	r, err := places{}.result(bundleOf(t, "main", 0, f), f, "error")
	require.NoError(t, err)
	text, err := json.Marshal(r)
	require.NoError(t, err)
	require.NotContains(t, string(text), goroutine.CallbackPrefix)
	for _, want := range []string{"goroutine timer set at a.go:7: panic (panicked)", "goroutine timer set at a.go:7 holds mu since here", `"id":"goroutine timer set at a.go:7"`} {
		require.Contains(t, string(text), want)
	}
}

// TestRelatedAccesses: both who access a map at one time are there, and who has closed the channel that is sent on.
func TestRelatedAccesses(t *testing.T) {
	for _, row := range []struct {
		finding artifact.Finding
		want    []string
	}{
		{artifact.Finding{Kind: artifact.KindMapRace, Goroutines: []artifact.FindingGoroutine{
			{G: "0", Operation: "map write", State: artifact.StateAt, File: "a.go", Line: 3}, {G: "0.1", Operation: "map read", State: artifact.StateEnded, File: "a.go", Line: 7},
		}}, []string{"3 goroutine 0: writes to the map", "7 goroutine 0.1: reads the map"}},
		{artifact.Finding{Kind: artifact.KindSendOnClosed, Goroutines: []artifact.FindingGoroutine{
			{G: "0", Operation: "send", State: artifact.StatePanicked, File: "a.go", Line: 3, Closed: &artifact.FindingAct{G: "0.1", File: "a.go", Line: 7}},
		}}, []string{"3 goroutine 0: send (panicked)", "7 goroutine 0.1 closes the channel here"}},
	} {
		row.finding.Verdict = artifact.Real
		r, err := places{}.result(bundleOf(t, "main", 0, row.finding), row.finding, "error")
		require.NoError(t, err)
		var got []string
		for _, l := range r.RelatedLocations {
			got = append(got, fmt.Sprintf("%d %s", *l.PhysicalLocation.Region.StartLine, *l.Message.Text))
		}
		require.Equal(t, row.want, got)
	}
}
