package pass

import (
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/kept"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/storage"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// Of an instrumented file it is known what goes around its guards: the file itself has nothing
// that it had not, and what is added to it is seen.
func FuzzGuards(f *testing.F) {
	for _, text := range []string{
		"package p\n\nimport vtraceorc \"vtraceorc\"\n\nvar n = 1\n\nfunc vtraceorcReset0() { n = 1 }\n\nfunc F(c chan int) {\n\tvtraceorc.Send(3, c, 1)\n\tvtraceorc.Go(4, func() {})\n}\n",
		"package p\n\nimport \"sync\"\n\nvar mu sync.Mutex\n\nfunc F() { mu.Lock(); defer mu.Unlock(); select {} }\n",
		"package p\n//line /etc/passwd:7\nfunc F(c chan int) { go F(<-c); close(c) }",
		"package p; import a `vtraceorc`; import . `vtraceorc`; func F() { Step(1) }",
		"package p; import `vtraceorc`; func (vtraceorc) F() { vtraceorc.X[int](1).Y(2) }",
		"package",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := guardsOf("x.go", []byte(text))
		if err != nil {
			var refused *ChangeError
			require.ErrorAs(t, sameGuards("x.go", []byte(text), []byte(text)), &refused)
			return
		}
		lines := 1 + strings.Count(text, "\n")
		for what, at := range g.at {
			require.NotEmpty(t, what)
			require.Positive(t, slices.Min(at))
			require.LessOrEqual(t, slices.Max(at), lines)
		}
		require.NoError(t, sameGuards("x.go", []byte(text), []byte(text)))
		require.NotEqual(t, ".", g.runtime)
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", text, parser.PackageClauseOnly)
		require.NoError(t, err)
		if g.runtime != "" {
			end := int(file.Name.End()) - 1
			var refused *ChangeError
			more := text[:end] + "; import . `vtraceorc`" + text[end:]
			require.ErrorAs(t, sameGuards("x.go", []byte(text), []byte(more)), &refused)
		}
		for _, added := range []string{"go f()", "c <- 1", "<-c", "select {}", "close(c)", "x.Lock()", g.runtime + ".Step(99)"} {
			more := text + "\nfunc vtraceAdded() { " + added + " }\n"
			if _, err := parser.ParseFile(token.NewFileSet(), "x.go", more, 0); err != nil || g.runtime == "" && added[0] == '.' {
				continue // there is no runtime
			}
			err := sameGuards("x.go", []byte(text), []byte(more))
			var refused *ChangeError
			require.ErrorAs(t, err, &refused, "%q", added)
			require.Positive(t, refused.Line)
		}
	})
}

// What a program says of where it ended is a place of the program, or none.
func FuzzPlaces(f *testing.F) {
	side := &artifact.Sidecar{Sites: []artifact.Site{
		{}, {ID: 1, Kind: "send", Key: "m.F#1", Func: "example.com/m.F", File: "a/m.go", Line: 3}, {ID: 2, Kind: "close", Key: "m.F#2", Func: "example.com/m.F", File: "a/m_test.go", Line: 9},
	}}
	f.Add("runtime.gopanic panic.go:1\nexample.com/m.F m.go:3\nexample.com/m.F m.go:4", "=== RUN TestF\n    m_test.go:9: it fails\n    x.go:9: y\n")
	f.Add("example.com/m.F m.go:-3", "  m_test.go:9999999999999999999999: z")
	f.Add(" :\nexample.com/m.F", "\x00")
	d := &deep{side: side}
	f.Fuzz(func(t *testing.T, stack, output string) {
		in, ok := d.placeOf(strings.Split(stack, "\n"))
		require.Equal(t, ok, !reflect.ValueOf(in).IsZero())
		if ok {
			require.Contains(t, []string{"a/m.go", "a/m_test.go"}, in.File)
			require.Positive(t, in.Line)
			require.True(t, strings.HasPrefix(in.Func, "example.com/m."))
		}
		in, text, ok := d.failureIn(output)
		if ok {
			require.Contains(t, side.Sites, in)
			require.True(t, strings.HasPrefix(text, artifact.KindTestFailure+": "))
			require.NotContains(t, text, "\n")
		} else {
			require.Empty(t, text)
			require.Zero(t, in)
		}
	})
}

