package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/examples"
	"github.com/vtrace/vtrace/internal/output"
	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/programs"
)

// execute runs a command line.
func execute(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(context.Background(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// program writes an example as a module and makes a fresh directory current.
func program(t *testing.T, name string) (dir string) {
	t.Helper()
	dir, _ = programs.Example(t, name, examples.Main, 0)
	t.Chdir(t.TempDir())
	return dir
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{nil, exitUsage, "", "usage: vtrace COMMAND"},
		{[]string{"help"}, exitNothing, "exit codes: 0 nothing found", ""},
		{[]string{"-h"}, exitNothing, "usage: vtrace COMMAND", ""},
		{[]string{"help", "check"}, exitNothing, "-run-depth", ""},
		{[]string{"help", "nothing"}, exitUsage, "", `no command "nothing"`},
		{[]string{"version"}, exitNothing, "vtrace ", ""},
		{[]string{"chekc", "."}, exitUsage, "", `no command "chekc"`},
		{[]string{"check"}, exitUsage, "", "usage: vtrace check [flags] PACKAGE"},
		{[]string{"check", "a", "b"}, exitUsage, "", "usage: vtrace check [flags] PACKAGE"},
		{[]string{"check", "-nonsense", "."}, exitUsage, "", "-nonsense"},
		{[]string{"check", "-disallow", "all", "."}, exitUsage, "", "-disallow is exact or fnv"},
		{[]string{"check", "-bound", "slots", "."}, exitUsage, "", "is not NAME=N"},
		{[]string{"check", "-bound", "nothing=1", "."}, exitUsage, "", "the bounds are"},
		{[]string{"check", "-memory", "2X", "."}, exitUsage, "", "is not a size"},
		{[]string{"check", "-categories", "luck", "."}, exitUsage, "", `no query category "luck": the categories are channel safety`},
		{[]string{"check", "./nowhere"}, exitUsage, "", "nowhere"},
		{[]string{"second", "nowhere.vtz"}, exitUsage, "", "nowhere.vtz"},
		{[]string{"inspect", "nowhere.vtz"}, exitUsage, "", "nowhere.vtz"},
		{[]string{"verify", "nowhere.xml"}, exitUsage, "", "nowhere.xml"},
		{[]string{"verify", "testdata/door.xml", "nowhere.q"}, exitUsage, "", "nowhere.q"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			code, stdout, stderr := execute(t, c.args...)
			require.Equal(t, c.code, code)
			require.Contains(t, stdout, c.stdout)
			require.Contains(t, stderr, c.stderr)
			if c.stdout == "" {
				require.Empty(t, stdout)
			}
			if c.stderr == "" {
				require.Empty(t, stderr)
			}
		})
	}
}

func TestCheckReal(t *testing.T) {
	dir := program(t, "sequences")
	code, stdout, stderr := execute(t, "check", dir)
	require.Equal(t, exitReal, code, stderr)
	require.Contains(t, stdout, "example.com/sequences main: 2 real errors")
	require.Contains(t, stdout, "1. REAL: close of closed channel at main.go:15:7")
	require.Contains(t, stdout, "panic: close of closed channel")
	require.Contains(t, stdout, "interleaving:")

	// The printed command shows the error again.
	_, cmd, ok := strings.Cut(stdout, "reproduce: vtrace ")
	require.True(t, ok)
	cmd, _, _ = strings.Cut(cmd, "\n")
	code, stdout, stderr = execute(t, strings.Fields(cmd)...)
	require.Equal(t, exitReal, code, stderr)
	require.Contains(t, stdout, "0.000s 0.1  :  main.go:15: close(ch)")
	require.Contains(t, stdout, "reproduced: close of closed channel in goroutine 0.1")

	// So does the bundle say.
	bundle := strings.Fields(cmd)[1]
	code, stdout, _ = execute(t, "inspect", bundle, "findings.#.verdict")
	require.Equal(t, exitNothing, code)
	require.JSONEq(t, `["real","real"]`, stdout)
	code, stdout, _ = execute(t, "inspect", bundle, "source/go.mod")
	require.Equal(t, exitNothing, code)
	require.Equal(t, "module example.com/sequences\n\ngo 1.26\n", stdout)
	code, _, stderr = execute(t, "inspect", bundle, "findings.7")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, `nothing at "findings.7"`)
	code, stdout, _ = execute(t, "inspect", bundle)
	require.Equal(t, exitNothing, code)
	require.Contains(t, stdout, fmt.Sprintf("vtrace-bundle, version %d, deep pass", artifact.Version))
	code, _, stderr = execute(t, "replay", bundle, "q99-1")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "no test q99-1")
}

