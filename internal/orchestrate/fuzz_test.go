package orchestrate

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/goroutine"
	"github.com/vtrace/vtrace/internal/orcruntime"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// What a process of the program leaves in its files may be cut off, or be written by a program
// that means harm: reading it never panics, and no more is made of it than it says.

// sampleResult is what the runtime reports of a run.
func sampleResult() orcruntime.Result {
	return orcruntime.Result{
		Verdict: Reproduced, Message: "m", Outcome: orcruntime.Outcome{Kind: artifact.KindRace, Message: "data race", G: "0", Site: "snd", Stack: []string{"m.f main.go:3"}},
		Step: 1, Found: "at snd", Steps: 2, Hash: 7,
		Goroutines: []orcruntime.GState{{G: "0", State: "blocked", Op: "send", Object: "chan#1", Site: "snd", Source: "main.go:3: c <- 1"}, {G: "0.1", State: "finished"}},
		Trace:      []orcruntime.Step{{G: "0", Site: "spawn"}, {G: "0.1", Site: "snd", Occ: 1, Case: -1}},
		Choices:    []orcruntime.EnvChoice{{G: "0", Site: "spawn", Value: 1}},
		Races:      []orcruntime.Race{{First: orcruntime.RaceAccess{G: "0", Op: "write", Site: "snd", Source: "main.go:3"}, Second: orcruntime.RaceAccess{G: "0.1", Op: "read", Source: ":7", Stack: []string{"m.f main.go:3"}}}},
		Starved:    []orcruntime.At{{G: "0", Site: "snd"}}, Stalls: []orcruntime.Stall{{G: "0", Site: "snd", For: time.Second}},
		Daemons: []string{"0.1"}, Weaknesses: []string{"w"},
	}
}

// asJSON is a value in its bytes.
func asJSON(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return data
}

// requireRead checks what a verdict says of a run that the program has reported.
func requireRead(t *testing.T, side *artifact.Sidecar, v *Verdict, plan artifact.Plan) {
	t.Helper()
	require.Contains(t, []string{Reproduced, Infeasible, NotReproduced, Limit, Unsupported, Completed}, v.Status)
	var again artifact.Plan
	require.NoError(t, json.Unmarshal(asJSON(t, plan), &again))
	require.Equal(t, asJSON(t, plan), asJSON(t, again))
	require.Len(t, Interleaving(side, plan, Stuck(plan)), len(plan.Steps))
	require.Len(t, Goroutines(side, plan, v), len(plan.Expect.Goroutines))
	require.Len(t, v.FindingStalls(func(key string) artifact.Site { return SitesByKey(side)[key] }), len(v.Stalls))
	for _, r := range v.Races {
		require.Len(t, Accesses(side, r), 2)
	}
	require.Empty(t, difference(v, v))
	require.Empty(t, variation(v, v))
	require.Equal(t, v.place(plan.Expect), v.place(plan.Expect))
}

// A run is what its result says, and nothing that has to be believed where there is none.
func FuzzObserved(f *testing.F) {
	f.Add(asJSON(f, sampleResult()), []byte("1 0 spawn 0 0\n2 0.1 snd 0 0\n"), []byte("--- FAIL: TestVtraceDriver (0.00s)\nx\nFAIL\n"), 1, false)
	f.Add([]byte(`{"Verdict":"reproduced","Outcome":{"Kind":"data race"}}`), []byte("1 0"), []byte("PASS\n"), 0, false)
	f.Add([]byte(nil), []byte("99999999999999999999 0 x\n-1 0 x\n"), []byte("panic: x\n"), 2, true)
	f.Add([]byte(`{"Verdict":"reproduced","Step":-7}{`), []byte("\n\n"), []byte("fatal error: y"), -1, true)
	w := sampleWorld()
	plan, err := PlanOf(&w.side, &w.trace, sampleQuery)
	require.NoError(f, err)
	dir := f.TempDir()
	files := map[string]string{envResult: filepath.Join(dir, "result"), envLog: filepath.Join(dir, "log"), envJournal: filepath.Join(dir, "journal")}
	f.Fuzz(func(t *testing.T, result, journal, output []byte, code int, late bool) {
		require.NoError(t, os.RemoveAll(files[envResult]))
		if len(result) > 0 {
			require.NoError(t, os.WriteFile(files[envResult], result, 0o600))
		}
		require.NoError(t, os.WriteFile(files[envJournal], journal, 0o600))
		require.NoError(t, os.WriteFile(files[envLog], output, 0o600))
		v, got, err := observed(plan, files, &child{code: code, text: "ended"}, late, time.Second, string(output), string(output))
		require.NoError(t, err)
		require.Equal(t, plan, v.Plan)
		require.Equal(t, strings.TrimRight(string(output), "\x00"), v.Log)
		require.LessOrEqual(t, len(v.Stdout), len(output))
		var reported orcruntime.Result
		if json.Unmarshal(result, &reported) != nil {
			require.Equal(t, Unsupported, v.Status)
			require.Zero(t, got)
			require.NotEmpty(t, v.Reason)
		} else if v.Status == Reproduced {
			require.Equal(t, Reproduced, reported.Verdict)
		}
		if v.Expected != (artifact.PlanStep{}) {
			require.Equal(t, plan.Steps[v.Step-1], v.Expected)
		}
		v.completed(got)
		requireRead(t, &w.side, v, recorded(got, got.Observed()))
	})
}

