package parse

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/source"
)

// driver runs main twice under control of the runtime, and once free: the
// output must be the same, initialisation included.
const driver = `package main

import (
	"fmt"
	"io"
	"os"
	"testing"
	"testing/synctest"

	orc "vtraceorc"
)

func TestRun(t *testing.T) {
	outputs := [3]string{2: capture(main)}
	for i := range 2 {
		outputs[i] = capture(func() {
			res := orc.Run(orc.Config{
				Bubble: orc.Bubble{
					Run:  func(f func()) { synctest.Test(t, func(*testing.T) { f() }) },
					Wait: synctest.Wait,
				},
				Main: main, EndSite: %q, Plan: orc.Plan{MaxSteps: 1000000}, Chooser: orc.FirstEnabled(),
			})
			if res.Verdict != orc.Completed || res.Outcome.Kind != "" || len(res.Notes) != %d {
				t.Errorf("run %%d: %%s %%+v %%v", i, res.Message, res.Outcome, res.Notes)
			}
		})
	}
	for i := range 2 {
		if outputs[i] != outputs[2] {
			t.Errorf("run %%d:\n%%s\nfree:\n%%s", i, outputs[i], outputs[2])
		}
	}
}

func capture(f func()) string {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	stdout := os.Stdout
	os.Stdout = w
	done := make(chan string)
	go func() {
		data, err := io.ReadAll(r)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		done <- string(data)
	}()
	f()
	os.Stdout = stdout
	w.Close()
	return <-done
}
`

// Two goroutines of package selects are blocked for ever when main returns,
// which the run notes, as it does that there are two of the free run, and where
// the time is asked for.

// TestOrchestrated: under control of the runtime, all guards in use, the
// programs print what they print when run free, again and again.
func TestOrchestrated(t *testing.T) {
	ctx := context.Background()
	dir, err := filepath.Abs("testdata/conform")
	require.NoError(t, err)
	prog, err := source.Load(ctx, source.Spec{Dir: dir})
	require.NoError(t, err)
	idx := Index(prog)
	for name, opts := range map[string]Options{
		"accesses": {Accesses: accesses(idx)},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := Instrument(ctx, prog, idx, opts)
			require.NoError(t, err)
			o.Files["zz_run_test.go"] = fmt.Appendf(nil, driver, idx.End().Key, 4)
			bin := testBinary(t, prog, o)
			out, code := run(t, dir, bin, "-test.timeout=60s")
			require.Zero(t, code, out)
			require.True(t, strings.HasPrefix(out, "PASS"), out)
		})
	}
	_, err = os.Stat(filepath.Join(dir, "zz_run_test.go"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
