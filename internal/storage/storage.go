// Package storage has the form in which vtrace writes files: JSON that is the same for the same content, and files that are
// there as a whole or not at all.
package storage

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
)

// EncodeJSON returns v in the canonical form of bundles: indented by two
// spaces, maps sorted, no escaping of <, > and &, a newline at the end.
func EncodeJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// SortKeys sorts the keys of a JSON text.
func SortKeys(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("more than one value")
	}
	return EncodeJSON(v)
}

// DecodeJSON decodes one JSON value with nothing after it and no unknown
// fields: a file of a known version has only known ones.
func DecodeJSON(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("data after the value")
	}
	return nil
}

// Digest is the sha256 of data, in hexadecimal.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// HexDigest matches a digest.
var HexDigest = regexp.MustCompile(`^[0-9a-f]{64}$`)

// unfinished is the pattern of the files that have what is written until it is whole.
func unfinished(path string) string { return ".vtrace-" + filepath.Base(path) + "-*" }

// Replace writes a file that is at the path as a whole or not at all, readable by
// everybody. What was there before stays if it fails.
func Replace(path string, write func(f *os.File) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), unfinished(path))
	if err != nil {
		return err
	}
	err = write(tmp)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err2 := tmp.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

// Remove removes the file at a path, if there is one, and what processes that were killed
// have written of it.
func Remove(path string) error {
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), unfinished(path)))
	if err != nil {
		return fmt.Errorf("remove: %w", err)
	}
	for _, f := range append(files, path) {
		if err := os.RemoveAll(f); err != nil {
			return fmt.Errorf("remove: %w", err)
		}
	}
	return nil
}