// FuzzScreened: what runs of one process have left.
func FuzzScreened(f *testing.F) {
	f.Add(append(asJSON(f, sampleResult()), '\n'))
	f.Add([]byte(`{"Verdict":"infeasible","Step":2}` + "\n" + `{"Verdict":"not reproduced","Left":"x"}` + "\n"))
	f.Add([]byte(`{"Verdict":"infeasible","Step":-1}` + "\n" + `{"Verdict`))
	w := sampleWorld()
	plan, err := PlanOf(&w.side, &w.trace, sampleQuery)
	require.NoError(f, err)
	plan.Steps[0].Swap = true
	path := filepath.Join(f.TempDir(), "results")
	f.Fuzz(func(t *testing.T, results []byte) {
		require.NoError(t, os.WriteFile(path, results, 0o600))
		runs := []screenedRun{{Plan: plan}, {Plan: plan, Delays: true}}
		all, err := readScreened(path, runs)
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(all), len(runs))
		for _, v := range all {
			require.Equal(t, plan, v.Plan)
			if hopeless(v) {
				require.NotEqual(t, Reproduced, v.Status)
			}
		}
	})
}

// record is that of a run as the driver writes it.
func record(end uint32, hash uint64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(nil, end), hash)
}

// Random runs are as many as there are whole records, and each has an end that was written.
func FuzzExplored(f *testing.F) {
	end := asJSON(f, foundEnd{Seed: 3, Expect: sampleResult().Observed(), Result: orcruntime.PackedResult{Result: sampleResult()}})
	other := bytes.ReplaceAll(end, []byte(Reproduced), []byte(Completed))
	lines := slices.Concat(other, []byte("\n"), end, []byte("\n"), []byte(`{"Done":true,"Left":"x"}`+"\n"))
	f.Add(slices.Concat(record(0, 1), record(0, 1), record(1, 2), []byte("cut")), lines, slices.Concat(other, []byte("\n"), other))
	f.Add(record(1<<31, 1), other, []byte("{}\n"))
	f.Add(record(0, 1), []byte(`{"Result":{"Verdict":"unsupported","Message":"x"}}`), []byte(`{"Tainted":true,"Done":true}`))
	dir := f.TempDir()
	e := &exploreJob{Records: filepath.Join(dir, "records"), Ends: filepath.Join(dir, "ends"), Traces: filepath.Join(dir, "traces")}
	side := &sampleWorld().side
	f.Fuzz(func(t *testing.T, records, ends, traces []byte) {
		for file, data := range map[string][]byte{e.Records: records, e.Ends: ends, e.Traces: traces} {
			require.NoError(t, os.WriteFile(file, data, 0o600))
		}
		x := &explorer{ends: map[string]*End{}, schedules: map[uint64]bool{}}
		handed := 0
		x.opts.Recorded = func(_ uint64, r *Recording) error {
			handed++
			requireRead(t, side, r.Verdict, r.Plan)
			return nil
		}
		require.NoError(t, x.salvage(e))
		salvaged := handed
		require.LessOrEqual(t, salvaged, x.out.Runs)
		require.LessOrEqual(t, x.out.Runs, len(records)/recordSize)
		require.LessOrEqual(t, len(x.schedules), x.out.Runs)
		counted := 0
		for _, end := range x.sorted() {
			require.Positive(t, end.Count)
			require.NotEqual(t, Reproduced, end.Status)
			counted += end.Count
			requireRead(t, side, &Verdict{Status: end.Status, Kind: end.Kind, Races: end.Races, Goroutines: end.Goroutines}, end.Plan)
		}
		require.LessOrEqual(t, counted, x.out.Runs)
		if x.out.Shown == nil {
			require.Equal(t, counted, x.out.Runs)
		} else {
			require.Equal(t, Reproduced, x.out.Shown.Verdict.Status)
		}
		handed = 0
		if err := x.recorded(e, x.out.Runs); err == nil {
			require.Equal(t, x.out.Runs, handed)
			require.Equal(t, handed, salvaged)
		} else {
			require.Less(t, handed, x.out.Runs)
		}
	})
}

