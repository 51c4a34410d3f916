package parse

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/source"
)

// TestLocalLoops: in a function with atomic operations the statements of a loop are guards, but of one that touches nothing but
// variables that no other goroutine can reach.
func TestLocalLoops(t *testing.T) {
	t.Parallel()
	const head = `package main

import "sync/atomic"

var sum atomic.Int64

var global int

type pair struct{ a, b int }

func main() {
	n, list, own, shared, p, c := 3, make([]int, 3), [3]int{}, 0, &pair{}, make(chan int, 3)
	go func() { shared++ }()
	keep(list)
`
	const tail = `
	sum.Add(int64(n) + int64(own[0]) + int64(p.a) + int64(len(c)))
}

func keep([]int) {}

func next(n int) int { return n + 1 }
`
	for body, quiet := range map[string]bool{
		"for i := 0; i < 9; i++ { if i%2 == 0 { n += i } }":    true,
		"for i := range 9 { n = max(n, int(int64(i))) }":       true,
		"for i := range own { own[i] = i }":                    true,
		"for _, r := range \"text\" { n += int(r) }":           true,
		"for i := range 9 { for j := range 9 { n += i * j } }": true,
		"for range 9 { sum.Add(1) }":                           false,
		"for range 9 { n = next(n) }":                          false,
		"for i := range 9 { global += i }":                     false,
		"for i := range 9 { shared += i }":                     false,
		"for i := range 9 { p.a += i }":                        false,
		"for i := range list { list[i] = i }":                  false,
		"for range 3 { c <- 1 }":                               false,
		"for range 9 { func() { n++ }() }":                     false,
		"for i := range 9 { q := &n; *q += i }":                false,
		"for range 9 { select { default: n++ } }":              false,
	} {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "main.go": head + body + tail} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
			}
			prog, err := source.Load(t.Context(), source.Spec{Dir: dir})
			require.NoError(t, err)
			o, err := Instrument(t.Context(), prog, Index(prog), Options{})
			require.NoError(t, err)
			var line string
			for _, l := range strings.Split(string(o.Files["main.go"]), "\n") {
				if strings.Contains(l, "for ") {
					line = l
				}
			}
			_, inside, ok := strings.Cut(line, "{")
			require.True(t, ok, line)
			require.Equal(t, quiet, !strings.Contains(inside, "Beside("), line)
		})
	}
}
