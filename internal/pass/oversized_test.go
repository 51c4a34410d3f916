package pass

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// TestOversized checks that the size that a model may have goes with the budget, and
// that there is no limit where a model is asked for, or all the time in the world.
func TestOversized(t *testing.T) {
	start := &uppaal.Location{Name: "start"}
	m := &translate.Model{Network: &uppaal.Network{
		Templates: []*uppaal.Template{{Name: "P", Locations: []*uppaal.Location{start}, Init: start}},
		System:    uppaal.SystemLine{Names: []*uppaal.Ident{{Name: "P"}}, Below: []bool{}},
	}}
	for _, c := range []struct {
		name   string
		budget time.Duration
		strict bool
		why    string
	}{
		{"small budget", 100 * time.Microsecond, false, "it would have more than 104 bytes, which is too much for the budget of 100µs"},
		{"great budget", time.Second, false, ""},
		{"no budget", 0, false, ""},
		{"strict", 100 * time.Microsecond, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			why, err := oversized(m, Options{Budget: c.budget, Model: &Model{Strict: c.strict}})
			require.NoError(t, err)
			require.Equal(t, c.why, why)
		})
	}
}
