package pass

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
)

var (
	strategiesAll  = flag.Int("strategies", 0, "TestStrategies with `one of so many` of the programs of TestVerdicts that have an error, and ten seeds; 1: all")
	strategiesFrom = flag.String("strategies-run", "", "those programs of TestStrategies with a name that begins so")
	strategiesWays = flag.String("strategies-ways", "", "these ways alone, separated by commas")
	strategiesRaw  = flag.String("strategies-raw", "", "a file for what TestStrategies has measured, in lines")
)

const (
	// soughtRuns are those in which a strategy is to show an error, and soughtSteps the steps that
	// they may have.
	soughtRuns, soughtSteps = 500, 500_000
	// missing is the number of runs of an error that was not shown.
	missing = soughtRuns + 1
)

// What is measured beside the strategies: a search that is guided by what runs come to, and the same
// without the guidance.
const guided, blind = "fuzz", "fuzz without feedback"

// sought is what a strategy, or something else, took to show an error of a program with a seed.
type sought struct {
	by, program string
	seed        int
	runs        int // missing: it did not
	time        time.Duration
	hard        bool // the schedule without preemptions does not show it
}

// TestStrategies measures how many runs, and how much time, each strategy needs to show the
// error of programs that somebody wrote who did not know vtrace, see TestVerdicts: with -strategies
// many, of which docs/strategies.md has the table. In one program all have to show it.
func TestStrategies(t *testing.T) {
	var all []sought
	var mu sync.Mutex
	seeds := 1
	if *strategiesAll > 0 {
		seeds = 10
	}
	t.Run("programs", func(t *testing.T) {
		number := 0
		for _, file := range verdictPrograms(t) {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar")
			if strings.HasSuffix(name, "_ok") {
				continue
			}
			number++
			some := number == 8 && !testing.Short()
			switch {
			case *strategiesFrom != "":
				some = strings.HasPrefix(name, *strategiesFrom)
			case *strategiesAll > 0:
				some = number%*strategiesAll == 0
			}
			if !some {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				spec, wants := unpack(t, file)
				if len(slices.DeleteFunc(wants, func(kind string) bool { return kind == artifact.KindRace })) == 0 {
					t.Skip("it has data races, which hardly any schedule hides")
				}
				ctx := t.Context()
				p, opts, rep, close, err := loadToRun(ctx, spec, Options{Search: Search{MaxStates: 100_000, MaxMemory: 1 << 30}})
				require.NoError(t, err)
				defer func() { require.NoError(t, close()) }()
				b, _, _, err := p.buildToRun(ctx, opts, rep)
				require.NoError(t, err)
				defer func() { require.NoError(t, b.Close()) }()
				v, err := b.Run(ctx, artifact.Plan{Steps: []artifact.PlanStep{}}, orchestrate.RunOptions{Timeout: opts.Watchdog, MaxSteps: runSteps})
				require.NoError(t, err)
				ways := []string{guided, blind}
				for _, s := range orchestrate.Strategies() {
					ways = append(ways, string(s))
				}
				if *strategiesWays != "" {
					ways = strings.Split(*strategiesWays, ",")
				}
				for _, by := range ways {
					for seed := range seeds {
						got := seek(ctx, t, b, by, seed)
						got.program, got.hard = name, v.Kind == ""
						mu.Lock()
						all = append(all, got)
						mu.Unlock()
					}
				}
			})
		}
	})
	slices.SortFunc(all, func(a, b sought) int {
		return cmp.Or(cmp.Compare(a.program, b.program), cmp.Compare(a.by, b.by), cmp.Compare(a.seed, b.seed))
	})
	if *strategiesAll == 0 && *strategiesFrom == "" {
		for _, s := range all {
			require.Less(t, s.runs, missing, "%s does not show the error of %s", s.by, s.program)
		}
	}
	if *strategiesRaw != "" {
		var lines strings.Builder
		for _, s := range all {
			fmt.Fprintln(&lines, s.program, s.by, s.seed, s.runs, s.time.Microseconds(), s.hard)
		}
		require.NoError(t, os.WriteFile(*strategiesRaw, []byte(lines.String()), 0o644))
	}
	shown, never := map[string]bool{}, map[string]bool{}
	for _, s := range all {
		shown[s.program] = shown[s.program] || s.runs < missing
	}
	for name, is := range shown {
		if !is {
			never[name] = true
		}
	}
	all = slices.DeleteFunc(all, func(s sought) bool { return never[s.program] })
	t.Log("programs whose error no run has shown: ", slices.Sorted(maps.Keys(never)))
	t.Logf("%d programs:\n%s", len(shown)-len(never), tableOf(all))
	hard := slices.DeleteFunc(all, func(s sought) bool { return !s.hard })
	t.Log("those whose error the schedule without preemptions does not show:\n" + tableOf(hard))
}

