package parse

import (
	"os/exec"
	"path/filepath"
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
	repository, err := filepath.Abs("../..")
	require.NoError(t, err)
	o := &Overlay{Runtime: map[string][]byte{}, RuntimeDir: "internal/orcruntime"}
	require.NoError(t, o.Recorded(goroot(t)))
	o.Runtime[localFile] = toolchainLocal // the package has its own name here
	overlay, err := o.Write(t.TempDir(), repository, goroot(t))
	require.NoError(t, err)
	cmd := exec.Command("go", "test", "-count=1", "-vet=off", "-overlay", overlay, "-trimpath", "-v", "-run", "^TestRecordRun$",
		"-ldflags", "-X github.com/vtrace/vtrace/internal/orcruntime.partnersKnown=true", "./internal/orcruntime")
	cmd.Dir = repository
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "--- PASS: TestRecordRun")
	t.Log(string(out))
}
