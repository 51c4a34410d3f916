package orcruntime

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStatementsThatPass: each run stops at its own statements, also behind one that has stopped at others, and
// whatever the number of the statement.
func TestStatementsThatPass(t *testing.T) {
	for _, site := range []Site{7901, 1 << 20, 1<<20 + 1} {
		RegisterSites("passes", []SiteInfo{{ID: int(site), Kind: "statement", Key: "passes.f@" + site.key()}})
		steps := func(guards map[Site]bool, noRaces bool) int {
			r := Run(Config{Main: func() { StoreIf(site, Access(site)) }, Guards: guards, NoRaces: noRaces, Exact: noRaces})
			require.Equal(t, Completed, r.Verdict, r.Message)
			return r.Steps
		}
		for _, noRaces := range []bool{true, false} {
			none := steps(map[Site]bool{}, noRaces)
			require.Equal(t, none+2, steps(map[Site]bool{site: true}, noRaces))
			require.Equal(t, none, steps(map[Site]bool{site + 1: true}, noRaces))
			require.Equal(t, none+1, steps(nil, noRaces))
			require.Equal(t, none, steps(map[Site]bool{}, noRaces))
		}
	}
}
