package orcutil

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPartsMeasure
func TestPartsMeasure(t *testing.T) {
	if *measure == 0 {
		t.Skip("needs -orc.measure=1")
	}
	for _, f := range []family{{"one lock for all", 6, 720, allFamilies[0].main}, {"one lock for all", 7, 5040, allFamilies[0].main}, {"last zero", 10, 3328, lastZero}, {"indexer", 14, 512, indexer}, {"file system", 21, 256, fileSystem}, {"readers", 11, 2048, allFamilies[2].main}} {
		for _, chunk := range []int{50, 300} {
			e := Exhaustion{
				Config: Config{Bubble: bubble(t), Entry: EntryMain, Main: func() { f.main(f.size) }},
				Ran:    func(int, Result) {}, Found: func(int, Result) {},
			}
			e.Runs = 100
			first := Exhaust(e)
			runs, cut := first.Runs, first.Cut
			p := NewParts(first.Frontier)
			p.Emit = func(out Exhausted, _ any) { runs, cut = runs+out.Runs, cut+out.Cut }
			// two processors of equal speed, in time of executions
			const procs = 2
			var busy []*Task
			var end []int
			var outs []Exhausted
			now, work, tasks, idle := first.Runs, first.Runs, 0, 0
			for {
				for _, k := range p.Tasks(procs - len(busy)) {
					e.Runs, e.Frontier, e.Below = chunk, k.Frontier, k.Below
					out := Exhaust(e)
					tasks++
					work += out.Runs + out.Cut
					busy, end, outs = append(busy, k), append(end, now+out.Runs+out.Cut), append(outs, out)
				}
				if len(busy) == 0 {
					break
				}
				i := 0
				for j := range busy {
					if end[j] < end[i] {
						i = j
					}
				}
				if len(busy) < procs {
					idle += end[i] - now
				}
				now = end[i]
				k, out := busy[i], outs[i]
				busy, end, outs = append(busy[:i:i], busy[i+1:]...), append(end[:i:i], end[i+1:]...), append(outs[:i:i], outs[i+1:]...)
				p.Done(k, &out, nil)
			}
			fmt.Println(f.name, f.size, "chunk", chunk, "runs", runs, "cut", cut, "time", now, "work", work, "tasks", tasks, "discarded", p.Discarded, "idle", idle, time.Now().Format("04:05"))
			require.True(t, p.Complete())
			require.Equal(t, f.count, runs)
		}
	}
}
