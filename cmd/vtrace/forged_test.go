package main

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/bundle"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/storage"
	"github.com/vtrace/vtrace/internal/view"
)

// forgery is a bundle as somebody may write one. The rest of the manifest is made to fit,
// unless a field says otherwise.
type forgery struct {
	canary   string // a file that what is forged would make
	manifest artifact.Manifest
	files    map[string]string
	options  string
	text     func(manifest string) string // edits the manifest
	more     []tar.Header                 // entries behind the others
	again    string                       // a file that is there twice
	trailer  string
	dir      func(dir string) error // as a directory, with changes
	asIs     bool                   // digests and sizes are those of the manifest
}

const forgedModel = `<nta><declaration></declaration><template><name>Main</name><location id="id0"><name>start</name></location><init ref="id0"/></template><system>system Main;</system></nta>`

// honest is a bundle of a pass with nothing forged.
func honest(t *testing.T, of string) *forgery {
	side := &artifact.Sidecar{
		Entry: artifact.Entry{Package: "example.com/p", Func: "main"},
		Sites: []artifact.Site{{}, {ID: 1, Kind: "end", Key: "main#0", Func: "main", File: "main.go", Line: 3, Col: 1}},
		Templates: []artifact.TemplateInfo{{
			Name: "Main", Role: "goroutine", Locations: []artifact.LocationInfo{{Name: "start"}}, Edges: []artifact.EdgeInfo{},
		}},
	}
	plan := artifact.Plan{Steps: []artifact.PlanStep{{G: "0", Site: "main#0"}}, Expect: artifact.Expect{Kind: artifact.KindPanic, Goroutines: []artifact.At{}}}
	query := artifact.Query{Number: 1, Formula: "A[] true", Category: "panics", Kind: artifact.KindPanic, Site: 1}
	target := orchestrate.Target{Root: "/", Dir: "/", Name: "main", Entry: side.Entry, End: "main#0"}
	test, err := orchestrate.Test(target, side, plan, orchestrate.MetaOf(query, 1, "vtrace replay BUNDLE q1-1"))
	require.NoError(t, err)
	text := func(v any) string {
		data, err := storage.EncodeJSON(v)
		require.NoError(t, err)
		return string(data)
	}
	return &forgery{
		manifest: artifact.Manifest{
			Format: artifact.Format, Version: artifact.Version, Pass: of, Tool: "devel", Go: "go1.26.0", Entry: side.Entry,
		},
		options: `{"model":{"bounds":{}},"search":{}}`,
		files: map[string]string{
			"source/go.mod":       "module example.com/p\n\ngo 1.26\n",
			"source/main.go":      "package main\n\nfunc main() {}\n",
			artifact.ModelPath:    forgedModel,
			artifact.SidecarPath:  text(side),
			artifact.QueriesPath:  text([]artifact.Query{query}),
			artifact.VerdictsPath: text([]artifact.Verdict{{Query: 1, Result: "F", Traces: []string{"traces/q1-1.json"}}}),
			artifact.FindingsPath: text([]artifact.Finding{{Number: 1, Verdict: artifact.Possible, Kind: artifact.KindPanic, Query: 1}}),
			"traces/q1-1.json":    text(artifact.Trace{Query: 1, Result: "F", Lines: []string{}, Plan: &plan}),
			"tests/q1-1_test.go":  string(test),
		},
	}
}

// flag has the bundle say a build flag.
func (f *forgery) flag(flags ...string) {
	data, _ := json.Marshal(flags)
	f.options = `{"model":{"bounds":{},"flags":` + string(data) + `},"search":{}}`
}

// sidecar edits the sidecar.
func (f *forgery) sidecar(edit func(s *artifact.Sidecar)) {
	var s artifact.Sidecar
	if err := json.Unmarshal([]byte(f.files[artifact.SidecarPath]), &s); err != nil {
		panic(err)
	}
	edit(&s)
	data, _ := storage.EncodeJSON(s)
	f.files[artifact.SidecarPath] = string(data)
}

// encode is the manifest.
func (f *forgery) encode(t *testing.T) string {
	m := f.manifest
	m.Options = json.RawMessage(f.options)
	if !f.asIs {
		var program []source.File
		m.Files = nil
		for _, p := range slices.Sorted(maps.Keys(f.files)) {
			sum := sha256.Sum256([]byte(f.files[p]))
			m.Files = append(m.Files, artifact.FileInfo{Path: p, Size: int64(len(f.files[p])), SHA256: hex.EncodeToString(sum[:])})
			if rel, ok := strings.CutPrefix(p, "source/"); ok {
				program = append(program, source.File{Path: rel, Data: []byte(f.files[p])})
			}
		}
		if len(program) > 0 {
			m.Source = source.Digest(program)
		}
	}
	data, err := storage.EncodeJSON(m)
	require.NoError(t, err)
	text := string(data)
	if f.text != nil {
		text = f.text(text)
	}
	return text
}

