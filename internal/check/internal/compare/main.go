// Command compare runs package check and Spin on the same models and prints a
// table of the times to a verdict.
//
//	go run ./internal/check/internal/compare            # the sizes of benchmarks/benchmarks.md
//	go run ./internal/check/internal/compare -small     # seconds
//	go run ./internal/check/internal/compare -reduced   # only the second comparison
//	go run ./internal/check/internal/compare -family peterson -size 5
//
// For each model there are three comparisons: the whole graph of states on one
// core without reductions on either side; the verdict of the query with the
// best that each has (Spin: merging, dataflow and partial orders, depth first;
// here: all reductions, breadth first, on one core); and the first one again
// on all cores, against the time that check takes on one, which stands in the
// place of Spin's, the best of three each. Ratios are check
// divided by Spin, or by one core: less than 1 is faster. Spin's compilation
// (spin -a and gcc) is left out of its times and listed apart. CPU times
// depend less on what else the machine does.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/check/internal/families"
	"github.com/vtrace/vtrace/internal/check/internal/spin"
	"github.com/vtrace/vtrace/internal/check/promela"
	"github.com/vtrace/vtrace/internal/uppaal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	small := flag.Bool("small", false, "the sizes of the tests")
	family := flag.String("family", "", "one family only")
	size := flag.Int("size", 0, "size of the models; 0: that of the family")
	reduced := flag.Bool("reduced", false, "only the times to a verdict with reductions")
	limit := flag.Duration("timeout", 10*time.Minute, "bound of one search")
	flag.Parse()
	if err := compare(ctx, *small, *reduced, *family, *size, *limit); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// turns is how often the search by all cores is made, and that by one for its
// ratio.
const turns = 3

// sample is one search.
type sample struct {
	wall, cpu   time.Duration
	states      int
	transitions int
	bytes       float64 // per state
	answer      string
}

func compare(ctx context.Context, small, reduced bool, family string, size int, limit time.Duration) error {
	if err := spin.Available(); err != nil {
		return err
	}
	fmt.Println("| model | search | check states | wall s | cpu s | B/state | Spin states | wall s | cpu s | B/state | gcc s | wall ratio | cpu ratio | answers |")
	fmt.Println("|--- |--- |--- |--- |--- |--- |--- |--- |--- |--- |--- |--- |--- |--- |")
	found := false
	for _, f := range families.All() {
		if family != "" && f.Name != family {
			continue
		}
		found = true
		n := f.Large
		if small {
			n = f.Small
		}
		if size > 0 {
			n = size
		}
		net, err := f.Build(n)
		if err != nil {
			return err
		}
		if err := rows(ctx, fmt.Sprintf("%s, %d", f.Name, n), net, reduced, limit); err != nil {
			return fmt.Errorf("%s, %d: %w", f.Name, n, err)
		}
	}
	if !found {
		return fmt.Errorf("no family %q", family)
	}
	return nil
}

// rows writes the three comparisons of one model, or one of them.
func rows(ctx context.Context, name string, net *uppaal.Network, reduced bool, limit time.Duration) error {
	if reduced {
		return reducedRow(ctx, name, net, limit)
	}
	all := runtime.NumCPU()
	full, err := ours(ctx, net, false, 1, limit)
	if err != nil {
		return err
	}
	fullSpin, compile, err := theirs(ctx, net, true, limit)
	if err != nil {
		return err
	}
	if full.answer == "" && fullSpin.answer == "" && (full.states != fullSpin.states || full.transitions != fullSpin.transitions) {
		return fmt.Errorf("the graphs differ: %d states and %d transitions, Spin has %d and %d", full.states, full.transitions, fullSpin.states, fullSpin.transitions)
	}
	row(name, "whole graph, one core", full, fullSpin, compile)
	if err := reducedRow(ctx, name, net, limit); err != nil || all == 1 {
		return err
	}
	// The best of some, in turns: what else the machine does weighs more on two
	// cores than on one.
	var many sample
	for i := range turns {
		m, err := ours(ctx, net, false, all, limit)
		if err != nil {
			return err
		}
		if i == 0 || m.wall < many.wall {
			many = m
		}
		if i+1 == turns {
			break
		}
		one, err := ours(ctx, net, false, 1, limit)
		if err != nil {
			return err
		}
		if one.wall < full.wall {
			full = one
		}
	}
	fmt.Printf("| %s | whole graph, %d cores to one, best of %d | %d | %.2f | %.2f | %.1f | | %.2f | %.2f | | | %.2f | %.2f | %s |\n",
		name, all, turns, many.states, many.wall.Seconds(), many.cpu.Seconds(), many.bytes,
		full.wall.Seconds(), full.cpu.Seconds(), ratio(many.wall, full.wall), ratio(many.cpu, full.cpu), many.answer)
	return nil
}

