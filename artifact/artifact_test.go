package artifact

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/source"
)

var sampleBounds = &Bounds{Objects: 1, Elements: 2, Entries: 1, Activations: 2, Sites: []SiteBound{
	{BoundSite: BoundSite{Kind: approximation.BoundObjects, File: "main.go", Line: 3, Col: 4}, N: 8},
	{BoundSite: BoundSite{Kind: approximation.BoundEntries, File: "main.go", Line: 5, Col: 1}, N: 1, Why: "with 2 the model would be too large", Query: 7},
}}

func sample(t testing.TB) *Bundle {
	b := New(Manifest{
		Pass: PassFirst, Tool: "v1.0.0", Go: "go1.26.8",
		Entry:   Entry{Package: "example.com/m", Func: "main"},
		Options: json.RawMessage(`{"search":{"maxMemory":1234567890123456789},"model":{"flags":["<>&"],"bounds":{}}}`),
	})
	b.SetModel([]byte("<nta/>"))
	b.SetQueries([]Query{{Number: 1, Formula: "A[] not Main.crash && x > 0", Kind: KindPanic}})
	b.SetSidecar(&Sidecar{Entry: Entry{Package: "example.com/m", Func: "main"}, Sites: []Site{{}}, Bounds: sampleBounds})
	path := b.AddTrace(1, 1, &Trace{Formula: "A[] not Main.crash", Result: "F", Lines: []string{"Main: a > b"}, Query: 1})
	b.SetVerdicts([]Verdict{{Query: 1, Result: "F", Traces: []string{path}}})
	b.SetFindings([]Finding{{Number: 1, Verdict: Possible, Kind: KindPanic, Query: 1}})
	b.SetRefutations(nil)
	b.AddTest(1, 1, []byte("package main\n"))
	b.AddSource("main.go", []byte("package main\n"))
	b.AddSource("a/b/Ω.go", []byte("package b\n"))
	b.AddSource("empty", nil)
	b.AddOverlay("main.go", []byte("package main\n"))
	b.AddLog("q1-1.log", bytes.Repeat([]byte("0.000s 0  :  main.go:1: x\n"), 200))
	out, err := b.Bundle()
	require.NoError(t, err)
	return out
}

func same(t *testing.T, want, got *Bundle) {
	t.Helper()
	require.Equal(t, string(want.encoded), string(got.encoded))
	require.True(t, reflect.DeepEqual(want.manifest, got.manifest))
	require.True(t, reflect.DeepEqual(want.files, got.files))
	require.True(t, reflect.DeepEqual(want.sidecar, got.sidecar))
	require.True(t, reflect.DeepEqual(want.Findings(), got.Findings()))
}

func TestSaveLoad(t *testing.T) {
	b := sample(t)
	dir := t.TempDir()
	for _, name := range []string{"b", "b.vtz"} {
		path := filepath.Join(dir, name)
		require.NoError(t, Save(b, path))
		require.NoError(t, Save(b, path), "replace")
		got, err := Load(path)
		require.NoError(t, err)
		same(t, b, got)
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 2, "no temporary files are left")

	require.Equal(t, "F", b.Verdicts()[0].Result)
	require.Equal(t, b.Trace(1, 1), b.TraceAt(b.Verdicts()[0].Traces[0]))
	require.Nil(t, b.Trace(1, 2))
	require.Nil(t, b.TraceAt("model.xml"))
	require.Equal(t, "A[] not Main.crash && x > 0", b.Queries()[0].Formula)
	require.NotNil(t, b.Refutations())
	require.Equal(t, "example.com/m", b.Sidecar().Entry.Package)
	require.Equal(t, sampleBounds, b.Sidecar().Bounds)
	require.Equal(t, "package b\n", string(b.SourceFiles()["a/b/Ω.go"]))

	src := filepath.Join(dir, "src")
	require.NoError(t, b.ExtractSource(src))
	data, err := os.ReadFile(filepath.Join(src, "a", "b", "Ω.go"))
	require.NoError(t, err)
	require.Equal(t, "package b\n", string(data))
	require.ErrorContains(t, b.ExtractSource(src), "not empty")
}

