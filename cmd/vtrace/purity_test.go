package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var emptyCache = flag.Bool("purity.cache", false, "the other surroundings of TestPurity have an empty build cache, which takes a while")

// surroundings is where a command is run: nothing of it is to show in a bundle.
type surroundings struct {
	dir string
	env map[string]string
	// alone: without network, and as another user, where the system has that without root.
	alone bool
}

// vtraceIn runs the command as a process of its own.
func vtraceIn(t *testing.T, s surroundings, args ...string) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), runAsVtrace+"=1")
	for name, value := range s.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if s.alone {
		isolate(cmd)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	var exit *exec.ExitError
	if !s.alone || err == nil || errors.As(err, &exit) {
		require.Contains(t, []int{exitNothing, exitReal, exitInconclusive}, cmd.ProcessState.ExitCode(), "%s: %s", strings.Join(args, " "), out.String())
		return
	}
	t.Skipf("the system does not let a process have a network of its own: %v", err)
}

// A pass reads its bundle and its options, and nothing else: another directory, user, home,
// time zone, language, temporary directory and the lack of a network give the same bytes, and
// the passes one by one give those of a check.
func TestPurity(t *testing.T) {
	src := program(t, "sharedvar_increment")
	here := surroundings{dir: t.TempDir(), env: map[string]string{"TZ": "UTC"}}
	elsewhere := surroundings{
		dir: filepath.Join(t.TempDir(), "a b", "ü"), alone: true,
		env: map[string]string{
			"HOME": t.TempDir(), "XDG_CACHE_HOME": t.TempDir(), "TMPDIR": t.TempDir(), "USER": "nobody", "LANG": "de_DE.UTF-8", "LC_ALL": "tr_TR.UTF-8",
			"TZ": "Asia/Kathmandu", "GOPROXY": "off", "GOFLAGS": "-mod=mod", "COLUMNS": "20", "GOMAXPROCS": "1",
		},
	}
	caches := []string{"GOMODCACHE"}
	if *emptyCache {
		elsewhere.env["GOCACHE"] = t.TempDir()
	} else {
		caches = append(caches, "GOCACHE")
	}
	for _, name := range caches { // in HOME, where nobody has set them
		out, err := exec.Command("go", "env", name).Output()
		require.NoError(t, err)
		elsewhere.env[name] = strings.TrimSpace(string(out))
	}
	moved := filepath.Join(elsewhere.dir, "moved")
	require.NoError(t, os.MkdirAll(elsewhere.dir, 0o755))
	require.NoError(t, os.CopyFS(moved, os.DirFS(src)))

	read := func(s surroundings, name string) string {
		data, err := os.ReadFile(filepath.Join(s.dir, name))
		require.NoError(t, err)
		return string(data)
	}
	vtraceIn(t, here, "translate", "-o", "model.xml", src)
	vtraceIn(t, here, "check", "-budget", "0", "-o", "check.vtz", src)
	vtraceIn(t, here, "first", "-o", "first.vtz", src)
	vtraceIn(t, elsewhere, "translate", "-o", "model.xml", moved)
	require.Equal(t, read(here, "model.xml"), read(elsewhere, "model.xml"))
	vtraceIn(t, elsewhere, "first", "-o", "first.vtz", moved)
	require.True(t, read(here, "first.vtz") == read(elsewhere, "first.vtz"), "first")
	// From the bundle alone.
	require.NoError(t, os.RemoveAll(moved))
	vtraceIn(t, elsewhere, "second", "-o", "second.vtz", "first.vtz")
	vtraceIn(t, elsewhere, "deep", "-budget", "0", "-o", "deep.vtz", "second.vtz")
	require.True(t, read(here, "check.vtz") == read(elsewhere, "deep.vtz"), "the passes one by one give what a check gives")
	for _, s := range []surroundings{here, elsewhere} {
		for _, path := range []string{src, moved, s.dir} {
			require.NotContains(t, read(s, "model.xml"), path)
		}
	}
}
