package artifact

import (
	"archive/tar"
	"bytes"
	"crypto/ed25519"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/storage"
)

// ways are those in which a file of a bundle can be taken from a reader.
var ways = map[string]func(r *Reader) ([]byte, error){
	"in pieces":  func(r *Reader) ([]byte, error) { return io.ReadAll(iotest.OneByteReader(r)) },
	"as a whole": (*Reader).Content,
	"in halves": func(r *Reader) ([]byte, error) {
		half := make([]byte, 3)
		n, err := io.ReadFull(r, half)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return half[:n], nil
		}
		if err != nil {
			return nil, err
		}
		rest, err := io.ReadAll(r)
		return append(half, rest...), err
	},
	"not": func(*Reader) ([]byte, error) { return nil, nil },
}

// visit reads a bundle to its end.
func visit(r *Reader, take func(r *Reader) ([]byte, error)) (files map[string][]byte, order []string, err error) {
	files = map[string][]byte{}
	for {
		f, err := r.Next()
		if err == io.EOF {
			return files, order, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if files[f.Path], err = take(r); err != nil {
			return nil, nil, err
		}
		order = append(order, f.Path)
	}
}

// reference reads an archive in another way than a Reader does: as a whole, and then it
// compares it with its manifest.
func reference(data []byte, lim Limits) (map[string][]byte, error) {
	lim = must(lim.withDefaults())
	z, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(2*zstdWindow), zstd.WithDecoderMaxMemory(4*zstdWindow))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	stream := io.LimitReader(z, lim.Total+int64(lim.Files)*4096+maxManifest+1<<20)
	t := tar.NewReader(stream)
	files := map[string][]byte{}
	for first := true; ; first = false {
		hdr, err := t.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if _, twice := files[hdr.Name]; twice || first != (hdr.Name == manifestPath) || hdr.Typeflag != tar.TypeReg || hdr.Size > lim.File {
			return nil, errors.New("header")
		}
		if files[hdr.Name], err = io.ReadAll(io.LimitReader(t, lim.File+1)); err != nil {
			return nil, err
		}
		if int64(len(files[hdr.Name])) > lim.File {
			return nil, errors.New("size")
		}
	}
	padding, err := io.ReadAll(stream)
	if err != nil {
		return nil, err
	}
	if len(bytes.Trim(padding, "\x00")) > 0 {
		return nil, errors.New("behind the end")
	}
	m, err := decodeManifest(files[manifestPath], lim)
	if err != nil {
		return nil, err
	}
	delete(files, manifestPath)
	var program []source.File
	for _, f := range m.Files {
		data, ok := files[f.Path]
		if !ok || int64(len(data)) != f.Size || storage.Digest(data) != f.SHA256 {
			return nil, errors.New(f.Path)
		}
		if rel, ok := strings.CutPrefix(f.Path, "source/"); ok {
			program = append(program, source.File{Path: rel, Data: data})
		}
		if form := formOf(f.Path); form != nil {
			if err := checkDecoded(data, form, lim.Decoded); err != nil {
				return nil, err
			}
			if strings.HasPrefix(strings.TrimSpace(string(data)), "null") {
				return nil, errors.New("null")
			}
			if err := storage.DecodeJSON(data, reflect.New(form).Interface()); err != nil {
				return nil, err
			}
		}
	}
	want := ""
	if len(program) > 0 {
		want = source.Digest(program)
	}
	if want != m.Source || len(files) != len(m.Files) {
		return nil, errors.New("manifest")
	}
	return files, nil
}

// agree checks that everybody accepts or refuses an archive, and finds the same in it.
func agree(t *testing.T, data []byte, lim Limits) {
	t.Helper()
	want, refused := reference(data, lim)
	b, err := ReadArchive(bytes.NewReader(data), lim)
	if refused != nil {
		require.Error(t, err, "%v", refused)
	} else {
		require.NoError(t, err)
		require.Len(t, b.files, len(want))
		for p, data := range want {
			require.True(t, bytes.Equal(data, b.files[p]), p)
		}
	}
	for name, take := range ways {
		var files map[string][]byte
		var order []string
		r, streamed := NewReader(bytes.NewReader(data), lim)
		if streamed == nil {
			files, order, streamed = visit(r, take)
			require.NoError(t, r.Close())
		}
		if err != nil {
			require.EqualError(t, streamed, err.Error(), name)
			continue
		}
		require.NoError(t, streamed, name)
		require.Equal(t, b.Digest(), r.Digest())
		require.Equal(t, b.Paths(), slices.Concat([]string{}, order), name)
		if name != "not" {
			for p, data := range want {
				require.True(t, bytes.Equal(data, files[p]), p)
			}
		}
	}
}

