package bundle

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// stored loads a bundle that package main keeps.
func stored(t testing.TB, name string) *artifact.Bundle {
	t.Helper()
	b, err := artifact.Load(storedPath(name))
	require.NoError(t, err)
	return b
}

func storedPath(name string) string {
	return filepath.Join("../cmd/vtrace/testdata/bundles", fmt.Sprint("v", artifact.Version), name)
}

// changed is a bundle after an edit of its manifest and of its files.
func changed(t testing.TB, b *artifact.Bundle, edit func(m *artifact.Manifest, files map[string]string)) *artifact.Bundle {
	t.Helper()
	m, files := b.Manifest(), map[string]string{}
	for _, p := range b.Paths() {
		data, _ := b.Read(p)
		files[p] = string(data)
	}
	edit(&m, files)
	out := artifact.New(m)
	for p, text := range files {
		out.Put(p, []byte(text))
	}
	made, err := out.Bundle()
	require.NoError(t, err)
	return made
}

func TestVerify(t *testing.T) {
	for _, name := range []string{"translate", "first.vtz", "second.vtz", "deep.vtz"} {
		require.Empty(t, Verify(stored(t, name)), name)
	}
	require.NotEmpty(t, Verify(nil))
	deep := stored(t, "deep.vtz")
	replace := func(file, from, to string) func(*artifact.Manifest, map[string]string) {
		return func(_ *artifact.Manifest, files map[string]string) {
			require.Contains(t, files[file], from, file)
			files[file] = strings.Replace(files[file], from, to, 1)
		}
	}
	remove := func(file string) func(*artifact.Manifest, map[string]string) {
		return func(_ *artifact.Manifest, files map[string]string) {
			require.Contains(t, files, file)
			delete(files, file)
		}
	}
	for name, c := range map[string]struct {
		edit       func(*artifact.Manifest, map[string]string)
		file, text string
	}{
		"no field":   {replace("findings.json", `"message": "send on closed channel",`, ""), "findings.json", "missing property 'message'"},
		"other case": {replace("findings.json", `"verdict"`, `"Verdict"`), "findings.json", "'Verdict' not allowed"},
		"no word":    {replace("findings.json", `"verdict": "real"`, `"verdict": "sure"`), "findings.json", "value must be one of"},
		"no pass":    {func(m *artifact.Manifest, _ map[string]string) { m.Pass = "last" }, "manifest.json", `no pass "last"`},
		"no model":   {remove("model.xml"), "model.xml", "missing in a bundle of the deep pass"},
		"no parent":  {func(m *artifact.Manifest, _ map[string]string) { m.Parent = "" }, "manifest.json", "has a parent"},
		"a parent":   {func(m *artifact.Manifest, _ map[string]string) { m.Pass = artifact.PassFirst }, "manifest.json", "has no parent"},
		"no program": {func(_ *artifact.Manifest, f map[string]string) {
			delete(f, "source/go.mod")
			delete(f, "source/main.go")
		}, "manifest.json", "no files of a program"},
		"another entry":        {func(m *artifact.Manifest, _ map[string]string) { m.Entry.Func = "TestX" }, "sidecar.json", "the entry is"},
		"a model that is none": {replace("model.xml", "<nta>", "<nta"), "model.xml", ""},
		"a template less":      {replace("model.xml", "<name>T_main</name>", "<name>T_other</name>"), "sidecar.json", "and in the model \"T_other\""},
		"a number of a site":   {replace("sidecar.json", `"id": 3`, `"id": 4`), "sidecar.json", "site 3 has the number 4"},
		"a key twice":          {replace("sidecar.json", `"key": "example.com/lost.main@2"`, `"key": "example.com/lost.main@1"`), "sidecar.json", "have one key"},
		"a file of a site":     {remove("source/main.go"), "sidecar.json", `no file "main.go"`},
		"an edge's site":       {replace("sidecar.json", `"site": 3,`, `"site": 99,`), "sidecar.json", "there is no site 99"},
		"a query twice":        {replace("queries.json", `"number": 3`, `"number": 1`), "queries.json", "there are two"},
		"a formula":            {replace("queries.json", `"formula": "A[] not`, `"formula": "A[[ not`), "queries.json", "query 1"},
		"a verdict's query":    {replace("verdicts.json", `"query": 1`, `"query": 77`), "verdicts.json", "there is no query 77"},
		"a verdict's trace":    {remove("traces/q1-2.json"), "verdicts.json", `there is no trace "traces/q1-2.json"`},
		"a trace of another":   {replace("traces/q1-1.json", `"query": 1`, `"query": 5`), "traces/q1-1.json", "of query 5"},
		"a trace of no query":  {func(_ *artifact.Manifest, f map[string]string) { f["traces/q90-1.json"] = f["traces/q1-1.json"] }, "traces/q90-1.json", "there is no query 90"},
		"a number without end": {func(_ *artifact.Manifest, f map[string]string) {
			f["tests/q"+strings.Repeat("9", 30)+"-1_test.go"] = ""
		}, "", "too large"},
		"an edge of a trace":   {replace("traces/q1-1.json", `"edge": 1`, `"edge": 100`), "traces/q1-1.json", "no edge 100"},
		"an end of a trace":    {replace("traces/q1-1.json", `"location": `, `"location": 10`), "traces/q1-1.json", "no location 10"},
		"a test without trace": {func(_ *artifact.Manifest, f map[string]string) { f["tests/q1-99_test.go"] = "package main\n" }, "tests/q1-99_test.go", "no trace"},
		"a plan without site":  {replace("traces/q1-1.json", `"query": 1,`, `"query": 1, "plan": {"steps": [{"g": "0", "site": "nowhere#1", "trace": 0}], "expect": {"kind": "panic", "goroutines": []}},`), "traces/q1-1.json", `no site "nowhere#1"`},
		"a finding's query":    {replace("findings.json", `"query": 5`, `"query": 50`), "findings.json", "there is no query 50"},
		"a finding's test":     {remove("tests/q5-1_test.go"), "findings.json", `no file "tests/q5-1_test.go"`},
		"a finding's site":     {replace("findings.json", `"site": "example.com/lost.main#4"`, `"site": "example.com/lost.main#44"`), "findings.json", `no site "example.com/lost.main#44"`},
		"a refutation's query": {replace("refutations.json", `"query": 1`, `"query": 88`), "refutations.json", "there is no query 88"},
		"an edge of a fact":    {replace("facts.json", `"edge": `, `"edge": 9`), "facts.json", "there is no edge 9"},
		"a module without a sum": {func(_ *artifact.Manifest, f map[string]string) {
			f["source/go.sum"] = "example.com/m v1.0.0/go.mod h1:x\n"
			f["modules/example.com/m/@v/v1.0.0.mod"], f["modules/example.com/m/@v/v1.0.0.zip"] = "", ""
		}, "modules/example.com/m/@v/v1.0.0.zip", "no go.sum"},
		"a go.mod without a sum": {func(_ *artifact.Manifest, f map[string]string) {
			f["source/go.sum"] = "example.com/m v1.0.0 h1:x\n"
			f["modules/example.com/m/@v/v1.0.0.mod"] = ""
		}, "modules/example.com/m/@v/v1.0.0.mod", "no go.sum"},
		"a module without go.mod": {func(_ *artifact.Manifest, f map[string]string) {
			f["source/go.sum"] = "example.com/m v1.0.0 h1:x\n"
			f["modules/example.com/m/@v/v1.0.0.zip"] = ""
		}, "modules/example.com/m/@v/v1.0.0.zip", "no .mod file"},
		"a date of a module": {func(_ *artifact.Manifest, f map[string]string) {
			f["modules/example.com/m/@v/v1.0.0.info"] = `{"Version":"v1.0.0","Time":"2020-01-02T03:04:05Z"}`
		}, "modules/example.com/m/@v/v1.0.0.info", "without dates"},
		"no instrumented program": {func(_ *artifact.Manifest, f map[string]string) {
			for p := range f {
				if strings.HasPrefix(p, "overlay/") {
					delete(f, p)
				}
			}
		}, "overlay", "missing"},
	} {
		t.Run(name, func(t *testing.T) {
			problems := Verify(changed(t, deep, c.edit))
			require.NotEmpty(t, problems)
			found := slices.ContainsFunc(problems, func(p Problem) bool {
				return (c.file == "" || p.File == c.file) && strings.Contains(p.Text, c.text)
			})
			require.True(t, found, "%v", problems)
		})
	}
}

