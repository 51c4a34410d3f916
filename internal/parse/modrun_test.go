package parse

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/vtrace/vtrace/internal/source"
)

// schedules is how many random schedules TestModules runs each concurrent test
// of a module under:
//
//	go test ./internal/parse -run TestModules -timeout 60m -modules default -schedules 100
var schedules = flag.Int("schedules", 0, "random schedules for each concurrent test of the modules")

var testTime = flag.Duration("testtime", 20*time.Second, "time for the schedules of one test")

var maxSteps = flag.Int("maxsteps", 30_000, "steps of one run of a test of the modules")

var onlyTests = flag.String("only", "", "the tests of the modules to run under schedules, a regular expression")

// exploreTemplate is a test that runs the tests of its package, one by one,
// under seeded random schedules. Under those with an even seed, time passes only
// when nothing else can happen. A test whose first run has one goroutine only
// is run once.
var exploreTemplate = template.Must(template.New("explore").Parse(`package {{.Name}}

import (
	zzjson "encoding/json"
	zzos "os"
	zzstrconv "strconv"
	zztesting "testing"
	zzsynctest "testing/synctest"
	zztime "time"

	zzorc "vtraceorc"
)

func {{.Func}}(t *zztesting.T) {
	name := zzos.Getenv("VTRACE_TEST")
	zzos.Unsetenv("VTRACE_TEST") // for tests that run their own binary
	test := map[string]func(*zztesting.T){
{{- range .Tests}}
		"{{.}}": {{.}},
{{- end}}
	}[name]
	from, _ := zzstrconv.Atoi(zzos.Getenv("VTRACE_FROM"))
	to, _ := zzstrconv.Atoi(zzos.Getenv("VTRACE_TO"))
	out, err := zzos.OpenFile(zzos.Getenv("VTRACE_OUT"), zzos.O_WRONLY|zzos.O_CREATE|zzos.O_APPEND, 0o600)
	if test == nil || err != nil {
		t.Fatal("no test ", name, err)
	}
	defer out.Close()
	t.Setenv("GODEBUG", zzos.Getenv("GODEBUG")+",asynctimerchan=0")
	for seed := from; seed < to; seed++ {
		chooser := zzorc.Random(uint64(seed))
		if seed%2 == 0 {
			chooser = zzorc.Patient(chooser)
		}
		var r zzorc.Result
		t.Run(zzstrconv.Itoa(seed), func(t *zztesting.T) {
			bubble := t
			r = zzorc.Run(zzorc.Config{
				Plan: zzorc.Plan{MaxSteps: {{.MaxSteps}}},
				Bubble: zzorc.Bubble{
					Run: func(f func()) {
						var failure interface{}
						done := make(chan struct{})
						go func() {
							defer close(done)
							defer func() { failure = recover() }()
							zzsynctest.Test(t, func(t *zztesting.T) { bubble = t; f() })
						}()
						<-done
						if failure != nil {
							panic(failure)
						}
					},
					Wait: zzsynctest.Wait,
				},
				Main:     func() { test(bubble) },
				Entry:    zzorc.EntryTest,
				Failed:   func() bool { return bubble.Failed() },
				Chooser:  chooser,
				Watchdog: {{.Watchdog}} * zztime.Second,
				NoLog:    true,
			})
		})
		r.Log, r.Trace = nil, nil
		data, err := zzjson.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write(append(data, '\n')); err != nil {
			t.Fatal(err)
		}
		if r.Verdict == zzorc.Unsupported {
			zzos.Exit(0) // what is stuck in it would keep the test from ending
		}
		if seed == 0 && len(r.Goroutines) < 2 {
			return
		}
	}
}
`))

// exploration is what the schedules of one test came to.
type exploration struct {
	pkg, test  string
	goroutines int
	refused    int // runs, by the runtime, as something that it cannot control
	runs       int
	stopped    string // why there were no more
	steps      int
	elapsed    time.Duration
	outcomes   map[string]int    // by kind and place
	calm       map[string]int    // by kind, the runs where time waits
	early      map[string]int    // and the others
	first      map[string]string // how the first of each came about
	notes      map[string]int
}

