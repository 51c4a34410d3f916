package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/vtrace/vtrace/internal/output"
)

// The command of docs/functions.md prints what the page says, for the program that it shows.
func TestFunctionsDocument(t *testing.T) {
	path, err := filepath.Abs("../../docs/functions.md")
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	program := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(text)
	require.NotNil(t, program)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/first\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "first.go"), program[1], 0o644))
	t.Chdir(dir)
	ran := 0
	got := consoleBlock.ReplaceAllStringFunc(string(text), func(block string) string {
		ran++
		line := consoleBlock.FindStringSubmatch(block)[1]
		code, stdout, stderr := execute(t, strings.Fields(line)[1:]...)
		require.Equal(t, exitReal, code, "%s: %s", line, stderr)
		return "```console\n$ " + line + "\n" + stdout + "```"
	})
	require.Equal(t, 1, ran)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	text, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, got, string(text), "run: go test ./cmd/vtrace -run TestFunctionsDocument -update")
}

// The result of functions as JSON, SARIF and a list: errors by function, with those that are not its own apart.
func TestFunctionsOutput(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"m.go": `package m

// Send leaves a goroutine behind.
func Send(n int) {
	if n < 0 {
		panic("n is negative")
	}
	c := make(chan int)
	for range n {
		go func() { c <- 1 }()
	}
}

// Queue has one place.
type Queue struct{ c chan int }

// NewQueue makes a queue.
func NewQueue() *Queue { return &Queue{make(chan int, 1)} }

// Put waits for a place.
func (q *Queue) Put(v int) { q.c <- v }

// Get waits for a value.
func (q *Queue) Get() int { return <-q.c }

func given(c chan int) { c <- 1 }

// Known leaves a goroutine behind, too.
func Known() {
	c := make(chan int)
	go func() {
		c <- 1 //vtrace:ignore goroutine-leak it ends with the process
	}()
}

// Count has a number.
type Count struct{ n int }

// Counted counts while a number is set.
func Counted() *Count {
	c, done := &Count{}, make(chan bool)
	go func() {
		if c.n >= 0 {
			close(done)
		}
	}()
	c.n = 1
	<-done
	return c
}
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	t.Chdir(dir)
	code, out, said := execute(t, "check", "-functions", "-json", "-numbers", "1,-1", "-cache", "off", "-sarif", "log.sarif", "./...")
	require.Equal(t, exitReal, code, said)
	var got output.FunctionsOutput
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	var all []string
	for _, f := range got.Functions {
		line := f.Func
		if f.LeftOut != "" {
			line += ": " + f.LeftOut
		}
		for _, e := range f.Errors {
			line += " / " + e.Class + " " + e.Finding.Kind + ", " + e.Reason
		}
		if len(f.Races) > 0 {
			line += " / " + f.Races[0]
		}
		all = append(all, line)
	}
	require.Equal(t, []string{
		"Send / alarm goroutine leak,  / refused panic, the function panics for these values, and says so",
		"Queue.Put / by contract deadlock, it waits for what Queue.Get may do",
		"Queue.Get / by contract deadlock, it waits for what Queue.Put may do",
		"given: works on what its callers give it, and is checked with them",
		"Known / accepted goroutine leak, m.go:32: it ends with the process",
		"Counted / write of c.n at m.go:47 and read of c.n at m.go:43, which nothing orders",
	}, all)
	sarif, err := os.ReadFile("log.sarif")
	require.NoError(t, err)
	require.Len(t, gjson.GetBytes(sarif, "runs.0.results.#(suppressions.#==0)#").Array(), 0)
	open := 0
	for _, r := range gjson.GetBytes(sarif, "runs.0.results").Array() {
		if len(r.Get("suppressions").Array()) == 0 {
			open++
			require.Equal(t, "m.go", r.Get("locations.0.physicalLocation.artifactLocation.uri").String())
		}
	}
	require.Equal(t, 1, open, string(sarif))

	code, out, said = execute(t, "check", "-functions", "-list", "./...")
	require.Equal(t, exitNothing, code, said)
	require.Contains(t, out, "example.com/m Send\tm.go:4\t5 choices of values\n")

	code, _, said = execute(t, "check", "-functions", "-numbers", "1,x", "./...")
	require.Equal(t, exitUsage, code)
	require.Contains(t, said, `"1,x" is not a list of numbers`)
	code, _, said = execute(t, "check", "-functions", "-entry", "None", "./...")
	require.Equal(t, exitUsage, code)
	require.Contains(t, said, "there are no such functions")

	for _, with := range [][]string{{"-json=stream"}, {"-changed-since", "HEAD"}} {
		code, _, said = execute(t, append(append([]string{"check", "-functions"}, with...), "./...")...)
		require.Equal(t, exitUsage, code)
		require.Contains(t, said, "-functions and "+with[0]+" do not go together")
	}

	// The error comes again by the command that the finding names.
	path := got.Functions[0].Errors[0].Bundle
	require.FileExists(t, path)
	fields := strings.Fields(got.Functions[0].Errors[0].Finding.Reproduce)
	code, out, said = execute(t, fields[1:]...)
	require.Equal(t, exitReal, code, said)
	require.Contains(t, out, "reproduced: goroutine leak")
}
