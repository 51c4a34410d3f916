package parse

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	distribution     = flag.Bool("distribution", false, "TestDistribution instruments all programs of the Go distribution's tests, not one of some")
	distributionOnly = flag.String("distribution-run", "", "of those whose path matches")
)

// TestDistribution instruments the programs that the Go distribution tests its compilers with, which nobody here has
// thought of: what is valid must be afterwards. A distribution without them, as some systems package it, has it skipped.
func TestDistribution(t *testing.T) {
	root := filepath.Join(goroot(t), "test")
	if _, err := os.Stat(root); err != nil {
		t.Skip("this distribution of Go has no directory test")
	}
	only := regexp.MustCompile(*distributionOnly)
	c := newChecker(t)
	valid, n := 0, 0
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.Contains(path, ".dir"+string(filepath.Separator)) {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || len(data) > 1<<16 {
			return err
		}
		if n++; !only.MatchString(path) || !*distribution && n%20 != 0 {
			return nil
		}
		name, _ := filepath.Rel(root, path)
		t.Run(name, func(t *testing.T) {
			if c.instrumentAt(t, string(data), "go1.26") {
				valid++
			}
		})
		return nil
	}))
	t.Logf("%d valid programs", valid)
	require.NotZero(t, valid)
}
