package check

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// expectation is a query with the verdict it must have: "T", "F", or "E" and
// a part of the reason. Steps is the length of the trace, -1 for no trace.
type expectation struct {
	query   string
	verdict string
	steps   int
}

var semantics = []struct {
	name    string
	model   string
	expect  []expectation
	states  int // of the whole state space, 0 for not checked
	noCount bool
}{
	{
		name: "internal edges",
		model: `
			int[0,3] x;
			template P
			loc a
			loc b
			a > a | x < 3 | | x++
			a > b | x == 3
			system P;`,
		expect: []expectation{
			{"E<> P.b", "T", 4},
			{"A[] x < 3", "F", 3},
			{"A[] x <= 3", "T", -1},
			{"A[] not deadlock", "F", 4},
			{"A[] deadlock imply P.b", "T", -1},
			{"E<> deadlock and P.a", "F", -1},
		},
		states: 5,
	},
	{
		name: "binary synchronisation: guards in the source state, sender updates first",
		model: `
			chan c;
			int x; int y;
			template S
			loc a
			loc b
			a > b | x == 0 | c! | x = 1, y = 10
			template R
			loc a
			loc b
			a > b | x == 0 | c? | y = y + x
			system R, S;`,
		expect: []expectation{
			{"E<> S.b", "T", 1},
			{"A[] S.b imply (R.b and y == 11)", "T", -1},
		},
		states: 2,
	},
	{
		name: "a receiver whose guard needs the sender's update stays",
		model: `
			chan c;
			int x;
			template S
			loc a
			loc b
			a > b | | c! | x = 1
			template R
			loc a
			loc b
			a > b | x == 1 | c? |
			system S, R;`,
		expect: []expectation{{"E<> S.b", "F", -1}, {"E<> deadlock", "T", 0}},
		states: 1,
	},
	{
		name: "no synchronisation of a process with itself",
		model: `
			chan c;
			template P
			loc a
			loc b
			a > b | | c! |
			a > b | | c? |
			system P;`,
		expect: []expectation{{"E<> P.b", "F", -1}},
	},
	{
		name: "broadcast takes everyone who can, nobody is fine too",
		model: `
			broadcast chan c;
			int n; int[0,1] open;
			template S
			loc a
			loc b
			loc d
			a > b | | c! | n = 100
			b > d | | c! |
			template R(const int[0,2] id)
			loc a
			loc b
			a > b | id != 1 | c? | n = n * 2 + id
			system S, R;`,
		expect: []expectation{
			{"A[] S.b imply (R(0).b and R(2).b and not R(1).b)", "T", -1},
			{"A[] S.b imply n == 402", "T", -1},
			{"E<> S.d", "T", 2},
		},
		states: 3,
	},
	{
		name: "each choice of broadcast receivers' edges is a transition",
		model: `
			broadcast chan c;
			template S
			loc a
			loc b
			a > b | | c! |
			template R(const int[0,1] id)
			loc a
			loc b
			loc d
			a > b | | c? |
			a > d | | c? |
			system S, R;`,
		expect: []expectation{
			{"E<> R(0).b and R(1).d", "T", 1},
			{"E<> R(0).d and R(1).b", "T", 1},
			{"E<> S.b and R(0).a", "F", -1},
		},
		states: 5,
	},
	{
		name: "a violated invariant removes a broadcast, the receiver is not skipped",
		model: `
			broadcast chan c;
			int x;
			template S
			loc a
			loc b
			a > b | | c! | x = 5
			template R
			loc a
			loc b inv x < 5
			a > b | | c? |
			system S, R;`,
		expect: []expectation{{"E<> S.b", "F", -1}, {"E<> deadlock", "T", 0}},
	},
	{
		name: "committed locations go first, one participant suffices",
		model: `
			chan c;
			int x;
			template P
			loc a committed
			loc b
			a > b | | c! |
			template Q
			loc a
			loc b
			a > b | | c? |
			template R
			loc a
			loc b
			a > b | | | x = 1
			system P, Q, R;`,
		expect: []expectation{
			{"A[] P.a imply x == 0", "T", -1},
			{"E<> x == 1", "T", 2},
		},
		states: 3,
	},
	{
		name: "a blocked committed location is a deadlock",
		model: `
			template P
			loc a committed
			loc b
			a > b | false | |
			template Q
			loc a
			loc b
			a > b | | |
			system P, Q;`,
		expect: []expectation{{"E<> Q.b", "F", -1}, {"E<> deadlock", "T", 0}},
		states: 1,
	},
	{
		name: "a committed broadcast receiver suffices",
		model: `
			broadcast chan c;
			template P
			loc a
			loc b
			a > b | | c! |
			template Q
			loc a committed
			loc b
			a > b | | c? |
			system P, Q;`,
		expect: []expectation{{"E<> Q.b", "T", 1}},
	},
	{
		name: "urgent changes nothing but time",
		model: `
			urgent chan c;
			template P
			loc a urgent
			loc b
			a > b | | c! |
			template Q
			loc a
			loc b
			loc d
			a > b | | c? |
			a > d | | |
			system P, Q;`,
		expect: []expectation{{"E<> Q.d", "T", 1}, {"E<> Q.b", "T", 1}},
	},
	{
		name: "a path rests behind an urgent synchronisation",
		model: `
			urgent chan c;
			template P
			loc a
			loc b
			loc d
			a > b | | c! |
			b > d | | |
			template Q
			loc a
			loc b
			a > b | | c? |
			system P, Q;`,
		expect: []expectation{{"A<> P.b", "T", -1}, {"A<> P.d", "F", 1}},
	},
	{
		name: "select",
		model: `
			int[0,5] x; int[0,5] y;
			template P
			loc a
			loc b
			a > b select i : int[1,3], j : int[0,1] | i + j != 3 | | x = i, y = j
			system P;`,
		expect: []expectation{
			{"E<> x == 3 and y == 0", "F", -1},
			{"E<> x == 3 and y == 1", "T", 1},
			{"E<> x == 2 and y == 1", "F", -1},
		},
		states: 5,
	},
	{
		name: "select on both sides, channels in arrays",
		model: `
			chan c[3];
			int[0,9] got;
			template S
			loc a
			loc b
			a > b select i : int[0,2] | | c[i]! |
			template R
			loc a
			loc b
			a > b select k : int[1,2] | | c[k]? | got = k
			system S, R;`,
		expect: []expectation{{"A[] S.b imply (got == 1 or got == 2)", "T", -1}},
		states: 3,
	},
	{
		name: "channel by reference and dynamic index",
		model: `
			chan c[2]; chan d;
			int[0,1] k; int r;
			template S(chan &x)
			loc a
			loc b
			a > b | | x! |
			template R
			loc a
			loc b
			loc e
			a > b | | c[k]? | r = 1
			a > e | | d? | r = 2
			template T
			loc a
			a > a | k == 0 | | k = 1
			instance S1 = S(c[1]);
			instance S2 = S(d);
			system S1, S2, R, T;`,
		expect: []expectation{
			{"E<> r == 1", "T", 2},
			{"E<> r == 2", "T", 1},
			{"A[] r == 1 imply k == 1", "T", -1},
			{"E<> S1.b and S2.b", "F", -1},
		},
	},
	{
		name: "updates run left to right",
		model: `
			int x = 1; int y;
			template P
			loc a
			loc b
			a > b | | | y = x, x = 2, y = y * 10 + x
			system P;`,
		expect: []expectation{{"A[] P.b imply y == 12", "T", -1}},
	},
	{
		name: "32-bit wrap-around, ranges on stores only",
		model: `
			typedef int[-2147483648,2147483647] word;
			word h = -2128831035;
			int[0,10] small;
			template P
			loc a
			loc b
			loc d
			a > b | | | h = (h ^ 7) * 16777619
			b > d | | | small = (2147483647 + 1 == -2147483648) ? 1 : 2
			system P;`,
		expect: []expectation{
			{"A[] P.b imply h == 34363494", "T", -1},
			{"A[] P.d imply small == 1", "T", -1},
		},
	},
	{
		name: "a range violation is an error for what is undecided",
		model: `
			int[0,3] x;
			template P
			loc a
			a > a | | | x = x + 2
			system P;`,
		expect: []expectation{
			{"E<> x == 2", "T", 1},
			{"A[] x < 9", "E process P, edge 0 (a to a), update: value 4 of x is outside [0,3]", 1},
		},
		noCount: true,
	},
	{
		name: "an index violation in a guard",
		model: `
			int[0,3] x; int a[3];
			template P
			loc a1
			a1 > a1 | a[x] == 0 | | x++
			system P;`,
		expect:  []expectation{{"A[] x < 9", "E guard: index 3 of a is outside [0,2]", 3}},
		noCount: true,
	},
	{
		name: "division by zero and negative shift",
		model: `
			int x;
			template P
			loc a
			a > a | 1 / x == 0 | |
			system P;`,
		expect:  []expectation{{"A[] true", "E division by zero", 0}},
		noCount: true,
	},
	{
		name: "negative shift",
		model: `
			int x = 0;
			template P
			loc a
			loc b
			a > b | | | x = -1
			b > a | (1 << x) == 0 | |
			system P;`,
		expect:  []expectation{{"A[] true", "E shift by -1", 1}},
		noCount: true,
	},
	{
		name: "short circuits guard against invalid evaluations",
		model: `
			int[0,5] x; int a[3]; bool q;
			template P
			loc a1
			a1 > a1 | x < 3 && a[x] == 0 || x > 5 && a[x] == 1 | | x++, q = (x > 2 || a[x] == 0), q = (x > 2 ? true : a[x] == 0)
			system P;`,
		expect: []expectation{{"A[] x <= 3", "T", -1}, {"A[] (x < 3 imply a[x] == 0)", "T", -1}},
	},
	{
		name: "a formula with an invalid evaluation fails alone",
		model: `
			int[0,5] x; int a[3];
			template P
			loc a1
			a1 > a1 | x < 5 | | x++
			system P;`,
		expect: []expectation{
			{"A[] a[x] == 0", "E index 3", 3},
			{"A[] x <= 5", "T", -1},
		},
	},
	{
		name: "arguments and results have ranges",
		model: `
			int[0,9] x;
			int[0,3] f(int[0,7] n) { return n; }
			template P
			loc a
			a > a | | | x = f(x) + 1
			system P;`,
		expect:  []expectation{{"A[] x < 9", "E value 4 of the result of f is outside [0,3]", 4}},
		noCount: true,
	},
	{
		name: "functions: loops, locals, references, arrays, structs",
		model: `
			typedef struct { int[0,20] n; bool b[2]; } rec;
			rec g; rec h; int t[4] = {4,3,2,1}; int total;
			const int M[2][2] = {{1,2},{3,4}};
			void sort(int &a[4]) {
				int i; int j; int s;
				for (i = 0; i < 4; i++) { j = i; while (j > 0 && a[j-1] > a[j]) { s = a[j]; a[j] = a[j-1]; a[j-1] = s; j--; } }
			}
			void make(rec &r, int n) { rec q; q.n = n; q.b[1] = true; r = q; }
			int add(int a, int b) { return a + b; }
			int square() { int s = 0; for (i : int[0,1]) for (j : int[0,1]) s += M[i][j]; do { s++; } while (s < 3); return s; }
			bool odd(int n) { return n % 2; }
			template P
			loc a
			loc b
			a > b | | | sort(t), make(g, add(add(1,2),add(3,4))), h = g, h.b[0] = 5, total = square(), total += odd(3)
			system P;`,
		expect: []expectation{
			{"A[] P.b imply (t[0] == 1 and t[1] == 2 and t[2] == 3 and t[3] == 4)", "T", -1},
			{"A[] P.b imply (g.n == 10 and g.b[1] and !g.b[0] and h.n == 10 and h.b[0] == 1)", "T", -1},
			{"A[] P.b imply total == 12", "T", -1},
			{"E<> g == h and P.b", "F", -1},
			{"E<> g != h", "T", 1},
		},
		states: 2,
	},
	{
		name: "runaway loop in a function",
		model: `
			int x;
			void spin() { while (true) { x = 1 - x; } }
			template P
			loc a
			a > a | | | spin()
			system P;`,
		expect:  []expectation{{"A[] x == 0", "E more than", 0}},
		noCount: true,
	},
	{
		name: "quantifiers of the model: nested, within loops, with names of elements",
		model: `
			typedef int[0,3] id_t;
			int[0,3] level[id_t]; id_t turn[id_t]; id_t l; bool on[id_t]; bool any; int[0,20] total; int[0,48] pairs;
			void raise() { for (i : id_t) { level[i] = (forall (j : id_t) j == i || level[j] == level[i]) ? 1 : i; } }
			template P
			loc a
			loc b
			loc c
			loc d
			a > b | forall (i : id_t) level[i] == 0 && turn[l] != 2 | | raise(), l++, turn[l] = 3, on[turn[l]] = 7 > 2
			b > c | exists (i : id_t) i > 2 && turn[l] == i && 2 < level[i] | | total = (sum (i : id_t) level[i] * i), pairs = (sum (i : id_t) sum (j : id_t) (i == j ? turn[i] : 1))
			b > c | forall (i : id_t) level[i] < l || on[i] == (i == 1) | | total = 9
			c > d | turn[l] == turn[turn[0] + 1] | | any = any || on[turn[l]], turn[--turn[l]] = l, l += 2
			system P;`,
		expect: []expectation{
			{"E<> P.c", "T", 2},
			{"A[] P.b imply (level[0] == 1 and level[1] == 1 and level[2] == 2 and level[3] == 3 and on[3] and not on[0])", "T", -1},
			{"A[] P.c imply (total == 14 and pairs == 15 and not any)", "T", -1},
			{"E<> P.d", "T", 3},
			{"A[] P.d imply (any and turn[1] == 2 and turn[2] == 1 and l == 3)", "T", -1},
		},
		states: 4,
	},
	{
		name: "the iterations of all quantifiers of a loop count",
		model: `
			int[0,1] x; int n[2];
			int many() {
				int[0,400000] i; int k;
				for (i = 0; i < 400000; i++) { k += (sum (j : int[0,1]) n[j]); }
				return k;
			}
			template P
			loc a
			a > a | | | n[0] = 0, x = many()
			system P;`,
		expect:  []expectation{{"A[] x == 0", "E more than", 0}},
		noCount: true,
	},
	{
		name: "meta variables are no part of the state and start anew in each step",
		model: `
			meta int m = 7; int[0,2] x;
			template P
			loc a
			loc b
			a > b | | | m = 3, x = m - 2
			b > a | m == 7 | | m = 1
			system P;`,
		expect: []expectation{{"A[] m == 7", "T", -1}, {"E<> P.a and x == 1", "T", 2}},
		states: 3,
	},
	{
		name: "quantifiers over processes and sums of locations",
		model: `
			typedef int[0,2] id_t;
			bool token = true;
			template P(const id_t i)
			loc a
			loc cs
			a > cs | token | | token = false
			cs > a | | | token = true
			system P;`,
		expect: []expectation{
			{"A[] forall (i : id_t) forall (j : id_t) P(i).cs and P(j).cs imply i == j", "T", -1},
			{"A[] (sum (i : id_t) P(i).cs) <= 1", "T", -1},
			{"E<> exists (i : id_t) P(i).cs and P(i).i == 2", "T", 1},
			{"A[] not deadlock", "T", -1},
		},
		states: 4,
	},
	{
		name: "channel priorities",
		model: `
			chan hi; chan lo;
			chan priority lo < default < hi;
			template S
			loc a
			loc b
			loc d
			loc e
			a > b | | hi! |
			a > d | | lo! |
			a > e | | |
			template R
			loc a
			a > a | | hi? |
			a > a | | lo? |
			system S, R;`,
		expect: []expectation{{"E<> S.b", "T", 1}, {"E<> S.d", "F", -1}, {"E<> S.e", "F", -1}},
	},
	{
		name: "an internal step goes before a channel below default",
		model: `
			chan lo;
			chan priority lo < default;
			template S
			loc a
			loc d
			loc e
			a > d | | lo! |
			a > e | | |
			template R
			loc a
			a > a | | lo? |
			system S, R;`,
		expect: []expectation{{"E<> S.d", "F", -1}, {"E<> S.e", "T", 1}},
	},
	{
		name: "priorities below an impossible transition do count",
		model: `
			chan hi;
			chan priority default < hi;
			int x;
			template S
			loc a
			loc b inv x == 1
			loc e
			a > b | | hi! |
			a > e | | |
			template R
			loc a
			a > a | | hi? |
			system S, R;`,
		expect: []expectation{{"E<> S.b", "F", -1}, {"E<> S.e", "T", 1}},
	},
	{
		name: "process priorities",
		model: `
			int x;
			template P
			loc a
			loc b
			a > b | | | x = 1
			template Q
			loc a
			loc b
			a > b | x == 0 | |
			system P < Q;`,
		expect: []expectation{{"E<> P.b and Q.a", "F", -1}, {"E<> P.b and Q.b", "T", 2}},
		states: 3,
	},
	{
		name: "an initial state outside its invariant",
		model: `
			int x;
			template P
			loc a inv x > 0
			system P;`,
		expect: []expectation{
			{"A[] true", "E initial state violates an invariant", -1},
			{"E[] true", "E initial state violates an invariant", -1},
			{"A<> P.a", "E initial state violates an invariant", -1},
			{"P.a --> P.a", "E initial state violates an invariant", -1},
		},
		noCount: true,
	},
	{
		name: "an initial value outside its range",
		model: `
			template P(const int k)
			var int[0,3] x = k;
			loc a
			instance P1 = P(7);
			system P1;`,
		expect:  []expectation{{"A[] true", "E initial value of P1.x: value 7 is outside [0,3]", -1}},
		noCount: true,
	},
	{
		name: "variables start at 0 or the lower bound",
		model: `
			int[3,5] x; int[-5,-2] y; int[-1,1] z; bool b;
			template P
			loc a
			system P;`,
		expect: []expectation{{"A[] x == 3 and y == -5 and z == 0 and not b", "T", -1}},
		states: 1,
	},
	{
		name: "stuck: a blocked process beside one that never rests",
		model: `
			chan c;
			int[0,3] x;
			template Spinner
			loc a
			a > a | x < 3 | | x++
			a > a | x == 3 | | x = 0
			template Blocked
			loc a
			loc b
			loc d
			a > b | x == 2 | |
			b > d | | c! |
			system Spinner, Blocked;`,
		expect: []expectation{
			{"A[] not deadlock", "T", -1},
			{"A[] not (Blocked.b and stuck(Blocked))", "F", 3},
			{"A[] not (Blocked.a and stuck(Blocked))", "T", -1},
			{"E<> stuck(Spinner)", "F", -1},
			{"A[] not stuck(Blocked)", "F", 3},
			{"A[] Blocked.b imply (stuck(Blocked) and not stuck(Spinner))", "T", -1},
			{"A[] not (Blocked.b and stuck(Blocked) and x == 1)", "F", 6},
		},
		states: 8,
	},
	{
		name: "stuck: not if some continuation moves the process",
		model: `
			chan c;
			template S
			loc a
			loc b
			loc d
			a > b | | |
			b > d | | c! |
			a > d | | |
			template R
			loc a
			loc b
			a > b | | c? |
			system S, R;`,
		expect: []expectation{
			{"A[] not (R.a and stuck(R))", "F", 1},
			{"A[] S.a imply not stuck(R)", "T", -1},
			{"A[] S.b imply not stuck(R)", "T", -1},
			{"A[] not (R.a and stuck(R) and not deadlock)", "T", -1},
		},
	},
	{
		name: "stuck: a deadlock found early does not hide a nearer state",
		model: `
			int[0,9] x;
			template P
			loc a
			loc b
			a > b | x == 9 && false | |
			template Q
			loc a
			a > a | x < 9 | | x++
			system P, Q;`,
		expect: []expectation{
			{"A[] true", "T", -1},
			{"A[] not (x > 3 and stuck(P))", "F", 4},
		},
		states: 10,
	},
	{
		name: "stuck: more processes than are tried in all combinations",
		model: `
			int[0,1] n, x;
			template P(const int[0,8] id)
			loc a
			loc b
			a > b | x == 1 | |
			template R
			loc r
			loc z
			r > r | | | n = 1 - n
			r > z | n == 1 | | x = 1 - n
			z > z | | | n = 1 - n
			system P, R;`,
		expect: []expectation{
			{"E<> R.z and stuck(P(0)) and stuck(P(1)) and stuck(P(2)) and stuck(P(3)) and stuck(P(4)) and stuck(P(5)) and stuck(P(6)) and stuck(P(7)) and stuck(P(8))", "T", 2},
			{"E<> R.r and stuck(P(0)) and stuck(P(1)) and stuck(P(2)) and stuck(P(3)) and stuck(P(4)) and stuck(P(5)) and stuck(P(6)) and stuck(P(7)) and not stuck(P(8))", "F", -1},
		},
	},
	{
		name: "template variables and parameters",
		model: `
			int[0,9] last;
			template P(const int id, int[0,3] budget)
			var int[0,9] mine = id;
			var void use() { mine++; budget--; last = mine; }
			loc a
			a > a | budget > 0 | | use()
			instance P1 = P(1, 2);
			instance P2 = P(4, 1);
			system P1, P2;`,
		expect: []expectation{
			{"A[] P1.mine + P1.budget == 3 and P2.mine + P2.budget == 5", "T", -1},
			{"E<> P1.mine == 3 and P2.mine == 5 and last == 3", "T", 3},
			{"A[] P1.id == 1 and P2.id == 4", "T", -1},
		},
	},
	{
		name: "variables by reference to a template",
		model: `
			int[0,9] x; int[0,9] y[2];
			template P(int[0,9] &r)
			loc a
			a > a | r < 2 | | r++
			instance P1 = P(x);
			instance P2 = P(y[1]);
			system P1, P2;`,
		expect: []expectation{{"E<> x == 2 and y[1] == 2", "T", 4}, {"A[] y[0] == 0", "T", -1}},
		states: 9,
	},
	{
		name: "assignments are expressions; increments; compound operators",
		model: `
			int[0,50] x; int[0,50] y; int z[4]; bool p = 3; bool q;
			int[0,3] k;
			typedef struct { int u; int[0,9] v[2]; } rec;
			rec f = { v: {1,2}, u: 5 }; rec g; rec h; const rec c = {7, {8, 9}};
			template P
			loc a
			loc b
			loc d
			loc e
			a > b | | | x = y = 3, z[k++] = x++, z[++k] = --y, z[k] += (x = 9), x -= 2, x *= 3, x /= 2
			b > d | | | y = 13, y %= 8, y <<= 2, y >>= 1, y |= 16, y &= 30, y ^= 3, p ^= 1, q |= 5
			d > e | | | g = h = f, h.v = c.v, f = (x > 3 ? c : g), z[0] = (f == c) + (g != c) + (f.v == h.v), z[k = 3] = -k
			system P;`,
		expect: []expectation{
			{"A[] P.b imply (x == 10 and y == 2 and k == 2 and z[0] == 3 and z[1] == 0 and z[2] == 11 and p == 1)", "T", -1},
			{"A[] P.d imply (y == 25 and !p and q)", "T", -1},
			{"A[] P.e imply (g.u == 5 and g.v[1] == 2 and h.v[0] == 8 and h.u == 5 and f == c and z[0] == 3 and z[3] == -3)", "T", -1},
			{"A[] (P.a + P.b + P.d + P.e) == 1 and P.a <= 1", "T", -1},
			{"A[] -f.u == -5 or P.e", "T", -1},
		},
		states: 4,
	},
	{
		name: "arrays of arrays, of structs, with index types, of channels",
		model: `
			typedef int[3,5] day; typedef scalar[2] set_t;
			typedef struct { bool on; int[0,4] n[day]; } rec;
			rec r[2][day]; chan c[2][day]; int[0,9] got; set_t who; bool seen[set_t];
			const int[0,9] W[day] = {2,4,6};
			template S
			loc a
			loc b
			a > b select i : day, k : int[0,1] | W[i] != 4 | c[k][i]! | r[k][i].n[i-1 < 3 ? 5 : i] = 2, r[1-k] = r[k]
			template R
			var day d = 3;
			loc a
			loc b
			a > b | | c[1][d]? | got = W[d] + sum (x : day) r[1][x].n[x]
			a > a | d < 5 | | d++
			template Q(const set_t id)
			loc a
			a > a | !seen[id] | | seen[id] = true, who = id
			system S, R, Q;`,
		expect: []expectation{
			{"A[] R.b imply (R.d != 4 and r[0] == r[1] and exists (x : day) r[1][x].n[5] == 2)", "T", -1},
			{"E<> got == 2 and R.d == 3", "T", 1},
			{"E<> got == 8 and R.d == 5", "T", 3},
			{"E<> got == 4", "F", -1},
			{"A[] (forall (i : set_t) seen[i]) imply (seen[who] and not deadlock or deadlock)", "T", -1},
			{"A[] not R.b imply got == 0", "T", -1},
		},
	},
	{
		name: "functions in formulas and guards, quantifiers in functions, early returns",
		model: `
			int[0,9] x; int[0,9] t[10];
			bool all(int n) { return forall (i : int[0,9]) i >= n || t[i] > 0; }
			int count(const int t2[10]) { int n = 0; for (i : int[0,9]) { if (t2[i] == 0) return n; n++; } return n; }
			int pick(bool b, int &u, int &v) { if (b) { return u; } else return v; }
			void nothing() { ; }
			void clear(int[0,9] &u) { while (u > 0) { u--; if (u == 3) return; } }
			template P
			loc a
			loc b
			a > a | x < 5 && count(t) == x | | t[x] = x + 1, x++, nothing()
			a > b | all(x) && x == 5 | | clear(x)
			system P;`,
		expect: []expectation{
			{"A[] all(x) or P.b", "T", -1},
			{"A[] P.a imply count(t) == x", "T", -1},
			{"A[] P.b imply x == 3", "T", -1},
			{"E<> (sum (i : int[0,9]) t[i]) == 15", "T", 5},
		},
		states: 7,
	},
	{
		name: "all operators that can fail, and shifts beyond the width",
		model: `
			int x = 5;
			typedef int[-2147483648,2147483647] word;
			word w; word v;
			template P
			loc a
			loc b
			a > b | 7 % x == 2 && x / -2 == -2 | | w = (1 << 31) + (x << 40), v = (-1 >> 40) + 3 ** 3 + (-2) ** 31
			system P;`,
		expect: []expectation{
			{"A[] P.b imply (w == -2147483648 and v == -2147483622)", "T", -1},
			{"E<> w / -1 == w and w % -1 == 0 and P.b", "T", 1},
		},
	},
	{
		name: "a power with a negative exponent",
		model: `
			int x = 1;
			template P
			loc a
			a > a | 2 ** (x - 2) == 1 | |
			system P;`,
		expect:  []expectation{{"A[] true", "E power with exponent -1", 0}},
		noCount: true,
	},
	{
		name: "a function that ends without a result",
		model: `
			int x;
			int f() { if (x == 0) { return 1; } else { while (x > 0) { return 2; } } return 3; }
			template P
			loc a
			loc b
			a > b | | | x = f()
			system P;`,
		expect: []expectation{{"A[] P.b imply x == 1", "T", -1}},
	},
	{
		name: "operators",
		model: `
			int[-100,100] a = 7; int[-100,100] b = -2;
			template P
			loc l
			l > l | a < 8 | | a++
			system P;`,
		expect: []expectation{
			{"A[] a / b == -(a / 2) and a % b == a % 2 and (b % 2) == 0 and -7 % 4 == -3", "T", -1},
			{"A[] (a <? b) == b and (a >? b) == a and (6 & 3) == 2 and (6 | 3) == 7 and (6 ^ 3) == 5", "T", -1},
			{"A[] 2 ** 10 == 1024 and (1 << 4) == 16 and (-16 >> 2) == -4 and (1 xor 0)", "T", -1},
			{"A[] (false imply false) and (1 imply 1) and not (1 imply 0)", "T", -1},
			{"A[] abs(b) == 2", "T", -1},
		},
		states: 2,
	},
	{
		name: "lvalues: conditionals, assignments and prefix steps",
		model: `
			bool b; int x, y, z; int a[2], c[2];
			void inc(int &r) { r += 10; }
			template P
			loc l
			loc m
			l > m | | | (b ? x : y) = 3, inc(b ? x : y), (b = true) = 5, (b ? x : y)++, (z = y) += 2, ++(++z), inc(z = z), (b ? a : c)[x] = 7, (a = c)[0] = 1
			system P;`,
		expect: []expectation{
			{"A[] P.m imply (x == 1 and y == 13 and z == 27 and b)", "T", -1},
			{"A[] P.m imply (a[0] == 1 and a[1] == 0 and c[0] == 0)", "T", -1},
		},
		states: 2,
	},
	{
		name: "conditional channels, and channels compared",
		model: `
			bool b; chan c, d[2]; int x;
			template S(chan &e)
			loc l
			loc m
			l > m | e == d[1] && d == d && c != e | (b ? c : d[x])! | b = true
			m > m | | (b ? c : e)! |
			template R
			loc l
			loc m
			l > m | | d[0]? |
			m > l | | c? | x++
			instance Q = S(d[1]);
			system Q, R;`,
		expect: []expectation{
			{"E<> R.m", "T", 1},
			{"E<> x == 1", "T", 2},
			{"E<> x == 2", "F", -1},
		},
		states: 3,
	},
	{
		name: "channel parameters take channels that can do more",
		model: `
			broadcast chan b; chan c; int n;
			template S(broadcast chan &e)
			loc l
			loc m
			l > m | | e! |
			template R(urgent chan &e, const int k)
			loc l
			loc m
			l > m | | e? | n += k
			instance S1 = S(b); S2 = S(c); R1 = R(b, 1); R2 = R(b, 2); R3 = R(c, 4); R4 = R(c, 8);
			system S1, S2, R1, R2, R3, R4;`,
		expect: []expectation{
			{"A[] S1.m imply (R1.m and R2.m)", "T", -1},
			{"A[] S2.m imply (R3.m != R4.m)", "T", -1},
			{"E<> n == 11", "T", 2},
			{"E<> n == 15", "F", -1},
		},
		states: 6,
	},
	{
		name: "functions of processes and indices of locations in queries",
		model: `
			int g = 2;
			template P(const int[1,2] k)
			var int n; int f(int m) { return n * k + m * g; } bool home() { return n == 0; }
			loc a
			loc b
			a > b | n < 2 | | n++
			b > a | | |
			system P;`,
		expect: []expectation{
			{"A[] P(1).f(3) == P(1).n + 6 and P(2).f(0) == 2 * P(2).n", "T", -1},
			{"A[] forall (i : int[1,2]) P(i).home() == (P(i).f(0) == 0)", "T", -1},
			{"E<> P(2).f(0) == 4 and P(2).location == 0 and P(1).location == 1", "T", 5},
			{"A[] P(1).location == P(1).b", "T", -1},
			{"A[] P(1).location < 1", "F", 1},
			{"E<> (sum (i : int[1,2]) P(i).location) == 2", "T", 2},
			{"E<> P(1).location == 2", "F", -1},
		},
		states: 25,
	},
	{
		name: "before_update and after_update run around every transition",
		model: `
			chan c; meta int t; int last, total;
			before_update { t = 1, last = total }
			after_update { total += t }
			template S
			loc a
			loc b
			loc d
			a > b | last == total | c! | t = t * 3 + last
			b > d | | | last += 100
			template R
			loc a
			loc b
			a > b | | c? | t++
			system S, R;`,
		expect: []expectation{
			{"A[] S.b imply (total == 4 and last == 0 and R.b)", "T", -1},
			{"A[] S.d imply (total == 5 and last == 104)", "T", -1},
			{"E<> S.d", "T", 2},
		},
		states: 3,
	},
	{
		name: "a failing before_update",
		model: `
			int[0,1] n;
			before_update { n++ }
			template P
			loc a
			a > a | | |
			system P;`,
		expect:  []expectation{{"A[] n < 2", "E before_update: value 2 of n is outside [0,1]", 1}},
		noCount: true,
	},
	{
		name: "assertions",
		model: `
			int[0,3] n;
			void f() { assert n < 2; n++; }
			template P
			loc a
			a > a | | | f()
			system P;`,
		expect:  []expectation{{"A[] n < 3", "E assertion fails", 2}, {"E<> n == 1", "T", 1}},
		noCount: true,
	},
	{
		name: "lists of expressions in statements",
		model: `
			int x, y;
			void f() {
				int i, j;
				for (i = 0, j = 5; x++, i < j; i++, j--) y += j;
				if (y += 100, i == 3) y++;
				while (y++, y < 120) ;
			}
			template P
			loc a
			loc b
			a > b | | | f()
			system P;`,
		expect: []expectation{{"A[] P.b imply (x == 4 and y == 120)", "T", -1}},
		states: 2,
	},
	{
		name: "calls in constants, in sizes and in arguments",
		model: `
			int fib(int n) { int a, b = 1, t; for (i : int[1,20]) if (i <= n) { t = a + b; a = b; b = t; } return a; }
			typedef struct { int a; int b; } pair;
			pair swap(const pair &p) { pair q = {p.b, p.a}; return q; }
			const pair p0 = { b: 3, a: 5 }, p1 = { 5, 3 }; const pair p = swap(swap(p1));
			const int K = fib(6);
			int[0,fib(5)] small = fib(4); int a[fib(4)] = {K, p.a, fib(2)};
			int over(const int &r) { return r + 1; }
			template P(const int n, const int &r)
			var int twice(int m) { return m * n; } const int N2 = twice(n); int v[N2]; int w = over(r);
			loc l
			loc m
			l > m | | | v[twice(n) - 1] = over(K + 1) + over(small), w = r
			instance Q = P(2, K * 2);
			system Q;`,
		expect: []expectation{{"A[] Q.m imply (Q.v[3] == 14 and a[0] == 8 and a[1] == 5 and a[2] == 1 and small == 3 and Q.w == 16)", "T", -1},
			{"A[] Q.l imply Q.w == 17", "T", -1}},
		states: 2,
	},
	{
		name: "booleans take the assignment operators of integers",
		model: `
			bool b = true, d, e;
			template P
			loc l
			loc m
			l > m | | | b -= 1, d -= 1, e <<= 3, e |= d * 4
			system P;`,
		expect: []expectation{{"A[] P.m imply (b == 0 and d == 1 and e == 1)", "T", -1}},
		states: 2,
	},
}

