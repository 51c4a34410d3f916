package verifyta

import (
	"bytes"
	"context"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// violated is a trace of the pair, with a selection and a synchronisation.
func violated(t testing.TB) (*uppaal.Info, *check.Trace) {
	t.Helper()
	net := pair(t)
	r, err := check.Verify(context.Background(), net, []*uppaal.Query{query(t, "A[] not (Adder(0).done and v == 2)")}, check.Options{})
	require.NoError(t, err)
	require.NotNil(t, r.Results[0].Trace)
	info, err := uppaal.Check(net)
	require.NoError(t, err)
	again, err := check.Follow(info, r.Results[0].Trace.Steps)
	require.NoError(t, err)
	return info, again
}

const pairXTR = `0 0 0 
.
0 1 0
.
.
0 0 0 0 0 
.
1 0 0 
.
0 1 0
.
.
2 2 0 0 0 
.
0 0 2 ; 2 0 ; .
0 0 0 
.
0 1 0
.
.
2 2 0 1 0 
.
0 1 ; .
.
`

func TestXTR(t *testing.T) {
	info, trace := violated(t)
	var b bytes.Buffer
	require.NoError(t, WriteXTR(&b, info, trace))
	require.Equal(t, pairXTR, b.String())
	again, err := ReadXTR(&b, info)
	require.NoError(t, err)
	require.Equal(t, trace, again)

	// As older versions wrote it: an edge on each line, counted from 1; more bounds and
	// variables; no blanks, and other line ends.
	old := strings.NewReplacer("0 0 2 ; 2 0 ; .", "0 1 2\n2 1\n.", "0 1 ; .", "0 2\n.", "0 1 0\n.\n", "0 1 0\n.\n1 2 -3\n.\n",
		"2 2 0 1 0 \n", "2 2 0 1 0 7 8\n").Replace(pairXTR)
	again, err = ReadXTR(strings.NewReader(strings.ReplaceAll(old, "\n", "\r\n")), info)
	require.NoError(t, err)
	require.Equal(t, trace, again)

	for replace, with := range map[[2]string]string{
		{"", "x"}:                                "a state of 0 processes, where the model has 3",
		{"0 0 0 \n", "0 0 \n"}:                   "a state of 2 processes, where the model has 3",
		{"0 0 0 \n", "0 0 0 0 \n"}:               "more than 3 numbers: the model has 3 processes",
		{"0 1 0\n", "0 1\n"}:                     "line 4: a bound of clocks has three numbers",
		{"0 0 2 ; 2 0 ;", "0 x ;"}:               `"x" is not a number`,
		{"0 0 2 ; 2 0 ; ", ""}:                   "a step without edges",
		{"0 0 2 ; 2 0 ;", "0 ;"}:                 "an edge has the numbers of its process and of itself",
		{"0 0 2 ; 2 0 ;", "0 0 3 ; 2 0 ;"}:       "step 1 is not possible in the state before it",
		{"0 0 2 ; 2 0 ;", "0 0 2 ;"}:             "step 1 is not possible in the state before it",
		{"0 0 2 ; 2 0 ;", "9 0 ;"}:               "step 1 is not possible in the state before it",
		{"0 0 2 ; 2 0 ;", "0 99 ; 2 0 ;"}:        "step 1 is not possible in the state before it",
		{"0 0 2 ; 2 0 ;", "-1 -1 ;"}:             "step 1 is not possible in the state before it",
		{"1 0 0 \n", "0 0 0 \n"}:                 "state 1: process Adder(0) is not in location 0 of its template",
		{"0 1 ; .\n.\n", "0 1 ; .\n"}:            "the trace ends early",
		{"0 1 ; .\n.\n", "0 1 ;"}:                "the trace ends early",
		{"2 2 0 0 0 \n.", "2 2 0 0 0 \n"}:        `";" where a dot should be`,
		{"0 0 0 0 0 \n.\n", "99999999999 \n.\n"}: `"99999999999" where a dot should be`,
	} {
		text := strings.Replace(pairXTR, replace[0], replace[1], 1)
		_, err := ReadXTR(strings.NewReader(text), info)
		require.ErrorContains(t, err, with, "%q", replace)
	}
}

// Time stands still as long as some process is in an urgent or committed location.
func TestXTRTime(t *testing.T) {
	net, err := uppaal.ReadXTA(strings.NewReader("process P() { state a, b, c; commit a; urgent b; init a; trans a -> b { }, b -> c { }, c -> a { }; } system P;"), "")
	require.NoError(t, err)
	info, err := uppaal.Check(net)
	require.NoError(t, err)
	trace, err := check.Follow(info, []check.Step{{Parts: []check.Part{{Edge: 0}}}, {Parts: []check.Part{{Edge: 1}}}, {Parts: []check.Part{{Edge: 2}}}})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, WriteXTR(&b, info, trace))
	require.Equal(t, "0 \n.\n0 1 0\n.\n1 0 0\n.\n.\n\n.\n1 \n.\n0 1 0\n.\n1 0 0\n.\n.\n\n.\n0 0 ; .\n2 \n.\n0 1 0\n.\n.\n\n.\n0 1 ; .\n0 \n.\n0 1 0\n.\n.\n\n.\n0 2 ; .\n.\n", b.String())
	again, err := ReadXTR(&b, info)
	require.NoError(t, err)
	require.Equal(t, trace, again)
	other, _ := violated(t)
	require.ErrorContains(t, WriteXTR(&b, other, trace), "the trace is of another network")
}

