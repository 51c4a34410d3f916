package promela_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/check/internal/spin"
	"github.com/vtrace/vtrace/internal/check/promela"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/internal/uppaal"
)

var portableAll = flag.Bool("portable", false, "compare portable models of all programs of translate/testdata/verdicts with the others, and their answers with those of Spin")

// portableSample are programs with leaks, partial deadlocks, services that run for ever, and
// queries without all of that.
var portableSample = []string{"testleak", "server", "quitloop", "mainstuck", "daemonlock"}

// compared counts what portable models answer.
type compared struct {
	programs, same, missed, leftOut, spin, refused int
}

// A portable model asks nothing that UPPAAL does not know, finds nothing that the other does
// not, and says what it leaves out. Spin gives the same answers.
func TestPortable(t *testing.T) {
	var total compared
	compare := func(name string, prog *source.Program) {
		plain, err := translate.Translate(t.Context(), prog, number(prog), translate.Options{})
		if err != nil || plain.Sidecar.Bounds != nil {
			return
		}
		portable, err := translate.Translate(t.Context(), prog, number(prog), translate.Options{Portable: true})
		require.NoError(t, err, name)
		require.NotContains(t, portable.Network.System.Below, true, "%s: no priorities", name)
		comparePortable(t, name, plain, portable, &total)
	}
	if *portableAll {
		set, err := source.LoadSet(t.Context(), source.Spec{Dir: "../../translate/testdata/verdicts", Pattern: "./...", Deps: []string{"golang.org/x/sync/..."}})
		require.NoError(t, err)
		for _, e := range set.Entries() {
			if e.Func != "main" && e.Func != "TestProgram" {
				continue
			}
			prog, err := set.Program(e)
			require.NoError(t, err)
			compare(path.Base(e.Package), prog)
		}
	} else {
		for _, name := range portableSample {
			spec := source.Spec{Dir: "../../translate/testdata/verdicts/" + name}
			prog, err := source.Load(t.Context(), spec)
			if errors.Is(err, source.ErrNoEntry) {
				spec.Entry = "TestProgram"
				prog, err = source.Load(t.Context(), spec)
			}
			require.NoError(t, err)
			compare(name, prog)
		}
		require.Zero(t, total.missed, "%+v", total)
		// A leak beside a goroutine that runs for ever.
		dir := t.TempDir()
		for name, text := range map[string]string{
			"go.mod": "module example.com/p\n\ngo 1.26\n",
			"p_test.go": `package p

import (
	"sync"
	"testing"
)

func TestProgram(t *testing.T) {
	var mu sync.Mutex
	c := make(chan int)
	go func() { <-c }()
	go func() {
		for {
			mu.Lock()
			mu.Unlock()
		}
	}()
}
`} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		}
		prog, err := source.Load(t.Context(), source.Spec{Dir: dir, Entry: "TestProgram"})
		require.NoError(t, err)
		compare("a leak beside a loop", prog)
		require.Positive(t, total.missed, "%+v", total)
		require.Positive(t, total.leftOut, "%+v", total)
	}
	require.Positive(t, total.same)
	t.Logf("%+v", total)
}

// number numbers the sites of a program.
func number(prog *source.Program) *sites.Index {
	var pkgs []sites.Package
	for _, p := range prog.Packages {
		pkgs = append(pkgs, sites.Package{Path: p.PkgPath, Files: p.Syntax, Types: p.Types, Info: p.TypesInfo})
	}
	return sites.Number(prog.Fset, prog.Rel, pkgs, prog.Func)
}

// answers are those to the queries of a model.
func answers(t *testing.T, m *translate.Model) *check.Report {
	t.Helper()
	var queries []*uppaal.Query
	for _, q := range m.Queries {
		p, err := uppaal.ParseQuery(q.Formula)
		require.NoError(t, err, q.Formula)
		queries = append(queries, p)
	}
	r, err := check.Verify(t.Context(), m.Network, queries, check.Options{MaxStates: 300_000})
	require.NoError(t, err)
	for i, r := range r.Results {
		require.NotEqual(t, check.Error, r.Verdict, "%s: %s", m.Queries[i].Formula, r.Reason)
	}
	return r
}

type asked struct {
	kind, process string
	site          int
	category      string
}

func comparePortable(t *testing.T, name string, plain, portable *translate.Model, total *compared) {
	was, now := answers(t, plain), answers(t, portable)
	found := map[asked]check.Verdict{}
	key := func(q artifact.Query) asked {
		return asked{q.Kind, q.Process, q.Site, q.Category + " " + q.Description}
	}
	for i, q := range portable.Queries {
		require.NotContains(t, q.Formula, "stuck(", name)
		found[key(q)] = now.Results[i].Verdict
	}
	left := false
	for i, q := range plain.Queries {
		before := was.Results[i].Verdict
		after, ok := found[key(q)]
		switch {
		case before == check.Maybe || after == check.Maybe:
		case !ok:
			require.Contains(t, q.Formula, "stuck(", "%s: %s is left out", name, q.Formula)
			total.leftOut++
			left = true
		case before == after:
			total.same++
		default:
			// What is missed is a leak while others go on, and the notes say so.
			require.Equal(t, check.False, before, "%s: %s", name, q.Formula)
			require.Contains(t, q.Formula, "stuck(", name)
			total.missed++
			t.Logf("%s: missed: %s", name, q.Formula)
			left = true
		}
	}
	var notes []string
	for _, a := range portable.Sidecar.Approximations {
		if a.Kind == "portable" {
			notes = append(notes, fmt.Sprint(a.Line, ": ", a.Reason))
		}
	}
	if left {
		require.NotEmpty(t, notes, name)
	}
	total.programs++
	if now.Stats.States > 2000 || spin.Available() != nil || *portableAll && total.programs%10 != 0 {
		return
	}
	info, err := uppaal.Check(portable.Network)
	require.NoError(t, err)
	runs := 0
	for i, q := range portable.Queries {
		if !strings.Contains(q.Formula, "deadlock") || runs == 2 || total.spin == 4 && !*portableAll {
			continue
		}
		parsed, err := uppaal.ParseQuery(q.Formula)
		require.NoError(t, err)
		var text bytes.Buffer
		if err := promela.Export(&text, info, parsed); err != nil {
			total.refused++
			t.Logf("%s: %v", name, err)
			continue
		}
		runs++
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		r, err := spin.Run(ctx, text.Bytes(), spin.Options{Quick: true, Depth: 1_000_000})
		cancel()
		if err != nil && strings.Contains(err.Error(), "inline text too long") {
			total.refused++ // a function of C that is longer than Spin takes
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, now.Results[i].Verdict == check.False, r.Errors > 0, "%s: %s\n%s", name, q.Formula, text.String())
		total.spin++
	}
}