func TestVerifyParent(t *testing.T) {
	first, second, deep := stored(t, "first.vtz"), stored(t, "second.vtz"), stored(t, "deep.vtz")
	require.Empty(t, VerifyParent(deep, second))
	require.Empty(t, VerifyParent(second, first))
	slim, err := Slim(deep)
	require.NoError(t, err)
	require.Empty(t, VerifyParent(slim, deep))
	require.Empty(t, VerifyParent(slim, second))
	require.NotEmpty(t, VerifyParent(deep, first))
	for text, edit := range map[string]func(*artifact.Manifest, map[string]string){
		"the entry":               func(m *artifact.Manifest, _ map[string]string) { m.Entry.Func = "other" },
		"files of the program":    func(_ *artifact.Manifest, f map[string]string) { f["source/x"] = "" },
		"the translate pass does": func(m *artifact.Manifest, _ map[string]string) { m.Pass = artifact.PassTranslate },
	} {
		problems := VerifyParent(changed(t, deep, edit), second)
		require.Len(t, problems, 1)
		require.Contains(t, problems[0].Text, text)
	}
}

func TestDiff(t *testing.T) {
	a := stored(t, "deep.vtz")
	d, err := Diff(a, a)
	require.NoError(t, err)
	require.True(t, d.Same())
	require.Empty(t, d.String())
	b := changed(t, a, func(m *artifact.Manifest, f map[string]string) {
		m.Tool = "v9"
		f["source/main.go"] += "\n"
		f["source/new.go"] = "package main\n"
		f["findings.json"] = strings.Replace(f["findings.json"], `"verdict": "real"`, `"verdict": "unconfirmed"`, 1)
		f["verdicts.json"] = strings.Replace(f["verdicts.json"], `"result": "T"`, `"result": "M"`, 1)
		f["model.xml"] += "\n"
		delete(f, "logs/q5-1.log")
	})
	d, err = Diff(a, b)
	require.NoError(t, err)
	require.False(t, d.Same())
	require.Equal(t, []Change{{"vtrace", "devel", "v9"}}, d.Manifest)
	require.Equal(t, Files{Added: []string{"new.go"}, Changed: []string{"main.go"}}, d.Program)
	require.True(t, d.Model)
	require.Len(t, d.Queries, 1)
	require.Equal(t, []string{"satisfied", "undecided"}, []string{d.Queries[0].A, d.Queries[0].B})
	require.Equal(t, []Change{{"deadlock at example.com/lost.main#4: all goroutines are asleep, main at receive in main", "real", "unconfirmed"}}, d.Findings)
	require.Equal(t, []string{"logs/q5-1.log"}, d.Files.Removed)
	require.Equal(t, []string{"findings.json", "model.xml", "verdicts.json"}, d.Files.Changed)
	for _, want := range []string{"  ~ vtrace: devel -> v9\n", "  + new.go\n", "real -> unconfirmed\n", "1 removed, 3 changed"} {
		require.Contains(t, d.String(), want)
	}
	back, err := Diff(b, a)
	require.NoError(t, err)
	require.Equal(t, []string{"new.go"}, back.Program.Removed)
	first, err := Diff(stored(t, "translate"), a)
	require.NoError(t, err)
	require.Len(t, first.Findings, 3) // all new
	require.Contains(t, first.String(), "  + deadlock at ")
	_, err = Diff(nil, a)
	require.Error(t, err)
}

