package scratch

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// asChild has the test binary hold a directory until it is killed.
const asChild = "VTRACE_SCRATCH_CHILD"

// removes has it remove what is in the directory.
const removes = "removes"

func TestMain(m *testing.M) {
	if os.Getenv(asChild) != "" {
		dir, err := Make("child")
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "file"), nil, 0o600)
		}
		if err == nil && os.Getenv(asChild) == removes {
			err = os.RemoveAll(dir) // as far as Remove comes when it is killed
		}
		fmt.Println(dir, err)
		select {}
	}
	os.Exit(m.Run())
}

// names are those of the files in a directory.
func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// start starts a child, and returns its directory when it has that.
func start(t *testing.T, what string) (*exec.Cmd, string) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), asChild+"="+what)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	var dir, none string
	_, err = fmt.Sscan(line, &dir, &none)
	require.NoError(t, err)
	require.Equal(t, "<nil>", none)
	return child, dir
}

// TestKilled: what a process leaves that is killed is there as long as it lives, and removed by the
// next one; what belongs to nobody is not touched.
func TestKilled(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	require.NoError(t, os.MkdirAll(filepath.Join(temp, prefix+"mine"), 0o700)) // has no lock
	require.NoError(t, os.WriteFile(filepath.Join(temp, prefix+"file"), nil, 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(temp, "other"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(temp, "other", lockName), nil, 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(temp, prefix+"link"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(temp, "other", lockName), filepath.Join(temp, prefix+"link", lockName)))
	before := names(t, temp)

	child, dir := start(t, "keeps")
	use := func() {
		own, err := Make("own")
		require.NoError(t, err)
		require.NoError(t, Remove(own))
	}
	old := time.Now().Add(-2 * young)
	require.NoError(t, os.Chtimes(filepath.Join(filepath.Dir(dir), lockName), old, old))
	use() // it lives
	require.FileExists(t, filepath.Join(dir, "file"))
	require.NoError(t, os.Chtimes(filepath.Join(filepath.Dir(dir), lockName), time.Now(), time.Now()))
	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait())
	use() // however young it is
	require.Equal(t, before, names(t, temp))
	child, _ = start(t, removes)
	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait())
	use()
	require.Equal(t, before, names(t, temp))

	// Of a process that is beginning nobody knows whether it lives.
	lock := filepath.Join(temp, prefix+"begun", lockName)
	require.NoError(t, os.Mkdir(filepath.Dir(lock), 0o700))
	require.NoError(t, os.WriteFile(lock, nil, 0o600))
	use()
	require.FileExists(t, lock)
	require.NoError(t, os.Chtimes(lock, old, old))
	use()
	require.Equal(t, before, names(t, temp))
}

// TestGoEnv: the go command makes its temporary files where it is told to, unless the environment has
// told it where.
func TestGoEnv(t *testing.T) {
	t.Setenv("GOTMPDIR", "")
	require.Equal(t, append(os.Environ(), "GOTMPDIR=d"), GoEnv(nil, "d"))
	for _, c := range []struct{ env, want []string }{
		{[]string{"A=1"}, []string{"A=1", "GOTMPDIR=d"}},
		{[]string{"GOTMPDIR="}, []string{"GOTMPDIR=", "GOTMPDIR=d"}},
		{[]string{"GOTMPDIR=own"}, []string{"GOTMPDIR=own"}},
		{[]string{"GOTMPDIR=own", "GOTMPDIR="}, []string{"GOTMPDIR=own", "GOTMPDIR=", "GOTMPDIR=d"}},
	} {
		require.Equal(t, c.want, GoEnv(c.env, "d"))
	}
}

// TestMake: the directory of the process is there as long as something is in it.
func TestMake(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	a, err := Make("a")
	require.NoError(t, err)
	b, err := Make("b")
	require.NoError(t, err)
	require.Equal(t, filepath.Dir(a), filepath.Dir(b))
	require.Len(t, names(t, temp), 1)
	require.NoError(t, os.WriteFile(filepath.Join(a, "file"), nil, 0o600))
	require.NoError(t, Remove(a))
	require.DirExists(t, b)
	again, err := Make("a")
	require.NoError(t, err)
	require.Equal(t, a, again)
	require.Empty(t, names(t, again))
	require.NoError(t, os.Chmod(again, 0o755)) // is not used again, and nor is what has directories
	require.NoError(t, Remove(again))
	require.NoDirExists(t, again)
	again, err = Make("a")
	require.NoError(t, err)
	require.NotEqual(t, a, again)
	require.NoError(t, os.Mkdir(filepath.Join(again, "dir"), 0o700))
	require.NoError(t, Remove(again))
	require.NoDirExists(t, again)
	require.NoError(t, Remove(b))
	require.NoError(t, Remove(b)) // it is gone
	require.Empty(t, names(t, temp))

	t.Setenv("TMPDIR", filepath.Join(temp, "none"))
	_, err = Make("a")
	require.ErrorContains(t, err, "directory for temporary files: ")
	require.ErrorIs(t, err, os.ErrNotExist)
}