func TestSemantics(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	for _, c := range semantics {
		t.Run(c.name, func(t *testing.T) {
			net := model(t, c.model)
			var text []string
			for _, x := range c.expect {
				text = append(text, x.query)
			}
			r, err := Verify(context.Background(), net, queries(t, text...), Options{})
			require.NoError(t, err)
			for i, x := range c.expect {
				got := r.Results[i]
				verdict, reason, _ := strings.Cut(x.verdict, " ")
				require.Equal(t, verdict, got.Verdict.String(), "%s: %s", x.query, got.Reason)
				require.Contains(t, got.Reason, reason, x.query)
				steps := -1
				if got.Trace != nil {
					steps = len(got.Trace.Steps)
					require.Len(t, got.Trace.States, steps+1)
				}
				require.Equal(t, x.steps, steps, "length of the trace of %s", x.query)
			}
			if c.noCount {
				return
			}
			all, err := Verify(context.Background(), net, nil, Options{})
			require.NoError(t, err)
			require.True(t, all.Complete)
			info, err := uppaal.Check(net)
			require.NoError(t, err)
			ref, err := explore(info, 10000, nil)
			require.NoError(t, err)
			require.Equal(t, len(ref.states), all.Stats.States)
			require.Equal(t, ref.transitions, all.Stats.Transitions)
			if c.states > 0 {
				require.Equal(t, c.states, all.Stats.States)
			}
		})
	}
}