func TestSlim(t *testing.T) {
	for _, name := range []string{"translate", "first.vtz", "second.vtz", "deep.vtz"} {
		b := stored(t, name)
		s, err := Slim(b)
		require.NoError(t, err)
		require.Empty(t, Verify(s), name)
		require.Equal(t, b.Findings(), s.Findings())
		require.Equal(t, b.Manifest().Source, s.Manifest().Source)
		require.Equal(t, b.Manifest().Parent, s.Manifest().Parent)
		if name != "deep.vtz" {
			require.Equal(t, b.Digest(), s.Digest()) // nothing to leave out
			continue
		}
		require.Equal(t, b.Digest(), s.Manifest().SlimmedFrom)
		require.Less(t, len(s.Paths()), len(b.Paths()))
		kept := map[int]string{}
		for _, v := range s.Verdicts() {
			kept[v.Query] = v.Result
			require.LessOrEqual(t, len(v.Traces), 1)
		}
		for _, v := range b.Verdicts() {
			require.Equal(t, v.Result, kept[v.Query])
		}
		for _, p := range s.Paths() {
			require.False(t, strings.HasPrefix(p, "logs/") || p == artifact.FactsPath || p == artifact.RefutationsPath, p)
		}
		again, err := Slim(s)
		require.NoError(t, err)
		require.Equal(t, s.Digest(), again.Digest())
	}
	// One of an older version becomes one of the newest.
	old, err := artifact.Load("../cmd/vtrace/testdata/bundles/v1/deep.vtz")
	require.NoError(t, err)
	s, err := Slim(old)
	require.NoError(t, err)
	require.Empty(t, Verify(s))
	require.Equal(t, old.Options(), s.Options())
	require.Equal(t, old.Digest(), s.Manifest().SlimmedFrom)
	_, err = Slim(nil)
	require.Error(t, err)
}

