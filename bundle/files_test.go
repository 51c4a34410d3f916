package bundle

import (
	"archive/tar"
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/storage"
)

// below are the directories and the contents of the files below a directory, by their paths;
// nil if there is none.
func below(t *testing.T, dir string) map[string]string {
	t.Helper()
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, p)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			out[rel] = "directory"
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(p)
			out[rel] = "link " + to
			return err
		}
		data, err := os.ReadFile(p)
		out[rel] = string(data)
		return err
	}))
	return out
}

// archived is the archive form of a bundle.
func archived(t *testing.T, b *artifact.Bundle) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, artifact.WriteArchive(&out, b))
	return out.String()
}

// sameStreamed checks that the tools say the same of a bundle in a file as of one in memory,
// of which it is known what is wrong with it and what Slim makes of it.
func sameStreamed(t *testing.T, b *artifact.Bundle, path string, problems []Problem, slim *artifact.Bundle) {
	t.Helper()
	o := artifact.OpenOptions{}
	report, err := VerifyFile(path, o)
	require.NoError(t, err)
	m := b.Manifest()
	require.Equal(t, len(m.Files), report.Files)
	m.Files = nil
	require.Equal(t, Report{b.Digest(), m, report.Files, problems}, *report)

	to := filepath.Join(t.TempDir(), "slim.vtz")
	s, err := SlimFile(path, o, to, nil)
	require.NoError(t, err)
	require.Equal(t, map[string]string{".": archived(t, slim)}, below(t, to))
	require.Equal(t, Slimming{slim.Digest(), len(slim.Paths()), len(b.Paths()), size(slim.Manifest().Files), size(b.Manifest().Files)}, *s)

	want, err := Diff(b, slim)
	require.NoError(t, err)
	got, err := DiffFiles(path, to, o)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// sameWritten checks that the tools write the same of a bundle in a file as of one in memory.
func sameWritten(t *testing.T, b *artifact.Bundle, path string, slim *artifact.Bundle) {
	t.Helper()
	work := t.TempDir()
	at := func(name string) string { return filepath.Join(work, name) }
	o := artifact.OpenOptions{}
	_, err := SlimFile(path, o, at("slim"), nil)
	require.NoError(t, err)
	require.NoError(t, artifact.Save(slim, at("want-slim")))
	require.Equal(t, below(t, at("want-slim")), below(t, at("slim")))

	for i, names := range [][]string{nil, {"source", "model.xml"}} {
		streamed, extracted := at(fmt.Sprint("streamed", i)), at(fmt.Sprint("extracted", i))
		written, err := ExtractFile(path, o, streamed, names...)
		again, err2 := Extract(b, extracted, names...)
		require.Equal(t, err == nil, err2 == nil, "%v %v", err, err2)
		require.Equal(t, again, written)
		require.Equal(t, below(t, extracted), below(t, streamed))
		if names == nil {
			require.NoError(t, artifact.Save(b, at("saved")))
			require.Equal(t, below(t, at("saved")), below(t, extracted))
		}
	}

	name := collectionDir + "/" + b.Digest() + artifact.Ext
	entry, err := readEntry(name, b.Reader())
	require.NoError(t, err)
	c, err := Merge(t.Context(), at("merged"), o, path, path)
	require.NoError(t, err)
	require.Equal(t, []Collected{{Entry: entry}}, c.Bundles)
	merged := below(t, at("merged"))
	require.Len(t, merged, 4)
	require.Equal(t, archived(t, b), merged[name])
	var entries []Entry
	require.NoError(t, Index(t.Context(), at("merged"), o, func(e Entry) error { entries = append(entries, e); return nil }))
	require.Equal(t, []Entry{entry}, entries)
}

// refuse checks that the tools refuse a file with an error of loading it, and leave nothing.
func refuse(t *testing.T, path string, o artifact.OpenOptions, want error) {
	t.Helper()
	dir := t.TempDir()
	good := storedPath("deep.vtz")
	if o.Key != nil {
		good = path
	}
	for name, run := range map[string]func() error{
		"verify":  func() error { _, err := VerifyFile(path, o); return err },
		"diff":    func() error { _, err := DiffFiles(path, good, o); return err },
		"diff to": func() error { _, err := DiffFiles(good, path, o); return err },
		"merge":   func() error { _, err := Merge(t.Context(), filepath.Join(dir, "m"), o, good, path); return err },
		"extract": func() error { _, err := ExtractFile(path, o, filepath.Join(dir, "a", "b", "c")); return err },
		"slim":    func() error { _, err := SlimFile(path, o, filepath.Join(dir, "s"), nil); return err },
		"to vtz":  func() error { _, err := SlimFile(path, o, filepath.Join(dir, "s.vtz"), nil); return err },
	} {
		err := run()
		require.ErrorContains(t, err, want.Error(), name)
		require.Equal(t, map[string]string{".": "directory"}, below(t, dir), name)
	}
	// In a folder with others.
	link := filepath.Join(dir, filepath.Base(path))
	require.NoError(t, os.Rename(path, link))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "z.txt"), nil, 0o644))
	var entries []Entry
	require.NoError(t, Index(t.Context(), dir, o, func(e Entry) error { entries = append(entries, e); return nil }))
	require.Len(t, entries, 1)
	require.NotEmpty(t, entries[0].Error)
	require.NotContains(t, entries[0].Error, dir)
	require.Equal(t, Entry{Path: filepath.Base(path), Error: entries[0].Error}, entries[0])
	require.NoError(t, os.Rename(link, path))
}

