package translate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-multierror"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/internal/uppaal"
)

func load(t testing.TB, dir, entry string) (*source.Program, *sites.Index) {
	t.Helper()
	prog, err := source.Load(context.Background(), source.Spec{Dir: dir, Entry: entry})
	require.NoError(t, err)
	return prog, number(prog)
}

// number numbers the sites of a program.
func number(prog *source.Program) *sites.Index {
	var pkgs []sites.Package
	for _, p := range prog.Packages {
		pkgs = append(pkgs, sites.Package{Path: p.PkgPath, Files: p.Syntax, Types: p.Types, Info: p.TypesInfo})
	}
	return sites.Number(prog.Fset, prog.Rel, pkgs, prog.Func)
}

// verify checks a model: that its sidecar fits, that it is well-formed, that it
// survives the XML form, and its queries.
func verify(t testing.TB, m *translate.Model) *check.Report {
	t.Helper()
	require.Len(t, m.Sidecar.Templates, len(m.Network.Templates))
	for i, tm := range m.Network.Templates {
		in := m.Sidecar.Templates[i]
		require.Equal(t, tm.Name, in.Name)
		require.Len(t, in.Edges, len(tm.Edges))
		require.Len(t, in.Locations, len(tm.Locations))
		for k, l := range tm.Locations {
			require.Equal(t, l.Name, in.Locations[k].Name)
		}
	}
	var queries []*uppaal.Query
	info, err := uppaal.Check(m.Network)
	require.NoError(t, err)
	for _, q := range m.Queries {
		p, err := uppaal.ParseQuery(q.Formula)
		require.NoError(t, err, q.Formula)
		require.NoError(t, info.CheckQuery(p), q.Formula)
		queries = append(queries, p)
	}
	var first, second bytes.Buffer
	require.NoError(t, uppaal.WriteXML(&first, m.Network))
	again, err := uppaal.ReadXML(bytes.NewReader(first.Bytes()))
	require.NoError(t, err)
	_, err = uppaal.Check(again)
	require.NoError(t, err)
	require.NoError(t, uppaal.WriteXML(&second, again))
	require.Equal(t, first.String(), second.String())
	rep, err := check.Verify(context.Background(), m.Network, queries, check.Options{MaxStates: 20_000_000, Timeout: 60 * time.Second})
	require.NoError(t, err)
	return rep
}

var (
	remark = regexp.MustCompile(`// (want|elsewhere|unreal|missed|silent|refused|library|under|assumed|searched) ((?:"[^"]*"\s*)+)`)
	quoted = regexp.MustCompile(`"[^"]*"`)
)

// remarks are what the comments of a program say of it, as "file:line text":
//
//	// want "kind"            it has this error, and the model too
//	// elsewhere "file kind"  likewise, in a dependency
//	// unreal "kind"          only the model has it, or the program does so in every run
//	// missed "kind"          only the program has it, and the model says that it
//	                          leaves something out, or ends at a bound
//	// silent "kind"          only the program has it, and the model does not say so
//	// under "kind"           an approximation that leaves something out
//	// assumed "terminates"   a loop that the model takes to end
//	// refused "text"         it is not translated
//	// library "file text"    likewise, for something in a dependency
//	// searched "bounds"      its bounds are raised by searches: what is found is
//	                          tested in package pass
//
// All but the first two and the last are defects.
type remarks map[string][]string

func remarksOf(t testing.TB, prog *source.Program) remarks {
	t.Helper()
	out := remarks{}
	for _, p := range prog.Packages {
		for _, name := range p.CompiledGoFiles {
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			for i, line := range strings.Split(string(data), "\n") {
				for _, m := range remark.FindAllStringSubmatch(line, -1) {
					for _, k := range quoted.FindAllString(m[2], -1) {
						at := fmt.Sprintf("%s:%d ", filepath.Base(name), i+1)
						if m[1] == "elsewhere" || m[1] == "library" {
							at = ""
						}
						out[m[1]] = append(out[m[1]], at+strings.Trim(k, `"`))
					}
				}
			}
		}
	}
	return out
}