// The values and the contents of a reader are those of the bundle, wherever it stands.
func TestReader(t *testing.T) {
	b := sample(t)
	dir := t.TempDir()
	readers := map[string]func() *Reader{"in memory": b.Reader}
	for _, name := range []string{"dir", "file.vtz"} {
		path := filepath.Join(dir, name)
		require.NoError(t, Save(b, path))
		readers[name] = func() *Reader {
			r, err := Open(path, OpenOptions{})
			require.NoError(t, err)
			return r
		}
	}
	for name, open := range readers {
		t.Run(name, func(t *testing.T) {
			for _, take := range ways {
				_, order, err := visit(open(), take)
				require.NoError(t, err)
				require.Equal(t, b.Paths(), order)
			}
			files, _, err := visit(open(), (*Reader).Content)
			require.NoError(t, err)
			require.Equal(t, b.files, files)

			r := open()
			require.Equal(t, b.Manifest(), r.Manifest())
			require.Equal(t, b.Digest(), r.Digest())
			require.Equal(t, b.Options(), r.Options())
			var values []any
			for {
				f, err := r.Next()
				if err == io.EOF {
					break
				}
				require.NoError(t, err)
				if f.Path == "logs/q1-1.log" && name != "in memory" {
					_, err = r.Read(make([]byte, 1))
					require.NoError(t, err)
					_, err = r.Content()
					var argument *ArgumentError
					require.ErrorAs(t, err, &argument)
				}
				if r.Value() != nil {
					values = append(values, r.Value())
					continue
				}
				require.Nil(t, formOf(f.Path), f.Path)
			}
			findings, queries, refutations, verdicts := b.Findings(), b.Queries(), b.Refutations(), b.Verdicts()
			require.Equal(t, []any{&findings, &queries, &refutations, b.Sidecar(), b.Trace(1, 1), &verdicts}, values)

			// The end stays, and closing ends it.
			_, err = r.Next()
			require.Equal(t, io.EOF, err)
			r = open()
			var argument *ArgumentError
			_, err = r.Read(make([]byte, 1))
			require.ErrorAs(t, err, &argument)
			_, err = r.Next()
			require.NoError(t, err)
			require.NoError(t, r.Close())
			require.NoError(t, r.Close())
			_, err = r.Next()
			require.ErrorIs(t, err, os.ErrClosed)
			_, err = r.Read(make([]byte, 1))
			require.ErrorIs(t, err, os.ErrClosed)
		})
	}
	_, err := Open(filepath.Join(dir, "none"), OpenOptions{})
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Open(filepath.Join(dir, "dir"), OpenOptions{Limits: Limits{Files: -1}})
	require.ErrorContains(t, err, "negative")
	require.ErrorContains(t, errOf(Open(os.DevNull, OpenOptions{})), "neither a directory nor a regular file")
}

func errOf(_ *Reader, err error) error { return err }

// A file that is not what the manifest says is an error before its end is, and everything
// after that is the same error.
func TestReaderBroken(t *testing.T) {
	b := sample(t)
	log := "logs/q1-1.log"
	for text, data := range map[string]string{
		"digest differs": strings.Replace(string(b.files[log]), "x", "y", 1),
		"more than":      string(b.files[log]) + "x",
		"bytes, want":    string(b.files[log][1:]),
	} {
		path := filepath.Join(t.TempDir(), "b")
		require.NoError(t, Save(b, path))
		require.NoError(t, os.WriteFile(filepath.Join(path, log), []byte(data), 0o644))
		for name, take := range ways {
			r, err := Open(path, OpenOptions{})
			require.NoError(t, err)
			_, _, err = visit(r, take)
			var c *CorruptError
			require.ErrorAs(t, err, &c, name)
			require.Equal(t, log, c.File)
			require.ErrorContains(t, err, text)
			_, again := r.Next()
			require.Equal(t, err, again)
			_, again = r.Read(make([]byte, 1))
			require.Equal(t, err, again)
			require.Nil(t, r.Value())
			require.NoError(t, r.Close())
			_, loaded := Load(path)
			require.EqualError(t, loaded, err.Error())
		}
	}
}