// The tools give the same of a bundle in memory, in an archive and in a directory, of every
// version.
func TestStreamed(t *testing.T) {
	files, err := filepath.Glob("../cmd/vtrace/testdata/bundles/v*/*.vtz")
	require.NoError(t, err)
	directories, err := filepath.Glob("../cmd/vtrace/testdata/bundles/v*/translate")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(directories), artifact.Version)
	for _, path := range append(files, directories...) {
		t.Run(path, func(t *testing.T) {
			b, err := artifact.Load(path)
			require.NoError(t, err)
			problems := Verify(b)
			slim, err := Slim(b)
			require.NoError(t, err)
			sameStreamed(t, b, path, problems, slim)
			if b.Manifest().Pass != artifact.PassDeep && b.Manifest().Pass != artifact.PassTranslate {
				return
			}
			sameWritten(t, b, path, slim)
			other := filepath.Join(t.TempDir(), "other.vtz") // the other form
			if strings.HasSuffix(path, artifact.Ext) {
				other = strings.TrimSuffix(other, artifact.Ext)
			}
			require.NoError(t, artifact.Save(b, other))
			sameStreamed(t, b, other, problems, slim)
		})
	}
}

// packed is an archive of a tar stream.
func packed(t testing.TB, plain []byte) []byte {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	require.NoError(t, err)
	defer z.Close()
	return z.EncodeAll(plain, nil)
}

// tarOf is a tar stream of files, the manifest first.
func tarOf(t testing.TB, m artifact.Manifest, order []string, files map[string]string) []byte {
	manifest, err := storage.EncodeJSON(m)
	require.NoError(t, err)
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	put := func(name, text string) {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Size: int64(len(text)), Mode: 0o644}))
		_, err := io.WriteString(w, text)
		require.NoError(t, err)
	}
	put(manifestFile, string(manifest))
	for _, p := range order {
		put(p, files[p])
	}
	require.NoError(t, w.Close())
	return buf.Bytes()
}

// contents are the files of a bundle.
func contents(b *artifact.Bundle) map[string]string {
	out := map[string]string{}
	for _, p := range b.Paths() {
		data, _ := b.Read(p)
		out[p] = string(data)
	}
	return out
}

// What is wrong with the last file of a bundle, or behind it, leaves nothing of the others.
func TestStreamedRefuses(t *testing.T) {
	b := stored(t, "deep.vtz")
	m, files, paths := b.Manifest(), contents(b), b.Paths()
	last := paths[len(paths)-1]
	changed := maps.Clone(files)
	changed[last] = strings.Replace(files[last], `"T"`, `"F"`, 1)
	again := append(slices.Clone(paths), last)
	other := m
	other.Source = strings.Repeat("0", 64)
	file := filepath.Join(t.TempDir(), "b.vtz")
	for want, data := range map[string][]byte{
		`"verdicts.json": digest differs`:                     packed(t, tarOf(t, m, paths, changed)),
		`"verdicts.json": missing`:                            packed(t, tarOf(t, m, paths[:len(paths)-1], files)),
		`"verdicts.json": twice`:                              packed(t, tarOf(t, m, again, files)),
		`"manifest.json": digest of the source files differs`: packed(t, tarOf(t, other, paths, files)),
		`data behind the end of the archive`:                  packed(t, append(tarOf(t, m, paths, files), "x"...)),
		`unexpected EOF`:                                      packed(t, tarOf(t, m, paths, files)[:400_000]),
	} {
		require.NoError(t, os.WriteFile(file, data, 0o644))
		_, err := artifact.Load(file)
		require.ErrorContains(t, err, want)
		refuse(t, file, artifact.OpenOptions{}, err)
	}
	// In a directory that is there, with something else in it.
	require.NoError(t, os.WriteFile(file, packed(t, tarOf(t, m, paths, changed)), 0o644))
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "source"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "source", "mine"), []byte("mine"), 0o644))
	before := below(t, dir)
	written, err := ExtractFile(file, artifact.OpenOptions{}, dir)
	require.ErrorContains(t, err, "digest differs")
	require.Empty(t, written)
	require.Equal(t, before, below(t, dir))
}

