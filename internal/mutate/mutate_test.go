package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	small = `package small

type level uint8

const top = 3

func clamp(n int) (out int) {
	switch {
	case n < 0 || n == -1:
		return 0
	case n > top:
		n = top
	}
	for i := range 5 {
		if !(i < n) {
			break
		}
		out++
		continue
	}
	return
}

func unused(a, b level) bool { return a < b && a+1 != 200 }
`
	smallTest = `package small

import "testing"

func TestClamp(t *testing.T) {
	for n, want := range map[int]int{-2: 0, 0: 0, 2: 2, 3: 3, 9: 3} {
		if got := clamp(n); got != want {
			t.Errorf("%d: %d", n, got)
		}
	}
}
`
)

// TestMutate: what the tests of a small package catch of all its mutants, which survive since they
// mean the same, and which are not reached.
func TestMutate(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"go.mod": "module example.com/small\n\ngo 1.26\n", "small.go": small, "small_test.go": smallTest} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	run := func(list bool) string {
		var out strings.Builder
		require.NoError(t, try(t.Context(), &out, config{pkg: ".", tests: []string{"."}, seed: 1, only: regexp.MustCompile(""), timeout: 10 * time.Second, list: list}))
		return out.String()
	}
	listed := run(true)
	require.Contains(t, listed, "18 mutants are reached, 4 are not")
	require.Contains(t, listed, "not reached: 18 small.go:24:39 unused: always true: a < b\n")
	out := run(false)
	var survive []string
	for line := range strings.Lines(out) {
		if m, ok := strings.CutPrefix(line, "SURVIVES "); ok {
			_, m, _ = strings.Cut(strings.TrimSpace(m), " ")
			_, m, _ = strings.Cut(m, " ")
			survive = append(survive, m)
		}
	}
	require.ElementsMatch(t, []string{
		// The tests lack 4; the others mean the same.
		"clamp: one more: top",
		"clamp: always false: n < 0",
		"clamp: always false: n == -1",
		"clamp: one more: 0",
		"clamp: one more: -1",
		"clamp: one more: 5",
		"clamp: left out: continue",
	}, survive, out)
	require.Contains(t, out, "caught by TestClamp")
	source, err := os.ReadFile("small.go")
	require.NoError(t, err)
	require.Equal(t, small, string(source))
}
