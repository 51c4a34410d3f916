package view_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/view"
)

var update = flag.Bool("update", false, "check the programs of testdata again, and write the pictures of docs/view")

// The bundles of the programs in testdata, without what a page does not need.
const (
	transfers = "testdata/transfers.vtz"
	signals   = "testdata/signals.vtz"
)

// TestPrograms is that the bundles are those of the programs that are there.
func TestPrograms(t *testing.T) {
	for _, path := range []string{transfers, signals} {
		testProgram(t, path)
	}
}

func testProgram(t *testing.T, path string) {
	dir := strings.TrimSuffix(path, artifact.Ext)
	if *update {
		b, err := vtrace.Check(context.Background(), vtrace.Package(dir))
		require.NoError(t, err)
		out := artifact.New(b.Manifest())
		for _, p := range b.Paths() {
			if !strings.HasPrefix(p, artifact.OverlayDir+"/") && !strings.HasPrefix(p, "tests/") {
				data, _ := b.Read(p)
				out.Put(p, data)
			}
		}
		small, err := out.Bundle()
		require.NoError(t, err)
		require.NoError(t, artifact.Save(small, path))
	}
	want, err := os.ReadFile(dir + "/main.go")
	require.NoError(t, err)
	got, _ := load(t, path).Read("source/main.go")
	require.Equal(t, string(want), string(got), "run: go test ./internal/view -run TestPrograms -update")
}

func load(t *testing.T, path string) *artifact.Bundle {
	t.Helper()
	b, err := artifact.Load(path)
	require.NoError(t, err)
	return b
}

// decode is what a page shows, as whoever reads the JSON finds it.
func decode(t *testing.T, b *artifact.Bundle) (d view.Data) {
	t.Helper()
	of, err := view.Of(b)
	require.NoError(t, err)
	data, err := json.Marshal(of)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &d))
	return d
}

// states are the states behind each step, with the numbers of what they are about resolved.
type states struct {
	*testing.T
	d     view.Data
	trace view.Trace
	state map[string]json.RawMessage
}

func (s *states) set(changes view.State) {
	for key, i := range changes {
		if delete(s.state, key); i >= 0 {
			data, err := json.Marshal(s.trace.Values[i])
			require.NoError(s, err)
			s.state[key] = data
		}
	}
}

// at is the state behind a step of a trace, from 0.
func at(t *testing.T, d view.Data, trace, step int) *states {
	s := &states{t, d, d.Traces[trace], map[string]json.RawMessage{}}
	s.set(s.trace.Start)
	for _, x := range s.trace.Steps[:step] {
		s.set(x.Set)
	}
	return s
}

// goroutine is how a goroutine stands: "waits main.go:37 main_wg".
func (s *states) goroutine(name string) string {
	i := slices.IndexFunc(s.trace.Goroutines, func(g view.Goroutine) bool { return g.Name == name })
	data, ok := s.state[fmt.Sprintf("g%d", i)]
	if !ok {
		return "absent"
	}
	var g view.GoroutineState
	require.NoError(s, json.Unmarshal(data, &g))
	out := g.Is
	if g.At >= 0 && g.Is != view.Ended {
		site := s.d.Sites[g.At]
		out += fmt.Sprintf(" %s:%d", site.File, site.Line)
	}
	for _, o := range g.For {
		out += " " + s.trace.Objects[o].Name
	}
	return out
}

// location is the name of the location of a goroutine in its automaton.
func (s *states) location(name string) string {
	i := slices.IndexFunc(s.trace.Goroutines, func(g view.Goroutine) bool { return g.Name == name })
	var g view.GoroutineState
	require.NoError(s, json.Unmarshal(s.state[fmt.Sprintf("g%d", i)], &g))
	if g.Location == 0 {
		return ""
	}
	return s.d.Automata[s.trace.Goroutines[i].Automaton].Locations[g.Location-1].Name
}

