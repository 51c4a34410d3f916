package earlier_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/earlier"
	"github.com/vtrace/vtrace/internal/kept"
)

// FuzzCompare: whatever has become of a file, each place of it is somewhere, or gone.
func FuzzCompare(f *testing.F) {
	f.Add(subFile, subFile)
	f.Add(subFile, "package sub\n\nfunc F() {{")
	f.Add("package p; func (", "\xff")
	f.Add("module m\n\nreplace a => ../a\n", "go 1.26")
	f.Fuzz(func(t *testing.T, was, now string) {
		b := artifact.New(artifact.Manifest{Pass: artifact.PassTranslate, Tool: "devel", Go: "go1.26.0", Entry: artifact.Entry{Package: "m", Func: "main"}})
		b.AddSource("x.go", []byte(was))
		b.AddSource("go.mod", []byte(was))
		built, err := b.Bundle()
		require.NoError(t, err)
		r := earlier.Result{Bundle: built, Root: "/root"}
		r.Elsewhere()
		c := r.Compare(func(name string) ([]byte, error) {
			if filepath.Base(name) != "x.go" {
				return nil, os.ErrNotExist
			}
			return []byte(now), nil
		})
		for line := range bytes.Count([]byte(was), []byte("\n")) + 3 {
			place, state := c.Locate("x.go", line, 1)
			require.Equal(t, filepath.Join("/root", "x.go"), place.File)
			if was == now {
				require.Equal(t, earlier.Elsewhere, state)
				require.Equal(t, line, place.Line)
			}
			if state == earlier.Elsewhere && line > 0 {
				require.Positive(t, place.Line)
			}
		}
	})
}

// FuzzKept: a record or a bundle that is broken is no result.
func FuzzKept(f *testing.F) {
	results := kept.Results{Dir: f.TempDir()}
	b := artifact.New(artifact.Manifest{Pass: artifact.PassTranslate, Tool: "devel", Go: "go1.26.0", Entry: artifact.Entry{Package: "m", Func: "main"}})
	b.SetFindings([]artifact.Finding{{Number: 1, Verdict: artifact.Possible, Kind: artifact.KindPanic}})
	built, err := b.Bundle()
	require.NoError(f, err)
	require.NoError(f, results.Put(map[string]any{"entry": built.Manifest().Entry}, built))
	kept, err := results.All()
	require.NoError(f, err)
	require.Len(f, kept, 1)
	records, err := filepath.Glob(filepath.Join(results.Dir, "records", "*"))
	require.NoError(f, err)
	require.Len(f, records, 1)
	whole, err := os.ReadFile(kept[0].Path)
	require.NoError(f, err)
	record, err := os.ReadFile(records[0])
	require.NoError(f, err)
	f.Add(record, whole)
	f.Add([]byte(`{"inputs":{"entry":7},"bundle":"`+built.Digest()+`"}`), whole[:len(whole)/2])
	f.Add([]byte(`{`), []byte(nil))
	f.Fuzz(func(t *testing.T, text, archive []byte) {
		require.NoError(t, os.WriteFile(records[0], text, 0o644))
		require.NoError(t, os.WriteFile(kept[0].Path, archive, 0o644))
		candidates, err := earlier.Candidates(results, func(artifact.Entry) bool { return true })
		require.NoError(t, err)
		for _, c := range candidates {
			var inputs struct {
				Inputs struct{ Entry artifact.Entry }
			}
			require.NoError(t, json.Unmarshal(text, &inputs))
			require.Equal(t, inputs.Inputs.Entry, c.Entry)
			_, ok := c.Best(results.Dir, os.ReadFile)
			require.False(t, ok, "it has no files by which it could be of a program")
		}
		found, err := earlier.Choice{Path: kept[0].Path}.Findings()
		switch {
		case bytes.Equal(archive, whole):
			require.NoError(t, err)
			require.Len(t, found, 1)
		case err != nil:
			var corrupt *artifact.CorruptError
			var version *artifact.VersionError
			require.True(t, errors.As(err, &corrupt) || errors.As(err, &version), "%v", err)
		}
	})
}