// reducedRow compares the times to the verdict with reductions.
func reducedRow(ctx context.Context, name string, net *uppaal.Network, limit time.Duration) error {
	best, err := ours(ctx, net, true, 1, limit)
	if err != nil {
		return err
	}
	bestSpin, compile, err := theirs(ctx, net, false, limit)
	if err != nil {
		return err
	}
	row(name, "verdict, reduced, one core", best, bestSpin, compile)
	return nil
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(max(b, 1)) }

func row(name, search string, a, b sample, compile time.Duration) {
	fmt.Printf("| %s | %s | %d | %.2f | %.2f | %.1f | %d | %.2f | %.2f | %.1f | %.2f | %.2f | %.2f | %s %s |\n",
		name, search, a.states, a.wall.Seconds(), a.cpu.Seconds(), a.bytes,
		b.states, b.wall.Seconds(), b.cpu.Seconds(), b.bytes, compile.Seconds(),
		ratio(a.wall, b.wall), ratio(a.cpu, b.cpu), a.answer, b.answer)
}

// ours runs the embedded engine: on the query with reductions, or on the whole
// graph without.
func ours(ctx context.Context, net *uppaal.Network, reduced bool, cores int, limit time.Duration) (sample, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	debug.FreeOSMemory()
	opts := check.Options{Timeout: limit, Workers: cores}
	var queries []*uppaal.Query
	if reduced {
		queries = net.Queries
	} else {
		opts.Reductions = check.Reductions{NoStubborn: true, NoInvisible: true, NoFusing: true, NoSymmetry: true}
	}
	cpu := cpuTime()
	start := time.Now()
	r, err := check.Verify(ctx, net, queries, opts)
	if err != nil {
		return sample{}, err
	}
	s := sample{wall: time.Since(start), cpu: cpuTime() - cpu, states: r.Stats.States, transitions: r.Stats.Transitions}
	s.bytes = float64(r.Stats.Bytes) / float64(max(s.states, 1))
	if reduced {
		s.answer = r.Results[0].Verdict.String()
		if r.Results[0].Verdict == check.Maybe || r.Results[0].Verdict == check.Error {
			return s, fmt.Errorf("check: %s", r.Results[0].Reason)
		}
	} else if !r.Complete {
		s.answer = "unfinished"
	}
	return s, nil
}

// theirs runs Spin on the export, with more depth until it is enough.
func theirs(ctx context.Context, net *uppaal.Network, full bool, limit time.Duration) (sample, time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	info, err := uppaal.Check(net)
	if err != nil {
		return sample{}, 0, err
	}
	o := spin.Options{Full: full, Continue: full, Table: 24, Depth: 1_000_000}
	var q *uppaal.Query
	if !full {
		q = net.Queries[0]
		o.Deadlock = uppaal.QueryString(q) == "A[] not deadlock" || uppaal.QueryString(q) == "A[] !deadlock"
	}
	var model bytes.Buffer
	if err := promela.Export(&model, info, q); err != nil {
		return sample{}, 0, err
	}
	for {
		r, err := spin.Run(ctx, model.Bytes(), o)
		if err != nil {
			return sample{}, 0, fmt.Errorf("spin: %w", err)
		}
		if r.Truncated && r.Errors == 0 && o.Depth < 100_000_000 {
			o.Depth *= 4
			continue
		}
		s := sample{wall: r.Search, cpu: r.CPU, states: r.States, transitions: r.Transitions, bytes: float64(r.Memory) / float64(max(r.States, 1))}
		switch {
		case r.Truncated && r.Errors == 0:
			s.answer = "truncated"
		case !full && r.Errors > 0:
			s.answer = check.False.String()
		case !full:
			s.answer = check.True.String()
		}
		return s, r.Compile, nil
	}
}
