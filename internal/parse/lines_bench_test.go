package parse

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/source"
)

// functionOfLines is a function of fifty lines of what programs have; %[1]d is its number.
const functionOfLines = `
type account%[1]d struct {
	mu      sync.Mutex
	balance int
	log     []string
}

func work%[1]d(in <-chan int, out chan<- int, done <-chan struct{}) (n int, err error) {
	a := &account%[1]d{log: make([]string, 0, 4)}
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Add(1)
	go func() {
		defer wg.Done()
		a.mu.Lock()
		defer a.mu.Unlock()
		a.balance++
		a.log = append(a.log, "started")
	}()
	for i := 0; i < 10; i++ {
		select {
		case v, ok := <-in:
			if !ok {
				return n, errors.New("closed")
			}
			n += v
			out <- n * i
		case <-done:
			a.mu.Lock()
			a.balance -= n
			a.mu.Unlock()
			return n, nil
		}
		switch {
		case n > 100:
			a.log = append(a.log, fmt.Sprint("many: ", n))
		case n < 0:
			continue
		default:
			n--
		}
	}
	a.mu.Lock()
	for _, line := range a.log {
		if line == "" {
			n++
		}
	}
	a.mu.Unlock()
	return n, nil
}
`

// Every line of a large program is instrumented, with what goes before: the search for what can be.
func BenchmarkEveryLine(b *testing.B) {
	const files, functions = 70, 100
	dir := b.TempDir()
	require.NoError(b, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/lines\n\ngo 1.26\n"), 0o644))
	lines := 0
	var main strings.Builder
	main.WriteString("package main\n\nfunc main() {\n\tin, out, done := make(chan int), make(chan int), make(chan struct{})\n")
	for f := range files {
		var text strings.Builder
		text.WriteString("package main\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n\t\"sync\"\n)\n")
		for k := range functions {
			fmt.Fprintf(&text, functionOfLines, f*functions+k)
			fmt.Fprintf(&main, "\twork%d(in, out, done)\n", f*functions+k)
		}
		lines += strings.Count(text.String(), "\n")
		require.NoError(b, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.go", f)), []byte(text.String()), 0o644))
	}
	main.WriteString("}\n")
	lines += strings.Count(main.String(), "\n")
	require.NoError(b, os.WriteFile(filepath.Join(dir, "main.go"), []byte(main.String()), 0o644))
	prog, err := source.Load(b.Context(), source.Spec{Dir: dir, Pattern: "."})
	require.NoError(b, err)
	for b.Loop() {
		o, err := Instrument(b.Context(), prog, Index(prog), Options{EveryLine: true})
		require.NoError(b, err)
		require.Greater(b, len(o.Files), files)
	}
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
	b.ReportMetric(float64(lines), "lines")
}
