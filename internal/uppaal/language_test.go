package uppaal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// languageTests are the constructs of UPPAAL's language, by section. Each is
// tried in its place in a small network, and docs/uppaal-language.md is made of
// them. An empty expectation means that it is accepted, otherwise the first
// error must contain it.
var languageTests = []struct{ section, construct, place, text, want string }{
	{"Types", "bool, int, bounded int", "decl", "bool b1; int i1; int[-3,7] i2;", ""},
	{"Types", "built-in integer types and limits", "decl", "int8_t i1; uint16_t i2; int32_t i3 = INT32_MAX;", ""},
	{"Types", "a built-in type declared again", "decl", "typedef int[-2147483648,2147483647] int32_t; int32_t again;", ""},
	{"Types", "scalar sets", "decl", "typedef scalar[3] t3; t3 v; int a[t3];", ""},
	{"Types", "structs", "decl", "struct { int a; bool f[2]; } r = { f: {true, false}, a: 2 };", ""},
	{"Types", "arrays of several dimensions, indexed by types", "decl", "int a[2][id_t][int[2,4]];", ""},
	{"Types", "constants", "decl", "const int k = 2 * N;", ""},
	{"Types", "meta variables, which have their initial value again in each step, in guards and in formulas (UPPAAL keeps what they had, outside of the state)", "decl", "meta int m1;", ""},
	{"Types", "channels: urgent, broadcast, both", "decl", "chan c1; urgent chan c2; broadcast chan c3; urgent broadcast chan c4;", ""},
	{"Types", "clocks", "decl", "clock t;", "clocks are not supported"},
	{"Types", "floating-point numbers", "decl", "double t;", "floating-point numbers are not supported"},
	{"Types", "strings", "decl", "const string t = 1;", "strings are not supported"},
	{"Types", "hybrid clocks", "decl", "hybrid clock t;", "clocks are not supported"},
	{"Types", "an initial value outside the range", "decl", "int[0,3] k = 4;", "value 4 is out of range [0,3]"},

	{"Literals", "the least number", "update", "h = -2147483648", ""},
	{"Literals", "a number that is too large", "update", "h = 2147483648", "integer literal overflows 32 bits"},
	{"Literals", "hexadecimal numbers", "update", "x = 0x10", "literals are decimal"},

	{"Operators", "arithmetic", "update", "x = -y + x - y * x / 3 % 2 ** 2", ""},
	{"Operators", "bits and shifts", "update", "x = x & y | x ^ y << 1 >> 1", ""},
	{"Operators", "minimum, maximum, abs", "update", "x = x <? y >? abs(x)", ""},
	{"Operators", "and, or, xor, not, imply", "guard", "not b and x > 1 or b xor b imply b", ""},
	{"Operators", "&&, ||, !", "guard", "!b && x > 1 || b", ""},
	{"Operators", "conditional", "update", "x = b ? x : y", ""},
	{"Operators", "forall, exists, sum", "guard", "forall (i : id_t) exists (j : int[0,2]) (sum (k : id_t) arr[k]) > i - j", ""},
	{"Operators", "=, := and all assignments with an operation", "update", "x := y, x += 1, x -= 1, x *= 2, x /= 2, x %= 2, x &= 1, x |= 1, x ^= 1, x <<= 1, x >>= 1", ""},
	{"Operators", "++ and --, before and after", "update", "x++, ++x, x--, --x", ""},
	{"Operators", "++ of a bool", "update", "b++", "needs an integer variable"},
	{"Operators", "+= of a bool", "update", "b += x", "needs an integer variable"},
	{"Operators", "comparison and assignment of arrays and structs", "update", "arr = perId, s = s2, b = s == s2", ""},
	{"Operators", "order of scalars", "guard", "sc < sc2", "operator < needs integers or booleans"},

	{"Functions", "if, while, do, for, for over a type, return", "decl", "int f() { int i; if (x > 1) return 1; else i = 2; while (i < 3) i++; do i--; while (i > 0); for (i = 0; i < 3; i++) ; for (j : id_t) i += j; return i; }", ""},
	{"Functions", "reference parameters", "decl", "void f(int &v, int &a[3]) { v = a[1]; }", ""},
	{"Functions", "a reference to a variable of another range", "decl", "void f(int &v) { } void g() { f(h); }", "reference parameter v has the type int[-32768,32767], not int[-2147483648,2147483647]"},
	{"Functions", "a constant reference to a variable of another range", "decl", "int f(const int &v) { return v; } int g() { return f(h); }", ""},
	{"Functions", "assert", "decl", "void f() { assert x < 3; }", ""},
	{"Functions", "before_update, after_update", "decl", "before_update { x = 0 } after_update { y = x }", ""},
	{"Functions", "recursion", "decl", "int f() { return f(); }", "recursion is not allowed"},
	{"Functions", "a function in a function", "decl", "void f() { void g() { } }", "functions cannot be declared inside a function"},
	{"Functions", "break", "decl", "void f() { while (b) break; }", "break"},
	{"Functions", "continue", "decl", "void f() { while (b) continue; }", "continue"},
	{"Functions", "switch", "decl", "void f() { switch (x) { } }", "switch"},
	{"Functions", "a missing return", "decl", "int f() { }", "return statement expected"},

	{"Edges", "select", "select", "i : int[0,3], j : id_t, k : int, l : set_t", ""},
	{"Edges", "guard with side effects", "guard", "side() == 1", "must have no side effects"},
	{"Edges", "synchronisation with an index", "sync", "cs[x + 1]!", ""},
	{"Edges", "synchronisation without ! or ?", "sync", "c", "!"},
	{"Edges", "updates with a comma at the end", "update", "x = 1,", "expected"},
	{"Edges", "updates with a semicolon", "update", "x = 1; y = 2", ";"},
	{"Edges", "a location in a guard", "guard", "L == 1", "location L cannot be used"},
	{"Edges", "deadlock in a guard", "guard", "deadlock", "unknown identifier deadlock"},
	{"Edges", "invariant over integers", "invariant", "x <= 3 && forall (i : id_t) arr[i] < 2", ""},

	{"Priorities", "of channels", "decl", "chan priority c, cs[0] < default < bc;", ""},
	{"Priorities", "of processes", "system", "Q1 = P(); Q2 = P(); system Q1 < Q2;", ""},

	{"System", "instances", "system", "Q1 = P(); system Q1;", ""},
	{"System", "progress measures", "system", "system P; progress { x; }", ""},
	{"System", "gantt charts", "system", "system P; gantt { }", ""},
	{"System", "a process twice", "system", "system P, P;", "P"},
	{"System", "an unknown process", "system", "system Nope;", "Nope"},
	{"System", "dynamic templates", "decl", "dynamic T(int i);", "dynamic is not supported"},

	{"Templates", "parameters by value and by reference", "templates", "<template><name>Q</name><parameter>const id_t i, int &amp;r, int &amp;a[3], chan &amp;ch</parameter>" + oneLocation + "</template>", ""},
	{"Templates", "a process for each value of a parameter", "templates", "<template><name>Q</name><parameter>const id_t i, const set_t j</parameter>" + oneLocation + "</template>", ""},
	{"Templates", "some arguments given", "system", "Q(const id_t i) = T(i, x, arr[1]); Q2(int &r) = T(1, r, y); Q3 = Q2(y); system P, Q, Q3;", ""},
	{"Templates", "a free parameter by reference", "system", "system P, T;", "parameter"},
	{"Templates", "urgent and committed locations", "body", `<location id="id0"><urgent/></location><location id="id1"><committed/></location><init ref="id0"/>`, ""},
	{"Templates", "a location that is both", "body", `<location id="id0"><urgent/><committed/></location><init ref="id0"/>`, "both urgent and committed"},
	{"Templates", "elements in another order", "body", `<init ref="id0"/><transition><target ref="id0"/><source ref="id0"/></transition><location id="id0"><committed/><name>L</name></location>`, ""},
	{"Templates", "branch points", "body", `<location id="id0"/><branchpoint id="id1"/><init ref="id0"/><transition><source ref="id0"/><target ref="id1"/><label kind="guard">x &lt; 3</label></transition>` +
		`<transition><source ref="id1"/><target ref="id0"/><label kind="assignment">x++</label><label kind="probability">2</label></transition>`, ""},
	{"Templates", "no initial location", "body", `<location id="id0"/>`, "no initial location"},
	{"Templates", "two locations of one name", "body", `<location id="id0"><name>L</name></location><location id="id1"><name>L</name></location><init ref="id0"/>`, "L"},
	{"Templates", "variables of processes", "body", `<declaration>int own[id_t]; const int k = N; int f() { return own[k - 1]; }</declaration><location id="id0"><label kind="invariant">own[0] &lt; 3</label></location><init ref="id0"/>`, ""},
	{"Templates", "the textual format (.xta, .ta)", "text", "int x; process P() { state L, done { x < 3 }; commit L; init L; trans L -> done { guard x < 2; assign x++; }; } system P;", ""},
	{"Templates", "the textual format of UPPAAL 3", "text", "const N 5; process P { state a; init a; } system P;", "this is the syntax of UPPAAL 3"},

	{"Queries", "A[], E<>", "query", "A[] not deadlock", ""},
	{"Queries", "E[]", "query", "E[] P.L", ""},
	{"Queries", "A<>", "query", "A<> P.done", ""},
	{"Queries", "-->", "query", "P.L --> P.done", ""},
	{"Queries", "locations as numbers", "query", "A[] (P.L + P.done) <= 1", ""},
	{"Queries", "stuck (an extension)", "query", "A[] not stuck(P)", ""},
	{"Queries", "deadlock in E[]", "query", "E[] deadlock", "deadlock can stand in A[] and E<> queries only"},
	{"Queries", "nested path quantifiers", "query", "A[] (P.L imply A<> P.done)", "A<>"},
	{"Queries", "a line break in a query", "query", "A[] x > 1\n && y > 1", "line"},
	{"Queries", "A [] in two words", "query", "A [] x > 1", "a path operator is written without space"},
	{"Queries", "sup, inf, bounds", "query", "bounds{P.L}: x, x + y", ""},
	{"Queries", "sup of a scalar", "query", "sup: sc", "what sup measures must be an integer"},
	{"Queries", "deadlock in sup", "query", "sup{deadlock}: x", "deadlock can stand in A[] and E<> queries only"},
	{"Queries", "statistical queries", "query", "Pr[<=10](<> x > 1)", "probability queries are not supported"},
	{"Queries", "simulations", "query", "simulate [<=10] { x }", "simulations are not supported"},
	{"Queries", "games", "query", "control: A[] x > 1", "control"},
	{"Queries", "under a strategy", "query", "A[] x > 1 under s1", "under"},
}

