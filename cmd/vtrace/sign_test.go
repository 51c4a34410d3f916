package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// keyFiles writes a pair of keys.
func keyFiles(t *testing.T, n byte) (private, public string) {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	pkix, err := x509.MarshalPKIXPublicKey(key.Public())
	require.NoError(t, err)
	dir := t.TempDir()
	private, public = filepath.Join(dir, "signing.pem"), filepath.Join(dir, "signing.pub.pem")
	require.NoError(t, os.WriteFile(private, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}), 0o600))
	require.NoError(t, os.WriteFile(public, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: pkix}), 0o600))
	return private, public
}

// A bundle is signed by the command that writes it, and refused by those that read it if it is
// not signed by the key that they are given.
func TestSignFlags(t *testing.T) {
	dir := program(t, "rendezvous")
	private, public := keyFiles(t, 1)
	_, other := keyFiles(t, 2)
	code, stdout, stderr := execute(t, "first", "-sign", private, "-o", "signed.vtz", dir)
	require.Equal(t, exitInconclusive, code, stderr)
	require.Contains(t, stdout, "signature: signed.vtz.sig\n")
	code, _, stderr = execute(t, "first", "-o", "plain.vtz", dir)
	require.Equal(t, exitInconclusive, code, stderr)
	signed, err := os.ReadFile("signed.vtz")
	require.NoError(t, err)
	unsigned, err := os.ReadFile("plain.vtz")
	require.NoError(t, err)
	require.Equal(t, unsigned, signed)
	require.NoFileExists(t, "plain.vtz.sig")

	code, _, stderr = execute(t, "second", "-verify-key", public, "-sign", private, "-o", "second.vtz", "signed.vtz")
	require.Equal(t, exitInconclusive, code, stderr)
	code, _, stderr = execute(t, "inspect", "-verify-key", public, "second.vtz")
	require.Equal(t, exitNothing, code, stderr)

	for _, c := range []struct {
		bundle, key, word string
	}{
		{"plain.vtz", public, "there is no signature"},
		{"signed.vtz", other, "another key has signed it"},
		{"signed.vtz", private, `it has a "PRIVATE KEY"`},
		{"changed.vtz", public, "the bundle is not the one that was signed"},
		{"gone.vtz", public, "no such file"},
	} {
		if c.bundle == "changed.vtz" {
			b, err := artifact.Load("second.vtz")
			require.NoError(t, err)
			changed := artifact.Extend(b, b.Manifest())
			changed.AddLog("more", []byte("x"))
			b, err = changed.Bundle()
			require.NoError(t, err)
			require.NoError(t, artifact.Save(b, c.bundle))
			sig, err := os.ReadFile("second.vtz.sig")
			require.NoError(t, err)
			require.NoError(t, os.WriteFile("changed.vtz.sig", sig, 0o600))
		}
		for _, command := range [][]string{{"second"}, {"deep"}, {"inspect"}, {"view"}, {"replay"}, {"export-test"}} {
			args := append(command, "-verify-key", c.key, c.bundle)
			if command[0] == "replay" || command[0] == "export-test" {
				args = append(args, "q1-1")
			}
			code, stdout, stderr := execute(t, args...)
			require.Equal(t, exitUsage, code, "%v: %s", args, stderr)
			require.Contains(t, stderr, c.word)
			require.Empty(t, stdout)
		}
	}

	// A key that cannot sign is said before the work.
	for _, args := range [][]string{{"check", "-sign", public}, {"first", "-sign", "none.pem"}, {"check", "-sign", private, "-o", "-"}, {"check", "-sign", public, "-entry", "all"}} {
		code, _, stderr := execute(t, append(args, "./nowhere")...)
		require.Equal(t, exitUsage, code)
		require.Regexp(t, "-sign", stderr)
	}
}