// found lists the violated queries.
func found(m *translate.Model, rep *check.Report) []string {
	out := []string{}
	seen := map[string]bool{}
	for i, r := range rep.Results {
		q := m.Queries[i]
		s := fmt.Sprintf("%s:%d %s", filepath.Base(q.File), q.Line, q.Kind)
		if strings.Contains(q.File, "@") { // in a dependency, where lines change
			s = filepath.Base(q.File) + " " + q.Kind
		}
		switch {
		case r.Verdict == check.True, q.Kind == artifact.KindImprecise:
			continue
		case r.Verdict != check.False:
			s += fmt.Sprintf(" %s %s", r.Verdict, r.Reason)
		}
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	sort.Strings(out)
	return out
}

// TestVerdicts checks the programs of testdata and the examples: exactly the
// errors that their comments name are found. Together they have every kind of operation.
func TestVerdicts(t *testing.T) {
	models, called := map[string]bool{}, map[string]bool{}
	bounds, kinds, all := map[string]bool{}, map[string]bool{}, true
	imported := map[string]*types.Package{}
	for dir, deps := range map[string][]string{"testdata/verdicts": {"golang.org/x/sync/..."}, "../../examples": nil} {
		set, err := source.LoadSet(context.Background(), source.Spec{Dir: dir, Pattern: "./...", Deps: deps})
		require.NoError(t, err)
		n := 0
		for _, e := range set.Entries() {
			if e.Func != "main" && e.Func != "TestProgram" || strings.HasSuffix(e.Package, "examples/gen") || strings.Contains(e.Package, "examples/sdk/") {
				continue
			}
			n++
			name := path.Base(e.Package)
			require.False(t, models[name], "two programs have the name %s", name)
			models[name] = true
			prog, err := set.Program(e)
			require.NoError(t, err)
			calls(prog, called, imported)
			ran := false
			t.Run(name, func(t *testing.T) {
				ran = true
				verdicts(t, prog, name, bounds, kinds)
			})
			all = all && ran
		}
		require.Positive(t, n)
	}
	for _, name := range goldenModels(t) {
		require.True(t, models[name], "%s: there is no such program any more", name)
	}
	for _, name := range slices.Concat(translate.Operations(), translate.TextFunctions()) {
		require.True(t, called[name] || !exists(imported, name), "no program calls %s", name)
	}
	if !all {
		return
	}
	for k := sites.Invalid + 1; sites.Named(k.String()) == k; k++ {
		require.True(t, kinds[k.String()], "no program has a model that does a step of the kind %v (docs/semantics.md)", k)
	}
	reached := slices.Collect(maps.Keys(bounds))
	for _, text := range boundTexts(t) {
		if !notReached[text] && !slices.ContainsFunc(reached, regexp.MustCompile(text).MatchString) {
			t.Errorf("no program comes to the bound %q", text)
		}
	}
}

// notReached are reasons that these programs should never come to, since what comes before them says so.
var notReached = map[string]bool{
	"operation: it has no guard":                                                           true, // every operation has one
	"iteration over a map: it may have been at too many sets of entries":                   true, // only with more entries than these programs have, see TestEntriesAtOnce
	`sync\.Cond: its lock is neither a Mutex nor an RWMutex, nor of a type of the program`: true, // such values are not tracked
	`sync\.Cond: the method .+ of its lock is not part of the program`:                     true, // nor are its values
	"subtest: the test that it belongs to is not tracked: .+":                              true, // it is kept from the call on
}

// literal is a regular expression for a text of which parts are literals.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil {
			return regexp.QuoteMeta(text)
		}
	case *ast.BinaryExpr:
		return literal(e.X) + literal(e.Y)
	}
	return ".+"
}

// boundTexts are what the translator says of the bounds at which paths end, as regular expressions.
func boundTexts(t *testing.T) (out []string) {
	t.Helper()
	files, err := filepath.Glob("internal/*/*.go")
	require.NoError(t, err)
	verb := regexp.MustCompile("%[ds]")
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "Bound" && sel.Sel.Name != "BoundAt" && sel.Sel.Name != "Unfollowed" {
				return true
			}
			if sel.Sel.Name == "Unfollowed" {
				out = append(out, literal(call.Args[0])+": "+literal(call.Args[1]))
				return true
			}
			what := call.Args[len(call.Args)-1]
			if format, ok := what.(*ast.CallExpr); ok {
				what = format.Args[0]
			}
			if lit, ok := what.(*ast.BasicLit); ok {
				text, err := strconv.Unquote(lit.Value)
				require.NoError(t, err)
				out = append(out, verb.ReplaceAllString(regexp.QuoteMeta(text), ".+"))
			}
			return true
		})
	}
	require.Greater(t, len(out), 10)
	return out
}