func TestXML(t *testing.T) {
	info, trace := violated(t)
	var b bytes.Buffer
	require.NoError(t, WriteXML(&b, info, trace))
	var read struct {
		Initial string `xml:"initial_node,attr"`
		System  struct {
			Variables []struct {
				Name string `xml:"name,attr"`
			} `xml:"variable"`
			Processes []struct {
				Name  string `xml:"name,attr"`
				Edges []struct {
					ID     string `xml:"id,attr"`
					From   string `xml:"from,attr"`
					Guard  string `xml:"guard"`
					Sync   string `xml:"sync"`
					Update string `xml:"update"`
				} `xml:"edge"`
			} `xml:"process"`
		} `xml:"system"`
		Nodes []struct {
			ID string `xml:"id,attr"`
		} `xml:"node"`
		Locations []struct {
			List string `xml:"locations,attr"`
		} `xml:"location_vector"`
		Values []struct {
			States []struct {
				Variable string `xml:"variable,attr"`
				Value    int    `xml:"value,attr"`
			} `xml:"variable_state"`
		} `xml:"variable_vector"`
		Transitions []struct {
			From  string `xml:"from,attr"`
			To    string `xml:"to,attr"`
			Edges string `xml:"edges,attr"`
		} `xml:"transition"`
	}
	require.NoError(t, xml.Unmarshal(b.Bytes(), &read))
	require.Equal(t, "State1", read.Initial)
	require.Len(t, read.Nodes, 3)
	require.Equal(t, "kept[0]", read.System.Variables[1].Name)
	require.Equal(t, "Adder(0)", read.System.Processes[0].Name)
	e := read.System.Processes[0].Edges[0]
	require.Equal(t, []string{"Adder(0).Edge0", "Adder(0).idle", "i > 0 && v + i < LIMIT", "c!", "v = v + i, kept[id] = i"}, []string{e.ID, e.From, e.Guard, e.Sync, e.Update})
	require.Equal(t, []string{"1", "tau", "1"}, []string{read.System.Processes[2].Edges[0].Guard, read.System.Processes[0].Edges[1].Sync, read.System.Processes[0].Edges[2].Update})
	require.Equal(t, "Adder(0)._id1 Adder(1).idle S.open ", read.Locations[1].List)
	require.Equal(t, "v", read.Values[1].States[0].Variable)
	require.Equal(t, 2, read.Values[1].States[0].Value)
	require.Equal(t, "State1", read.Transitions[0].From)
	require.Equal(t, "State2", read.Transitions[0].To)
	require.Equal(t, "Adder(0).Edge0 S.Edge0 ", read.Transitions[0].Edges)
}

func TestReadXML(t *testing.T) {
	info, trace := violated(t)
	var b bytes.Buffer
	require.NoError(t, WriteXML(&b, info, trace))
	text := b.String()
	again, err := ReadXML(t.Context(), &b, info)
	require.NoError(t, err)
	require.Equal(t, trace, again, "the value that was selected, too")
	for replace, want := range map[[2]string]string{
		{"<trace", "<traces"}: "reading XML: ",
		{text, ""}:            "reading XML: EOF",
		{`<process id="S" name="S">`, `<process name="X">`}:                                      `no process "X"`,
		{`id="S.Edge0" from="S.open"`, `from="S.x"`}:                                             "edge 0 of process S leads from S.open to S.open, and not from S.x to S.open",
		{`</edge>`, `</edge><edge/><edge/><edge/><edge/>`}:                                       "process Adder(0) has 3 edges, and not 7",
		{`<transition from="State1"`, `<transition from="State2"`}:                               "transition 1 does not begin where the one before ends",
		{`edges="Adder(0).Edge0 S.Edge0 "`, `edges="Adder(0).Edge9"`}:                            `transition 1: unknown edge "Adder(0).Edge9"`,
		{`edges="Adder(0).Edge0 S.Edge0 "`, `edges="Adder(0).Edge0"`}:                            "transition 1 is not possible",
		{`edges="Adder(0).Edge0 S.Edge0 "`, `edges="S.Edge0 S.Edge0"`}:                           "transition 1 is not possible",
		{`<variable_state variable="v" value="2"/>`, `<variable_state variable="v" value="3"/>`}: "transition 1 is not possible in the state before it, or does not lead to its values",
		{`variable="v" value="2"`, `variable="v" value="two"`}:                                   "reading XML: ",
	} {
		_, err := ReadXML(t.Context(), strings.NewReader(strings.Replace(text, replace[0], replace[1], 1)), info)
		require.ErrorContains(t, err, want, "%q", replace)
	}
}

func FuzzReadXML(f *testing.F) {
	info, trace := violated(f)
	var b bytes.Buffer
	require.NoError(f, WriteXML(&b, info, trace))
	f.Add(b.String())
	f.Fuzz(func(t *testing.T, text string) {
		trace, err := ReadXML(t.Context(), strings.NewReader(text), info)
		if err != nil {
			return
		}
		require.Len(t, trace.States, len(trace.Steps)+1)
	})
}

func FuzzReadXTR(f *testing.F) {
	f.Add(pairXTR)
	f.Add("0 0 0\n.\n.\n.\n1 0 0\n.\n.\n.\n0 1 2\n2 1\n.\n.")
	info, _ := violated(f)
	f.Fuzz(func(t *testing.T, text string) {
		trace, err := ReadXTR(strings.NewReader(text), info)
		if err != nil {
			return
		}
		var b bytes.Buffer
		require.NoError(t, WriteXTR(&b, info, trace))
		again, err := ReadXTR(&b, info)
		require.NoError(t, err)
		require.Equal(t, trace, again)
	})
}