// write writes the bundle.
func (f *forgery) write(t *testing.T, dir, name string) string {
	manifest := f.encode(t)
	if f.dir != nil {
		out := filepath.Join(dir, name)
		files := maps.Clone(f.files)
		files["manifest.json"] = manifest
		for p, text := range files {
			file := filepath.Join(out, filepath.FromSlash(p))
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		}
		require.NoError(t, f.dir(out))
		return out
	}
	var buf bytes.Buffer
	z, err := zstd.NewWriter(&buf)
	require.NoError(t, err)
	w := tar.NewWriter(z)
	put := func(name, text string) {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Size: int64(len(text)), Mode: 0o644}))
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
	}
	put("manifest.json", manifest)
	for _, p := range slices.Sorted(maps.Keys(f.files)) {
		put(p, f.files[p])
	}
	if f.again != "" {
		put(f.again, f.files[f.again])
	}
	for _, h := range f.more {
		require.NoError(t, w.WriteHeader(&h))
	}
	if f.more == nil || f.more[len(f.more)-1].Size == 0 {
		require.NoError(t, w.Close())
	}
	_, err = z.Write([]byte(f.trailer))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	out := filepath.Join(dir, name+artifact.Ext)
	require.NoError(t, os.WriteFile(out, buf.Bytes(), 0o644))
	return out
}

// users are the commands that take a bundle, with the pass that it has to be of.
var users = []struct {
	name, of string
	args     []string // behind the bundle
	sdk      func(ctx context.Context, b *artifact.Bundle) error
}{
	{"inspect", artifact.PassDeep, nil, func(_ context.Context, b *artifact.Bundle) error { vtrace.Conclude(b); return nil }},
	{"view", artifact.PassDeep, []string{"-o", "-"}, func(_ context.Context, b *artifact.Bundle) error { return view.Write(io.Discard, b) }},
	{"second", artifact.PassFirst, nil, func(ctx context.Context, b *artifact.Bundle) error { _, err := vtrace.SecondPass(ctx, b); return err }},
	{"deep", artifact.PassSecond, nil, func(ctx context.Context, b *artifact.Bundle) error { _, err := vtrace.DeepPass(ctx, b); return err }},
	{"replay", artifact.PassDeep, []string{"q1-1"}, func(ctx context.Context, b *artifact.Bundle) error {
		_, err := pass.Replay(ctx, b, "q1-1", pass.Options{})
		return err
	}},
	{"export-test", artifact.PassDeep, []string{"q1-1"}, func(_ context.Context, b *artifact.Bundle) error { _, err := pass.Export(b, "q1-1"); return err }},
}

// onlyReads reports whether a command executes nothing of a bundle, whatever that says.
func onlyReads(name string) bool { return name == "inspect" || name == "view" }

// typed reports whether an error is one of those that the documentation lists.
func typed(err error) bool {
	var (
		argument *artifact.ArgumentError
		option   *pass.OptionError
		passes   *pass.PassError
		refused  *pass.RefusedError
		corrupt  *artifact.CorruptError
		version  *artifact.VersionError
	)
	return errors.As(err, &argument) || errors.As(err, &option) || errors.As(err, &passes) || errors.As(err, &refused) || errors.As(err, &corrupt) || errors.As(err, &version)
}

// snapshot is what is below a directory.
func snapshot(t *testing.T, dir string) map[string]string {
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !d.Type().IsRegular() {
			out[p] = "not a file"
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		out[p] = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		return nil
	}))
	return out
}

// tree are the contents of the files below a directory.
func tree(t *testing.T, dir string) map[string]string {
	out := map[string]string{}
	require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, p))
		out[p] = string(data)
		return err
	}))
	return out
}

func link(name, target string) func(string) error {
	return func(dir string) error { return os.Symlink(target, filepath.Join(dir, filepath.FromSlash(name))) }
}

// use is where a bundle that can be loaded is refused.
var (
	everywhere = []string{"second", "deep", "replay", "export-test"}
	toBuild    = []string{"second", "deep", "replay"}
	export     = []string{"export-test"}
	unmodelled = []string{"deep"}
)

