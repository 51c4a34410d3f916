package blackbox_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/recording"
	"github.com/vtrace/vtrace/internal/trace"
)

// The commands of docs/trace.md, on a test and on main: what was recorded is counted, printed and analysed.
func TestRecord(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("go.mod", []byte("module example.com/m\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile("main.go", []byte(`package main

import (
	"fmt"
	"os"
)

func drain(n int) {
	c := make(chan int, 1)
	go func() {
		for i := range n {
			c <- i
		}
		close(c)
	}()
	for range c {
	}
}

func main() {
	drain(len(os.Args))
	fmt.Println("drained")
	go func() {}()
	os.Exit(3)
}
`), 0o644))
	require.NoError(t, os.WriteFile("main_test.go", []byte(`package main

import "testing"

func TestDrain(t *testing.T) { drain(2) }
`), 0o644))
	code, stdout, stderr := execute(t, "record", ".", "--", "-addr", ":8080")
	require.Equal(t, exitNothing, code, stderr)
	require.Contains(t, stdout, "drained\n")
	require.Contains(t, stdout, "example.com/m.main: exit status 3\n")
	require.Contains(t, stdout, "recording: .vtrace/m-main.vtr\n")
	code, stdout, stderr = execute(t, "inspect", ".vtrace/m-main.vtr")
	require.Equal(t, exitNothing, code, stderr)
	require.Regexp(t, `\n +3 +3 +[0-3]  send\n +4 +4 +4  recv\n +1 +1 +0  close\n +2 +2 +2  go\n`, stdout)
	require.Contains(t, stdout, "\n       1  chan\n")
	code, stdout, stderr = execute(t, "inspect", ".vtrace/m-main.vtr", "events")
	require.Equal(t, exitNothing, code, stderr)
	require.Contains(t, stdout, "\nchan chan1 1\n")
	require.Contains(t, stdout, "  recv chan1 from 2.3 @main.go:16:2(example.com/m.drain,")
	require.Contains(t, stdout, "  recv chan1 closed from 2.4 @main.go:16:2(example.com/m.drain,")
	tr, err := trace.Parse([]byte(stdout))
	require.NoError(t, err)
	require.Equal(t, "example.com/m.main", tr.Program)
	code, stdout, stderr = execute(t, "analyze", ".vtrace/m-main.vtr")
	require.NotEqual(t, exitUsage, code, stderr)
	require.Contains(t, stdout, "example.com/m.main: 0 errors")

	code, _, stderr = execute(t, "record", "-o", "drain.vtr", ".", "-entry", "TestDrain")
	require.Equal(t, exitNothing, code, stderr)
	code, stdout, stderr = execute(t, "inspect", "drain.vtr")
	require.Equal(t, exitNothing, code, stderr)
	require.Contains(t, stdout, "example.com/m.TestDrain: exit status 0\n")
	require.Regexp(t, `\n +2 +2 +[0-2]  send\n +3 +3 +3  recv\n`, stdout)
	for _, args := range [][]string{
		{"record", "-o", "drain.vtr", "."}, // it is there
		{"record", "-o", "no/drain.vtr", "."},
		{"record", "-timeout", "-1s", "."},
		{"record", "-limit", "0", "."},
		{"record", "-entry", "TestNone", "."},
		{"record"},
		{"inspect", "drain.vtr", "findings"},
		{"inspect", "none.vtr"},
	} {
		code, stdout, _ := execute(t, args...)
		require.Equal(t, exitUsage, code, "%v %s", args, stdout)
	}
	names, err := os.ReadDir(".")
	require.NoError(t, err)
	require.Len(t, names, 5, "nothing is left behind: go.mod, two files, .vtrace and the recording")
}

// Recordings of somebody else are refused by name, and what they say does not reach the terminal as it is.
func TestForgedRecording(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("junk.vtr", []byte("vtrace-recording\x01junk"), 0o644))
	for _, args := range [][]string{{"inspect", "junk.vtr"}, {"inspect", "junk.vtr", "events"}, {"analyze", "junk.vtr"}} {
		code, stdout, stderr := execute(t, args...)
		require.Equal(t, exitUsage, code)
		require.Empty(t, stdout)
		require.Contains(t, stderr, "vtrace: junk.vtr: recording: ")
	}
	const evil = "\x1b]0;evil\x07\r"
	tr := &trace.Trace{
		Program: "p" + evil, Positions: []trace.Position{{File: evil, Func: evil, Site: evil}}, Objects: []trace.Object{{Kind: trace.Chan}},
		Goroutines: []trace.Goroutine{{Events: []trace.Event{{Phase: trace.Pre, Op: trace.OpSend, PC: 1, Object: 1, Pos: 1}}}},
	}
	var b bytes.Buffer
	require.NoError(t, recording.Write(&b, tr, recording.Header{End: evil, Notes: []string{evil}}))
	require.NoError(t, os.WriteFile("evil.vtr", b.Bytes(), 0o644))
	for _, args := range [][]string{{"inspect", "evil.vtr"}, {"inspect", "evil.vtr", "events"}, {"analyze", "evil.vtr"}} {
		code, stdout, stderr := execute(t, args...)
		require.NotEqual(t, exitUsage, code, stderr)
		require.NotContains(t, stdout, "\x1b")
		require.NotContains(t, stdout, "\r")
	}
}
