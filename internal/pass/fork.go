package pass

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/storage"
)

// A bundle is unpacked so that its program can be changed by hand, and adopted as another
// bundle, which says what was changed and by what digest the one is known that it comes from.
//
// Before the second pass the program is that under check. Its model is made and searched
// again: everything fits what was changed. From the second pass on it is the instrumented
// program. Its guards have the numbers that the model has, and stand for lines of the program
// before it was instrumented, so that neither can be made anew from what was changed: what
// stays are the model, the traces and the plans, as long as the guards are among those that
// were there. The model is then that of the program before the change, and says nothing
// certain about it; what its runs show is real.

// The files of an unpacked bundle.
const (
	// UnpackedProgram has the program, below the directory that Unpack has written.
	UnpackedProgram = "program"               // the program
	unpackedBundle  = "bundle" + artifact.Ext // as it was
)

// generatedFiles begins the names of files of the instrumented program that are none of the
// program.
const generatedFiles = "zz_vtrace_gen"

// instrumented reports whether a bundle has an instrumented program.
func instrumented(b *artifact.Bundle) bool {
	p := b.Manifest().Pass
	return p == artifact.PassSecond || p == artifact.PassDeep
}

// changedOverlay are the files of the instrumented program that were changed by hand, relative
// to the program.
func changedOverlay(m artifact.Manifest) (out []string) {
	for _, p := range m.Changed {
		if rel, ok := strings.CutPrefix(p, artifact.OverlayDir+"/"); ok {
			out = append(out, strings.TrimPrefix(rel, overlayProgram))
		}
	}
	return out
}

// unpacked are the files that Unpack writes of the program, and what of them is instrumented.
func unpacked(b *artifact.Bundle) (files map[string][]byte, guarded map[string]bool) {
	files, guarded = map[string][]byte{}, map[string]bool{}
	for p, data := range b.Below(artifact.SourceDir) {
		files[p] = data
	}
	if instrumented(b) {
		for p, data := range b.Below(artifact.OverlayDir + "/" + strings.TrimSuffix(overlayProgram, "/")) {
			files[p], guarded[p] = data, true
		}
	}
	return files, guarded
}

// Unpack writes a bundle, and the program in it, into a directory, which must be empty or not
// be there. From the second pass on the program is the instrumented one. Nothing is executed.
func Unpack(b *artifact.Bundle, dir string) error {
	switch {
	case b == nil:
		return &ArgumentError{Name: "bundle", Reason: "nil"}
	case dir == "":
		return &ArgumentError{Name: "directory", Reason: "empty"}
	}
	files, guarded := unpacked(b)
	if len(files) == 0 {
		return fmt.Errorf("unpack: %w", &artifact.CorruptError{File: artifact.SourceDir, Err: errors.New("the bundle has no program")})
	}
	if err := b.ExtractSource(dir); err != nil { // which says what is in the way
		return fmt.Errorf("unpack: %w", err)
	}
	return unpackIn(b, dir, files, guarded)
}

// unpackIn moves the source in a directory to where it belongs, and writes the rest.
func unpackIn(b *artifact.Bundle, dir string, files map[string][]byte, guarded map[string]bool) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	tmp, err := os.MkdirTemp(dir, ".unpack-")
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	for _, e := range entries {
		if err := os.Rename(filepath.Join(dir, e.Name()), filepath.Join(tmp, e.Name())); err != nil {
			return fmt.Errorf("unpack: %w", err)
		}
	}
	program := filepath.Join(dir, UnpackedProgram)
	if err := os.Rename(tmp, program); err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	if err := os.Chmod(program, 0o755); err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	root, err := os.OpenRoot(program)
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	defer root.Close()
	for _, p := range slices.Sorted(maps.Keys(guarded)) {
		name := filepath.FromSlash(p)
		err := root.MkdirAll(filepath.Dir(name), 0o755)
		if err == nil {
			err = root.WriteFile(name, files[p], 0o644)
		}
		if err != nil {
			return fmt.Errorf("unpack: %w", err)
		}
	}
	return artifact.Save(b, filepath.Join(dir, unpackedBundle))
}

