package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const viewed = storedDir + "/v4/deep.vtz"

// pagePath is the file that a command has written.
func pagePath(t *testing.T, stdout string) string {
	t.Helper()
	m := regexp.MustCompile(`^page: (.*)\n$`).FindStringSubmatch(stdout)
	require.NotNil(t, m, stdout)
	return m[1]
}

func TestView(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.html")
	for range 2 { // the second page replaces the first one
		code, stdout, stderr := execute(t, "view", "-o", path, viewed)
		require.Equal(t, exitNothing, code, stderr)
		require.Equal(t, path, pagePath(t, stdout))
	}
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(page), "<!DOCTYPE html>"))
	code, stdout, _ := execute(t, "view", viewed, "-o", "-")
	require.Equal(t, exitNothing, code)
	require.Equal(t, string(page), stdout)

	for _, args := range [][]string{{"view"}, {"view", viewed, viewed}, {"view", "-o", path, "missing.vtz"}, {"view", "-o", filepath.Join(path, "x"), viewed}} {
		code, _, stderr := execute(t, args...)
		require.Equal(t, exitUsage, code, "%v", args)
		require.NotEmpty(t, stderr)
	}
}

// Without -o the page is opened with what the system has. Here that is a script, which says into a
// pipe what it was to open, or nothing at all.
func TestViewOpens(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the script is there in place of xdg-open")
	}
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, exec.Command("mkfifo", pipe).Run())
	// Opened for both directions the pipe is there before the script is, and where nobody runs the script
	// the test fails in the end, and does not hang.
	said, err := os.OpenFile(pipe, os.O_RDWR|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	defer said.Close()
	require.NoError(t, said.SetReadDeadline(time.Now().Add(time.Minute)))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "xdg-open"), []byte("#!/bin/sh\necho \"$1\" > "+pipe+"\n"), 0o755))
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("DISPLAY", ":0")
	code, stdout, stderr := execute(t, "view", viewed)
	require.Equal(t, exitNothing, code, stderr)
	require.Empty(t, stderr)
	opened, err := bufio.NewReader(said).ReadString('\n')
	require.NoError(t, err, "the page is not opened")
	require.Equal(t, pagePath(t, stdout), strings.TrimSpace(opened))
	require.FileExists(t, pagePath(t, stdout))
	pages := filepath.Join(cache, "vtrace", "pages")
	require.Equal(t, pages, filepath.Dir(pagePath(t, stdout)))
	for _, path := range []string{pages, pagePath(t, stdout)} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, "%s can be read by others", path)
	}

	for display, path := range map[string]string{"": os.Getenv("PATH"), ":0": t.TempDir()} {
		t.Setenv("DISPLAY", display)
		t.Setenv("PATH", path)
		code, stdout, stderr = execute(t, "view", viewed)
		require.Equal(t, exitNothing, code, stderr)
		require.Contains(t, stderr, "the page is not opened")
		require.Contains(t, stderr, "open it in a browser")
		require.FileExists(t, pagePath(t, stdout))
	}
}

// Of the pages that were opened the newest are kept, and nothing else in their directory is removed.
func TestViewKeepsPages(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the variables of the environment are those of Linux")
	}
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("DISPLAY", "")
	pages := filepath.Join(cache, "vtrace", "pages")
	require.NoError(t, os.MkdirAll(pages, 0o700))
	write := func(name string, at int64) string {
		path := filepath.Join(pages, name)
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Chtimes(path, time.Time{}, time.Unix(at, 0)))
		return path
	}
	other := write("notes.html", 1)
	var old []string
	for i := range 2 * maxPages {
		old = append(old, write(fmt.Sprintf("vtrace-%d.html", i), int64(1+(i*7)%(2*maxPages))))
	}
	slices.SortFunc(old, func(a, b string) int {
		x, err := os.Stat(a)
		require.NoError(t, err)
		y, err := os.Stat(b)
		require.NoError(t, err)
		return y.ModTime().Compare(x.ModTime())
	})
	code, stdout, stderr := execute(t, "view", viewed)
	require.Equal(t, exitNothing, code, stderr)
	require.NotContains(t, stderr, "old pages")
	want := append([]string{other, pagePath(t, stdout)}, old[:maxPages-1]...)
	got, err := filepath.Glob(filepath.Join(pages, "*"))
	require.NoError(t, err)
	require.ElementsMatch(t, want, got)

	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	code, _, stderr = execute(t, "view", viewed)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "say one with -o")
}

// The commands of docs/view.md print what it says.
func TestViewDocument(t *testing.T) {
	const path = "../../docs/view.md"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	ran := 0
	got := consoleBlock.ReplaceAllStringFunc(string(text), func(block string) string {
		ran++
		line := consoleBlock.FindStringSubmatch(block)[1]
		dir := t.TempDir()
		code, stdout, stderr := execute(t, strings.Fields(strings.ReplaceAll(line, "DIR", dir))[1:]...)
		require.Equal(t, exitNothing, code, "%s: %s", line, stderr)
		return "```console\n$ " + line + "\n" + strings.ReplaceAll(stdout, dir, "DIR") + "```"
	})
	require.Positive(t, ran)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	text, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, got, string(text), "run: go test ./cmd/vtrace -run TestViewDocument -update")
}