func TestCheckNothing(t *testing.T) {
	dir := program(t, "mutexloopvar_fixed")
	code, stdout, stderr := execute(t, "check", "-o", "-", "-timing", "-continue", dir)
	require.Equal(t, exitNothing, code, stderr)
	require.Equal(t, "example.com/mutexloopvar_fixed main: no error\n\nruns of the program: 1100 under random schedules, 1 of them different; 1 were compared with the model, which can do 1 of them\n\nmodel of the program, which was searched for errors: 5 operations are as in the program\n\ndata races: none in any schedule\n", stdout)
	require.Contains(t, stderr, "first      translate")
	require.NoDirExists(t, ".vtrace")
}

// TestCheckWordRaces: data races that a result does not count are said, beside a table too.
func TestCheckWordRaces(t *testing.T) {
	for _, how := range [][]string{nil, {"-entry", "all"}} {
		args := append([]string{"check", "-o", "-"}, how...)
		code, stdout, stderr := execute(t, append(args, program(t, "sharedvar_fixed"))...)
		require.Equal(t, exitNothing, code, stderr)
		require.Contains(t, stdout, "not counted as errors")
		require.Contains(t, stdout, "write of x at main.go:26 and read of x at main.go:14, which nothing orders\n")
	}
}

// The options that change how the search is done do not change what it finds.
func TestCheckOptions(t *testing.T) {
	dir := program(t, "sharedvar_increment")
	for _, args := range [][]string{{"-reductions=false"}, {"-from-proto"}, {"-every-line"}, {"-disallow", "fnv"}} {
		code, stdout, stderr := execute(t, append([]string{"check", "-o", "-", dir}, args...)...)
		require.Equal(t, exitReal, code, "%v: %s", args, stderr)
		require.Contains(t, stdout, "1. REAL: panic at main.go:16:8", "%v", args)
	}
}

// What was found is not lost where it cannot be saved.
func TestCheckNotSaved(t *testing.T) {
	dir := program(t, "funcarg")
	require.NoError(t, os.MkdirAll("taken.vtz/x", 0o755))
	require.NoError(t, os.WriteFile("taken.vtz/y", nil, 0o644))
	code, stdout, stderr := execute(t, "check", "-o", "taken.vtz", dir)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stdout, "1 real error")
	require.Contains(t, stderr, "taken.vtz")
}

func TestUnsupported(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/p\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nimport \"reflect\"\n\nfunc main() {\n\tch := make(chan int)\n\tx := reflect.ValueOf(ch).Interface().(chan int)\n\tx <- 1\n}\n"), 0o644))
	code, _, stderr := execute(t, "check", "-strict", "-o", "-", dir)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "main.go:8:4")
	require.Contains(t, stderr, "without -strict")
	for _, flags := range [][]string{{"-o", "-"}, {"-continue", "-o", "-"}} {
		code, stdout, stderr := execute(t, append(append([]string{"check"}, flags...), dir)...)
		require.Equal(t, exitReal, code, stderr) // nobody receives
		require.Contains(t, stdout, "main.go:8:4")
	}
}

func TestCheckInconclusive(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/p\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {\n\tc := make(chan int)\n\tfor range 3 {\n\t\tgo func() {\n\t\t\tfor {\n\t\t\t\tc <- 1\n\t\t\t}\n\t\t}()\n\t}\n\tfor range c {\n\t}\n}\n"), 0o644))
	code, stdout, stderr := execute(t, "check", "-states", "5", "-budget", "4s", "-o", "-", dir)
	require.Equal(t, exitInconclusive, code, stderr)
	require.Contains(t, stdout, "no error found within bounds")
	require.Contains(t, stdout, "neither found nor ruled out: ")
}

// Where the search of the model is cut off, runs of every schedule prove the program.
func TestCheckEverySchedule(t *testing.T) {
	dir := program(t, "loopspawn_fixed")
	code, stdout, stderr := execute(t, "check", "-states", "5", "-o", "-", dir)
	require.Equal(t, exitNothing, code, stderr)
	require.Regexp(t, "no error: (all [0-9]+ schedules|the only schedule) of the program", stdout)
}

