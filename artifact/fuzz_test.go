package artifact

import (
	"archive/tar"
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/module"
)

// fuzzKey is a key that is always the same.
func fuzzKey(n byte) (ed25519.PrivateKey, ed25519.PublicKey) {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
	return key, key.Public().(ed25519.PublicKey)
}

// A file beside a bundle is a signature of it by the key that is asked for, or a
// SignatureError, and never one by another key.
func FuzzSignature(f *testing.F) {
	key, public := fuzzKey(1)
	otherKey, otherPublic := fuzzKey(2)
	b := sample(f)
	path := filepath.Join(f.TempDir(), "b"+Ext)
	require.NoError(f, Save(b, path))
	whole, err := Sign(b, key)
	require.NoError(f, err)
	theirs, err := Sign(b, otherKey)
	require.NoError(f, err)
	mixed := *theirs
	mixed.Key = whole.Key
	newer := *whole
	newer.Version++
	for _, s := range []*Signature{whole, theirs, &mixed, &newer} {
		data, err := EncodeJSON(s)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Add([]byte(`{"version":1,"Version":2}`))
	f.Add(bytes.Repeat([]byte(" "), maxSignature+1))
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		require.NoError(t, os.WriteFile(SignaturePath(path), data, 0o644))
		var wrong *SignatureError
		s, err := readSignature(SignaturePath(path))
		if err != nil {
			require.ErrorAs(t, err, &wrong)
			require.Nil(t, s)
		} else {
			require.LessOrEqual(t, len(data), maxSignature)
			again, err := EncodeJSON(s)
			require.NoError(t, err)
			var back Signature
			require.NoError(t, decodeJSON(again, &back))
			require.Equal(t, *s, back)
		}
		_, err = LoadVerified(path, otherPublic)
		if err == nil {
			// Only the signature of the other key is one by it.
			require.Equal(t, *theirs, *s)
		} else {
			require.ErrorAs(t, err, &wrong)
		}
		got, err := LoadVerified(path, public)
		if err != nil {
			require.Nil(t, got)
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, SignaturePath(path), wrong.Path)
			return
		}
		require.Equal(t, *whole, *s, "ed25519 has one signature of a message by a key")
		same(t, b, got)
	})
}

// A file is a key that is written and read back the same, or a KeyError.
func FuzzKey(f *testing.F) {
	key, public := fuzzKey(1)
	private := func(t testing.TB, k ed25519.PrivateKey) []byte {
		der, err := x509.MarshalPKCS8PrivateKey(k)
		require.NoError(t, err)
		return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	}
	shared := func(t testing.TB, k ed25519.PublicKey) []byte {
		der, err := x509.MarshalPKIXPublicKey(k)
		require.NoError(t, err)
		return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	}
	f.Add(private(f, key))
	f.Add(shared(f, public))
	f.Add(bytes.Replace(private(f, key), []byte("PRIVATE"), []byte("PUBLIC"), 2))
	f.Add([]byte("-----BEGIN PRIVATE KEY-----\n\n-----END PRIVATE KEY-----\n"))
	f.Add(append(bytes.Repeat([]byte("\n"), maxKey), shared(f, public)...))
	file := filepath.Join(f.TempDir(), "key.pem")
	f.Fuzz(func(t *testing.T, data []byte) {
		require.NoError(t, os.WriteFile(file, data, 0o600))
		var wrong *KeyError
		k, err := ReadPrivateKey(file)
		if err != nil {
			require.ErrorAs(t, err, &wrong)
			require.Nil(t, k)
		} else {
			require.LessOrEqual(t, len(data), maxKey)
			require.NoError(t, os.WriteFile(file, private(t, k), 0o600))
			again, err := ReadPrivateKey(file)
			require.NoError(t, err)
			require.Equal(t, k, again)
			require.True(t, ed25519.Verify(k.Public().(ed25519.PublicKey), []byte("m"), ed25519.Sign(k, []byte("m"))))
		}
		require.NoError(t, os.WriteFile(file, data, 0o600))
		p, err := ReadPublicKey(file)
		if err != nil {
			require.ErrorAs(t, err, &wrong)
			require.Nil(t, p)
			return
		}
		require.NoError(t, os.WriteFile(file, shared(t, p), 0o600))
		again, err := ReadPublicKey(file)
		require.NoError(t, err)
		require.Equal(t, p, again)
		// A key that somebody made up has signed nothing.
		if !p.Equal(public) {
			s, err := Sign(sample(t), key)
			require.NoError(t, err)
			require.ErrorIs(t, s.Verify(sample(t), p), ErrOtherKey)
		}
	})
}

// spoilt is a text in which n bytes from at on are others.
func spoilt(whole []byte, at, n uint32, with []byte) []byte {
	from := int(at) % (len(whole) + 1)
	to := from + int(n)%(len(whole)-from+1)
	return slices.Concat(whole[:from], with, whole[to:])
}