// refSpace is a state space as the reference interpreter sees it.
type refSpace struct {
	states      []refState
	transitions int
	dead        int
	complete    bool
}

// explore visits the states of a network breadth-first on the reference
// interpreter.
func explore(info *uppaal.Info, limit int, visit func(refState, []refMove)) (*refSpace, error) {
	ref, err := newReference(info)
	if err != nil {
		return nil, err
	}
	ref.strict = true
	space := &refSpace{states: []refState{ref.initial}}
	seen := map[string]bool{ref.initial.key(): true}
	for i := 0; i < len(space.states); i++ {
		if len(space.states) > limit {
			return space, nil
		}
		moves, err := ref.moves(space.states[i])
		if err != nil {
			return space, err
		}
		if visit != nil {
			visit(space.states[i], moves)
		}
		if len(moves) == 0 {
			space.dead++
		}
		space.transitions += len(moves)
		for _, m := range moves {
			if k := m.target.key(); !seen[k] {
				seen[k] = true
				space.states = append(space.states, m.target)
			}
		}
	}
	space.complete = true
	return space, nil
}

// TestBelowRange: a store below a range is invalid, as one above it is.
func TestBelowRange(t *testing.T) {
	for _, change := range []string{"n--", "n = n - 1", "n -= 1", "n = l - 1", "n++, n = n - 2"} {
		r := verify(t, fmt.Sprintf(`
			int[0,2] n; int[-3,3] l;
			template P
			loc a
			loc b
			a > b | | | %s
			system P;`, change), plain, "A[] true").Results[0]
		require.Equal(t, Error, r.Verdict, change)
		require.Contains(t, r.Reason, "is outside [0,2]", change)
	}
}

