package orcruntime

import (
	"testing"

	"github.com/stretchr/testify/require"
)

type keptValue struct{ _ int }

// TestUseKept: two uses of a value of which libraries keep pointers, which are steps of their own,
// may race, unless something orders them. The calls that they are in do not.
func TestUseKept(t *testing.T) {
	RegisterUnlocked("github.com/vtrace/vtrace/internal/orcruntime.keptValue")
	use := func(site Site, changes bool, values ...*keptValue) {
		m := Lib(site)
		defer Back(m)
		for _, v := range values {
			UseKept(Place(site), v, changes)
		}
	}
	for seed := range uint64(20) {
		for _, ordered := range []bool{false, true} {
			x, y := new(keptValue), new(keptValue)
			c := make(chan bool)
			res := Run(Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Chooser: Random(seed), Races: true, Main: func() {
				Go(1, func() { use(2, true, x); To(c).Send(3, true) })
				if ordered {
					Recv(4, c)
				}
				use(5, false, y, x)
				if !ordered {
					Recv(6, c)
				}
			}})
			require.Equal(t, Completed, res.Verdict, "%s", res)
			require.Equal(t, ordered, len(res.RaceLimits) == 0, "seed %d: %q", seed, res.RaceLimits)
		}
	}
}