// Same inputs, same bytes, whatever the order and wherever it is saved.
func TestByteIdentity(t *testing.T) {
	var first []byte
	for range 3 {
		var buf bytes.Buffer
		require.NoError(t, WriteArchive(&buf, sample(t)))
		if first == nil {
			first = buf.Bytes()
		}
		require.Equal(t, first, buf.Bytes())
	}
	x := New(Manifest{Options: json.RawMessage(`{"search": {}, "model": {"bounds": {}}}`)})
	x.AddSource("p", []byte("1"))
	x.AddSource("q", []byte("2"))
	y := New(Manifest{Options: json.RawMessage(`{"model":{"bounds":{}},"search":{}}`)})
	y.AddSource("q", []byte("2"))
	y.AddSource("p", []byte("0"))
	y.AddSource("p", []byte("1"))
	bx, err := x.Bundle()
	require.NoError(t, err)
	by, err := y.Bundle()
	require.NoError(t, err)
	require.Equal(t, bx.Digest(), by.Digest())
	require.Equal(t, source.Digest([]source.File{{Path: "p", Data: []byte("1")}, {Path: "q", Data: []byte("2")}}), bx.Manifest().Source)
}

func TestExtend(t *testing.T) {
	parent := sample(t)
	b := Extend(parent, Manifest{Pass: PassDeep})
	b.Remove("overlay")
	b.Remove(FindingsPath)
	child, err := b.Bundle()
	require.NoError(t, err)
	require.Equal(t, parent.Digest(), child.Manifest().Parent)
	require.Equal(t, parent.Manifest().Source, child.Manifest().Source)
	_, ok := child.Read("overlay/main.go")
	require.False(t, ok)
	require.Nil(t, child.Findings())
	_, ok = parent.Read("overlay/main.go")
	require.True(t, ok)
	// What is handed out is the caller's own.
	data, _ := parent.Read(ModelPath)
	data[0] = 'X'
	require.Equal(t, "<nta/>", string(parent.Model()))
}

// TestAmend: a bundle with other files has the manifest of the one that it was, but for what follows from the files, and what
// has been put there anew is read again.
func TestAmend(t *testing.T) {
	first := sample(t)
	same, err := Amend(first).Bundle()
	require.NoError(t, err)
	require.Equal(t, first.Digest(), same.Digest())
	b := Amend(first)
	b.SetRuns(&Runs{Runs: 7})
	changed, err := b.Bundle()
	require.NoError(t, err)
	require.Equal(t, first.Manifest().Parent, changed.Manifest().Parent)
	require.Equal(t, 7, changed.Runs().Runs)
	b.Put(RunsPath, []byte("{"))
	_, err = b.Bundle()
	require.Error(t, err)
	_, err = Amend(nil).Bundle()
	require.Error(t, err)
}

// TestFindingsAreOwn: who has the findings of a bundle may set their fields, and append to their lists.
func TestFindingsAreOwn(t *testing.T) {
	b := New(Manifest{Pass: PassDeep})
	b.SetFindings([]Finding{{Number: 1, Verdict: Real, Goroutines: []FindingGoroutine{{G: "0"}, {G: "0.1"}, {G: "0.2"}}}})
	made, err := b.Bundle()
	require.NoError(t, err)
	for i := range 3 {
		all := made.Findings()
		require.Equal(t, Real, all[0].Verdict)
		require.Len(t, all[0].Goroutines, 3)
		mine := append(all[0].Goroutines, FindingGoroutine{G: "mine"})
		other := append(made.Findings()[0].Goroutines, FindingGoroutine{G: "other"})
		require.Equal(t, []string{"mine", "other"}, []string{mine[3].G, other[3].G}, "%d", i)
		all[0].Verdict, all[0].Goroutines = False, nil
	}
}

