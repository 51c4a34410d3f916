package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace"
)

func TestArchive(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), context.Background()
	var out bytes.Buffer
	a := archive{filepath.Join(dir, "bundles"), &out}
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
	require.ElementsMatch(t, []string{
		"example.com/m TestGood: 0 real", "example.com/m TestBad: 1 real",
		"DIGEST example.com/m TestGood map[]", "DIGEST example.com/m TestBad map[real:1]",
	}, sorted(add()))
	files["x.go"] = bytes.Replace(files["x.go"], []byte("other() {}"), []byte("other() { println() }"), 1)
	require.Contains(t, add(), "example.com/m TestGood: unchanged\nexample.com/m TestBad: unchanged\n")
	files["x_test.go"] = bytes.Replace(files["x_test.go"], []byte("receive(make(chan int))"), []byte("other()"), 1)
	require.Contains(t, add(), "example.com/m TestGood: unchanged\nexample.com/m TestBad: 0 real\n")
	index, err := os.ReadFile(filepath.Join(a.dir, "index.json"))
	require.NoError(t, err)
	require.Equal(t, 3, bytes.Count(index, []byte("\n")), "what was found before stays in the archive")
}
