package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// inRepo makes a repository of the current directory, with commits that all have its files.
func inRepo(t *testing.T, commits ...string) {
	t.Helper()
	all := [][]string{{"init", "-q"}, {"add", "."}}
	for _, m := range commits {
		all = append(all, []string{"commit", "-q", "--allow-empty", "-m", m})
	}
	for _, args := range all {
		cmd := exec.Command("git", args...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
}

// Only what can reach a change is checked; the rest is named, wherever results are written.
func TestChangedSince(t *testing.T) {
	inModule(t, unchangedModule)
	t.Setenv(resultsVariable, "off")
	inRepo(t, "m")
	check := func(args ...string) (int, string, string) {
		return execute(t, append([]string{"check", "-o", "-", "-changed-since", "HEAD", "./..."}, args...)...)
	}
	code, out, stderr := check()
	require.Equal(t, exitNothing, code, stderr)
	require.Regexp(t, `(?m)^example.com/u TestGood  -  left out: it can reach nothing that has changed since HEAD \(commit [0-9a-f]{12}\)$`, out)
	require.Contains(t, out, "2 entry points: 2 left out\n")

	require.NoError(t, os.WriteFile("u.go", []byte(strings.Replace(unchangedModule["u.go"], "func second(", "// Changed.\nfunc second(", 1)), 0o644))
	code, out, stderr = check("-list", "-v")
	require.Equal(t, exitNothing, code)
	require.Equal(t, "example.com/u TestBad\tu_test.go:16\n", out)
	require.Equal(t, "vtrace: load ./...: "+loadingText+"\nvtrace: example.com/u TestBad: changed since HEAD: example.com/u.second\n", stderr)
	code, out, stderr = check("-json", "-junit", "out.xml", "-sarif", "out.sarif")
	require.Equal(t, exitReal, code, stderr)
	require.Equal(t, `["TestBad"]`, gjson.Get(out, "entries.#.entry.func").Raw)
	require.Equal(t, "TestGood", gjson.Get(out, "leftOut.0.func").String())
	require.Contains(t, gjson.Get(out, "leftOut.0.reason").String(), "it can reach nothing that has changed since HEAD")
	junit, err := os.ReadFile("out.xml")
	require.NoError(t, err)
	require.Contains(t, string(junit), `<testsuites name="vtrace" tests="2" failures="1" skipped="1">`)
	sarif, err := os.ReadFile("out.sarif")
	require.NoError(t, err)
	require.True(t, gjson.GetBytes(sarif, "runs.0.invocations.0.executionSuccessful").Bool())
	require.Contains(t, gjson.GetBytes(sarif, "runs.0.invocations.0.toolExecutionNotifications.0.message.text").String(), "example.com/u TestGood: left out: ")

	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-changed-since", "nothing"}, `vtrace: -changed-since: there is no revision "nothing" in the repository `},
		{[]string{"-entry", "both"}, "-changed-since is for main and tests"},
	} {
		code, _, stderr = check(c.args...)
		require.Equal(t, exitUsage, code)
		require.Contains(t, stderr, c.want)
	}
	require.NoError(t, os.RemoveAll(".git"))
	wd, err := os.Getwd()
	require.NoError(t, err)
	t.Setenv("GIT_CEILING_DIRECTORIES", strings.TrimSuffix(wd, "/001"))
	code, _, stderr = check()
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, ": not a git repository, nor a directory in one")
}

// A change of the settings or of the baseline is one of everything, whether they are new, others, or gone.
func TestChangedSinceSettings(t *testing.T) {
	files := maps.Clone(unchangedModule)
	files["vtrace.yaml"] = "version: 1\ncheck:\n  baseline: base.json\n"
	files["base.json"] = "{\"version\":1,\"findings\":[]}\n"
	inModule(t, files)
	t.Setenv(resultsVariable, "off")
	inRepo(t, "m")
	check := func(args ...string) (string, string) {
		code, out, stderr := execute(t, append([]string{"check", "-list", "-v", "-changed-since", "HEAD", "./..."}, args...)...)
		require.Equal(t, exitNothing, code, stderr)
		return out, stderr
	}
	out, _ := check()
	require.Empty(t, out)
	put := func(name, text string) { require.NoError(t, os.WriteFile(name, []byte(text), 0o644)) }
	both := func(what string, args ...string) {
		t.Helper()
		out, stderr := check(args...)
		require.Equal(t, 2, strings.Count(out, "\n"), out)
		require.Equal(t, 2, strings.Count(stderr, ": changed since HEAD: "+what+"\n"), stderr)
	}
	put("vtrace.yaml", files["vtrace.yaml"]+"  race: true\n")
	both("the file vtrace.yaml")
	out, _ = check("-config", "off")
	require.Empty(t, out, "it is not taken")
	require.NoError(t, os.Remove("vtrace.yaml"))
	both("the file vtrace.yaml (no longer there)")
	put("vtrace.yaml", files["vtrace.yaml"])
	put("base.json", files["base.json"]+"\n")
	both("the file base.json")
	put("base.json", files["base.json"])
	put("new.yaml", "version: 1\n")
	both("the file new.yaml (new)", "-config", "new.yaml")
	elsewhere := filepath.Join(t.TempDir(), "x.yaml")
	put(elsewhere, "version: 1\n")
	both(elsewhere+" is not in the repository, so that it is not known what it was", "-config", elsewhere)
}
