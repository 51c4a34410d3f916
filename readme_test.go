package vtrace_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/programs"
)

var update = flag.Bool("update", false, "rewrite the output in README.md")

var console = regexp.MustCompile("(?s)```console\n(.*?)```")

// bundleName is that of a bundle: what it is of, and a part of its digest.
var bundleName = regexp.MustCompile(`\.vtrace/(\S+)-[0-9a-f]{8}\.vtz`)

// The commands of the README print what the README says. The test command is
// left out: it is what runs this. Bundles that commands read are those that earlier ones
// have written.
func TestReadme(t *testing.T) {
	programs.InLong(t)
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	written := map[string]string{} // bundles, by what they are of
	got := console.ReplaceAllFunc(readme, func(block []byte) []byte {
		head, _, _ := bytes.Cut(block, []byte("\n$ "))
		_, line, ok := bytes.Cut(block, []byte("\n$ "))
		require.True(t, ok, "%s: a console block begins with a command", head)
		line, _, _ = bytes.Cut(line, []byte("\n"))
		line = bundleName.ReplaceAllFunc(line, func(name []byte) []byte {
			of := string(bundleName.FindSubmatch(name)[1])
			require.Contains(t, written, of, "%s: no command before has written it", line)
			return []byte(written[of])
		})
		args := strings.Fields(string(line))
		if args[1] == "test" {
			return block
		}
		var out, errs bytes.Buffer
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Stdout, cmd.Stderr = &out, &errs
		cmd.Env = append(os.Environ(), "VTRACE_CACHE=off")
		var exit *exec.ExitError
		if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
			require.NoError(t, err)
		}
		require.NotEmpty(t, out.String(), "%s: %s", line, errs.String())
		for _, m := range bundleName.FindAllStringSubmatch(out.String(), -1) {
			written[m[1]] = m[0]
		}
		return []byte("```console\n$ " + string(line) + "\n" + out.String() + "```")
	})
	if *update {
		require.NoError(t, os.WriteFile("README.md", got, 0o644))
		return
	}
	require.Equal(t, string(readme), string(got), "run: go test . -run TestReadme -update")
}

// documents are the patterns of those that are written for people.
var documents = []string{"*.md", "docs/*.md", "docs/findings/*.md", "benchmarks/*.md"}

// TestMerged: no document has what a merge has left open.
func TestMerged(t *testing.T) {
	var names []string
	for _, pattern := range documents {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		names = append(names, found...)
	}
	require.Contains(t, names, "CHANGELOG.md")
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NotRegexp(t, `(?m)^(<<<<<<<|=======|>>>>>>>)`, string(text), name)
	}
}

// link is a link of a document to another file, or to a heading.
var link = regexp.MustCompile(`\]\(([^()\s]+)\)`)

// What documents link to is there: the file, and the heading in it.
func TestLinks(t *testing.T) {
	headings := map[string][]string{}
	anchors := func(file string) []string {
		if _, ok := headings[file]; !ok {
			headings[file] = anchorsOf(t, file)
		}
		return headings[file]
	}
	found := 0
	for _, pattern := range documents {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(string(text), ""), -1) {
				path, anchor, _ := strings.Cut(m[1], "#")
				if strings.Contains(path, ":") {
					continue // another site
				}
				found++
				to := file
				if path != "" {
					to = filepath.Join(filepath.Dir(file), path)
				}
				info, err := os.Stat(to)
				require.NoError(t, err, "%s: %s", file, m[0])
				if anchor != "" {
					require.False(t, info.IsDir(), "%s: %s", file, m[0])
					require.Contains(t, anchors(to), anchor, "%s: %s", file, m[0])
				}
			}
		}
	}
	require.Greater(t, found, 100)
}

// fenced is text that is no Markdown.
var fenced = regexp.MustCompile("(?ms)^ *```.*?^ *```|`[^`\n]*`")

// anchorsOf are those of the headings of a document, as GitHub makes them.
func anchorsOf(t *testing.T, file string) (anchors []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	times := map[string]int{}
	blocks := regexp.MustCompile("(?ms)^ *```.*?^ *```").ReplaceAllString(string(text), "")
	for _, m := range regexp.MustCompile(`(?m)^#+ +(.*?)\s*$`).FindAllStringSubmatch(blocks, -1) {
		title := regexp.MustCompile(`\]\([^)]*\)`).ReplaceAllString(m[1], "")
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, title)
		if times[anchor]++; times[anchor] > 1 {
			anchors = append(anchors, fmt.Sprintf("%s-%d", anchor, times[anchor]-1))
			continue
		}
		anchors = append(anchors, anchor)
	}
	return anchors
}
