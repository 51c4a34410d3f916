package earlier

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/kept"
	"github.com/vtrace/vtrace/internal/source"
)

// Result is the result of an earlier check of a program.
type Result struct {
	Bundle *artifact.Bundle
	// Root is the directory to which the files of the bundle are relative.
	Root string
	// Same reports that all files of the program are as they were, and that its directories
	// have no other Go files.
	Same bool
	// Was are the files of the program as they were, by their paths in it, where those in the
	// bundle were changed for the check; nil if they were not.
	Was map[string][]byte
}

// maxRecords is how many results for one entry point are looked at, the newest first.
const maxRecords = 8

// Candidate is an entry point of which there are results.
type Candidate struct {
	Entry artifact.Entry
	Paths []string // of the bundles, the newest first
}

// Candidates are the entry points that match says of which a directory has results, in the
// order of their names.
func Candidates(results kept.Results, match func(artifact.Entry) bool) ([]Candidate, error) {
	all, err := results.All()
	if err != nil {
		return nil, err
	}
	index := map[artifact.Entry]int{}
	var out []Candidate
	for _, k := range all {
		var inputs struct {
			Entry artifact.Entry `json:"entry"`
		}
		if json.Unmarshal(k.Inputs, &inputs) != nil || !match(inputs.Entry) {
			continue
		}
		i, known := index[inputs.Entry]
		if !known {
			i = len(out)
			index[inputs.Entry] = i
			out = append(out, Candidate{Entry: inputs.Entry})
		}
		if c := &out[i]; len(c.Paths) < maxRecords && !slices.Contains(c.Paths, k.Path) {
			c.Paths = append(c.Paths, k.Path)
		}
	}
	slices.SortFunc(out, func(a, b Candidate) int {
		return strings.Compare(a.Entry.Package+" "+a.Entry.Func, b.Entry.Package+" "+b.Entry.Func)
	})
	return out, nil
}

// Choice is the bundle that fits a program best.
type Choice struct {
	Path string // of the bundle
	Root string // see Result
	Same bool   // see Result
}

// Choose is the bundle for the program that the file or directory with the absolute name at
// belongs to: the newest that is of the same files, else the newest; false if there is none.
func (c Candidate) Choose(at string, read ReadFile) (Choice, bool) {
	var chosen Choice
	for _, p := range c.Paths {
		m, err := manifest(p)
		if err != nil {
			continue // it is gone, or broken
		}
		root, ok := Root(m, at)
		if !ok {
			continue
		}
		if same := Same(m, root, read); chosen.Path == "" || same {
			chosen = Choice{p, root, same}
		}
		if chosen.Same {
			break
		}
	}
	return chosen, chosen.Path != ""
}

// Best is the result that Choose chooses.
func (c Candidate) Best(at string, read ReadFile) (Result, bool) {
	chosen, ok := c.Choose(at, read)
	if !ok {
		return Result{}, false
	}
	r, err := chosen.Load()
	return r, err == nil
}

// Load loads the bundle.
func (c Choice) Load() (Result, error) {
	b, err := artifact.Load(c.Path)
	return Result{Bundle: b, Root: c.Root, Same: c.Same}, err
}