// explore runs the concurrent tests of the instrumented module under random
// schedules.
func explore(t *testing.T, prog *source.Program, o *Overlay, dir string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	only, err := regexp.Compile(*onlyTests)
	require.NoError(t, err)
	type group struct {
		p     *packages.Package
		tests []string
	}
	var groups []group
	for i, p := range prog.Packages {
		if p.Module.Dir != dir {
			continue
		}
		g := group{p: p}
		scope := p.Types.Scope()
		for _, name := range scope.Names() {
			f, ok := scope.Lookup(name).(*types.Func)
			if ok && strings.HasPrefix(name, "Test") && only.MatchString(name) && name != "TestMain" && strings.HasSuffix(prog.Fset.Position(f.Pos()).Filename, "_test.go") &&
				f.Signature().Params().Len() == 1 && f.Signature().Params().At(0).Type().String() == "*testing.T" {
				g.tests = append(g.tests, name)
			}
		}
		if len(g.tests) == 0 {
			continue
		}
		var src bytes.Buffer
		require.NoError(t, exploreTemplate.Execute(&src, map[string]any{"Name": p.Name, "Func": fmt.Sprintf("TestZZExplore%d", i), "Tests": g.tests, "Watchdog": 10, "MaxSteps": *maxSteps}))
		dir := filepath.ToSlash(filepath.Dir(prog.Rel(p.GoFiles[0])))
		o.Files[filepath.ToSlash(filepath.Join(dir, fmt.Sprintf("zz_explore%d_test.go", i)))] = src.Bytes()
		groups = append(groups, g)
	}
	overlay, err := o.Write(t.TempDir(), prog.Root, goroot(t))
	require.NoError(t, err)
	var all []*exploration
	start := time.Now()
	for _, g := range groups {
		bin := binary(t, "explore")
		dir := filepath.Dir(g.p.GoFiles[0])
		if out, err := command(ctx, dir, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", bin, "."); err != nil {
			t.Errorf("%s: %s", g.p.PkgPath, out)
			continue
		}
		fn := fmt.Sprintf("^TestZZExplore%d$", slices.Index(prog.Packages, g.p))
		for _, name := range g.tests {
			e := exploreTest(ctx, t, bin, dir, fn, name)
			e.pkg = g.p.PkgPath
			all = append(all, e)
			if e.concurrent() || len(e.first) > 0 {
				e.report(t)
			}
		}
	}
	summarize(t, all, time.Since(start))
}

// summarize prints the line of a module, what its runs came to, which of its
// tests did not get all of theirs, and which did not complete by themselves.
func summarize(t *testing.T, all []*exploration, elapsed time.Duration) {
	concurrent, runs, steps := 0, 0, 0
	calm, early := map[string]int{}, map[string]int{}
	var short, alone []string
	for _, e := range all {
		if !e.concurrent() {
			if len(e.first) > 0 {
				alone = append(alone, fmt.Sprintf("%s: %s", e.test, counts(e.outcomes)))
			}
			continue
		}
		concurrent++
		runs += e.runs
		steps += e.steps
		for what, n := range e.calm {
			calm[what] += n
		}
		for what, n := range e.early {
			early[what] += n
		}
		if e.runs < *schedules {
			short = append(short, fmt.Sprintf("%s: %d runs: %s", e.test, e.runs, e.stopped))
		}
	}
	t.Logf("orchestrated: %d tests, %d concurrent, %d runs, %d steps, %v", len(all), concurrent, runs, steps, elapsed.Round(time.Second))
	t.Logf("calm: %s", counts(calm))
	t.Logf("early: %s", counts(early))
	for _, s := range short {
		t.Logf("short: %s", s)
	}
	for _, s := range alone {
		t.Logf("one goroutine: %s", s)
	}
}

// counts lists what happened how often.
func counts(m map[string]int) string {
	var out []string
	for what, n := range m {
		out = append(out, fmt.Sprintf("%s %d", cut(what), n))
	}
	sort.Strings(out)
	return strings.Join(out, "; ")
}

// concurrent: the test starts goroutines, or does what the runtime refuses.
func (e *exploration) concurrent() bool {
	return e.goroutines > 1 || e.refused > 0
}

