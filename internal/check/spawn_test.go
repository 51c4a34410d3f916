package check

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// spawn is a goroutine that starts n others in a loop, each of which takes
// four steps of its own, and waits for none.
func spawn(n int) string {
	return fmt.Sprintf(`
		const int N = %d;
		chan go_[N]; int[0,N] i; int[0,3] own[N];
		template Main
		loc loop
		loc done
		loop > loop | i < N | go_[i]! | i++
		loop > done | i == N | |
		template Worker(const int[0,N-1] id)
		loc idle
		loc a
		loc b
		loc c
		loc end
		idle > a | | go_[id]? |
		a > b | | | own[id] = 1
		b > c | own[id] < 3 | | own[id]++
		c > end | own[id] > 0 | | own[id]--
		system Main, Worker;`, n)
}

// TestSpawnStubborn: independent goroutines cost what they do one by one.
func TestSpawnStubborn(t *testing.T) {
	noRaces(t)
	full := verify(t, spawn(6), plain, "A[] not (deadlock and not Main.done)")
	require.Equal(t, True, full.Results[0].Verdict)
	require.Greater(t, full.Stats.States, 9000)
	r := verify(t, spawn(9), Options{}, "A[] not (deadlock and not Main.done)", "A[] own[3] < 3")
	require.Equal(t, True, r.Results[0].Verdict, r.Results[0].Reason)
	require.Equal(t, True, r.Results[1].Verdict)
	require.LessOrEqual(t, r.Stats.States, 5882)
	t.Log(r.Stats)
	start := time.Now()
	r = verify(t, spawn(1000), Options{}, "A[] not (deadlock and not Main.done)")
	t.Log(r.Stats, time.Since(start))
	require.Equal(t, True, r.Results[0].Verdict)
}