// object is the state of an object.
func (s *states) object(name string) (o view.ObjectState) {
	i := slices.IndexFunc(s.trace.Objects, func(o view.Object) bool { return o.Name == name })
	require.GreaterOrEqual(s, i, 0, name)
	if data, ok := s.state[fmt.Sprintf("o%d", i)]; ok {
		require.NoError(s, json.Unmarshal(data, &o))
	}
	return o
}

// variable is the value of a variable.
func (s *states) variable(name string) string {
	i := slices.IndexFunc(s.trace.Variables, func(v view.Variable) bool { return v.Name == name })
	return string(s.state[fmt.Sprintf("v%d", i)])
}

// stepOf is the number of the first step of a goroutine at a line.
func stepOf(t *testing.T, d view.Data, trace int, goroutine string, line int, kind string) int {
	t.Helper()
	for i, s := range d.Traces[trace].Steps {
		if s.Goroutine >= 0 && d.Traces[trace].Goroutines[s.Goroutine].Name == goroutine && d.Sites[s.Site].Line == line && d.Sites[s.Site].Kind == kind {
			return i + 1
		}
	}
	require.Fail(t, "no such step")
	return 0
}

// TestOf is what is known at the steps of a real run, followed in the model.
func TestOf(t *testing.T) {
	d := decode(t, load(t, transfers))
	require.Empty(t, d.Notes)
	require.Len(t, d.Findings, 2)
	require.Equal(t, "deadlock", d.Findings[0].Kind)
	require.Equal(t, "panic", d.Findings[1].Kind)
	tr := d.Traces[d.Findings[0].Trace]
	require.Equal(t, view.FromRun, tr.From)
	require.Empty(t, tr.Notes)
	require.True(t, tr.Seen)
	require.Equal(t, len(tr.Steps), tr.Shown)

	start := at(t, d, 0, 0)
	require.Equal(t, "ready main.go:27", start.goroutine("0"))
	require.Equal(t, "absent", start.goroutine("0.1"))
	require.Equal(t, "0", start.variable("main_a_balance"))

	locked := at(t, d, 0, stepOf(t, d, 0, "0", 27, "lock"))
	require.Equal(t, []int{0}, locked.object("main_a_mu").Held)
	require.Equal(t, "9", locked.variable("main_a_balance"))
	require.Empty(t, at(t, d, 0, stepOf(t, d, 0, "0", 29, "unlock")).object("main_a_mu").Held)

	sent := stepOf(t, d, 0, "0", 34, "send")
	queue := at(t, d, 0, sent).object("ch_amounts_25")
	require.Equal(t, 2, queue.Length)
	require.Equal(t, []view.Message{{Text: "7", By: 0, Step: sent - 1}, {Text: "4", By: 0, Step: sent}}, queue.Queue)
	require.Equal(t, 2, at(t, d, 0, sent).object("main_wg").Count)
	require.Equal(t, "L_send_34", at(t, d, 0, sent-1).location("0"))

	end := at(t, d, 0, len(tr.Steps))
	require.Equal(t, "waits main.go:37 main_wg", end.goroutine("0"))
	require.Equal(t, "waits main.go:15 main_b_mu", end.goroutine("0.1"))
	require.Equal(t, "waits main.go:15 main_a_mu", end.goroutine("0.2"))
	require.Equal(t, "ended", end.goroutine("0.3"))
	require.Equal(t, []int{1}, end.object("main_a_mu").Held)
	require.Equal(t, []int{2}, end.object("main_b_mu").Held)
	require.Empty(t, end.object("ch_amounts_25").Queue)
	mu := tr.Objects[slices.IndexFunc(tr.Objects, func(o view.Object) bool { return o.Name == "main_a_mu" })]
	require.Equal(t, view.Mutex, mu.Kind)
	require.Contains(t, mu.Called, "a.mu")
	require.Regexp(t, `^mutex#\d$`, mu.Run)

	// The panic of the other finding.
	crash := at(t, d, 1, len(d.Traces[1].Steps))
	require.Equal(t, "panicked main.go:40", crash.goroutine("0"))
	require.Equal(t, "12", crash.variable("main_a_balance"))
	require.Equal(t, 0, crash.object("main_wg").Count)
}

