package blackbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A deadlock for n > 1, unless two values are taken.
var entryProgram = map[string]string{
	"go.mod": "module example.com/m\n\ngo 1.26\n",
	"m.go": `package m

import "sync"

type mode uint8

func Drain(n int, m mode, stop bool) {
	ch := make(chan int, 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; i < n; i++ {
			ch <- i
		}
	})
	if stop && m == 1 {
		<-ch
	}
	wg.Wait()
}

func Give(m map[string]int) {}

func Of[T any](v T) {}
`,
	"m_test.go": `package m

import "testing"

func BenchmarkParallel(b *testing.B) {
	ch := make(chan int, 3)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			ch <- 1
		}
	})
}

func BenchmarkLoop(b *testing.B) {
	b.Run("sub", func(b *testing.B) {
		for b.Loop() {
			Drain(1, 0, false)
		}
	})
}

func FuzzSeeds(f *testing.F) {
	f.Add(1, false)
	f.Add(2, true)
	f.Fuzz(func(t *testing.T, n int, stop bool) {
		Drain(n, 1, stop)
	})
}

func FuzzFree(f *testing.F) {
	f.Fuzz(func(t *testing.T, n int) {
		Drain(n, 1, false)
	})
}

func FuzzNone(f *testing.F) {}
`,
	"testdata/fuzz/FuzzSeeds/abc": "go test fuzz v1\nint(3)\nbool(true)\n",
}

func TestCheckEntries(t *testing.T) {
	dir := t.TempDir()
	for name, text := range entryProgram {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		entry string
		code  int
		want  []string
	}{
		{"Drain", exitReal, []string{"example.com/m Test_Drain: 2 real errors", "deadlock at m.go:16:3", "deadlock at m.go:12 in "}},
		{"Drain(0|1, 0, false)", exitNothing, []string{"Test_Drain: no error"}},
		{"FuzzSeeds", exitReal, []string{"Test_FuzzSeeds: 1 real error", "deadlock at m.go:12 in "}},
		{"FuzzFree", exitReal, []string{"Test_FuzzFree: 1 real error", "is called with value number 3"}},
		{"BenchmarkLoop", exitNothing, []string{"Test_BenchmarkLoop: no error"}},
		{"BenchmarkParallel", exitReal, []string{"Test_BenchmarkParallel: 1 real error", "deadlock at m_test.go:10 in ", "send (blocked) at m_test.go:10"}},
		{"Give", exitUsage, []string{"m.go:21:11: Give: parameter m has type map[string]int: only booleans"}},
		{"Give(1, 2)", exitUsage, []string{"Give: 2 arguments for 1 parameters"}},
		{"Drain(2, 0, \"x\")", exitUsage, []string{"zz_drain_entry_test.go", "cannot use \"x\""}},
		{"Of", exitUsage, []string{"Of has type parameters"}},
		{"FuzzNone", exitUsage, []string{"m_test.go:37:1: FuzzNone: no call of Fuzz"}},
		{"FuzzNothing", exitUsage, []string{"no such entry point: func FuzzNothing"}},
		{"Drain(", exitUsage, []string{"the list of arguments has no end"}},
	} {
		t.Run(c.entry, func(t *testing.T) {
			code, stdout, stderr := execute(t, "check", "-o", "b.vtz", "-entry", c.entry, dir)
			require.Equal(t, c.code, code, stderr)
			for _, want := range c.want {
				require.Contains(t, stdout+stderr, want)
			}
			// The bundle has the program as it was checked.
			if c.entry == "FuzzSeeds" {
				_, cmd, _ := strings.Cut(stdout, "reproduce: vtrace ")
				cmd, _, _ = strings.Cut(cmd, "\n")
				code, _, stderr := execute(t, strings.Fields(cmd)...)
				require.Equal(t, exitReal, code, stderr)
			}
		})
	}
	left, err := filepath.Glob(filepath.Join(dir, "zz_*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
