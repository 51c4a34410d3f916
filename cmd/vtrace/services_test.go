package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// action is a composite action, as far as it is used here.
type action struct {
	Name, Description, Author string
	Branding                  struct{ Icon, Color string }
	Inputs                    map[string]struct{ Description, Default string }
	Outputs                   map[string]struct{ Description, Value string }
	Runs                      struct {
		Using string
		Steps []struct {
			Name, ID, If, Shell, Run, Uses string
			WorkingDirectory               string `yaml:"working-directory"`
			Env, With                      map[string]string
		}
	}
}

func readYAML(t *testing.T, name string, v any) string {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	require.NoError(t, dec.Decode(v))
	return string(data)
}

var expression = regexp.MustCompile(`\$\{\{ ([^}]*) \}\}`)

// The action of GitHub has what it refers to, takes no input for a part of a script, and its check
// does what its inputs say.
func TestAction(t *testing.T) {
	shell(t, "bash")
	var a action
	text := readYAML(t, "../../action.yml", &a)
	require.Equal(t, "composite", a.Runs.Using)
	used := map[string]bool{}
	for _, m := range expression.FindAllStringSubmatch(text, -1) {
		if name, ok := strings.CutPrefix(m[1], "inputs."); ok {
			used[name] = true
		}
	}
	ids := map[string]bool{}
	check := -1
	for i, s := range a.Runs.Steps {
		ids[s.ID] = true
		if name, ok := strings.CutPrefix(s.If, "inputs."); ok {
			used[strings.Fields(name)[0]] = true
		}
		require.True(t, (s.Run == "") != (s.Uses == ""), s.Name)
		require.NotContains(t, s.Run, "${{", "%s: a script has no input in its text", s.Name)
		if s.Run != "" {
			require.Equal(t, "bash", s.Shell)
		} else {
			require.Regexp(t, `^actions/[a-z/]+@v\d+$`, s.Uses)
		}
		if s.ID == "check" {
			check = i
		}
	}
	for name, in := range a.Inputs {
		require.True(t, used[name], name)
		require.NotEmpty(t, in.Description)
	}
	require.Len(t, used, len(a.Inputs))
	for _, out := range a.Outputs {
		m := regexp.MustCompile(`^\$\{\{ steps\.(\w+)\.outputs\.exit-code \}\}$`).FindStringSubmatch(out.Value)
		require.NotNil(t, m)
		require.True(t, ids[m[1]])
	}
	require.DirExists(t, filepath.Join("..", "..", "cmd", "vtrace"))
	require.Contains(t, a.Runs.Steps[0].Run, "go build -o \"$RUNNER_TEMP/vtrace\" ./cmd/vtrace\n")

	// Two jobs, or two modules in one, keep their results under keys of their own; the same one finds them.
	restore, save := a.Runs.Steps[1].With, a.Runs.Steps[len(a.Runs.Steps)-1].With
	require.Equal(t, restore["path"], save["path"])
	for _, part := range []string{"github.job", "strategy.job-index", "inputs.working-directory", "github.sha", "github.run_attempt"} {
		require.Contains(t, save["key"], "${{ "+part+" }}")
	}
	for line := range strings.Lines(restore["key"] + "\n" + restore["restore-keys"]) {
		require.True(t, strings.HasPrefix(save["key"], strings.TrimSpace(line)), line)
	}

	dir, temp := writeStuck(t, stuckTests), t.TempDir()
	exe, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Symlink(exe, filepath.Join(temp, "vtrace")))
	step := a.Runs.Steps[check]
	try := func(inputs map[string]string) (int, string, string) {
		output := filepath.Join(t.TempDir(), "output")
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run) // as GitHub calls it
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), runAsVtrace+"=1", "RUNNER_TEMP="+temp, "GITHUB_OUTPUT="+output, "GITHUB_WORKSPACE="+dir)
		for name, value := range step.Env {
			cmd.Env = append(cmd.Env, name+"="+expression.ReplaceAllStringFunc(value, func(e string) string {
				in := strings.TrimPrefix(expression.FindStringSubmatch(e)[1], "inputs.")
				if v, ok := inputs[in]; ok {
					return v
				}
				return a.Inputs[in].Default
			}))
		}
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			require.NoError(t, err)
		}
		written, err := os.ReadFile(output)
		require.NoError(t, err, string(out))
		return cmd.ProcessState.ExitCode(), string(out), string(written)
	}
	code, out, written := try(nil)
	require.Equal(t, exitReal, code, out)
	require.Equal(t, "exit-code=1\n", written)
	require.Contains(t, out, "\n::error file=m_test.go,line=5,")
	require.FileExists(t, filepath.Join(dir, "vtrace.sarif"))
	require.DirExists(t, filepath.Join(temp, "vtrace-results"))
	code, out, _ = try(map[string]string{"flags": " -v\n\n-run  TestWell\n", "sarif": "", "junit": "a b.xml"})
	require.Equal(t, exitNothing, code, out)
	require.FileExists(t, filepath.Join(dir, "a b.xml"))
	code, out, written = try(map[string]string{"changed-since": "nothing; touch hostile", "package": "$(touch hostile)./..."})
	require.Equal(t, exitUsage, code, out)
	require.Equal(t, "exit-code=2\n", written)
	require.NoFileExists(t, filepath.Join(dir, "hostile"))
	// An open question is what the caller takes it for: here a budget that is too short.
	for what, want := range map[string]int{"fail": exitInconclusive, "pass": exitNothing} {
		code, out, written = try(map[string]string{"inconclusive": what, "flags": "-run TestWell -budget 1ns"})
		require.Equal(t, want, code, out)
		require.Equal(t, "exit-code=3\n", written)
	}
}

// The hooks for pre-commit are commands that do what they say.
func TestPreCommitHooks(t *testing.T) {
	var hooks []struct {
		ID, Name, Description, Language, Entry string
		TypesOr                                []string `yaml:"types_or"`
		PassFilenames                          *bool    `yaml:"pass_filenames"`
		RequireSerial                          bool     `yaml:"require_serial"`
		Stages                                 []string
	}
	readYAML(t, "../../.pre-commit-hooks.yaml", &hooks)
	require.Len(t, hooks, 2)
	t.Chdir(writeStuck(t, stuckTests))
	// Before the first commit everything is new.
	inRepo(t)
	code, out, stderr := execute(t, append(strings.Fields(hooks[0].Entry)[1:], "-list")...)
	require.Equal(t, exitNothing, code, stderr)
	require.Equal(t, 2, strings.Count(out, "\n"), out)
	inRepo(t, "m")
	for i, want := range []int{exitNothing, exitReal} {
		h := hooks[i]
		require.NotEmpty(t, h.Description)
		require.Equal(t, "golang", h.Language)
		require.False(t, *h.PassFilenames, "the names of files are no arguments")
		args := strings.Fields(h.Entry)
		require.Equal(t, "vtrace", args[0])
		code, out, stderr := execute(t, args[1:]...)
		require.Equal(t, want, code, "%s: %s", out, stderr)
	}
}
