package pass

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
)

// The lines at the end of an exported test that say how to instrument the
// program for it.
const (
	entryLine = "//vtrace:entry "
	flagLine  = "//vtrace:flag "
	depsLine  = "//vtrace:deps "
	raceLine  = "//vtrace:race"
	siteLine  = "//vtrace:site "
)

// exportedPrefix begins the names of Orchestration tests.
const exportedPrefix = "TestOrchestration_"

// Export makes a regression test of an Orchestration test of a deep pass, named
// as for Replay. It runs nothing. The test in the bundle has to be one that vtrace could
// have made: it does nothing but follow a plan. The build flags that the bundle has are
// obeyed as in Options.Flags, of which flags are the value.
func Export(deepPass *artifact.Bundle, test string, flags ...string) (_ *Exported, err error) {
	defer caught(&err)
	if err := expect(deepPass, artifact.PassDeep); err != nil {
		return nil, err
	}
	if _, _, err := testNumbers(deepPass, test); err != nil {
		return nil, err
	}
	if err := unchangedTests(deepPass.Manifest()); err != nil {
		return nil, err
	}
	opts, err := Options{Flags: flags}.inherit(deepPass)
	if err != nil {
		return nil, err
	}
	entry, err := entryOf(deepPass)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(strings.TrimPrefix(test, "tests/"), "_test.go")
	src, ok := deepPass.Read("tests/" + name + "_test.go")
	if !ok {
		return nil, fmt.Errorf("no test %s in the bundle: its trace was not replayed", name)
	}
	side := deepPass.Sidecar()
	dir, found := "", false
	for _, s := range side.Sites {
		if s.Kind == sites.End.String() {
			dir, found = path.Dir(s.File), true
		}
	}
	if !found {
		return nil, &artifact.CorruptError{File: artifact.SidecarPath, Err: errors.New("it does not say where the entry ends")}
	}
	if err := exportedDir(deepPass, dir); err != nil {
		return nil, err
	}
	id := strings.ReplaceAll(strings.TrimPrefix(name, "q"), "-", "_")
	if err := orchestrate.CheckTest(src, exportedPrefix+"Q"+id, entry.Func); err != nil {
		return nil, &artifact.CorruptError{File: "tests/" + name + "_test.go", Err: err}
	}
	e := &Exported{
		Name:    exportedPrefix + entry.Func + "_Q" + id,
		Path:    path.Join(dir, "vtrace_"+strings.ToLower(entry.Func)+"_q"+id+"_test.go"),
		Command: "vtrace test " + entry.Package,
	}
	text := strings.NewReplacer(exportedPrefix+"Q"+id, e.Name, "vtrace replay BUNDLE "+name, e.Command).Replace(string(src))
	// The program may get other operations between those of the plan.
	text = strings.Replace(text, "vtraceorc.Plan{\n", "vtraceorc.Plan{\n\t\tPassOthers: true,\n", 1)
	var b strings.Builder
	b.WriteString(text)
	b.WriteString("\n// The test is for this entry. Edits may give the sites other keys: they are\n// found again by what stands there.\n//\n")
	b.WriteString(entryLine + entry.Func + "\n")
	for _, f := range opts.Model.Flags {
		b.WriteString(flagLine + f + "\n")
	}
	for _, d := range opts.Model.Deps {
		b.WriteString(depsLine + d + "\n")
	}
	if opts.Model.Races {
		b.WriteString(raceLine + "\n")
	}
	for _, s := range usedSites(side, string(src)) {
		line, err := json.Marshal(s)
		if err != nil {
			return nil, fmt.Errorf("export: %w", err)
		}
		b.WriteString(siteLine + string(line) + "\n")
	}
	if e.Data, err = format.Source([]byte(b.String())); err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	return e, nil
}

// RunExported runs the exported tests in the directory of a package, those whose
// names match, on the program as it is now.
//
// The build flags that a test names are obeyed as those of a bundle: see Options.Flags.
func RunExported(ctx context.Context, dir string, match *regexp.Regexp, opts Options) (_ []ExportedResult, err error) {
	defer caught(&err)
	switch {
	case ctx == nil:
		return nil, &ArgumentError{Name: "context", Reason: "nil"}
	case dir == "":
		return nil, &ArgumentError{Name: "directory", Reason: "empty"}
	}
	if opts, err = opts.withDefaults(); err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("exported tests: %w", err)
	}
	files, err := readExported(dir)
	if err != nil {
		return nil, err
	}
	opts, close, err := opts.sandboxed(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, close()) }()
	rep := reporter{artifact.PassDeep, opts.Progress}
	var out []ExportedResult
	for _, group := range files {
		group = slices.DeleteFunc(group, func(f *exportedFile) bool { return match != nil && !match.MatchString(f.name) })
		if len(group) == 0 {
			continue
		}
		results, err := runExported(ctx, dir, group, opts, rep)
		if err != nil {
			return nil, err
		}
		out = append(out, results...)
	}
	return out, nil
}

// exportedFile is an exported test in the tree.
type exportedFile struct {
	name, file, entry string
	flags, deps       []string
	races             bool
	sites             []exportedSite
	data              []byte
}

