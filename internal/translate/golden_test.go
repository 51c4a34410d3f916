package translate_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/internal/uppaal"
)

var update = flag.Bool("update", false, "write the golden models anew")

// Every program of testdata/verdicts has a golden model beside it, in testdata/models: what
// is searched, what is asked, and what the search answers, so that any change of the
// translator shows as a change of models.

// modelsDir has the golden models, by the name of the program.
const modelsDir = "testdata/models"

// wholePart is the size in bytes up to which a part of a golden model is kept as it is: of
// a larger one there are a digest and the first lines.
const (
	wholePart  = 6_000
	firstLines = 20
)

// golden compares a part of what a translation gives with the golden one.
func golden(t *testing.T, name string, parts []txtar.File) {
	t.Helper()
	for i, p := range parts {
		parts[i].Data = shortened(p.Data)
	}
	got := txtar.Format(&txtar.Archive{Files: parts})
	file := filepath.Join(modelsDir, name+".txtar")
	if *update {
		require.NoError(t, os.MkdirAll(modelsDir, 0o755))
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "go test ./internal/translate -run TestVerdicts -update writes it")
	require.Equal(t, string(want), string(got), "if this is right: go test ./internal/translate -run TestVerdicts -update")
}

// goldenModels are the names of the golden models.
func goldenModels(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(modelsDir, "*.txtar"))
	require.NoError(t, err)
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".txtar"))
	}
	return names
}

// shortened is a text as it stands in a golden model.
func shortened(text []byte) []byte {
	if len(text) <= wholePart {
		return text
	}
	lines := strings.SplitAfter(string(text), "\n")
	head := strings.Join(lines[:min(firstLines, len(lines))], "")
	if len(head) > wholePart {
		head = head[:wholePart]
	}
	return fmt.Appendf([]byte(head), "\n... %d lines, %d bytes, sha256 %x\n", len(lines)-1, len(text), sha256.Sum256(text))
}

// partsOf are the parts of a golden model: the network, its queries with the answers, the
// approximations, and counts.
func partsOf(m *translate.Model, rep *check.Report) []txtar.File {
	var network, queries, approximations, counts strings.Builder
	network.WriteString(uppaal.DeclsString(m.Network.Decls))
	for _, tm := range m.Network.Templates {
		writeTemplate(&network, tm)
		fmt.Fprintf(&counts, "template %s: %d locations, %d edges\n", tm.Name, len(tm.Locations), len(tm.Edges))
	}
	network.WriteString(uppaal.SystemString(m.Network))
	for i, r := range rep.Results {
		q := m.Queries[i]
		fmt.Fprintf(&queries, "%s:%d %s: %s", path.Base(q.File), q.Line, q.Kind, r.Verdict)
		if r.Trace != nil {
			fmt.Fprintf(&queries, ", %d steps", len(r.Trace.Steps))
		}
		fmt.Fprintf(&queries, "\n\t%s\n", q.Formula)
	}
	for _, a := range m.Sidecar.Approximations {
		fmt.Fprintf(&approximations, "%s:%d %s, %s: %s\n", path.Base(a.File), a.Line, a.Kind, a.Direction, a.Reason)
	}
	fmt.Fprintf(&counts, "%d states, %d transitions\n", rep.Stats.States, rep.Stats.Transitions)
	return []txtar.File{
		{Name: "counts", Data: []byte(counts.String())},
		{Name: "queries", Data: []byte(queries.String())},
		{Name: "approximations", Data: []byte(approximations.String())},
		{Name: "network", Data: []byte(network.String())},
	}
}

// writeTemplate writes a template in the form of UPPAAL's textual models.
func writeTemplate(out *strings.Builder, tm *uppaal.Template) {
	fmt.Fprintf(out, "\nprocess %s(%s) {\n", tm.Name, uppaal.ParamsString(tm.Params))
	if len(tm.Decls) > 0 {
		out.WriteString(indented(uppaal.DeclsString(tm.Decls)))
	}
	for _, l := range tm.Locations {
		fmt.Fprintf(out, "\t%s", l.Name)
		switch l.Urgency {
		case uppaal.Urgent:
			out.WriteString(" urgent")
		case uppaal.Committed:
			out.WriteString(" committed")
		}
		if l == tm.Init {
			out.WriteString(" initial")
		}
		if l.Invariant != nil {
			fmt.Fprintf(out, " { %s }", uppaal.ExprString(l.Invariant))
		}
		out.WriteString("\n")
	}
	for _, e := range tm.Edges {
		fmt.Fprintf(out, "\t%s -> %s\n", e.From.Name, e.To.Name)
		if len(e.Select) > 0 {
			fmt.Fprintf(out, "\t\tselect %s\n", uppaal.SelectString(e.Select))
		}
		if e.Guard != nil {
			fmt.Fprintf(out, "\t\tguard %s\n", uppaal.ExprString(e.Guard))
		}
		if e.Sync != nil {
			fmt.Fprintf(out, "\t\tsync %s\n", uppaal.SyncString(e.Sync))
		}
		if len(e.Update) > 0 {
			fmt.Fprintf(out, "\t\tassign %s\n", uppaal.UpdateString(e.Update))
		}
	}
	out.WriteString("}\n")
}

// indented sets lines one tab further in.
func indented(text string) string {
	return "\t" + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n\t") + "\n"
}
