package parse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	runtime "github.com/vtrace/vtrace/internal/orcruntime/source"
	"github.com/vtrace/vtrace/internal/source"
)

// DefaultRuntimePath is the import path of the runtime in instrumented
// programs: that of a package of the standard library which every package can
// import, of whatever module, vendored or not.
const DefaultRuntimePath = "vtraceorc"

// Overlay is an instrumented program, as changes to the original.
type Overlay struct {
	// Files are the changed and added files, by their slash-separated path
	// relative to the root of the program.
	Files map[string][]byte
	// Runtime are the files of the runtime package, by name.
	Runtime map[string][]byte
	// RuntimeDir is the directory of the runtime: relative to the root of the
	// program or, with RuntimeStd, to the standard library's.
	RuntimeDir string
	RuntimeStd bool
	// Toolchain are changed and added files of the standard library, relative to its root; see Recorded.
	Toolchain map[string][]byte
	// Dependencies are the modules outside of the root that have some of Files.
	Dependencies []source.Dependency
	// Bubbles: the entry of the program may call synctest.Test, and the program reads the clock.
	Bubbles bool
	// Places are the expressions whose memory the program reads or writes, by their numbers, from 1; only of one that
	// looks for data races, or records accesses.
	Places []string
	// Diagnostics are the constructs that are not guarded, by position.
	Diagnostics []Diagnostic
	// Changed are further files of the program that are not on disk as it has them, by their
	// absolute names: Write has the go command take them too.
	Changed map[string][]byte
}

// Covers reports whether a shared program has all files of one with fewer packages, as they are in that:
// it does the same then with an entry of the other.
func (o *Overlay) Covers(fewer *Overlay) bool {
	for name, text := range fewer.Files {
		if has, ok := o.Files[name]; !ok || !bytes.Equal(has, text) {
			return false
		}
	}
	return true
}

func newOverlay(opts Options) (*Overlay, error) {
	o := &Overlay{Files: map[string][]byte{}, RuntimeDir: opts.RuntimeDir}
	if opts.RuntimeDir == "" {
		o.RuntimeDir, o.RuntimeStd = opts.RuntimePath, true
	}
	for _, p := range []string{o.RuntimeDir, opts.RuntimePath} {
		if !filepath.IsLocal(filepath.FromSlash(p)) || strings.ContainsAny(p, "\"\\\n") {
			return nil, fmt.Errorf("runtime package %q: not a path", p)
		}
	}
	var err error
	o.Runtime, err = Runtime()
	return o, err
}

// Runtime are the files of the runtime package of instrumented programs, by name.
func Runtime() (map[string][]byte, error) {
	files := map[string][]byte{}
	for name, data := range runtime.Files() {
		text, err := renamePackage(name, data)
		if err != nil {
			return nil, err
		}
		files[name] = text
	}
	return files, nil
}

// renamePackage changes the package clause of a file of the runtime.
func renamePackage(name string, data []byte) ([]byte, error) {
	const clause = "\npackage orcruntime"
	text := "\n" + string(data)
	i := strings.Index(text, clause)
	if i < 0 {
		return nil, fmt.Errorf("runtime file %s: no package clause", name)
	}
	return []byte(text[1:i+1] + "package vtraceorc" + text[i+len(clause):]), nil
}

func (o *Overlay) sortDiagnostics() {
	sort.SliceStable(o.Diagnostics, func(i, j int) bool {
		a, b := o.Diagnostics[i], o.Diagnostics[j]
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		if a.Col != b.Col {
			return a.Col < b.Col
		}
		return a.Reason < b.Reason
	})
}

// Write writes the files below a scratch directory, with the overlay.json that
// the -overlay flag of the go command wants, and returns that file's name. root
// is the directory of the program and goroot the installation of Go that
// builds it. Tests must be built with -vet=off. Files of modules in the module
// cache are left to ModCache.
func (o *Overlay) Write(dir, root, goroot string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("overlay directory: %w", err)
	}
	replace := map[string]string{}
	put := func(base, below, name string, data []byte) error {
		name = filepath.FromSlash(name)
		if !filepath.IsLocal(name) {
			return fmt.Errorf("overlay: %q leads out of the directory", name)
		}
		file := filepath.Join(dir, below, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("overlay: %w", err)
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return fmt.Errorf("overlay: %w", err)
		}
		replace[filepath.Join(base, name)] = file
		return nil
	}
	for name, data := range o.Files {
		base, rel := root, name
		if dep, below, ok := o.dependency(name); ok {
			if dep.Cached {
				continue
			}
			base, rel = dep.Dir, below
		}
		if err := put(base, path.Join("src", strings.TrimSuffix(name, rel)), rel, data); err != nil {
			return "", err
		}
	}
	for name, data := range o.Toolchain {
		if err := put(filepath.Join(goroot, "src"), "toolchain", name, data); err != nil {
			return "", err
		}
	}
	base := filepath.Join(root, filepath.FromSlash(o.RuntimeDir))
	if o.RuntimeStd {
		base = filepath.Join(goroot, "src", filepath.FromSlash(o.RuntimeDir))
	}
	for name, data := range joined(o.Runtime) {
		if err := put(base, "runtime", name, data); err != nil {
			return "", err
		}
	}
	for i, name := range slices.Sorted(maps.Keys(o.Changed)) {
		if replace[name] != "" {
			continue // it is instrumented, or a file of the program as it is
		}
		if err := put(filepath.Dir(name), path.Join("changed", strconv.Itoa(i)), filepath.Base(name), o.Changed[name]); err != nil {
			return "", err
		}
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return "", fmt.Errorf("overlay: %w", err)
	}
	name := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(name, append(text, '\n'), 0o644); err != nil {
		return "", fmt.Errorf("overlay: %w", err)
	}
	return name, nil
}
