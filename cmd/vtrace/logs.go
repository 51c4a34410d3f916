package main

import (
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/repository"
	"github.com/vtrace/vtrace/internal/storage"
	"github.com/vtrace/vtrace/report"
)

// logs are the forms in which results are written beside what is printed.
type logs struct {
	files  []*logFile
	sarif  *report.Log // which is in one of the files
	github githubLog
}

// resultLog collects results for a file.
type resultLog interface {
	Add(r report.Result) error
	// Write writes what was added. Complete says that all that was to be checked is in it.
	Write(w io.Writer, complete bool) error
}

// logFile is a file with results, "" if it is not wanted. It is written anew with each result, so
// that what is known is in it whenever the check ends; before the last one it says that it is not
// complete.
type logFile struct {
	flag, path string
	log        resultLog
}

func (l *logs) register(fs *flag.FlagSet) {
	l.sarif = &report.Log{}
	l.files = []*logFile{{flag: "sarif", log: l.sarif}, {flag: "junit", log: &report.JUnit{}}}
	fs.StringVar(&l.files[0].path, "sarif", "", "write what was found to `FILE` too, as SARIF 2.1.0 for code scanning services and editors; of several entry points after each")
	fs.StringVar(&l.files[1].path, "junit", "", "write the result of each entry point to `FILE` too, in JUnit's XML")
	fs.BoolVar(&l.github.on, "github", false, "print findings also as workflow commands, which GitHub shows as annotations")
}

// begin writes the files before there is a result, so that one that cannot be written is an error
// before anything is checked.
func (l *logs) begin(out io.Writer, pattern string, asJSON bool) error {
	if l.github.on && asJSON {
		return fmt.Errorf("%w: -github and -json both want to print", errUsage)
	}
	l.github.begin(out, pattern)
	if l.sarif != nil {
		l.sarif.Path = belowRepository(pattern)
	}
	return l.write(false)
}

// end is to be called when all is printed.
func (l *logs) end() { l.github.resume() }

// add adds a result.
func (l *logs) add(r report.Result, complete bool) error {
	var errs []error
	for _, f := range l.files {
		if f.path != "" {
			errs = append(errs, f.named(f.log.Add(r)))
		}
	}
	if l.github.on {
		errs = append(errs, l.github.add(r))
	}
	return errors.Join(append(errs, l.write(complete))...)
}

func (l *logs) write(complete bool) error {
	var errs []error
	for _, f := range l.files {
		if f.path != "" {
			errs = append(errs, f.named(storage.Replace(f.path, func(out *os.File) error { return f.log.Write(out, complete) })))
		}
	}
	return errors.Join(errs...)
}

func (f *logFile) named(err error) error {
	if err != nil {
		return fmt.Errorf("-%s: %w", f.flag, err)
	}
	return nil
}

// githubLog prints annotations. What is printed beside them has texts of the program, in which GitHub
// is not to look for commands: only who knows the token of a run can have it do so again.
type githubLog struct {
	on    bool
	log   report.GitHub
	out   io.Writer
	token string // while GitHub obeys nothing else
}

func (g *githubLog) begin(out io.Writer, pattern string) {
	if g.on {
		g.out = out
		g.log.Path = inRepository(pattern)
		g.stop()
	}
}

func (g *githubLog) stop() {
	g.token = rand.Text()
	fmt.Fprintf(g.out, "::stop-commands::%s\n", g.token)
}

func (g *githubLog) resume() {
	if g.token != "" {
		fmt.Fprintf(g.out, "::%s::\n", g.token)
		g.token = ""
	}
}

func (g *githubLog) add(r report.Result) error {
	g.resume()
	err := g.log.Write(g.out, r)
	g.stop()
	return err
}

// inRepository returns what finds the path of a file of a program in the repository that a workflow
// of GitHub runs in, or else below the working directory. The pattern names packages of the
// program. Files are relative to a directory that holds its modules.
func inRepository(pattern string) func(file string) string {
	top := os.Getenv("GITHUB_WORKSPACE")
	if top == "" {
		top, _ = filepath.Abs(".")
	}
	return below(top, moduleDir(pattern))
}

// belowRepository finds the path of a file in the repository that the program is in: the directory
// that a workflow of GitHub runs in, or the next one above the module that is of a version control
// system. It is nil if there is none, or if the program lies at its top.
func belowRepository(pattern string) func(file string) string {
	dir := moduleDir(pattern)
	top := ""
	if workspace := os.Getenv("GITHUB_WORKSPACE"); workspace != "" {
		if rel, err := filepath.Rel(workspace, dir); err == nil && filepath.IsLocal(rel) {
			top = workspace
		}
	}
	for d := dir; top == ""; d = above(d) {
		switch entries, err := os.ReadDir(d); {
		case err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return repository.Named(e.Name()) }):
			top = d
		case d == above(d):
			return nil
		}
	}
	if top == dir {
		return nil
	}
	return below(top, dir)
}

