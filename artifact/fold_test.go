package artifact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/repeat"
)

// longTrace is one of a loop of so many iterations, and of steps before and behind it that do not repeat.
func longTrace(n int) *Trace {
	tr := &Trace{Formula: "A[] true", Comment: "c", Result: "F", Query: 1, Lines: []string{"main: a > b"}, Plan: &Plan{}}
	for i := range n {
		for k, op := range []string{"lock", "unlock"} {
			tr.Lines = append(tr.Lines, "main: "+op+" > x")
			tr.Steps = append(tr.Steps, Step{
				Parts: []Part{{Process: "main", Edge: k, From: op, To: "x"}},
				Vars:  []Var{{Name: "main.i", Value: 2*i + k}, {Name: "locked", Value: k}},
			})
			tr.Plan.Steps = append(tr.Plan.Steps, PlanStep{G: "0", Site: "m.main#" + op, Occ: i + 1, Trace: 2*i + k})
		}
	}
	tr.Lines = append(tr.Lines, "main: z > end")
	return tr
}

func longFinding(n int) Finding {
	f := Finding{Number: 1, Verdict: Real, Kind: KindDeadlock, Query: 1}
	for i := range n {
		f.Interleaving = append(f.Interleaving, FindingStep{Step: i + 1, G: "0", Operation: "send", After: fmt.Sprintf("%d of %d", i, n)})
	}
	return f
}

// oneGoroutine skips a test in the short form of the suite, which is for the race detector: that takes half a
// minute for what one goroutine does.
func oneGoroutine(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("one goroutine does everything")
	}
}

// A bundle with long lists is small, and what is read from it is what was written.
func TestFoldedLists(t *testing.T) {
	oneGoroutine(t)
	tr, findings := longTrace(100_000), []Finding{longFinding(50_000), longFinding(3), longFinding(5000)}
	b := New(Manifest{Pass: PassDeep})
	path := b.AddTrace(1, 1, tr)
	b.SetFindings(findings)
	made, err := b.Bundle()
	require.NoError(t, err)
	for _, p := range []string{path, FindingsPath} {
		data, ok := made.Read(p)
		require.True(t, ok)
		require.Less(t, len(data), 20_000, p)
	}
	var archive bytes.Buffer
	require.NoError(t, WriteArchive(&archive, made))
	read, err := ReadArchive(&archive, DefaultLimits)
	require.NoError(t, err)
	for _, b := range []*Bundle{made, read} {
		require.Equal(t, tr, b.Trace(1, 1))
		require.Equal(t, findings, b.Findings())
	}
	require.Len(t, tr.Lines, 200_002, "what was given is as it was")
}

// Short lists are as ever, for those who read the files by themselves.
func TestShortLists(t *testing.T) {
	oneGoroutine(t)
	tr := longTrace(repeat.Long/2 - 2)
	b := New(Manifest{Pass: PassDeep})
	path := b.AddTrace(1, 1, tr)
	made, err := b.Bundle()
	require.NoError(t, err)
	data, _ := made.Read(path)
	require.False(t, bytes.Contains(data, []byte("repeats")))
	var plain Trace
	require.NoError(t, json.Unmarshal(data, &plain))
	require.Equal(t, *tr, plain)
}

// What repeats itself in a file of others is checked before there is memory for it.
func TestFoldedBroken(t *testing.T) {
	trace := `{"formula": "", "comment": "", "result": "F", "trace": ["a", "a"], "query": 1, "repeats": [%s]}`
	finding := `[{"number": 1, "verdict": "real", "kind": "", "category": "", "query": 1, "message": "", "interleaving": [{"step": 1, "g": "", "operation": ""}, {"step": 2, "g": "", "operation": ""}], "repeats": [%s]}]`
	for name, c := range map[string]struct{ path, text, repeats string }{
		"too large":           {TracePath(1, 1), trace, fmt.Sprintf(`{"list": "trace", "at": 0, "length": 1, "times": %d}`, 1<<40)},
		"overflow":            {TracePath(1, 1), trace, fmt.Sprintf(`{"list": "trace", "at": 0, "length": 1, "times": %d}`, math.MaxInt)},
		"too large together":  {FindingsPath, finding, `{"list": "interleaving", "at": 0, "length": 1, "times": 10000000}`},
		"behind the end":      {TracePath(1, 1), trace, `{"list": "trace", "at": 1, "length": 1, "times": 5}`},
		"no such list":        {TracePath(1, 1), trace, `{"list": "steps", "at": 0, "length": 1, "times": 5}`},
		"list of no name":     {TracePath(1, 1), trace, `{"list": "", "at": 0, "length": 1, "times": 5}`},
		"plan that is absent": {TracePath(1, 1), trace, `{"list": "plan.steps", "at": 0, "length": 1, "times": 5}`},
	} {
		text := fmt.Sprintf(c.text, c.repeats)
		_, err := decodeForm(c.path, []byte(text), formOf(c.path), Limits{Decoded: 1 << 30})
		var corrupt *CorruptError
		require.ErrorAs(t, err, &corrupt, name)
		// The limit is what is exceeded, not what is made first.
		require.Less(t, allocated(func() {
			_, err := decodeForm(c.path, []byte(text), formOf(c.path), Limits{Decoded: 1 << 20})
			require.Error(t, err)
		}), uint64(1<<20), name)
	}
	// Each is small enough, but not all of them.
	one := fmt.Sprintf(finding, `{"list": "interleaving", "at": 0, "length": 1, "times": 1000}`)
	one = one[1 : len(one)-1]
	limits := Limits{Decoded: 1 << 20}
	_, err := decodeForm(FindingsPath, []byte("["+one+"]"), formOf(FindingsPath), limits)
	require.NoError(t, err)
	_, err = decodeForm(FindingsPath, []byte("["+one+","+one+","+one+","+one+","+one+"]"), formOf(FindingsPath), limits)
	require.ErrorIs(t, err, ErrLimit)
}
