package parse

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRecordRunPartners is TestRecordRun of the runtime with a Go runtime that tells who has met whom, as recorded programs
// have it: so the partners at channels with a buffer are compared, too.
func TestRecordRunPartners(t *testing.T) {
	if testing.Short() {
		t.Skip("the Go runtime is compiled for it")
	}
	t.Parallel()
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	root := strings.TrimSpace(string(goroot))
	o := &Overlay{Runtime: map[string][]byte{}}
	require.NoError(t, o.Recorded(root))
	dir := t.TempDir()
	replace := map[string]string{}
	put := func(name, as string, data []byte) {
		file := filepath.Join(dir, as)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, data, 0o644))
		replace[name] = file
	}
	for name, data := range o.Toolchain {
		put(filepath.Join(root, "src", filepath.FromSlash(name)), filepath.FromSlash(name), data)
	}
	repository, err := filepath.Abs("..")
	require.NoError(t, err)
	put(filepath.Join(repository, "orcutil", localFile), localFile, toolchainLocal)
	text, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	overlay := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(overlay, text, 0o644))
	cmd := exec.Command("go", "test", "-count=1", "-vet=off", "-overlay", overlay, "-trimpath", "-v", "-run", "^TestRecordRun$",
		"-ldflags", "-X github.com/vtrace/vtrace/orcutil.partnersKnown=true", "./orcutil")
	cmd.Dir = repository
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "--- PASS: TestRecordRun")
	t.Log(string(out))
}