// Adopt makes a bundle of a directory that Unpack has written and in which the program was
// changed since: one of the same pass, that names the bundle which was unpacked as its parent,
// and the files that were changed. If nothing was changed it is that bundle. What cannot be
// gone on with is a *ChangeError; a program that does not compile is an error of its kind.
//
// Of a bundle of the first pass, or of the translation, the model is made and searched again.
// Of one of the second or the deep pass, guards may be moved and removed, and anything else
// added that needs none. The model stays that of the program before the change, and the result
// of later passes says so; the findings of a deep pass become unconfirmed, and can be replayed.
// The program is compiled, and not run.
func Adopt(ctx context.Context, dir string, opts Options) (_ *artifact.Bundle, err error) {
	defer caught(&err)
	switch {
	case ctx == nil:
		return nil, &ArgumentError{Name: "context", Reason: "nil"}
	case dir == "":
		return nil, &ArgumentError{Name: "directory", Reason: "empty"}
	}
	parent, err := artifact.Load(filepath.Join(dir, unpackedBundle))
	if err != nil {
		return nil, fmt.Errorf("adopt: %w", err)
	}
	now, err := readChanged(filepath.Join(dir, UnpackedProgram))
	if err != nil {
		return nil, fmt.Errorf("adopt: %w", err)
	}
	before, guarded := unpacked(parent)
	changed := changes(before, now)
	if len(changed) == 0 {
		return parent, nil
	}
	if opts, err = opts.inherit(parent); err != nil {
		return nil, err
	}
	for _, p := range changed {
		if source.OfDependency(p) && !guarded[p] {
			return nil, &ChangeError{File: p, Reason: "it is a file of another module, which the go command takes from its cache"}
		}
	}
	if instrumented(parent) {
		return adoptInstrumented(ctx, parent, before, now, changed, guarded, opts)
	}
	return adoptSource(ctx, parent, now, changed, opts)
}

