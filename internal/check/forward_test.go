package check

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestForward: no cycle of states goes by steps alone that are taken to go forward, else what a
// path needs could be put off for ever. Processes go in rings, by steps of their own and by
// synchronisations of every kind.
func TestForward(t *testing.T) {
	if testing.Short() {
		t.Skip("it has no goroutines for the race detector")
	}
	forward, cycles := 0, 0
	for seed := range uint64(1200) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 53))}
		g.line("chan c, d; broadcast chan b, e; int[0,1] n;")
		processes := 2 + g.IntN(2)
		guards, syncs := []string{"", "", "", "n == 0", "n == 1"}, []string{"", "b!", "b?", "b?", "e!", "e?", "c!", "c?", "d!", "d?"}
		if seed%2 == 0 {
			guards, syncs = guards[:1], []string{"b!", "b?", "e!", "e?"} // who receives may go back, time and again
		}
		for p := range processes {
			g.line("template P%d", p)
			locs := 2 + g.IntN(2)
			for i := range locs {
				g.line("loc n%d", i)
			}
			edge := func(from, to int) {
				g.line("n%d > n%d | %s | %s | %s", from, to, pick(g, guards...), pick(g, syncs...), pick(g, "", "", "n = 1 - n"))
			}
			for i := range locs {
				edge(i, (i+1)%locs)
			}
			for range g.IntN(3) {
				edge(g.IntN(locs), g.IntN(locs))
			}
		}
		g.b.WriteString("system P0, P1")
		if processes > 2 {
			g.b.WriteString(", P2")
		}
		g.line(";")
		_, info := generated(t, g.b.String())
		c, err := compile(info, &Options{}, func(int) error { return nil })
		require.NoError(t, err)
		st, err := c.structure(nil, nil)
		require.NoError(t, err)
		type participants [4]int // process and edge, of a pair both
		alone := func(process, edge int) participants { return participants{process, edge, -1, -1} }
		goes := map[participants]bool{}
		for _, x := range st.transitions {
			who := alone(int(x.edge.proc), int(x.edge.index))
			if x.recv != nil {
				who[2], who[3] = int(x.recv.proc), int(x.recv.index)
			}
			goes[who] = x.forward
		}
		// The states by steps that go forward, and all of them.
		var next, every [][]int
		index := map[string]int{}
		number := func(st refState) int {
			k, ok := index[st.key()]
			if !ok {
				k = len(index)
				index[st.key()] = k
				next, every = append(next, nil), append(every, nil)
			}
			return k
		}
		_, err = explore(info, 2000, func(st refState, moves []refMove) {
			from := number(st)
			for _, m := range moves {
				to := number(m.target)
				every[from] = append(every[from], to)
				parts := m.step.Parts
				does, known := goes[alone(parts[0].Process, parts[0].Edge)]
				if !known {
					does, known = goes[participants{parts[0].Process, parts[0].Edge, parts[1].Process, parts[1].Edge}]
				}
				require.True(t, known, "%v of\n%s", m.step, g.b.String())
				if does {
					forward++
					next[from] = append(next[from], to)
				}
			}
		})
		require.NoError(t, err)
		require.False(t, cyclic(next), "steps that go forward lead back: seed %d\n%s", seed, g.b.String())
		if cyclic(every) {
			cycles++
		}
	}
	require.Greater(t, forward, 1000)
	require.Greater(t, cycles, 50)
}

// cyclic reports whether a graph has a cycle: what is left when nodes without an edge to what
// is left are taken away.
func cyclic(next [][]int) bool {
	left := make([]bool, len(next))
	for i := range left {
		left[i] = true
	}
	for again := true; again; {
		again = false
		for i, list := range next {
			if left[i] && !slices.ContainsFunc(list, func(k int) bool { return left[k] }) {
				left[i], again = false, true
			}
		}
	}
	return slices.Contains(left, true)
}