// forgeries are bundles with something forged. refused are the commands that refuse what can
// be loaded; nil: nobody loads it.
var forgeries = []struct {
	name    string
	forge   func(f *forgery)
	want    string
	refused []string
}{
	// What the go command would run, or do elsewhere.
	{"toolexec", func(f *forgery) { f.flag("-toolexec=sh -c 'touch " + f.canary + "'") }, `build flag "-toolexec=`, everywhere},
	{"toolexec with two dashes", func(f *forgery) { f.flag("--toolexec=touch " + f.canary) }, `"--toolexec=`, everywhere},
	{"toolexec in two arguments", func(f *forgery) { f.flag("-toolexec", "touch "+f.canary) }, `"-toolexec"`, everywhere},
	{"toolexec quoted", func(f *forgery) { f.flag(`"-toolexec=touch ` + f.canary + `"`) }, "toolexec", everywhere},
	{"toolexec behind tags", func(f *forgery) { f.flag("-tags=x", "-toolexec=touch "+f.canary) }, `"-toolexec=`, everywhere},
	{"toolexec in tags", func(f *forgery) { f.flag("-tags=x -toolexec=touch " + f.canary) }, `"-tags=x -toolexec`, everywhere},
	{"tags in two arguments", func(f *forgery) { f.flag("-tags", "-toolexec=touch "+f.canary) }, `"-tags"`, everywhere},
	{"exec", func(f *forgery) { f.flag("-exec=touch " + f.canary) }, `"-exec=`, everywhere},
	{"overlay", func(f *forgery) { f.flag("-overlay=/etc/passwd") }, `"-overlay=`, everywhere},
	{"ldflags", func(f *forgery) { f.flag("-ldflags=-extld=" + f.canary) }, `"-ldflags=`, everywhere},
	{"gcflags", func(f *forgery) { f.flag("-gcflags=all=-o=" + f.canary) }, `"-gcflags=`, everywhere},
	{"asmflags", func(f *forgery) { f.flag("-asmflags=-o=" + f.canary) }, `"-asmflags=`, everywhere},
	{"modfile", func(f *forgery) { f.flag("-modfile=" + f.canary) }, `"-modfile=`, everywhere},
	{"mod=mod", func(f *forgery) { f.flag("-mod=mod") }, `"-mod=mod"`, everywhere},
	{"pkgdir", func(f *forgery) { f.flag("-pkgdir=" + f.canary) }, `"-pkgdir=`, everywhere},
	{"compiler", func(f *forgery) { f.flag("-compiler=gccgo") }, `"-compiler=`, everywhere},
	{"another directory", func(f *forgery) { f.flag("-C=/") }, `"-C=/"`, everywhere},
	{"output", func(f *forgery) { f.flag("-o=" + f.canary) }, `"-o=`, everywhere},
	{"profile", func(f *forgery) { f.flag("-coverprofile=" + f.canary) }, `"-coverprofile=`, everywhere},
	{"vettool", func(f *forgery) { f.flag("-vettool=" + f.canary) }, `"-vettool=`, everywhere},
	{"revision", func(f *forgery) { f.flag("-buildvcs=true") }, `"-buildvcs=true"`, everywhere},
	{"not a flag", func(f *forgery) { f.flag("./other") }, `"./other"`, everywhere},
	{"a line for the exported test", func(f *forgery) { f.flag("-tags=x\n//vtrace:flag -toolexec=" + f.canary) }, "-tags=x", everywhere},
	{"git", func(f *forgery) { f.files["source/.git/config"] = "[core]\n\tfsmonitor = touch " + f.canary + "\n" }, "of a repository", nil},
	{"git in a file", func(f *forgery) { f.files["source/.git"] = "gitdir: /tmp/x\n" }, "of a repository", nil},
	{"git in capitals", func(f *forgery) { f.files["source/a/.GIT/config"] = "x" }, "of a repository", nil},
	{"mercurial", func(f *forgery) { f.files["source/.hg/hgrc"] = "[hooks]\nstatus = touch " + f.canary + "\n" }, "of a repository", nil},
	{"fossil in the overlay", func(f *forgery) { f.files["overlay/_FOSSIL_"] = "x" }, "of a repository", nil},

	// Directories and programs of the machine.
	{"entry as a directory", func(f *forgery) { f.manifest.Entry.Package = "/etc" }, "not the path of a package", everywhere},
	{"entry above", func(f *forgery) { f.manifest.Entry.Package = "../../other" }, "not the path of a package", everywhere},
	{"entry as a flag", func(f *forgery) { f.manifest.Entry.Package = "-toolexec=touch" }, "not the path of a package", everywhere},
	{"entry as a pattern", func(f *forgery) { f.manifest.Entry.Package = "example.com/..." }, "not the path of a package", everywhere},
	{"entry as all packages", func(f *forgery) { f.manifest.Entry.Package = "all" }, "not the path of a package", everywhere},
	{"entry with a line", func(f *forgery) { f.manifest.Entry.Func = "main\n//vtrace:flag -toolexec=x" }, "not the name of a function", everywhere},
	{"entry with a path", func(f *forgery) { f.manifest.Entry.Func = "../../x" }, "not the name of a function", everywhere},
	{"no entry", func(f *forgery) { f.manifest.Entry = artifact.Entry{} }, "not the path of a package", everywhere},
	{"replace to a directory", func(f *forgery) { f.files["source/go.mod"] += "\nreplace example.com/q => /usr/lib\n" }, "outside of the program", toBuild},
	{"replace above", func(f *forgery) { f.files["source/go.mod"] += "\nreplace example.com/q => ./a/../../q\n" }, "outside of the program", toBuild},
	{"workspace above", func(f *forgery) { f.files["source/go.work"] = "go 1.26\n\nuse (\n\t.\n\t../q\n)\n" }, "outside of the program", toBuild},
	{"workspace replaces", func(f *forgery) {
		f.files["source/go.work"] = "go 1.26\n\nuse .\n\nreplace example.com/q => /usr/lib\n"
	}, "outside of the program", toBuild},
	{"replace in a module of the workspace", func(f *forgery) {
		f.files["source/go.work"] = "go 1.26\n\nuse ./a\n"
		f.files["source/a/go.mod"] = "module example.com/p\n\nreplace example.com/q => ../../q\n"
	}, "outside of the program", toBuild},
	{"no module", func(f *forgery) { delete(f.files, "source/go.mod") }, "missing", toBuild},
	{"broken module", func(f *forgery) { f.files["source/go.mod"] = "modul" }, "source/go.mod", toBuild},
	{"no program", func(f *forgery) { delete(f.files, "source/go.mod"); delete(f.files, "source/main.go") }, "", everywhere},

	// Where a test is written, and what it says.
	{"site above", func(f *forgery) { f.sidecar(func(s *artifact.Sidecar) { s.Sites[1].File = "../../x/main.go" }) }, "not a directory of the program", export},
	{"site elsewhere", func(f *forgery) { f.sidecar(func(s *artifact.Sidecar) { s.Sites[1].File = "/etc/main.go" }) }, "not a directory of the program", export},
	{"site in another directory", func(f *forgery) { f.sidecar(func(s *artifact.Sidecar) { s.Sites[1].File = ".github/main.go" }) }, "not a directory of the program", export},
	{"no end", func(f *forgery) { f.sidecar(func(s *artifact.Sidecar) { s.Sites = nil }) }, "where the entry ends", export},
	{"test that does more", func(f *forgery) { f.files["tests/q1-1_test.go"] += "\nfunc init() { println() }\n" }, "another function", export},
	{"test that is another", func(f *forgery) { f.files["tests/q1-1_test.go"] = "package main\n\nfunc init() {}\n" }, "build constraint", export},
	{"test with a directive", func(f *forgery) {
		f.files["tests/q1-1_test.go"] += "\n//go:generate touch " + f.canary + "\n"
	}, "directive", export},
	{"test with a flag", func(f *forgery) {
		f.files["tests/q1-1_test.go"] += "\n//vtrace:flag -toolexec=touch " + f.canary + "\n"
	}, "directive", export},
	{"test that imports", func(f *forgery) {
		f.files["tests/q1-1_test.go"] = strings.Replace(f.files["tests/q1-1_test.go"], `"testing"`+"\n", `"testing"`+"\n\t_ \"os/exec\"\n", 1)
	}, "an import", export},
	{"test that calls", func(f *forgery) {
		f.files["tests/q1-1_test.go"] = strings.Replace(f.files["tests/q1-1_test.go"], `Name: "q1-1"`, `Name: func() string { panic(0) }()`, 1)
	}, "other things than constants", export},
	{"test of another function", func(f *forgery) {
		f.files["tests/q1-1_test.go"] = strings.Replace(f.files["tests/q1-1_test.go"], ", main,", ", removeAll,", 1)
	}, "not a configuration", export},
	{"test that is no Go", func(f *forgery) { f.files["tests/q1-1_test.go"] = "\x00" }, "not an Orchestration test", export},

	// What the passes take for granted.
	{"no sidecar", func(f *forgery) { delete(f.files, artifact.SidecarPath) }, "missing", everywhere},
	{"no model", func(f *forgery) { delete(f.files, artifact.ModelPath) }, "missing", everywhere},
	{"no queries", func(f *forgery) { delete(f.files, artifact.QueriesPath) }, "missing", everywhere},
	{"another pass", func(f *forgery) { f.manifest.Pass = artifact.PassTranslate }, "bundle of the translate pass", everywhere},
	{"a pass that there is not", func(f *forgery) { f.manifest.Pass = "last" }, "bundle of the last pass", everywhere},
	{"options that are none", func(f *forgery) { f.options = `{"model":[]}` }, "options", nil},
	{"no options", func(f *forgery) { f.options = "" }, "options: missing", everywhere},
	{"bounds without end", func(f *forgery) { f.options = `{"model":{"bounds":{"slots":1000000000}}}` }, "bounds", everywhere},
	{"negative bounds", func(f *forgery) { f.options = `{"model":{"bounds":{"slice":-1}}}` }, "bounds", everywhere},
	{"dependencies with a line", func(f *forgery) { f.options = `{"model":{"bounds":{},"deps":["a\n//vtrace:flag x"]}}` }, "no pattern", everywhere},
	{"a sidecar of another model", func(f *forgery) { f.sidecar(func(s *artifact.Sidecar) { s.Templates = nil }) }, "not that of the model", unmodelled},
	{"a model that is none", func(f *forgery) { f.files[artifact.ModelPath] = "<nta>" }, "model.xml", unmodelled},

	// The container.
	{"newer", func(f *forgery) { f.manifest.Version = artifact.Version + 1 }, "is newer than", nil},
	{"newer with other files", func(f *forgery) { f.manifest.Version = 99; f.files["wasm/x.bin"] = "x" }, "is newer than", nil},
	{"of no version", func(f *forgery) { f.manifest.Version = 0 }, "no format version 0", nil},
	{"of a version in words", func(f *forgery) {
		f.text = func(s string) string {
			return strings.Replace(s, fmt.Sprintf(`"version": %d`, artifact.Version), `"version": "two"`, 1)
		}
	}, "no format version", nil},
	{"of another format", func(f *forgery) { f.manifest.Format = "zip" }, "format", nil},
	{"absolute name", func(f *forgery) { f.files["/tmp/x"] = "x" }, "clean", nil},
	{"name above", func(f *forgery) { f.files["source/../../x"] = "x" }, "clean", nil},
	{"name with a backslash", func(f *forgery) { f.files[`source/..\..\x`] = "x" }, "backslash", nil},
	{"name with a line", func(f *forgery) { f.files["source/a\nb"] = "x" }, "control character", nil},
	{"name of nothing known", func(f *forgery) { f.files["run.sh"] = "touch " + f.canary }, "not a file of a bundle", nil},
	{"file and directory", func(f *forgery) { f.files["source/a"] = "x"; f.files["source/a/b"] = "x" }, "both", nil},
	{"link", func(f *forgery) {
		f.more = []tar.Header{{Name: "source/l", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}}
	}, "not a regular file", nil},
	{"hard link", func(f *forgery) {
		f.more = []tar.Header{{Name: "source/l", Typeflag: tar.TypeLink, Linkname: "../../x"}}
	}, "not a regular file", nil},
	{"device", func(f *forgery) { f.more = []tar.Header{{Name: "source/d", Typeflag: tar.TypeBlock}} }, "not a regular file", nil},
	{"twice", func(f *forgery) { f.again = "source/main.go" }, "twice", nil},
	{"not in the manifest", func(f *forgery) { f.more = []tar.Header{{Name: "source/new.go", Typeflag: tar.TypeReg}} }, "not listed", nil},
	{"data behind the end", func(f *forgery) { f.trailer = "x" }, "behind the end", nil},
	{"huge entry", func(f *forgery) {
		f.more = []tar.Header{{Name: "source/huge", Typeflag: tar.TypeReg, Size: 1 << 40}}
	}, "limit exceeded", nil},
	{"wrong digest", func(f *forgery) {
		f.text = func(s string) string { return strings.Replace(s, `"sha256": "`, `"sha256": "0`, 1) }
	}, "digest", nil},
	{"wrong source", func(f *forgery) { f.asIs = true }, "", nil},
	{"its own parent", func(f *forgery) { f.manifest.Parent = "." }, "parent is no digest", nil},
	{"many files", func(f *forgery) {
		f.asIs, f.files = true, nil
		for i := range 50_001 {
			f.manifest.Files = append(f.manifest.Files, artifact.FileInfo{Path: fmt.Sprintf("logs/%05d", i)})
		}
	}, "limit exceeded", nil},
	{"deep options", func(f *forgery) { f.options = strings.Repeat("[", 500) + strings.Repeat("]", 500) }, "nested", nil},
	{"deep content", func(f *forgery) {
		f.files[artifact.FindingsPath] = strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20)
	}, "nested", nil},
	{"many findings", func(f *forgery) {
		f.files[artifact.FindingsPath] = "[{}" + strings.Repeat(",{}", 3_500_000) + "]"
	}, "limit exceeded", nil},
	{"null", func(f *forgery) { f.files[artifact.SidecarPath] = "null\n" }, "null", nil},
	{"unknown field", func(f *forgery) { f.files[artifact.FindingsPath] = `[{"run": "touch"}]` }, "unknown field", nil},
	{"link in a directory", func(f *forgery) { f.dir = link("source/l.go", "/etc/passwd") }, "not a regular file", nil},
	{"link to a directory", func(f *forgery) { f.dir = link("logs", "/tmp") }, "not a regular file", nil},
	{"hidden file in a directory", func(f *forgery) {
		f.dir = func(dir string) error { return os.WriteFile(filepath.Join(dir, ".envrc"), nil, 0o644) }
	}, "not a file of a bundle", nil},
}

