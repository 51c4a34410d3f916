package parse

import (
	"context"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/source"
)

// cost is how long each benchmark of TestCost runs, "200ms":
//
//	go test ./internal/parse -run TestCost -cost 200ms -v
var cost = flag.String("cost", "", "time for each benchmark of the cost of guards outside of runs")

// TestCost compares programs that do little but communicate with their
// instrumented form, run free.
func TestCost(t *testing.T) {
	if *cost == "" {
		t.Skip("needs -cost")
	}
	dir, err := filepath.Abs("testdata/cost")
	require.NoError(t, err)
	prog, err := source.LoadModule(context.Background(), source.Spec{Dir: dir})
	require.NoError(t, err)
	plain := binary(t, "plain")
	out, code := run(t, dir, "go", "test", "-c", "-o", plain, ".")
	require.Zero(t, code, out)
	binaries := []string{plain}
	for _, opts := range []Options{{}, {EveryLine: true}} {
		o, err := Instrument(context.Background(), prog, Index(prog), opts)
		require.NoError(t, err)
		require.Empty(t, o.Diagnostics)
		bin := testBinary(t, prog, o)
		binaries = append(binaries, bin)
	}
	o, err := Instrument(context.Background(), prog, Index(prog), Options{})
	require.NoError(t, err)
	require.NoError(t, o.Recorded(goroot(t)))
	binaries = append(binaries, testBinary(t, prog, o))
	// The best of five, in turns: the machine may do other things.
	var names []string
	best := map[string][4]float64{}
	for range 5 {
		for i, bin := range binaries {
			if i == recorded {
				t.Setenv("VTRACE_RECORD", t.TempDir())
				t.Setenv("VTRACE_RECORD_LIMIT", "100000000000")
			}
			out, code := run(t, dir, bin, "-test.run=^$", "-test.bench=.", "-test.benchtime="+*cost)
			require.Zero(t, code, out)
			if i == recorded {
				t.Setenv("VTRACE_RECORD_LIMIT", "")
				files, err := os.ReadDir(os.Getenv("VTRACE_RECORD"))
				require.NoError(t, err)
				require.NotEmpty(t, files)
				require.NoError(t, os.RemoveAll(os.Getenv("VTRACE_RECORD")))
				t.Setenv("VTRACE_RECORD", "")
			}
			for _, m := range measured.FindAllStringSubmatch(out, -1) {
				ns, err := strconv.ParseFloat(m[2], 64)
				require.NoError(t, err)
				b, ok := best[m[1]]
				if !ok {
					names = append(names, m[1])
					b = [4]float64{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}
				}
				b[i] = min(b[i], ns)
				best[m[1]] = b
			}
		}
	}
	t.Logf("%-20s %9s %9s %6s %9s %6s %9s %6s", "", "original", "guarded", "", "lines", "", "recorded", "")
	for _, name := range names {
		b := best[name]
		t.Logf("%-20s %7.1fns %7.1fns %6.2f %7.1fns %6.2f %7.1fns %6.2f", name, b[0], b[1], b[1]/b[0], b[2], b[2]/b[0], b[3], b[3]/b[0])
	}
	for _, name := range names {
		if best[name][1] > 5 { // nanoseconds; a Once that is done takes a fifth of one, and the guard a call
			require.Less(t, best[name][1]/best[name][0], 10.0, name)
		}
		switch name {
		case "SelectDefault", "Once", "Mutex", "MutexContended", "RWMutex": // they take some nanoseconds, and two records take tens
			require.Less(t, best[name][recorded], 500.0, name)
		default:
			require.Less(t, best[name][recorded]/best[name][0], 10.0, name)
		}
	}
}

// recorded is the place of the binary that records.
const recorded = 3

var measured = regexp.MustCompile(`(?m)^Benchmark(\w+)-?\d*\s+\d+\s+([0-9.]+) ns/op`)
