package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var forgedCost = flag.Bool("forged.cost", false, "TestForgedCost gives every forged bundle to every command, and not a few of them")

// The most that a command may take of a forged bundle.
const (
	maxForgedMemory = 512 << 20
	maxForgedTime   = 10 * time.Second
)

// readers are the command lines that read a bundle and execute nothing of it.
func readers(path, dir string) [][]string {
	return [][]string{
		{"inspect", path},
		{"view", "-o", filepath.Join(dir, "page.html"), path},
		{"unpack", "-o", filepath.Join(dir, "unpacked"), path},
		{"bundle", "verify", path},
		{"bundle", "diff", path, path},
		{"bundle", "merge", "-o", filepath.Join(dir, "merged"), path},
		{"bundle", "extract", "-all", "-o", filepath.Join(dir, "extracted"), path},
		{"bundle", "slim", "-o", filepath.Join(dir, "slim.vtz"), path},
		{"bundle", "index", filepath.Dir(path)},
	}
}

// reportPeak names the file into which the test binary, as the command, writes how much memory
// it has taken.
const reportPeak = "VTRACE_TEST_PEAK"

// measured runs a command as a process of its own: its output, the most memory that it has
// taken, in bytes, 0 if that is not known, and its exit code.
func measured(t *testing.T, dir string, args ...string) (out string, memory int64, code int) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "peak")
	cmd := exec.Command(exe, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), reportPeak+"="+file)
	text, _ := cmd.CombinedOutput()
	if data, err := os.ReadFile(file); err == nil {
		memory, err = strconv.ParseInt(string(data), 10, 64)
		require.NoError(t, err)
	}
	return string(text), memory, cmd.ProcessState.ExitCode()
}

// panicked is what a process prints that ends by a panic.
var panicked = regexp.MustCompile(`goroutine \d+ \[`)

// Each command is a process of its own, which says what it took.
func TestForgedCost(t *testing.T) {
	work := t.TempDir()
	commands, slowest, largest := 0, time.Duration(0), int64(0)
	for i, tc := range forgeries {
		if !*forgedCost && i%25 != 0 {
			continue
		}
		dir := t.TempDir()
		var lines [][]string
		for _, u := range users {
			if tc.refused != nil && !slices.Contains(tc.refused, u.name) && !onlyReads(u.name) {
				continue // which would run the program
			}
			f := honest(t, u.of)
			f.canary = filepath.Join(work, "canary")
			tc.forge(f)
			at := filepath.Join(dir, u.name)
			require.NoError(t, os.Mkdir(at, 0o755))
			path := f.write(t, at, "b.vtz")
			lines = append(lines, append([]string{u.name, path}, u.args...))
			if u.name == "inspect" {
				lines = append(lines, readers(path, dir)...)
			}
		}
		for _, args := range lines {
			begun := time.Now()
			out, memory, code := measured(t, work, args...)
			took := time.Since(begun)
			about := tc.name + ": " + strings.Join(args, " ")
			require.False(t, panicked.MatchString(out), about)
			require.GreaterOrEqual(t, code, 0, about)
			require.Less(t, took, maxForgedTime, about)
			require.Less(t, memory, int64(maxForgedMemory), about)
			require.NoFileExists(t, filepath.Join(work, "canary"), about)
			commands, slowest, largest = commands+1, max(slowest, took), max(largest, memory)
		}
		require.NoError(t, os.RemoveAll(dir))
	}
	t.Logf("%d commands; the slowest took %v, the largest %d MiB", commands, slowest.Round(time.Millisecond), largest>>20)
	left, err := os.ReadDir(work)
	require.NoError(t, err)
	require.Empty(t, left)
}