func TestLargeFile(t *testing.T) {
	oneGoroutine(t)
	b := New(Manifest{})
	data := bytes.Repeat([]byte("0123456789abcdef\n"), 4<<20)
	b.AddLog("big", data)
	big, err := b.Bundle()
	require.NoError(t, err)
	var buf bytes.Buffer
	require.NoError(t, WriteArchive(&buf, big))
	got, err := ReadArchive(&buf, DefaultLimits)
	require.NoError(t, err)
	require.Equal(t, big.Digest(), got.Digest())
}

func TestSaveRefusesOthers(t *testing.T) {
	b := sample(t)
	dir := t.TempDir()
	precious := filepath.Join(dir, "precious")
	require.NoError(t, os.Mkdir(precious, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(precious, "x"), nil, 0o644))
	require.ErrorContains(t, Save(b, precious), "not a bundle")
	require.ErrorContains(t, Save(b, filepath.Join(precious, "x")), "not a directory")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "d.vtz"), 0o755))
	require.ErrorContains(t, Save(b, filepath.Join(dir, "d.vtz")), "not a regular file")
	require.Error(t, Save(b, filepath.Join(dir, "none", "x.vtz")))
	require.Error(t, Save(b, filepath.Join(dir, "none", "x")))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2)
}

func TestBuilderErrors(t *testing.T) {
	for path, want := range map[string]string{
		"../x":                                "not a clean",
		"/etc/passwd":                         "not a clean",
		"source/../../x":                      "not a clean",
		"source//x":                           "not a clean",
		"source/":                             "not a clean",
		"":                                    "not a clean",
		".":                                   "not a clean",
		"source/a\\b":                         "backslash",
		"source/a\x00b":                       "control character",
		"source/\xff":                         "not a clean",
		"manifest.json":                       "not a file of a bundle",
		"model.txt":                           "not a file of a bundle",
		"source":                              "not a file of a bundle",
		"traces/q0-1.json":                    "not a file of a bundle",
		"traces/q1-01.json":                   "not a file of a bundle",
		"tests/q1-1.go":                       "not a file of a bundle",
		"source/" + strings.Repeat("x", 2000): "limit exceeded",
	} {
		b := New(Manifest{})
		b.Put(path, nil)
		_, err := b.Bundle()
		var c *CorruptError
		require.ErrorAs(t, err, &c, path)
		require.ErrorContains(t, err, want, path)
	}
	b := New(Manifest{})
	b.AddSource("a", nil)
	b.AddSource("a/b", nil)
	_, err := b.Bundle()
	require.ErrorContains(t, err, "both a file and a directory")
	_, err = New(Manifest{Options: json.RawMessage("{")}).Bundle()
	require.ErrorContains(t, err, "options")
}

type entry struct {
	name string
	typ  byte
	data string
}

