//go:build go1.25

package orcruntime

import (
	"fmt"
	"math/rand"
	randv2 "math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// seededRand is rand.New of a source with a seed.
func seededRand(site Site, first int64) *rand.Rand {
	return rand.New(SeededSource(site, first, rand.NewSource(first).(OldGenerator)))
}

// TestSeeded: numbers of a small range are choices if the generator was seeded with what the clock
// has shown, in any of its forms; those of generators with the same seed are the same, and one that
// is seeded with something else gives what follows from that.
func TestSeeded(t *testing.T) {
	readsDurations(t)
	now := func() time.Time { return Clock(0).Now() }
	throw := func(r *rand.Rand) int { return Drawing(9, r.Intn)(2) }
	for _, tt := range []struct {
		name    string
		program func() string
		want    []string
		limit   string
	}{
		{"once", func() string { return fmt.Sprint(throw(seededRand(1, now().UnixNano()))) }, []string{"0", "1"}, ""},
		{"seconds", func() string { return fmt.Sprint(throw(seededRand(1, now().Unix()))) }, []string{"0", "1"}, ""},
		{"twice", func() string { r := seededRand(1, now().UnixNano()); return fmt.Sprint(throw(r), throw(r)) }, []string{"0 0", "0 1", "1 0", "1 1"}, ""},
		{"the same seed", func() string {
			s := now().UnixNano()
			a, b := seededRand(1, s), seededRand(2, s)
			x := throw(a)
			return fmt.Sprint(x, throw(b), throw(b), throw(a))
		}, []string{"0 0 0 0", "0 0 1 1", "1 1 0 0", "1 1 1 1"}, ""},
		{"another seed", func() string { return fmt.Sprint(throw(seededRand(1, 7))) }, nil, "a random number of a large range"},
		{"seeded anew", func() string {
			r := seededRand(1, 7)
			r.Seed(now().UnixMilli())
			return fmt.Sprint(throw(r))
		}, []string{"0", "1"}, ""},
		{"a large range", func() string { return fmt.Sprint(seededRand(1, now().UnixNano()).Int63() >= 0) }, []string{"true"}, "a random number of a large range"},
		{"in another order", func() string {
			s := now().UnixNano()
			a, b := seededRand(1, s), seededRand(2, s)
			return fmt.Sprint(throw(a) >= 0, Drawing(9, b.Intn)(3) >= 0)
		}, []string{"true true"}, "a random number of a large range"},
		{"a PCG", func() string {
			s := uint64(now().UnixNano())
			p := randv2.NewPCG(s, 3)
			SeededPCG(1, s, 3, p)
			require.Nil(t, SeededBy(randv2.NewPCG(1, 2)))
			return fmt.Sprint(Drawing(9, randv2.New(SeededBy(p)).UintN)(2))
		}, []string{"0", "1"}, ""},
		{"a panic", func() string {
			r := seededRand(1, now().UnixNano())
			func() {
				defer func() { _ = recover() }()
				Drawing(9, func(n int) int { panic(n) })(2)
			}()
			return fmt.Sprint(throw(r), Drawing(9, r.Intn)(1), r.Int31n(100) >= 0)
		}, []string{"0 0 true", "1 0 true"}, "a random number of a large range"},
		{"all", func() string {
			SeedAll(1, true, now().UnixNano())
			a := Repeats()
			SeedAll(1, false, 7)
			return fmt.Sprint(a, Repeats())
		}, []string{"false true"}, ""},
		{"all, perhaps", func() string { SeedAll(1, true, 7); return fmt.Sprint(Repeats()) }, []string{"true"}, "a random number of a large range"},
		{"a remainder", func() string { return fmt.Sprint(Residue(1, 3, now().UnixNano()%3)) }, []string{"0", "1", "2"}, ""},
		{"in a bubble", func() (out string) {
			InBubble(func() {
				r := seededRand(1, now().UnixNano())
				out = fmt.Sprint(throw(r) == rand.New(rand.NewSource(now().UnixNano())).Intn(2), Residue(1, 3, 2))
			})
			return out
		}, []string{"true 2"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			said := ""
			cfg := Config{Bubble: bubble(t), Entry: EntryTest, Main: func() { said = tt.program() }}
			o := exhaust(t, Exhaustion{Config: cfg}, func(Result) string { return said })
			require.True(t, o.complete)
			if tt.want != nil {
				require.ElementsMatch(t, tt.want, o.sorted())
			} else {
				require.Len(t, o.sorted(), 1)
			}
			if tt.limit == "" {
				require.Empty(t, o.out.Bounds)
			} else {
				require.NotEmpty(t, o.out.Bounds)
				require.Contains(t, o.out.Bounds[0], tt.limit)
			}
		})
	}
	require.Equal(t, int64(5), Residue(1, 3, int64(5)), "outside of runs")
	require.Equal(t, rand.New(rand.NewSource(7)).Intn(3), Drawing(9, seededRand(1, 7).Intn)(3), "outside of runs")
	require.False(t, Repeats())
}

// TestComparedNumbers: nanoseconds are compared as times and durations are.
func TestComparedNumbers(t *testing.T) {
	readsDurations(t)
	said := ""
	main := func() {
		start := Clock(1).Now().UnixNano()
		later := Clock(2).Now().UnixNano()
		said = fmt.Sprint(ComparedNumbers(later, start+int64(7*time.Minute)) > 0)
		if d := Against(time.Duration(later-start), 20*time.Second, 21*time.Second); d > 20*time.Second && d < 21*time.Second {
			said += " between"
		}
	}
	require.Equal(t, 0, ComparedNumbers(3, 3))
	var durations []time.Duration
	for range 2 {
		cfg := Config{Bubble: bubble(t), Entry: EntryTest, Main: main, Durations: durations}
		o := exhaust(t, Exhaustion{Config: cfg, Stalls: -1}, func(Result) string { return said })
		require.True(t, o.complete)
		if len(durations) > 0 {
			require.ElementsMatch(t, []string{"false", "false between", "true"}, o.sorted())
		}
		durations = o.out.Durations
		require.Subset(t, []time.Duration{20 * time.Second, 21 * time.Second, 7 * time.Minute}, durations)
	}
}