// Whatever a bundle says, nothing of it is executed, nothing is written outside, and it takes
// no more memory than it may; the refusal says what it is about and has a type. Each is given
// to every command that takes a bundle, and to the function of the SDK behind it.
func TestForged(t *testing.T) {
	outer := t.TempDir()
	work := filepath.Join(outer, "a", "work") // two directories of which nothing is to change
	require.NoError(t, os.MkdirAll(work, 0o755))
	// What the program of each bundle is: export-test looks for it.
	require.NoError(t, os.WriteFile(filepath.Join(work, "go.mod"), []byte("module example.com/p\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(work, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o644))
	tmp := filepath.Join(outer, "tmp")
	require.NoError(t, os.Mkdir(tmp, 0o755))
	t.Chdir(work)
	t.Setenv("TMPDIR", tmp)
	names := map[string]bool{}
	for _, tc := range forgeries {
		require.False(t, names[tc.name], tc.name)
		names[tc.name] = true
		t.Run(tc.name, func(t *testing.T) {
			bundles := t.TempDir()
			paths := map[string]string{}
			for _, u := range users {
				if paths[u.of] == "" {
					f := honest(t, u.of)
					f.canary = filepath.Join(outer, "canary")
					tc.forge(f)
					paths[u.of] = f.write(t, bundles, u.of)
				}
			}
			type load struct {
				b   *artifact.Bundle
				err error
			}
			loaded := map[string]load{}
			before := snapshot(t, outer)
			for _, u := range users {
				path := paths[u.of]
				if _, ok := loaded[path]; !ok {
					var was, is runtime.MemStats
					runtime.ReadMemStats(&was)
					b, err := artifact.Load(path)
					runtime.ReadMemStats(&is)
					require.Less(t, is.TotalAlloc-was.TotalAlloc, uint64(256<<20))
					loaded[path] = load{b, err}
				}
				b, err := loaded[path].b, loaded[path].err
				refused := err != nil
				if tc.refused == nil {
					require.Error(t, err)
				} else {
					require.NoError(t, err)
					if !slices.Contains(tc.refused, u.name) && !onlyReads(u.name) {
						continue // which would run the program: nobody is deceived
					}
					err = u.sdk(context.Background(), b)
					refused = slices.Contains(tc.refused, u.name)
				}
				if refused {
					require.True(t, typed(err), "%s: %T %v", u.name, err, err)
					require.ErrorContains(t, err, tc.want, u.name)
				} else {
					require.NoError(t, err, u.name)
				}
				code, stdout, stderr := execute(t, append([]string{u.name, path}, u.args...)...)
				if refused {
					require.Equal(t, exitUsage, code, u.name+stdout)
					require.Contains(t, stderr, plain(tc.want), u.name)
				} else {
					require.NotEqual(t, exitUsage, code, u.name+stderr)
				}
				require.Equal(t, before, snapshot(t, outer), u.name)
			}
			// The tools for bundles refuse what nobody loads; TestForgedCost has the bundles of
			// the other passes too.
			for path, l := range loaded {
				if path != paths[artifact.PassDeep] {
					continue
				}
				to := filepath.Join(bundles, "to-"+filepath.Base(path))
				require.NoError(t, os.Mkdir(to, 0o755))
				for _, args := range readers(path, to) {
					if args[0] != "bundle" {
						continue
					}
					code, stdout, stderr := execute(t, args...)
					switch {
					case l.b != nil && args[1] == "verify":
						// It may find more than loading does.
					case l.b != nil:
						require.Equal(t, exitNothing, code, "%v: %s", args, stderr)
					case args[1] == "index":
						require.Equal(t, exitNothing, code, stderr)
						require.Contains(t, stdout, `"error":`)
					default:
						require.NotEqual(t, exitNothing, code, "%v", args)
						require.Contains(t, stdout+stderr, plain(tc.want), "%v", args)
					}
				}
				if l.b == nil {
					left, err := os.ReadDir(to)
					require.NoError(t, err)
					require.Empty(t, left, "what is refused is not written")
					continue
				}
				// What can be loaded is extracted to where it belongs, and saved again.
				require.NoError(t, l.b.ExtractSource(filepath.Join(to, "source")))
				require.NoError(t, artifact.Save(l.b, filepath.Join(to, "saved")))
				require.Equal(t, tree(t, filepath.Join(to, "saved")), tree(t, filepath.Join(to, "extracted")))
				_, err := bundle.Extract(l.b, filepath.Join(to, "files"))
				require.NoError(t, err)
				require.Equal(t, tree(t, filepath.Join(to, "saved")), tree(t, filepath.Join(to, "files")))
				slim, err := bundle.Slim(l.b)
				require.NoError(t, err)
				streamed, err := artifact.Load(filepath.Join(to, "slim.vtz"))
				require.NoError(t, err)
				require.Equal(t, slim.Digest(), streamed.Digest())
				_, err = bundle.Diff(l.b, slim)
				require.NoError(t, err)
			}
			after := snapshot(t, outer)
			maps.DeleteFunc(after, func(p, _ string) bool { return strings.HasPrefix(p, bundles+string(filepath.Separator)) })
			maps.DeleteFunc(before, func(p, _ string) bool { return strings.HasPrefix(p, bundles+string(filepath.Separator)) })
			require.Equal(t, before, after)
		})
	}
	require.GreaterOrEqual(t, len(forgeries), 40)
}

// What a forged bundle names would be run: it is if the caller names it too.
func TestForgedGiven(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(t.TempDir())
	canary := filepath.Join(dir, "canary")
	tool := filepath.Join(dir, "tool")
	require.NoError(t, os.WriteFile(tool, []byte("#!/bin/sh\ntouch "+canary+"\nexec \"$@\"\n"), 0o755))
	f := honest(t, artifact.PassFirst)
	f.flag("-toolexec=" + tool)
	path := f.write(t, dir, "b")
	code, _, stderr := execute(t, "second", path)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "-flags on the command line")
	require.NoFileExists(t, canary)

	code, _, stderr = execute(t, "second", "-flags", "-toolexec="+tool, path)
	require.NotEqual(t, exitUsage, code, stderr)
	require.FileExists(t, canary)
}

// What the go command itself is trusted with: it runs no generators, and downloads no other
// toolchain. The program of the bundle is built, in second, and not run.
func TestForgedBuilt(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(t.TempDir())
	t.Setenv("GOTOOLCHAIN", "")
	require.NoError(t, os.Unsetenv("GOTOOLCHAIN"))
	t.Setenv("GOPROXY", "off")
	canary := filepath.Join(dir, "canary")
	f := honest(t, artifact.PassFirst)
	f.files["source/go.mod"] += "\ntoolchain go1.99.0\n"
	f.files["source/go.env"] = "GOFLAGS=-toolexec=" + canary + "\n"
	f.files["source/main.go"] = "//go:generate touch " + canary + "\npackage main\n\nimport \"os\"\n\n//line /etc/passwd:1\nfunc init() { os.WriteFile(\"" + canary + "\", nil, 0o644) }\n\n//line /etc/passwd:1\nfunc main() {}\n"
	code, _, stderr := execute(t, "second", f.write(t, dir, "b"))
	require.NotEqual(t, exitUsage, code, stderr)
	require.NoFileExists(t, canary)

	f.files["source/go.mod"] = "module example.com/p\n\ngo 1.99\n"
	path := f.write(t, dir, "b")
	code, _, stderr = execute(t, "second", path)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "set GOTOOLCHAIN=auto")
	b, err := artifact.Load(path)
	require.NoError(t, err)
	_, err = vtrace.SecondPass(context.Background(), b)
	var refused *pass.RefusedError
	require.ErrorAs(t, err, &refused)

	f.files["source/go.mod"] = "module example.com/p\n\ngo 1.26\n"
	f.files["source/main.go"] = "package main\n\nimport _ \"embed\"\n\n//go:embed ../../etc/passwd\nvar s string\n\nfunc main() { println(s) }\n"
	code, _, stderr = execute(t, "second", f.write(t, dir, "b"))
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "invalid pattern syntax")
}

