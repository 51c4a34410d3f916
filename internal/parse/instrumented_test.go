package parse

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/digest"
	"github.com/vtrace/vtrace/internal/programs"
)

var (
	allInstrumented    = flag.Bool("instrumented", false, "all programs in TestInstrumented, not each fifth one")
	updateInstrumented = flag.Bool("update-instrumented", false, "write the digests of these programs anew")
)

// registration is a line for a type of a library. Which there are depends on what else was loaded with a program: of
// the packages that others import more is known.
var registration = regexp.MustCompile(`(?m)^.*\.RegisterUnlocked\(.*\n`)

// TestInstrumented: the programs of somebody else are instrumented as they were, with each set of
// options. Of each there is a digest: that one changes says where to look, and what Instrument writes,
// before and after, what it is. All of them:
//
//	go test ./internal/parse -run 'TestInstrumented$' -instrumented [-update-instrumented]
func TestInstrumented(t *testing.T) {
	each := 5
	if *allInstrumented {
		each = 1
	}
	set, all, err := programs.Load(t.Context(), "../pass/testdata/verdicts", each, t.TempDir())
	require.NoError(t, err)
	got := map[string]string{}
	for _, p := range all {
		prog, err := set.Program(p.Entry)
		require.NoError(t, err)
		idx := Index(prog)
		every := accesses(idx)
		text := ""
		for _, opts := range []Options{{Races: true}, {Accesses: every, EveryLine: true}, {Shared: true}} {
			if opts.Shared {
				idx = sharedIndex(t, prog)
			}
			o, err := Instrument(t.Context(), prog, idx, opts)
			require.NoError(t, err)
			sum := sha256.New()
			for _, name := range slices.Sorted(maps.Keys(o.Files)) {
				fmt.Fprintf(sum, "%s\n%s\n", name, registration.ReplaceAll(o.Files[name], nil))
			}
			for _, d := range o.Diagnostics {
				fmt.Fprintln(sum, d.File, d.Line, d.Col, d.Reason, d.Access, d.Number, d.Reach)
			}
			text += fmt.Sprintf("%x ", sum.Sum(nil)[:6])
		}
		got[p.Name] = text + fmt.Sprintf("%d sites", len(idx.Sites()))
	}
	digest.Compare(t, "testdata/instrumented.sum", got, *allInstrumented, *updateInstrumented)
}