// What has its name is whole, nothing is replaced, and after an error nothing is left.
func TestExtraction(t *testing.T) {
	dir := t.TempDir()
	x, err := newExtraction(filepath.Join(dir, "a", "out"))
	require.NoError(t, err)
	for _, p := range []string{"one", "d/two", "d/e/three"} {
		require.NoError(t, x.free(p))
		require.NoError(t, x.stage(p, strings.NewReader(p)))
	}
	for p := range below(t, dir) {
		if p != "." && p != "a" && p != "a/out" {
			require.True(t, strings.HasPrefix(p, "a/out/.vtrace-extract-"), "%s has its name too early", p)
		}
	}
	// Somebody else is faster.
	require.NoError(t, x.publish("one", 0))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "a", "out", "d"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a", "out", "d", "two"), []byte("theirs"), 0o644))
	require.ErrorIs(t, x.publish("d/two", 1), fs.ErrExist)
	require.NoError(t, x.publish("d/e/three", 2))
	require.NoError(t, x.end(true))
	require.Equal(t, map[string]string{".": "directory", "a": "directory", "a/out": "directory", "a/out/d": "directory", "a/out/d/two": "theirs"}, below(t, dir))

	// A link that comes to be where a directory is made is not followed.
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "a")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "inside"), 0o755))
	x, err = newExtraction(dir)
	require.NoError(t, err)
	require.NoError(t, x.free("d/two"))
	require.NoError(t, x.stage("d/two", strings.NewReader("2")))
	require.NoError(t, os.Symlink("inside", filepath.Join(dir, "d")))
	require.ErrorContains(t, x.publish("d/two", 0), "d is a link, which is not followed")
	require.ErrorContains(t, x.free("d/two"), "d is a link, which is not followed")
	require.ErrorIs(t, x.free("d"), fs.ErrExist)
	require.NoError(t, x.end(true))
	require.Equal(t, map[string]string{".": "directory", "d": "link inside", "inside": "directory"}, below(t, dir))
	// A file is no directory.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "source"), nil, 0o644))
	before := below(t, dir)
	_, err = Extract(stored(t, "deep.vtz"), dir, "source")
	require.ErrorContains(t, err, "not a directory")
	require.Equal(t, before, below(t, dir))
	// A directory that is a link whose target is not there belongs to somebody.
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	_, err = Extract(stored(t, "deep.vtz"), filepath.Join(dir, "dangling"), "source")
	require.Error(t, err)
	require.Equal(t, "link nowhere", below(t, dir)["dangling"])
}

// A bundle that has not the signature that is asked for is refused before anything is written.
func TestStreamedSigned(t *testing.T) {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	otherKey := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{2}, ed25519.SeedSize))
	o := artifact.OpenOptions{Key: key.Public().(ed25519.PublicKey)}
	other := artifact.OpenOptions{Key: otherKey.Public().(ed25519.PublicKey)}
	deep := stored(t, "deep.vtz")
	dir := t.TempDir()
	file := filepath.Join(dir, "b.vtz")
	require.NoError(t, artifact.Save(deep, file))
	refuse(t, file, o, artifact.ErrNotSigned)
	require.NoError(t, artifact.SaveSigned(deep, file, key))

	report, err := VerifyFile(file, o)
	require.NoError(t, err)
	require.Empty(t, report.Problems)
	d, err := DiffFiles(file, file, o)
	require.NoError(t, err)
	require.True(t, d.Same())
	_, err = ExtractFile(file, o, filepath.Join(dir, "x"))
	require.NoError(t, err)
	slim := filepath.Join(dir, "slim")
	_, err = SlimFile(file, o, slim, otherKey)
	require.NoError(t, err)
	b, err := artifact.LoadVerified(slim, other.Key)
	require.NoError(t, err)
	require.Equal(t, deep.Digest(), b.Manifest().SlimmedFrom)
	_, err = Merge(t.Context(), filepath.Join(dir, "m"), o, file)
	require.NoError(t, err)

	// With several, the signatures come before what is written, and the first wrong one ends it.
	third := filepath.Join(dir, "m3")
	_, err = Merge(t.Context(), third, o, file, slim)
	require.ErrorIs(t, err, artifact.ErrOtherKey)
	require.NoDirExists(t, third)
	_, err = DiffFiles(file, slim, o)
	require.ErrorIs(t, err, artifact.ErrOtherKey)
	var texts []string
	require.NoError(t, Index(t.Context(), dir, o, func(e Entry) error {
		texts = append(texts, e.Path+": "+e.Digest+e.Error)
		return nil
	}))
	require.Equal(t, []string{
		"b.vtz: " + deep.Digest(),
		fmt.Sprintf("m/bundles/%s.vtz: signature: there is no signature", deep.Digest()),
		texts[2],
		"x: signature: there is no signature",
	}, texts)
	require.Contains(t, texts[2], "slim: signature: another key has signed it")
}

