package source

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// runGit runs git in a directory, with nothing of the user's configuration.
func runGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

// commit puts all files of a directory into a new repository.
func commit(t *testing.T, dir string) {
	t.Helper()
	runGit(t, dir, "init", "-q")
	runGit(t, dir, "add", ".")
	runGit(t, dir, "commit", "-q", "-m", "m")
}

// changed says for each entry of the module in a directory what has changed since HEAD.
func changed(t *testing.T, spec Spec) map[string]string {
	t.Helper()
	set, err := LoadSet(context.Background(), spec)
	require.NoError(t, err)
	entries := set.Entries()
	c, err := set.ChangedSince(context.Background(), "HEAD", entries)
	require.NoError(t, err)
	require.Len(t, c.Entries, len(entries))
	out := map[string]string{}
	for i, e := range c.Entries {
		require.Equal(t, entries[i], e.Entry)
		if len(e.What) > 0 {
			out[e.Entry.Func] = strings.Join(e.What, "; ")
		}
	}
	return out
}

// sinceModule lies below the top of its repository, beside one that it needs.
var sinceModule = map[string]string{
	"mod/go.mod":     "module example.com/s\n\ngo 1.26\n\nrequire example.com/o v0.0.0\n\nreplace example.com/o => ../other\n",
	"mod/a.go":       "package s\n\nfunc first() int { return 1 }\n\nfunc second() int { return 2 }\n",
	"mod/tagged.go":  "//go:build !tagged\n\npackage s\n\nfunc tagged() int { return 1 }\n",
	"mod/begins.go":  "package s\n\nvar one = begin(1)\n\nfunc begin(n int) int { return n }\n",
	"mod/begins2.go": "package s\n\nvar two = begin(2)\n",
	"mod/a_test.go": `package s

import (
	_ "embed"
	"testing"

	"example.com/o"
)

//go:embed data.txt
var data string

func TestFirst(t *testing.T) { first() }

func TestSecond(t *testing.T) { second() }

func TestTagged(t *testing.T) { tagged() }

func TestOther(t *testing.T) { o.F() }

func TestData(t *testing.T) { _ = data }
`,
	"mod/data.txt":       "data\n",
	"mod/testdata/x.txt": "x\n",
	"mod/m/main.go":      "package main\n\nfunc main() { work() }\n\nfunc work() {}\n",
	"other/go.mod":       "module example.com/o\n\ngo 1.26\n",
	"other/o.go":         "package o\n\nfunc F() {}\n",
	"docs.md":            "nothing\n",
}

const sinceTests = 5

func TestChangedSince(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir string, put func(name, old, new string))
		want   map[string]string // of all: see below
		all    string
	}{
		{"other files, moved and new functions, and what nothing reaches", func(t *testing.T, dir string, put func(name, old, new string)) {
			put("docs.md", "nothing", "something")
			put("mod/a.go", "package s\n\nfunc first() int { return 1 }", "package s\n\n\nfunc nobody() {}")
			put("mod/new.go", "", "package s\n\nfunc first() int { return 1 }\n")
			require.NoError(t, os.Rename(filepath.Join(dir, "mod", "tagged.go"), filepath.Join(dir, "mod", "renamed.go")))
			runGit(t, dir, "add", ".")
		}, map[string]string{}, ""},
		{"a function, not staged, and another one, staged", func(t *testing.T, dir string, put func(name, old, new string)) {
			put("mod/a.go", "return 1", "return 3")
			put("other/o.go", "F() {}", "F() { println() }")
			runGit(t, dir, "add", "other")
		}, map[string]string{"TestFirst": "example.com/s.first", "TestOther": "example.com/o.F"}, ""},
		{"a comment that accepts a finding, behind a function", func(t *testing.T, dir string, put func(name, old, new string)) {
			put("mod/a.go", "{ return 2 }", "{ return 2 } //vtrace:ignore deadlock for the test")
		}, map[string]string{"TestSecond": "example.com/s.second"}, ""},
		{"a test and a main function", func(t *testing.T, dir string, put func(name, old, new string)) {
			put("mod/a_test.go", "{ second() }", "{ second(); second() }")
			put("mod/n_test.go", "", "package s\n\nimport \"testing\"\n\nfunc TestNew(t *testing.T) {}\n")
			put("mod/n/main.go", "", "package main\n\nfunc main() {}\n")
		}, map[string]string{"TestSecond": "example.com/s.TestSecond", "TestNew": "example.com/s TestNew, which is new", "main": "example.com/s/n main, which is new"}, ""},
		{"a file that is gone, for another one", func(t *testing.T, dir string, put func(name, old, new string)) {
			require.NoError(t, os.Remove(filepath.Join(dir, "mod", "tagged.go")))
			put("mod/tagged2.go", "", "package s\n\nvar tagged = func() int { return 1 }\n")
		}, map[string]string{"TestTagged": "example.com/s.tagged"}, ""},
		{"a build tag", func(t *testing.T, dir string, put func(name, old, new string)) {
			put("mod/tagged.go", "!tagged", "tagged")
			put("mod/tagged2.go", "", "package s\n\nfunc tagged() int { return 2 }\n")
		}, map[string]string{"TestTagged": "example.com/s.tagged"}, ""},
		{"the order of initialisation", func(t *testing.T, dir string, put func(name, old, new string)) {
			require.NoError(t, os.Rename(filepath.Join(dir, "mod", "begins2.go"), filepath.Join(dir, "mod", "a2.go")))
		}, nil, "the order of initialisation in example.com/s"},
		{"an embedded file", func(t *testing.T, dir string, put func(name, old, new string)) {
			put("mod/data.txt", "data", "more data")
		}, nil, "the file data.txt"},
		{"files in testdata", func(t *testing.T, dir string, put func(name, old, new string)) {
			put("mod/testdata/y.txt", "", "y\n")
			require.NoError(t, os.Remove(filepath.Join(dir, "mod", "testdata", "x.txt")))
		}, nil, "the file testdata/y.txt (new); the file testdata/x.txt (no longer there)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := write(t, sinceModule)
			commit(t, dir)
			c.change(t, dir, func(name, old, text string) {
				path := filepath.Join(dir, filepath.FromSlash(name))
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				if old != "" {
					data, err := os.ReadFile(path)
					require.NoError(t, err)
					require.Equal(t, 1, strings.Count(string(data), old), old)
					text = strings.Replace(string(data), old, text, 1)
				}
				require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
			})
			got := changed(t, Spec{Dir: filepath.Join(dir, "mod"), Pattern: "./..."})
			if c.all == "" {
				require.Equal(t, c.want, got)
				return
			}
			require.Len(t, got, sinceTests)
			for _, what := range got {
				require.Equal(t, c.all, what)
			}
		})
	}
}

