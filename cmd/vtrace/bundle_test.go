package main

import (
	"encoding/json"
	"flag"
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

var update = flag.Bool("update", false, "rewrite the golden files")

// storedDir has the bundles of each version of the format, as README.md there says.
const storedDir = "testdata/bundles"

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

// The tools refuse a bundle that is not signed by the key that they are given, and write nothing
// then; index lists it as one that cannot be read.
func TestBundleSigned(t *testing.T) {
	private, public := keyFiles(t, 1)
	otherPrivate, other := keyFiles(t, 2)
	deep, err := artifact.Load(filepath.Join(storedDir, "v3", "deep.vtz"))
	require.NoError(t, err)
	first, err := artifact.Load(filepath.Join(storedDir, "v3", "first.vtz"))
	require.NoError(t, err)
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.Mkdir("in", 0o755))
	key, err := artifact.ReadPrivateKey(private)
	require.NoError(t, err)
	theirs, err := artifact.ReadPrivateKey(otherPrivate)
	require.NoError(t, err)
	require.NoError(t, artifact.SaveSigned(deep, "in/good.vtz", key))
	require.NoError(t, artifact.SaveSigned(deep, "in/good", key))
	require.NoError(t, artifact.SaveSigned(deep, "in/theirs.vtz", theirs))
	require.NoError(t, artifact.Save(deep, "in/unsigned.vtz"))
	require.NoError(t, artifact.Save(first, "in/changed.vtz"))
	sig, err := os.ReadFile("in/good.vtz.sig")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("in/changed.vtz.sig", sig, 0o644))
	before := snapshot(t, dir)

	lines := func(key, path string) [][]string {
		return [][]string{
			{"bundle", "verify", "-verify-key", key, "in/good.vtz", path},
			{"bundle", "diff", "-verify-key", key, "in/good.vtz", path},
			{"bundle", "diff", "-verify-key", key, path, "in/good.vtz"},
			{"bundle", "merge", "-verify-key", key, "-o", "out", "in/good.vtz", path},
			{"bundle", "extract", "-verify-key", key, "-o", "out", "-all", path},
			{"bundle", "slim", "-verify-key", key, "-o", "out", path},
			{"bundle", "slim", "-verify-key", key, "-o", "out.vtz", "-sign", private, path},
		}
	}
	for _, c := range []struct{ path, key, word string }{
		{"in/unsigned.vtz", public, "there is no signature"},
		{"in/theirs.vtz", public, "another key has signed it"},
		{"in/changed.vtz", public, "the bundle is not the one that was signed"},
		{"in/good.vtz", other, "another key has signed it"},
		{"in/good.vtz", private, `it has a "PRIVATE KEY"`},
		{"in/good.vtz", "none.pem", "-verify-key: "},
		{"in/nowhere.vtz", public, "no such file"},
	} {
		for _, args := range lines(c.key, c.path) {
			code, stdout, stderr := execute(t, args...)
			require.Equal(t, exitUsage, code, "%v", args)
			require.Contains(t, stderr, c.word, "%v", args)
			require.Empty(t, stdout, "%v", args)
			require.Equal(t, before, snapshot(t, dir), "%v", args)
		}
	}
	for _, path := range []string{"in/good.vtz", "in/good"} {
		for _, args := range lines(public, path) {
			code, _, stderr := execute(t, args...)
			require.Equal(t, exitNothing, code, "%v: %s", args, stderr)
			require.NoError(t, os.RemoveAll("out"))
		}
		// What is written is another bundle, with its own signature.
		code, _, stderr := execute(t, "bundle", "verify", "-verify-key", public, "out.vtz")
		require.Equal(t, exitNothing, code, stderr)
		code, stdout, stderr := execute(t, "bundle", "slim", "-sign", otherPrivate, "-o", "out.vtz", path)
		require.Equal(t, exitNothing, code, stderr)
		require.Contains(t, stdout, "signature: out.vtz.sig\n")
		code, _, stderr = execute(t, "bundle", "verify", "-verify-key", public, "out.vtz")
		require.Equal(t, exitUsage, code)
		require.Contains(t, stderr, "another key has signed it")
	}
	code, _, stderr := execute(t, "bundle", "slim", "-sign", public, "-o", "new.vtz", "in/good.vtz")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "-sign: ")
	require.NoFileExists(t, "new.vtz")

	code, stdout, stderr := execute(t, "bundle", "index", "-verify-key", public, "in")
	require.Equal(t, exitNothing, code, stderr)
	listed := map[string]bundle.Entry{}
	for line := range strings.Lines(stdout) {
		var e bundle.Entry
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		listed[e.Path] = e
	}
	require.Len(t, listed, 5)
	for path, word := range map[string]string{"unsigned.vtz": "there is no signature", "theirs.vtz": "another key has signed it", "changed.vtz": "not the one that was signed"} {
		require.Contains(t, listed[path].Error, word)
		require.Empty(t, listed[path].Digest)
	}
	for _, path := range []string{"good", "good.vtz"} {
		require.Empty(t, listed[path].Error)
		require.Equal(t, deep.Digest(), listed[path].Digest)
	}
	code, stdout, stderr = execute(t, "bundle", "index", "-verify-key", private, "in")
	require.Equal(t, exitUsage, code)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "-verify-key: ")
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