func TestExtract(t *testing.T) {
	b := stored(t, "deep.vtz")
	dir := filepath.Join(t.TempDir(), "out")
	done, err := Extract(b, dir)
	require.NoError(t, err)
	require.Len(t, done, len(b.Paths())+1)
	again, err := artifact.Load(dir) // the directory form
	require.NoError(t, err)
	require.Equal(t, b.Digest(), again.Digest())
	// Nothing is replaced.
	_, err = Extract(b, dir, "model.xml")
	require.ErrorIs(t, err, fs.ErrExist)

	dir = t.TempDir()
	done, err = Extract(b, dir, "source", "traces/q5-1.json", "source/main.go")
	require.NoError(t, err)
	require.Equal(t, []string{"source/go.mod", "source/main.go", "traces/q5-1.json"}, done)
	for _, name := range []string{"nothing", "../x", "/etc/passwd", "sour", ""} {
		_, err = Extract(b, dir, name)
		require.ErrorIs(t, err, fs.ErrNotExist, name)
	}

	// Links that are there lead nowhere else.
	outside := t.TempDir()
	dir = t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "source")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "file"), filepath.Join(dir, "model.xml")))
	for _, name := range []string{"source", "model.xml"} {
		_, err = Extract(b, dir, name)
		require.Error(t, err, name)
	}
	left, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Empty(t, left)
	_, err = Extract(nil, dir)
	require.Error(t, err)
	_, err = Extract(b, "")
	require.Error(t, err)
}