// Whatever a bundle has that can be loaded, the tools end, say no more than they may, and the
// same whether it is in memory or a file. What cannot be loaded they refuse, and write nothing.
func FuzzTools(f *testing.F) {
	b := stored(f, "deep.vtz")
	whole := contents(b)
	maps.DeleteFunc(whole, func(p, _ string) bool { return strings.HasPrefix(p, "overlay/runtime/") })
	paths := slices.Sorted(maps.Keys(whole))
	for i, p := range paths { // each takes a tenth of a second: fuzzing makes others of them
		f.Add(uint8(i), []byte([]string{whole[p], "[{}]", "{}"}[i%3]))
	}
	// The last number is that of an archive, as a tar stream.
	small := artifact.New(artifact.Manifest{Pass: artifact.PassDeep, Parent: strings.Repeat("a", 64), Entry: b.Manifest().Entry})
	for _, p := range []string{"facts.json", "findings.json", "logs/q5-1.log", "queries.json", "source/go.mod", "source/main.go", "tests/q5-1_test.go", "verdicts.json"} {
		small.Put(p, []byte(whole[p]))
	}
	little, err := small.Bundle()
	require.NoError(f, err)
	order, files := little.Paths(), contents(little)
	for _, order := range [][]string{order, slices.Compact(append(slices.Clone(order[3:]), order[:3]...)), order[1:], append(slices.Clone(order), order[0])} {
		f.Add(uint8(255), tarOf(f, little.Manifest(), order, files))
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		file := filepath.Join(t.TempDir(), "b.vtz")
		if which == 255 {
			require.NoError(t, os.WriteFile(file, packed(t, data), 0o644))
			made, err := artifact.Load(file)
			streamed, err2 := streamedContents(file)
			if err != nil {
				require.EqualError(t, err2, err.Error())
				refuse(t, file, artifact.OpenOptions{}, err)
				return
			}
			require.NoError(t, err2)
			require.Equal(t, contents(made), streamed)
			slim, err := Slim(made)
			require.NoError(t, err)
			sameStreamed(t, made, file, Verify(made), slim)
			sameWritten(t, made, file, slim)
			return
		}
		changed := paths[int(which)%len(paths)]
		out := artifact.New(b.Manifest())
		for p, text := range whole {
			if p == changed {
				text = string(data)
			}
			out.Put(p, []byte(text))
		}
		made, err := out.Bundle()
		if err != nil {
			return // it cannot be loaded
		}
		problems := Verify(made)
		require.LessOrEqual(t, len(problems), maxProblems)
		slim, err := Slim(made)
		require.NoError(t, err)
		if len(problems) == 0 {
			require.Empty(t, Verify(slim))
		}
		d, err := Diff(b, made)
		require.NoError(t, err)
		require.False(t, d.Same()) // it lacks the runtime
		e, err := readEntry("x", made.Reader())
		require.NoError(t, err)
		require.Len(t, e.Row(), len(Columns()))
		require.NoError(t, os.WriteFile(file, []byte(archived(t, made)), 0o644))
		sameStreamed(t, made, file, problems, slim)
	})
}

// streamedContents are the files of a bundle, read one by one.
func streamedContents(path string) (map[string]string, error) {
	r, err := artifact.Open(path, artifact.OpenOptions{})
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	err = each(r, func(f artifact.FileInfo) error {
		var text strings.Builder
		_, err := io.Copy(&text, r)
		out[f.Path] = text.String()
		return err
	})
	return out, err
}
