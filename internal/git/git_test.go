package git

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// git runs git in a directory, with nothing of the user's configuration.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	withGit(t, dir, "git", args...)
}

// withGit runs a command that may run git.
func withGit(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// tree is what stands in a directory, by name; of links what they say.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		if d.Type()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(path)
			out[rel] = "-> " + to
			return err
		}
		data, err := os.ReadFile(path)
		out[rel] = string(data)
		return err
	}))
	return out
}

func TestExtract(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), context.Background()
	git(t, dir, "init", "-q")
	write(t, dir, "a.go", "old\n")
	write(t, dir, "empty", "")
	write(t, dir, "d/e/with\nline", "\x00binary\n")
	write(t, dir, "d/crlf.txt", "a\r\n")
	for to, name := range map[string]string{
		"../a.go": "d/good", "../../outside": "d/bad", "/etc/passwd": "absolute", "nowhere": "dangling",
		"../..": "p/q/x", "x/../..": "p/q/chained", // out of the tree only by way of the other one
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		require.NoError(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "m")
	write(t, dir, "a.go", "new\n")
	write(t, dir, "untracked", "")

	r, err := Open(ctx, filepath.Join(dir, "d"))
	require.NoError(t, err)
	commit, err := r.Commit(ctx, "HEAD")
	require.NoError(t, err)
	require.Regexp(t, "^[0-9a-f]{40}$", commit)
	out := t.TempDir()
	require.NoError(t, r.Extract(ctx, commit, out))
	require.Equal(t, map[string]string{
		"a.go": "old\n", "empty": "", "d/e/with\nline": "\x00binary\n", "d/crlf.txt": "a\r\n", "d/good": "-> ../a.go", "p/q/x": "-> ../..",
	}, tree(t, out))
}

// A tree that somebody has written by hand may have names that git itself would not take.
func TestExtractHostile(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), context.Background()
	git(t, dir, "init", "-q")
	// A tree is a list of modes, names and digests: here of the empty blob, at .git/config.
	script := `blob=$(git hash-object -w --stdin </dev/null)
bytes() { printf '%s' "$1" | sed 's/../\\x&/g'; }
inner=$( { printf '100644 config\0'; printf "$(bytes $blob)"; } | git hash-object -w -t tree --literally --stdin)
outer=$( { printf '40000 .GIT\0'; printf "$(bytes $inner)"; printf '40000 ..\0'; printf "$(bytes $inner)"; printf '100644 good\0'; printf "$(bytes $blob)"; } | git hash-object -w -t tree --literally --stdin)
git update-ref HEAD $(git commit-tree -m m $outer)`
	withGit(t, dir, "bash", "-c", script)
	r, err := Open(ctx, dir)
	require.NoError(t, err)
	commit, err := r.Commit(ctx, "HEAD")
	require.NoError(t, err)
	out := filepath.Join(t.TempDir(), "out")
	require.NoError(t, os.Mkdir(out, 0o700))
	require.NoError(t, r.Extract(ctx, commit, out))
	require.Equal(t, map[string]string{"out/good": ""}, tree(t, filepath.Dir(out)))
}

// A few trees that have the next one many times make a list without an end.
func TestTreeBound(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), context.Background()
	git(t, dir, "init", "-q")
	script := `id=$(git hash-object -w --stdin </dev/null) what="100644 blob"
for level in 1 2 3 4 5 6 7 8 9 10 11 12; do
	id=$(for n in a b c d e f g h i j; do printf '%s %s\t%s\n' "$what" $id $n; done | git mktree) what="040000 tree"
done
git update-ref HEAD $(git commit-tree -m m $id)`
	withGit(t, dir, "bash", "-c", script)
	r, err := Open(ctx, dir)
	require.NoError(t, err)
	_, err = r.tree(ctx, "HEAD", 1<<20)
	require.EqualError(t, err, "git: the list of the files of HEAD has more than 1048576 bytes")
	_, err = r.tree(ctx, "HEAD^{tree}:a/a/a/a/a/a/a/a/a/a/a", 1<<20)
	require.NoError(t, err)
	_, err = r.tree(ctx, "nothing", 1<<20)
	require.EqualError(t, err, "git: Not a valid object name nothing")
}

