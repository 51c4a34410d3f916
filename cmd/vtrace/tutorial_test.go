package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	tutorialBlock = regexp.MustCompile("(?s)(?:`([a-z_.]+)`:\n\n)?```(go|text|diff|console)\n(.*?)```\n")
	tutorialTime  = regexp.MustCompile(`\t(?:[0-9.]+s|\(cached\))`)
	bundleOf      = regexp.MustCompile(`\.vtrace/\S+\.vtz`)
)

// Whoever does what docs/tutorial.md says gets what it says: its files are written, its changes made and its
// commands run, in order.
func TestTutorial(t *testing.T) {
	const page = "../../docs/tutorial.md"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	full, err := filepath.Abs(page)
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	dir, err := os.Getwd()
	require.NoError(t, err)
	bundle := ""
	got := tutorialBlock.ReplaceAllStringFunc(string(text), func(block string) string {
		m := tutorialBlock.FindStringSubmatch(block)
		file, kind, body := m[1], m[2], m[3]
		switch kind {
		case "go", "text":
			require.NotEmpty(t, file, body)
			require.NoError(t, os.WriteFile(file, []byte(body), 0o644))
		case "diff":
			change(t, body)
		case "console":
			line, _, _ := strings.Cut(strings.TrimPrefix(body, "$ "), "\n")
			if bundle != "" {
				line = bundleOf.ReplaceAllString(line, bundle)
			}
			args := strings.Fields(line)
			var out string
			if args[0] == "vtrace" {
				_, stdout, stderr := execute(t, args[1:]...)
				require.NotEmpty(t, stdout, "%s: %s", line, stderr)
				out = stdout
			} else {
				data, err := exec.Command(args[0], args[1:]...).CombinedOutput()
				require.NoError(t, err, string(data))
				out = tutorialTime.ReplaceAllString(string(data), "")
			}
			if name := bundleOf.FindString(out); name != "" {
				bundle = name
			}
			return "```console\n$ " + line + "\n" + strings.ReplaceAll(out, dir+string(filepath.Separator), "") + "```\n"
		}
		return block
	})
	if *update {
		require.NoError(t, os.WriteFile(full, []byte(got), 0o644))
		return
	}
	require.Equal(t, string(text), got, "run: go test ./cmd/vtrace -run TestTutorial -update")
}

// change replaces lines of the file that has them.
func change(t *testing.T, diff string) {
	t.Helper()
	var before, after string
	for line := range strings.Lines(diff) {
		switch line[0] {
		case '-':
			before += line[1:]
		case '+':
			after += line[1:]
		}
	}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	changed := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if strings.Contains(string(text), before) {
			changed++
			require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), before, after, 1)), 0o644))
		}
	}
	require.Equal(t, 1, changed, before)
}