// archive writes any tar: entries as they are.
func archive(t testing.TB, trailer string, entries ...entry) []byte {
	var buf bytes.Buffer
	z, err := zstd.NewWriter(&buf)
	require.NoError(t, err)
	w := tar.NewWriter(z)
	for _, e := range entries {
		hdr := &tar.Header{Name: e.name, Typeflag: e.typ, Mode: 0o644}
		if e.typ == tar.TypeReg {
			hdr.Size = int64(len(e.data))
		} else {
			hdr.Linkname = e.data
		}
		require.NoError(t, w.WriteHeader(hdr))
		if e.typ == tar.TypeReg {
			_, err := w.Write([]byte(e.data))
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	_, err = z.Write([]byte(trailer))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return buf.Bytes()
}

func entriesOf(b *Bundle) []entry {
	out := []entry{{manifestPath, tar.TypeReg, string(b.encoded)}}
	for _, f := range b.manifest.Files {
		out = append(out, entry{f.Path, tar.TypeReg, string(b.files[f.Path])})
	}
	return out
}

func TestArchiveAttacks(t *testing.T) {
	oneGoroutine(t)
	b := sample(t)
	good := entriesOf(b)
	got, err := ReadArchive(bytes.NewReader(archive(t, strings.Repeat("\x00", 5000), good...)), DefaultLimits)
	require.NoError(t, err)
	same(t, b, got)

	with := func(e ...entry) []entry { return append(append([]entry{}, good...), e...) }
	manifest := func(edit func(m *Manifest)) []entry {
		m := b.Manifest()
		edit(&m)
		data, err := m.encode()
		require.NoError(t, err)
		return append([]entry{{manifestPath, tar.TypeReg, string(data)}}, good[1:]...)
	}
	raw := func(old, new string) []entry {
		return append([]entry{{manifestPath, tar.TypeReg, strings.Replace(string(b.encoded), old, new, 1)}}, good[1:]...)
	}
	for name, tc := range map[string]struct {
		entries []entry
		trailer string
		file    string
		want    string
	}{
		"escape":             {entries: with(entry{"../evil", tar.TypeReg, "x"}), file: "../evil", want: "clean"},
		"absolute":           {entries: with(entry{"/evil", tar.TypeReg, "x"}), file: "/evil", want: "clean"},
		"symlink":            {entries: with(entry{"source/l", tar.TypeSymlink, "/etc/passwd"}), file: "source/l", want: "regular"},
		"hard link":          {entries: with(entry{"source/l", tar.TypeLink, "main.go"}), file: "source/l", want: "regular"},
		"device":             {entries: with(entry{"source/l", tar.TypeChar, ""}), file: "source/l", want: "regular"},
		"directory":          {entries: with(entry{"source/", tar.TypeDir, ""}), file: "source/", want: "regular"},
		"duplicate":          {entries: with(good[1]), file: good[1].name, want: "twice"},
		"second manifest":    {entries: with(good[0]), file: manifestPath, want: "twice"},
		"unknown":            {entries: with(entry{"run.sh", tar.TypeReg, "x"}), file: "run.sh", want: "not a file of a bundle"},
		"unlisted":           {entries: with(entry{"source/new.go", tar.TypeReg, "x"}), file: "source/new.go", want: "not listed"},
		"manifest not first": {entries: good[1:], file: good[1].name, want: "in front"},
		"empty":              {file: manifestPath, want: "missing"},
		"missing file":       {entries: good[:len(good)-1], file: good[len(good)-1].name, want: "missing"},
		"changed file":       {entries: append(append([]entry{}, good[:len(good)-1]...), entry{good[len(good)-1].name, tar.TypeReg, strings.Replace(good[len(good)-1].data, "F", "T", 1)}), file: good[len(good)-1].name, want: "digest"},
		"trailing data":      {entries: good, trailer: "x", want: "behind the end"},
		"other format":       {entries: raw(Format, "zip"), file: manifestPath, want: "format"},
		"parent":             {entries: manifest(func(m *Manifest) { m.Parent = "../parent" }), file: manifestPath, want: "no digest"},
		"negative size":      {entries: manifest(func(m *Manifest) { m.Files[0].Size = -1 }), file: good[1].name, want: "bytes"},
		"repository":         {entries: with(entry{"source/.git/config", tar.TypeReg, "x"}), file: "source/.git/config", want: "repository"},
		"unknown field":      {entries: raw(`"pass"`, `"extra": 1, "pass"`), file: manifestPath, want: "unknown field"},
		"not canonical":      {entries: raw(`"pass"`, ` "pass"`), file: manifestPath, want: "canonical"},
		"not JSON":           {entries: raw(`{`, ``), file: manifestPath, want: "invalid"},
		"size":               {entries: manifest(func(m *Manifest) { m.Files[0].Size++ }), file: good[1].name, want: "bytes, want"},
		"digest":             {entries: manifest(func(m *Manifest) { m.Files[0].SHA256 = strings.Repeat("0", 64) }), file: good[1].name, want: "digest"},
		"source digest":      {entries: manifest(func(m *Manifest) { m.Source = "" }), file: manifestPath, want: "source files"},
		"unsorted":           {entries: manifest(func(m *Manifest) { m.Files[0], m.Files[1] = m.Files[1], m.Files[0] }), file: manifestPath, want: "sorted"},
		"listed twice":       {entries: manifest(func(m *Manifest) { m.Files[1] = m.Files[0] }), file: manifestPath, want: "sorted"},
		"escape in manifest": {entries: manifest(func(m *Manifest) { m.Files[0].Path = "../x" }), file: "../x", want: "clean"},
	} {
		t.Run(name, func(t *testing.T) {
			data := archive(t, tc.trailer, tc.entries...)
			agree(t, data, DefaultLimits)
			_, err := ReadArchive(bytes.NewReader(data), DefaultLimits)
			var c *CorruptError
			require.ErrorAs(t, err, &c)
			require.Equal(t, tc.file, c.File)
			require.ErrorContains(t, err, tc.want)
		})
	}

	for version, want := range map[string]VersionError{
		`8, "new": {}`:          {Found: 8, Known: Version},
		`0`:                     {Found: 0, Known: Version},
		`-1`:                    {Found: -1, Known: Version},
		`"two"`:                 {Text: `"two"`, Known: Version},
		`2.5`:                   {Text: `2.5`, Known: Version},
		`123456789012345678901`: {Text: `123456789012345678901`, Known: Version},
		`null`:                  {Text: `null`, Known: Version},
	} {
		_, err = ReadArchive(bytes.NewReader(archive(t, "", raw(fmt.Sprintf(`"version": %d`, Version), `"version": `+version)...)), DefaultLimits)
		var v *VersionError
		require.ErrorAs(t, err, &v, version)
		require.Equal(t, want, *v)
	}
	// Bundles of older versions are read as they are.
	old := raw(fmt.Sprintf(`"version": %d`, Version), `"version": 1`)
	got, err = ReadArchive(bytes.NewReader(archive(t, "", old...)), DefaultLimits)
	require.NoError(t, err)
	require.Equal(t, 1, got.Manifest().Version)

	whole := archive(t, "", good...)
	for _, cut := range []int{0, 3, len(whole) / 2, len(whole) - 1} {
		_, err := ReadArchive(bytes.NewReader(whole[:cut]), DefaultLimits)
		require.Error(t, err)
	}
}

// A broken file with a right digest is still broken.
func TestContent(t *testing.T) {
	for path, data := range map[string]string{
		QueriesPath:        `{}`,
		SidecarPath:        `{"nonsense": 1}`,
		VerdictsPath:       `[] []`,
		RefutationsPath:    ``,
		FactsPath:          `[{"met": "often"}]`,
		FindingsPath:       `[{"number": "x"}]`,
		RacesPath:          `[]`,
		RunsPath:           `[]`,
		"traces/q1-1.json": `[]`,
	} {
		b := New(Manifest{})
		b.Put(path, []byte(data))
		_, err := b.Bundle()
		var c *CorruptError
		require.ErrorAs(t, err, &c, path)
		require.Equal(t, path, c.File)
	}
}

func TestLimits(t *testing.T) {
	oneGoroutine(t)
	b := sample(t)
	data := archive(t, "", entriesOf(b)...)
	dir := filepath.Join(t.TempDir(), "b")
	require.NoError(t, Save(b, dir))
	for name, lim := range map[string]Limits{
		"files":   {Files: 3, File: 1 << 20, Total: 1 << 20, Path: 100},
		"file":    {Files: 100, File: 10, Total: 1 << 20, Path: 100},
		"total":   {Files: 100, File: 1 << 20, Total: 5000, Path: 100},
		"decoded": {Files: 100, File: 1 << 20, Total: 1 << 20, Path: 100, Decoded: 500},
		"path":    {Files: 100, File: 1 << 20, Total: 1 << 20, Path: 10},
	} {
		_, err := ReadArchive(bytes.NewReader(data), lim)
		require.ErrorIs(t, err, ErrLimit, name)
		_, err = LoadLimited(dir, lim)
		require.ErrorIs(t, err, ErrLimit, name)
	}
	// A bomb: a gigabyte of zeros in a few kilobytes.
	var bomb bytes.Buffer
	z, err := zstd.NewWriter(&bomb)
	require.NoError(t, err)
	w := tar.NewWriter(z)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: manifestPath, Typeflag: tar.TypeReg, Size: int64(len(b.encoded))}))
	_, err = w.Write(b.encoded)
	require.NoError(t, err)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "logs/x", Typeflag: tar.TypeReg, Size: 64 << 20}))
	_, err = w.Write(make([]byte, 64<<20))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	_, err = ReadArchive(&bomb, Limits{Files: 100, File: 1 << 20, Total: 1 << 20, Path: 100})
	require.ErrorIs(t, err, ErrLimit)
}

