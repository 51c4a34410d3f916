package check

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestInvalidFormulas: a formula that cannot be evaluated in a state that matters is an
// error of its query alone; one that need not be evaluated there is none.
func TestInvalidFormulas(t *testing.T) {
	const text = `
		int[0,3] n; int[0,1] two[2]; int[0,3] deep[4] = {0, 1, 2, 3};
		int[0,1] low(int v) { return v; }
		int last(int v) { if (v < 3) return 0; else return two[v]; }
		template P
		loc a
		loc b urgent
		loc z
		a > b | n < 3 | | n++
		b > a | n < 3 | | two[0] = 1
		b > z | n == 3 | |
		template Q
		loc q
		system P, Q;`
	for _, c := range []struct {
		query string
		want  Verdict
	}{
		{"E<> two[n] == 1 and n < 1", Error},
		{"E<> two[n - 1] == 1 and n == 1", Error},
		{"E<> n == 1 and two[n - 1] == 1", True},
		{"E<> n == 2 and two[n] == 1", Error},
		{"E<> P.z and 2 / (n - 3) == 1", Error},
		{"A[] n < 3 or 2 / (n - 3) == 1", Error},
		{"E<> deadlock and 2 / (n - 3) == 1", Error},
		{"E<> deadlock and 2 / (n - 2) == 2", True},
		{"E<> 2 / n == 1 and deadlock", Error},
		{"E<> stuck(P) and 2 / (n - 3) == 1", Error},
		{"E<> stuck(P) and 2 / n == 0", True},
		{"E<> 2 / (n - 1) == -2 and stuck(Q)", True},
		{"E<> 2 / (n - 1) == 5 and stuck(Q)", Error},
		{"E<> 2 / (n - 1) == 5 and not stuck(P)", Error},
		{"E<> P.z and n == 3 and (stuck(P) or 2 / (n - 3) == 1)", True},
		{"E<> P.b and n == 3 and (stuck(P) or 2 / (n - 3) == 1)", Error},
		{"E<> stuck(P) and not stuck(Q) and 2 / (n - 3) == 1", False},
		{"E<> low(n) == 1 and n == 1", True},
		{"E<> low(n) == 0 and n == 2", Error},
		{"E<> last(n) == 1", Error},
		{"E<> n < 3 and last(n) == 1", False},
		{"E<> n < 2 and forall (n : int[0,3]) two[n] == 0", Error}, // another n
		{"E<> n < 2 and forall (i : int[0,1]) two[i] == 0", True},
		{"E<> deep[n] < 2 and forall (n : int[0,3]) two[deep[n]] == 0", Error},
		{"E<> deep[n] < 2 and two[deep[n]] == 0", True},
		{"E[] 2 / n == 1", Error},
		{"E[] n < 3 and 2 / (n - 2) < 9", True}, // it rests in the initial state
		{"E[] n < 1 and 2 / (n - 3) < 9", True},
		{"E[] n > 0 and 2 / (n - 3) < 9", False},
		{"A<> n == 0 or 2 / (n - 3) == 9", True},
		{"A<> n == 1 or 2 / (n - 0) == 9", Error},
		{"P.a --> 2 / (n - 2) == 9", False},
		{"n == 2 --> 2 / (n - 2) == 9", Error},
		{"2 / (n - 3) == 9 --> P.z", Error},
		{"P.q --> P.z", Error},
	} {
		for _, o := range []Options{{}, plain, {Workers: 2, eager: true}} {
			r := verify(t, text, o, c.query, "A[] n < 4", "A<> P.a")
			require.Equal(t, c.want.String(), r.Results[0].Verdict.String(), "%s: %s", c.query, r.Results[0].Reason)
			require.NotContains(t, r.Results[0].Reason, "internal", c.query)
			require.Equal(t, True, r.Results[1].Verdict, c.query)
			require.Equal(t, True, r.Results[2].Verdict, c.query)
		}
	}
}

// TestFoundBeforeStuck: what the search in full has found before it was too large
// stands while the queries about stuck processes are decided by another one.
func TestFoundBeforeStuck(t *testing.T) {
	text := ""
	const counters = 6
	system := "system P"
	for i := range counters {
		text += fmt.Sprintf(`
		template C%d
		loc a
		loc b
		loc c
		a > b | | |
		b > c | | |`, i)
		system += fmt.Sprintf(", C%d", i)
	}
	text += `
		template P
		loc a
		loc b
		loc z
		a > b | | |
		b > z | | |
		` + system + ";"
	r := verify(t, text, Options{Workers: 1, MaxStates: 500}, "E<> P.b", "E<> P.z and stuck(P)", "E<> P.b and stuck(P)", "A[] not (C0.c and C1.c)", "E<> P.a and stuck(P)")
	for i, want := range []Verdict{True, True, False, False, False} {
		require.Equal(t, want.String(), r.Results[i].Verdict.String(), "%d: %s", i, r.Results[i].Reason)
		require.Equal(t, (i == 3) || want == True, r.Results[i].Trace != nil, i)
	}
	require.Len(t, r.Results[0].Trace.Steps, 1)
}
