package earlier

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/kept"
)

// A declaration is the text from its first line to its last one, and lines above it only move it.
func FuzzDeclarations(f *testing.F) {
	for _, s := range []string{
		"package p\n\nimport \"sync\"\n\nvar mu, b sync.Mutex\n\nfunc init() {}\n\nfunc init() { println() }\n\ntype T[P any] struct{}\n\nfunc (*T[P]) M() {}\n\nconst (\n\ta = iota\n)\n",
		"package p\n//line x.go:100\nfunc f() {\n/*line :7*/}; func g() {}\n", "package p\r\nfunc f() {\r\n\tx(`\r\n`)\r\n}\r\n", "\xef\xbb\xbfpackage p; type (); func (", "package p\nfunc (T) f() { {\nfunc g() {}\n", "func", "",
		"package p\nvar = 1\nvar = 2\nimport\nfunc ((((T)))) _() {}\n", "package p\nfunc f() \x00{\n}\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		d := declarationsOf(src)
		require.Len(t, d.order, len(d.decls))
		for _, name := range d.order {
			decl := d.decls[name]
			require.True(t, 1 <= decl.line && decl.line <= decl.end && decl.end <= d.lines, "%v %d %d", name, decl.line, decl.end)
			end := decl.line + strings.Count(decl.text, "\n")
			// go/token knows no line behind the last newline.
			atEnd := d.broken && strings.HasSuffix(decl.text, "\n")
			require.True(t, decl.end == end || atEnd && decl.end == end-1, "%v %d %d", name, decl.end, end)
			require.True(t, bytes.Contains(src, []byte(decl.text)))
			_, around := d.around(decl.line)
			require.NotNil(t, around)
		}
		if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) { // it is allowed at the beginning alone
			return
		}
		moved := declarationsOf(append([]byte("// x\n\n"), src...))
		require.Equal(t, d.order, moved.order)
		require.Equal(t, d.lines+2, moved.lines)
		for name, decl := range d.decls {
			require.Equal(t, declaration{decl.line + 2, decl.end + 2, decl.text}, *moved.decls[name])
		}
	})
}

// Very many declarations of one name, as init, take no longer than others.
func TestDeclarationsOfOneName(t *testing.T) {
	t.Parallel()
	const n = 200_000
	d := declarationsOf([]byte("package p\n" + strings.Repeat("var _ int\n", n)))
	require.Len(t, d.order, n)
	require.Equal(t, n+1, d.decls[declarationName{name: "_", n: n - 1}].line)
}

// Whatever stands in the records of a directory of results, each candidate is an entry point that
// was asked for, with bundles of that directory, no more than are looked at.
func FuzzCandidates(f *testing.F) {
	out := artifact.New(artifact.Manifest{Pass: artifact.PassFirst, Entry: artifact.Entry{Package: "p", Func: "TestA"}})
	out.SetFindings([]artifact.Finding{{File: "a.go", Line: 1}})
	b, err := out.Bundle()
	require.NoError(f, err)
	results := kept.Results{Dir: f.TempDir()}
	require.NoError(f, results.Put(map[string]any{"entry": b.Manifest().Entry}, b))
	whole, err := results.All()
	require.NoError(f, err)
	require.Len(f, whole, 1)
	for _, inputs := range []string{string(whole[0].Inputs), `{"entry":{"package":"p"}}`, `{"Entry":{"PACKAGE":"p"},"entry":null}`, `null`, `[]`, `{"entry":{"package":7}}`, `{"entry":{"package":"p","args":[[[]]]}}`, ``} {
		f.Add([]byte(fmt.Sprintf(`{"inputs":%s,"bundle":"%s"}`, inputs, b.Digest())), uint8(maxRecords+1))
	}
	f.Add([]byte(`{"inputs":{"entry":{"package":"p"}},"bundle":"../../x"}`), uint8(1))
	f.Add([]byte(`{"inputs":{"entry":{"package":"p"}},"bundle":"`+strings.Repeat("0", 64)+`"}`), uint8(1))
	f.Fuzz(func(t *testing.T, record []byte, n uint8) {
		dir := filepath.Join(results.Dir, "records")
		require.NoError(t, os.RemoveAll(dir))
		require.NoError(t, os.Mkdir(dir, 0o755))
		for i := range n % 16 {
			sum := sha256.Sum256([]byte{i})
			require.NoError(t, os.WriteFile(filepath.Join(dir, hex.EncodeToString(sum[:])+".json"), record, 0o600))
		}
		candidates, err := Candidates(results, func(e artifact.Entry) bool { return e.Package == "p" })
		require.NoError(t, err)
		require.LessOrEqual(t, len(candidates), 1) // all records are the same
		for _, c := range candidates {
			require.Equal(t, "p", c.Entry.Package)
			require.Len(t, c.Paths, 1)
			require.Equal(t, filepath.Join(results.Dir, "bundles"), filepath.Dir(c.Paths[0]))
			found, err := Choice{Path: c.Paths[0]}.Findings()
			if err == nil {
				require.Equal(t, b.Findings(), found)
			}
			require.Equal(t, c.Paths[0] == whole[0].Path, err == nil)
		}
	})
}
