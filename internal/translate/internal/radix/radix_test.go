package radix_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/translate/internal/radix"
)

// A value is marked or not, and of a kind: different values may be equal.
type value struct {
	kind   int
	marked bool
}

// TestTree: trees that are shared, written and compared at random are what maps are that are copied
// each time.
func TestTree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	type pair struct {
		tree  radix.Tree[*value]
		plain map[int32]*value
	}
	values := []*value{{kind: 0}, {kind: 0}, {kind: 1}, {0, true}, {1, true}, nil}
	for range 60 {
		limit := int32(1) << r.IntN(31)
		all := []pair{{plain: map[int32]*value{}}}
		for range 200 {
			p := &all[r.IntN(len(all))]
			if r.IntN(8) == 0 && len(all) < 8 {
				all = append(all, pair{p.tree.Share(), maps.Clone(p.plain)})
				continue
			}
			key := r.Int32N(limit)
			if r.IntN(4) == 0 {
				key = min(key, 40)
			}
			v := values[r.IntN(len(values))]
			p.tree.Set(key, v, v != nil && v.marked)
			p.plain[key] = v
		}
		for i := range all {
			p := &all[i]
			require.Equal(t, slices.Sorted(maps.Keys(p.plain)), slices.Clip(p.tree.Keys()))
			require.Equal(t, len(p.plain), p.tree.Len())
			for key, v := range p.plain {
				got, ok := p.tree.Get(key)
				require.True(t, ok)
				require.Same(t, v, got)
			}
			_, ok := p.tree.Get(limit + r.Int32N(1<<30))
			require.False(t, ok)
			for k := range all {
				q := &all[k]
				requireDiffering(t, &p.tree, &q.tree, p.plain, q.plain)
				same := func(a, b *value) bool { return a == b || a != nil && b != nil && *a == *b }
				require.Equal(t, maps.EqualFunc(p.plain, q.plain, same), p.tree.EqualFunc(&q.tree, same))
			}
		}
	}
}

// requireDiffering: all is visited that is not the same, or marked in both, once and in order.
func requireDiffering(t *testing.T, tree, other *radix.Tree[*value], p, q map[int32]*value) {
	t.Helper()
	last, visited := int32(-1), map[int32]bool{}
	tree.Differing(other, func(key int32, a, b **value) {
		require.Greater(t, key, last)
		last, visited[key] = key, true
		for _, of := range []struct {
			got   **value
			plain map[int32]*value
		}{{a, p}, {b, q}} {
			v, ok := of.plain[key]
			require.Equal(t, ok, of.got != nil)
			require.True(t, !ok || *of.got == v)
		}
	})
	for key, v := range p {
		w, ok := q[key]
		require.True(t, visited[key] || ok && v == w && (v == nil || !v.marked))
	}
	for key := range q {
		_, ok := p[key]
		require.True(t, ok || visited[key])
	}
}

// TestShared: of trees that share nearly all only the rest is visited.
func TestShared(t *testing.T) {
	v, w := &value{}, &value{kind: 1}
	var base radix.Tree[*value]
	for key := range int32(30000) {
		base.Set(key, v, false)
	}
	p, q := base.Share(), base.Share()
	p.Set(7, w, false)
	q.Set(20000, w, false)
	visited := 0
	p.Differing(&q, func(int32, **value, **value) { visited++ })
	require.LessOrEqual(t, visited, 64)
}

// Example of two forks of a tree, which are compared.
func Example() {
	var base radix.Tree[string]
	base.Set(1, "a", false)
	base.Set(100, "b", false)
	fork := base.Share()
	fork.Set(100, "c", false)
	base.Differing(&fork, func(key int32, a, b *string) { fmt.Println(key, *a, *b) })
	// Output: 100 b c
}

func BenchmarkTree(b *testing.B) {
	v, w := &value{}, &value{kind: 1}
	for _, size := range []int32{30, 1000, 30000} {
		var base radix.Tree[*value]
		for key := range size {
			base.Set(key, v, false)
		}
		b.Run(fmt.Sprintf("fork, write and compare, %d values", size), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				p, q := base.Share(), base.Share()
				p.Set(size/2, w, false)
				q.Set(size/3, w, false)
				n := 0
				p.Differing(&q, func(int32, **value, **value) { n++ })
				if n == 0 {
					b.Fatal("they do not differ")
				}
			}
		})
	}
}
