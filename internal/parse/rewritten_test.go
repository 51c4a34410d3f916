package parse

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
)

// rewritten is an archive of testdata/rewritten: a module, and what becomes of it.
type rewritten struct {
	name    string
	archive *txtar.Archive
	prog    *source.Program
	idx     *sites.Index
	overlay *Overlay
}

// loadRewritten loads and instruments the module of an archive. The first line of its comment
// has the options: races, accesses (every one of them is a guard), lines (so is every
// statement), and the entry function, if it is not the whole module.
func loadRewritten(t *testing.T, file string) *rewritten {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	require.NoError(t, err)
	r := &rewritten{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), archive: ar}
	dir := t.TempDir()
	for _, f := range ar.Files {
		if strings.HasPrefix(f.Name, "want/") {
			continue
		}
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, f.Data, 0o600))
	}
	spec := source.Spec{Dir: dir}
	var opts Options
	every := false
	line, _, _ := strings.Cut(string(ar.Comment), "\n")
	options, ok := strings.CutPrefix(line, "options:")
	require.True(t, ok, "%s begins with the options", file)
	for option := range strings.FieldsSeq(options) {
		switch entry, ok := strings.CutPrefix(option, "entry="); {
		case ok:
			spec.Entry = entry
		case option == "races":
			opts.Races = true
		case option == "accesses":
			every = true
		case option == "lines":
			opts.EveryLine = true
		default:
			t.Fatalf("%s: option %q", file, option)
		}
	}
	if spec.Entry != "" {
		r.prog, err = source.Load(t.Context(), spec)
	} else {
		r.prog, err = source.LoadModule(t.Context(), spec)
	}
	require.NoError(t, err)
	r.idx = Index(r.prog)
	if every {
		opts.Accesses = accesses(r.idx)
	}
	r.overlay, err = Instrument(t.Context(), r.prog, r.idx, opts)
	require.NoError(t, err)
	return r
}

// want are the files that the archive should end with: what the instrumentation has written,
// and what it has reported.
func (r *rewritten) want() (out []txtar.File) {
	for _, name := range slices.Sorted(maps.Keys(r.overlay.Files)) {
		out = append(out, txtar.File{Name: "want/" + name, Data: r.overlay.Files[name]})
	}
	var diags strings.Builder
	for _, d := range r.overlay.Diagnostics {
		how := "not guarded"
		switch {
		case d.Access:
			how = "access"
		case d.Number:
			how = "number"
		}
		fmt.Fprintf(&diags, "%s: %s, reach %d\n", d, how, d.Reach)
	}
	if diags.Len() > 0 {
		out = append(out, txtar.File{Name: "want/diagnostics", Data: []byte(diags.String())})
	}
	return out
}

// TestRewritten: what every form of code becomes, byte by byte. With -update the archives are
// written, and what is in them is compiled.
func TestRewritten(t *testing.T) {
	files, err := filepath.Glob("testdata/rewritten/*.txtar")
	require.NoError(t, err)
	all := make([]*rewritten, 0, len(files))
	for _, file := range files {
		r := loadRewritten(t, file)
		all = append(all, r)
		want := slices.DeleteFunc(slices.Clone(r.archive.Files), func(f txtar.File) bool { return !strings.HasPrefix(f.Name, "want/") })
		got := r.want()
		if *update {
			r.build(t)
			r.archive.Files = append(slices.DeleteFunc(r.archive.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "want/") }), got...)
			require.NoError(t, os.WriteFile(file, txtar.Format(r.archive), 0o644))
			want = got
		}
		t.Run(r.name, func(t *testing.T) {
			names := func(list []txtar.File) (out []string) {
				for _, f := range list {
					out = append(out, f.Name)
				}
				return out
			}
			require.Equal(t, names(want), names(got))
			for i := range want {
				require.Equal(t, string(want[i].Data), string(got[i].Data), want[i].Name)
			}
			r.accounted(t)
			r.whole(t)
		})
	}
	t.Run("complete", func(t *testing.T) { complete(t, all) })
}

