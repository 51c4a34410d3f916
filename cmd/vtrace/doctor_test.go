package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// diagnosed are the lines of doctor by what they are about.
func diagnosed(t *testing.T, want int) map[string]diagnosis {
	t.Helper()
	code, out, stderr := execute(t, "doctor", "-json")
	require.Equal(t, want, code, out)
	require.Empty(t, stderr)
	var all []diagnosis
	require.NoError(t, json.Unmarshal([]byte(out), &all))
	by := map[string]diagnosis{}
	for _, d := range all {
		require.NotContains(t, by, d.What)
		require.NotEmpty(t, d.Text, d.What)
		require.Equal(t, d.State == stateOK, d.Next == "", "%s: what is not well says what to do", d.What)
		by[d.What] = d
	}
	return by
}

func TestDoctor(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(resultsVariable, filepath.Join(t.TempDir(), "cache"))
	by := diagnosed(t, exitNothing)
	for _, what := range []string{"vtrace", "go", "temp", "toolchain", "cache", "settings"} {
		require.Equal(t, stateOK, by[what].State, what)
	}
	for _, what := range []string{"cgo", "sandbox", "git", "browser"} {
		require.Contains(t, by, what)
	}
	left, err := os.ReadDir(os.Getenv(resultsVariable))
	require.NoError(t, err)
	require.Empty(t, left)
	code, out, _ := execute(t, "doctor")
	require.Equal(t, exitNothing, code)
	require.Equal(t, len(by), strings.Count(out, "\n"))
	require.Contains(t, out, "ok       toolchain  compiles, and what it compiles runs\n")

	require.NoError(t, os.WriteFile(configName, []byte("version: 3\n"), 0o644))
	require.Equal(t, `vtrace.yaml:1: version is "3": this vtrace reads version 1`, diagnosed(t, exitReal)["settings"].Text)
	require.NoError(t, os.WriteFile(configName, []byte("version: 1\ncheck: {bound: {slots: -1}}\n"), 0o644))
	require.Contains(t, diagnosed(t, exitReal)["settings"].Text, "vtrace.yaml:2: bound slots is -1")
}

// Each thing that a machine may lack.
func TestDoctorMissing(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	real := os.Getenv("PATH")
	fake := filepath.Join(dir, "bin")
	require.NoError(t, os.Mkdir(fake, 0o755))
	t.Setenv("PATH", fake)
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	t.Setenv(resultsVariable, file)
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")

	by := diagnosed(t, exitReal)
	require.Equal(t, diagnosis{"go", stateMissing, "the go command is not in PATH", "install go1.26 or later, from https://go.dev/dl, and have its directory bin in PATH"}, by["go"])
	require.NotContains(t, by, "toolchain")
	require.Equal(t, stateNote, by["git"].State)
	require.Equal(t, stateNote, by["cache"].State)
	require.Contains(t, by["cache"].Text, "not a directory")

	script := func(text string) {
		require.NoError(t, os.WriteFile(filepath.Join(fake, "go"), []byte("#!/bin/sh\n"+text), 0o755))
	}
	script(`echo '{"GOVERSION": "go1.25.3"}'`)
	require.Contains(t, diagnosed(t, exitReal)["go"].Text, "is go1.25.3")
	script("echo broken >&2; exit 1")
	require.Contains(t, diagnosed(t, exitReal)["go"].Text, "cannot be asked: go env: exit status 1: broken")
	script(`if [ $1 = env ]; then echo '{"GOVERSION": "go1.26.1", "CGO_ENABLED": "1", "CC": "nocc"}'; else echo "go: no space left" >&2; exit 1; fi`)
	by = diagnosed(t, exitReal)
	require.Equal(t, stateOK, by["go"].State)
	require.Equal(t, "a small program does not compile: go: no space left", by["toolchain"].Text)
	require.Equal(t, "there is no nocc: programs that need C do not compile", by["cgo"].Text)

	t.Setenv("PATH", real)
	t.Setenv("CGO_ENABLED", "0")
	t.Setenv(resultsVariable, noResults)
	by = diagnosed(t, exitNothing)
	require.Equal(t, stateNote, by["cgo"].State)
	require.Equal(t, "results are not kept", by["cache"].Text)
	t.Setenv("TMPDIR", file)
	require.Equal(t, stateMissing, diagnosed(t, exitReal)["temp"].State)
}

func TestVersion(t *testing.T) {
	t.Parallel()
	info := &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"}}}
	b := buildOf(info)
	require.Equal(t, "abc", b.Revision)
	var out strings.Builder
	require.NoError(t, b.write(&call{stdout: &out}))
	require.Contains(t, out.String(), "revision abc of 2026-01-02T03:04:05Z, with changes that are not committed\n")
	for _, name := range []string{"version", "-version", "--version"} {
		code, text, _ := execute(t, name, "-json")
		require.Equal(t, exitNothing, code)
		var got build
		require.NoError(t, json.Unmarshal([]byte(text), &got))
		require.Equal(t, buildOf(nil).Version, got.Version)
		require.NotZero(t, got.Format)
		require.NotZero(t, got.Output)
	}
}

func TestInDirectory(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.Mkdir("a", 0o755))
	for _, c := range []struct{ args, want, in string }{
		{"check .", "check .", ""}, {"-C a check .", "check .", "a"}, {"check -C a -race .", "check -race .", "a"}, {"check -C=a .", "check .", "a"},
		{"check . -C a", "check . -C a", ""}, {"", "", ""},
	} {
		t.Chdir(dir)
		got, err := inDirectory(strings.Fields(c.args))
		require.NoError(t, err)
		require.Equal(t, c.want, strings.Join(got, " "))
		wd, err := os.Getwd()
		require.NoError(t, err)
		require.Equal(t, filepath.Join(dir, c.in), wd)
	}
	t.Chdir(dir)
	_, err := inDirectory([]string{"-C", "nowhere", "check"})
	require.ErrorContains(t, err, "-C: chdir nowhere")
	_, err = inDirectory([]string{"check", "-C"})
	require.ErrorContains(t, err, "no directory is named")
	code, _, stderr := execute(t, "check", ".", "-C", "a")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "-C DIR stands before the command, or right behind it")
}