// changes are the files that are not the same in both, in order.
func changes(before, now map[string][]byte) []string {
	all := map[string]bool{}
	for _, files := range []map[string][]byte{before, now} {
		for p := range files {
			a, had := before[p]
			b, has := now[p]
			if had != has || !bytes.Equal(a, b) {
				all[p] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// readChanged reads the files of a program that somebody has changed: all but those of
// directories that begin with a dot, of which the go command knows nothing either.
func readChanged(dir string) (map[string][]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	limits, out, total := artifact.DefaultLimits, map[string][]byte{}, int64(0)
	err = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return &ChangeError{File: p, Reason: "it is neither a file nor a directory"}
		}
		f, err := root.Open(filepath.FromSlash(p))
		if err != nil {
			return err
		}
		defer f.Close()
		data, err := io.ReadAll(io.LimitReader(f, limits.File+1))
		if err != nil {
			return err
		}
		if total += int64(len(data)); int64(len(data)) > limits.File || total > limits.Total || len(out) >= limits.Files {
			return &ChangeError{File: p, Reason: fmt.Sprintf("%v: with it, there is more than a bundle may hold", artifact.ErrLimit)}
		}
		out[p] = data
		return nil
	})
	return out, err
}

// inBundle are the paths of files in a bundle, with those that were changed before.
func inBundle(dir string, changed, before []string) []string {
	out := slices.Clone(before)
	for _, p := range changed {
		out = append(out, path.Join(dir, p))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// adoptSource adopts a program that is not instrumented.
func adoptSource(ctx context.Context, parent *artifact.Bundle, now map[string][]byte, changed []string, opts Options) (_ *artifact.Bundle, err error) {
	b := artifact.New(parent.Manifest())
	for p, data := range now {
		b.AddSource(p, data)
	}
	for p, data := range parent.Below(artifact.ModulesDir) {
		b.AddModule(p, data)
	}
	edited, err := b.Bundle()
	if err != nil {
		return nil, fmt.Errorf("adopt: %w", err)
	}
	opts.Root, opts.VendorDeps = "", false // the program there is not this one
	p, err := reload(ctx, edited, opts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	loaded := func(context.Context, source.Spec) (*program, error) { return p, nil }
	var made *artifact.Bundle
	if parent.Manifest().Pass == artifact.PassTranslate {
		made, err = translated(ctx, loaded, p.source.Spec, opts)
	} else {
		made, _, err = first(ctx, loaded, p.source.Spec, opts)
	}
	if err != nil {
		return nil, err
	}
	m := made.Manifest()
	m.Parent, m.Changed = parent.Digest(), inBundle(artifact.SourceDir, changed, parent.Manifest().Changed)
	fork := artifact.New(m)
	for _, p := range made.Paths() {
		data, _ := made.Read(p)
		fork.Put(p, data)
	}
	// What only the go command needs of the copy.
	more, err := p.source.DependencyFiles()
	if err != nil {
		return nil, err
	}
	for _, f := range more {
		fork.AddSource(f.Path, f.Data)
	}
	for p, data := range parent.Below(artifact.ModulesDir) {
		fork.AddModule(p, data)
	}
	return fork.Bundle()
}

// adoptInstrumented adopts an instrumented program.
func adoptInstrumented(ctx context.Context, parent *artifact.Bundle, before, now map[string][]byte, changed []string, guarded map[string]bool, opts Options) (_ *artifact.Bundle, err error) {
	for _, p := range changed {
		data, ok := now[p]
		switch {
		case !ok:
			return nil, &ChangeError{File: p, Reason: "it was removed: an instrumented program keeps its files"}
		case !guarded[p]:
			return nil, &ChangeError{File: p, Reason: "it is not instrumented: change it in what the bundle of the first pass is unpacked to"}
		case strings.HasPrefix(path.Base(p), generatedFiles):
			return nil, &ChangeError{File: p, Reason: "it is generated with the guards"}
		}
		if err := sameGuards(p, before[p], data); err != nil {
			return nil, err
		}
	}
	side := parent.Sidecar()
	if side == nil {
		return nil, &artifact.CorruptError{File: artifact.SidecarPath, Err: fmt.Errorf("missing in a bundle of the %s pass", parent.Manifest().Pass)}
	}
	for _, p := range changed {
		a := artifact.Approximation{
			File: p, Line: 1, Col: 1, Kind: "changed-by-hand", Direction: artifact.DirectionUnder,
			Reason: "the instrumented file was changed by hand, and the model is of what it was before",
		}
		if !slices.Contains(side.Approximations, a) {
			side.Approximations = append(side.Approximations, a)
		}
	}
	m := parent.Manifest()
	m.Tool, m.Go = Version(), runtime.Version()
	m.SlimmedFrom = ""
	m.Changed = inBundle(artifact.OverlayDir+"/"+overlayProgram, changed, m.Changed)
	if m.Options, err = storage.EncodeJSON(parent.Options()); err != nil {
		return nil, fmt.Errorf("adopt: options: %w", err)
	}
	b := artifact.Extend(parent, m)
	for _, p := range changed {
		b.AddOverlay(overlayProgram+p, now[p])
	}
	b.SetSidecar(side)
	if m.Pass == artifact.PassDeep {
		// What the runs have shown is of the program before.
		for _, p := range []string{artifact.LogsDir, artifact.RunsPath, artifact.RacesPath, artifact.RefutationsPath, artifact.FactsPath} {
			b.Remove(p)
		}
		findings := parent.Findings()
		for i := range findings {
			f := &findings[i]
			f.Verdict, f.Runs, f.Reason = artifact.Unconfirmed, 0, "the program was changed by hand since its replay"
		}
		b.SetFindings(findings)
	}
	fork, err := b.Bundle()
	if err != nil {
		return nil, fmt.Errorf("adopt: %w", err)
	}
	// Whoever goes on from it needs a program that compiles.
	p, err := reload(ctx, fork, opts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	d := &deep{opts: opts, program: p, rep: reporter{m.Pass, opts.Progress}, side: side, target: p.target(side, opts)}
	remove, err := d.build(ctx, fork)
	if err != nil {
		return nil, err
	}
	return fork, remove()
}

// sameGuards says what of a changed file the model could not follow: guards that are not among
// those that were there, and operations without one.
func sameGuards(name string, before, now []byte) error {
	old, err := guardsOf(name, before)
	if err != nil {
		return &ChangeError{File: name, Reason: "it was not changed from Go: " + err.Error()}
	}
	guards, err := guardsOf(name, now)
	if err != nil {
		return &ChangeError{File: name, Reason: err.Error()}
	}
	for _, what := range slices.Sorted(maps.Keys(guards.at)) {
		lines := guards.at[what]
		if had := len(old.at[what]); len(lines) > had {
			reason := what + ", which has no guard: it would be out of control; change it in what the bundle of the first pass is unpacked to"
			if strings.HasPrefix(what, guards.runtime+".") {
				reason = fmt.Sprintf("%s stands there %d times, and stood there %d times: the model knows no more of them", what, len(lines), had)
			}
			return &ChangeError{File: name, Line: lines[had], Reason: reason}
		}
	}
	for _, v := range slices.Sorted(maps.Keys(guards.reset)) {
		value, again := guards.value[v], guards.reset[v]
		if old.value[v].text == old.reset[v].text && value.text != again.text && value.line > 0 {
			return &ChangeError{File: name, Line: value.line, Reason: fmt.Sprintf("%s begins as %s there, and is set to %s in line %d before each run: change both", v, value.text, again.text, again.line)}
		}
	}
	return nil
}

// guards are what of a file is controlled, or would have to be, with the lines.
type guards struct {
	runtime string // the name of the runtime in the file
	at      map[string][]int
	// value are the values that variables of the package begin with, and reset those that
	// functions of the instrumentation give them before a run, by name.
	value, reset map[string]valueText
}

// valueText is an expression as it stands in a line.
type valueText struct {
	text string
	line int
}

// waiting are names of methods and functions of the library by which goroutines wait for each
// other, or for time.
var waiting = map[string]bool{
	"Lock": true, "Unlock": true, "RLock": true, "RUnlock": true, "TryLock": true, "TryRLock": true, "RLocker": true, "Wait": true, "Done": true,
	"Signal": true, "Broadcast": true, "Sleep": true, "After": true, "AfterFunc": true, "NewTimer": true, "NewTicker": true, "Tick": true,
	"CompareAndSwap": true, "Swap": true, "LoadOrStore": true, "LoadAndDelete": true, "WithCancel": true, "WithTimeout": true, "WithDeadline": true,
}

func guardsOf(name string, data []byte) (guards, error) {
	g := guards{at: map[string][]int{}, value: map[string]valueText{}, reset: map[string]valueText{}}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, data, parser.SkipObjectResolution)
	if err != nil {
		return g, err
	}
	add := func(n ast.Node, what string) { g.at[what] = append(g.at[what], fset.PositionFor(n.Pos(), false).Line) }
	for _, imp := range file.Imports {
		switch p, _ := strconv.Unquote(imp.Path.Value); {
		case p == parse.DefaultRuntimePath:
			name := path.Base(p)
			if imp.Name != nil {
				name = imp.Name.Name
			}
			if g.runtime != "" || name == "." {
				add(imp, "another import of the runtime") // what is called by that name would not be seen
				continue
			}
			g.runtime = name
		case p == "sync", p == "sync/atomic", p == "time", p == "context", p == "unsafe", p == "C":
			add(imp, "the import of "+p)
		}
	}
	note := func(to map[string]valueText, name string, e ast.Expr) {
		var text strings.Builder
		if format.Node(&text, fset, e) == nil {
			to[name] = valueText{text.String(), fset.PositionFor(e.Pos(), false).Line}
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if v, ok := s.(*ast.ValueSpec); ok && d.Tok == token.VAR && len(v.Names) == len(v.Values) {
					for i, n := range v.Names {
						note(g.value, n.Name, v.Values[i])
					}
				}
			}
		case *ast.FuncDecl:
			if g.runtime == "" || d.Body == nil || d.Recv != nil || !strings.HasPrefix(d.Name.Name, g.runtime+"Reset") {
				continue
			}
			for _, s := range d.Body.List {
				if a, ok := s.(*ast.AssignStmt); ok && a.Tok == token.ASSIGN && len(a.Lhs) == 1 && len(a.Rhs) == 1 {
					if n, ok := a.Lhs[0].(*ast.Ident); ok {
						note(g.reset, n.Name, a.Rhs[0])
					}
				}
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			add(n, "a go statement")
		case *ast.SendStmt:
			add(n, "a send")
		case *ast.SelectStmt:
			add(n, "a select")
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				add(n, "a receive")
			}
		case *ast.CallExpr:
			switch f := n.Fun.(type) {
			case *ast.Ident:
				if f.Name == "close" {
					add(n, "a close")
				}
			case *ast.SelectorExpr:
				if g.runtime != "" && rootOf(f) == g.runtime {
					number := ""
					for _, a := range n.Args {
						if lit, ok := a.(*ast.BasicLit); ok && lit.Kind == token.INT {
							number = lit.Value
							break
						}
					}
					add(n, g.runtime+"."+f.Sel.Name+"("+number+")")
				} else if waiting[f.Sel.Name] {
					add(n, "a call of "+f.Sel.Name)
				}
			}
		}
		return true
	})
	return g, nil
}

// rootOf is the name at the beginning of a chain of selectors and calls, "" if it is none.
func rootOf(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x.Name
		case *ast.SelectorExpr:
			e = x.X
		case *ast.CallExpr:
			e = x.Fun
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return ""
		}
	}
}

