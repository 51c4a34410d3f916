package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

var kills = flag.Int("kills", 2, "checks that TestKilled kills, at moments chosen at random")

// runAsVtrace makes the test binary the command, for TestKilled.
const runAsVtrace = "VTRACE_TEST_COMMAND"

func TestMain(m *testing.M) {
	// What tests check is checked, whatever was checked before.
	if err := os.Setenv(resultsVariable, noResults); err != nil {
		panic(err)
	}
	if file := os.Getenv(reportPeak); file != "" {
		code := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)
		if err := os.WriteFile(file, fmt.Append(nil, peakMemory()), 0o600); err != nil {
			panic(err)
		}
		os.Exit(code)
	}
	if disk := os.Getenv(fullVariable); disk != "" {
		os.Exit(inFull(disk, func() int { return run(context.Background(), os.Args[1:], os.Stdout, os.Stderr) }))
	}
	if os.Getenv(runAsVtrace) != "" {
		main()
	}
	os.Exit(m.Run())
}

// A check that is killed, or interrupted, at any moment loses nothing that it has
// found, and the next one has the result that it would have had. No process goes on, and no
// temporary file is left, of one that was killed by the next one.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"m_test.go": `package m

import (
	"sync"
	"testing"
)

func TestSeveral(t *testing.T) {
	var mu sync.Mutex
	c, d := make(chan int), make(chan int)
	go func() { c <- 1 }()
	go func() { d <- 1 }()
	for range 3 {
		go func() {
			mu.Lock()
			defer mu.Unlock()
		}()
	}
	select {
	case <-c:
	case <-d:
	}
}
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	temp := t.TempDir()
	check := func(after time.Duration, sig os.Signal) (findings []artifact.Finding, ended bool) {
		p := newProcess(t, dir, temp, "check", "-json", "-entry", "TestSeveral", ".")
		p.start(t)
		if sig != nil {
			timer := time.AfterFunc(after, func() { _ = p.Process.Signal(sig) })
			defer timer.Stop()
		}
		code := p.end(t)
		p.requireAlone(t)
		if code < 0 {
			return nil, false
		}
		requireEmpty(t, temp)
		var got struct{ Findings []artifact.Finding }
		require.NoError(t, json.Unmarshal([]byte(p.stdout.String()), &got), p.stdout.String())
		return got.Findings, true
	}
	start := time.Now()
	want, _ := check(0, nil)
	took := time.Since(start)
	require.Len(t, want, 2)
	saved := func() (real int) {
		files, err := filepath.Glob(filepath.Join(dir, ".vtrace", "*.vtz"))
		require.NoError(t, err)
		for _, f := range files {
			b, err := artifact.Load(f)
			require.NoError(t, err, "what was written is whole")
			for _, f := range b.Findings() {
				if f.Verdict == artifact.Real {
					real++
				}
			}
		}
		return real
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range *kills {
		require.NoError(t, os.RemoveAll(filepath.Join(dir, ".vtrace")))
		sig := []os.Signal{syscall.SIGKILL, os.Interrupt}[i%2]
		found, ended := check(time.Duration(r.Int64N(int64(took))), sig)
		if ended {
			for _, f := range found {
				require.NotEqual(t, artifact.False, f.Verdict, "%+v", f)
			}
		}
		before := saved()
		again, ended := check(0, nil)
		require.True(t, ended)
		require.Equal(t, want, again)
		require.LessOrEqual(t, before, len(again))
		require.Equal(t, len(want), saved())
		names, err := filepath.Glob(filepath.Join(dir, ".vtrace", "[^.]*"))
		require.NoError(t, err)
		below, err := filepath.Glob(filepath.Join(dir, ".vtrace", "*", "*", "*"))
		require.NoError(t, err)
		require.Len(t, names, 1, "what was kept is removed: %v, %v", names, below)
	}
}
