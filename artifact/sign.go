package artifact

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/vtrace/vtrace/internal/storage"
)

// sigExt is what the name of a signature's file has after that of its bundle.
const sigExt = ".sig"

const (
	signatureFormat  = "vtrace-signature"
	signatureVersion = 1
	// signedPrefix is in front of the digest in what is signed, so that a signature of a
	// bundle is one of nothing else, and the other way round.
	signedPrefix = "vtrace bundle signature 1\n"
	maxSignature = 4 << 10
	maxKey       = 64 << 10
)

// Signature is a signature of a bundle, by ed25519. It is a file beside the bundle, so that
// the bundle has the same bytes whoever signs it.
type Signature struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Key is the sha256 of the public key, in the form of PKIX, in hexadecimal.
	Key string `json:"key"`
	// Digest is that of the bundle.
	Digest    string `json:"digest"`
	Signature []byte `json:"signature"`
}

// What is wrong with the signature of a bundle: these are wrapped by a SignatureError.
var (
	ErrNotSigned = errors.New("there is no signature")
	ErrOtherKey  = errors.New("another key has signed it")
	ErrChanged   = errors.New("the bundle is not the one that was signed")
	ErrForged    = errors.New("the signature is not by the key that it names")
)

// SignatureError says what is wrong with the signature of a bundle.
type SignatureError struct {
	// Path is the file of the signature, "" if it is in none.
	Path string
	Err  error
}

func (e *SignatureError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("signature: %v", e.Err)
	}
	return fmt.Sprintf("signature %s: %v", e.Path, e.Err)
}

func (e *SignatureError) Unwrap() error { return e.Err }

// KeyError says why a file is no key to sign or to verify with.
type KeyError struct{ Path, Reason string }

func (e *KeyError) Error() string { return fmt.Sprintf("key %s: %s", e.Path, e.Reason) }

// ReadPrivateKey reads a key to sign with: PKCS #8 in PEM, as "openssl genpkey -algorithm
// ed25519" writes it.
func ReadPrivateKey(path string) (ed25519.PrivateKey, error) {
	key, err := readKey(path, "PRIVATE KEY", func(der []byte) (any, error) { return x509.ParsePKCS8PrivateKey(der) })
	if err != nil {
		return nil, err
	}
	private, ok := key.(ed25519.PrivateKey)
	if !ok {
		return nil, &KeyError{path, "it is a private key, but not of ed25519"}
	}
	return private, nil
}

// ReadPublicKey reads a key to verify with: PKIX in PEM, as "openssl pkey -pubout" writes it.
func ReadPublicKey(path string) (ed25519.PublicKey, error) {
	key, err := readKey(path, "PUBLIC KEY", x509.ParsePKIXPublicKey)
	if err != nil {
		return nil, err
	}
	public, ok := key.(ed25519.PublicKey)
	if !ok {
		return nil, &KeyError{path, "it is a public key, but not of ed25519"}
	}
	return public, nil
}

func readKey(path, kind string, parse func([]byte) (any, error)) (any, error) {
	data, err := readSmall(path, maxKey)
	if err != nil {
		return nil, fmt.Errorf("key: %w", err)
	}
	block, rest := pem.Decode(data)
	switch {
	case block == nil:
		return nil, &KeyError{path, "it has no PEM block"}
	case block.Type != kind:
		return nil, &KeyError{path, fmt.Sprintf("it has a %q, and not a %q that openssl writes without a password", clipped(block.Type), kind)}
	case len(bytes.TrimSpace(rest)) > 0:
		return nil, &KeyError{path, "there is something behind the key"}
	}
	key, err := parse(block.Bytes)
	if err != nil {
		return nil, &KeyError{path, err.Error()}
	}
	return key, nil
}

func clipped(s string) string { return s[:min(len(s), 64)] }

// readSmall reads a regular file of at most max bytes.
func readSmall(path string, max int64) ([]byte, error) {
	if path == "" {
		return nil, &ArgumentError{"path", "empty"}
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &KeyError{path, "it is not a regular file"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(data)) > max {
		err = &KeyError{path, fmt.Sprintf("it has more than %d bytes", max)}
	}
	return data, err
}

var errNoKey = &ArgumentError{"key", "not one of ed25519"}

// keyID names a public key.
func keyID(key ed25519.PublicKey) (string, error) {
	if len(key) != ed25519.PublicKeySize {
		return "", errNoKey
	}
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return "", err
	}
	return storage.Digest(der), nil
}

// Sign signs a bundle.
func Sign(b *Bundle, key ed25519.PrivateKey) (*Signature, error) {
	if b == nil {
		return nil, &ArgumentError{"bundle", "nil"}
	}
	return sign(b.Digest(), key)
}