const oneLocation = `<location id="id9"><name>L</name></location><init ref="id9"/>`

// tryLanguage reads a construct in its place, and gives the first error.
func tryLanguage(place, text string) (*Network, *Query, error) {
	part := map[string]string{"system": "system P;"}
	switch place {
	case "templates":
		part["system"] = "system P, Q;"
		if strings.Contains(text, "&amp;") {
			part["system"] = "Q1 = Q(1, x, arr, c); system P, Q1;"
		}
	}
	part[place] = text
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	for k, v := range part {
		if k != "templates" && k != "body" {
			part[k] = escape.Replace(v)
		}
	}
	label := func(kind, place string) string {
		if part[place] == "" {
			return ""
		}
		return fmt.Sprintf("<label kind=%q>%s</label>", kind, part[place])
	}
	body := part["body"]
	if body == "" {
		body = "<location id=\"id0\"><name>L</name>" + label("invariant", "invariant") + "</location>" +
			"<location id=\"id1\"><name>done</name></location><init ref=\"id0\"/><transition><source ref=\"id0\"/><target ref=\"id1\"/>" +
			label("select", "select") + label("guard", "guard") + label("synchronisation", "sync") + label("assignment", "update") + "</transition>"
	}
	file := "<nta><declaration>" + escape.Replace(baseDecls) + "int32_t h;\n" + part["decl"] + "</declaration>" +
		"<template><name>P</name>" + body + "</template>" +
		"<template><name>T</name><parameter>const id_t i, int &amp;r, int &amp;s</parameter>" + oneLocation + "</template>" +
		part["templates"] + "<system>" + part["system"] + "</system></nta>"
	n, err := ReadXML(strings.NewReader(file))
	if place == "text" {
		n, err = ReadXTA(strings.NewReader(text), "model.xta")
	}
	if err != nil {
		return nil, nil, err
	}
	info, err := Check(n)
	if err != nil {
		return nil, nil, err
	}
	if place != "query" {
		text = "A[] true"
	}
	q, err := ParseQuery(text)
	if err != nil {
		return nil, nil, err
	}
	return n, q, info.CheckQuery(q)
}

