package view_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/uppaal"
	"github.com/vtrace/vtrace/internal/view"
)

// relayed is a page of a trace of a model that the tests of traces of Spin have too, read from text or from XML.
func relayed(t *testing.T, asText bool) view.Model {
	t.Helper()
	relay, err := os.ReadFile("../check/promela/testdata/relay.xta")
	require.NoError(t, err)
	net, err := uppaal.ReadXTA(bytes.NewReader(relay), "relay.xta")
	require.NoError(t, err)
	m := view.Model{Name: "some/where/relay.xta", Text: string(relay), From: "a trace", Tool: "v1"}
	if !asText {
		var b bytes.Buffer
		require.NoError(t, uppaal.WriteXML(&b, net))
		net, err = uppaal.ReadXML(&b)
		require.NoError(t, err)
		m.Name, m.Text = "relay.xml", ""
	}
	m.Network = net
	info, err := uppaal.Check(net)
	require.NoError(t, err)
	q, err := uppaal.ParseQuery("E<> Receiver(1).closed and total == 3")
	require.NoError(t, err)
	r, err := check.Verify(t.Context(), net, []*uppaal.Query{q}, check.Options{})
	require.NoError(t, err)
	require.Equal(t, check.True, r.Results[0].Verdict, r.Results[0].Reason)
	m.Trace, err = check.Follow(info, r.Results[0].Trace.Steps)
	require.NoError(t, err)
	return m
}

func TestModelData(t *testing.T) {
	for _, asText := range []bool{true, false} {
		d, err := view.OfModel(relayed(t, asText))
		require.NoError(t, err)
		require.True(t, d.Model)
		require.Equal(t, "relay.xta", d.Files[0].Path)
		tr := d.Traces[0]
		require.Len(t, tr.Steps, 3)
		require.Len(t, tr.Goroutines, 3)
		require.Equal(t, "Receiver(1)", tr.Goroutines[2].Name)
		require.Equal(t, []view.Variable{{Name: "total"}, {Name: "left", Process: "Sender", Goroutines: []int{0}}}, tr.Variables)
		require.Len(t, d.Automata, 2)
		require.NotEqual(t, d.Automata[0].Locations[0].Y, d.Automata[0].Locations[1].Y, "it is laid out")
		// Two senders of messages, then one whose message all receive.
		var arrows []string
		for _, a := range tr.Arrows {
			arrows = append(arrows, fmt.Sprint(a.FromStep, " ", tr.Goroutines[a.From].Name, " ", a.Text, " ", tr.Goroutines[a.To].Name))
		}
		require.Len(t, arrows, 4)
		require.Equal(t, []string{"3 Sender stop Receiver(0)", "3 Sender stop Receiver(1)"}, arrows[2:])
		s := d.Sites[tr.Steps[2].Site]
		require.Equal(t, "ready > done  stop!  [left == 0]", s.Text)
		require.Contains(t, d.Files[0].Lines[s.Line-1], "ready -> done {")
		require.Regexp(t, `^ready > ready  pass!  \[left > 0\]  total = total \+ n, left--  n = [12]$`, d.Sites[tr.Steps[0].Site].Text)
		// In the first step there are two values and two receivers to choose from.
		require.Len(t, tr.AlternativeSets[tr.Steps[0].Alternatives-1], 3)
		require.Zero(t, tr.Steps[2].Alternatives)
		require.Equal(t, 3.0, valueOf(t, tr, tr.Steps[1].Set["v0"]))
	}
}

func valueOf(t *testing.T, tr view.Trace, value int) (n float64) {
	t.Helper()
	text, err := json.Marshal(tr.Values[value])
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &n))
	return n
}

// A long trace has its last steps, and a page is never too large.
func TestModelLimits(t *testing.T) {
	net, err := uppaal.ReadXTA(strings.NewReader("int wide[200]; int[0,32000] n; process P() { state a; init a; trans a -> a { assign n++, wide[n % 200] = n, wide[(n + 70) % 200] = -n, wide[(n + 140) % 200] = n; }; } system P;"), "")
	require.NoError(t, err)
	info, err := uppaal.Check(net)
	require.NoError(t, err)
	var steps []check.Step
	for range 20_500 {
		steps = append(steps, check.Step{Parts: []check.Part{{}}})
	}
	m := view.Model{Name: "n", Network: net}
	m.Trace, err = check.Follow(info, steps)
	require.NoError(t, err)
	var page bytes.Buffer
	require.NoError(t, view.WriteModel(&page, m))
	require.Less(t, page.Len(), 2<<20)
	d, err := view.OfModel(m)
	require.NoError(t, err)
	tr := d.Traces[0]
	require.Contains(t, tr.Notes[0], "only the first 20000 of 20500 steps")
	require.Positive(t, tr.Skipped)
	require.Equal(t, 20_000, tr.Skipped+len(tr.Steps))

	m.Network = &uppaal.Network{}
	_, err = view.OfModel(m)
	require.Error(t, err)
	m.Network, m.Trace = net, &check.Trace{}
	_, err = view.OfModel(m)
	require.ErrorContains(t, err, "the trace has no states")
}

// The page in a browser: lanes of processes, the automaton with its location, values.
func TestModelPage(t *testing.T) {
	var page bytes.Buffer
	require.NoError(t, view.WriteModel(&page, relayed(t, true)))
	p := openPage(t, page.Bytes(), "#finding-1/step-0")
	require.Equal(t, "relay.xta", p.text("#title"))
	require.Equal(t, "model, vtrace v1", p.text("#program"))
	require.Equal(t, []string{"Sender", "Receiver(0)", "Receiver(1)"}, get[[]string](p, `[...document.querySelectorAll('.lane-head')].map((e) => e.dataset.goroutine)`))
	require.Equal(t, "Sender at relay.xta:6 ready", p.goroutineRow("Sender"))
	require.Len(t, p.texts("#alternatives li"), 4)
	here := func() string {
		return get[string](p, `document.querySelector('#automaton .here').parentElement.dataset.name`)
	}
	require.Equal(t, "ready", here())
	p.press(kb.End)
	require.Contains(t, p.text("#now"), "3 of 3: process Sender takes an edge at relay.xta:10 ready > done stop! [left == 0]")
	require.Equal(t, "done", here())
	require.Equal(t, "6 state ready, done;", p.text("#source .here"))
	require.Contains(t, p.texts("#variables tr"), "left of Sender 0")
	require.Contains(t, p.texts("#variables tr"), "total 3")
	p.press("j", "j")
	require.Equal(t, "Automaton of process Receiver(1): Receiver", p.text("#automaton-title"))
	require.Equal(t, "closed", here())
	require.Equal(t, "true", get[string](p, `String(byID('locks').closest('section').hidden)`))
	require.Equal(t, "Processes", get[string](p, `byID('goroutines').closest('section').querySelector('h2').innerText`))
}
