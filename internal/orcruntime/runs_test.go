package orcruntime

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/digest"
)

var updateRuns = flag.Bool("update-runs", false, "write the digests of TestRuns anew")

// TestRuns: a seed gives the run that it has always given, with each strategy, and an exploration
// does as many runs as it did. Of each program there is a digest: that one changes says that what
// somebody has been told to repeat does not come again, or that more or less is explored, and which
// programs to look at. If that is meant to be so:
//
//	go test ./internal/orcruntime -run 'TestRuns$' -update-runs
func TestRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector sees the runtime at work in other tests, and takes minutes for this one")
	}
	got := map[string]string{}
	for _, p := range programs {
		got[fileName(p.name)] = runsOf(t, p.config(bubble(t)), 2000)
	}
	for seed := range uint64(60) {
		r := random(5000 + seed)
		kinds := exhaustKinds
		if n := int(seed) % (len(families) + 1); n > 0 {
			kinds = families[n-1]
		}
		p := newRandomProgram(&r, kinds)
		got[fmt.Sprintf("random-%03d", seed)] = runsOf(t, Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main, Record: true}, 3000)
	}
	digest.Compare(t, "testdata/runs.sum", got, true, *updateRuns)
}

// fileName is a name without blanks.
func fileName(name string) string {
	out := []rune(name)
	for i, r := range out {
		if r == ' ' {
			out[i] = '-'
		}
	}
	return string(out)
}

// runsOf is a digest of what runs of a program are, behind how many runs explorations take.
func runsOf(t *testing.T, cfg Config, most int) string {
	t.Helper()
	sum := sha256.New()
	for _, s := range Strategies() {
		for _, patient := range []bool{false, true} {
			c := cfg
			c.Delays = patient
			Explore(Exploration{Config: c, Runs: 6, Strategy: s, Patient: patient, Record: true, Found: func(int, uint64, Result) {}, Ran: func(end int, res Result) {
				fmt.Fprintln(sum, s, patient, end)
				written(sum, res)
			}})
		}
	}
	text := ""
	for _, e := range []Exhaustion{{}, {Bounding: &Bounding{Last: 1}}} {
		e.Config, e.Runs = cfg, most
		o := exhaust(t, e, func(res Result) string {
			return fmt.Sprint(res.Verdict, res.Outcome.Kind, res.Outcome.G, res.Outcome.Site)
		})
		text += fmt.Sprintf("%d runs, %d cut, %v; ", o.runs, o.out.Cut, o.complete)
		io.WriteString(sum, placeInFile.ReplaceAllString(fmt.Sprintln(o.sorted(), o.out.Bounds), ""))
	}
	require.NotEmpty(t, text)
	return text + fmt.Sprintf("%x", sum.Sum(nil)[:6])
}

// placeInFile matches one.
var placeInFile = regexp.MustCompile(`\w+\.go:\d+(:\d+)?`)

// written writes what was observed of a run, without what depends on lines of the source.
func written(sum io.Writer, res Result) {
	res.Outcome.Stack = nil
	text := fmt.Sprintln(res.Verdict, res.Message, fmt.Sprintf("%+v", res.Outcome), res.Steps, res.Hash, res.Trace, res.Choices, res.Log, len(res.Goroutines),
		res.Notes, res.VirtualTime, res.Weak, res.Deadlines, res.Durations, len(res.Races), res.Asked)
	io.WriteString(sum, placeInFile.ReplaceAllString(text, ""))
}
