package translate_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/check"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/source"
	"github.com/vtrace/vtrace/translate"
	"github.com/vtrace/vtrace/uppaal"
)

func load(t *testing.T, dir, entry string) (*source.Program, *sites.Index) {
	t.Helper()
	prog, err := source.Load(context.Background(), source.Spec{Dir: dir, Entry: entry})
	require.NoError(t, err)
	var pkgs []sites.Package
	for _, p := range prog.Packages {
		pkgs = append(pkgs, sites.Package{Path: p.PkgPath, Files: p.Syntax, Types: p.Types, Info: p.TypesInfo})
	}
	return prog, sites.Number(prog.Fset, prog.Rel, pkgs, prog.Func)
}

// TestDump translates the program of the directory in VTRACE_DUMP and prints
// the verdicts, for work on the translator.
func TestDump(t *testing.T) {
	dir := os.Getenv("VTRACE_DUMP")
	if dir == "" {
		t.Skip("VTRACE_DUMP is not set")
	}
	entry := os.Getenv("VTRACE_ENTRY")
	start := time.Now()
	prog, idx := load(t, dir, entry)
	t.Log("load", time.Since(start))
	start = time.Now()
	m, err := translate.Translate(context.Background(), prog, idx, translate.Options{})
	require.NoError(t, err)
	t.Log("translate", time.Since(start))
	if os.Getenv("VTRACE_XML") != "" {
		f, err := os.Create(os.Getenv("VTRACE_XML"))
		require.NoError(t, err)
		require.NoError(t, uppaal.WriteXML(f, m.Network))
		require.NoError(t, f.Close())
	}
	for i, tm := range m.Network.Templates {
		t.Log("template", tm.Name, len(tm.Locations), "locations", len(tm.Edges), "edges", len(m.Sidecar.Templates[i].Edges))
	}
	var queries []*uppaal.Query
	for _, q := range m.Queries {
		p, err := uppaal.ParseQuery(q.Formula)
		require.NoError(t, err, q.Formula)
		queries = append(queries, p)
	}
	_, err = uppaal.Check(m.Network)
	require.NoError(t, err)
	start = time.Now()
	rep, err := check.Verify(context.Background(), m.Network, queries, check.Options{MaxStates: 20_000_000, Timeout: 60 * time.Second})
	require.NoError(t, err)
	t.Log("check", time.Since(start), rep.Stats, rep.Complete)
	info, _ := uppaal.Check(m.Network)
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
	_ = filepath.Join
}
