package main

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

var memorySize = flag.Int("bundle.mib", 48, "TestBundleMemory makes a bundle of `N` MiB")

// maxGrowth is how much more memory a tool may take for a large bundle than for a small one,
// however large it is: what compression keeps of what came before, and the manifest.
const maxGrowth = 48 << 20

// generated is the content of a file, which need not be in memory.
type generated func() io.Reader

// noise is content that cannot be compressed.
func noise(seed byte, size int64) generated {
	return func() io.Reader { return io.LimitReader(rand.NewChaCha8([32]byte{seed}), size) }
}

func text(s string) generated { return func() io.Reader { return strings.NewReader(s) } }

// saveLarge makes a bundle of the deep pass that has about so many bytes more than the stored
// one: of the program, a module, logs and traces.
func saveLarge(t *testing.T, path string, bytes int64) {
	b, err := artifact.Load(filepath.Join(storedDir, "v3", "deep.vtz"))
	require.NoError(t, err)
	files := map[string]generated{}
	for _, p := range b.Paths() {
		data, _ := b.Read(p)
		files[p] = text(string(data))
	}
	part := bytes / 4
	files["source/go.sum"] = text("example.com/m v1.0.0 h1:x\nexample.com/m v1.0.0/go.mod h1:x\n")
	files["modules/example.com/m/@v/v1.0.0.mod"] = text("module example.com/m\n")
	files["modules/example.com/m/@v/v1.0.0.zip"] = noise(0, part)
	for i := range 8 {
		files[fmt.Sprintf("source/data/%d.bin", i)] = noise(byte(1+i), part/8)
		files[fmt.Sprintf("logs/q%d-1.log", 100+i)] = noise(byte(101+i), part*3/2/8)
	}
	trace, ok := b.Read("traces/q1-1.json")
	require.True(t, ok)
	for k := range min(2000, part/2/int64(len(trace))) {
		files[artifact.TracePath(1, int(1000+k))] = text(string(trace))
	}
	m := b.Manifest()
	m.Files = nil
	order := make([]string, 0, len(files))
	for p := range files {
		order = append(order, p)
	}
	slices.Sort(order)
	program := sha256.New() // as source.Digest makes it
	for _, p := range order {
		sum := sha256.New()
		n, err := io.Copy(sum, files[p]())
		require.NoError(t, err)
		m.Files = append(m.Files, artifact.FileInfo{Path: p, Size: n, SHA256: hex.EncodeToString(sum.Sum(nil))})
		if rel, ok := strings.CutPrefix(p, "source/"); ok {
			fmt.Fprintf(program, "%d %s %d\n", len(rel), rel, n)
			_, err := io.Copy(program, files[p]())
			require.NoError(t, err)
		}
	}
	m.Source = hex.EncodeToString(program.Sum(nil))
	_, err = artifact.SaveFiles(path, m, nil, func(put func(string, io.Reader) error) error {
		for _, p := range order {
			if err := put(p, files[p]()); err != nil {
				return err
			}
		}
		return nil
	})
	require.NoError(t, err)
}

// The tools for bundles take no more memory for a large bundle than for a small one.
func TestBundleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a large bundle")
	}
	t.Setenv("GOGC", "100") // as users have it
	dir := t.TempDir()
	for _, name := range []string{"small", "large"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	}
	size := int64(*memorySize) << 20
	saveLarge(t, filepath.Join(dir, "small", "b.vtz"), 0)
	saveLarge(t, filepath.Join(dir, "large", "b.vtz"), size)
	// peak is the memory that a tool takes, in bytes.
	peak := func(in string, args ...string) int64 {
		in = filepath.Join(dir, in)
		out, memory, code := measured(t, in, append([]string{"bundle"}, args...)...)
		require.Equal(t, exitNothing, code, "%v: %s", args, out)
		require.NoError(t, os.RemoveAll(filepath.Join(in, "out")))
		return memory
	}
	for _, tool := range [][]string{
		{"verify", "-limit", "1G", "b.vtz"},
		{"diff", "b.vtz", "b.vtz"},
		{"merge", "-o", "out", "b.vtz"},
		{"extract", "-o", "out", "-all", "b.vtz"},
		{"slim", "-o", "out/b.vtz", "b.vtz"},
		{"slim", "-o", "dir", "b.vtz"},
		{"index", "-limit", "1G", "."},
		{"verify", "-limit", "1G", "dir", "b.vtz", "b.vtz"},
		{"merge", "-o", "out", "dir"},
	} {
		if tool[2] == "out/b.vtz" {
			for _, name := range []string{"small", "large"} {
				require.NoError(t, os.Mkdir(filepath.Join(dir, name, "out"), 0o755))
			}
		}
		small, large := peak("small", tool...), peak("large", tool...)
		if small == 0 {
			t.Skip("the memory of a process is not known here")
		}
		t.Logf("bundle %s: %d MiB, %d MiB of a bundle of %d MiB", strings.Join(tool, " "), small>>20, large>>20, *memorySize)
		require.Less(t, large-small, int64(maxGrowth), "%v", tool)
	}
}
