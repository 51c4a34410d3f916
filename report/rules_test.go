package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/docs/findings"
)

// TestRules: every kind of error has a rule, and each an identifier of its own.
func TestRules(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "../artifact/model.go", nil, 0)
	require.NoError(t, err)
	kinds := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(v.Names[0].Name, "Kind") {
			return true
		}
		text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
		require.NoError(t, err)
		kinds[text] = true
		return true
	})
	require.Greater(t, len(kinds), 15)
	ids := map[string]bool{}
	for _, r := range rules {
		require.True(t, kinds[r.kind], r.kind)
		require.Regexp(t, regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`), r.id)
		require.False(t, ids[r.id], r.id)
		require.True(t, strings.HasSuffix(r.short, "."), r.short)
		page, ok := findings.Page(r.id)
		require.True(t, ok, "docs/findings has no page for %s", r.id)
		require.True(t, strings.HasPrefix(page, "# "+r.id+"\n"), r.id)
		delete(kinds, r.kind)
		ids[r.id] = true
	}
	require.Len(t, findings.IDs(), len(rules))
	// These are no errors of the program.
	require.Equal(t, map[string]bool{artifact.KindBound: true, artifact.KindImprecise: true}, kinds)
}
