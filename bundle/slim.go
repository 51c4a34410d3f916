package bundle

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/storage"
)

// Slim returns a bundle without what is not needed to keep its verdicts and findings, to replay
// these, and to go on from it: without logs and facts, and of a deep pass without refutations,
// and without the traces and tests that no finding names. It has the digest of b as
// SlimmedFrom, or that of what b was slimmed from. A bundle with nothing to leave out is
// returned as it is.
func Slim(b *artifact.Bundle) (*artifact.Bundle, error) {
	if b == nil {
		return nil, &artifact.ArgumentError{Name: "bundle", Reason: "nil"}
	}
	s, err := slimmed(b.Reader())
	if err != nil {
		return nil, err
	}
	if s.same {
		return b, nil
	}
	out := artifact.New(s.manifest)
	for _, f := range s.manifest.Files {
		data, _ := b.Read(f.Path)
		if f.Path == artifact.VerdictsPath {
			data = s.verdicts
		}
		out.Put(f.Path, data)
	}
	return out.Bundle()
}

// Slimming says what SlimFile has left.
type Slimming struct {
	Digest string // of the bundle that was written
	// Files and Bytes are those of the bundle that was written, AllFiles and AllBytes those of
	// the one it was made from, both without the manifest.
	Files, AllFiles int
	Bytes, AllBytes int64
}

// SlimFile does with the bundle at a path what Slim does, and writes it to another path as
// artifact.Save does. It reads the bundle twice: the first time says what is left out, and that
// all of it is right. With a key what is written is signed.
func SlimFile(path string, o artifact.OpenOptions, to string, key ed25519.PrivateKey) (*Slimming, error) {
	r, err := artifact.Open(path, o)
	if err != nil {
		return nil, err
	}
	all := r.Manifest().Files
	s, err := slimmed(r)
	if err != nil {
		return nil, err
	}
	again, err := artifact.Open(path, o)
	if err != nil {
		return nil, err
	}
	defer again.Close()
	if again.Digest() != r.Digest() {
		return nil, fmt.Errorf("slim %s: the bundle was replaced while it was read: slim it again", path)
	}
	kept := map[string]bool{}
	for _, f := range s.manifest.Files {
		kept[f.Path] = true
	}
	digest, err := artifact.SaveFiles(to, s.manifest, key, func(put func(string, io.Reader) error) error {
		return each(again, func(f artifact.FileInfo) error {
			switch {
			case !kept[f.Path]:
				return nil
			case f.Path == artifact.VerdictsPath && !s.same:
				return put(f.Path, bytes.NewReader(s.verdicts))
			}
			return put(f.Path, again)
		})
	})
	if err != nil {
		return nil, err
	}
	return &Slimming{
		Digest: digest,
		Files:  len(s.manifest.Files), AllFiles: len(all), Bytes: size(s.manifest.Files), AllBytes: size(all),
	}, nil
}

// size is that of files together.
func size(files []artifact.FileInfo) (n int64) {
	for _, f := range files {
		n += f.Size
	}
	return n
}

// slim is what becomes of a bundle.
type slim struct {
	same     bool // there is nothing to leave out
	manifest artifact.Manifest
	verdicts []byte // the file, without the traces that are left out
}

func slimmed(r *artifact.Reader) (*slim, error) {
	named := map[string]bool{}
	var verdicts []artifact.Verdict
	err := each(r, func(artifact.FileInfo) error {
		switch v := r.Value().(type) {
		case *[]artifact.Finding:
			for _, f := range *v {
				named[f.Trace], named[f.Test] = true, true
				if f.Minimised != nil {
					named[f.Minimised.Of] = true
				}
			}
		case *[]artifact.Verdict:
			verdicts = *v
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	m := r.Manifest()
	deep := m.Pass == artifact.PassDeep
	// What is left out can be made again from what stays.
	drop := func(p string) bool {
		switch {
		case strings.HasPrefix(p, artifact.LogsDir+"/"), p == artifact.FactsPath:
			return true
		case !deep:
			return false // the deep pass replays all traces
		}
		_, _, numbered := numbers(p)
		return p == artifact.RefutationsPath || numbered && !named[p]
	}
	left := slices.DeleteFunc(slices.Clone(m.Files), func(f artifact.FileInfo) bool { return drop(f.Path) })
	if len(left) == len(m.Files) {
		return &slim{same: true, manifest: m}, nil
	}
	s := &slim{manifest: m}
	s.manifest.Files = left
	if m.SlimmedFrom == "" {
		s.manifest.SlimmedFrom = r.Digest()
	}
	if m.Version != artifact.Version {
		// A bundle that is made has the newest version.
		raw, err := storage.EncodeJSON(r.Options())
		if err != nil {
			return nil, err
		}
		s.manifest.Version = artifact.Version
		if m.Options != nil {
			s.manifest.Options = raw
		}
	}
	for i := range verdicts {
		verdicts[i].Traces = slices.DeleteFunc(verdicts[i].Traces, drop)
	}
	for i, f := range left {
		if f.Path == artifact.VerdictsPath {
			if s.verdicts, err = storage.EncodeJSON(verdicts); err != nil {
				return nil, err
			}
			left[i].Size, left[i].SHA256 = int64(len(s.verdicts)), digestOf(s.verdicts)
		}
	}
	return s, nil
}
