//go:build go1.25

package orcruntime

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestEntropy: each call at a site draws numbers of its own, which follow from the seed of the
// run and the goroutine.
func TestEntropy(t *testing.T) {
	drawn := func(seed uint64) (out []uint64) {
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Plan: Plan{Seed: seed}, Chooser: FirstEnabled(), Main: func() {
			draw := func() {
				for range 10 {
					out = append(out, Entropy(1).Uint64())
				}
			}
			c := make(chan int)
			Go(2, func() {
				draw()
				To(c).Send(3, 1)
			})
			Recv(4, c)
			draw()
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		return out
	}
	seen := map[uint64]bool{}
	for seed := range uint64(3) {
		numbers := drawn(seed)
		require.Equal(t, numbers, drawn(seed))
		for _, n := range numbers {
			seen[n] = true
		}
	}
	require.Len(t, seen, 3*2*10)
}

// TestOrdersOfRandom: every order of a few elements is chosen, by as many runs as there are
// orders; of more than choicesOfOrder it is a random one, and outside of runs none is chosen.
func TestOrdersOfRandom(t *testing.T) {
	for n, orders := range map[int]int{1: 1, 2: 2, 3: 6, 4: 24} {
		for name, order := range map[string]func() []int{
			"Permuted": func() []int { return Permuted(1, n) },
			"Shuffled": func() []int {
				p := make([]int, n)
				for i := range p {
					p[i] = i
				}
				swaps := 0
				require.Equal(t, n > 1, Shuffled(1, n, func(i, j int) {
					swaps++
					require.Equal(t, n-swaps, i)
					require.LessOrEqual(t, j, i)
					p[i], p[j] = p[j], p[i]
				}))
				return p
			},
		} {
			seen := map[string]bool{}
			o := exhaust(t, Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, Main: func() { seen[fmt.Sprint(order())] = true }}}, Result.end)
			require.Len(t, seen, orders, "%s of %d", name, n)
			require.Equal(t, orders, o.runs, "%s of %d", name, n)
			require.Empty(t, o.out.Bounds, "%s of %d", name, n)
		}
	}
	require.Nil(t, Permuted(1, 2))
	require.False(t, Shuffled(1, 2, nil))
	Run(Config{Bubble: bubble(t), Entry: EntryTest, Main: func() {
		require.Nil(t, Permuted(1, choicesOfOrder+1))
		require.False(t, Shuffled(1, choicesOfOrder+1, nil))
	}})
}

// TestPrescribed: a plan's choices are those of the run, whatever the seed would choose, each of them; one for
// another number of alternatives, or beyond them, is none.
func TestPrescribed(t *testing.T) {
	asked := func(plan Plan, n int) (values []int, choices []EnvChoice) {
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Record: true, Plan: plan, Chooser: FirstEnabled(), Main: func() {
			for range 2 {
				v, ok := Choose(1, uint64(n))
				require.True(t, ok)
				values = append(values, int(v))
			}
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		return values, res.Choices
	}
	for n := 2; n < 6; n++ {
		for seed := range uint64(20) {
			values, choices := asked(Plan{Seed: seed}, n)
			require.Len(t, choices, 2)
			for v := range n {
				planned := []EnvChoice{choices[0], choices[1]}
				planned[0].Value, planned[1].Value = v, n-1-v
				got, again := asked(Plan{Seed: seed, Choices: planned}, n)
				require.Equal(t, []int{v, n - 1 - v}, got)
				require.Equal(t, planned, again)
			}
			for _, wrong := range []EnvChoice{
				{N: n, Value: n}, {N: n, Value: -1}, {N: n + 1, Value: (values[0] + 1) % n},
			} {
				wrong.G, wrong.Site, wrong.Occ = choices[0].G, choices[0].Site, choices[0].Occ
				got, _ := asked(Plan{Seed: seed, Choices: []EnvChoice{wrong}}, n)
				require.Equal(t, values, got)
			}
		}
	}
}

// TestDraw: runs begin at an ordinary moment, but with the seeds of draws at any, and first at the end of a year.
func TestDraw(t *testing.T) {
	require.Zero(t, Draw(0))
	for seed := range uint64(100) {
		at, other := Began(seed)
		require.False(t, other)
		require.Equal(t, "2026-06-13 10:23:47", at.Format(time.DateTime))
	}
	seen := map[time.Time]bool{}
	for k := range 8 {
		at, other := Began(Draw(k + 1))
		require.True(t, other)
		require.False(t, at.Before(time.Date(2026, time.June, 13, 0, 0, 0, 0, time.UTC)), at)
		require.True(t, at.Before(time.Date(2030, time.July, 1, 0, 0, 0, 0, time.UTC)), at)
		if k == 0 {
			require.Equal(t, time.Date(2027, time.January, 1, 0, 0, 0, 0, time.UTC), at.Add(beforeEnd))
		}
		seen[at] = true
	}
	require.Len(t, seen, 8)
}

// TestUntaken: of a choice with more alternatives than are explored a draw takes the same one each time, and others another one.
func TestUntaken(t *testing.T) {
	taken := func(seed uint64) (value int) {
		x := Exhaust(Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, Plan: Plan{Seed: seed}, Main: func() {
			value = asks().choose(1, maxValues+1, true)
		}}, Found: func(int, Result) {}, Ran: func(int, Result) {}})
		require.True(t, x.Complete, "%+v", x)
		require.Equal(t, 1, x.Runs)
		require.Len(t, x.Bounds, 1)
		require.True(t, Drawn(x.Bounds[0]))
		return value
	}
	require.Zero(t, taken(Draw(0)))
	seen := map[int]bool{}
	for k := range 5 {
		value := taken(Draw(k + 1))
		require.Equal(t, value, taken(Draw(k+1)))
		seen[value] = true
	}
	require.Greater(t, len(seen), 1)
}
