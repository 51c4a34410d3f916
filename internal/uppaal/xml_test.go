package uppaal

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite golden files")

func writeXML(t testing.TB, n *Network) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, WriteXML(&b, n))
	return b.String()
}

func readXML(t testing.TB, text string) *Network {
	t.Helper()
	n, err := ReadXML(strings.NewReader(text))
	require.NoError(t, err)
	return n
}

// sample is a network that uses every part of the format.
func sample(t testing.TB) *Network {
	t.Helper()
	n := model{
		decls: baseDecls + "\nint[0,9] level = 2 > 1 && true ? 3 : 4;",
		templates: []templateText{
			{name: "P", params: "const id_t id, int &r", decls: "int f(int v) { if (v < 3 && x > 1) return v; return 2; }",
				invariant: "r < 100 && x >= 0",
				edges: [][4]string{
					{"i : id_t, j : int[0,1]", "x < i && id != j", "cs[i]!", "x = f(i), r = x & 3"},
					{"", "", "cs[id]?", ""},
					{"", "", "bc?", "b = !b"},
				}},
			{name: "Q"},
		},
		system: "One = P(1, y);\nsystem One < Q;\nprogress {\n    x;\n}",
	}.build(t)
	p := n.Templates[0]
	p.Locations[0].Urgency = Committed
	p.Locations[0].Comment = "a <comment> & more\nof it"
	p.Locations[1].Urgency = Urgent
	anonymous := &Location{ID: "mid"}
	p.Locations = append(p.Locations, anonymous)
	p.Edges = append(p.Edges, &Edge{From: p.Locations[0], To: anonymous, Comment: "there"},
		&Edge{From: anonymous, To: p.Locations[0]}, &Edge{From: anonymous, To: p.Locations[1]})
	for _, text := range []string{"A[] (not b) imply (not (deadlock and One.done))", "E<> One._mid && x < 3", "A[] not stuck(Q)", "Q.L --> x > 1", "sup{One.done}: x, b"} {
		n.Queries = append(n.Queries, mustQuery(t, text))
	}
	n.Queries[0].Comment = "description: first\nlocation: a.go:3:4"
	return n
}

