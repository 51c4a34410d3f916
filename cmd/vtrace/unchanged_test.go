package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bytes"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/output"
)

// unchangedModule has an entry without error, one with, and a function that only the
// second can reach.
var unchangedModule = map[string]string{
	"go.mod": "module example.com/u\n\ngo 1.26\n",
	"u.go":   "package u\n\nimport \"sync\"\n\nfunc both(mu *sync.Mutex) { mu.Lock(); mu.Unlock() }\n\nfunc second(mu *sync.Mutex) { mu.Lock() }\n\nfunc neither() int { return 1 }\n",
	"u_test.go": `package u

import (
	"sync"
	"testing"
)

func TestGood(t *testing.T) {
	var mu sync.Mutex
	done := make(chan bool)
	go func() { both(&mu); done <- true }()
	both(&mu)
	<-done
}

func TestBad(t *testing.T) {
	var mu sync.Mutex
	second(&mu)
	both(&mu)
}
`,
}

// rows are the lines of the table of a check, without what stands between the columns.
func rows(out string) (lines []string) {
	for _, l := range strings.Split(out, "\n") {
		if strings.HasPrefix(l, "example.com/u Test") {
			lines = append(lines, strings.Join(strings.Fields(l), " "))
		}
	}
	return lines[max(0, len(lines)-2):]
}

// A second check takes over what nothing has changed of, and only that.
func TestUnchanged(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	put := func(name, text string) {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	for name, text := range unchangedModule {
		put(name, text)
	}
	t.Setenv(resultsVariable, filepath.Join(dir, "cache"))
	check := func(args ...string) []string {
		code, out, stderr := execute(t, append([]string{"check", "./..."}, args...)...)
		require.Equal(t, exitReal, code, out)
		require.Empty(t, stderr)
		return rows(out)
	}
	first := check()
	require.Equal(t, []string{"example.com/u TestGood exact no error", "example.com/u TestBad exact 1 real error"}, first)
	both := []string{first[0] + " (unchanged)", first[1] + " (unchanged)"}
	bundle := func() string {
		all, err := filepath.Glob(".vtrace/u-TestBad-*.vtz")
		require.NoError(t, err)
		require.Len(t, all, 1)
		data, err := os.ReadFile(all[0])
		require.NoError(t, err)
		return string(data)
	}
	before := bundle()
	require.NoError(t, os.RemoveAll(".vtrace"))
	require.Equal(t, both, check())
	require.Equal(t, before, bundle(), "the same bytes")
	require.Equal(t, first, check("-cache", "off"))
	require.Equal(t, first, check("-run-depth", "3"), "other options")
	require.Equal(t, both, check("-run-depth", "3"))

	// One function that nothing reaches: the result without findings holds.
	put("u.go", strings.Replace(unchangedModule["u.go"], "return 1", "return 2", 1))
	require.Equal(t, []string{both[0], first[1]}, check())
	require.Equal(t, both, check())
	// One that the other entry reaches.
	put("u.go", strings.Replace(unchangedModule["u.go"], "func second(mu *sync.Mutex) { mu.Lock() }", "func second(mu *sync.Mutex) { mu.Lock(); mu.Unlock() }", 1))
	code, out, _ := execute(t, "check", "./...")
	require.Equal(t, exitNothing, code)
	require.Equal(t, []string{both[0], "example.com/u TestBad exact no error"}, rows(out))
	require.Contains(t, out, "not checked again, since nothing that they can reach has changed: 1; -cache off checks all")
	put("u.go", unchangedModule["u.go"])

	// One entry alone, which is the same check.
	code, out, _ = execute(t, "check", "-entry", "TestGood", ".")
	require.Equal(t, exitNothing, code)
	require.Contains(t, out, "not checked again: nothing has changed since its check; -cache off checks it again")
	code, out, _ = execute(t, "check", "-json", "-entry", "TestGood", ".")
	require.Equal(t, exitNothing, code)
	var r output.EntryOutput
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	require.True(t, r.Unchanged)

	// Results that cannot be read or written are no reason to have none.
	put("file", "")
	code, out, stderr := execute(t, "check", "-entry", "TestGood", "-cache", "file", ".")
	require.Equal(t, exitNothing, code)
	require.NotContains(t, out, "not checked again")
	require.Contains(t, stderr, "vtrace: the result is not kept, or not taken from an earlier check: ")
}

// What was interrupted is no result to be taken over.
func TestUnchangedInterrupted(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range unchangedModule {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	t.Setenv(resultsVariable, filepath.Join(dir, "cache"))
	ctx, finish, stop := interruptible(context.Background())
	defer stop()
	finish()
	var out bytes.Buffer
	run(ctx, []string{"check", "-entry", "TestGood", "."}, &out, &out)
	code, text, _ := execute(t, "check", "-entry", "TestGood", ".")
	require.Equal(t, exitNothing, code, text)
	require.NotContains(t, text, "not checked again")
}