// below finds files of a program, the module of which is in a directory, below another one.
func below(top, dir string) func(file string) string {
	return func(file string) string {
		for d := dir; d != above(d); d = above(d) {
			name := filepath.Join(d, filepath.FromSlash(file))
			if rel, err := filepath.Rel(top, name); err == nil && filepath.IsLocal(rel) && exists(name) {
				return filepath.ToSlash(rel)
			}
		}
		return file
	}
}

// moduleDir is the directory of the module of the packages that a pattern names, or of these
// packages if there is no module.
func moduleDir(pattern string) string {
	dir, err := filepath.Abs(strings.TrimSuffix(pattern, "..."))
	if info, err2 := os.Stat(dir); err != nil || err2 != nil || !info.IsDir() {
		dir, _ = filepath.Abs(".") // an import path
	}
	for d := dir; d != above(d); d = above(d) {
		if exists(filepath.Join(d, "go.mod")) {
			return d
		}
	}
	return dir
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func above(dir string) string { return filepath.Dir(dir) }

// acceptance says which findings do not count.
type acceptance struct {
	path   string // of the baseline, "" if there is none
	update bool
	base   *report.Baseline
	next   report.Baseline
	said   map[string]bool // problems
	failed bool            // an entry point has no result, so that its findings are not known
	part   bool            // entry points were left out, of which the file may have findings
}

func (a *acceptance) register(fs *flag.FlagSet) {
	fs.StringVar(&a.path, "baseline", "", "do not count the findings in `FILE`, which are reported in a line each")
	fs.BoolVar(&a.update, "update-baseline", false, "write the findings of this check to the file of -baseline, in place of those that are in it, or beside them where entry points are left out")
}

// begin reads the baseline.
func (a *acceptance) begin() error {
	switch {
	case a.path == "" && a.update:
		return fmt.Errorf("%w: -update-baseline needs -baseline FILE", errUsage)
	case a.path == "":
		return nil
	}
	file, err := os.Open(a.path)
	if a.update && errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("-baseline: %w; -update-baseline makes one", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	if a.base, err = report.ReadBaseline(file); err != nil {
		return fmt.Errorf("-baseline: %s: %w", a.path, err)
	}
	return nil
}

// of are the acceptances of the findings of a bundle. What is wrong with comments is said once.
func (a *acceptance) of(b *artifact.Bundle, stderr io.Writer) []report.Acceptance {
	if b == nil {
		a.failed = true
		return nil
	}
	if a.update {
		a.next.Add(b)
	}
	accepted, problems := report.Accept(b, a.base)
	for _, p := range problems {
		if a.said == nil {
			a.said = map[string]bool{}
		}
		if !a.said[p] {
			a.said[p] = true
			fmt.Fprintf(stderr, "vtrace: %s\n", plain(p))
		}
	}
	return accepted
}

// shownKnown is how many findings are named that are in a baseline and nowhere else.
const shownKnown = 3

// unused says which comments, and which findings of the baseline, accept nothing.
func (a *acceptance) unused(u *report.Unused, stderr io.Writer) {
	if u == nil {
		return
	}
	for _, text := range u.Comments() {
		fmt.Fprintf(stderr, "vtrace: %s\n", plain(text))
	}
	known := u.Known()
	if len(known) == 0 || a.update {
		return
	}
	names := strings.Join(known[:min(len(known), shownKnown)], "; ")
	if n := len(known) - shownKnown; n > 0 {
		names += fmt.Sprintf("; and %d more", n)
	}
	fmt.Fprintf(stderr, "vtrace: %s has %s that this check has not found: %s; -update-baseline writes the file anew\n", a.path, plural(len(known), "finding", "findings"), plain(names))
}

// end writes the baseline, if that is wanted.
func (a *acceptance) end(stderr io.Writer) error {
	if !a.update {
		return nil
	}
	if a.failed {
		return errors.New("-update-baseline: some entry points have no result, and the baseline stays as it is")
	}
	if a.part {
		a.next.Keep(a.base)
	}
	if err := storage.Replace(a.path, func(f *os.File) error { return a.next.Write(f) }); err != nil {
		return fmt.Errorf("-baseline: %w", err)
	}
	kept := ""
	if a.part && a.base != nil {
		kept = ", those that it had among them, since not all entry points were checked"
	}
	fmt.Fprintf(stderr, "vtrace: %s has %s%s\n", a.path, plural(a.next.Len(), "finding", "findings"), kept)
	return nil
}