// accounted: what should be a guard is one, or has a diagnostic.
func (r *rewritten) accounted(t *testing.T) {
	t.Helper()
	spoken := map[string]bool{}
	for _, d := range r.overlay.Diagnostics {
		at := fmt.Sprintf("%s:%d", d.File, d.Line)
		spoken[at] = spoken[at] || !d.Number
	}
	for _, s := range r.idx.Sites() {
		if s.IsOp() && s.Kind != sites.Start || s.Kind == sites.Atomic {
			require.True(t, r.registers(s) || spoken[fmt.Sprintf("%s:%d", s.File, s.Line)], "%s:%d:%d: %v", s.File, s.Line, s.Col, s.Kind)
		}
	}
}

// whole: with each of the options, and as checks share it, nothing of what was rewritten is lost
// by what is rewritten around it.
func (r *rewritten) whole(t *testing.T) {
	t.Helper()
	every := accesses(r.idx)
	for _, opts := range []Options{{}, {Accesses: every}, {Races: true}, {Accesses: every, Races: true}, {EveryLine: true}, {Shared: true}} {
		idx := r.idx
		if opts.Shared {
			idx = sharedIndex(t, r.prog)
		}
		o, err := Instrument(t.Context(), r.prog, idx, opts)
		require.NoError(t, err)
		notLost(t, o)
	}
}

// notLost: no part of an edit was asked for.
func notLost(t *testing.T, o *Overlay) {
	t.Helper()
	for _, d := range o.Diagnostics {
		require.NotEqual(t, lostText, d.Reason, d)
	}
}

// build compiles the instrumented module, and its tests.
func (r *rewritten) build(t *testing.T) {
	t.Helper()
	json, err := r.overlay.Write(t.TempDir(), r.prog.Root, goroot(t))
	require.NoError(t, err)
	for _, args := range [][]string{{"build"}, {"test", "-c", "-vet=off", "-o", t.TempDir()}} {
		out, code := run(t, r.prog.Root, "go", append(args, "-overlay", json, "./...")...)
		require.Zero(t, code, "%s: %s", r.name, out)
	}
}

// nodes are the kinds of nodes of Go's syntax that a function may have.
var nodes = []ast.Node{
	&ast.ArrayType{}, &ast.AssignStmt{}, &ast.BasicLit{}, &ast.BinaryExpr{}, &ast.BlockStmt{}, &ast.BranchStmt{},
	&ast.CallExpr{}, &ast.CaseClause{}, &ast.ChanType{}, &ast.CommClause{}, &ast.CompositeLit{}, &ast.DeclStmt{},
	&ast.DeferStmt{}, &ast.Ellipsis{}, &ast.EmptyStmt{}, &ast.ExprStmt{}, &ast.ForStmt{}, &ast.FuncDecl{}, &ast.FuncLit{},
	&ast.FuncType{}, &ast.GenDecl{}, &ast.GoStmt{}, &ast.Ident{}, &ast.IfStmt{}, &ast.IncDecStmt{}, &ast.IndexExpr{},
	&ast.IndexListExpr{}, &ast.InterfaceType{}, &ast.KeyValueExpr{}, &ast.LabeledStmt{}, &ast.MapType{}, &ast.ParenExpr{},
	&ast.RangeStmt{}, &ast.ReturnStmt{}, &ast.SelectStmt{}, &ast.SelectorExpr{}, &ast.SendStmt{}, &ast.SliceExpr{},
	&ast.StarExpr{}, &ast.StructType{}, &ast.SwitchStmt{}, &ast.TypeAssertExpr{}, &ast.TypeSpec{}, &ast.TypeSwitchStmt{},
	&ast.UnaryExpr{}, &ast.ValueSpec{},
}

