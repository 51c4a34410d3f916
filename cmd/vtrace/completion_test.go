package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// scriptOf writes the script of a shell to a file.
func scriptOf(t *testing.T, shell string) string {
	t.Helper()
	code, out, stderr := execute(t, "completion", shell)
	require.Equal(t, exitNothing, code, stderr)
	name := filepath.Join(t.TempDir(), "vtrace."+shell)
	require.NoError(t, os.WriteFile(name, []byte(out), 0o644))
	return name
}

// inShell runs a program of a shell in a directory, and returns the lines that it prints.
func inShell(t *testing.T, dir string, args ...string) []string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "XDG_DATA_HOME=")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	require.NoError(t, err, errs.String())
	require.Empty(t, errs.String())
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// places is a directory with a few names to complete.
func places(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"pool", "po ol"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "poem.vtz"), nil, 0o644))
	return dir
}

// shell looks for a shell that a test needs.
func shell(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skip("there is no " + name)
	}
}

func TestCompletionBash(t *testing.T) {
	t.Parallel()
	shell(t, "bash")
	script, dir := scriptOf(t, "bash"), places(t)
	complete := func(line ...string) []string {
		const program = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _vtrace
complete -p vtrace >/dev/null || exit 1
printf '%s\n' "${COMPREPLY[@]}"`
		return inShell(t, dir, slices.Concat([]string{"bash", "--norc", "-c", program, "bash", script, "vtrace"}, line)...)
	}
	require.Equal(t, commandNames(), complete(""))
	for _, c := range []struct {
		line []string
		want string
	}{
		{[]string{"che"}, "check"},
		{[]string{"check", "-changed"}, "-changed-since"},
		{[]string{"check", "-race", "-disallow", ""}, "exact fnv"},
		{[]string{"check", "-categories", "mutex s"}, `mutex\ safety`},
		{[]string{"check", "-budget", ""}, ""},
		{[]string{"check", "-cache", ""}, "off po ol pool"},
		{[]string{"check", "po"}, "po ol pool"},
		{[]string{"check", "-budget", "1s", "-race", "po"}, "po ol pool"},
		{[]string{"inspect", "poe"}, "poem.vtz"},
		{[]string{"replay", "-verify-key", "poe"}, "poem.vtz"},
		{[]string{"bundle", "d"}, "diff"},
		{[]string{"bundle", "verify", "-"}, "-json -limit -verify-key"},
		{[]string{"-C", "po"}, "po ol pool"},
		{[]string{"-C", "pool", "repl"}, "replay"},
		{[]string{"-C", "pool", "bundle", "sl"}, "slim"},
		{[]string{"check", "-C", "pool", "-changed"}, "-changed-since"},
		{[]string{"help", "goroutine"}, "goroutine-leak"},
		{[]string{"completion", "z"}, "zsh"},
		{[]string{"nothing", "-"}, ""},
	} {
		got := complete(c.line...)
		slices.Sort(got)
		require.Equal(t, c.want, strings.Join(got, " "), c.line)
	}
}

func TestCompletionFish(t *testing.T) {
	t.Parallel()
	shell(t, "fish")
	script, dir := scriptOf(t, "fish"), places(t)
	complete := func(line string) string {
		var names []string
		for _, l := range inShell(t, dir, "fish", "--no-config", "-c", "source "+script+"; complete -C '"+line+"'") {
			name, _, _ := strings.Cut(l, "\t")
			names = append(names, name)
		}
		return strings.Join(names, " ")
	}
	require.Equal(t, "check", complete("vtrace che"))
	require.Equal(t, "-changed-since", complete("vtrace check -chang"))
	require.Equal(t, "exact fnv", complete("vtrace check -disallow "))
	require.Equal(t, "po ol/ pool/", complete("vtrace check po"))
	require.Equal(t, "diff", complete("vtrace bundle d"))
	require.Equal(t, "-json", complete("vtrace bundle verify -j"))
	require.Equal(t, "goroutine-leak", complete("vtrace help goroutine"))
}

// zsh completes on a terminal of its own.
func TestCompletionZsh(t *testing.T) {
	t.Parallel()
	shell(t, "zsh")
	script, dir := scriptOf(t, "zsh"), places(t)
	const program = `zmodload zsh/zpty
complete() {
	zpty z zsh -f -i
	zpty -w z 'PS1=; autoload -U compinit; compinit -u -D; zstyle ":completion:*" list-prompt ""; source '$1'; LISTMAX=0; print begin''s'
	zpty -r z text '*begins*'
	zpty -w -n z "$2"$'\t'$'\C-a'print\ \"$'\C-e'\"$'\n'"print en''ds"$'\n'
	zpty -r z text '*ends*'
	zpty -d z
	print -r -- "$text"
}
complete $1 $2`
	for line, want := range map[string]string{
		"vtrace chec":                    "vtrace check",
		"vtrace check -changed":          "vtrace check -changed-since",
		"vtrace check poo":               "vtrace check pool",
		"vtrace bundle verify -js":       "vtrace bundle verify -json",
		"vtrace help goroutine":          "vtrace help goroutine-leak",
		"vtrace -C pool check -changed-": "vtrace -C pool check -changed-since",
	} {
		got := inShell(t, dir, "zsh", "-f", "-c", program, "zsh", script, line)
		require.True(t, slices.ContainsFunc(got, func(l string) bool { return strings.TrimRight(l, " \r") == want }), "%s: %q", line, got)
	}
}

// The page for man has every command and flag, and man understands it.
func TestManual(t *testing.T) {
	t.Parallel()
	code, page, stderr := execute(t, "help", "-man")
	require.Equal(t, exitNothing, code, stderr)
	flags := 0
	for _, d := range table() {
		require.Contains(t, page, ".SS \"vtrace "+roff(d.name)+" ", d.name)
		for _, f := range d.flags {
			flags++
			require.Contains(t, page, `\fB\-`+roff(f.Name)+`\fR`)
		}
	}
	require.Greater(t, flags, 100)
	if cache, err := os.UserCacheDir(); err == nil {
		require.NotContains(t, page, cache)
	}
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("there is no groff")
	}
	cmd := exec.Command("groff", "-ww", "-man", "-Tascii", "-P-cbou")
	cmd.Stdin = strings.NewReader(page)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Empty(t, errs.String())
	require.Contains(t, string(out), "-changed-since REVISION\n")
}