// Construct is a row of the table that is accepted: a network with it, and a query.
type Construct struct {
	Name, Text string
	Network    *Network
	Query      *Query
}

// AcceptedConstructs are for the engine, which imports this package: each as it is read, and
// from the textual format.
func AcceptedConstructs(t testing.TB) (all []Construct) {
	for _, c := range languageTests {
		if c.want == "" {
			n, q, err := tryLanguage(c.place, c.text)
			require.NoError(t, err, c.text)
			all = append(all, Construct{c.construct, c.text, n, q})
			var text strings.Builder
			require.NoError(t, WriteXTA(&text, n))
			n, err = ReadXTA(strings.NewReader(text.String()), "model.xta")
			require.NoError(t, err, text.String())
			all = append(all, Construct{c.construct + " as text", c.text, n, q})
		}
	}
	return all
}

// TestLanguage tries every construct, and compares the table with the
// documentation.
func TestLanguage(t *testing.T) {
	var doc strings.Builder
	doc.WriteString("# The language of models\n\n" +
		"UPPAAL's language without time, as packages uppaal and check take it. Each line is\n" +
		"a case of TestLanguage (internal/uppaal/language_test.go), which also writes this file\n" +
		"(-update); what is rejected is rejected with the message given.\n")
	section := ""
	for _, c := range languageTests {
		_, _, err := tryLanguage(c.place, c.text)
		status := "accepted"
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %s: %v", c.construct, c.text, err)
			}
		} else {
			message := checkFirst(err)
			if err == nil || !strings.Contains(message, c.want) {
				t.Errorf("%s: %s: %v, not %q", c.construct, c.text, err, c.want)
			}
			status = "rejected: " + message
		}
		if c.section != section {
			section = c.section
			doc.WriteString("\n## " + section + "\n\n| construct | example | |\n|---|---|---|\n")
		}
		cell := func(s string) string { return strings.NewReplacer("|", "\\|", "\n", " ⏎ ").Replace(s) }
		fmt.Fprintf(&doc, "| %s | `%s` | %s |\n", cell(c.construct), cell(c.text), cell(status))
	}
	file := filepath.Join("..", "..", "docs", "uppaal-language.md")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(doc.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), doc.String())
}
