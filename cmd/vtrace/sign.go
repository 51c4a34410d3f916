package main

import (
	"crypto/ed25519"
	"flag"
	"fmt"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
)

// signing declares the flag of commands that write a bundle.
func (s *settings) signing(fs *flag.FlagSet) {
	fs.StringVar(&s.sign, "sign", "", "sign the bundle with the private key in `FILE`, of ed25519 as openssl writes it; the signature is beside the bundle, in a file with "+artifact.SignaturePath("")+" behind its name")
}

// verifying declares the flag of commands that read a bundle.
func (s *settings) verifying(fs *flag.FlagSet) {
	s.verifyingAs(fs, "refuse the bundle unless the signature beside it")
}

// verifyingAs declares the flag with what is done with a bundle unless its signature is good.
func (s *settings) verifyingAs(fs *flag.FlagSet, unless string) {
	fs.StringVar(&s.verifyKey, "verify-key", "", unless+" is by the public key in `FILE`, of ed25519 as openssl writes it")
}

// load reads the bundle that a command starts from.
func (s *settings) load(path string) (*vtrace.Bundle, error) {
	key, err := s.verifyingKey()
	if err != nil {
		return nil, err
	}
	if key == nil {
		return artifact.Load(path)
	}
	return artifact.LoadVerified(path, key)
}

// opening are the options for reading bundles file by file.
func (s *settings) opening(lim artifact.Limits) (artifact.OpenOptions, error) {
	key, err := s.verifyingKey()
	return artifact.OpenOptions{Limits: lim, Key: key}, err
}

// verifyingKey is the key by which bundles have to be signed, nil if there is none.
func (s *settings) verifyingKey() (ed25519.PublicKey, error) {
	if s.verifyKey == "" {
		return nil, nil
	}
	key, err := artifact.ReadPublicKey(s.verifyKey)
	if err != nil {
		return nil, fmt.Errorf("-verify-key: %w", err)
	}
	return key, nil
}

// signingKey is the key to sign with, nil if there is none.
func (s *settings) signingKey() (ed25519.PrivateKey, error) {
	if s.sign == "" {
		return nil, nil
	}
	if s.out == "-" {
		return nil, fmt.Errorf("%w: -sign needs a bundle that is written, and -o - writes none", errUsage)
	}
	key, err := artifact.ReadPrivateKey(s.sign)
	if err != nil {
		return nil, fmt.Errorf("-sign: %w", err)
	}
	return key, nil
}

// signature is the file that has the signature of the bundle at a path, "" if there is none.
func (s *settings) signature(path string) string {
	if s.sign == "" || path == "" {
		return ""
	}
	return artifact.SignaturePath(path)
}

// write writes a bundle, and its signature.
func (s *settings) write(b *vtrace.Bundle, path string) error {
	key, err := s.signingKey()
	switch {
	case err != nil:
		return err
	case key != nil:
		return artifact.SaveSigned(b, path, key)
	}
	return artifact.Save(b, path)
}
