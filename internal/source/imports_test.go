package source_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/source"
)

// What a program imports is what its packages do, those of its tests too, without its own.
func TestImports(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module example.com/p\n\ngo 1.26\n",
		"p.go":        "package p\n\nimport (\n\t\"sync\"\n\t\"unsafe\"\n\n\t\"example.com/p/q\"\n)\n\nvar (\n\tMu sync.Mutex\n\tN  = q.N\n\tS  = unsafe.Sizeof(N)\n)\n",
		"q/q.go":      "package q\n\nimport \"time\"\n\nvar N = time.Second\n",
		"p_test.go":   "package p_test\n\nimport (\n\t\"bytes\"\n\t\"testing\"\n\n\t\"example.com/p\"\n)\n\nfunc TestP(t *testing.T) { bytes.NewReader(nil); p.Mu.Lock() }\n",
		"other/o.go":  "package other\n\nimport \"net/http\"\n\nvar C http.Client\n",
		"q/q_test.go": "package q\n\nimport \"encoding/xml\"\n\nvar X xml.Name\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	p, err := source.Load(t.Context(), source.Spec{Dir: dir, Pattern: ".", Entry: "TestP"})
	require.NoError(t, err)
	require.Equal(t, []string{"bytes", "sync", "testing", "time"}, p.Imports())
}
