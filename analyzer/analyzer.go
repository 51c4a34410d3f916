// Package analyzer is an analyzer, of golang.org/x/tools/go/analysis, which reports the findings
// of earlier checks at their places. It checks nothing and runs no program: vtrace check does, and
// keeps its results in the user's cache directory, or in bundles.
//
// A finding is reported only as long as all that its entry point can reach is as it was when
// it was checked. Where the files of the program are the same, and it has no code outside of it that may
// have changed (vendored, replaced or workspace modules), that is seen at once; else both
// programs are loaded with the go command and compared, see vtrace.Holds.
//
// Command vtrace-vet makes a tool for go vet of it, and package analyzer/golangci a plugin for
// golangci-lint.
package analyzer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/pass"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/analysis"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/docs/findings"
	"github.com/vtrace/vtrace/internal/earlier"
	"github.com/vtrace/vtrace/internal/explain"
	"github.com/vtrace/vtrace/internal/kept"
	"github.com/vtrace/vtrace/report"
)

// Options say where the findings are that an analyzer reports.
type Options struct {
	// Results is the directory in which vtrace check keeps results; "off" is none. "" is what
	// VTRACE_CACHE in the environment says, else that of the user.
	Results string
	// Bundles are bundles, or directories with .vtz files, separated as in PATH. "" is what
	// VTRACE_BUNDLES in the environment says.
	Bundles string
	// All has findings reported that are not real, too: unconfirmed and possible errors,
	// timing-dependent tests and notes.
	All bool
}

// bundlesVariable is the environment variable that names bundles.
const bundlesVariable = "VTRACE_BUNDLES"

const doc = `report the concurrency errors that vtrace check has found

The findings of earlier checks are reported at their places, as long as the code that they are
about is the same. Nothing is checked, and the program is not run: that is vtrace check.`

// Analyzer has the options of its flags, results, bundles and all.
var Analyzer = New(Options{})

// New makes an analyzer. Its flags begin with these options.
func New(o Options) *analysis.Analyzer {
	a := &analysis.Analyzer{Name: "vtrace", Doc: doc, URL: "https://pkg.go.dev/github.com/vtrace/vtrace/analyzer"}
	a.Flags.StringVar(&o.Results, "results", o.Results, "directory in which vtrace check keeps results, or off; "+earlier.ResultsVariable+" in the environment sets the default")
	a.Flags.StringVar(&o.Bundles, "bundles", o.Bundles, "bundles, or directories that have some, separated as in PATH; "+bundlesVariable+" in the environment sets the default")
	a.Flags.BoolVar(&o.All, "all", o.All, "report findings that are not real, too")
	a.Run = func(p *analysis.Pass) (any, error) { return nil, run(p, o) }
	return a
}

// results is where results are kept; without a directory there are none.
func (o Options) results() kept.Results {
	dir := o.Results
	if dir == "" {
		dir = earlier.ResultsDir()
	}
	if dir == earlier.NoResults {
		return kept.Results{}
	}
	return kept.Results{Dir: dir}
}

// bundles are the paths of the bundles that were named.
func (o Options) bundles() ([]string, error) {
	list := o.Bundles
	if list == "" {
		list = os.Getenv(bundlesVariable)
	}
	var out []string
	for _, path := range filepath.SplitList(list) {
		if path == "" {
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("bundles: %w", err)
		}
		if _, err := os.Stat(filepath.Join(path, "manifest.json")); !info.IsDir() || err == nil {
			out = append(out, path)
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, fmt.Errorf("bundles: %w", err)
		}
		for _, e := range entries {
			if filepath.Ext(e.Name()) == artifact.Ext {
				out = append(out, filepath.Join(path, e.Name()))
			}
		}
	}
	return out, nil
}

// candidates are what may have findings in the packages of the module around a directory.
func (o Options) candidates(dir string) ([]earlier.Candidate, error) {
	paths, err := o.bundles()
	if err != nil {
		return nil, err
	}
	var out []earlier.Candidate
	for _, p := range paths {
		out = append(out, earlier.Candidate{Paths: []string{p}})
	}
	results := o.results()
	module, _, ok := earlier.Module(dir)
	if results.Dir == "" || !ok {
		return out, nil
	}
	kept, err := earlier.Candidates(results, func(e artifact.Entry) bool {
		return e.Package == module || strings.HasPrefix(e.Package, module+"/")
	})
	return append(out, kept...), err
}

