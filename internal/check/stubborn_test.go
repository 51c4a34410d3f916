package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// choice is a process that comes to the same place in two ways.
const choice = `
	template C
	loc c0
	loc c1
	loc c2
	loc c3
	c0 > c1 | | |
	c0 > c2 | | |
	c1 > c3 | | |
	c2 > c3 | | |
`

// TestStubbornKeeps has networks in which a set that is too small would lose
// the answer.
func TestStubbornKeeps(t *testing.T) {
	cases := []struct {
		name, text, query string
		want              Verdict
	}{
		{"a broadcast that takes its receiver away", `
			broadcast chan b;
			int[0,1] n;
			template R
			loc r
			r > r | | | n = 1 - n
			template P
			loc kept
			loc left
			kept > left | | b? |
			template Q
			loc a
			loc z
			a > z | | b! |
			system R, P, Q;`, "A[] P.kept", False},
		{"a function that writes what it is given", `
			int x;
			void put(int &r) { r = 1; }
			template A
			loc start
			loc done
			start > done | | | put(x)
			template C
			loc start
			loc done
			start > done | x == 0 | |
			system A, C;`, "E<> A.done && C.done", True},
		{"a synchronisation that goes round", `
			chan c;
			template S
			loc s
			s > s | | c! |
			template R
			loc a
			loc b
			a > b | | c? |
			b > a | | c? |
` + choice + `			system S, R, C;`, "E<> C.c3", True},
		{"a step that spoils what is looked for", `
			int[0,3] x;
			template A
			loc a
			loc b
			a > b | | | x = 1
` + choice + `			system A, C;`, "E<> x == 0 && C.c3", True},
		{"two that can go on no longer", `
			template P
			loc a
			loc b
			a > b | | |
			template Q
			loc a
			loc b
			a > b | | |
			template R
			loc r
			r > r | | |
			system P, Q, R;`, "E<> stuck(P) && stuck(Q)", True},
		{"an invalid step beside the one that is looked for", `
			int[0,3] x;
			template A
			loc a
			loc b
			a > b | | | x = x + 5
			template B
			loc a
			loc b
			a > b | | |
			system A, B;`, "E<> B.b", True},
		{"a step that is invalid since it changes the index of what it counts", `
			int[0,3] a[2] = {0, 3};
			int[0,1] i;
			template A
			loc p
			loc q
			p > q | a[i] < 3 | | i = 1, a[i]++
			template B
			loc kept
			loc left
			system A, B;`, "A[] not B.left", Error},
		{"the last of many values", `
			bool a[100];
			template W
			loc start
			loc done
			start > done | | | a[99] = true
			template B
			loc start
			loc some
			loc all
			start > some | exists (i : int[0,99]) a[i] | |
			start > all | forall (i : int[0,99]) not a[i] | |
			system W, B;`, "E<> B.some && W.done && not B.all", True},
		{"a cycle that only receivers close", `
			chan c, d;
			template P
			loc a
			loc b
			a > b | | d! |
			b > a | | c? |
			template Q
			loc a
			loc b
			a > b | | c! |
			b > a | | d? |
			template First
			loc a
			loc z
			a > z | | c? |
			template R
			loc x
			loc y
			loc done
			x > y | | |
			y > done | | |
			system First, P, Q, R;`, "E<> R.done and First.z", True},
		{"a comparison that does not hold, and is waited for", `
			int[0,5] x;
			int[0,1] n;
			template R
			loc r
			r > r | | | n = 1 - n
			template P
			loc a
			loc done
			a > done | !(x < 3) | |
			template Q
			loc a
			loc z
			a > z | | | x = 3
			system R, P, Q;`, "E<> P.done", True},
		{"a difference from the least of several values", `
			int[0,2] x;
			int[0,1] n;
			template R
			loc r
			r > r | | | n = 1 - n
			template P
			loc a
			loc b
			a > b | | | x = 1
			system R, P;`, "E<> x != 0", True},
		{"a difference from the least of several values, in a conjunction", `
			int[0,2] x;
			int[0,2] y;
			template P
			loc a
			loc b
			a > b | | | x = 1
			template Q
			loc a
			loc b
			a > b | | | y = 1
			system P, Q;`, "E<> x != 0 and y != 0 and P.b", True},
		{"an index that its guard allows, and the array does not have", `
			int[0,5] i;
			int[0,1] n;
			bool a[4];
			template R
			loc r
			r > r | | | n = 1 - n
			template P
			loc x
			loc y
			x > y | i <= 4 | | a[i] = true
			template Q
			loc x
			loc y
			x > x | i < 4 | | i = i + 1
			system R, P, Q;`, "A[] not (R.r and n > 1)", Error},
		{"an index that its guard allows, and the array has", `
			int[0,5] i;
			bool a[4];
			template P
			loc x
			loc y
			x > y | i <= 3 | | a[i] = true
			template Q
			loc x
			loc y
			x > x | i < 4 | | i = i + 1
			system P, Q;`, "E<> a[3]", True},
		{"an invalid update that no query mentions", `
			int[0,1] n;
			template P(const int[0,1] id)
			loc a
			loc b
			a > b | | | n++
			template Q
			loc x
			loc y
			loc z
			x > y | | |
			system Q, P;`, "A[] not Q.z", Error},
		{"a broadcast that a step makes unheard", `
			broadcast chan b;
			template Q
			loc a
			loc left
			loc heard
			a > left | | |
			a > heard | | b? |
			template S
			loc a
			loc z
			a > z | | b! |
			system Q, S;`, "A[] not (deadlock and Q.heard)", False},
		{"a rendezvous that a step disables", `
			chan c;
			template Q
			loc a
			loc left
			loc met
			a > left | | |
			a > met | | c? |
			template S
			loc a
			loc z
			a > z | | c! |
			system Q, S;`, "A[] not (deadlock and Q.met)", False},
		{"a committed location that blocks for ever", `
			bool x;
			template Q
			loc a
			loc z
			a > z | | |
			template S
			loc a
			loc held committed
			loc z
			a > held | | |
			held > z | x | |
			system Q, S;`, "A[] not (deadlock and Q.a)", False},
		{"a counter that passes a bound between two steps", `
			int[0,4] n;
			template P(const int[0,1] id)
			loc a
			loc b
			a > b | n < 4 | | n++
			template Q
			loc a
			loc z
			a > z | n == 1 | |
			system P, Q;`, "A[] not (Q.z and P(0).a and P(1).b)", False},
		{"a case that another process enables where a step would be fused", `
			int[0,2] c, d;
			template C
			loc a
			loc z
			a > z | c < 2 | | c++
			template D
			loc a
			loc z
			a > z | d < 2 | | d++
			template Q
			loc a
			loc choose
			loc first
			loc second
			a > choose | c > 0 | |
			choose > first | c > 0 | | c--
			choose > second | d > 0 | | d--
			system C, D, Q;`, "A[] not Q.second", False},
		{"two steps of its own", `
			template P
			loc a
			loc b
			loc y
			loc z
			a > b | | |
			b > y | | |
			b > z | | |
			system P;`, "A[] not P.y", False},
		{"a step that another process disturbs", `
			int[0,1] x, k;
			template P
			var int[0,1] l;
			loc a
			loc b
			loc c
			loc z
			a > b | k > 0 | |
			b > c | | | l = x
			c > z | l == 1 | |
			template K
			loc a
			loc b
			loc c
			loc d
			a > b | | | k = 1
			b > c | | | x = 1
			b > d | | |
			system P, K;`, "A[] not P.z", False},
		{"a step that makes a broadcast heard", `
			int[0,1] m;
			broadcast chan cast;
			template P
			loc a
			loc b
			loc c
			loc z
			a > b | | | m = 1
			b > c | | |
			c > z | | cast? |
			template K
			loc a
			loc c
			a > c | m == 1 | cast! |
			system P, K;`, "A[] not (P.c and K.c)", False},
		{"a broadcast that would be heard without a step", `
			broadcast chan b;
			template Q
			loc a
			loc left
			loc heard
			a > left | | |
			a > heard | | b? |
			template S
			loc a
			loc z
			a > z | | b! |
			system Q, S;`, "A[] not (deadlock and Q.left)", False},
		{"a broadcast whose receiver disables a step", `
			bool x;
			broadcast chan b;
			template R
			loc a
			loc z
			a > z | !x | |
			template Q
			loc a
			loc heard
			a > heard | | b? | x = true
			template S
			loc a
			loc z
			a > z | | b! |
			system S, Q, R;`, "A[] not (deadlock and R.z)", False},
		{"a step that changes the channel of a rendezvous", `
			int[0,1] x;
			chan d[2];
			template K
			loc a
			loc z
			a > z | | | x = 1
			template W
			loc a
			loc z
			a > z | | d[0]? |
			template S
			loc a
			loc z
			a > z | | d[x]! |
			system S, W, K;`, "A[] not (deadlock and W.a)", False},
		{"a receiving edge where a step is fused", `
			int[0,1] k;
			chan meet;
			template P
			loc a
			loc b
			loc y
			loc z
			a > b | k > 0 | |
			b > y | | |
			b > z | | meet? |
			template K
			loc a
			loc b
			loc c
			a > b | | | k = 1
			b > c | | meet! |
			system P, K;`, "A[] not P.z", False},
		{"a case that a rendezvous of two others enables where a step would be fused", `
			int[0,1] m;
			int[0,2] n;
			chan meet;
			template P
			loc s
			loc choose
			loc first
			loc second
			s > choose | | | m = 1
			choose > second | n > 0 | |
			choose > first | | |
			template Q
			loc a
			loc z
			a > z | | meet! |
			template R
			loc a
			loc z
			a > z | m == 1 | meet? | n++
			system P, Q, R;`, "A[] not P.second", False},
		{"a broadcast whose receiver closes a cycle", `
			broadcast chan x, y;
			template A
			loc a
			loc b
			a > b | | x! |
			b > a | | y? |
			template B
			loc b
			loc a
			a > b | | y! |
			b > a | | x? |
			template C
			loc a
			loc z
			a > z | | |
			a > z | | |
			system A, B, C;`, "A[] not C.z", False},
		{"a condition behind one on what is selected, which another process makes true", `
			int[0,2] x;
			int[0,1] two[2];
			template P
			loc a
			loc z
			a > z select i : int[0,1] | i == x && two[x] == 1 | |
			template W
			loc a
			loc b
			a > b | | | two[0] = 1
			template X
			loc a
			loc b
			a > b | two[1] == 1 | | x = 2
` + choice + `			system C, P, W, X;`, "A[] not P.z", False},
		{"a sum of which parts cancel out", `
			int[-1,1] x = 1, y;
			template P
			loc a
			loc b
			a > b | | | y = -1
			b > b | y == 1 | | x = -1
` + choice + `			system C, P;`, "E<> not (sum (q : int[0,1]) (q == 0 ? x : y))", True},
		{"a step that counts up and down", `
			int[-5,9] n = 1;
			int[0,2] k;
			template P
			loc a
			loc b
			loc z
			a > a | n > 0 && n < 5 | | n++, n -= 2
			a > z | n <= 0 | |
			template Q
			loc a
			loc z
			a > z | k < 2 | | k++
			system Q, P;`, "A[] not P.z", False},
		{"a receiver of a broadcast that may not take part", `
			int[0,3] n = 3;
			broadcast chan b;
			template D
			loc a
			loc z
			a > z | n > 0 | | n--
			template S
			loc a
			loc z
			a > z | | b! |
			template R
			loc a
			loc heard
			a > heard | n < 3 | b? |
			system S, D, R;`, "A[] not R.heard", False},
		{"a cycle of steps of its own", `
			template P
			loc a
			loc b
			a > b | | |
			b > a | | |
			template Q
			loc a
			loc z
			a > z | | |
			system P, Q;`, "A[] not Q.z", False},
		{"a committed location that a step of another process frees", `
			int[0,2] n, k;
			template Q
			loc a
			loc b
			loc z
			a > b | k < 2 | | k++
			b > z | n < 2 | | n++
			template S
			loc a
			loc held committed
			loc z
			a > held | k > 0 | |
			held > z | n > 0 | |
			system Q, S;`, "A[] not (deadlock and S.held or k == 2)", False},
	}
	// Two processes exclude each other, so that a set of one step is one of a third.
	const excluding = `
			template Q
			loc a
			loc z
			a > z | x == 0 | | x = 1
			template R
			loc a
			loc z
			a > z | x == 0 | | x = 2`
	for name, c := range map[string][2]string{
		"a key step that makes a process leave by a broadcast": {`
			template P
			loc a
			loc b
			a > b | | cast? |
			template S
			loc a
			loc z
			a > z | | cast! |`, "A[] not (P.a and Q.z)"},
		"a key step into a location": {`
			template P
			loc a
			template S
			loc a
			loc z
			a > z | | |`, "A[] not (Q.z and not S.z)"},
		"a key step that counts": {`
			template P
			loc a
			template S
			loc a
			loc z
			a > z | n < 2 | | n++`, "A[] not (Q.z and n == 0)"},
	} {
		text := "int[0,2] n, x; broadcast chan cast;" + c[0] + excluding + "\nsystem S, P, Q, R;"
		r := verify(t, text, Options{}, c[1])
		require.Equal(t, False.String(), r.Results[0].Verdict.String(), name)
	}
	for _, c := range cases {
		full := verify(t, c.text, plain, c.query)
		r := verify(t, c.text, Options{}, c.query)
		require.Equal(t, c.want.String(), full.Results[0].Verdict.String(), c.name)
		require.Equal(t, c.want.String(), r.Results[0].Verdict.String(), c.name)
		if c.want == False {
			require.Len(t, r.Results[0].Trace.Steps, len(full.Results[0].Trace.Steps), c.name)
		}
	}
}