// calls collects the functions that a program names, and the packages that it imports.
func calls(prog *source.Program, called map[string]bool, imported map[string]*types.Package) {
	for _, p := range prog.Packages {
		for _, i := range p.Types.Imports() {
			imported[i.Path()] = i
		}
		for _, o := range p.TypesInfo.Uses {
			if f, ok := o.(*types.Func); ok {
				called[f.Origin().FullName()] = true
			}
		}
	}
}

// exists reports that there is a function, or a method, of a full name.
func exists(imported map[string]*types.Package, full string) bool {
	name, method, isMethod := strings.Cut(strings.TrimPrefix(full, "(*"), ").")
	name = strings.TrimSuffix(name, "[T]")
	dot := strings.LastIndexByte(name, '.')
	p := imported[name[:dot]]
	if p == nil {
		return true
	}
	o := p.Scope().Lookup(name[dot+1:])
	if o == nil || !isMethod {
		return o != nil
	}
	m, _, _ := types.LookupFieldOrMethod(o.Type(), true, p, method)
	return m != nil
}

// verdicts checks one program. It adds the bounds that its model comes to, and the kinds of what it does.
func verdicts(t *testing.T, prog *source.Program, name string, bounds, kinds map[string]bool) {
	r := remarksOf(t, prog)
	m, err := translate.Translate(context.Background(), prog, number(prog), translate.Options{})
	if refused := append(r["refused"], r["library"]...); refused != nil {
		require.Error(t, err, "it is translated")
		require.Equal(t, refused, refusals(err))
		golden(t, name, []txtar.File{{Name: "refused", Data: []byte(strings.Join(refused, "\n") + "\n")}})
		return
	}
	var internal *translate.InternalError
	if errors.As(err, &internal) {
		t.Logf("%s", internal.Stack)
	}
	require.NoError(t, err)
	require.Equal(t, r["searched"] != nil, m.Sidecar.Bounds != nil)
	require.True(t, fixed(t, prog, name), "it has a model, and no solution")
	rep := verify(t, m)
	for i, r := range rep.Results {
		if q := m.Queries[i]; q.Kind == artifact.KindBound && r.Verdict == check.False {
			bounds[q.Description] = true
		}
	}
	for _, tm := range m.Sidecar.Templates {
		for _, e := range tm.Edges {
			kinds[m.Sidecar.Sites[e.Site].Kind] = true
		}
	}
	golden(t, name, partsOf(m, rep))
	if m.Sidecar.Bounds != nil {
		return
	}
	want := slices.Concat(r["want"], r["elsewhere"], r["unreal"])
	sort.Strings(want)
	require.Equal(t, strings.Join(want, "\n"), strings.Join(found(m, rep), "\n"))
	under, assumed := []string{}, []string{}
	for _, a := range m.Sidecar.Approximations {
		at := fmt.Sprintf("%s:%d %s", path.Base(a.File), a.Line, a.Kind)
		switch {
		case a.Direction == artifact.DirectionUnder:
			under = append(under, at)
		case a.Kind == "terminates":
			assumed = append(assumed, at)
		}
	}
	for kind, got := range map[string][]string{"under": under, "assumed": assumed} {
		slices.Sort(got)
		slices.Sort(r[kind])
		require.Equal(t, strings.Join(r[kind], "\n"), strings.Join(slices.Compact(got), "\n"), kind)
	}
	bounded := strings.Contains(strings.Join(r["unreal"], "\n"), artifact.KindBound)
	require.False(t, r["missed"] != nil && r["under"] == nil && r["assumed"] == nil && !bounded, "nothing says that something is missed")
}

// refusals are what a translation does not support.
func refusals(err error) []string {
	var all *multierror.Error
	if !errors.As(err, &all) {
		return []string{err.Error()}
	}
	var out []string
	for _, e := range all.Errors {
		var u *translate.UnsupportedError
		if !errors.As(e, &u) {
			out = append(out, e.Error())
			continue
		}
		at := fmt.Sprintf("%s:%d", path.Base(u.Pos.Filename), u.Pos.Line)
		if strings.Contains(u.Pos.Filename, "@") {
			at = path.Base(u.Pos.Filename)
		}
		out = append(out, fmt.Sprintf("%s %s: %s", at, u.What, u.Reason))
	}
	return out
}
