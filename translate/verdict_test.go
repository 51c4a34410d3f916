package translate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-multierror"
	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/check"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/source"
	"github.com/vtrace/vtrace/translate"
	"github.com/vtrace/vtrace/uppaal"
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
	remark = regexp.MustCompile(`// (want|unreal|missed|refused) ((?:"[^"]*"\s*)+)(silently)?`)
	quoted = regexp.MustCompile(`"[^"]*"`)
)

// remarks are what the comments of a program say of it, as "file:line text":
//
//	// want "kind"     it has this error, and the model too
//	// unreal "kind"   only the model has it
//	// missed "kind"   only the program has it, and an approximation says that
//	                   something is left out
//	// refused "text"  it is not translated
type remarks struct {
	want, unreal, missed, refused []string
	silent                        bool // no approximation tells of what is missed
}

func remarksOf(t testing.TB, prog *source.Program) *remarks {
	t.Helper()
	out := &remarks{want: []string{}}
	lists := map[string]*[]string{"want": &out.want, "unreal": &out.unreal, "missed": &out.missed, "refused": &out.refused}
	for _, p := range prog.Packages {
		for _, name := range p.CompiledGoFiles {
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			for i, line := range strings.Split(string(data), "\n") {
				m := remark.FindStringSubmatch(line)
				if m == nil {
					continue
				}
				for _, k := range quoted.FindAllString(m[2], -1) {
					list := lists[m[1]]
					*list = append(*list, fmt.Sprintf("%s:%d %s", filepath.Base(name), i+1, strings.Trim(k, `"`)))
				}
				out.silent = out.silent || m[3] != ""
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
		switch {
		case r.Verdict == check.True:
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
// errors that their comments name are found.
func TestVerdicts(t *testing.T) {
	for _, dir := range []string{"testdata/verdicts", "../examples"} {
		set, err := source.LoadSet(context.Background(), source.Spec{Dir: dir, Pattern: "./...", Deps: []string{"golang.org/x/sync/..."}})
		require.NoError(t, err)
		n := 0
		for _, e := range set.Entries() {
			if e.Func != "main" && e.Func != "TestProgram" || strings.HasSuffix(e.Package, "examples/gen") {
				continue
			}
			n++
			t.Run(path.Base(e.Package), func(t *testing.T) {
				prog, err := set.Program(e)
				require.NoError(t, err)
				verdicts(t, prog)
			})
		}
		require.Positive(t, n)
	}
}

func verdicts(t *testing.T, prog *source.Program) {
	r := remarksOf(t, prog)
	m, err := translate.Translate(context.Background(), prog, number(prog), translate.Options{})
	if len(r.refused) > 0 {
		require.Error(t, err, "it is translated")
		require.Equal(t, r.refused, refusals(err))
		return
	}
	require.NoError(t, err)
	want := append(r.want, r.unreal...)
	sort.Strings(want)
	require.Equal(t, want, found(m, verify(t, m)))
	under := slices.ContainsFunc(m.Sidecar.Approximations, func(a artifact.Approximation) bool { return a.Direction == artifact.DirectionUnder })
	require.Equal(t, len(r.missed) > 0 && !r.silent, under, "approximations: %v", m.Sidecar.Approximations)
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
		out = append(out, fmt.Sprintf("%s:%d %s: %s", path.Base(u.Pos.Filename), u.Pos.Line, u.What, u.Reason))
	}
	return out
}

// TestDump translates the program of the directory in VTRACE_DUMP and prints
// the verdicts, for work on the translator.
func TestDump(t *testing.T) {
	dir := os.Getenv("VTRACE_DUMP")
	if dir == "" {
		t.Skip("VTRACE_DUMP is not set")
	}
	start := time.Now()
	prog, idx := load(t, dir, os.Getenv("VTRACE_ENTRY"))
	t.Log("load", time.Since(start))
	start = time.Now()
	m, err := translate.Translate(context.Background(), prog, idx, translate.Options{})
	require.NoError(t, err)
	t.Log("translate", time.Since(start))
	if name := os.Getenv("VTRACE_XML"); name != "" {
		f, err := os.Create(name)
		require.NoError(t, err)
		require.NoError(t, uppaal.WriteXML(f, m.Network))
		require.NoError(t, f.Close())
	}
	for _, tm := range m.Network.Templates {
		t.Log("template", tm.Name, len(tm.Locations), "locations", len(tm.Edges), "edges")
	}
	start = time.Now()
	rep := verify(t, m)
	t.Log("check", time.Since(start), rep.Stats, rep.Complete)
	info, err := uppaal.Check(m.Network)
	require.NoError(t, err)
	for i, r := range rep.Results {
		q := m.Queries[i]
		t.Logf("%s %s | %s:%d | %s | %s %s", r.Verdict, q.Kind, q.File, q.Line, q.Formula, q.Description, r.Reason)
		if r.Trace != nil && os.Getenv("VTRACE_TRACE") != "" {
			for _, l := range r.Trace.Lines(info) {
				t.Log("    ", l)
			}
		}
	}
	for _, a := range m.Sidecar.Approximations {
		t.Logf("approx %s:%d %s %s %s", a.File, a.Line, a.Kind, a.Direction, a.Reason)
	}
	t.Log("accesses", m.Sidecar.Accesses)
	require.NotEqual(t, artifact.Sidecar{}, m.Sidecar)
}