// ownChanges says why the schedules of a program cannot be explored without its model, "" if
// they can: for that it is instrumented anew.
func ownChanges(m artifact.Manifest) string {
	if all := changedOverlay(m); len(all) > 0 {
		return fmt.Sprintf("schedules beyond those that were run: %s was changed by hand, and another form of the instrumented program, which would explore them, lacks that", all[0])
	}
	return ""
}

// changedByHand is why an instrumented program is not made anew.
const changedByHand = "it was changed by hand"

// unchangedTests refuses tests of an instrumented program that was changed: they fit no tree.
func unchangedTests(m artifact.Manifest) error {
	if all := changedOverlay(m); len(all) > 0 {
		return &ChangeError{File: all[0], Reason: "the instrumented file was changed by hand: a test in the program's tree would not run what was changed"}
	}
	return nil
}

// compileChanged builds an instrumented program that was changed by hand, which is never made
// anew.
func (d *deep) compileChanged(b *artifact.Bundle, build func(*parse.Overlay) error, stored *parse.Overlay, current bool) error {
	if !current && d.out != nil {
		return &RuntimeError{Tool: clip(b.Manifest().Tool), Reason: changedByHand}
	}
	err := build(stored)
	var failed *orchestrate.BuildError
	if !current && errors.As(err, &failed) {
		return &RuntimeError{Tool: clip(b.Manifest().Tool), Build: failed, Reason: changedByHand}
	}
	return err
}