func TestDirectoryAttacks(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(dir string) error
		want string
	}{
		"symlink to a file": {func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "model.xml")), os.Symlink("queries.json", filepath.Join(dir, "model.xml")))
		}, "not a regular file"},
		"symlink to a directory": {func(dir string) error { return os.Symlink(os.TempDir(), filepath.Join(dir, "logs", "l")) }, "not a regular file"},
		"manifest as symlink": {func(dir string) error {
			return errors.Join(os.Rename(filepath.Join(dir, "manifest.json"), filepath.Join(dir, "m")), os.Symlink("m", filepath.Join(dir, "manifest.json")))
		}, "not a regular file"},
		"no manifest": {func(dir string) error { return os.Remove(filepath.Join(dir, "manifest.json")) }, "missing"},
		"missing":     {func(dir string) error { return os.Remove(filepath.Join(dir, "source", "main.go")) }, "missing"},
		"unknown":     {func(dir string) error { return os.WriteFile(filepath.Join(dir, ".hidden"), nil, 0o644) }, "not a file of a bundle"},
		"unlisted":    {func(dir string) error { return os.WriteFile(filepath.Join(dir, "logs", "x"), nil, 0o644) }, "not listed"},
		"changed": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "source", "main.go"), []byte("package MAIN\n"), 0o644)
		}, "digest"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "b")
			require.NoError(t, Save(sample(t), dir))
			require.NoError(t, tc.edit(dir))
			_, err := Load(dir)
			var c *CorruptError
			require.ErrorAs(t, err, &c)
			require.ErrorContains(t, err, tc.want)
		})
	}
	_, err := Load(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// Reading never panics, and what is accepted is written and read back the same.
func FuzzReadArchive(f *testing.F) {
	b := sample(f)
	f.Add(archive(f, "", entriesOf(b)...))
	var buf bytes.Buffer
	require.NoError(f, WriteArchive(&buf, b))
	f.Add(buf.Bytes())
	f.Add([]byte{})
	lim := Limits{Files: 100, File: 1 << 20, Total: 4 << 20, Path: 256}
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzOne(t, data, lim)
	})
}

