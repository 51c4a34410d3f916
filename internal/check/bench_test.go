package check

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// peterson is Peterson's algorithm for two processes, with a counter of the
// processes in the critical section.
const peterson = `
	bool want[2]; int[0,1] turn; int[0,2] inside;
	template P(const int[0,1] id)
	loc idle
	loc asked
	loc yielded
	loc cs
	idle > asked | | | want[id] = true
	asked > yielded | | | turn = 1 - id
	yielded > cs | !want[1-id] || turn == id | | inside++
	cs > idle | | | want[id] = false, inside--
	system P;`

// buffer is a bounded buffer of c cells with k producers and one consumer.
func buffer(k, c int) string {
	return fmt.Sprintf(`
		const int C = %d;
		int[0,%d] cell[C]; int[0,C] n; int[0,C-1] head; int[0,%d] last;
		template Producer(const int[1,%d] id)
		loc idle
		loc ready
		idle > ready | | |
		ready > idle | n < C | | cell[(head + n) %% C] = id, n++
		template Consumer
		var int[0,%d] got;
		loc idle
		loc ready
		idle > ready | n > 0 | | got = cell[head], cell[head] = 0, head = (head + 1) %% C, n--
		ready > idle | | | last = got, got = 0
		system Producer, Consumer;`, c, k, k, k, k)
}

// sync philosophers: forks are processes.
func forkProcesses(n int) string {
	return fmt.Sprintf(`
		const int N = %d;
		typedef int[0,N-1] id_t;
		chan take[N]; chan put[N];
		template Phil(const id_t i)
		loc think
		loc left
		loc eat
		loc drop
		think > left | | take[i]! |
		left > eat | | take[(i+1)%%N]! |
		eat > drop | | put[i]! |
		drop > think | | put[(i+1)%%N]! |
		template Fork(const id_t i)
		loc free
		loc taken
		free > taken | | take[i]? |
		taken > free | | put[i]? |
		system Phil, Fork;`, n)
}

func benchmark(b *testing.B, text string, states int, formulas ...string) {
	benchmarkWith(b, Options{Workers: 1, Reductions: plain.Reductions}, text, states, formulas...)
}

func benchmarkWith(b *testing.B, opts Options, text string, states int, formulas ...string) {
	net := model(b, text)
	var stats Stats
	for b.Loop() {
		r, err := Verify(context.Background(), net, queries(b, formulas...), opts)
		require.NoError(b, err)
		for _, x := range r.Results {
			require.Contains(b, []Verdict{True, False}, x.Verdict, x.Reason)
		}
		stats = r.Stats
	}
	if states > 0 {
		require.Equal(b, states, stats.States)
	}
	seconds := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(float64(stats.States)/seconds/1e6, "Mstates/s")
	b.ReportMetric(float64(stats.Transitions)/seconds/1e6, "Mtrans/s")
	b.ReportMetric(float64(stats.Bytes)/float64(stats.States), "B/state")
}

func BenchmarkPhilosophers12(b *testing.B) { benchmark(b, philosophers(12), 531440) }
func BenchmarkPhilosophers14(b *testing.B) { benchmark(b, philosophers(14), 4782968) }
func BenchmarkPhilosophers14Safety(b *testing.B) {
	benchmark(b, philosophers(14), 4782968, "A[] not (Phil(0).eat and Phil(1).eat)", "A[] not (deadlock and Phil(0).eat)")
}
func BenchmarkPhilosophers14Cores2(b *testing.B) {
	benchmarkWith(b, Options{Workers: 2, Reductions: plain.Reductions}, philosophers(14), 4782968)
}
func BenchmarkPhilosophers30Stubborn(b *testing.B) {
	benchmarkWith(b, Options{Workers: 1}, philosophers(30), 0, "A[] not deadlock")
}
func BenchmarkSpawn1000Stubborn(b *testing.B) {
	benchmarkWith(b, Options{Workers: 1}, spawn(1000), 0, "A[] not (deadlock and not Main.done)")
}

// BenchmarkQueries compares one query with a hundred on the same model.
func BenchmarkQueries1(b *testing.B) {
	benchmark(b, philosophers(12), 531440, "A[] not (Phil(0).eat and Phil(1).eat)")
}
func BenchmarkQueries100(b *testing.B) {
	benchmark(b, philosophers(12), 531440, hundred(12)...)
}

// hundred makes queries over the philosophers that all hold.
func hundred(n int) []string {
	var list []string
	for i := range n {
		k := (i + 1) % n
		list = append(list,
			fmt.Sprintf("A[] not (Phil(%d).eat and Phil(%d).eat)", i, k),
			fmt.Sprintf("A[] not (Phil(%d).eat and Phil(%d).drop)", i, (i+n-1)%n),
			fmt.Sprintf("A[] (Phil(%d).eat imply fork[%d] and fork[%d])", i, i, k),
			fmt.Sprintf("A[] not (Phil(%d).left and !fork[%d])", i, i),
			fmt.Sprintf("A[] not (Phil(%d).drop and !fork[%d])", i, k),
			fmt.Sprintf("A[] (!fork[%d] imply not Phil(%d).eat)", i, i),
			fmt.Sprintf("A[] not (Phil(%d).left and Phil(%d).eat and !fork[%d])", i, k, k),
			fmt.Sprintf("A[] (fork[%d] or not (Phil(%d).left or Phil(%d).eat))", i, i, i))
	}
	for i := range 100 - 8*n {
		list = append(list, fmt.Sprintf("A[] not (Phil(%d).eat and Phil(%d).eat and Phil(%d).eat)", i, i+1, i+2))
	}
	return list
}

func BenchmarkForkProcesses12(b *testing.B) { benchmark(b, forkProcesses(12), 0) }
func BenchmarkPeterson(b *testing.B)        { benchmark(b, peterson, 0, "A[] inside <= 1") }
func BenchmarkBuffer38(b *testing.B)        { benchmark(b, buffer(3, 8), 0, "A[] n <= C", "A[] not deadlock") }

// BenchmarkStuck needs the whole graph twice over.
func BenchmarkStuck(b *testing.B) {
	benchmark(b, philosophers(12), 531440, "A[] not (Phil(3).eat and stuck(Phil(3)))", "A[] not (Phil(0).left and stuck(Phil(0)) and not deadlock)")
}

// BenchmarkCompile is the cost of a small query: most of Toph's size.
func BenchmarkCompile(b *testing.B) {
	net := model(b, peterson)
	qs := queries(b, "A[] inside <= 1")
	for b.Loop() {
		_, err := Embedded{}.Verify(context.Background(), net, qs, Options{})
		if err != nil {
			b.Fatal(err)
		}
	}
}