// readExported reads the exported tests of a directory, those for one entry and
// with the same flags together.
func readExported(dir string) ([][]*exportedFile, error) {
	names, err := filepath.Glob(filepath.Join(dir, "vtrace_*_test.go"))
	if err != nil {
		return nil, fmt.Errorf("exported tests: %w", err)
	}
	var groups [][]*exportedFile
	at := map[string]int{}
	for _, name := range names {
		f := &exportedFile{file: filepath.Base(name)}
		if f.data, err = os.ReadFile(name); err != nil {
			return nil, fmt.Errorf("exported tests: %w", err)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, f.data, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("exported test: %w", err)
		}
		for _, d := range parsed.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv == nil && strings.HasPrefix(fd.Name.Name, exportedPrefix) {
				f.name = fd.Name.Name
			}
		}
		for line := range strings.Lines(string(f.data)) {
			line = strings.TrimRight(line, "\r\n")
			if v, ok := strings.CutPrefix(line, entryLine); ok {
				f.entry = v
			} else if v, ok := strings.CutPrefix(line, flagLine); ok {
				f.flags = append(f.flags, v)
			} else if v, ok := strings.CutPrefix(line, depsLine); ok {
				f.deps = append(f.deps, v)
			} else if line == raceLine {
				f.races = true
			} else if v, ok := strings.CutPrefix(line, siteLine); ok {
				var s exportedSite
				if err := json.Unmarshal([]byte(v), &s); err != nil {
					return nil, fmt.Errorf("exported test %s: %s: %w", name, strings.TrimSpace(siteLine), err)
				}
				f.sites = append(f.sites, s)
			}
		}
		if f.entry == "" || f.name == "" {
			continue // named so by chance
		}
		key := f.entry + "\n" + strings.Join(f.flags, "\n") + "\n\n" + strings.Join(f.deps, "\n") + "\n\n" + strconv.FormatBool(f.races)
		if _, ok := at[key]; !ok {
			at[key] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[key]] = append(groups[at[key]], f)
	}
	return groups, nil
}

// runExported instruments and builds the program once for tests of one entry,
// and runs them.
func runExported(ctx context.Context, dir string, tests []*exportedFile, opts Options, rep reporter) (_ []ExportedResult, err error) {
	done := rep.stage(LoadStage)
	flags, err := buildFlags(tests[0].flags, opts.Flags)
	if err != nil {
		done()
		return nil, fmt.Errorf("exported test %s: %w", tests[0].file, err)
	}
	p, err := load(ctx, source.Spec{Dir: dir, Pattern: ".", Entry: tests[0].entry, Flags: flags, Deps: tests[0].deps})
	done()
	if err != nil {
		return nil, err
	}
	side := p.sidecar()
	files := map[string][]byte{}
	var accesses []int
	missing := make([][]string, len(tests))
	for i, f := range tests {
		var keys []string
		for _, s := range f.sites {
			now, ok := s.find(side.Sites)
			switch {
			case !ok:
				missing[i] = append(missing[i], s.Key)
				now.Key = s.Key + " (gone)"
			case s.Access && !slices.Contains(accesses, now.ID):
				accesses = append(accesses, now.ID)
			}
			keys = append(keys, strconv.Quote(s.Key), strconv.Quote(now.Key))
		}
		files[f.file] = []byte(strings.NewReplacer(keys...).Replace(string(f.data)))
	}
	slices.Sort(accesses)
	b, _, err := p.instrument(ctx, opts, side, parse.Options{Accesses: accesses, Races: tests[0].races}, files, rep)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	defer rep.stage("replay")()
	var out []ExportedResult
	for i, f := range tests {
		v, err := b.RunTest(ctx, f.name, orchestrate.RunOptions{Timeout: opts.Watchdog})
		if err != nil {
			return nil, err
		}
		out = append(out, ExportedResult{Name: f.name, File: f.file, Verdict: v, Missing: missing[i]})
	}
	return out, nil
}

// exportedSite is a site that an exported test names, and how to find it again:
// as the Nth of the Of sites of its function that are of its kind and read so.
type exportedSite struct {
	Key    string `json:"key"`
	Func   string `json:"func"`
	Kind   string `json:"kind"`
	Text   string `json:"text"`
	Nth    int    `json:"nth"`
	Of     int    `json:"of"`
	Access bool   `json:"access,omitempty"`
}

// usedSites are the sites that a test names, and the accesses with guards.
func usedSites(side *artifact.Sidecar, test string) []exportedSite {
	var out []exportedSite
	for id, s := range side.Sites {
		access := slices.Contains(side.Accesses, id)
		if id == 0 || !access && !strings.Contains(test, strconv.Quote(s.Key)) {
			continue
		}
		e := exportedSite{Key: s.Key, Func: s.Func, Kind: s.Kind, Text: s.Text, Access: access}
		for i, t := range side.Sites {
			if e.like(t) {
				e.Of++
				if i <= id {
					e.Nth++
				}
			}
		}
		out = append(out, e)
	}
	return out
}

func (e exportedSite) like(s artifact.Site) bool {
	return s.Func == e.Func && s.Kind == e.Kind && s.Text == e.Text
}

// find finds the site in the program as it is now. One whose line reads
// otherwise is still the same if no other reads as it did.
func (e exportedSite) find(all []artifact.Site) (now artifact.Site, ok bool) {
	var like []artifact.Site
	for _, s := range all {
		if e.like(s) {
			like = append(like, s)
		}
		if s.Key == e.Key && s.Kind == e.Kind {
			now, ok = s, true
		}
	}
	switch {
	case len(like) == e.Of && 1 <= e.Nth && e.Nth <= e.Of:
		return like[e.Nth-1], true
	case ok && (len(like) == 0 || e.like(now)):
		return now, true
	}
	return artifact.Site{}, false
}
