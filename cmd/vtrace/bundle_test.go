package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/bundle"
)

var consoleBlock = regexp.MustCompile("(?s)```console\n\\$ (vtrace [^\n]*)\n(.*?)```")

// The commands of docs/bundle.md print what it says, and every tool is there.
func TestBundleDocument(t *testing.T) {
	const path = "../../docs/bundle.md"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	used := map[string]bool{}
	got := consoleBlock.ReplaceAllStringFunc(string(text), func(block string) string {
		line := consoleBlock.FindStringSubmatch(block)[1]
		dir := t.TempDir()
		args := strings.Fields(strings.ReplaceAll(line, "DIR", dir))[1:]
		used[args[1]] = true
		code, stdout, stderr := execute(t, args...)
		require.NotEqual(t, exitUsage, code, "%s: %s", line, stderr)
		return "```console\n$ " + line + "\n" + strings.ReplaceAll(stdout, dir, "DIR") + "```"
	})
	for _, c := range bundleCommands() {
		require.True(t, used[c.name], c.name)
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	text, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, got, string(text), "run: go test ./cmd/vtrace -run TestBundleDocument -update")
}

func TestBundleUsage(t *testing.T) {
	good := filepath.Join(storedDir, "v3", "deep.vtz")
	newer := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(newer, "manifest.json"), fmt.Appendf(nil, `{"format": %q, "version": %d, "more": {}}`, artifact.Format, artifact.Version+1), 0o644))
	for _, c := range []struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		{[]string{"bundle"}, exitUsage, "", "no tool is named"},
		{[]string{"bundle", "-h"}, exitNothing, "", "usage: vtrace bundle TOOL"},
		{[]string{"help", "bundle"}, exitNothing, "slim     -o FILE BUNDLE", ""},
		{[]string{"bundle", "sing"}, exitUsage, "", `no tool "sing"`},
		{[]string{"bundle", "slim", "-h"}, exitNothing, "", "usage: vtrace bundle slim [flags] -o FILE BUNDLE"},
		{[]string{"bundle", "verify"}, exitUsage, "", "usage: vtrace bundle verify [flags] BUNDLE..."},
		{[]string{"bundle", "verify", "nowhere.vtz"}, exitUsage, "", "nowhere.vtz"},
		{[]string{"bundle", "verify", "testdata/door.xml"}, exitReal, "testdata/door.xml: ", ""},
		{[]string{"bundle", "verify", "-limit", "1K", good}, exitReal, "limit exceeded", ""},
		{[]string{"bundle", "verify", newer}, exitUsage, "", "is newer than"},
		{[]string{"bundle", "diff", good}, exitUsage, "", "vtrace bundle diff [flags] BUNDLE BUNDLE"},
		{[]string{"bundle", "diff", good, good}, exitNothing, "", ""},
		{[]string{"bundle", "diff", good, filepath.Join(storedDir, "v2", "deep.vtz")}, exitReal, "format version: 3 -> 2", ""},
		{[]string{"bundle", "merge", good}, exitUsage, "", "-o says where to write to"},
		{[]string{"bundle", "extract", good, "source"}, exitUsage, "", "-o says where to write to"},
		{[]string{"bundle", "extract", "-o", "x", good}, exitUsage, "", "or -all does"},
		{[]string{"bundle", "extract", "-o", "x", "-all", good, "source"}, exitUsage, "", "or -all does"},
		{[]string{"bundle", "slim", good}, exitUsage, "", "-o says where to write to"},
		{[]string{"bundle", "index", "nowhere"}, exitUsage, "", "nowhere"},
		{[]string{"bundle", "index", good}, exitUsage, "", "not a directory"},
	} {
		t.Run(strings.ReplaceAll(strings.Join(c.args, " "), newer, "newer"), func(t *testing.T) {
			code, stdout, stderr := execute(t, c.args...)
			require.Equal(t, c.code, code, stderr)
			require.Contains(t, stdout, c.stdout)
			require.Contains(t, stderr, c.stderr)
		})
	}
}

// What the tools print as JSON is what the library has.
func TestBundleJSON(t *testing.T) {
	deep, second := filepath.Join(storedDir, "v3", "deep.vtz"), filepath.Join(storedDir, "v3", "second.vtz")
	code, stdout, _ := execute(t, "bundle", "verify", "-json", deep, "testdata/door.xml")
	require.Equal(t, exitReal, code)
	var reports []bundleReport
	require.NoError(t, json.Unmarshal([]byte(stdout), &reports))
	require.Len(t, reports, 2)
	require.Empty(t, reports[0].Problems)
	require.Len(t, reports[1].Problems, 1)

	code, stdout, _ = execute(t, "bundle", "diff", "-json", second, deep)
	require.Equal(t, exitReal, code)
	var d bundle.Difference
	require.NoError(t, json.Unmarshal([]byte(stdout), &d))
	require.Contains(t, d.Files.Added, "logs/q5-1.log")

	code, stdout, _ = execute(t, "bundle", "index", filepath.Join(storedDir, "v3"))
	require.Equal(t, exitNothing, code)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	require.Len(t, lines, 4)
	for _, line := range lines {
		var e bundle.Entry
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		require.Empty(t, e.Error)
		require.Equal(t, 3, e.Version)
	}

	dir := filepath.Join(t.TempDir(), "all")
	code, stdout, _ = execute(t, "bundle", "merge", "-json", "-o", dir, deep, second)
	require.Equal(t, exitNothing, code)
	written, err := os.ReadFile(filepath.Join(dir, bundle.CollectionFile))
	require.NoError(t, err)
	require.Equal(t, string(written), stdout)
}

// A slim bundle is replayed, exported and gone on from as the whole one.
func TestSlimIsOfUse(t *testing.T) {
	dir := t.TempDir()
	slim := filepath.Join(dir, "slim.vtz")
	code, _, stderr := execute(t, "bundle", "slim", "-o", slim, filepath.Join(storedDir, "v3", "deep.vtz"))
	require.Equal(t, exitNothing, code, stderr)
	code, stdout, stderr := execute(t, "replay", slim, "q5-1")
	require.Equal(t, exitReal, code, stderr)
	require.Contains(t, stdout, "reproduced: deadlock")
	code, stdout, _ = execute(t, "inspect", slim)
	require.Equal(t, exitNothing, code)
	require.Contains(t, stdout, "main: 1 real error")
	require.Contains(t, stdout, "slimmed from ")
	// Of a program with a data race, so that there is races.json.
	program := program(t, "sharedvar")
	code, _, stderr = execute(t, "check", "-race", "-o", "races", program)
	require.Equal(t, exitReal, code, stderr)
	code, stdout, stderr = execute(t, "bundle", "verify", "races")
	require.Equal(t, exitNothing, code, stdout+stderr)
	b, err := artifact.Load("races")
	require.NoError(t, err)
	require.NotNil(t, b.Races())
	code, _, stderr = execute(t, "bundle", "slim", "-o", "races.vtz", "races")
	require.Equal(t, exitNothing, code, stderr)
	code, stdout, stderr = execute(t, "bundle", "verify", "races.vtz", "races")
	require.Equal(t, exitNothing, code, stdout+stderr)
}