// TestRecentWide: states that differ in other words than the first are different
// where recent states are remembered too.
func TestRecentWide(t *testing.T) {
	r := verify(t, `
		int k0, k1, k2, k3; int[0,127] x, y; int k4, k5, k6, k7;
		template P
		loc a
		loc b
		a > a | x < 127 | | x++
		a > a | y < 127 | | y++
		a > b | x == 127 && y == 127 | | k0 = 1, k1 = 1, k2 = 1, k3 = 1, k4 = 1, k5 = 1, k6 = 1, k7 = 1
		system P;`, plain)
	require.Equal(t, 128*128+1, r.Stats.States)
}

// TestDiffers: of a variable with two values, x != k says which it has.
func TestDiffers(t *testing.T) {
	for _, q := range []string{"A[] not (f != 4)", "E<> g != 5", "E<> (P.b and f != 4)", "E<> (P.b and g != 5 and f == 5)"} {
		r := verify(t, `
			int[4,5] f = 4, g = 5;
			template P
			loc a
			loc b
			a > b | | | f = 5, g = 4
			system P;`, Options{}, q).Results[0]
		require.NotNil(t, r.Trace, q)
	}
}

// TestRests: a path may end in a state that has no move, or none that may not wait.
func TestRests(t *testing.T) {
	const pair = `
		template Q
		loc a
		loc b
		a > b | | c? |
		system P, Q;`
	for name, c := range map[string]struct {
		model string
		rests bool
	}{
		"an edge":                           {"chan c;\ntemplate P\nloc a\nloc b\na > b | | |\n" + pair, true},
		"an urgent location":                {"chan c;\ntemplate P\nloc a urgent\nloc b\na > b | | |\n" + pair, false},
		"a committed location":              {"chan c;\ntemplate P\nloc a committed\nloc b\na > b | | |\n" + pair, false},
		"an urgent location without edges":  {"chan c;\ntemplate P\nloc a urgent\n" + pair, true},
		"a channel":                         {"chan c;\ntemplate P\nloc a\nloc b\na > b | | c! |\n" + pair, true},
		"the first channel is urgent":       {"urgent chan c;\ntemplate P\nloc a\nloc b\na > b | | c! |\n" + pair, false},
		"the second channel is urgent":      {"chan d; urgent chan c;\ntemplate P\nloc a\nloc b\na > b | | c! |\n" + pair, false},
		"nobody sends on an urgent channel": {"urgent chan c;\ntemplate P\nloc a\n" + pair, true},
	} {
		info, err := uppaal.Check(model(t, c.model))
		require.NoError(t, err, name)
		ref, err := newReference(info)
		require.NoError(t, err, name)
		rests, err := ref.canRest(ref.initial)
		require.NoError(t, err, name)
		require.Equal(t, c.rests, rests, name)
	}
}

