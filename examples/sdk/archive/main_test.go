package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace"
)

func TestArchive(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), context.Background()
	var out bytes.Buffer
	a := archive{filepath.Join(dir, "bundles"), time.Minute, &out}
	files := map[string][]byte{
		"go.mod": []byte("module example.com/m\n\ngo 1.26\n"),
		"x.go":   []byte("package m\n\nfunc receive(c chan int) int { return <-c }\n\nfunc other() {}\n"),
		"x_test.go": []byte("package m\n\nimport \"testing\"\n\nfunc TestGood(t *testing.T) {\n\tc := make(chan int, 1)\n\tc <- 1\n\treceive(c)\n}\n\n" +
			"func TestBad(t *testing.T) { receive(make(chan int)) }\n"),
	}
	add := func() string {
		out.Reset()
		require.NoError(t, a.add(ctx, vtrace.Dir(dir, vtrace.Overlay(files))))
		require.NoError(t, a.index(ctx))
		return regexp.MustCompile(`(?m)^[0-9a-f]{8} `).ReplaceAllString(out.String(), "DIGEST ")
	}
	sorted := func(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }
	// What is done when it is interrupted is kept.
	interrupted, cancel := context.WithCancel(ctx)
	a.out = writer(func(p []byte) (int, error) { cancel(); return out.Write(p) })
	require.ErrorIs(t, a.add(interrupted, vtrace.Dir(dir, vtrace.Overlay(files))), context.Canceled)
	require.Equal(t, "example.com/m TestGood: 0 real\n", out.String())
	a.out = &out
	require.ElementsMatch(t, []string{
		"example.com/m TestGood: unchanged", "example.com/m TestBad: 1 real",
		"DIGEST example.com/m TestGood map[]", "DIGEST example.com/m TestBad map[real:1]",
	}, sorted(add()))
	files["x.go"] = bytes.Replace(files["x.go"], []byte("other() {}"), []byte("other() { println() }"), 1)
	require.Contains(t, add(), "example.com/m TestGood: unchanged\nexample.com/m TestBad: unchanged\n")
	files["x_test.go"] = bytes.Replace(files["x_test.go"], []byte("receive(make(chan int))"), []byte("other()"), 1)
	require.Contains(t, add(), "example.com/m TestGood: unchanged\nexample.com/m TestBad: 0 real\n")
	index, err := os.ReadFile(filepath.Join(a.dir, "index.json"))
	require.NoError(t, err)
	require.Equal(t, 3, bytes.Count(index, []byte("\n")), "what was found before stays in the archive")

	// A result of another version is none of this one.
	records, err := a.records()
	require.NoError(t, err)
	good := records["example.com/m TestGood"]
	good.Tool = "another"
	records["example.com/m TestGood"] = good
	require.NoError(t, a.keep(records))
	require.Contains(t, add(), "example.com/m TestGood: 0 real\nexample.com/m TestBad: unchanged\n")
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }
