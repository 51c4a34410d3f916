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
	"github.com/vtrace/vtrace/internal/storage"
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
		data, err := storage.EncodeJSON(s)
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
			again, err := storage.EncodeJSON(s)
			require.NoError(t, err)
			var back Signature
			require.NoError(t, storage.DecodeJSON(again, &back))
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
		again, err := storage.EncodeJSON(o)
		require.NoError(t, err)
		back, err := Manifest{Version: Version, Options: again}.options()
		require.NoError(t, err)
		once, err := storage.EncodeJSON(back)
		require.NoError(t, err)
		require.Equal(t, string(again), string(once))
		if len(raw) == 0 {
			return
		}
		// In a manifest they have one form, which says the same.
		one, err := storage.SortKeys(raw)
		require.NoError(t, err)
		require.True(t, json.Valid(one))
		m.Options = one
		same, err := m.options()
		require.NoError(t, err)
		require.Equal(t, o, same)
		two, err := storage.SortKeys(one)
		require.NoError(t, err)
		require.Equal(t, string(one), string(two))
	})
}