func TestExploreExhaustive(t *testing.T) {
	dir := program(t, "loopspawn")
	code, stdout, stderr := execute(t, "explore", "-exhaustive", dir)
	require.Equal(t, exitReal, code, stderr)
	require.Regexp(t, "(all [0-9]+ schedules|the only schedule) of the program", stdout)
	require.Contains(t, stdout, "reproduced in a process of its own")
	_, one, _ := execute(t, "explore", "-exhaustive", "-parallel", "1", dir)
	require.Equal(t, one, stdout)
	code, _, stderr = execute(t, "explore", "-exhaustive", "-parallel", "-1", dir)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "-parallel is at least 0")
	rest := filepath.Join(t.TempDir(), "rest")
	code, stdout, stderr = execute(t, "explore", "-exhaustive", "-frontier", rest, program(t, "loopspawn_fixed"))
	require.Equal(t, exitNothing, code, stderr)
	require.NotContains(t, stdout, "left to do")
	require.NoFileExists(t, rest)
}

func TestExplorePreemptions(t *testing.T) {
	dir := program(t, "loopspawn")
	code, stdout, stderr := execute(t, "explore", "-exhaustive", "-preemptions", "all", dir)
	require.Equal(t, exitReal, code, stderr)
	require.Regexp(t, "^all schedules of the program were run, but for equivalent ones: [0-9]+ executions", stdout)
	rest := filepath.Join(t.TempDir(), "rest")
	fixed := program(t, "loopspawn_fixed")
	code, stdout, stderr = execute(t, "explore", "-exhaustive", "-preemptions", "0", "-frontier", rest, fixed)
	require.Equal(t, exitInconclusive, code, stderr)
	require.Regexp(t, "^all schedules with no preemption were run, but for equivalent ones: [0-9]+ executions", stdout)
	require.Contains(t, stdout, "the same command with more preemptions goes on from there")
	code, _, stderr = execute(t, "explore", "-exhaustive", "-frontier", rest, fixed)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "bounded by preemptions")
	code, stdout, stderr = execute(t, "explore", "-exhaustive", "-preemptions", "all", "-frontier", rest, fixed)
	require.Equal(t, exitNothing, code, stderr)
	require.Regexp(t, "^all schedules of the program were run", stdout)
	require.NoFileExists(t, rest)
	code, _, stderr = execute(t, "explore", "-exhaustive", "-preemptions", "few", fixed)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "-preemptions few")
}

func TestCheckEntry(t *testing.T) {
	dir := program(t, "sequences")
	code, _, stderr := execute(t, "check", dir, "-entry", "TestNone")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "no such entry point")
	require.NotContains(t, stderr, "name the entry point with -entry", "it is named")

	dir = t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestP(t *testing.T) {}\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	code, _, stderr = execute(t, "first", "-o", "-", dir)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "no such entry point")
	require.Contains(t, stderr, "name the entry point with -entry")
	for _, args := range [][]string{{"-entry", "TestP"}, {"--entry=TestP"}, {"-json", "-entry=TestP", "."}} {
		require.True(t, namesEntry(args), args)
	}
	require.False(t, namesEntry([]string{"entry", "-entrypoint", "-json"}))
}

// A recording does not take the place of a file that is named, and says so before the program has run for nothing.
func TestRecordReplacesNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.vtr")
	require.NoError(t, os.WriteFile(file, []byte("kept"), 0o644))
	bundle := filepath.Join("testdata", "bundles", "v5", "deep.vtz")
	for flag, args := range map[string][]string{
		"-o": {"record", "-o", file, "-entry", "TestNone", t.TempDir()}, "-record": {"replay", "-record", file, bundle, "none"},
	} {
		code, stdout, stderr := execute(t, args...)
		require.Equal(t, exitUsage, code)
		require.Empty(t, stdout)
		require.Equal(t, "vtrace: "+flag+": "+file+" is there already, and is not replaced: name another file, or remove it\n", stderr)
	}
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "kept", string(data))
}

// The stages one by one write what check writes.
func TestStages(t *testing.T) {
	dir := program(t, "rendezvous")
	step := func(want int, args ...string) {
		t.Helper()
		code, _, stderr := execute(t, args...)
		require.Equal(t, want, code, stderr)
	}
	step(exitReal, "check", "-o", "check.vtz", dir)
	step(exitInconclusive, "first", "-o", "1.vtz", dir)
	step(exitInconclusive, "second", "-o", "2", "1.vtz") // a directory
	step(exitReal, "deep", "-o", "3.vtz", "2")
	want, err := os.ReadFile("check.vtz")
	require.NoError(t, err)
	got, err := os.ReadFile("3.vtz")
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got))
}