// To ask whether a bundle holds for a program runs nothing that the bundle says.
func TestForgedHolds(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	canary := filepath.Join(dir, "canary")
	f := honest(t, artifact.PassDeep)
	f.flag("-toolexec=touch " + canary)
	b, err := artifact.Load(f.write(t, dir, "flag"))
	require.NoError(t, err)
	var refused *pass.RefusedError
	_, err = vtrace.Holds(ctx, b, dir, nil)
	require.ErrorAs(t, err, &refused)

	program := filepath.Join(dir, "p")
	require.NoError(t, os.Mkdir(program, 0o755))
	for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() {}\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(program, name), []byte(text), 0o644))
	}
	f = honest(t, artifact.PassDeep)
	b, err = artifact.Load(f.write(t, dir, "same"))
	require.NoError(t, err)
	holds, err := vtrace.Holds(ctx, b, program, nil)
	require.NoError(t, err)
	require.True(t, holds)
	f.files["source/go.mod"] += "\nrequire example.com/q v1.0.0\n\nreplace example.com/q => ../q\n"
	f.files["source/main.go"] = "//go:generate touch " + canary + "\npackage main\n\nimport \"os\"\n\nfunc init() { os.WriteFile(\"" + canary + "\", nil, 0o644) }\n\nfunc main() {}\n"
	b, err = artifact.Load(f.write(t, dir, "replaced"))
	require.NoError(t, err)
	holds, err = vtrace.Holds(ctx, b, program, nil)
	require.Error(t, err, "the module leads out of the bundle")
	require.False(t, holds)
	require.NoFileExists(t, canary)
}