// Findings are those of the bundle, of which no more is read than it takes.
func (c Choice) Findings() (_ []artifact.Finding, err error) {
	r, err := artifact.Open(c.Path, artifact.OpenOptions{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		f, err := r.Next()
		if err == io.EOF {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
		if found, ok := r.Value().(*[]artifact.Finding); ok && f.Path == artifact.FindingsPath {
			return *found, nil
		}
	}
}

func manifest(path string) (artifact.Manifest, error) {
	r, err := artifact.Open(path, artifact.OpenOptions{})
	if err != nil {
		return artifact.Manifest{}, err
	}
	return r.Manifest(), r.Close()
}

// own are the paths of the program's files that lie below its root.
func own(m artifact.Manifest) map[string]artifact.FileInfo {
	out := map[string]artifact.FileInfo{}
	for _, f := range m.Files {
		if rel, ok := strings.CutPrefix(f.Path, artifact.SourceDir+"/"); ok && !source.OfDependency(rel) {
			out[rel] = f
		}
	}
	return out
}

// Root is the directory, that with the absolute name at or one around it, which has the files
// of a bundle's program at the paths that they have in the bundle; false if none has most of
// them.
func Root(m artifact.Manifest, at string) (string, bool) {
	files := own(m)
	if len(files) == 0 {
		return "", false
	}
	best, most := "", 0
	for dir := filepath.Clean(at); ; dir = filepath.Dir(dir) {
		n := 0
		for rel := range files {
			if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(rel))); err == nil && info.Mode().IsRegular() {
				n++
			}
		}
		if n > most {
			best, most = dir, n
		}
		if dir == filepath.Dir(dir) || most == len(files) {
			break
		}
	}
	return best, most*2 > len(files)
}

// Same reports whether the program below a directory has the files of a bundle, and its
// directories no other Go files.
func Same(m artifact.Manifest, root string, read ReadFile) bool {
	files := own(m)
	dirs := map[string]bool{}
	for rel, want := range files {
		data, err := read.Again(filepath.Join(root, filepath.FromSlash(rel)), want.Size)
		if err != nil {
			return false
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != want.SHA256 {
			return false
		}
		if path.Ext(rel) == ".go" && !strings.Contains("/"+rel, "/testdata/") {
			dirs[path.Dir(rel)] = true
		}
	}
	for dir := range dirs {
		entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir)))
		if err != nil {
			return false
		}
		for _, e := range entries {
			// A test has the files of other tests; a main program needs none of them.
			rel := path.Join(dir, e.Name())
			if _, ok := files[rel]; !ok && path.Ext(rel) == ".go" && (m.Entry.Func != "main" || !strings.HasSuffix(rel, "_test.go")) && belongs(rel) {
				return false
			}
		}
	}
	return true
}

// Elsewhere reports whether a program has code outside of the directory of its root that may change
// without its own files: modules that a directory replaces, or a vendor directory.
func (r Result) Elsewhere() bool {
	if _, err := os.Stat(filepath.Join(r.Root, "vendor", "modules.txt")); err == nil {
		return true
	}
	for name, data := range r.Bundle.Below(artifact.SourceDir) {
		switch path.Base(name) {
		case "go.mod":
			f, err := modfile.Parse(name, data, nil) // ParseLax passes over replacements
			if err != nil || slices.ContainsFunc(f.Replace, func(r *modfile.Replace) bool { return r.New.Version == "" }) {
				return true
			}
		case "go.work":
			return true // it may have such replacements, and modules that are none of the bundle
		}
	}
	return false
}

// belongs reports whether the go command takes a file of that name into a package.
func belongs(rel string) bool {
	name := path.Base(rel)
	return !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "_")
}

// ImportPath is the path of the package in a directory, by the go.mod around it, which is read
// and not interpreted by the go command; false if there is none.
func ImportPath(dir string) (string, bool) {
	module, root, ok := Module(dir)
	if !ok {
		return "", false
	}
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return "", false
	}
	return path.Join(module, filepath.ToSlash(rel)), true
}

// maxModFile bounds the bytes of a go.mod that is read.
const maxModFile = 4 << 20

// Module is the path of the module that a directory lies in, and the directory of its go.mod.
func Module(dir string) (module, root string, ok bool) {
	for root = filepath.Clean(dir); ; root = filepath.Dir(root) {
		name := filepath.Join(root, "go.mod")
		info, err := os.Stat(name)
		switch {
		case err == nil && info.Mode().IsRegular() && info.Size() <= maxModFile:
			data, err := os.ReadFile(name)
			module = modfile.ModulePath(data)
			return module, root, err == nil && module != ""
		case err == nil || !errors.Is(err, os.ErrNotExist) || root == filepath.Dir(root):
			return "", "", false
		}
	}
}
