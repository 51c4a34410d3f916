package pass

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A corpus is a directory with a file for each input, as those of the go command are: a line with the
// version of the form, then the input, here as JSON. The name is a hash of what is in it.

// corpusHeader is the first line of such a file.
const corpusHeader = "vtrace fuzz v1\n"

// maxInputs bounds the inputs of a corpus, and maxInput the bytes of one.
const (
	maxInputs = 1000
	maxInput  = 4 << 20
)

// ReadCorpus reads the inputs in a directory, by name; there are none if it does not exist. Files of
// another form are an error.
func ReadCorpus(dir string) ([]Input, error) {
	if dir == "" {
		return nil, &ArgumentError{Name: "directory", Reason: "empty"}
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Input
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue // such as a directory of another entry point
		}
		path := filepath.Join(dir, e.Name())
		if len(out) >= maxInputs {
			return nil, fmt.Errorf("%s: a corpus has at most %d inputs", dir, maxInputs)
		}
		in, err := readInput(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, *in)
	}
	return out, nil
}

func readInput(path string) (_ *Input, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	data, err := io.ReadAll(io.LimitReader(f, maxInput+1))
	if err != nil {
		return nil, err
	}
	text, ok := bytes.CutPrefix(data, []byte(corpusHeader))
	switch {
	case len(data) > maxInput:
		return nil, fmt.Errorf("it has more than %d bytes", maxInput)
	case !ok:
		return nil, fmt.Errorf("it is no input of a search: the first line of one is %q", strings.TrimSpace(corpusHeader))
	}
	var in Input
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return nil, err
	}
	return &in, nil
}

// WriteCorpus writes a file for each input to a directory, which is made, and removes those of inputs that
// are not among them.
func WriteCorpus(dir string, corpus []Input) error {
	if dir == "" {
		return &ArgumentError{Name: "directory", Reason: "empty"}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	kept := map[string]bool{}
	for _, in := range corpus[:min(len(corpus), maxInputs)] {
		data, err := json.MarshalIndent(in, "", " ")
		if err != nil {
			return err
		}
		if data = append([]byte(corpusHeader), append(data, '\n')...); len(data) > maxInput {
			continue
		}
		sum := sha256.Sum256(data)
		name := hex.EncodeToString(sum[:8])
		kept[name] = true
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !e.Type().IsRegular() || kept[e.Name()] {
			continue
		}
		if _, err := readInput(path); err != nil {
			continue // it is somebody else's
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}