func TestJSON(t *testing.T) {
	dir := program(t, "funcarg")
	code, stdout, stderr := execute(t, "check", "-json", dir)
	require.Equal(t, exitReal, code, stderr)
	var r output.EntryOutput
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	require.Len(t, r.Found, 1)
	require.Equal(t, artifact.Real, r.Found[0].Verdict)
	require.Equal(t, artifact.KindPanic, r.Found[0].Kind)
	require.FileExists(t, r.Bundle)
	require.Contains(t, r.Found[0].Reproduce, r.Bundle)
}

// A note is shown, counted, and no reason for an exit code.
func TestNote(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/note\n\ngo 1.26\n",
		"x_test.go": `package note

import "testing"

type loop struct{ in chan int }

func start() *loop {
	l := &loop{make(chan int)}
	go func() {
		for range l.in {
		}
	}()
	return l
}

func TestLoop(t *testing.T) { start().in <- 1 }
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	t.Chdir(t.TempDir())
	code, stdout, stderr := execute(t, "check", "-entry", "TestLoop", dir)
	require.Equal(t, exitNothing, code, stderr)
	require.Contains(t, stdout, "TestLoop: 1 note\n")
	require.Contains(t, stdout, "1. NOTE: goroutine leak at x_test.go:10:3")
	require.Contains(t, stdout, "reason: a worker that waits for work, of a service that the test has and nothing has stopped; no run ends without it")
}

// TestTranslateDump: a stage of the translation in place of the model.
func TestTranslateDump(t *testing.T) {
	dir := program(t, "sequences")
	for stage, has := range map[string]string{
		"slice": "\nmemory\n", "assumptions": "attempt 1\n", "solution": "template 0 main (1 at a time, once in a run)\n",
	} {
		code, text, stderr := execute(t, "translate", "-dump", stage, dir)
		require.Equal(t, exitNothing, code, stderr)
		require.Contains(t, text, has)
		require.NotContains(t, text, "<nta>")
		out := filepath.Join(t.TempDir(), "stage.txt")
		code, _, stderr = execute(t, "translate", "-dump", stage, "-o", out, dir)
		require.Equal(t, exitNothing, code, stderr)
		written, err := os.ReadFile(out)
		require.NoError(t, err)
		require.Equal(t, text, string(written))
	}
	code, _, stderr := execute(t, "translate", "-dump", "ssa", dir)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, `-dump: "ssa": no stage of the translation: they are slice, assumptions and solution`)
}

func TestTranslateAndVerify(t *testing.T) {
	dir := program(t, "sequences")
	code, xml, stderr := execute(t, "translate", dir)
	require.Equal(t, exitNothing, code, stderr)
	require.Contains(t, xml, "<nta>")
	code, _, stderr = execute(t, "translate", "-o", "m.xml", dir)
	require.Equal(t, exitNothing, code, stderr)
	written, err := os.ReadFile("m.xml")
	require.NoError(t, err)
	require.Equal(t, xml, string(written))

	code, stdout, stderr := execute(t, "verify", "-stats", "-trace", "m.xml")
	require.Equal(t, exitReal, code, stderr)
	require.Contains(t, stdout, "NOT satisfied")
	require.Contains(t, stdout, "trace of query")
	require.Contains(t, stdout, "states")
	code, stdout, _ = execute(t, "verify", "-json", "m.xml")
	require.Equal(t, exitReal, code)
	require.True(t, json.Valid([]byte(stdout)))
}

func TestVerifyQueries(t *testing.T) {
	code, stdout, stderr := execute(t, "verify", "testdata/door.xml", "testdata/door.q")
	require.Equal(t, exitReal, code, stderr)
	require.Equal(t, "1  satisfied      A[] not (A.open and B.open)\n2  NOT satisfied  A[] not deadlock\n3  satisfied      E<> A.open\n", stdout)
}

func TestSizeFlag(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "12": 12, "3k": 3 << 10, "500M": 500 << 20, "2GB": 2 << 30} {
		var s sizeFlag
		require.NoError(t, s.Set(text))
		require.Equal(t, want, int64(s))
	}
	for _, text := range []string{"", "-1", "x", "9999999999G"} {
		var s sizeFlag
		require.Error(t, s.Set(text), text)
	}
}

// Who waits for the first check on a machine is told what for, from when it is worth a line until it ends.
func TestLibrariesProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := newProgress(&out, false)
		p.terminal = true
		drawn := func() string {
			synctest.Wait()
			defer out.Reset()
			return out.String()
		}
		p.load("./...")
		require.Empty(t, drawn(), "most loads are over in a moment")
		time.Sleep(drawAfter)
		require.Equal(t, "load ./...: "+loadingText+" (1s)", drawn())
		time.Sleep(2 * drawEvery)
		require.Equal(t, "\r\x1b[Kload ./...: "+loadingText+" (2s)\r\x1b[Kload ./...: "+loadingText+" (3s)", drawn())
		p.done()
		require.Equal(t, "\r\x1b[K", drawn())

		// Of several at once the last one is shown that has not ended.
		time.Sleep(drawEvery)
		a, b := p.at(vtrace.EntryPoint{Package: "p", Func: "TestA"}, true), p.at(vtrace.EntryPoint{Package: "p", Func: "TestB"}, true)
		a.event(pass.StageStarted{Pass: artifact.PassFirst, Stage: pass.LibrariesStage})
		require.Contains(t, drawn(), "once on this machine p TestA")
		b.event(pass.StageStarted{Pass: artifact.PassFirst, Stage: "translate"})
		time.Sleep(drawEvery)
		require.Equal(t, "\r\x1b[Kfirst pass: translate p TestB (1s)", drawn())
		b.event(pass.StageDone{Pass: artifact.PassFirst, Stage: "translate"})
		time.Sleep(drawEvery)
		require.Contains(t, drawn(), "once on this machine p TestA (2s)")
		a.event(pass.StageDone{Pass: artifact.PassFirst, Stage: pass.LibrariesStage})
		time.Sleep(time.Hour)
		require.Empty(t, drawn())
		p.done()
		require.Equal(t, "\r\x1b[K", drawn())

		// A line that took two on the terminal could not be removed.
		p.width = func() int { return 20 }
		time.Sleep(drawEvery)
		p.load("./a/long/path/...")
		require.Equal(t, "load ./a/long/path…", drawn())
		time.Sleep(drawEvery)
		require.Equal(t, "\r\x1b[Kload ./a/long… (1s)", drawn())
		p.done()
	})
}

// Where there is no terminal, what takes long without a budget is said once.
func TestLongLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := newProgress(&out, false)
		p.load(".")
		time.Sleep(sayAfter - 1)
		p.done()
		time.Sleep(time.Hour)
		require.Empty(t, out.String())

		load := func(stage string) {
			p.event(pass.StageStarted{Pass: artifact.PassFirst, Stage: stage})
			time.Sleep(time.Hour)
			synctest.Wait()
			p.event(pass.StageDone{Pass: artifact.PassFirst, Stage: stage})
		}
		load("search") // which the budget bounds
		require.Empty(t, out.String())
		load(pass.LoadStage)
		require.Equal(t, "vtrace: 30s so far: first pass: load: "+loadingText+"\n", out.String())
	})
}

// Loading has a deadline, and ends at once when it is interrupted, of one entry point as of all.
func TestLoadEnds(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module example.com/p\n\ngo 1.26\n",
		"p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestP(t *testing.T) {}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	for _, args := range [][]string{
		{"check", "-o", "-", dir}, {"check", "-o", "-", "-entry", "TestP", dir}, {"check", "-functions", dir}, {"first", "-o", "-", "-entry", "TestP", dir},
		{"explore", "-entry", "TestP", dir}, {"record", "-o", filepath.Join(t.TempDir(), "r"), "-entry", "TestP", dir}, {"predict", "-entry", "TestP", dir}, {"translate", "-entry", "TestP", dir}, {"fuzz", "-entry", "TestP", dir},
	} {
		code, stdout, stderr := execute(t, append([]string{args[0], "-load-timeout", "1ns"}, args[1:]...)...)
		require.Equal(t, exitUsage, code, "%v\n%s", args, stderr)
		require.Empty(t, stdout, args)
		require.Contains(t, stderr, "it was not loaded within 1ns: the go command was still listing its packages", args)
		require.Contains(t, stderr, "-load-timeout gives it more time", args)

		var out, errs bytes.Buffer
		ctx, finish, stop := interruptible(context.Background())
		finish()
		require.Equal(t, exitUsage, run(ctx, args, &out, &errs), "%v\n%s", args, out.String())
		require.Equal(t, "vtrace: interrupted\n", errs.String(), args)
		stop()
	}
}
