package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// A bundle is unpacked, changed and adopted by commands.
func TestUnpackAdopt(t *testing.T) {
	dir := program(t, "rendezvous")
	private, public := keyFiles(t, 1)
	code, _, stderr := execute(t, "first", "-o", "first.vtz", "-sign", private, dir)
	require.Equal(t, exitInconclusive, code, stderr)

	code, _, stderr = execute(t, "unpack", "first.vtz")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "-o says where to")
	code, stdout, stderr := execute(t, "unpack", "-verify-key", public, "-o", "out", "first.vtz")
	require.Equal(t, exitNothing, code, stderr)
	require.Contains(t, stdout, "the program is in "+filepath.Join("out", "program"))
	code, _, stderr = execute(t, "unpack", "-o", "out", "first.vtz")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "not empty")

	code, _, stderr = execute(t, "adopt", "-o", "same.vtz", "out")
	require.Equal(t, exitInconclusive, code, stderr)
	require.Contains(t, stderr, "nothing was changed")
	first, err := artifact.Load("first.vtz")
	require.NoError(t, err)
	same, err := artifact.Load("same.vtz")
	require.NoError(t, err)
	require.Equal(t, first.Digest(), same.Digest())

	main := filepath.Join("out", "program", "main.go")
	text, err := os.ReadFile(main)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(main, append(text, "\nvar more = 1\n"...), 0o644))
	code, stdout, stderr = execute(t, "adopt", "-sign", private, "out")
	require.Equal(t, exitInconclusive, code, stderr)
	require.Contains(t, stdout, "-first-changed.vtz.sig\n")
	all, err := filepath.Glob(filepath.Join(bundleDir, "*.vtz"))
	require.NoError(t, err)
	require.Len(t, all, 1)
	code, stdout, stderr = execute(t, "inspect", "-verify-key", public, all[0])
	require.Equal(t, exitNothing, code, stderr)
	require.Contains(t, stdout, "parent "+first.Digest()+"\nchanged by hand: source/main.go\n")
	code, _, stderr = execute(t, "second", "-o", "second.vtz", all[0])
	require.Equal(t, exitInconclusive, code, stderr)
	second, err := artifact.Load("second.vtz")
	require.NoError(t, err)
	require.Equal(t, []string{"source/main.go"}, second.Manifest().Changed)

	require.NoError(t, os.WriteFile(main, []byte("package main\n\nfunc main() { nothing() }\n"), 0o644))
	code, _, stderr = execute(t, "adopt", "-o", "broken.vtz", "out")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "undefined: nothing")
	require.NoFileExists(t, "broken.vtz")
	code, _, stderr = execute(t, "adopt", t.TempDir())
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "bundle.vtz")
}