// The same below the compression, where mutations reach further.
func FuzzReadTar(f *testing.F) {
	b := sample(f)
	z, err := zstd.NewReader(nil)
	require.NoError(f, err)
	plain, err := z.DecodeAll(archive(f, "", entriesOf(b)...), nil)
	require.NoError(f, err)
	f.Add(plain)
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	require.NoError(f, err)
	lim := Limits{Files: 100, File: 1 << 20, Total: 4 << 20, Path: 256}
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzOne(t, enc.EncodeAll(data, nil), lim)
	})
}

func fuzzOne(t *testing.T, data []byte, lim Limits) {
	agree(t, data, lim)
	b, err := ReadArchive(bytes.NewReader(data), lim)
	if err != nil {
		return
	}
	var buf bytes.Buffer
	require.NoError(t, WriteArchive(&buf, b))
	again, err := ReadArchive(&buf, lim)
	require.NoError(t, err)
	same(t, b, again)
	for _, p := range b.Paths() {
		require.True(t, filepath.IsLocal(p))
	}
}

// A bundle has files of modules only as a module proxy names them.
func TestModuleNames(t *testing.T) {
	for name, ok := range map[string]bool{"example.com/m/@v/v1.0.0.zip": true, "example.com/m/@v/list": false, "v1.0.0.zip": false} {
		b := New(Manifest{})
		b.AddModule(name, []byte("x"))
		_, err := b.Bundle()
		if ok {
			require.NoError(t, err, name)
			continue
		}
		var corrupt *CorruptError
		require.ErrorAs(t, err, &corrupt, name)
	}
}
