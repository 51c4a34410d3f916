package check

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHashCompaction(t *testing.T) {
	net := model(t, philosophers(9))
	formulas := []string{"A[] not deadlock", "E<> Phil(3).eat and Phil(5).eat", "A[] not (Phil(0).eat and Phil(1).eat)", "E<> Phil(0).eat and Phil(1).eat"}
	exact, err := Verify(context.Background(), net, queries(t, formulas...), Options{Reductions: plain.Reductions})
	require.NoError(t, err)
	for workers := 1; workers <= 3; workers++ {
		got, err := Verify(context.Background(), net, queries(t, formulas...), Options{HashCompaction: true, Workers: workers, Reductions: plain.Reductions, eager: true})
		require.NoError(t, err)
		require.False(t, got.Complete)
		require.Equal(t, exact.Stats.States, got.Stats.States)
		require.Equal(t, exact.Stats.Transitions, got.Stats.Transitions)
		require.Equal(t, exact.Results[:2], got.Results[:2], "what is found has the same shortest traces")
		for _, r := range got.Results[2:] {
			require.Equal(t, Maybe, r.Verdict)
			require.Contains(t, r.Reason, "hash compaction")
			n := float64(got.Stats.States)
			require.InEpsilon(t, n*n/(1<<33)/(1<<32), r.Omission, 1e-9)
		}
	}
	// States of one word are not compacted.
	got := verify(t, philosophers(9), Options{HashCompaction: true}, formulas...)
	require.True(t, got.Complete)
	require.Equal(t, True, got.Results[2].Verdict)

	r := verify(t, philosophers(4), Options{HashCompaction: true, eager: true}, "A<> Phil(0).eat", "A[] not stuck(Phil(1))", "E<> Phil(2).eat")
	require.Equal(t, Error, r.Results[0].Verdict)
	require.Contains(t, r.Results[1].Reason, "does not keep")
	require.Equal(t, True, r.Results[2].Verdict)
	_, err = Verify(context.Background(), net, queries(t, formulas...), Options{HashCompaction: true, Order: DepthFirst})
	require.ErrorContains(t, err, "breadth-first")
}

// States of many words take no more memory than others.
func TestHashCompactionMemory(t *testing.T) {
	text := `
		int pad[60]; int[0,29] x[3];
		template P(const int[0,2] id)
		loc a
		a > a | x[id] < 29 | | x[id]++, pad[20 * id] = x[id], pad[20 * id + 7] += x[id] % 3
		system P;`
	const query = "A[] x[0] + x[1] < 59"
	opts := Options{Workers: 1, Reductions: plain.Reductions}
	exact := verify(t, text, opts, query)
	opts.HashCompaction = true
	got := verify(t, text, opts, query)
	require.Equal(t, 27000, got.Stats.States)
	require.Equal(t, exact.Stats.States, got.Stats.States)
	require.Less(t, got.Stats.Bytes, exact.Stats.Bytes/2)
	// A budget ends it as any other search.
	opts.MaxMemory = 400 << 10
	got = verify(t, text, opts, query)
	require.Equal(t, Maybe, got.Results[0].Verdict)
	require.Zero(t, got.Results[0].Omission)
	require.Contains(t, got.Results[0].Reason, "memory")
	// Everything is given back.
	mem := budget{}
	s, err := newPackedStore(8, 0, true, &mem)
	require.NoError(t, err)
	for i := range uint64(20000) {
		require.NoError(t, s.add([]uint64{i, i, 0, 0, 0, 0, 0, i * i}, uint32(i)-1))
	}
	require.NoError(t, s.flush())
	s.forget(9000)
	require.Equal(t, 20000, s.len())
	require.EqualValues(t, 8998, s.parent(8999))
	require.Equal(t, []uint64{15000, 15000, 0, 0, 0, 0, 0, 15000 * 15000}, s.state(15000))
	require.Equal(t, mem.used, s.bytes())
	s.release()
	require.Zero(t, mem.used)
}