// Nothing runs that the configuration and the attributes of a repository name.
func TestRunsNothing(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), context.Background()
	ran := filepath.Join(t.TempDir(), "ran")
	git(t, dir, "init", "-q")
	write(t, dir, "a.txt", "text\n")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "m")
	program := "touch " + ran + "; false"
	write(t, dir, ".gitattributes", "* filter=f diff=d\n")
	git(t, dir, "add", ".")
	for _, name := range []string{
		"core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "core.askPass", "pager.ls-tree", "pager.cat-file", "pager.rev-parse", "diff.external",
		"filter.f.smudge", "filter.f.clean", "filter.f.process", "diff.d.textconv", "diff.d.command", "tar.tar.command", "gpg.program",
		"credential.helper", "uploadpack.packObjectsHook", "alias.ls-tree", "alias.cat-file", "alias.rev-parse",
	} {
		git(t, dir, "config", name, "!"+program)
	}
	git(t, dir, "config", "remote.origin.url", "ext::sh -c '"+program+"'")
	git(t, dir, "config", "remote.origin.promisor", "true")
	git(t, dir, "config", "extensions.partialClone", "origin")
	git(t, dir, "config", "protocol.ext.allow", "always")
	for _, hook := range []string{"post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"} {
		path := filepath.Join(dir, ".git", "hooks", hook)
		write(t, dir, filepath.Join(".git", "hooks", hook), "#!/bin/sh\n"+program+"\n")
		require.NoError(t, os.Chmod(path, 0o755))
	}
	write(t, dir, "a.txt", "changed\n")
	require.NoFileExists(t, ran)

	r, err := Open(ctx, dir)
	require.NoError(t, err)
	commit, err := r.Commit(ctx, "HEAD")
	require.NoError(t, err)
	out := t.TempDir()
	require.NoError(t, r.Extract(ctx, commit, out))
	require.Equal(t, map[string]string{"a.txt": "text\n"}, tree(t, out))
	// Nor is what is not there fetched, as in a clone of a part.
	blob, err := output(command(ctx, dir, "rev-parse", "HEAD:a.txt"))
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(dir, ".git", "objects", string(blob[:2]), string(blob[2:40]))))
	err = r.Extract(ctx, commit, t.TempDir())
	require.Error(t, err)
	require.NoFileExists(t, ran)
}

func TestErrors(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	_, err := Open(ctx, dir)
	require.EqualError(t, err, dir+": not a git repository, nor a directory in one")
	git(t, dir, "init", "-q")
	write(t, dir, "a", "")
	git(t, dir, "add", ".")
	r, err := Open(ctx, dir)
	require.NoError(t, err)
	nothing := t.TempDir()
	none, err := r.Commit(ctx, "HEAD")
	require.NoError(t, err, "there is no commit yet")
	require.NoError(t, r.Extract(ctx, none, nothing))
	require.Empty(t, tree(t, nothing))
	_, err = r.Commit(ctx, "HEAD~1")
	require.ErrorContains(t, err, "there is no revision")
	git(t, dir, "commit", "-q", "-m", "m")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "second")
	for _, revision := range []string{"", "nothing", "-h", "--all", "HEAD:a", "HEAD..HEAD", "a\x01b"} {
		_, err = r.Commit(ctx, revision)
		require.ErrorContains(t, err, "there is no revision", revision)
	}
	shallow := filepath.Join(t.TempDir(), "s")
	git(t, dir, "clone", "-q", "--depth=1", "file://"+dir, shallow)
	r, err = Open(ctx, shallow)
	require.NoError(t, err)
	_, err = r.Commit(ctx, "HEAD~1")
	require.ErrorContains(t, err, "'git fetch --unshallow' gets the rest")

	// What git tells a hook is about another repository.
	t.Setenv("GIT_DIR", filepath.Join(dir, ".git"))
	r, err = Open(ctx, shallow)
	require.NoError(t, err)
	want, err := filepath.EvalSymlinks(shallow)
	require.NoError(t, err)
	require.Equal(t, want, r.Root)

	t.Setenv("PATH", "")
	_, err = Open(ctx, dir)
	require.ErrorContains(t, err, "git is needed, and there is none in PATH")
}