// TestArrows is who gives what to whom.
func TestArrows(t *testing.T) {
	d := decode(t, load(t, transfers))
	tr := d.Traces[0]
	var got []string
	for _, a := range tr.Arrows {
		require.LessOrEqual(t, a.FromStep, a.ToStep)
		text := fmt.Sprintf("%s %s to %s", a.Kind, tr.Goroutines[a.From].Name, tr.Goroutines[a.To].Name)
		if a.Object >= 0 {
			text += " by " + tr.Objects[a.Object].Name
		}
		if a.Text != "" {
			text += ": " + a.Text
		}
		got = append(got, text)
	}
	slices.Sort(got)
	require.Equal(t, []string{
		"create 0 to 0.1", "create 0 to 0.2", "create 0 to 0.3",
		"lock 0 to 0.1 by main_a_mu",
		"message 0 to 0.1 by ch_amounts_25: 7", "message 0 to 0.2 by ch_amounts_25: 4",
		"message 0.3 to 0 by ch_answer_26: true",
	}, got)
}

// TestAlternatives is what could have been done in place of a step.
func TestAlternatives(t *testing.T) {
	d := decode(t, load(t, transfers))
	tr := d.Traces[0]
	alternatives := func(step int) (out []string) {
		set := tr.Steps[step-1].Alternatives
		if set == 0 {
			return nil
		}
		for _, i := range tr.AlternativeSets[set-1] {
			a := tr.Alternatives[i]
			out = append(out, fmt.Sprintf("%s %s %d", tr.Goroutines[a.Goroutine].Name, d.Sites[a.Site].Kind, d.Sites[a.Site].Line))
		}
		return out
	}
	require.Empty(t, alternatives(1), "there is one goroutine")
	require.Equal(t, []string{"0.1 start 31", "0.2 start 32"}, alternatives(stepOf(t, d, 0, "0", 33, "send")))
	last := stepOf(t, d, 0, "0.2", 14, "lock")
	require.Contains(t, alternatives(last), "0.1 lock 15", "it could have taken both locks first")
}

// TestDeterministic is that the same bundle gives the same bytes.
func TestDeterministic(t *testing.T) {
	b := load(t, transfers)
	var first, second bytes.Buffer
	require.NoError(t, view.Write(&first, b))
	require.NoError(t, view.Write(&second, load(t, transfers)))
	require.Equal(t, first.Bytes(), second.Bytes())
	require.NotContains(t, first.String(), "{{")
}

// TestStoredBundles is that bundles of every pass and version have a page.
func TestStoredBundles(t *testing.T) {
	for _, version := range []string{"v1-early", "v1", "v2", "v3", "v4"} {
		for _, pass := range []string{"first", "second", "deep"} {
			d := decode(t, load(t, "../../cmd/vtrace/testdata/bundles/"+version+"/"+pass+".vtz"))
			require.NotEmpty(t, d.Findings, "%s %s", version, pass)
			for _, f := range d.Findings {
				require.GreaterOrEqual(t, f.Trace, 0, "%s %s %d: %v", version, pass, f.Number, d.Notes)
				tr := d.Traces[f.Trace]
				require.Equal(t, pass == "deep" && f.Verdict == artifact.Real, tr.From == view.FromRun)
				require.Equal(t, len(tr.Steps), tr.Shown, "%s %s %d: %v", version, pass, f.Number, tr.Notes)
			}
		}
	}
}

// TestNil is that there is an error, and no panic.
func TestNil(t *testing.T) {
	_, err := view.Of(nil)
	var argument *artifact.ArgumentError
	require.ErrorAs(t, err, &argument)
	require.Error(t, view.Write(&bytes.Buffer{}, nil))
	var empty *artifact.Builder = artifact.New(artifact.Manifest{})
	b, err := empty.Bundle()
	require.NoError(t, err)
	d := decode(t, b)
	require.Empty(t, d.Findings)
}