// State is a digest, in hexadecimal, of all that the findings depend on which an analyzer by the
// environment reports in the module around a directory, and in those of its workspace: the results
// and bundles, the files of their programs as they are now, and code outside of these that they may be
// built from. What keeps the answers of the
// analyzer, as go vet does, has to ask again when it changes.
func State(dir string) (string, error) {
	h := sha256.New()
	dirs := modules(dir)
	if len(dirs) == 0 {
		// Which modules it will be asked of is not known: any result may be about them.
		if results := (Options{}).results(); results.Dir != "" {
			kept, err := results.All()
			if err != nil {
				return "", err
			}
			for _, k := range kept {
				fmt.Fprintf(h, "%q %d\n", k.Path, k.Made.UnixNano())
			}
		}
		dirs = []string{dir}
	}
	for _, d := range outside(dir) {
		writeTree(h, d)
	}
	read := earlier.Once(earlier.Read)
	for _, dir := range dirs {
		candidates, err := Options{}.candidates(dir)
		if err != nil {
			return "", err
		}
		for _, c := range candidates {
			chosen, ok := c.Choose(dir, read)
			info, err := os.Stat(chosen.Path)
			if !ok || err != nil {
				continue
			}
			fmt.Fprintf(h, "%q %d %d %v\n", chosen.Path, info.Size(), info.ModTime().UnixNano(), chosen.Same)
			if chosen.Same {
				continue
			}
			r, err := chosen.Load()
			if err != nil {
				continue
			}
			for path, was := range r.Bundle.Below(artifact.SourceDir) {
				data, err := read.Again(filepath.Join(chosen.Root, filepath.FromSlash(path)), int64(len(was)))
				fmt.Fprintf(h, "%q %x %v\n", path, sha256.Sum256(data), err != nil)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// maxWorkFile bounds the bytes of a go.work or go.mod that is read.
const maxWorkFile = 4 << 20

// modules are directories in the modules that the go command may be asked of in a directory: the one
// around it, and those of its workspace.
func modules(dir string) []string {
	var out []string
	if _, _, ok := earlier.Module(dir); ok {
		out = append(out, dir)
	}
	name, work := workspace(dir)
	if work == nil {
		return out
	}
	for _, u := range work.Use {
		used := relative(name, u.Path)
		if _, _, ok := earlier.Module(used); ok && !slices.Contains(out, used) {
			out = append(out, used)
		}
	}
	return out
}

// workspace is the go.work that the go command obeys in a directory, and its name; nil if there is none.
func workspace(dir string) (string, *modfile.WorkFile) {
	name := os.Getenv("GOWORK") // which go env -w does not set
	for d := dir; name == ""; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "go.work")); err == nil {
			name = filepath.Join(d, "go.work")
		} else if d == filepath.Dir(d) {
			return "", nil
		}
	}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxWorkFile {
		return "", nil // GOWORK=off, say
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return "", nil
	}
	work, err := modfile.ParseWork(name, data, nil)
	if err != nil {
		return "", nil
	}
	return name, work
}

// relative is a directory that a go.work or go.mod names.
func relative(file, dir string) string {
	dir = filepath.FromSlash(dir)
	if filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(filepath.Dir(file), dir)
}

// outside are the directories of code that programs in a directory may be built from though it is none of
// their own: modules that directories replace, what is vendored, and the modules of a workspace.
func outside(dir string) []string {
	var out []string
	replaced := func(file string, replace []*modfile.Replace) {
		for _, r := range replace {
			if r.New.Version == "" {
				out = append(out, relative(file, r.New.Path))
			}
		}
		out = append(out, filepath.Join(filepath.Dir(file), "vendor"))
	}
	name, work := workspace(dir)
	if work != nil {
		replaced(name, work.Replace)
	}
	for _, d := range modules(dir) {
		_, root, ok := earlier.Module(d)
		if !ok {
			continue
		}
		if work != nil {
			out = append(out, root)
		}
		file := filepath.Join(root, "go.mod")
		if data, err := os.ReadFile(file); err == nil {
			if mod, err := modfile.Parse(file, data, nil); err == nil {
				replaced(file, mod.Replace)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// writeTree writes what tells whether a file below a directory has changed, but for those that the go
// command passes over. What cannot be read is none of a program that compiles.
func writeTree(w io.Writer, dir string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case path != dir && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_")):
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			fmt.Fprintf(w, "%q %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
}

// target is a package that is analysed.
type target struct {
	pass    *analysis.Pass
	files   map[string]*token.File // by absolute name
	read    earlier.ReadFile
	overlay map[string][]byte // files that are not on disk as the driver has them
}

func run(p *analysis.Pass, o Options) error {
	t := &target{pass: p, files: map[string]*token.File{}, overlay: map[string][]byte{}}
	dir := ""
	for _, f := range p.Files {
		file := p.Fset.File(f.FileStart)
		if file == nil || !filepath.IsAbs(file.Name()) {
			continue
		}
		name := filepath.Clean(file.Name())
		t.files[name] = file
		if _, _, ok := earlier.Module(filepath.Dir(name)); ok && dir == "" {
			dir = filepath.Dir(name) // others may be files that cgo has written
		}
	}
	if dir == "" {
		return nil
	}
	t.read = earlier.Once(func(name string) ([]byte, error) {
		if file := t.files[name]; file != nil && p.ReadFile != nil {
			return p.ReadFile(file.Name())
		}
		return earlier.Read(name)
	})
	for name := range t.files {
		text, err := t.read(name)
		if saved, diskErr := earlier.Read(name); err == nil && (diskErr != nil || !bytes.Equal(saved, text)) {
			t.overlay[name] = text
		}
	}
	candidates, err := o.candidates(dir)
	if err != nil {
		return err
	}
	reported := map[string]bool{}
	for _, c := range candidates {
		chosen, ok := c.Choose(dir, t.read)
		if !ok {
			continue
		}
		found, err := chosen.Findings()
		if err != nil || !slices.ContainsFunc(found, func(f artifact.Finding) bool { return o.wants(f) && t.has(chosen.Root, f) }) {
			continue // none here
		}
		if err := t.report(chosen, o, reported); err != nil {
			return err
		}
	}
	return nil
}

// wants reports whether a finding of that verdict is reported.
func (o Options) wants(f artifact.Finding) bool {
	return f.Verdict == artifact.Real || o.All && f.Verdict != artifact.False
}

// has reports whether a finding is in a file of the package.
func (t *target) has(root string, f artifact.Finding) bool {
	at, ok := earlier.Anchor(f)
	return ok && t.files[filepath.Join(root, filepath.FromSlash(at.File))] != nil
}

// report reports the findings of a bundle in the package, if they still hold.
func (t *target) report(chosen earlier.Choice, o Options, reported map[string]bool) error {
	r, err := chosen.Load()
	if err != nil {
		return nil // it was removed in the meantime
	}
	if !r.Same || r.Elsewhere() {
		holds, err := vtrace.Holds(context.Background(), r.Bundle, r.Root, t.overlay)
		if err != nil || !holds {
			// What cannot be told is not reported: a program that vtrace cannot load, say.
			return unlessInternal(err)
		}
	}
	comments, _ := report.Accept(r.Bundle, nil)
	accepted := report.Numbers(comments)
	for _, f := range r.Bundle.Findings() {
		if !o.wants(f) || !t.has(r.Root, f) || slices.Contains(accepted, f.Number) {
			continue
		}
		at, _ := earlier.Anchor(f)
		d := analysis.Diagnostic{Message: report.Message(f)}
		var ok bool
		if d.Pos, d.End, ok = t.line(r.Root, at.File, at.Line); !ok {
			continue
		}
		if id, ok := report.RuleID(f.Kind); ok {
			d.Category = id
			d.URL = findings.URL(id)
		}
		// Several entry points may show the same.
		if key := fmt.Sprint(d.Pos, d.Message); reported[key] {
			continue
		} else {
			reported[key] = true
		}
		for _, s := range f.Interleaving {
			if pos, end, ok := t.line(r.Root, s.File, s.Line); ok {
				d.Related = append(d.Related, analysis.RelatedInformation{Pos: pos, End: end, Message: fmt.Sprintf("step %d, goroutine %s: %s", s.Step, explain.Goroutine(f, s.G), explain.Step(s))})
			}
		}
		t.pass.Report(d)
	}
	return nil
}

// unlessInternal keeps the error of a defect of vtrace.
func unlessInternal(err error) error {
	var internal *pass.InternalError
	if errors.As(err, &internal) {
		return err
	}
	return nil
}

// line is what stands in a line of a file of the package; false if it has no such file or line.
func (t *target) line(root, path string, line int) (from, to token.Pos, ok bool) {
	name := filepath.Join(root, filepath.FromSlash(path))
	file := t.files[name]
	if path == "" || file == nil || line < 1 || line > file.LineCount() {
		return 0, 0, false
	}
	text, err := t.read(name)
	if err != nil || len(text) < file.Size() {
		return 0, 0, false
	}
	start := file.Offset(file.LineStart(line))
	rest, _, _ := bytes.Cut(text[start:], []byte("\n"))
	from = file.Pos(start + len(rest) - len(bytes.TrimLeft(rest, " \t")))
	to = file.Pos(min(file.Size(), start+len(bytes.TrimRight(rest, " \t\r"))))
	return min(from, to), to, true
}