// complete: the archives have every kind of node of Go's syntax, every kind of operation, and
// every function and type that the instrumentation knows by name.
func complete(t *testing.T, all []*rewritten) {
	has, kinds, functions := map[string]bool{}, map[sites.Kind]bool{}, map[string]bool{}
	helpers := map[string]bool{}
	named := map[string]bool{} // types and packages
	for _, r := range all {
		for _, s := range r.idx.Sites() {
			kinds[s.Kind] = kinds[s.Kind] || r.registers(s)
		}
		for _, p := range r.prog.Packages {
			for _, f := range p.Syntax {
				ast.Inspect(f, func(n ast.Node) bool {
					has[fmt.Sprintf("%T", n)] = true
					return true
				})
			}
			for _, obj := range p.TypesInfo.Uses {
				if obj.Pkg() != nil {
					named[obj.Pkg().Path()] = true
				}
				switch obj := obj.(type) {
				case *types.Func:
					functions[obj.Origin().FullName()] = true
				case *types.TypeName:
					named[nameOf(obj.Type())] = true
				}
			}
			for _, tv := range p.TypesInfo.Types {
				named[nameOf(tv.Type)] = true
			}
		}
		for name, data := range r.overlay.Files {
			if strings.HasPrefix(filepath.Base(name), "zz_vtrace_gen") {
				for line := range strings.Lines(string(data)) {
					if rest, ok := strings.CutPrefix(line, "func zzorc"); ok {
						helpers[rest[:strings.IndexAny(rest, "([")]] = true
					}
				}
			}
		}
	}
	for _, n := range nodes {
		require.True(t, has[fmt.Sprintf("%T", n)], "no archive has a %T", n)
	}
	for k := sites.Send; k <= sites.Atomic; k++ {
		require.True(t, kinds[k], "no archive has a guard of kind %v", k)
	}
	var unused []string
	for _, table := range []map[string]bool{
		keysOf(random), keysOf(same), keysOf(ordered), keysOf(undecided), keysOf(choosing), keysOf(signals),
		keysOf(durations), keysOf(polls), keysOf(testWrites), keysOf(givenUses), keysOf(writers), keysOf(becomesCall), keysOf(silent),
	} {
		for name := range table {
			if !functions[name] {
				unused = append(unused, "func "+name)
			}
		}
	}
	for _, table := range []map[string]bool{keysOf(unlocked), keysOf(mapTypes), keysOf(unlockedInterfaces)} {
		for name := range table {
			if !named[name] {
				unused = append(unused, "type "+name)
			}
		}
	}
	for _, table := range []map[string]bool{keysOf(quiet), keysOf(keeping), keysOf(forwardingPackages), keysOf(effectsOfStd), keysOf(reading)} {
		for name := range table {
			if !named[name] {
				unused = append(unused, "package "+name)
			}
		}
	}
	for name, sh := range shapes {
		kinds := []string{"Bind_", "Expr_"}
		if sh.recv == "" {
			kinds = []string{"Func_"}
		}
		for _, k := range kinds {
			if !helpers[k+name] {
				unused = append(unused, "helper "+k+name)
			}
		}
	}
	for name := range ifaceShapes {
		for _, h := range []string{name, "Bind_" + name} {
			if !helpers[h] {
				unused = append(unused, "helper "+h)
			}
		}
	}
	slices.Sort(unused)
	require.Empty(t, unused, "in no archive")
}

// registers: a generated file has the site.
func (r *rewritten) registers(s sites.Site) bool {
	for _, data := range r.overlay.Files {
		if strings.Contains(string(data), fmt.Sprintf("\n\t{%d, %q, %q, ", s.ID, s.Kind.String(), s.Key)) {
			return true
		}
	}
	return false
}

func keysOf[V any](m map[string]V) map[string]bool {
	out := map[string]bool{}
	for k := range m {
		out[k] = true
	}
	return out
}