// The files of an archive may stand in any order behind the manifest, and come in theirs: what
// stands before its turn is kept until then, if it is not too much.
func TestReaderOrder(t *testing.T) {
	oneGoroutine(t)
	b := sample(t)
	entries := entriesOf(b)
	slices.Reverse(entries[1:])
	data := archive(t, "", entries...)
	got, err := ReadArchive(bytes.NewReader(data), DefaultLimits)
	require.NoError(t, err)
	same(t, b, got)
	agree(t, data, DefaultLimits)
	agree(t, archive(t, "", entries[:len(entries)-1]...), DefaultLimits)
	agree(t, archive(t, "", append(entries, entries[1])...), DefaultLimits)

	large := New(Manifest{})
	large.AddSource("a", []byte("a"))
	large.AddSource("b", make([]byte, maxAhead/2))
	large.AddSource("c", make([]byte, maxAhead/2+1))
	b, err = large.Bundle()
	require.NoError(t, err)
	entries = entriesOf(b)
	_, err = ReadArchive(bytes.NewReader(archive(t, "", entries[0], entries[2], entries[1], entries[3])), DefaultLimits)
	require.NoError(t, err)
	for _, order := range [][]entry{{entries[0], entries[2], entries[3], entries[1]}, {entries[0], entries[2], entries[3]}} {
		_, err = ReadArchive(bytes.NewReader(archive(t, "", order...)), DefaultLimits)
		var c *CorruptError
		require.ErrorAs(t, err, &c)
		require.Equal(t, "source/a", c.File)
		require.ErrorContains(t, err, "missing, or behind more than 67108864 bytes of files that come after it")
	}
}

// What is not kept of a bundle takes no memory.
func TestReaderMemory(t *testing.T) {
	oneGoroutine(t)
	const size = 64 << 20
	b := New(Manifest{})
	b.AddLog("large", make([]byte, size))
	large, err := b.Bundle()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "b.vtz")
	require.NoError(t, Save(large, path))
	n := allocated(func() {
		r, err := Open(path, OpenOptions{})
		require.NoError(t, err)
		_, _, err = visit(r, ways["not"])
		require.NoError(t, err)
		require.NoError(t, r.Close())
	})
	require.Less(t, n, uint64(size/2))
}

// testKey is a pair of keys that is always the same.
func testKey(n byte) (ed25519.PrivateKey, ed25519.PublicKey) {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
	return key, key.Public().(ed25519.PublicKey)
}

// A signature is looked at before the files.
func TestReaderSigned(t *testing.T) {
	key, public := testKey(1)
	_, otherPublic := testKey(2)
	b := sample(t)
	for _, name := range []string{"b", "b.vtz"} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, SaveSigned(b, path, key))
		r, err := Open(path, OpenOptions{Key: public})
		require.NoError(t, err)
		require.NoError(t, r.Close())
		_, err = Open(path, OpenOptions{Key: otherPublic})
		require.ErrorIs(t, err, ErrOtherKey)
		var argument *ArgumentError
		_, err = Open(path, OpenOptions{Key: public[:0]})
		require.ErrorAs(t, err, &argument)
		// Of another bundle, of which the files are broken, too.
		changed := Extend(b, b.Manifest())
		changed.AddLog("zzz", []byte("x"))
		other, err := changed.Bundle()
		require.NoError(t, err)
		other.files["logs/zzz"] = []byte("y")
		require.NoError(t, Save(other, path))
		_, err = Open(path, OpenOptions{Key: public})
		require.ErrorIs(t, err, ErrChanged)
		_, err = LoadVerified(path, public)
		require.ErrorIs(t, err, ErrChanged)
		var s *SignatureError
		require.ErrorAs(t, err, &s)
		require.Equal(t, SignaturePath(path), s.Path)
	}
}

// give gives the files of a bundle to SaveFiles.
func give(b *Bundle) func(put func(string, io.Reader) error) error {
	return func(put func(string, io.Reader) error) error {
		for _, p := range b.Paths() {
			if err := put(p, iotest.HalfReader(bytes.NewReader(b.files[p]))); err != nil {
				return err
			}
		}
		return nil
	}
}

// A bundle that is saved file by file has the bytes of one that is saved as a whole.
func TestSaveFiles(t *testing.T) {
	b := sample(t)
	key, _ := testKey(1)
	dir := t.TempDir()
	for _, name := range []string{"b", "b.vtz"} {
		path, want := filepath.Join(dir, name), filepath.Join(dir, "want-"+name)
		require.NoError(t, SaveSigned(b, want, key))
		for _, key := range []ed25519.PrivateKey{key, nil} { // the second time it is replaced
			digest, err := SaveFiles(path, b.Manifest(), key, give(b))
			require.NoError(t, err)
			require.Equal(t, b.Digest(), digest)
		}
		require.Equal(t, tree(t, want), tree(t, path))
		require.Equal(t, tree(t, SignaturePath(want)), tree(t, SignaturePath(path)))
	}
	// One of an older version stays one.
	old := b.Manifest()
	old.Version = 1
	_, err := SaveFiles(filepath.Join(dir, "old.vtz"), old, nil, give(b))
	require.NoError(t, err)
	got, err := Load(filepath.Join(dir, "old.vtz"))
	require.NoError(t, err)
	require.Equal(t, 1, got.Manifest().Version)
}

