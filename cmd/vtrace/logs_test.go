package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

const stuckTests = `package m

import "testing"

func TestStuck(t *testing.T) { <-make(chan int) }

func TestWell(t *testing.T) {
	c := make(chan int, 1)
	c <- 1
}
`

// TestSARIF: what a check of several entry points finds is in the log; a file that cannot be
// written is an error before anything is checked.
func TestSARIF(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "m_test.go"), []byte(stuckTests), 0o644))
	t.Chdir(t.TempDir())
	code, _, stderr := execute(t, "check", "-o", "-", "-sarif", "out.sarif", dir+"/...")
	require.Equal(t, exitReal, code, stderr)
	data, err := os.ReadFile("out.sarif")
	require.NoError(t, err)
	_, err = sarif.FromBytes(data, sarif.WithStrictValidation())
	require.NoError(t, err)
	require.Equal(t, `["deadlock"]`, gjson.GetBytes(data, "runs.0.results.#.ruleId").Raw)
	require.Equal(t, "m_test.go", gjson.GetBytes(data, "runs.0.results.0.locations.0.physicalLocation.artifactLocation.uri").String())
	left, err := filepath.Glob(".vtrace*")
	require.NoError(t, err)
	require.Empty(t, left)

	code, _, stderr = execute(t, "check", "-o", "-", "-sarif", "none/out.sarif", dir+"/...")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "-sarif: ")
	require.Equal(t, "true", gjson.GetBytes(data, "runs.0.invocations.0.executionSuccessful").Raw)
	code, _, stderr = execute(t, "check", "-o", "-", "-entry", "TestWell", "-sarif", "none/out.sarif", dir)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "-sarif: ")
	code, _, stderr = execute(t, "check", "-o", "-", "-entry", "TestNone", "-sarif", "none.sarif", dir)
	require.Equal(t, exitUsage, code, stderr)
	data, err = os.ReadFile("none.sarif")
	require.NoError(t, err)
	require.Equal(t, "false", gjson.GetBytes(data, "runs.0.invocations.0.executionSuccessful").Raw)
	code, _, stderr = execute(t, "check", "-o", "-", "-entry", "TestWell", "-sarif", "one.sarif", dir)
	require.Equal(t, exitNothing, code, stderr)
	data, err = os.ReadFile("one.sarif")
	require.NoError(t, err)
	require.Empty(t, gjson.GetBytes(data, "runs.0.results").Array())
}

// TestSARIFInRepository: files are those of the repository that the module is a part of.
func TestSARIFInRepository(t *testing.T) {
	dir := writeStuck(t, stuckTests)
	top := filepath.Dir(dir)
	inModule := filepath.Base(dir) + "/m_test.go"
	t.Setenv("GITHUB_WORKSPACE", "")
	uris := func() string {
		code, _, stderr := execute(t, "check", "-o", "-", "-sarif", filepath.Join(top, "out.sarif"), "-entry", "TestStuck", dir)
		require.Equal(t, exitReal, code, stderr)
		data, err := os.ReadFile(filepath.Join(top, "out.sarif"))
		require.NoError(t, err)
		return gjson.GetBytes(data, "runs.0.results.0.locations.0.physicalLocation.artifactLocation.uri").String()
	}
	t.Setenv(resultsVariable, t.TempDir())
	require.Equal(t, "m_test.go", uris(), "in no repository")
	require.NoError(t, os.WriteFile(filepath.Join(top, ".git"), nil, 0o644)) // of a worktree
	require.Equal(t, inModule, uris())
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".hg"), 0o755))
	require.Equal(t, "m_test.go", uris())
	t.Setenv("GITHUB_WORKSPACE", top)
	require.Equal(t, inModule, uris())
	t.Setenv("GITHUB_WORKSPACE", t.TempDir())
	require.Equal(t, "m_test.go", uris(), "of something else")
}

// writeStuck makes a module with stuckTests and returns its directory.
func writeStuck(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "m_test.go"), []byte(text), 0o644))
	return dir
}

// TestJUnitAndGitHub: the report of a check of several entry points, and annotations.
func TestJUnitAndGitHub(t *testing.T) {
	dir := writeStuck(t, stuckTests)
	t.Chdir(filepath.Dir(dir))
	t.Setenv("GITHUB_WORKSPACE", "")
	code, stdout, stderr := execute(t, "check", "-o", "-", "-junit", "out.xml", "-github", "./"+filepath.Base(dir)+"/...")
	require.Equal(t, exitReal, code, stderr)
	data, err := os.ReadFile("out.xml")
	require.NoError(t, err)
	require.Contains(t, string(data), `<testsuites name="vtrace" tests="2" failures="1">`)
	require.Contains(t, string(data), `<testcase name="TestWell" classname="example.com/m" time="`)
	require.Equal(t, 1, strings.Count("\n"+stdout, "\n::error "), stdout)
	require.Contains(t, stdout, "::error file="+filepath.Base(dir)+"/m_test.go,line=5,col=32,title=vtrace%3A deadlock::m_test.go:5: deadlock: ")

	// What the program says is no command of GitHub's.
	lines := strings.Split(stdout, "\n")
	require.True(t, strings.HasPrefix(lines[0], "::stop-commands::"), stdout)
	obeyed, token := true, ""
	for _, line := range lines {
		switch rest, stops := strings.CutPrefix(line, "::stop-commands::"); {
		case stops:
			obeyed, token = false, rest
		case line == "::"+token+"::":
			obeyed = true
		case strings.HasPrefix(line, "::error "):
			require.True(t, obeyed, line)
		default:
			require.True(t, !obeyed || line == "", line)
		}
	}
	require.True(t, obeyed)

	code, _, stderr = execute(t, "check", "-github", "-json", dir)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "-github and -json")
}

