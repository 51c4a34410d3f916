package uppaal

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func writeXTA(t testing.TB, n *Network) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, WriteXTA(&b, n))
	return b.String()
}

func readXTA(t testing.TB, text string) *Network {
	t.Helper()
	n, err := ReadXTA(strings.NewReader(text), "m.xta")
	require.NoError(t, err, text)
	return n
}

const peterson = `// Peterson's algorithm
int[1,2] turn;
bool req[3];
process P(const int[1,2] me) {
  const int other = 3 - me;
  state idle, want { req[me] }, wait, cs;
  commit want;
  urgent cs;
  init idle;
  trans idle -> want { assign req[me] := true; },
        want -> wait { assign turn := other; },
        wait -> cs { guard turn == me or not req[other]; },
        -> wait { guard !(turn == me || !req[other]); },
        cs -> idle { assign req[me] := false; };
}
int late;
process Q() { state a; init a; trans a -> a { select i : int[0,2]; guard i < 2; assign late = i; }; }
P1 = P(1); P2 = P(2);
int later = 1;
system P1, P2, Q;
progress { turn; }
`

func TestReadXTA(t *testing.T) {
	n := readXTA(t, peterson)
	info, err := Check(n)
	require.NoError(t, err)
	require.Len(t, info.Processes, 3)
	require.Len(t, n.Decls, 3, "what is declared between processes is global")
	require.Len(t, n.Instances, 3)
	require.Len(t, n.Progress, 1)
	p := n.Templates[0]
	require.Equal(t, "idle", p.Init.Name)
	require.Equal(t, Committed, p.Locations[1].Urgency)
	require.Equal(t, Urgent, p.Locations[3].Urgency)
	require.Equal(t, "req[me]", ExprString(p.Locations[1].Invariant))
	require.Len(t, p.Edges, 5)
	require.Same(t, p.Locations[2], p.Edges[3].From, "an arrow alone begins where the one before does")
	require.Equal(t, Pos{"m.xta", 12, 28}, p.Edges[2].Guard.Position())
	require.NoError(t, info.CheckQuery(mustQuery(t, "A[] not (P1.cs and P2.cs)")))
}

// Branch points, weights, rates and edges of the environment are of no meaning here.
func TestReadXTAExtras(t *testing.T) {
	n := readXTA(t, `int x; chan c; process P() { state a { x < 9 ; 3 }, b { ; 2 }; branchpoint f; init a;
		trans a -u-> f { assign x = 1; sync c !; }, f -> b { assign x++; probability 2; }, f -> a { }, b -> a { sync c ?; }; }
		system P; gantt { }`)
	p := n.Templates[0]
	require.Len(t, p.Edges, 3)
	require.Equal(t, "x = 1, x++", UpdateString(p.Edges[0].Update))
	require.Equal(t, "c!", SyncString(p.Edges[1].Sync))
	require.Nil(t, p.Locations[1].Invariant)
	_, err := Check(n)
	require.NoError(t, err)
}

func TestReadXTAErrors(t *testing.T) {
	const head, tail = "int x;\nprocess P() {\n state a, b;", "}\nsystem P;"
	for text, want := range map[string]string{
		"":                             "m.xta:1:1: the system line is missing",
		"<nta></nta>":                  `m.xta:1:1: unexpected "<", expected a type`,
		"process P() { }\nsystem P;":   "m.xta:1:15: process P has no states",
		"process P() { int x;":         "m.xta:1:21: process P has no states",
		head + tail:                    "m.xta:3:13: process P has no initial location",
		head + "init c;" + tail:        "m.xta:3:18: unknown location c",
		head + "init a; init b;":       "m.xta:3:21: process P has two initial locations",
		head + "commit a; urgent a;":   "m.xta:3:30: location a is both urgent and committed",
		head + "branchpoint a;":        "m.xta:3:25: duplicate definition of a",
		head + "state c;":              "m.xta:3:13: unexpected keyword state, expected commit, urgent, branchpoint, init or trans",
		"process P() { state a, a;":    "m.xta:1:24: duplicate definition of a",
		head + "init a; trans a -> c":  "m.xta:3:32: unknown location c",
		head + "init a; trans -> a":    `m.xta:3:27: unexpected "-", expected the name of a location`,
		head + "init a; trans a - > a": `m.xta:3:29: unexpected "-", expected "->"`,
		head + "init a; trans a -> a { guard x > 0, x < 3; };":       "m.xta:3:47: a comma between conditions is the syntax of UPPAAL 3: write &&",
		head + "init a; trans a -> a { guard x > 0; guard x < 3; };": "m.xta:3:49: the edge has two labels of the kind guard",
		head + "init a; trans a -> a { sync c; };":                   "m.xta:3:41: a synchronisation must end in ! or ?",
		head + "init a; trans a -> a { sync !; };":                   `m.xta:3:41: unexpected end of text, expected an expression`,
		head + "init a; trans a -> a { sync ; };":                    "m.xta:3:41: a synchronisation must end in ! or ?",
		head + "init a; trans a -> a { sync c d!; };":                `m.xta:3:43: unexpected "d"`,
		head + "init a; trans a -> a { sync c! }; }":                 `m.xta:3:44: unexpected "}", expected ";"`,
		head + "init a; trans a -> a { effect x; };":                 `m.xta:3:36: unexpected "effect", expected select, guard, sync, assign or probability`,
		head + "branchpoint f; init a; trans a -> f { };" + tail:     "m.xta:3:42: the edge ends in a branch point that no edge leaves",
		head + "init a;" + tail + " process":                         "m.xta:4:11: unexpected keyword process after the system line",
		"const N 5; system P;":                                       "m.xta:1:9: this is the syntax of UPPAAL 3: write const int N = 5;",
	} {
		n, err := ReadXTA(strings.NewReader(text), "m.xta")
		require.Nil(t, n, text)
		require.ErrorContains(t, err, want, text)
	}
	n := readXTA(t, head+"init a; trans a -> a { guard y > 0; };"+tail)
	_, err := Check(n)
	require.EqualError(t, err, "m.xta:3:42: unknown identifier y")
}