// TestLassoAvoidsEnds: a path that goes on for ever does not lead into a state where it would have to leave the formula.
func TestLassoAvoidsEnds(t *testing.T) {
	const text = `
		template P
		loc a
		loc b urgent
		loc end urgent
		loc z
		loc c urgent
		a > b | | |
		b > end | | |
		end > z | | |
		b > c | | |
		c > b | | |
		system P;`
	for _, o := range []Options{{}, plain, {Workers: 2, eager: true}} {
		r := verify(t, text, o, "E[] not P.z and not P.a", "P.b --> P.z")
		require.Equal(t, False, r.Results[0].Verdict)
		require.Equal(t, False, r.Results[1].Verdict, r.Results[1].Reason)
		require.NotNil(t, r.Results[1].Trace)
	}
}

// TestIndexes: an index outside of its array is an error, on both sides, in whatever form it stands, and what
// it names inside is read.
func TestIndexes(t *testing.T) {
	for _, array := range []string{"a", "b[1]", "b[j]", "b[j-0]"} {
		for _, index := range []string{"i", "i + 0", "-i + 2", "two[i + 1]", "f(i)"} {
			for i := -1; i <= 3; i++ {
				net := model(t, fmt.Sprintf(`
					int[-1,3] i;
					int[0,1] j;
					int a[3] = {5, 6, 7};
					int b[2][3] = {{1, 2, 3}, {5, 6, 7}};
					int two[5] = {-1, 0, 1, 2, 3};
					int f(int n) { return n; }
					template P
					loc a
					loc b
					a > b | | | i = %d, j = 1
					system P;`, i))
				at := i
				if index == "-i + 2" {
					at = 2 - i
				}
				place := fmt.Sprintf("%s[%s]", array, index)
				r, err := Verify(t.Context(), net, queries(t,
					fmt.Sprintf("A[] not P.b or %s < 0", place),
					fmt.Sprintf("E<> P.b and %s < 0", place),
					fmt.Sprintf("A[] not P.b or %s == %d", place, 5+at)), Options{})
				require.NoError(t, err)
				for k, inside := range []Verdict{False, False, True} {
					got := r.Results[k]
					if at >= 0 && at <= 2 {
						require.Equal(t, inside, got.Verdict, "%s for i = %d: %s", place, i, got.Reason)
						continue
					}
					require.Equal(t, Error, got.Verdict, "%s for i = %d", place, i)
					require.Contains(t, got.Reason, fmt.Sprintf("index %d is outside [0,2]", at), "%s for i = %d", place, i)
				}
			}
		}
	}
}