// Of an exhaustive exploration no process counts less than nothing, and what one has done is
// joined with what was done before, whatever a file says that this was.
func FuzzExhausted(f *testing.F) {
	end := asJSON(f, foundEnd{Expect: sampleResult().Observed(), Result: orcruntime.PackedResult{Result: sampleResult()}})
	whole := orcruntime.Exhausted{Runs: 2, Steps: 9, Complete: true, Bounds: []string{"b"}, Races: sampleResult().Races, Preemptions: []Bounded{{Runs: 2}}}
	f.Add(slices.Concat(record(0, 1), record(0, 2)), append(end, '\n'), asJSON(f, whole), asJSON(f, Exhaustive{Exhausted: whole, Ends: []End{{Count: 1, Kind: artifact.KindRace, Races: whole.Races}}}))
	f.Add(record(7, 1), end, []byte(`{"Runs":-1}`), []byte(`{"Runs":9223372036854775807,"Ends":[{},{}]}`))
	f.Add([]byte(nil), []byte("{"), []byte("{"), []byte("null"))
	dir := f.TempDir()
	e := &exhaustJob{Records: filepath.Join(dir, "records"), Ends: filepath.Join(dir, "ends"), Result: filepath.Join(dir, "result")}
	f.Fuzz(func(t *testing.T, records, ends, result, earlier []byte) {
		for file, data := range map[string][]byte{e.Records: records, e.Ends: ends, e.Result: result} {
			require.NoError(t, os.WriteFile(file, data, 0o600))
		}
		var p processed
		require.NoError(t, p.read(e))
		require.Len(t, p.records, len(records)/recordSize)
		x := &exhauster{explorer: explorer{ends: map[string]*End{}, schedules: map[uint64]bool{}}}
		x.take(t.Context(), &p)
		x.sum.Ends = x.sorted()
		require.GreaterOrEqual(t, x.sum.Runs, 0)
		require.GreaterOrEqual(t, x.sum.Steps, 0)
		if p.res == nil {
			require.False(t, x.sum.Complete)
			require.Error(t, p.err)
			require.Len(t, p.records, x.sum.Runs)
		}
		counted := 0
		for _, end := range x.sum.Ends {
			counted += end.Count
		}
		require.LessOrEqual(t, counted, len(p.records))
		var before Exhaustive
		if json.Unmarshal(earlier, &before) != nil {
			return
		}
		places := map[string]bool{}
		for _, end := range slices.Concat(x.sum.Ends, before.Ends) {
			places[end.place()] = true
		}
		complete := x.sum.Complete
		x.sum.Join(&before)
		require.Equal(t, complete, x.sum.Complete, "what was before does not make it whole")
		for _, end := range x.sum.Ends {
			require.True(t, places[end.place()])
		}
	})
}