// A trace of a model, in each of the forms that others write, is followed in the model.
func TestViewModel(t *testing.T) {
	dir := t.TempDir()
	const model = "testdata/peterson.xta"
	code, _, stderr := execute(t, "verify", "-query", "2", "-trace-format", "xtr", "-trace-out", filepath.Join(dir, "p"), model)
	require.Equal(t, exitNothing, code, stderr)
	page := filepath.Join(dir, "page.html")
	code, stdout, stderr := execute(t, "view", "-o", page, "-trace", filepath.Join(dir, "p-2.xtr"), model)
	require.Equal(t, exitNothing, code, stderr)
	require.Equal(t, "page: "+page+"\n", stdout)
	html, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(html), "an .xtr trace: 5 steps of 2 processes")
	require.NotContains(t, string(html), dir, "nothing says where files are")

	code, _, stderr = execute(t, "verify", "-query", "2", "-trace-format", "xml", "-trace-out", filepath.Join(dir, "p"), model)
	require.Equal(t, exitNothing, code, stderr)
	code, stdout, stderr = execute(t, "view", "-o", "-", "-trace", filepath.Join(dir, "p-2.xml"), model)
	require.Equal(t, exitNothing, code, stderr)
	require.Contains(t, stdout, "a trace in XML: 5 steps of 2 processes")

	// The queries beside the model are read as for verify: they are there, and right, or not at all.
	copied := filepath.Join(dir, "copied.xta")
	source, err := os.ReadFile(model)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(copied, source, 0o644))
	trail := filepath.Join(dir, "p-2.xml")
	code, _, stderr = execute(t, "view", "-o", "-", "-trace", trail, copied)
	require.Equal(t, exitNothing, code, stderr)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "copied.q"), []byte("A[] (\n"), 0o644))
	code, _, stderr = execute(t, "view", "-o", "-", "-trace", trail, copied)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "copied.q:1:")

	// As verifyta prints it, with other names of files.
	text := filepath.Join(dir, "trace")
	const pair = "../../internal/check/verifyta/testdata/"
	printed, err := os.ReadFile(pair + "violated-4.1.stderr")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(text, printed, 0o644))
	code, stdout, stderr = execute(t, "view", "-o", "-", "-trace", text, pair+"pair.xml")
	require.Equal(t, exitNothing, code, stderr)
	require.Contains(t, stdout, "a trace as verifyta prints it: 2 steps of 3 processes")

	// What the model cannot do is refused, and so is what is no trace.
	for content, want := range map[string]string{
		"0 0 \n.\n.\n0\n.\n2 0 \n.\n.\n0\n.\n0 2 ; .\n.\n": text + ": step 1 is not possible in the state before it",
		"":    text + ": 0 states and 0 steps",
		"0 0": text + ": line 1: the trace ends early",
		strings.Replace(string(printed), "Adder", "Nobody", 1): text + `: state 0: no process "Nobody(0)"`,
	} {
		require.NoError(t, os.WriteFile(text, []byte(content), 0o644))
		of := model
		if strings.Contains(content, "State") {
			of = pair + "pair.xml"
		}
		code, stdout, stderr = execute(t, "view", "-o", "-", "-trace", text, of)
		require.Equal(t, exitUsage, code, content)
		require.Empty(t, stdout)
		require.Contains(t, stderr, want)
	}
	for _, args := range [][]string{{"-", "-"}, {"nowhere", model}, {text, "nowhere.xml"}, {text, "testdata/door.q"}} {
		code, _, _ = execute(t, "view", "-o", "-", "-trace", args[0], args[1])
		require.Equal(t, exitUsage, code, args)
	}
}

// Recordings, and traces as text, have a page, too.
func TestViewRecording(t *testing.T) {
	const name, text = "../../internal/view/testdata/served.vtr", "../../internal/analyze/testdata/kubernetes.trace"
	dir := t.TempDir()
	page := filepath.Join(dir, "run.html")
	code, stdout, stderr := execute(t, "view", "-o", page, name)
	require.Equal(t, exitNothing, code, stderr)
	require.Equal(t, page, pagePath(t, stdout))
	html, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(html), `"recording":true`)
	require.Contains(t, string(html), `"package":"example.com/stock"`)
	require.Contains(t, string(html), `"end":"exit status 0"`)
	require.NotContains(t, string(html), dir)
	// By what it begins with, whatever its name is.
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	other := filepath.Join(dir, "run")
	require.NoError(t, os.WriteFile(other, data, 0o600))
	code, stdout, stderr = execute(t, "view", "-o", "-", other)
	require.Equal(t, exitNothing, code, stderr)
	require.Equal(t, string(html), stdout)

	code, stdout, stderr = execute(t, "view", "-o", "-", "-finding", "1", text)
	require.Equal(t, exitNothing, code, stderr)
	require.Contains(t, stdout, `"first":1`)
	require.Contains(t, stdout, `"kind":"P06"`)

	broken := filepath.Join(dir, "broken.vtr")
	require.NoError(t, os.WriteFile(broken, data[:40], 0o600))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-finding", "99", text}, text + ": there is no finding 99: the analysis of the run has 2"},
		{[]string{"-finding", "-1", text}, "there is no finding -1"},
		{[]string{"-finding", "1", viewed}, "-finding is for recordings"},
		{[]string{broken}, broken + ": "},
		{[]string{filepath.Join(dir, "none.vtr")}, "none.vtr"},
	} {
		code, stdout, stderr = execute(t, append([]string{"view", "-o", "-"}, c.args...)...)
		require.Equal(t, exitUsage, code, c.args)
		require.Empty(t, stdout)
		require.Contains(t, stderr, c.want)
	}
}