// What an earlier pass has kept of its replays is taken up as far as the model has it, and
// hides no error that it has no reason for.
func FuzzResume(f *testing.F) {
	net, err := uppaal.ReadXML(strings.NewReader(`<nta><declaration></declaration><template><name>P</name><location id="a"><name>a</name></location><location id="b"><name>b</name></location><init ref="a"/>
<transition><source ref="a"/><target ref="b"/></transition><transition><source ref="b"/><target ref="a"/></transition></template><system>system P;</system></nta>`))
	require.NoError(f, err)
	query, err := uppaal.ParseQuery("A[] not P.b")
	require.NoError(f, err)
	side := &artifact.Sidecar{
		Sites:     []artifact.Site{{}, {ID: 1, Kind: "send", Key: "s"}},
		Templates: []artifact.TemplateInfo{{Name: "P", Role: "goroutine", Locations: []artifact.LocationInfo{{Name: "a", Site: 1}, {Name: "b"}}, Edges: []artifact.EdgeInfo{{Site: 1, Role: artifact.RoleOp}, {Role: artifact.RoleLocal}}}},
	}
	labels := orchestrate.NewLabels(side, net)
	refuted := func(labels ...string) []byte {
		data, err := storage.EncodeJSON([]artifact.Refutation{{Query: 1, Step: 1, Reason: "r", Labels: labels, Weak: true}})
		require.NoError(f, err)
		return data
	}
	f.Add([]byte(`[{"template":0,"edge":1,"from":"b","to":"a","met":2,"taken":0},{"template":7,"edge":-1,"from":"","to":"","met":-1,"taken":9}]`), refuted("P@s/0>"))
	f.Add([]byte(`[]`), refuted())
	f.Add([]byte(`[]`), refuted("", ""))
	f.Add([]byte(`[{}]`), []byte(`[{},{"query":1,"step":-5,"labels":["x","","P@s/0>"],"reason":"","unexplained":true}]`))
	cache := &kept.Cache{Dir: f.TempDir()}
	f.Fuzz(func(t *testing.T, facts, refutations []byte) {
		m := artifact.Manifest{Pass: artifact.PassDeep, Entry: artifact.Entry{Package: "m", Func: "main"}, Source: strings.Repeat("0", 64)}
		b := artifact.New(m)
		b.Put(artifact.FactsPath, facts)
		b.Put(artifact.RefutationsPath, refutations)
		kept, err := b.Bundle()
		if err != nil {
			return
		}
		require.NoError(t, cache.Put(kept))
		s := &suspect{query: artifact.Query{Number: 1}}
		d := &deep{opts: Options{Cache: cache, Disallow: DisallowExact}, net: net, side: side, out: artifact.New(m), cases: []*suspect{s}}
		require.NoError(t, d.resume())
		for _, fact := range d.factsKnown() {
			require.NotNil(t, d.edge(orchestrate.EdgeOf{Template: fact.Template, Edge: fact.Edge}))
		}
		for at := range d.avoided() {
			require.NotNil(t, d.edge(at))
		}
		require.Len(t, d.refuted, len(d.refutations))
		of := slices.ContainsFunc(d.refutations, func(r artifact.Refutation) bool { return r.Query == 1 })
		require.Equal(t, of, len(d.resumed()) > 0)
		report, err := check.Embedded{}.Verify(t.Context(), net, []*uppaal.Query{query}, check.Options{Refuted: d.refuted, LabelOf: labels.Of})
		require.NoError(t, err)
		first := slices.ContainsFunc(d.refuted, func(path []check.Label) bool {
			path = slices.DeleteFunc(slices.Clone(path), func(l check.Label) bool { return l == "" })
			return len(path) == 1 && path[0] == labels.Of(&uppaal.Process{Name: "P", Template: net.Templates[0]}, 0)
		})
		require.Equal(t, first, report.Results[0].Verdict == check.True, "%v", d.refuted)
	})
}
