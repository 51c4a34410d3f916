package exploration

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// TestCells: cells that are shared, written and compared at random are what maps are that are
// copied each time.
func TestCells(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	type pair struct {
		cells cells
		plain map[int32]*sym.Expr
	}
	joined := func() *sym.Expr { e := *sym.Num(int32(r.IntN(3))); e.Joined = true; return &e }
	values := []*sym.Expr{sym.Num(0), sym.Num(1), sym.Num(2), joined(), joined()}
	for range 300 {
		limit := int32(1) << r.IntN(22)
		all := []pair{{plain: map[int32]*sym.Expr{}}}
		for range 200 {
			p := &all[r.IntN(len(all))]
			switch r.IntN(8) {
			case 0:
				if len(all) < 8 {
					all = append(all, pair{p.cells.share(), maps.Clone(p.plain)})
				}
			default:
				addr := r.Int32N(limit)
				if r.IntN(4) == 0 {
					addr = min(addr, 40)
				}
				v := values[r.IntN(len(values))]
				p.cells.set(addr, v)
				p.plain[addr] = v
			}
		}
		for i := range all {
			p := &all[i]
			keys := slices.Sorted(maps.Keys(p.plain))
			require.Equal(t, keys, slices.Clip(p.cells.written()))
			require.Equal(t, len(keys), p.cells.n)
			for addr, v := range p.plain {
				require.Same(t, v, p.cells.get(addr))
			}
			require.Nil(t, p.cells.get(limit+int32(r.IntN(1<<20))))
			for k := range all {
				q := &all[k]
				var want []int32
				for addr, e := range q.plain {
					if p.plain[addr] != e || e.Joined {
						want = append(want, addr)
					}
				}
				for addr := range p.plain {
					if q.plain[addr] == nil {
						want = append(want, addr)
					}
				}
				slices.Sort(want)
				require.Equal(t, want, p.cells.differing(&q.cells))
				same := func(a, b *sym.Expr) bool { return a == b }
				require.Equal(t, maps.Equal(p.plain, q.plain), p.cells.same(&q.cells, same))
			}
		}
	}
}

func BenchmarkCells(b *testing.B) {
	v, w := sym.Num(1), sym.Num(2)
	for _, size := range []int32{30, 1000, 30000} {
		var base cells
		for addr := range size {
			base.set(addr, v)
		}
		b.Run("fork, write and join", func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				p, q := base.share(), base.share()
				p.set(size/2, w)
				q.set(size/3, w)
				if len(p.differing(&q)) != 2 {
					b.Fatal("not the two that were written")
				}
			}
		})
	}
}