// TestAccept: what a comment or a baseline accepts counts as no error, and is reported in a line;
// a comment that is not understood is named.
func TestAccept(t *testing.T) {
	dir := writeStuck(t, stuckTests)
	t.Chdir(t.TempDir())
	check := func(args ...string) (code int, stdout, stderr string) {
		return execute(t, append(append([]string{"check", "-o", "-", "-cache", "off"}, args...), "-entry", "TestStuck", dir)...)
	}
	code, _, stderr := check("-baseline", "known.json")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "-update-baseline makes one")
	code, _, stderr = check("-baseline", "known.json", "-update-baseline")
	require.Equal(t, exitReal, code)
	require.Contains(t, stderr, "known.json has 1 finding")
	code, stdout, stderr := check("-baseline", "known.json", "-sarif", "out.sarif")
	require.Equal(t, exitNothing, code, stderr)
	require.Contains(t, stdout, "TestStuck: 1 accepted\n\n1. accepted: deadlock at m_test.go:5\n   it is in the baseline\n")
	data, err := os.ReadFile("out.sarif")
	require.NoError(t, err)
	require.Equal(t, `["external"]`, gjson.GetBytes(data, "runs.0.results.0.suppressions.#.kind").Raw)

	// What is known of others stays.
	code, _, stderr = execute(t, "check", "-o", "-", "-cache", "off", "-baseline", "known.json", "-update-baseline", "-run", "TestWell", dir)
	require.Equal(t, exitNothing, code, stderr)
	require.Contains(t, stderr, "known.json has 1 finding, those that it had among them")

	text := strings.Replace(stuckTests, "func TestStuck", "//vtrace:ignore deadlock it is for a test\nfunc TestStuck", 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "m_test.go"), []byte(text), 0o644))
	code, stdout, stderr = check("-json")
	require.Equal(t, exitNothing, code, stderr)
	require.Equal(t, `[{"finding":1,"by":"comment","reason":"it is for a test","file":"m_test.go","line":5}]`, gjson.Get(stdout, "accepted|@ugly").Raw)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "m_test.go"), []byte(strings.Replace(text, "deadlock", "deadlok", 1)), 0o644))
	code, _, stderr = check()
	require.Equal(t, exitReal, code)
	require.Contains(t, stderr, `m_test.go:5: //vtrace:ignore: no kind of finding is called "deadlok"`)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "broken_test.go"), []byte("package m\n\nfunc ("), 0o644))
	code, _, stderr = execute(t, "check", "-o", "-", "-sarif", "out.sarif", dir+"/...")
	require.NotEqual(t, exitNothing, code, stderr)
	data, err = os.ReadFile("out.sarif")
	require.NoError(t, err)
	require.Equal(t, "false", gjson.GetBytes(data, "runs.0.invocations.0.executionSuccessful").Raw, "that of the check before")
	require.NoError(t, os.Remove(filepath.Join(dir, "broken_test.go")))
	code, _, stderr = check("-update-baseline")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "-update-baseline needs -baseline FILE")
}

// TestUnused: what a comment or a baseline accepts that is not there any more is named, if all of a
// module was checked.
func TestUnused(t *testing.T) {
	dir := writeStuck(t, stuckTests)
	t.Chdir(dir)
	check := func(args ...string) string {
		_, _, stderr := execute(t, append([]string{"check", "-o", "-", "-cache", "off", "-baseline", "known.json"}, args...)...)
		return stderr
	}
	require.Equal(t, "vtrace: known.json has 1 finding\n", check("-update-baseline", "./..."))
	require.Empty(t, check("./..."))
	text := "package m\n\nimport \"testing\"\n\nfunc TestWell(t *testing.T) {\n\tc := make(chan int, 1)\n\tc <- 1 //vtrace:ignore deadlock,panic it had no buffer\n}\n"
	require.NoError(t, os.WriteFile("m_test.go", []byte(text), 0o644))
	for _, args := range [][]string{{"."}, {"-run", "Well", "./..."}} {
		require.Empty(t, check(args...), args)
	}
	comment := "vtrace: m_test.go:7: //vtrace:ignore deadlock,panic accepts nothing in this check\n"
	require.Equal(t, comment+"vtrace: known.json has 1 finding that this check has not found: deadlock in example.com/m.TestStuck, m_test.go; -update-baseline writes the file anew\n", check("./..."))
	require.Equal(t, comment+"vtrace: known.json has 0 findings\n", check("-update-baseline", "./..."))
}

var ciCommand = regexp.MustCompile(`(?m)^(?:\$ |\s*- run: |\s*entry: )(vtrace .*)$`)

// Every command of docs/ci.md does what it says on a module with a finding, and the page has
// every format of check.
func TestCIDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/ci.md")
	require.NoError(t, err)
	t.Chdir(writeStuck(t, stuckTests))
	inRepo(t, "m", "nothing has changed")
	commands := ciCommand.FindAllStringSubmatch(string(text), -1)
	require.Len(t, commands, 5)
	for i, want := range []int{exitNothing, exitReal, exitNothing, exitReal, exitReal} {
		args := strings.Fields(commands[i][1])[1:]
		code, _, stderr := execute(t, args...)
		require.Equal(t, want, code, "%s: %s", commands[i][1], stderr)
	}
	for _, file := range []string{"vtrace.sarif", "vtrace.xml", "vtrace-baseline.json"} {
		require.FileExists(t, file)
		require.Contains(t, string(text), file)
	}
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	new(logs).register(fs)
	new(acceptance).register(fs)
	fs.VisitAll(func(f *flag.Flag) {
		require.Contains(t, string(text), "`-"+f.Name, f.Name)
	})
}