// What was minimised is a plan that a bundle can have, or there is none.
func FuzzMinimised(f *testing.F) {
	best := orcruntime.Minimised{Plan: orcruntime.Plan{Steps: sampleResult().Trace, Choices: sampleResult().Choices, Seed: 1}, Before: Cost{Switches: 2}, After: Cost{Switches: 1}, Runs: 3}
	f.Add(asJSON(f, best))
	f.Add([]byte(`{"Plan":{"Steps":[{}],"Guides":[[{}]]},"After":{"Switches":-1}}`))
	f.Add([]byte(`{"Plan":`))
	file := filepath.Join(f.TempDir(), "result")
	side := &sampleWorld().side
	f.Fuzz(func(t *testing.T, data []byte) {
		require.NoError(t, os.WriteFile(file, data, 0o600))
		var found orcruntime.Minimised
		if err := readResult(file, &found); err != nil {
			require.Zero(t, found)
			return
		}
		require.Equal(t, found.Before.Compare(found.After), -found.After.Compare(found.Before))
		expect := artifact.Expect{Kind: artifact.KindLeak, Goroutines: []artifact.At{{G: "0", Site: "snd"}}}
		plan := minimal(found.Plan, expect)
		require.Equal(t, expect, plan.Expect)
		requireRead(t, side, &Verdict{Status: Reproduced, Plan: plan}, plan)
	})
}

// Whatever the frontiers of an exploration say, and what the processes say that do parts of
// it, handing the parts out comes to no harm, and leaves a frontier that can be taken up.
func FuzzParts(f *testing.F) {
	frontier := orcruntime.Frontier{Trees: true, Nodes: []orcruntime.Node{
		{Chosen: "0", Ready: []string{"0", "0.1"}},
		{Chosen: "0.1", Of: 3, Value: 1, First: 1},
	}}
	whole := string(asJSON(f, frontier))
	more := `{"Nodes":[{"Chosen":"0","Wakeup":[{"G":"0.1","Then":[{"G":"0","Values":[1]}]}],"Sleep":[{"G":"0.2","Followed":true}]},{"Of":2},{"Of":9,"Value":8}],"Trees":true}`
	f.Add([]byte(whole), []byte(`{"Runs":1,"Through":true}`+"\n"+whole+"\n"+`{"Runs":3,"Bounds":["x"]}`+"\n"+more))
	f.Add([]byte(more), []byte(`{"Runs":1}`+"\n"+more+"\n"+`{"Complete":true}`+"\n\n"+`{"Runs":-5}`+"\n{}\n"+`{"Left":"x"}`+"\n"+more))
	f.Add([]byte(`{"Nodes":[{"To":["0","0.1"],"Chosen":"0.2","Sleep":null}]}`), []byte(`{"Through":true}`+"\nnull\n"))
	f.Add([]byte(`null`), []byte(`{}`))
	file := filepath.Join(f.TempDir(), "frontier")
	f.Fuzz(func(t *testing.T, begin, replies []byte) {
		read := func(data []byte) (*orcruntime.Frontier, error) {
			require.NoError(t, os.WriteFile(file, data, 0o600))
			return readFrontier(file)
		}
		from, err := read(begin)
		if err != nil {
			return
		}
		parts := orcruntime.NewParts(from)
		parts.Runs = 1 << 20
		emitted := 0
		parts.Emit = func(out orcruntime.Exhausted, by any) { emitted++ }
		var busy []*running
		lines := bytes.SplitN(replies, []byte("\n"), 64)
		done := 0
		for ; len(lines) >= 2; lines = lines[2:] {
			for _, task := range parts.Tasks(3 - len(busy)) {
				busy = append(busy, &running{Task: task, file: file})
			}
			if len(busy) == 0 {
				break
			}
			r := busy[len(lines)%len(busy)]
			busy = slices.DeleteFunc(busy, func(b *running) bool { return b == r })
			var out orcruntime.Exhausted
			if json.Unmarshal(lines[0], &out) != nil {
				parts.Done(r.Task, nil, nil)
				continue
			}
			if !out.Complete {
				require.NoError(t, os.WriteFile(file, lines[1], 0o600))
				if out.Frontier, err = r.rest(); err != nil {
					return // the exploration ends with this error
				}
			}
			done++
			parts.Done(r.Task, &out, nil)
		}
		require.LessOrEqual(t, emitted, done)
		left := parts.Frontier()
		require.Equal(t, parts.Complete(), left == nil)
		if left == nil {
			return
		}
		require.NoError(t, writeFrontier(file, left))
		again, err := readFrontier(file)
		require.NoError(t, err)
		require.Equal(t, asJSON(t, left), asJSON(t, again))
		require.False(t, orcruntime.NewParts(again).Complete())
	})
}