func TestMerge(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "all")
	other := changed(t, stored(t, "deep.vtz"), func(m *artifact.Manifest, f map[string]string) {
		m.Entry.Func = "TestLost"
		f["sidecar.json"] = strings.Replace(f["sidecar.json"], `"func": "main"`, `"func": "TestLost"`, 1)
		f["findings.json"] = strings.Replace(f["findings.json"], `"verdict": "real"`, `"verdict": "unconfirmed"`, 1)
	})
	file := filepath.Join(t.TempDir(), "other.vtz")
	require.NoError(t, artifact.Save(other, file))
	paths := []string{file, storedPath("first.vtz"), storedPath("second.vtz"), storedPath("deep.vtz"), storedPath("deep.vtz")}
	c, err := Merge(t.Context(), dir, artifact.OpenOptions{}, paths...)
	require.NoError(t, err)
	require.Len(t, c.Bundles, 4)
	superseded := 0
	for _, b := range c.Bundles {
		again, err := artifact.Load(filepath.Join(dir, b.Path))
		require.NoError(t, err)
		require.Equal(t, b.Digest, again.Digest())
		if b.SupersededBy != "" {
			superseded++
			require.NotEqual(t, artifact.PassDeep, b.Stage)
		}
	}
	require.Equal(t, 2, superseded)
	require.Len(t, c.Findings, 3)
	require.Equal(t, artifact.Real, c.Findings[0].Verdict)
	require.Equal(t, artifact.KindDeadlock, c.Findings[0].Kind)
	require.Equal(t, []string{"main real", "TestLost unconfirmed"}, []string{
		c.Findings[0].Seen[0].Entry + " " + c.Findings[0].Seen[0].Verdict, c.Findings[0].Seen[1].Entry + " " + c.Findings[0].Seen[1].Verdict,
	})
	require.Equal(t, artifact.False, c.Findings[1].Verdict)
	require.Contains(t, c.String(), "REAL: deadlock at main.go:13:3 in example.com/lost.main\n")

	// The order of the bundles makes no difference.
	want, err := os.ReadFile(filepath.Join(dir, CollectionFile))
	require.NoError(t, err)
	slices.Reverse(paths)
	second := t.TempDir()
	_, err = Merge(t.Context(), second, artifact.OpenOptions{}, paths...)
	require.NoError(t, err)
	got, err := os.ReadFile(filepath.Join(second, CollectionFile))
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
	var read Collection
	require.NoError(t, json.Unmarshal(got, &read))
	require.Equal(t, *c, read)

	_, err = Merge(t.Context(), dir, artifact.OpenOptions{}, paths...)
	require.ErrorIs(t, err, fs.ErrExist)
	// What fails leaves nothing.
	third := filepath.Join(t.TempDir(), "third")
	_, err = Merge(t.Context(), third, artifact.OpenOptions{}, append(paths, "nowhere.vtz")...)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoDirExists(t, third)
	_, err = Merge(t.Context(), third, artifact.OpenOptions{})
	require.Error(t, err)
}