// TestFusedInvalid: a step that may be invalid is not left out, so that the trace
// leads to where it is taken.
func TestFusedInvalid(t *testing.T) {
	const text = `
		chan c;
		template P
		var int[0,1] n = 1;
		loc a
		loc b
		loc z
		a > b | | c? |
		b > z | | | n++
		template Q
		loc a
		loc z
		a > z | | c! |
		system P, Q;`
	for _, o := range []Options{{}, {Order: DepthFirst}} {
		r := verify(t, text, o, "A[] not P.z").Results[0]
		require.Equal(t, Error, r.Verdict)
		require.Contains(t, r.Reason, "outside [0,1]")
		require.Len(t, r.Trace.Steps, 1)
	}
}

// Formulas over locations and variables have structures: a silent full search
// would answer them all the same.
func TestStubbornApplies(t *testing.T) {
	if testing.Short() {
		t.Skip("one worker has no goroutines for the race detector")
	}
	for _, q := range hundred(12)[:8] {
		r := verify(t, philosophers(12), Options{Workers: 1}, q)
		require.Equal(t, True, r.Results[0].Verdict, q)
		require.Less(t, r.Stats.States, 531440*9/10, q)
	}
}

// TestCutInvalid: a search with key steps that was cut off before it came to an
// invalid step says nothing about that: the search for the shortest trace of what was
// found finds it.
func TestCutInvalid(t *testing.T) {
	var text strings.Builder
	text.WriteString("chan none;\ntemplate P\n")
	const steps, goal = 30, 10
	for i := range steps + 1 {
		fmt.Fprintf(&text, "loc p%d\n", i)
	}
	for i := range steps {
		fmt.Fprintf(&text, "p%d > p%d | | |\n", i, i+1)
		fmt.Fprintf(&text, "p%d > p%d | | none? |\n", i, i) // such steps are not fused
	}
	text.WriteString(`
		template R
		var int[0,1] n = 1;
		loc a
		loc b
		a > b | | | n++
		system P, R;`)
	limits := Options{Workers: 1, MaxStates: (steps + goal) / 2}
	r := verify(t, text.String(), limits, fmt.Sprintf("E<> P.p%d", goal), fmt.Sprintf("E<> P.p%d", steps))
	require.Equal(t, Error, r.Results[0].Verdict, r.Results[0].Reason)
	require.Contains(t, r.Results[0].Reason, "outside [0,1]")
	require.Equal(t, Maybe, r.Results[1].Verdict, r.Results[1].Reason)
}
