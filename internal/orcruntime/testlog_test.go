package orcruntime

import (
	"bytes"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func init() {
	RegisterSites("example.com/p", []SiteInfo{
		{ID: 1011, Kind: "end", Key: "p.TestX.end", Func: "p.TestX"},
		{ID: 1012, Kind: "exit", Key: "p.TestX$1#1", Func: "p.TestX$1", Text: "t.Fatal(err)"},
		{ID: 1013, Kind: "exit", Key: "p.TestX$1#2", Func: "p.TestX$1", Text: "t.Skip()"},
	})
}

// TestAfterTest: what a goroutine logs after the test has completed panics under some
// schedule, unless the test waits for it.
func TestAfterTest(t *testing.T) {
	const logs, fails = "panic: Log in goroutine after TestX has completed", "panic: Fail in goroutine after TestX has completed"
	for name, c := range map[string]struct {
		test func()
		want []string
	}{
		"nobody waits":                             {func() { Go(1, func() { Logging(2, t) }) }, []string{logs}},
		"failure, nobody waits":                    {func() { Go(1, func() { Failing(2, t) }) }, []string{fails}},
		"Log as a value":                           {func() { log := LogValue(2, func(...any) {}); Go(1, func() { log() }) }, []string{logs}},
		"Logf as a value":                          {func() { log := LogfValue(2, func(string, ...any) {}); Go(1, func() { log("") }) }, []string{logs}},
		"Error as a value":                         {func() { fail := ErrorValue(2, func(...any) {}); Go(1, func() { fail() }) }, []string{fails}},
		"Errorf as a value":                        {func() { fail := ErrorfValue(2, func(string, ...any) {}); Go(1, func() { fail("") }) }, []string{fails}},
		"Fail as a value":                          {func() { fail := FailValue(2, func() {}); Go(1, func() { fail() }) }, []string{fails}},
		"a value that the test does not call late": {func() { LogValue(2, func(...any) {})() }, nil},
		"behind what the test waits for": {func() {
			done := make(chan int)
			Go(1, func() { Close(2, done); Logging(3, t) })
			Recv(4, done)
		}, []string{logs}},
		"before what the test waits for": {func() {
			done := make(chan int)
			Go(1, func() { Logging(3, t); Close(2, done) })
			Recv(4, done)
		}, nil},
		"behind what a cleanup waits for": {func() {
			done := make(chan int)
			Cleanup(nil, func() { Recv(4, done) })
			Go(1, func() { Close(2, done); Failing(3, "v") })
		}, []string{fails}},
		"before what a cleanup waits for": {func() {
			done := make(chan int)
			Cleanup(nil, func() { Recv(4, done) })
			Go(1, func() { Logging(3, "v"); Close(2, done) })
		}, nil},
		"on what is a test":         {func() { Go(1, func() { LoggingOn(2, any(t)) }) }, []string{logs}},
		"failure on what is a test": {func() { Go(1, func() { FailingOn(2, any(t)) }) }, []string{fails}},
		"on what is no test": {func() {
			Go(1, func() { LoggingOn(2, any(new(T))); LoggingOn(2, any(bytes.Buffer{})); LoggingOn[any](2, nil) })
		}, nil},
		"failure on what is another type's value": {func() { Go(1, func() { FailingOn(2, any(new(testing.B))); FailingOn(2, any("")) }) }, nil},
		"the output of a test": {func() {
			w := TestOutput(2, io.Discard)
			Go(1, func() { w.Write(nil) })
		}, []string{logs}},
		"Fatal": {func() { Go(1, func() { TestEnd(1012, runtime.Goexit) }) }, []string{fails}},
		"Skip":  {func() { Go(1, func() { TestEnd(1013, runtime.Goexit) }) }, nil},
		"Fatal, the test waits": {func() {
			done := make(chan int)
			Go(1, func() {
				defer Close(2, done)
				TestEnd(1012, runtime.Goexit)
			})
			Recv(4, done)
		}, nil},
		"the test itself": {func() {
			Cleanup(nil, func() { Logging(5, t) })
			Failing(1, t)
		}, nil},
		"parallel subtest": {func() {
			Subtest(10, func() { Parallel(11, nil); Logging(5, t) })
		}, nil},
		"goroutine of a parallel subtest": {func() {
			Subtest(10, func() {
				Parallel(11, nil)
				Go(1, func() { Logging(5, t) })
			})
		}, []string{logs}},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := Config{Bubble: bubble(t), Main: c.test, Entry: EntryTest, EndSite: "p.TestX.end"}
			got := explored(t, cfg, 200)
			require.Len(t, got, len(c.want), "%v", got)
			for _, message := range c.want {
				require.Contains(t, got[message], KindPanic)
			}
		})
	}
}

// TestRunInCleanup: t.Run panics while the cleanups of the test are called.
func TestRunInCleanup(t *testing.T) {
	nothing := func() {}
	for name, c := range map[string]struct {
		test func()
		want int
	}{
		"in a cleanup":                {func() { Cleanup(nil, func() { Subtest(0, nothing) }) }, 1},
		"in a goroutine":              {func() { Go(1, func() { Subtest(0, nothing) }) }, 1},
		"goroutine, of its own":       {func() { Go(1, func() { Subtest(10, nothing) }) }, 1},
		"the test waits":              {func() { c := make(chan int); Go(1, func() { Subtest(0, nothing); Close(2, c) }); Recv(3, c) }, 0},
		"in a subtest with a cleanup": {func() { Subtest(0, func() { Cleanup(nil, nothing) }); Subtest(0, nothing) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := explored(t, Config{Bubble: bubble(t), Main: c.test, Entry: EntryTest, EndSite: "p.TestX.end"}, 200)
			require.Len(t, got, c.want, "%v", got)
			if c.want > 0 {
				require.Contains(t, got, "panic: "+runInCleanup)
			}
		})
	}
}

// TestParallelMisuse: t.Parallel twice, and with what parallel tests may not call.
func TestParallelMisuse(t *testing.T) {
	nothing := func() {}
	const twice = "panic: testing: t.Parallel called multiple times"
	for name, c := range map[string]struct {
		test func()
		want string
	}{
		"twice":  {func() { Parallel(0, nothing); Parallel(0, nothing) }, twice},
		"once":   {func() { Parallel(0, nothing) }, ""},
		"in two": {func() { Parallel(0, nothing); Subtest(10, func() { Parallel(11, nothing) }) }, ""},
		"twice in a subtest": {func() {
			Subtest(10, func() { Parallel(11, nothing); Parallel(11, nothing) })
		}, twice},
		"twice in a subtest that is a call": {func() {
			Subtest(0, func() { Parallel(0, nothing); Parallel(0, nothing) })
		}, twice},
		"after Setenv":  {func() { NoParallel(0); Parallel(0, nothing) }, "panic: " + parallelConflict},
		"before Setenv": {func() { Parallel(0, nothing); NoParallel(0) }, "panic: " + parallelConflict},
		"Setenv in a subtest of a parallel test": {func() {
			Parallel(0, nothing)
			Subtest(10, func() { NoParallel(0) })
		}, "panic: " + parallelConflict},
		"Setenv in a subtest beside a parallel one": {func() {
			Subtest(10, func() { NoParallel(0) })
			Subtest(20, func() { Parallel(21, nothing) })
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			res := Run(Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Main: c.test})
			require.Equal(t, Completed, res.Verdict, "%s", res)
			require.Equal(t, c.want, res.Outcome.Message, "%s", res)
		})
	}
}
