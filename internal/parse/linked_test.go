package parse

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/source"
)

// TestLinked: functions that are linked by name and read the clock, or draw random numbers, are those of the runtime, and
// what cannot be is said.
func TestLinked(t *testing.T) {
	for _, tt := range []struct{ directive, function, text, diag string }{
		{"time.now", "f() (sec int64, nsec int32, mono int64)", "zzorc.LinkedNow(); return int64(", ""},
		{"time.now", "f() (int64, int32)", ", _ := zzorc.LinkedNow(); return int64(", ""},
		{"runtime.nanotime", "f() uint64", "zzorc.LinkedNano(); return uint64(", ""},
		{"runtime.fastrand", "f() uint32", "zzorc.LinkedRandom(); return uint32(", ""},
		{"runtime.cheaprandn", "f(most uint32) uint32", "zzorc.LinkedRandomN(uint64(most)); return uint32(", ""},
		{"runtime.cheaprandn", "f(uint32) uint32", "", "its parameter has no name"},
		{"runtime.nanotime", "f() string", "", "with other types than that has"},
		{"runtime.nanotime", "f() (a, b int64)", "", "with other types than that has"},
		{"runtime.semacquire", "f(addr *uint32)", "", "what waits for each other by it is not under control"},
		{"runtime.procyield", "f(n uint32)", "", ""},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"go.mod":  "module example.com/linked\n\ngo 1.26\n",
			"main.go": "package main\n\nimport _ \"unsafe\"\n\n// f is elsewhere.\n//\n//go:noescape\n//go:linkname f " + tt.directive + "\nfunc " + tt.function + "\n\nfunc main() { _ = f }\n",
			"empty.s": "",
		} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
		prog, err := source.Load(context.Background(), source.Spec{Dir: dir})
		require.NoError(t, err, tt)
		o, err := Instrument(context.Background(), prog, Index(prog), Options{})
		require.NoError(t, err, tt)
		text := string(o.Files["main.go"])
		if tt.text == "" {
			require.NotContains(t, text, ".Linked", tt)
		} else {
			require.Contains(t, text, tt.text, tt)
			require.NotContains(t, text, "//go:", tt)
		}
		var diags []string
		for _, d := range o.Diagnostics {
			diags = append(diags, d.Reason)
		}
		if tt.diag == "" {
			require.Empty(t, diags, tt)
		} else {
			require.Len(t, diags, 1, tt)
			require.Contains(t, diags[0], tt.diag, tt)
		}
	}
}