func TestIndex(t *testing.T) {
	dir := t.TempDir()
	deep := stored(t, "deep.vtz")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755))
	require.NoError(t, artifact.Save(deep, filepath.Join(dir, "a", "b", "deep.vtz")))
	require.NoError(t, artifact.Save(stored(t, "first.vtz"), filepath.Join(dir, "first")))
	require.NoError(t, artifact.Save(changed(t, deep, func(m *artifact.Manifest, _ map[string]string) { m.Entry.Package = "=cmd|x" }), filepath.Join(dir, "formula.vtz")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "broken.vtz"), []byte("no archive"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "site"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "site", "manifest.json"), []byte(`{"name": "of something else"}`), 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "newer"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "newer", "manifest.json"), fmt.Appendf(nil, `{"format": %q, "version": 99}`, artifact.Format), 0o644))
	require.NoError(t, os.Symlink(filepath.Join(dir, "first"), filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink(filepath.Join(dir, "formula.vtz"), filepath.Join(dir, "link.vtz")))

	var got []Entry
	collect := func(e Entry) error { got = append(got, e); return nil }
	require.NoError(t, Index(t.Context(), dir, artifact.OpenOptions{Limits: IndexLimits}, collect))
	var paths []string
	for _, e := range got {
		paths = append(paths, e.Path)
	}
	require.Equal(t, []string{"a/b/deep.vtz", "broken.vtz", "first", "formula.vtz", "newer"}, paths)
	e := got[0]
	require.Equal(t, deep.Digest(), e.Digest)
	require.Equal(t, []string{"example.com/lost", "main", "deep"}, []string{e.Program, e.Entry, e.Stage})
	require.Equal(t, map[string]int{"T": 2, "F": 3}, e.Verdicts)
	require.Equal(t, map[string]int{"real": 1, "false": 2}, e.Findings)
	require.Equal(t, []Found{{1, "real", "deadlock", "main.go", 13, "all goroutines are asleep, main at receive", "tests/q5-1_test.go"}}, e.Found)
	require.NotEmpty(t, got[1].Error)
	require.Empty(t, got[1].Digest)
	require.NotContains(t, got[1].Error, dir) // the entry has the path
	require.Contains(t, got[4].Error, "newer")

	var table bytes.Buffer
	out := csv.NewWriter(&table)
	require.NoError(t, out.Write(Columns()))
	for _, e := range got {
		require.NoError(t, out.Write(e.Row()))
	}
	out.Flush()
	rows, err := csv.NewReader(&table).ReadAll() // of one length
	require.NoError(t, err)
	require.Len(t, rows, 6)
	require.Equal(t, "'=cmd|x", rows[4][slices.Index(rows[0], "program")])
	require.Equal(t, "real deadlock main.go:13", rows[1][slices.Index(rows[0], "found")])
	require.Equal(t, "1", rows[1][slices.Index(rows[0], "real")])

	// What is too large is listed as such, an error ends the walk, and so does the context.
	got = nil
	require.NoError(t, Index(t.Context(), dir, artifact.OpenOptions{Limits: artifact.Limits{Total: 1000}}, collect))
	require.Contains(t, got[0].Error, "limit")
	stop := errors.New("stop")
	require.ErrorIs(t, Index(t.Context(), dir, artifact.OpenOptions{Limits: IndexLimits}, func(Entry) error { return stop }), stop)
	require.Error(t, Index(t.Context(), filepath.Join(dir, "nowhere"), artifact.OpenOptions{Limits: IndexLimits}, collect))
	require.Error(t, Index(t.Context(), filepath.Join(dir, "notes.txt"), artifact.OpenOptions{Limits: IndexLimits}, collect))
}

// tiny makes a folder of n small bundles.
func tiny(t testing.TB, n int) string {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		b := artifact.New(artifact.Manifest{Pass: artifact.PassFirst, Tool: "v1", Entry: artifact.Entry{Package: fmt.Sprintf("example.com/p%d", i), Func: "main"}})
		b.AddSource("main.go", fmt.Appendf(nil, "package main // %d\n", i))
		b.SetVerdicts([]artifact.Verdict{{Query: 1, Result: "T"}, {Query: 2, Result: "F"}})
		b.SetFindings([]artifact.Finding{{Number: 1, Verdict: artifact.Possible, Kind: artifact.KindPanic, Query: 2}})
		made, err := b.Bundle()
		require.NoError(t, err)
		sub := filepath.Join(dir, fmt.Sprint(i%50))
		require.NoError(t, os.MkdirAll(sub, 0o755))
		require.NoError(t, artifact.Save(made, filepath.Join(sub, fmt.Sprintf("%05d.vtz", i))))
	}
	return dir
}

// How many bundles are listed in a second, and what is kept in memory meanwhile.
func BenchmarkIndex(b *testing.B) {
	const bundles = 5000
	dir := tiny(b, bundles)
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var most uint64
	for b.Loop() {
		n := 0
		err := Index(b.Context(), dir, artifact.OpenOptions{Limits: IndexLimits}, func(e Entry) error {
			if n++; n%1000 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc)
			}
			return e.WriteLine(discard{})
		})
		require.NoError(b, err)
		require.Equal(b, bundles, n)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/bundles, "µs/bundle")
	b.ReportMetric(float64(most-min(most, before.HeapAlloc))/1024, "KiB-kept")
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