// The flags of an exported test are obeyed as those of a bundle: it may have come with a
// patch.
func TestForgedExported(t *testing.T) {
	dir := program(t, "rendezvous")
	canary := filepath.Join(t.TempDir(), "canary")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "vtrace_main_q1_1_test.go"), []byte("//go:build vtrace\n\npackage main\n\nfunc TestOrchestration_main_Q1_1() {}\n\n//vtrace:entry main\n//vtrace:flag -toolexec=touch "+canary+"\n"), 0o644))
	code, _, stderr := execute(t, "test", dir)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, `build flag "-toolexec=touch`)
	require.NoFileExists(t, canary)
}

// No link leads what is exported out of the program, and nothing is written over.
func TestForgedLink(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
	path := honest(t, artifact.PassDeep).write(t, dir, "b")
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"go.mod": "", "main.go": ""} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	require.NoError(t, os.Symlink(outside, "vtrace_main_q1_1_test.go"))
	code, _, stderr := execute(t, "export-test", path, "q1-1")
	require.Equal(t, exitUsage, code, stderr)
	require.NoFileExists(t, outside)
	require.NoError(t, os.Remove("vtrace_main_q1_1_test.go"))
	code, _, stderr = execute(t, "export-test", path, "q1-1")
	require.Equal(t, exitNothing, code, stderr)
}

// A bundle does not speak to the terminal.
func TestForgedText(t *testing.T) {
	f := honest(t, artifact.PassDeep)
	f.files[artifact.FindingsPath] = `[{"number": 1, "verdict": "real", "kind": "panic\u001b[2J", "category": "", "query": 1, "message": "\u202eevil\u009b"}]`
	f.manifest.Tool = "\x1b]0;x\x07"
	path := f.write(t, t.TempDir(), "b")
	for _, args := range [][]string{{"inspect", path}, {"inspect", path, "findings.0.message"}, {"replay", path, "\x1b[2J"}} {
		_, stdout, stderr := execute(t, args...)
		require.NotContains(t, stdout+stderr, "\x1b")
		require.NotContains(t, stdout+stderr, "\u009b")
		require.NotContains(t, stdout+stderr, "\u202e")
		require.NotEmpty(t, stdout+stderr)
	}
}
