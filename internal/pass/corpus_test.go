package pass

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-multierror"
	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/module"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
)

// The corpus is public modules, "path@version" of the module proxy or a
// directory, of which every concurrent test is translated. It needs the network
// and minutes:
//
//	go test ./internal/pass -run TestCorpus -timeout 90m -v -corpus default
var (
	corpus       = flag.String("corpus", "", `modules to translate the concurrent tests of, separated by commas; "default" for a selection`)
	corpusTime   = flag.Duration("corpustime", 20*time.Second, "processor time for the models of one test, and time for the search of the last")
	corpusStates = flag.Int("corpusstates", 1_000_000, "states for the search of one test")
	corpusRun    = flag.String("corpusrun", "", "only tests with names that match this regular expression")
	corpusOut    = flag.String("corpusout", "", "write a line for each test to this file")
)

// defaultCorpus adds smaller modules to those that all tests run over.
var defaultCorpus = slices.Concat(module.Selection(), []string{
	"github.com/sony/gobreaker@v1.0.0",
	"github.com/cenkalti/backoff/v3@v3.2.2",
})

// TestCorpus translates every concurrent test of public modules, and searches
// the model. What is not translated is refused, with its place: a crash, or a
// translation that does not end when it is told to, is an error.
func TestCorpus(t *testing.T) {
	if *corpus == "" {
		t.Skip("needs -corpus")
	}
	list := strings.Split(*corpus, ",")
	if *corpus == "default" {
		list = defaultCorpus
	}
	var all []outcome
	for _, m := range list {
		t.Run(m, func(t *testing.T) {
			dir := m
			if strings.Contains(m, "@") {
				var err error
				dir, err = module.Fetch(t.Context(), m, t.TempDir())
				require.NoError(t, err)
			}
			of := translateModule(t, m, dir)
			summarise(t, of)
			all = append(all, of...)
		})
	}
	t.Log("all modules")
	summarise(t, all)
	frequencies(t, all)
	if *corpusOut != "" {
		var b strings.Builder
		for _, o := range all {
			fmt.Fprintln(&b, o)
		}
		require.NoError(t, os.WriteFile(*corpusOut, []byte(b.String()), 0o644))
	}
}

// outcome is what became of one test.
type outcome struct {
	module, entry string
	// class is "exact", "approximated", "refused", "crash" or "hang".
	class     string
	translate time.Duration // of the processor
	states    int
	complete  bool // all of the model was searched
	// raised is how often bounds were raised, bounded how many places are left
	// with bounds that are smaller than asked for and that may be reached.
	raised, bounded int
	// found counts the violated queries by kind.
	found string
	// reasons are those of a refusal, or the approximations.
	reasons []string
}

func (o outcome) String() string {
	return fmt.Sprintf("%s\t%s\t%s\t%d ms\t%d states\t%t\t%d raises\t%d bounded\t%s\t%s", o.module, o.entry, o.class, o.translate.Milliseconds(), o.states, o.complete, o.raised, o.bounded, o.found, strings.Join(o.reasons, "; "))
}

func translateModule(t *testing.T, name, dir string) []outcome {
	set, err := module.Load(t.Context(), dir)
	require.NoError(t, err)
	only, err := regexp.Compile(*corpusRun)
	require.NoError(t, err)
	var out []outcome
	tests := 0
	for _, e := range set.Entries() {
		if e.Func == "main" || !only.MatchString(e.Func) {
			continue
		}
		tests++
		prog, err := set.Program(e)
		if err != nil {
			t.Logf("%s: not loaded: %v", e, err)
			continue
		}
		if !module.Concurrent(prog) {
			continue
		}
		o := translateEntry(t, prog)
		o.module, o.entry = name, e.String()
		out = append(out, o)
		t.Log(o)
	}
	t.Logf("%d tests, %d of them concurrent", tests, len(out))
	return out
}

// errCorpusTime ends the growth of bounds.
var errCorpusTime = errors.New("the time of the test was spent")

