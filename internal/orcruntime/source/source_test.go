package source

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBuild compiles the source as the instrumenter delivers it: under another
// name, in a module with an old language version.
func TestBuild(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
	for name, data := range Files() {
		require.NotRegexp(t, `(?m)^(import)?\s+"testing"$`, string(data)) // it is in programs that are no tests
		require.NotContains(t, string(data), "github.com")
		renamed := bytes.Replace(data, []byte("\npackage orcruntime\n"), []byte("\npackage vtraceorc\n"), 1)
		require.NotEqual(t, data, renamed, name)
		write("vtraceorc/"+name, renamed)
	}
	write("go.mod", []byte("module example.com/old\n\ngo 1.20\n"))
	write("main.go", []byte(`package main

import "example.com/old/vtraceorc"

func main() {
	c := make(chan int)
	vtraceorc.Go(1, func() { vtraceorc.To(c).Send(2, 3); vtraceorc.Close(3, c) })
	for r := vtraceorc.RangeCh(c); r.Next(4); {
		println(r.V)
	}
	res := vtraceorc.Run(vtraceorc.Config{Main: func() {
		defer func() { recover() }()
		vtraceorc.Close[int](5, nil)
	}})
	println(res.Verdict)
}
`))
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "3\ncompleted\n", string(out))
}