// sign signs the bundle with a digest.
func sign(digest string, key ed25519.PrivateKey) (*Signature, error) {
	if len(key) != ed25519.PrivateKeySize {
		return nil, errNoKey
	}
	id, err := keyID(key.Public().(ed25519.PublicKey))
	if err != nil {
		return nil, err
	}
	return &Signature{
		Format: signatureFormat, Version: signatureVersion, Key: id, Digest: digest,
		Signature: ed25519.Sign(key, []byte(signedPrefix+digest)),
	}, nil
}

// Verify checks that a signature is that of a bundle by a key. A *SignatureError says what
// is wrong.
func (s *Signature) Verify(b *Bundle, key ed25519.PublicKey) error {
	if b == nil {
		return &ArgumentError{"bundle", "nil"}
	}
	if err := s.by(key); err != nil {
		return err
	}
	if s.Digest != b.Digest() {
		return &SignatureError{Err: ErrChanged}
	}
	return nil
}

// by checks that a signature is one by a key, of whatever bundle.
func (s *Signature) by(key ed25519.PublicKey) error {
	if s == nil {
		return &ArgumentError{"signature", "nil"}
	}
	id, err := keyID(key)
	switch {
	case err != nil:
		return err
	case s.Key != id:
		return &SignatureError{Err: fmt.Errorf("%w: %s, and not %s", ErrOtherKey, shortKey(s.Key), shortKey(id))}
	case !ed25519.Verify(key, []byte(signedPrefix+s.Digest), s.Signature):
		return &SignatureError{Err: ErrForged}
	}
	return nil
}

// shortKey is the beginning of a key's name, for people.
func shortKey(id string) string { return id[:min(len(id), 16)] }

// SignaturePath is where the signature of the bundle at a path is.
func SignaturePath(path string) string { return strings.TrimRight(path, `/\`) + sigExt }

// SaveSigned saves a bundle and then its signature beside it. An older signature is replaced.
func SaveSigned(b *Bundle, path string, key ed25519.PrivateKey) error {
	s, err := Sign(b, key)
	if err != nil {
		return fmt.Errorf("sign bundle: %w", err)
	}
	if err := Save(b, path); err != nil {
		return err
	}
	return s.save(path)
}

// save writes a signature beside the bundle at a path.
func (s *Signature) save(path string) error {
	data, err := storage.EncodeJSON(s)
	if err != nil {
		return fmt.Errorf("sign bundle: %w", err)
	}
	to := SignaturePath(path)
	if info, err := os.Lstat(to); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("sign bundle: %w", &ExistsError{to, "exists and is not a regular file"})
	}
	err = storage.Replace(to, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
	if err != nil {
		return fmt.Errorf("sign bundle: %w", err)
	}
	return nil
}

// LoadVerified reads a bundle in either form within DefaultLimits, if the signature beside it
// is by a key. If it is not, or there is none, the error is a *SignatureError; nothing but the
// manifest is read then.
func LoadVerified(path string, key ed25519.PublicKey) (*Bundle, error) {
	if len(key) == 0 {
		// OpenOptions would ask for no signature.
		return nil, fmt.Errorf("load %s: %w", path, errNoKey)
	}
	return load(path, OpenOptions{Key: key})
}

// signatureError says of which bundle an error is that comes from its signature.
func signatureError(path string, err error) error {
	var s *SignatureError
	if errors.As(err, &s) {
		s.Path = SignaturePath(path)
	}
	return fmt.Errorf("load %s: %w", path, err)
}

// loadSignature reads the signature beside a bundle, which has to be by a key.
func loadSignature(path string, key ed25519.PublicKey) (*Signature, error) {
	s, err := readSignature(SignaturePath(path))
	if err == nil {
		err = s.by(key)
	}
	if err != nil {
		return nil, signatureError(path, err)
	}
	return s, nil
}

func readSignature(path string) (*Signature, error) {
	data, err := readSmall(path, maxSignature)
	var key *KeyError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &SignatureError{Err: ErrNotSigned}
	case errors.As(err, &key):
		return nil, &SignatureError{Err: errors.New(key.Reason)}
	case err != nil:
		return nil, err
	}
	var head struct{ Version int }
	if err := json.Unmarshal(data, &head); err == nil && head.Version > signatureVersion {
		return nil, &SignatureError{Err: fmt.Errorf("version %d is newer than %d, the newest this vtrace reads", head.Version, signatureVersion)}
	}
	var s Signature
	if err := storage.DecodeJSON(data, &s); err != nil {
		return nil, &SignatureError{Err: err}
	}
	if _, err := hex.DecodeString(s.Key); err != nil || s.Format != signatureFormat || s.Version != signatureVersion || !storage.HexDigest.MatchString(s.Digest) {
		return nil, &SignatureError{Err: errors.New("it is not a signature of a bundle")}
	}
	return &s, nil
}