// seek runs a program until its error has shown.
func seek(ctx context.Context, t *testing.T, b *orchestrate.Binary, by string, seed int) sought {
	t.Helper()
	limits := orchestrate.RunOptions{Timeout: DefaultWatchdog, MaxSteps: runSteps}
	first := uint64(1 + seed*100*soughtRuns)
	start := time.Now()
	var x *orchestrate.Exploration
	var err error
	switch by {
	case guided, blind:
		var f *orchestrate.Fuzzed
		f, err = b.Fuzz(ctx, orchestrate.FuzzOptions{
			Runs: soughtRuns, Seed: first, First: true, Blind: by == blind, Patient: true, NoReplay: true, TotalSteps: soughtSteps, RunOptions: limits,
		})
		require.NoError(t, err)
		x, first = &f.Exploration, 0
	default:
		x, err = b.Explore(ctx, orchestrate.ExploreOptions{
			Runs: soughtRuns, Seed: first, Strategy: orchestrate.Strategy(by), First: true, Patient: true, NoReplay: true, TotalSteps: soughtSteps, MaxProcesses: runProcesses, RunOptions: limits,
		})
		require.NoError(t, err)
	}
	took := time.Since(start)
	out := sought{by: by, seed: seed, runs: missing}
	for _, e := range x.Ends {
		if e.Status == orchestrate.Completed && e.Kind != "" {
			out.runs = min(out.runs, int(e.Seed-first)+1)
		}
	}
	if out.runs < missing {
		out.time = took * time.Duration(out.runs) / time.Duration(x.Runs)
	}
	return out
}

// tableOf sums up what was measured.
func tableOf(all []sought) string {
	by := map[string][]sought{}
	var order []string
	for _, s := range all {
		if by[s.by] == nil {
			order = append(order, s.by)
		}
		by[s.by] = append(by[s.by], s)
	}
	var out strings.Builder
	out.WriteString("| strategy | shown | runs: median | 90 % | time: median | 90 % |\n|---|---|---|---|---|---|\n")
	for _, name := range order {
		list := by[name]
		shown := len(list)
		for _, s := range list {
			if s.runs == missing {
				shown--
			}
		}
		slices.SortFunc(list, func(a, b sought) int { return cmp.Compare(a.runs, b.runs) })
		runs := func(share float64) string {
			if n := list[int(share*float64(len(list)-1))].runs; n < missing {
				return fmt.Sprint(n)
			}
			return fmt.Sprintf("more than %d", soughtRuns)
		}
		medianRuns, mostRuns := runs(0.5), runs(0.9)
		slices.SortFunc(list, func(a, b sought) int {
			return cmp.Or(cmp.Compare(a.runs/missing, b.runs/missing), cmp.Compare(a.time, b.time))
		})
		took := func(share float64) string {
			if s := list[int(share*float64(len(list)-1))]; s.runs < missing {
				return fmt.Sprintf("%.1f ms", float64(s.time.Microseconds())/1000)
			}
			return ""
		}
		fmt.Fprintf(&out, "| `%s` | %.1f %% of %d | %s | %s | %s | %s |\n", name, 100*float64(shown)/float64(len(list)), len(list), medianRuns, mostRuns, took(0.5), took(0.9))
	}
	return out.String()
}