func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// exploreTest runs one test under the schedules, in as many processes as it
// takes.
func exploreTest(ctx context.Context, t *testing.T, bin, dir, fn, name string) *exploration {
	e := &exploration{test: name, outcomes: map[string]int{}, calm: map[string]int{}, early: map[string]int{}, first: map[string]string{}, notes: map[string]int{}}
	start := time.Now()
	defer func() { e.elapsed = time.Since(start) }()
	deaths := 0
	for from := 0; from < *schedules; {
		switch {
		case deaths == 3:
			e.stopped = "the process died three times"
		case e.refused == 3:
			e.stopped = "refused three times"
		case time.Since(start) > *testTime:
			e.stopped = fmt.Sprintf("the time for one test, %v, was up", *testTime)
		case ctx.Err() != nil:
			e.stopped = "the time for one module was up"
		}
		if e.stopped != "" {
			return e
		}
		out := filepath.Join(t.TempDir(), "out")
		limit, cancel := context.WithTimeout(ctx, *testTime+10*time.Second-time.Since(start))
		cmd := exec.CommandContext(limit, bin, "-test.run="+fn, "-test.short", "-test.timeout=0")
		cmd.Dir = dir
		cmd.WaitDelay = time.Second
		cmd.Env = append(os.Environ(), "VTRACE_TEST="+name, "VTRACE_OUT="+out, fmt.Sprint("VTRACE_FROM=", from), fmt.Sprint("VTRACE_TO=", *schedules))
		printed, err := cmd.CombinedOutput()
		timeout := limit.Err() != nil
		cancel()
		results := readResults(t, out)
		messages := messagesOf(printed)
		for _, r := range results {
			if r.Outcome.Kind == "test failure" && messages[from] == nil {
				messages[from] = failures(ctx, bin, dir, fn, name, from)
			}
			e.add(from, r, messages[from])
			from++
		}
		n := len(results)
		switch refused := n > 0 && results[n-1].Verdict == "unsupported"; {
		case from == 1 && refused:
			e.stopped = "refused"
			return e
		case e.goroutines < 2:
			e.stopped = "not concurrent"
			return e
		case refused || from >= *schedules:
		case timeout:
			e.stopped = fmt.Sprintf("the time for one test, %v, was up in run %d", *testTime, from)
			return e
		default:
			deaths++
			e.runs++
			e.goroutines = max(e.goroutines, 2)
			what := "the process ended"
			for _, line := range strings.Split(string(printed), "\n") {
				if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
					what += ": " + line
					break
				}
			}
			e.count(what, fmt.Sprintf("seed %d: %v\n%s", from, err, tail(printed, 3000)))
			e.class(from)["death"]++
			from++
		}
	}
	return e
}

// class counts runs by kind: those where time waits, or the others.
func (e *exploration) class(seed int) map[string]int {
	if seed%2 == 0 {
		return e.calm
	}
	return e.early
}

// result is the part of orcruntime.Result that the report shows.
type result struct {
	Verdict, Message string
	Outcome          struct {
		Kind, Message, G, Site string
		Stack                  []string
	}
	Steps      int
	Goroutines []struct {
		G, State, Op, Source string
		Stack                []string
	}
	Notes []string
	Weak  bool
	Races []struct{ First, Second raceAccess }
}

// raceAccess is the part of orcruntime.RaceAccess that the report shows.
type raceAccess struct {
	G, Op, What, Source string
	Stack               []string
}

func (a raceAccess) String() string {
	return fmt.Sprintf("%s of %s at %s by %s %v", a.Op, a.What, a.Source, a.G, a.Stack[:min(4, len(a.Stack))])
}

func readResults(t *testing.T, path string) (out []result) {
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return out
		}
		var r result
		require.NoError(t, json.Unmarshal(line, &r))
		out = append(out, r)
	}
}

func (e *exploration) count(what, how string) {
	if e.outcomes[what]++; e.first[what] == "" {
		e.first[what] = how
	}
}

// add counts a run, whose test has printed these messages. Runs that did not
// complete are told apart by what happened and where.
func (e *exploration) add(seed int, r result, messages []string) {
	e.runs++
	e.steps += r.Steps
	e.goroutines = max(e.goroutines, len(r.Goroutines))
	for _, n := range r.Notes {
		e.notes[n]++
	}
	for _, race := range r.Races {
		what := fmt.Sprintf("data race of %s and %s", race.First.Source, race.Second.Source)
		if e.outcomes[what]++; e.first[what] == "" {
			e.first[what] = fmt.Sprintf("seed %d:\n\t%v\n\t%v\n", seed, race.First, race.Second)
		}
	}
	what := r.Verdict
	switch {
	case r.Verdict == "unsupported":
		e.refused++
		what = "refused"
	case r.Outcome.Kind != "":
		what = r.Outcome.Kind
	case r.Verdict == "limit" && len(r.Goroutines) > 0 && r.Goroutines[0].State == "finished":
		// The others go on without end: its work is done.
		what = "goes on after the test"
	}
	e.class(seed)[what]++
	if what == "completed" {
		e.outcomes[what]++
		return
	}
	if r.Verdict == "unsupported" {
		what += ": " + r.Message
	} else {
		what += r.place(messages)
		if seed%2 != 0 {
			what = "early time: " + what
		}
	}
	var how strings.Builder
	fmt.Fprintf(&how, "seed %d: %s at %s (%s)\n", seed, r.Outcome.G, r.Outcome.Site, cut(r.Message))
	shown := 0
	for _, g := range r.Goroutines {
		if g.State != "finished" && shown < 4 {
			shown++
			fmt.Fprintf(&how, "\t%s %s %s %s\n", g.G, g.State, g.Op, g.Source)
			if g.State == "at" || g.State == "not started" {
				continue
			}
			for _, s := range g.Stack[:min(4, len(g.Stack))] {
				fmt.Fprintf(&how, "\t\t%s\n", s)
			}
		}
	}
	for _, s := range r.Outcome.Stack[:min(8, len(r.Outcome.Stack))] {
		fmt.Fprintf(&how, "\t%s\n", s)
	}
	for _, m := range messages[:min(3, len(messages))] {
		fmt.Fprintf(&how, "%s\n", m)
	}
	e.count(what, how.String())
}