// requireKept checks that what was found where something may be damaged is what was kept, or
// nothing, with a reason.
func requireKept(t *testing.T, want, got *Bundle, what Lookup, err error) {
	t.Helper()
	require.Equal(t, what == Hit, got != nil)
	require.Contains(t, []Lookup{Hit, Miss, Stale, Corrupt}, what)
	if got != nil {
		require.NoError(t, err)
		same(t, want, got)
	} else if what != Miss { // as of a record that names another bundle, which is not there
		require.Error(t, err)
	}
}

// A record or a bundle that is damaged is as good as none, whatever it says, is replaced by
// what is whole, and goes when there is no more room.
func FuzzResults(f *testing.F) {
	b := sample(f)
	in := inputs{"v1", "abc"}
	r := Results{Dir: f.TempDir()}
	require.NoError(f, r.Put(in, b))
	key, err := r.inputsOf(in)
	require.NoError(f, err)
	files := []string{r.recordPath(key), r.bundlePath(b.Digest())}
	whole := map[string][]byte{}
	for i, file := range files {
		whole[file], err = os.ReadFile(file)
		require.NoError(f, err)
		n := uint32(len(whole[file]))
		f.Add(uint8(i), uint32(0), n, []byte("{}"))
		f.Add(uint8(i), n/2, uint32(1), []byte("x"))
		f.Add(uint8(i), n/2, n, []byte(nil))
		f.Add(uint8(i), uint32(0), uint32(0), []byte(nil))
	}
	f.Add(uint8(0), uint32(0), uint32(len(whole[files[0]])), []byte(`{"inputs":null,"bundle":"`+strings.Repeat("0", 64)+`"}`))
	f.Fuzz(func(t *testing.T, which uint8, at, n uint32, with []byte) {
		file := files[int(which)%len(files)]
		for name, data := range whole {
			if name == file {
				data = spoilt(data, at, n, with)
			}
			require.NoError(t, os.WriteFile(name, data, 0o644))
		}
		got, what, err := r.Get(in)
		requireKept(t, b, got, what, err)
		list, err := r.All()
		require.NoError(t, err)
		require.LessOrEqual(t, len(list), 2) // with that of the time before
		for _, k := range list {
			require.True(t, json.Valid(k.Inputs))
			require.Equal(t, r.bundlePath(k.Digest), k.Path)
			require.Equal(t, filepath.Join(r.Dir, bundlesDir), filepath.Dir(k.Path))
		}
		require.True(t, what != Hit || slices.ContainsFunc(list, func(k KeptResult) bool { return k.Digest == b.Digest() }))
		got, what, err = r.Get(inputs{"v2", "abc"})
		require.NoError(t, err)
		require.Nil(t, got)
		require.Equal(t, Miss, what)

		// What was damaged does not stay when something else needs its place.
		small := New(Manifest{Pass: PassFirst, Entry: Entry{Package: "p", Func: "main"}})
		other, err := small.Bundle()
		require.NoError(t, err)
		require.NoError(t, Results{Dir: r.Dir, MaxBytes: 1}.Put(1, other))
		records, err := os.ReadDir(filepath.Join(r.Dir, recordsDir))
		require.NoError(t, err)
		require.Len(t, records, 1)
		got, what, err = r.Get(in)
		require.NoError(t, err)
		require.Nil(t, got)
		require.Equal(t, Miss, what)
	})
}

// A bundle that a cache has kept is the one that it was given, or as good as none, and the
// next Put makes it whole.
func FuzzCache(f *testing.F) {
	b := sample(f)
	c := Cache{Dir: f.TempDir()}
	require.NoError(f, c.Put(b))
	key, err := b.Manifest().Key()
	require.NoError(f, err)
	file := c.path(key)
	whole, err := os.ReadFile(file)
	require.NoError(f, err)
	n := uint32(len(whole))
	f.Add(uint32(0), n, []byte(nil))
	f.Add(n/2, n, []byte(nil))
	f.Add(n/2, uint32(1), []byte("x"))
	f.Add(n, uint32(0), []byte("x"))
	f.Add(uint32(0), uint32(0), []byte(nil))
	f.Fuzz(func(t *testing.T, at, n uint32, with []byte) {
		require.NoError(t, os.WriteFile(file, spoilt(whole, at, n, with), 0o644))
		got, what, err := c.Get(b.Manifest())
		requireKept(t, b, got, what, err)
		list, err := c.Manifests()
		require.NoError(t, err)
		require.Equal(t, what == Hit, len(list) == 1)
		require.NoError(t, c.Put(b))
		got, what, err = c.Get(b.Manifest())
		require.NoError(t, err)
		require.Equal(t, Hit, what)
		same(t, b, got)
	})
}