// The creation paths of goroutines have one order, whatever a program calls them.
func FuzzPaths(f *testing.F) {
	f.Add("0", "0.1", "0.10")
	f.Add("9", "10", "1a")
	f.Add("1", "01", "1.1")
	f.Add("F@m.f#1.2", "0..1", ".")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		require.Equal(t, a == b, goroutine.Compare(a, b) == 0)
		require.Equal(t, goroutine.Compare(a, b), -goroutine.Compare(b, a))
		if goroutine.Compare(a, b) < 0 && goroutine.Compare(b, c) < 0 {
			require.Negative(t, goroutine.Compare(a, c), "%q %q %q", a, b, c)
		}
	})
}

// A recording is followed in a model with the sidecar of whatever bundle: it is, or it is said
// why not, and the same each time.
func FuzzFollow(f *testing.F) {
	type input struct {
		Side   artifact.Sidecar
		Result orcruntime.Result
	}
	models := []func(testing.TB) (*uppaal.Network, *artifact.Sidecar){
		network, func(testing.TB) (*uppaal.Network, *artifact.Sidecar) { return branching() },
	}
	for i, of := range models {
		_, side := of(f)
		in := input{*side, sampleResult()}
		in.Result.Verdict = Completed
		f.Add(uint8(i), asJSON(f, in))
		in.Result.Trace = []orcruntime.Step{{G: "0", Site: side.Sites[1].Key}, {G: "0", Site: side.Sites[2].Key, Case: 1}, {G: "T"}}
		in.Result.Goroutines = []orcruntime.GState{{G: "0", State: "blocked", Site: side.Sites[1].Key}}
		in.Result.Outcome.Kind = artifact.KindDeadlock
		f.Add(uint8(i), asJSON(f, in))
		in.Result.Goroutines = []orcruntime.GState{{G: "0", State: "panicked"}}
		in.Result.Outcome.Kind = artifact.KindPanic
		in.Result.Trace = in.Result.Trace[:1]
		f.Add(uint8(i), asJSON(f, in))
		in.Result.Goroutines = []orcruntime.GState{{State: "blocked"}} // of which the model knows nothing
		in.Result.Trace = nil
		f.Add(uint8(i), asJSON(f, in))
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		var in input
		if json.Unmarshal(data, &in) != nil {
			return
		}
		net, _ := models[int(which)%len(models)](t)
		follower, err := NewFollower(t.Context(), &in.Side, net)
		if err != nil {
			return // they do not fit
		}
		v := &Verdict{}
		v.observe(in.Result)
		v.completed(in.Result)
		r := &Recording{v, recorded(in.Result, in.Result.Observed())}
		first, err := follower.Follow(t.Context(), r)
		require.NoError(t, err)
		require.Contains(t, []string{Followed, Rejected, BeyondBounds, LeftOut, Undecided}, first.Status)
		if first.Status == Followed {
			require.Zero(t, first.Step)
			require.Empty(t, first.Reason)
		} else {
			require.NotEmpty(t, first.Reason)
			require.LessOrEqual(t, first.Step, len(r.Plan.Steps)+1)
		}
		require.LessOrEqual(t, first.Widest, maxPlaces)
		trail, err := follower.Trail(t.Context(), v)
		require.NoError(t, err)
		for _, h := range []*History{first.History, trail} {
			if h == nil {
				continue
			}
			require.NotEmpty(t, h.Ends())
			for _, b := range slices.AppendSeq(h.Ends(), h.Before()) {
				require.GreaterOrEqual(t, b.Done, 0)
				require.LessOrEqual(t, b.Done, len(r.Plan.Steps))
			}
			for at := range h.Choices() {
				require.True(t, LeftOpen(&in.Side, at))
			}
		}
		again, err := follower.Follow(t.Context(), r)
		require.NoError(t, err)
		first.History, again.History = nil, nil
		require.True(t, reflect.DeepEqual(first, again))
	})
}