func TestXMLGolden(t *testing.T) {
	got := writeXML(t, sample(t))
	golden := filepath.Join("testdata", "sample.xml")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func TestXMLRoundTrip(t *testing.T) {
	n := sample(t)
	text := writeXML(t, n)
	again := readXML(t, text)
	require.Equal(t, text, writeXML(t, again), "writing what was read gives the same bytes")
	_, err := Check(again)
	require.NoError(t, err)

	// Up to positions and layout, it is the same network.
	for _, m := range []*Network{n, again} {
		for _, tpl := range m.Templates {
			for _, l := range tpl.Locations {
				l.X, l.Y = 0, 0
			}
			for _, e := range tpl.Edges {
				e.Nails = nil
				if len(e.Select) == 0 {
					e.Select = nil
				}
			}
		}
		clearPos(m)
		for i, q := range m.Queries {
			q.Number = i + 1
		}
	}
	require.Equal(t, n, again)

	clone := again.Clone()
	require.Equal(t, again, clone)
	require.NotSame(t, again.Template("P").Init, clone.Template("P").Init)
	require.Same(t, clone.Template("P").Locations[0], clone.Template("P").Edges[0].From)
	require.Nil(t, clone.Template("nope"))
}

// What has coordinates keeps them.
func TestXMLKeepsLayout(t *testing.T) {
	n := sample(t)
	p := n.Templates[0]
	p.Locations[1].X, p.Locations[1].Y = -17, 34
	p.Edges[3].Nails = []Point{{1, 2}, {-3, 4}}
	again := readXML(t, writeXML(t, n)).Templates[0]
	require.Equal(t, 0, again.Locations[2].X)
	require.Equal(t, -17, again.Locations[1].X)
	require.Equal(t, p.Edges[3].Nails, again.Edges[3].Nails)
	require.Empty(t, again.Edges[4].Nails)
}

// Ids that templates share are made unique; an anonymous location keeps the
// name that queries know it by.
func TestXMLUniqueIDs(t *testing.T) {
	n := model{templates: []templateText{{name: "P"}, {name: "Q"}, {name: "R"}}, system: "system P, Q, R;"}.build(t)
	for i, tpl := range n.Templates {
		tpl.Locations[0].ID = "id0"
		tpl.Locations[1].ID = "id1"
		if i > 0 {
			tpl.Locations[1].Name = ""
		}
	}
	n.Queries = []*Query{mustQuery(t, "A[] not (Q._id1 and R._id1)")}
	again := readXML(t, writeXML(t, n))
	seen := map[string]bool{}
	for _, tpl := range again.Templates {
		for _, l := range tpl.Locations {
			require.False(t, seen[l.ID], l.ID)
			seen[l.ID] = true
		}
	}
	info, err := Check(again)
	require.NoError(t, err)
	require.NoError(t, info.CheckQuery(again.Queries[0]))
	require.Equal(t, "id0", n.Templates[1].Locations[0].ID, "the input is not changed")
}

func TestWriteXMLErrors(t *testing.T) {
	l, other := &Location{}, &Location{}
	for want, n := range map[string]*Network{
		"a template is nil":                           {Templates: []*Template{nil}},
		"template P has no initial location":          {Templates: []*Template{{Name: "P"}}},
		"the initial location of template P is not":   {Templates: []*Template{{Name: "P", Init: l}}},
		"template P: a location is nil":               {Templates: []*Template{{Name: "P", Init: l, Locations: []*Location{nil}}}},
		"template P: edge 0 does not join locations":  {Templates: []*Template{{Name: "P", Init: l, Locations: []*Location{l}, Edges: []*Edge{{From: l, To: other}}}}},
		"template PP: edge 0 does not join locations": {Templates: []*Template{{Name: "PP", Init: l, Locations: []*Location{l}, Edges: []*Edge{nil}}}},
	} {
		require.ErrorContains(t, WriteXML(&bytes.Buffer{}, n), want)
	}
	require.Error(t, WriteXML(failingWriter{}, sample(t)))
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

// The elements in an order that UPPAAL's own reader refuses, with CDATA,
// unknown labels and elements, comments, a branch point, and blank queries.
const unordered = `<?xml version="1.0" encoding="iso-8859-1"?>
<!DOCTYPE nta PUBLIC "-//Uppaal Team//DTD Flat System 1.6//EN" "https://example.invalid/flat-1_6.dtd" [ <!ENTITY x "y"> ]>
<nta>
 <queries><option key="--search-order" value="0"/>
  <query><comment>blank</comment><formula/></query>
  <query><formula> // nothing </formula></query>
  <query><formula>A[] P.b</formula><comment>caf` + "\xe9" + `</comment><expect outcome="success"/></query>
 </queries>
 <system>system P;</system>
 <instantiation>P = T();</instantiation>
 <template>
  <transition controllable="false"><target ref="j"/><source ref="i"/>
   <nail x="1" y="2"/><label kind="assignment">x = k</label><label kind="guard"><![CDATA[x < 3 && k > 0]]></label>
   <label kind="select">k : int[0,2]</label><label kind="testcode">anything</label></transition>
  <transition><source ref="j"/><target ref="i"/><label kind="assignment">x = 0</label><label kind="probability">2</label></transition>
  <transition><source ref="j"/><target ref="k"/><label kind="probability">1</label></transition>
  <init ref="i"/>
  <branchpoint id="j"/>
  <location id="k"><committed/><name>b</name></location>
  <location id="i" x="7" y="oops"><label kind="exponentialrate">1</label><label kind="invariant">x &lt; 5</label><name> a </name><urgent/></location>
  <name>T</name>
 </template>
 <!-- a comment -->
 <declaration>int <!-- inside -->x;</declaration>
</nta>`

func TestReadXMLAnyOrder(t *testing.T) {
	n := readXML(t, unordered)
	info, err := Check(n)
	require.NoError(t, err)
	require.Len(t, n.Queries, 1)
	require.NoError(t, info.CheckQuery(n.Queries[0]))
	require.Equal(t, "café", n.Queries[0].Comment)
	tpl := n.Templates[0]
	require.Equal(t, "a", tpl.Init.Name)
	require.Equal(t, Urgent, tpl.Init.Urgency)
	require.Equal(t, 7, tpl.Init.X)
	require.Equal(t, Committed, tpl.Locations[0].Urgency)
	require.Len(t, tpl.Edges, 2)
	for i, to := range []string{"a", "b"} {
		e := tpl.Edges[i]
		require.Equal(t, to, e.To.Name)
		require.Equal(t, "x < 3 && k > 0", ExprString(e.Guard))
		require.Equal(t, "k : int[0,2]", SelectString(e.Select))
	}
	require.Equal(t, "x = k, x = 0", UpdateString(tpl.Edges[0].Update))
	require.Equal(t, "x = k", UpdateString(tpl.Edges[1].Update))
}

func TestReadXMLErrors(t *testing.T) {
	const head = `<nta><declaration>int x;</declaration><template><name>P</name><location id="a"/>`
	const tail = `</template><system>system P;</system></nta>`
	const init = `<init ref="a"/>`
	for text, want := range map[string]string{
		"":               "the document has no root element: is it XML? (The textual format has the names .xta and .ta.)",
		"<nta>":          "reading XML:",
		"<nta></nta>":    "the model has no system element",
		"<project/>":     `the root element is "project", not nta`,
		"<nta>&x;</nta>": "reading XML:",
		head + tail:      "template P: the template has no initial location",
		head + init + `<init ref="b"/>` + `<location id="a"/>` + tail:                      `two locations have the id "a"`,
		head + `<init ref="b"/>` + tail:                                                    `the initial location refers to the unknown id "b"`,
		head + init + `<transition><source ref="a"/><target ref="b"/></transition>` + tail: `template P, edge 0: the edge refers to the unknown id "b"`,
		head + init + `<transition><source ref="a"/><target ref="a"/><label kind="guard">x &gt;
 ;</label></transition>` + tail: `template P, edge 0, guard:2:2: unexpected ";", expected an expression`,
		head + init + `<location id="b"><urgent/><committed/></location>` + tail:                                                             "template P, location b: the location is both urgent and committed",
		head + init + `<location id="b"><name>n</name><label kind="invariant">1 +</label></location>` + tail:                                 "template P, location n, invariant:1:4: unexpected end of text",
		head + init + `<declaration>int</declaration>` + tail:                                                                                "template P, declaration:1:4: unexpected end of text",
		head + init + `<parameter>int</parameter>` + tail:                                                                                    "template P, parameter:1:4: unexpected end of text",
		head + init + `<branchpoint id="b"/><transition><source ref="a"/><target ref="b"/></transition>` + tail:                              "the edge ends in a branch point that no edge leaves",
		head + init + `<branchpoint id="b"/><transition><source ref="b"/><target ref="a"/><label kind="guard">x</label></transition>` + tail: "an edge out of a branch point can have an assignment and a weight only",
		head + init + `</template><lsc/><template>` + tail:                                                                                   "live sequence charts are not supported",
		head + init + `</template><system>system P;</system><template>` + tail:                                                               "the template has no name",
		head + init + `</template><instantiation>Q = </instantiation><template><name>Q</name>` + tail:                                        "instantiation:1:5: unexpected end of text",
		strings.Repeat("<nta>", 100):                    "elements are nested more than 64 deep",
		`<?xml version="1.0" encoding="ebcdic"?><nta/>`: `character set "ebcdic" is not supported`,
	} {
		n, err := ReadXML(strings.NewReader(text))
		require.ErrorContains(t, err, want, text)
		require.Nil(t, n)
	}
}

// A wrong query does not hide the others.
func TestReadXMLWrongQuery(t *testing.T) {
	text := strings.Replace(unordered, "<query><formula/>", "<query><formula>Pr[&lt;=3](&lt;&gt; x)</formula>", 1)
	text = strings.Replace(text, "<query><comment>blank</comment><formula/></query>", "<query><formula>simulate [&lt;=3] { x }</formula></query>", 1)
	n, err := ReadXML(strings.NewReader(text))
	require.EqualError(t, err, "query 1:1:1: simulations are not supported")
	require.Len(t, n.Queries, 1)
	require.Equal(t, 3, n.Queries[0].Number, "numbers count what is left out")
	require.Len(t, n.LeftOut, 1)
	require.Equal(t, 1, n.LeftOut[0].Number)
	require.Equal(t, "simulate [<=3] { x }", n.LeftOut[0].Text)
}

func TestEscape(t *testing.T) {
	n := sample(t)
	n.Queries[0].Comment = "a\r\nb\tc\x00\xff<>&\"'\uFFFE"
	again := readXML(t, writeXML(t, n))
	require.Equal(t, "a\r\nb\tc\uFFFD\uFFFD<>&\"'\uFFFD", again.Queries[0].Comment)
}
