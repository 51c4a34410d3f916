package artifact_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// keys are two that are always the same.
func keys(n byte) (ed25519.PrivateKey, ed25519.PublicKey) {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
	return key, key.Public().(ed25519.PublicKey)
}

func small(t *testing.T, text string) *artifact.Bundle {
	b := artifact.New(artifact.Manifest{Pass: artifact.PassFirst})
	b.AddSource("main.go", []byte(text))
	out, err := b.Bundle()
	require.NoError(t, err)
	return out
}

// A signed bundle loads with its key, and with a typed error otherwise.
func TestSigned(t *testing.T) {
	key, public := keys(1)
	otherKey, otherPublic := keys(2)
	for _, name := range []string{"b.vtz", "dir"} {
		path := filepath.Join(t.TempDir(), name)
		sig := artifact.SignaturePath(path)
		load := func(public ed25519.PublicKey, want error) {
			t.Helper()
			b, err := artifact.LoadVerified(path, public)
			if want == nil {
				require.NoError(t, err)
				require.NotNil(t, b)
				return
			}
			require.Nil(t, b)
			var s *artifact.SignatureError
			require.ErrorAs(t, err, &s)
			require.ErrorIs(t, err, want)
			require.Equal(t, sig, s.Path)
		}
		b := small(t, "package main")
		require.NoError(t, artifact.Save(b, path))
		load(public, artifact.ErrNotSigned)
		require.NoError(t, artifact.SaveSigned(b, path, key))
		load(public, nil)
		load(otherPublic, artifact.ErrOtherKey)
		first, err := os.ReadFile(sig)
		require.NoError(t, err)
		require.NoError(t, artifact.SaveSigned(b, path, key))
		again, err := os.ReadFile(sig)
		require.NoError(t, err)
		require.Equal(t, first, again, "the same bytes each time")

		// A bundle that was changed, and one that somebody else has signed.
		require.NoError(t, artifact.Save(small(t, "package other"), path))
		load(public, artifact.ErrChanged)
		require.NoError(t, artifact.SaveSigned(small(t, "package other"), path, otherKey))
		load(public, artifact.ErrOtherKey)
		theirs, err := os.ReadFile(sig)
		require.NoError(t, err)

		// The name of our key in front of the signature of another one; our signature of
		// another bundle with the digest of this one.
		line := func(data []byte, field string) string {
			for l := range strings.Lines(string(data)) {
				if strings.Contains(l, `"`+field+`"`) {
					return l
				}
			}
			return ""
		}
		forged := strings.Replace(string(theirs), line(theirs, "key"), line(first, "key"), 1)
		require.NotEqual(t, string(theirs), forged)
		require.NoError(t, os.WriteFile(sig, []byte(forged), 0o600))
		load(public, artifact.ErrForged)
		forged = strings.Replace(string(first), line(first, "digest"), line(theirs, "digest"), 1)
		require.NotEqual(t, string(first), forged)
		require.NoError(t, os.WriteFile(sig, []byte(forged), 0o600))
		load(public, artifact.ErrForged)

		for _, text := range []string{"", "{}", "null", string(first) + "x", strings.Replace(string(first), "vtrace", "trace", 1), strings.Replace(string(first), `"version": 1`, `"version": 2`, 1), strings.Repeat(" ", 5000)} {
			require.NoError(t, os.WriteFile(sig, []byte(text), 0o600))
			_, err := artifact.LoadVerified(path, public)
			var s *artifact.SignatureError
			require.ErrorAs(t, err, &s, text)
		}
		require.NoError(t, os.Remove(sig))
		require.NoError(t, os.Mkdir(sig, 0o700))
		_, err = artifact.LoadVerified(path, public)
		require.ErrorContains(t, err, "not a regular file")
		require.ErrorContains(t, artifact.SaveSigned(b, path, key), "not a regular file")
	}
}

// What is signed is the digest behind a prefix: what an other tool needs to verify it.
func TestSignedMessage(t *testing.T) {
	key, public := keys(1)
	b := small(t, "package main")
	s, err := artifact.Sign(b, key)
	require.NoError(t, err)
	require.True(t, ed25519.Verify(public, []byte("vtrace bundle signature 1\n"+b.Digest()), s.Signature))
	require.False(t, ed25519.Verify(public, []byte(b.Digest()), s.Signature))
}

// Keys are files as openssl writes them.
func TestKeys(t *testing.T) {
	dir := t.TempDir()
	write := func(kind string, der []byte, more string) string {
		path := filepath.Join(dir, "key.pem")
		require.NoError(t, os.WriteFile(path, append(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), more...), 0o600))
		return path
	}
	key, public := keys(1)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	pkix, err := x509.MarshalPKIXPublicKey(public)
	require.NoError(t, err)
	got, err := artifact.ReadPrivateKey(write("PRIVATE KEY", private, ""))
	require.NoError(t, err)
	require.Equal(t, key, got)
	gotPublic, err := artifact.ReadPublicKey(write("PUBLIC KEY", pkix, "\n"))
	require.NoError(t, err)
	require.Equal(t, public, gotPublic)

	var wrong *artifact.KeyError
	for _, path := range []string{write("PUBLIC KEY", pkix, "")} {
		_, err = artifact.ReadPrivateKey(path)
		require.ErrorAs(t, err, &wrong)
	}
	_, err = artifact.ReadPublicKey(write("PRIVATE KEY", private, ""))
	require.ErrorAs(t, err, &wrong)
	_, err = artifact.ReadPublicKey(write("PUBLIC KEY", pkix[1:], ""))
	require.ErrorAs(t, err, &wrong)
	_, err = artifact.ReadPublicKey(write("PUBLIC KEY", pkix, "more"))
	require.ErrorAs(t, err, &wrong)
	_, err = artifact.ReadPrivateKey(filepath.Join(dir, "none.pem"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "empty.pem"), nil, 0o600))
	_, err = artifact.ReadPrivateKey(filepath.Join(dir, "empty.pem"))
	require.ErrorAs(t, err, &wrong)

	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip(err)
	}
	// As docs/security.md has it.
	for _, line := range []string{
		"genpkey -algorithm ed25519 -out signing.pem",
		"pkey -in signing.pem -pubout -out signing.pub.pem",
		"genrsa -out rsa.pem 512",
	} {
		cmd := exec.Command("openssl", strings.Fields(line)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	key, err = artifact.ReadPrivateKey(filepath.Join(dir, "signing.pem"))
	require.NoError(t, err)
	public, err = artifact.ReadPublicKey(filepath.Join(dir, "signing.pub.pem"))
	require.NoError(t, err)
	require.Equal(t, key.Public(), public)
	_, err = artifact.ReadPrivateKey(filepath.Join(dir, "rsa.pem"))
	require.ErrorContains(t, err, "not of ed25519")
}