// Where a pattern is given from is no matter, also if that is outside of the repository; what a program
// has outside of it may have changed.
func TestChangedSinceOutside(t *testing.T) {
	oneGoroutine(t)
	t.Parallel()
	top := write(t, map[string]string{
		"repo/m/go.mod":  "module example.com/m\n\ngo 1.26\n\nrequire example.com/o v0.0.0\n\nreplace example.com/o => ../../o\n",
		"repo/m/main.go": "package main\n\nimport \"example.com/o\"\n\nfunc main() { o.F() }\n",
		"repo/n/go.mod":  "module example.com/n\n\ngo 1.26\n",
		"repo/n/main.go": "package main\n\nfunc main() {}\n",
		"o/go.mod":       "module example.com/o\n\ngo 1.26\n", "o/o.go": "package o\n\nfunc F() {}\n",
	})
	commit(t, filepath.Join(top, "repo"))
	require.Empty(t, changed(t, Spec{Dir: top, Pattern: "./repo/n"}))
	require.NoError(t, os.WriteFile(filepath.Join(top, "repo", "n", "main.go"), []byte("package main\n\nfunc main() { println() }\n"), 0o644))
	require.Equal(t, map[string]string{"main": "example.com/n.main"}, changed(t, Spec{Dir: top, Pattern: "./repo/n"}))
	require.Regexp(t, "^all of it, since the program of that revision cannot be loaded: ", changed(t, Spec{Dir: top, Pattern: "./repo/m"})["main"])
	// The same with a directory that is there also from elsewhere.
	mod := filepath.Join(top, "repo", "m", "go.mod")
	require.NoError(t, os.WriteFile(mod, []byte("module example.com/m\n\ngo 1.26\n\nrequire example.com/o v0.0.0\n\nreplace example.com/o => "+filepath.Join(top, "o")+"\n"), 0o644))
	runGit(t, filepath.Join(top, "repo"), "commit", "-q", "-a", "-m", "m")
	require.Contains(t, changed(t, Spec{Dir: top, Pattern: "./repo/m"})["main"], " is not in the repository, so that it is not known what it was")
}

// A change of the module is one of all its entries, and so is a revision that cannot be loaded. An
// absolute pattern is taken to where the revision is. Nothing is left behind or written.
func TestChangedSinceModule(t *testing.T) {
	oneGoroutine(t)
	t.Parallel()
	dir := write(t, sinceModule)
	commit(t, dir)
	file := filepath.Join(dir, "mod", "go.mod")
	require.NoError(t, os.WriteFile(file, []byte(sinceModule["mod/go.mod"]+"\nexclude example.com/x v1.0.0\n"), 0o644))
	got := changed(t, Spec{Pattern: filepath.Join(dir, "mod") + "/..."})
	require.Len(t, got, sinceTests+1)
	for _, what := range got {
		require.Equal(t, "the file go.mod", what)
	}
	require.NoError(t, os.WriteFile(file, []byte(sinceModule["mod/go.mod"]), 0o644))
	require.Empty(t, changed(t, Spec{Pattern: filepath.Join(dir, "mod") + "/..."}))

	ctx := context.Background()
	broken := filepath.Join(dir, "mod", "a.go")
	require.NoError(t, os.WriteFile(broken, []byte("package s\n\nfunc first() int { return undefined }\n"), 0o644))
	runGit(t, dir, "commit", "-q", "-a", "-m", "broken")
	require.NoError(t, os.WriteFile(broken, []byte(sinceModule["mod/a.go"]), 0o644))
	got = changed(t, Spec{Dir: filepath.Join(dir, "mod"), Pattern: "./..."})
	require.Len(t, got, sinceTests)
	require.Contains(t, got["TestData"], "all of it, since it cannot be loaded at that revision: mod/a.go:3:27: undefined: undefined")

	set, err := LoadSet(ctx, Spec{Dir: filepath.Join(dir, "mod"), Pattern: "./m"})
	require.NoError(t, err)
	_, err = set.ChangedSince(ctx, "nothing", set.Entries())
	require.ErrorContains(t, err, `there is no revision "nothing"`)
	before, err := exec.Command("git", "-C", dir, "status", "--porcelain").Output()
	require.NoError(t, err)
	require.Equal(t, " M mod/a.go\n", string(before))
}