// Edges into a branch point times those out of it are bounded, as is what they copy.
func TestBranchPointsBounded(t *testing.T) {
	long := "assign " + strings.TrimSuffix(strings.Repeat("x = 1, ", 5000), ", ") + ";"
	text := "int x; process P() { state a; branchpoint f; init a; trans f -> a { }" +
		strings.Repeat(", a -> f { }", 100) + strings.Repeat(", f -> a { "+long+" }", 20) + "; } system P;"
	_, err := ReadXTA(strings.NewReader(text), "")
	require.ErrorContains(t, err, "the edges through branch points have more than")
}

// written is a network as the textual format has it: without places and coordinates.
func written(n *Network) *Network {
	clearPos(n)
	for _, t := range n.Templates {
		for _, l := range t.Locations {
			l.ID, l.X, l.Y, l.Comment = "", 0, 0, ""
		}
		for _, e := range t.Edges {
			e.Nails, e.Comment = nil, ""
		}
	}
	n.Queries = nil
	return n
}

func TestWriteXTA(t *testing.T) {
	for _, n := range []*Network{sample(t), readXTA(t, peterson), readXML(t, unordered)} {
		text := writeXTA(t, n)
		again := readXTA(t, text)
		for _, tpl := range n.Templates {
			for _, l := range tpl.Locations {
				if l.Name == "" {
					l.Name = "_" + l.ID
				}
			}
		}
		require.Equal(t, written(n), written(again), text)
	}
}

// Names that locations without one get are free, and what has no form as text is refused.
func TestWriteXTANames(t *testing.T) {
	n := readXML(t, `<nta><declaration>int _a; int _L0;</declaration><template><name>P</name><location id="a"/><location id="1 2"/><init ref="a"/>
		<transition><source ref="a"/><target ref="1 2"/><label kind="select">_L2 : int[0,1]</label></transition></template><system>system P;</system></nta>`)
	again := readXTA(t, writeXTA(t, n))
	_, err := Check(again)
	require.NoError(t, err)
	require.Equal(t, "_L1", again.Templates[0].Locations[0].Name)
	require.Equal(t, "_L3", again.Templates[0].Locations[1].Name)

	l, two := &Location{Name: "a b"}, &Location{Name: "a"}
	for want, n := range map[string]*Network{
		"a template is nil":                         {Templates: []*Template{nil}},
		`template "P Q" has a name`:                 {Templates: []*Template{{Name: "P Q", Init: two, Locations: []*Location{two}}}},
		`location "a b" has a name`:                 {Templates: []*Template{{Name: "P", Init: l, Locations: []*Location{l}}}},
		"template P: two locations have the name a": {Templates: []*Template{{Name: "P", Init: two, Locations: []*Location{two, {Name: "a"}}}}},
	} {
		require.ErrorContains(t, WriteXTA(&bytes.Buffer{}, n), want)
	}
	require.Error(t, WriteXTA(failingWriter{}, sample(t)))
}

func TestWriteQueries(t *testing.T) {
	n := sample(t)
	var b bytes.Buffer
	require.NoError(t, WriteQueries(&b, n.Queries))
	require.True(t, strings.HasPrefix(b.String(), "// description: first\n// location: a.go:3:4\nA[] (not b) imply"), b.String())
	again, err := ReadQueries(&b)
	require.NoError(t, err)
	require.Len(t, again, len(n.Queries))
	for i, q := range again {
		require.Equal(t, QueryString(n.Queries[i]), QueryString(q))
	}
}