// translateEntry translates and searches one program, in a goroutine of its own
// that is given up if it does not obey its context. What has no model when the time is over is
// refused; one whose bounds still grow by then has the last model, as in a check with a budget.
func translateEntry(t *testing.T, prog *source.Program) outcome {
	done := make(chan outcome, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 30**corpusTime)
	defer cancel()
	soft, spent := context.WithCancelCause(ctx)
	defer spent(nil)
	var translated atomic.Bool // there is a model
	start := processorTime(false)
	go func() {
		// Other work on the machine must not decide what is too long.
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil && processorTime(false)-start < *corpusTime {
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
		if spent(errCorpusTime); !translated.Load() {
			cancel()
		}
	}()
	go func() {
		var o outcome
		defer func() {
			if r := recover(); r != nil {
				o.class, o.reasons = "crash", []string{fmt.Sprintf("%v\n%s", r, debug.Stack())}
			}
			done <- o
		}()
		opts := Options{Model: &Model{}, Search: Search{MaxStates: *corpusStates, MaxMemory: 4 << 30}, soft: soft}
		p := &program{source: prog, sites: parse.Index(prog)}
		m, found, err := p.fit(ctx, opts, false, reporter{artifact.PassFirst, func(e Event) {
			if s, ok := e.(StageDone); ok && s.Stage == "translate" {
				translated.Store(true)
			}
			o.event(e)
		}})
		o.translate = processorTime(false) - start
		var internal *translate.InternalError
		switch {
		case errors.As(err, &internal):
			o.class, o.reasons = "crash", []string{fmt.Sprintf("%v\n%s", internal.What, internal.Stack)}
			return
		case errors.Is(err, context.Canceled):
			o.class, o.reasons = "refused", []string{fmt.Sprintf("time: no model in %v", *corpusTime)}
			return
		case err != nil:
			o.class, o.reasons = "refused", reasonsOf(err)
			return
		}
		opts.Search.Timeout = *corpusTime
		if found == nil {
			if found, err = verify(context.WithoutCancel(ctx), context.WithoutCancel(ctx), m.Network, m.Queries, opts.engine(), opts.search(), reporter{}); err != nil {
				o.class, o.reasons = "crash", []string{err.Error()}
				return
			}
		}
		o.searched(m, found)
	}()
	select {
	case o := <-done:
		if o.class == "crash" {
			t.Errorf("crash: %s", strings.Join(o.reasons, "\n"))
		}
		return o
	case <-time.After(60**corpusTime + 10*time.Second):
		t.Error("does not end")
		return outcome{class: "hang", translate: processorTime(false) - start, reasons: []string{"no answer to a cancelled context"}}
	}
}

// processorTime is what the process has used, and, if that is asked for, the child
// processes that it has waited for: nothing else goes on in it.
func processorTime(children bool) (sum time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil || who == syscall.RUSAGE_CHILDREN && !children {
			continue
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}

// event notes how often bounds were raised.
func (o *outcome) event(e Event) {
	if _, ok := e.(BoundsRaised); ok {
		o.raised++
	}
}

// searched takes over what a search says of a model.
func (o *outcome) searched(m *translate.Model, found *answered) {
	var verdicts []artifact.Verdict
	count := map[string]int{}
	for i, r := range found.report.Results {
		verdicts = append(verdicts, artifact.Verdict{Query: m.Queries[i].Number, Result: r.Verdict.String()})
		switch r.Verdict {
		case check.True:
		case check.False:
			count[m.Queries[i].Kind]++
		default:
			count["undecided"]++
		}
	}
	unreached(&m.Sidecar, verdicts)
	o.states, o.complete, o.found = found.report.Stats.States, found.decided(), counted(count)
	o.class = "exact"
	for _, a := range m.Sidecar.Approximations {
		if a.Kind == approximation.Bound {
			if a.Unreached {
				continue
			}
			o.bounded++
		}
		o.class = "approximated"
		o.reasons = append(o.reasons, fmt.Sprintf("%s:%d:%d: %s (%s): %s", a.File, a.Line, a.Col, a.Kind, a.Direction, a.Reason))
	}
}

func counted(count map[string]int) string {
	var parts []string
	for k, n := range count {
		parts = append(parts, fmt.Sprintf("%d %s", n, k))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

func reasonsOf(err error) []string {
	var many *multierror.Error
	if !errors.As(err, &many) {
		return []string{err.Error()}
	}
	var out []string
	for _, e := range many.Errors {
		out = append(out, e.Error())
	}
	return out
}

// summarise prints a row of the table of benchmarks/corpus.md.
func summarise(t *testing.T, all []outcome) {
	count := map[string]int{}
	var times []time.Duration
	var states []int
	within, bounded := 0, 0
	for _, o := range all {
		count[o.class]++
		times = append(times, o.translate)
		if o.class == "exact" || o.class == "approximated" {
			states = append(states, o.states)
			if o.complete {
				within++
				if o.bounded > 0 {
					bounded++
				}
			}
		}
	}
	slices.Sort(times)
	slices.Sort(states)
	if len(times) == 0 {
		return
	}
	median := 0
	if len(states) > 0 {
		median = states[len(states)/2]
	}
	t.Logf("| %d | %d | %d | %d | %d | %d | %d | %v | %d |", len(all), count["exact"], count["approximated"], count["refused"], count["crash"]+count["hang"], within, bounded,
		times[len(times)/2].Round(time.Millisecond), median)
}

var names = regexp.MustCompile(`"[^"]*"|[0-9]+|\b[\w./*()\[\]]*[./][\w./*()\[\]]*`)

// frequencies prints the reasons of refusals and approximations, names apart, by
// the number of tests that have them.
func frequencies(t *testing.T, all []outcome) {
	for _, class := range []string{"refused", "approximated"} {
		count := map[string]int{}
		example := map[string]string{}
		for _, o := range all {
			if o.class != class {
				continue
			}
			seen := map[string]bool{}
			for _, r := range o.reasons {
				_, what, ok := strings.Cut(r, ": ")
				if !ok {
					what = r
				}
				what = names.ReplaceAllString(what, "X")
				if !seen[what] {
					seen[what] = true
					count[what]++
					example[what] = o.entry + ": " + r
				}
			}
		}
		var reasons []string
		for r := range count {
			reasons = append(reasons, r)
		}
		slices.SortFunc(reasons, func(a, b string) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
		t.Log(class)
		for _, r := range reasons {
			t.Logf("%4d %s\n        %.300s", count[r], r, example[r])
		}
	}
}