// tree are the contents of what is at a path.
func tree(t *testing.T, path string) map[string]string {
	out := map[string]string{}
	require.NoError(t, filepath.Walk(path, func(p string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		out[strings.TrimPrefix(p, path)] = string(data)
		return err
	}))
	return out
}

// What is not as the manifest says is not saved, and nothing is left of it.
func TestSaveFilesRefuses(t *testing.T) {
	b := sample(t)
	key, _ := testKey(1)
	mine := errors.New("mine")
	broken := iotest.ErrReader(mine)
	paths := b.Paths()
	edited := func(edit func(files map[string]io.Reader)) func(put func(string, io.Reader) error) error {
		return func(put func(string, io.Reader) error) error {
			files := map[string]io.Reader{}
			for _, p := range paths {
				files[p] = bytes.NewReader(b.files[p])
			}
			edit(files)
			for _, p := range slices.Sorted(maps.Keys(files)) {
				if err := put(p, files[p]); err != nil {
					return err
				}
			}
			return nil
		}
	}
	for name, c := range map[string]struct {
		manifest func(m *Manifest)
		files    func(put func(string, io.Reader) error) error
		want     string
	}{
		"another file":    {files: edited(func(f map[string]io.Reader) { f["source/a/x"] = strings.NewReader("") }), want: `"source/a/x": not the next file`},
		"a file less":     {files: edited(func(f map[string]io.Reader) { delete(f, "source/main.go") }), want: `"tests/q1-1_test.go": not the next file`},
		"no last file":    {files: edited(func(f map[string]io.Reader) { delete(f, paths[len(paths)-1]) }), want: `"verdicts.json": missing`},
		"no file":         {files: func(func(string, io.Reader) error) error { return nil }, want: "missing"},
		"one too much":    {files: edited(func(f map[string]io.Reader) { f["zzz"] = strings.NewReader("") }), want: `"zzz": not the next file`},
		"another content": {files: edited(func(f map[string]io.Reader) { f["source/main.go"] = strings.NewReader("package MAIN\n") }), want: "digest differs"},
		"too short":       {files: edited(func(f map[string]io.Reader) { f["source/main.go"] = strings.NewReader("package") }), want: "7 bytes, want 13"},
		"too long":        {files: edited(func(f map[string]io.Reader) { f["source/main.go"] = strings.NewReader("package main\n//") }), want: "more than 13 bytes"},
		"no content":      {files: edited(func(f map[string]io.Reader) { f["source/main.go"] = nil }), want: "content: nil"},
		"an error":        {files: func(func(string, io.Reader) error) error { return mine }, want: "mine"},
		"a broken content": {files: edited(func(f map[string]io.Reader) {
			f["source/main.go"] = io.MultiReader(strings.NewReader("package"), broken)
		}), want: "mine"},
		"an error that is passed over": {files: func(put func(string, io.Reader) error) error {
			_ = put(paths[0], broken)
			return give(b)(put)
		}, want: "mine"},
		"another program": {manifest: func(m *Manifest) { m.Source = strings.Repeat("0", 64) }, files: give(b), want: "source files"},
		"another format":  {manifest: func(m *Manifest) { m.Format = "zip" }, files: give(b), want: "format"},
		"another path":    {manifest: func(m *Manifest) { m.Files[0].Path = "../x" }, files: give(b), want: "clean"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, file := range []string{"b", "b.vtz"} {
				dir := t.TempDir()
				path := filepath.Join(dir, file)
				m := b.Manifest()
				if c.manifest != nil {
					c.manifest(&m)
				}
				_, err := SaveFiles(path, m, key, c.files)
				require.ErrorContains(t, err, c.want)
				require.Equal(t, c.want == "mine", err == mine, "what the function returns is returned as it is: %v", err)
				left, err := os.ReadDir(dir)
				require.NoError(t, err)
				require.Empty(t, left)
				// What was there stays.
				require.NoError(t, Save(b, path))
				before := tree(t, dir)
				_, err = SaveFiles(path, m, nil, c.files)
				require.Error(t, err)
				require.Equal(t, before, tree(t, dir))
			}
		})
	}
	for want, c := range map[string]struct {
		path  string
		key   ed25519.PrivateKey
		files func(put func(string, io.Reader) error) error
	}{
		"save bundle: ":      {path: filepath.Join(t.TempDir(), "none", "b.vtz"), files: give(b)},
		"path: empty":        {files: give(b)},
		"files: nil":         {path: "x"},
		"not one of ed25519": {path: "x", key: key[:3], files: give(b)},
	} {
		_, err := SaveFiles(c.path, b.Manifest(), c.key, c.files)
		require.ErrorContains(t, err, want)
	}
}
