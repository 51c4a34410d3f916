package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/vtrace/vtrace/docs/findings"
	"github.com/vtrace/vtrace/report"
)

var findingsAll = flag.Bool("findings", false, "the programs of all pages in TestFindingPages, not of a few")

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// TestFindingPages: the first program of each page has the error that the page is about, and the
// second one no error.
func TestFindingPages(t *testing.T) {
	// Of these nobody knows more than what happens.
	plain := []string{"call-of-nil-function", "close-of-nil-channel", "exit", "never-reached", "reachable"}
	some := []string{"deadlock", "test-failure", "unlock-of-unlocked-mutex"}
	t.Chdir(t.TempDir())
	for _, id := range findings.IDs() {
		page, _ := findings.Page(id)
		programs := goBlock.FindAllStringSubmatch(page, -1)
		require.Len(t, programs, 2, id)
		if !*findingsAll && !slices.Contains(some, id) {
			continue
		}
		for i, program := range programs {
			dir := t.TempDir()
			name := "main.go"
			if strings.HasPrefix(program[1], "package m\n") {
				name = "m_test.go"
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.26\n"), 0o644))
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(program[1]), 0o644))
			_, stdout, stderr := execute(t, "check", "-o", "-", "-json", "-entry", "all", dir)
			var ids []string
			for _, f := range gjson.Get(stdout, "entries.#.findings|@flatten").Array() {
				if v := f.Get("verdict").String(); v == "real" || id == "never-reached" {
					rule, ok := report.RuleID(f.Get("kind").String())
					require.True(t, ok, f.Raw)
					ids = append(ids, rule)
					assert.Equal(t, !slices.Contains(plain, id), f.Get("cause").String() != "", f.Raw)
				}
			}
			if i == 0 {
				require.Equal(t, []string{id}, ids, "%s%s", stdout, stderr)
			} else {
				require.Empty(t, ids, "%s: %s%s", id, stdout, stderr)
			}
		}
	}
}

func TestHelpFinding(t *testing.T) {
	code, stdout, _ := execute(t, "help", "goroutine-leak")
	require.Equal(t, exitNothing, code)
	require.True(t, strings.HasPrefix(stdout, "# goroutine-leak\n"))
	code, _, stderr := execute(t, "help", "nothing")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "goroutine-leak, ")
}
