package translate_test

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/digest"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/internal/uppaal"
)

var (
	allModels    = flag.Bool("models", false, "the models of all programs in TestModels and TestPartial, not of each fifth and fourth one")
	updateModels = flag.Bool("update-models", false, "write the digests of these models anew")
)

// TestModels: the models of the programs of somebody else are what they were. Of each there is a
// digest: that one changes says where to look, and package pass what a check makes of it. To see
// the model, `vtrace translate`, before and after. All of them:
//
//	go test ./internal/translate -run TestModels -models [-update-models]
func TestModels(t *testing.T) {
	each := 5
	if *allModels {
		each = 1
	}
	set, all, err := programs.Load(t.Context(), "../../internal/pass/testdata/verdicts", each, t.TempDir())
	require.NoError(t, err)
	got := map[string]string{}
	for _, p := range all {
		prog, err := set.Program(p.Entry)
		require.NoError(t, err)
		m, err := translate.Translate(context.Background(), prog, number(prog), translate.Options{})
		got[p.Name] = digestOf(m, err)
	}
	digest.Compare(t, "testdata/models.sum", got, *allModels, *updateModels)
}

// digestOf is a digest of a model, or of why there is none, behind some counts.
func digestOf(m *translate.Model, err error) string {
	sum := sha256.New()
	if err != nil {
		fmt.Fprintln(sum, strings.Join(refusals(err), "\n"))
		return fmt.Sprintf("refused %x", sum.Sum(nil)[:6])
	}
	io.WriteString(sum, uppaal.DeclsString(m.Network.Decls))
	edges := 0
	for _, tm := range m.Network.Templates {
		var text strings.Builder
		writeTemplate(&text, tm)
		io.WriteString(sum, text.String())
		edges += len(tm.Edges)
	}
	io.WriteString(sum, uppaal.SystemString(m.Network))
	for _, q := range m.Queries {
		fmt.Fprintln(sum, path.Base(q.File), q.Line, q.Kind, q.Formula, q.Description)
	}
	for _, a := range m.Sidecar.Approximations {
		fmt.Fprintln(sum, path.Base(a.File), a.Line, a.Kind, a.Direction, a.Reason)
	}
	return fmt.Sprintf("%d edges, %d queries, %d approximations, %x", edges, len(m.Queries), len(m.Sidecar.Approximations), sum.Sum(nil)[:6])
}
