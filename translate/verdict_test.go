package translate_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"
	"time"

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
	var pkgs []sites.Package
	for _, p := range prog.Packages {
		pkgs = append(pkgs, sites.Package{Path: p.PkgPath, Files: p.Syntax, Types: p.Types, Info: p.TypesInfo})
	}
	return prog, sites.Number(prog.Fset, prog.Rel, pkgs, prog.Func)
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

var want = regexp.MustCompile(`// want ((?:"[^"]*"\s*)+)`)

// wanted reads the errors that a program has from its comments
// `// want "kind"`.
func wanted(t testing.TB, prog *source.Program) []string {
	t.Helper()
	out := []string{}
	for _, p := range prog.Packages {
		for _, name := range p.CompiledGoFiles {
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			for i, line := range strings.Split(string(data), "\n") {
				if m := want.FindStringSubmatch(line); m != nil {
					for _, k := range regexp.MustCompile(`"[^"]*"`).FindAllString(m[1], -1) {
						out = append(out, fmt.Sprintf("%s:%d %s", filepath.Base(name), i+1, strings.Trim(k, `"`)))
					}
				}
			}
		}
	}
	sort.Strings(out)
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
	for _, pattern := range []string{"testdata/verdicts/*", "../examples/*"} {
		dirs, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, dir := range dirs {
			files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
			if len(files) == 0 || strings.HasSuffix(dir, "/gen") {
				continue
			}
			entry := "main"
			if tests, _ := filepath.Glob(filepath.Join(dir, "*_test.go")); len(tests) == len(files) {
				entry = "TestProgram"
			}
			t.Run(filepath.Base(dir), func(t *testing.T) {
				prog, idx := load(t, dir, entry)
				m, err := translate.Translate(context.Background(), prog, idx, translate.Options{})
				require.NoError(t, err)
				require.Equal(t, wanted(t, prog), found(m, verify(t, m)))
			})
		}
	}
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