// A directory is read as the archive of the same files is, and what is not whole is said to
// be corrupt.
func FuzzDirectory(f *testing.F) {
	b := sample(f)
	whole := map[string][]byte{}
	for _, e := range entriesOf(b) {
		whole[e.name] = []byte(e.data)
	}
	names := slices.Sorted(maps.Keys(whole))
	for i, name := range names {
		f.Add(uint8(i), "logs/x", whole[name])
		f.Add(uint8(1), name, whole[name])
		f.Add(uint8(i), name, append(slices.Clip(whole[name]), 'x'))
	}
	f.Add(uint8(0), "source/.git/config", []byte("x"))
	f.Add(uint8(0), "source/main.go/x", []byte("x"))
	lim := Limits{Files: 100, File: 1 << 20, Total: 4 << 20, Path: 256}
	f.Fuzz(func(t *testing.T, left uint8, name string, data []byte) {
		// One file is left out, and one is another or one more.
		files := maps.Clone(whole)
		if gone := names[int(left)%len(names)]; gone != name && left%2 == 0 {
			delete(files, gone)
		}
		files[name] = data
		dir := t.TempDir()
		for name, data := range files {
			to := filepath.Join(dir, filepath.FromSlash(name))
			if !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\x00\\") || filepath.ToSlash(filepath.Clean(name)) != name || !utf8.ValidString(name) {
				return // it cannot be a file below the directory, by that name
			}
			if os.MkdirAll(filepath.Dir(to), 0o755) != nil || os.WriteFile(to, data, 0o644) != nil {
				return
			}
		}
		entries := []entry{{manifestPath, tar.TypeReg, string(files[manifestPath])}}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if name != manifestPath {
				entries = append(entries, entry{name, tar.TypeReg, string(files[name])})
			}
		}
		if _, ok := files[manifestPath]; !ok {
			entries = entries[1:]
		}
		packed, packedErr := ReadArchive(bytes.NewReader(archive(t, "", entries...)), lim)
		got, err := LoadLimited(dir, lim)
		require.Equal(t, packedErr == nil, err == nil, "%v, as an archive %v", err, packedErr)
		if err == nil {
			same(t, packed, got)
			return
		}
		var c *CorruptError
		var v *VersionError
		require.True(t, errors.As(err, &c) || errors.As(err, &v), "%v", err)
		require.NotErrorIs(t, err, fs.ErrPermission)
	})
}

// The options of a manifest are those that are written again, whatever version they are of,
// or corrupt.
func FuzzOptions(f *testing.F) {
	f.Add(3, []byte(`{"model":{"bounds":{"slots":1},"flags":["-race"]},"search":{"timeout":1},"disallow":"exact","runDepth":2}`))
	f.Add(2, []byte(`{"model":{"bounds":{"Slots":1,"Slice":-1}},"search":{},"more":1}`))
	f.Add(1, []byte(`{"model":{"bounds":{"bufferValues":1}},"search":{"maxStates":1e3}}`))
	f.Add(3, []byte(`null`))
	f.Fuzz(func(t *testing.T, version int, raw []byte) {
		m := Manifest{Version: 1 + (version%Version+Version)%Version, Options: raw}
		o, err := m.options()
		if err != nil {
			var c *CorruptError
			require.ErrorAs(t, err, &c)
			require.Equal(t, manifestPath, c.File)
			require.Zero(t, o)
			return
		}
		again, err := EncodeJSON(o)
		require.NoError(t, err)
		back, err := Manifest{Version: Version, Options: again}.options()
		require.NoError(t, err)
		once, err := EncodeJSON(back)
		require.NoError(t, err)
		require.Equal(t, string(again), string(once))
		if len(raw) == 0 {
			return
		}
		// In a manifest they have one form, which says the same.
		one, err := canonicalRaw(raw)
		require.NoError(t, err)
		require.True(t, json.Valid(one))
		m.Options = one
		same, err := m.options()
		require.NoError(t, err)
		require.Equal(t, o, same)
		two, err := canonicalRaw(one)
		require.NoError(t, err)
		require.Equal(t, string(one), string(two))
	})
}

// A name below modules/ is that of one file of one version of one module, as a proxy has it.
func FuzzModuleFile(f *testing.F) {
	for _, s := range []string{
		"example.com/m/@v/v1.0.0.mod", "github.com/!burnt!sushi/toml/@v/v1.0.0+incompatible.zip", "golang.org/toolchain/@v/v0.0.1-go1.26.linux-amd64.zip",
		"example.com/m/@v/list", "example.com/m/@latest", "../@v/v1.0.0.mod", "a.b/c/@v/v1.0.0.info/@v/v1.0.0.mod", "A.b/@v/v1.mod",
		"a.b/c/@v/v5.0.1.zip", "a.b/c/v5/@v/v5.0.1.zip", "a.b/c/@v/v5.0.1+incompatible.mod",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		m, ok := ParseModuleFile(name)
		require.Equal(t, ok, moduleFile(ModulesDir+"/"+name))
		if !ok {
			return
		}
		escaped, err := module.EscapePath(m.Module)
		require.NoError(t, err)
		version, err := module.EscapeVersion(m.Version)
		require.NoError(t, err)
		require.Equal(t, name, escaped+"/@v/"+version+m.Ext)
		require.Equal(t, m.Version, module.CanonicalVersion(m.Version))
		_, major, ok := module.SplitPathVersion(m.Module)
		require.True(t, ok)
		require.NoError(t, module.CheckPathMajor(m.Version, major))
		require.True(t, filepath.IsLocal(filepath.FromSlash(name)))
		require.NotEqual(t, "golang.org/toolchain", strings.ToLower(m.Module))
	})
}
