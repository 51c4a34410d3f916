package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/output"
	"github.com/vtrace/vtrace/internal/pass"
)

// hostile writes into the directory of its user when it is run, and has a deadlock.
const hostile = `package main

import (
	"fmt"
	"os"
)

func main() {
	home, _ := os.UserHomeDir()
	fmt.Println(os.WriteFile(home+"/stolen", []byte("x"), 0o600))
	a, b := make(chan int), make(chan int)
	go func() { a <- 1; b <- 1 }()
	<-b
	<-a
}
`

// goEnv is a setting of the go command.
func goEnv(t *testing.T, name string) string {
	out, err := exec.Command("go", "env", name).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// What a check finds in a sandbox is what it finds outside, and what the program does to others
// it does outside only.
func TestSandboxFlag(t *testing.T) {
	home, err := os.MkdirTemp(".", ".home-")
	require.NoError(t, err)
	home, err = filepath.Abs(home)
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(home) })
	for _, v := range []string{"GOCACHE", "GOMODCACHE"} {
		t.Setenv(v, goEnv(t, v)) // which are below the home otherwise
	}
	t.Setenv("HOME", home)
	stolen := filepath.Join(home, "stolen")
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/hostile\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(hostile), 0o644))
	t.Chdir(t.TempDir())

	check := func(args ...string) output.EntryOutput {
		code, stdout, stderr := execute(t, append([]string{"check", "-json", "-o", "b.vtz"}, append(args, dir)...)...)
		require.Contains(t, []int{exitReal, exitUsage}, code, stderr)
		if code == exitUsage {
			require.Contains(t, stderr, "no sandbox: ")
			t.Skip(stderr)
		}
		var r output.EntryOutput
		require.NoError(t, json.Unmarshal([]byte(stdout), &r))
		return r
	}
	inside := check("-sandbox=require")
	require.Empty(t, inside.Unsandboxed)
	require.NoFileExists(t, stolen)
	code, stdout, stderr := execute(t, "replay", "-sandbox", "b.vtz", testName(inside.Found[0].Test))
	require.Equal(t, exitReal, code, stderr)
	require.Contains(t, stdout, "stolen: read-only file system")
	require.Contains(t, stdout, "reproduced: deadlock")
	require.NoFileExists(t, stolen)
	code, stdout, stderr = execute(t, "explore", "-exhaustive", "-sandbox", dir)
	require.Equal(t, exitReal, code, stderr)
	require.Contains(t, stdout, "reproduced in a process of its own")
	require.NoFileExists(t, stolen)

	outside := check()
	require.FileExists(t, stolen)
	require.Equal(t, outside.Verdict, inside.Verdict)
	require.Equal(t, outside.Runs, inside.Runs)
	require.Equal(t, outside.Found, inside.Found)
}

// What sets sandboxes up is built once for all entry points of a command.
func TestSandboxOfMany(t *testing.T) {
	command, err := exec.LookPath("go")
	require.NoError(t, err)
	bin, dir := t.TempDir(), t.TempDir()
	calls := filepath.Join(bin, "calls")
	require.NoError(t, os.WriteFile(filepath.Join(bin, "go"), fmt.Appendf(nil, "#!/bin/sh\necho \"$@\" >> %s\nexec %s \"$@\"\n", calls, command), 0o700))
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/many\n\ngo 1.26\n"), 0o644))
	text := "package many\n\nimport \"testing\"\n"
	for n := range 4 {
		text += fmt.Sprintf("\nfunc Test%d(t *testing.T) { c := make(chan int, 1); go func() { c <- 1 }(); <-c }\n", n)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "many_test.go"), []byte(text), 0o644))
	t.Chdir(dir)
	code, stdout, stderr := execute(t, "check", "-sandbox=require", "-cache", "off", "-o", filepath.Join(bin, "out"), "./...")
	if strings.Contains(stderr, "no sandbox: ") {
		t.Skip(stderr)
	}
	require.Equal(t, exitNothing, code, stdout+stderr)
	require.Contains(t, stdout, "4 entry points: 4 without error")
	data, err := os.ReadFile(calls)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(data), "launcher ."), "%s", data)
}

// The word that there is no sandbox is said once, and again behind the result.
func TestUnsandboxed(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, false)
	var result bytes.Buffer
	p.writeUnsandboxed(&result)
	require.Empty(t, result.String())
	for range 2 {
		p.event(pass.Unsandboxed{Reason: "the system is old"})
	}
	const word = "no sandbox here: the system is old. The program runs with all that you may do\n"
	require.Equal(t, "vtrace: "+word, out.String())
	p.writeUnsandboxed(&result)
	require.Equal(t, "\n"+word, result.String())

	var s settings
	fs := (&call{}).flags()
	s.inSandbox(fs)
	for text, want := range map[string]string{"-sandbox": pass.SandboxPreferred, "-sandbox=require": pass.SandboxRequired, "-sandbox=false": ""} {
		require.NoError(t, fs.Parse([]string{text}))
		require.Equal(t, want, string(s.sandbox))
	}
	require.ErrorContains(t, fs.Parse([]string{"-sandbox=maybe"}), "is not -sandbox or -sandbox=require")
}