// place is where what the run came to happened: the messages of the test, the
// statements that goroutines are stuck at, or the innermost functions of the one
// that ended the program.
func (r result) place(messages []string) string {
	var at []string
	switch r.Outcome.Kind {
	case "":
		return ""
	case "test failure":
		for _, m := range messages {
			line, _, _ := strings.Cut(m, ": ")
			at = append(at, strings.TrimSpace(line))
		}
		sort.Strings(at)
	case "goroutine leak", "deadlock", "partial deadlock":
		for _, g := range r.Goroutines {
			if g.State == "blocked" {
				source, _, _ := strings.Cut(g.Source, ": ")
				at = append(at, source)
			}
		}
		sort.Strings(at)
	default:
		for _, s := range r.Outcome.Stack[:min(2, len(r.Outcome.Stack))] {
			at = append(at, s[strings.LastIndexByte(s, ' ')+1:])
		}
	}
	at = slices.Compact(at)
	if len(at) == 0 {
		return ""
	}
	return " at " + strings.Join(at[:min(4, len(at))], ", ")
}

var failedRun = regexp.MustCompile(`(?m)^ *--- FAIL: TestZZExplore[0-9]+/([0-9]+)`)

// messagesOf finds what the runs that failed have printed, by seed.
func messagesOf(printed []byte) map[int][]string {
	out := map[int][]string{}
	runs := failedRun.FindAllSubmatchIndex(printed, -1)
	for i, at := range runs {
		end := len(printed)
		if i+1 < len(runs) {
			end = runs[i+1][0]
		}
		seed, _ := strconv.Atoi(string(printed[at[2]:at[3]]))
		for _, m := range failure.FindAll(printed[at[1]:end], 8) {
			out[seed] = append(out[seed], string(m))
		}
	}
	return out
}

// cut is the first line of a text, and not too much of it.
func cut(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s[:min(200, len(s))]
}

var failure = regexp.MustCompile(`(?m)^ +\S+\.go:[0-9]+: .*(\n[ \t]+(Error|Error Trace|expected|actual|Test|Messages).*)*`)

// failures are the first messages of a test that a schedule makes fail, from a
// run of its own: the process of the others did not live to print them.
func failures(ctx context.Context, bin, dir, fn, name string, seed int) []string {
	limit, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(limit, bin, "-test.run="+fn, "-test.short", "-test.timeout=0", "-test.v")
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	cmd.Env = append(os.Environ(), "VTRACE_TEST="+name, "VTRACE_OUT="+os.DevNull, fmt.Sprint("VTRACE_FROM=", seed), fmt.Sprint("VTRACE_TO=", seed+1))
	printed, err := cmd.CombinedOutput()
	if err == nil {
		return []string{}
	}
	return append([]string{}, failure.FindAllString(string(printed), 8)...)
}

func (e *exploration) report(t *testing.T) {
	t.Logf("%s %s: %d goroutines, %d runs, %d steps, %v: %s", e.pkg, e.test, e.goroutines, e.runs, e.steps, e.elapsed.Round(10*time.Millisecond), counts(e.outcomes))
	if e.runs < *schedules {
		t.Logf("    no more runs: %s", e.stopped)
	}
	for _, what := range slices.Sorted(maps.Keys(e.first)) {
		t.Logf("    %s: %s", cut(what), e.first[what])
	}
	notes := make([]string, 0, len(e.notes))
	for n := range e.notes {
		notes = append(notes, n)
	}
	sort.Strings(notes)
	for _, n := range notes[:min(3, len(notes))] {
		t.Logf("    note (%d): %s", e.notes[n], n)
	}
}
