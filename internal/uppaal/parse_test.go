package uppaal

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sameExprs are pairs of texts that parse to the same tree.
var sameExprs = [][2]string{
	// One level, left associative.
	{"a imply b or c", "(a imply b) or c"},
	{"a imply b imply c", "(a imply b) imply c"},
	{"a or b xor c imply d", "((a or b) xor c) imply d"},
	{"a || b && c", "a || (b && c)"},
	{"not a and b", "(!a) && b"},
	{"not a == b", "(!a) == b"},
	{"!a.b[1]", "!((a.b)[1])"},
	// The rest of the table, tightest first.
	{"-a ** b", "(-a) ** b"},
	{"a ** b ** c", "(a ** b) ** c"},
	{"a * b ** c", "a * (b ** c)"},
	{"a + b * c - d / e % f", "(a + (b * c)) - ((d / e) % f)"},
	{"a << b + c", "a << (b + c)"},
	{"a <? b << c", "a <? (b << c)"},
	{"a < b >? c", "a < (b >? c)"},
	{"a == b < c", "a == (b < c)"},
	{"a & b == c", "a & (b == c)"},
	{"a ^ b & c", "a ^ (b & c)"},
	{"a | b ^ c", "a | (b ^ c)"},
	{"a && b | c", "a && (b | c)"},
	{"a ? b : c ? d : e", "a ? b : (c ? d : e)"},
	{"a or b ? c : d", "(a or b) ? c : d"},
	{"a = b ? c : d", "a = (b ? c : d)"},
	{"a = b = c", "a = (b = c)"},
	{"a := b", "a = b"},
	{"a += b + 1", "a += (b + 1)"},
	{"++x.f", "++(x.f)"},
	{"-x++", "-(x++)"},
	{"a - -1", "a - (-1)"},
	{"a-1", "a - 1"},
	{"x--> 0", "(x--) > 0"},
	// The body of a quantifier is as long as it can be.
	{"sum (i:id_t) p[i] == 2", "sum (i:id_t) (p[i] == 2)"},
	{"a && forall (i : int[0,3]) b or c", "a && (forall (i : int[0,3]) (b or c))"},
	{"!exists (i : t) a && b", "!(exists (i : t) (a && b))"},
	{"1 /* one */ + // two\n 2", "1 + 2"},
	{"- 2147483648", "-2147483648"},
}

func TestPrecedence(t *testing.T) {
	for _, pair := range sameExprs {
		require.Equal(t, mustExpr(t, pair[1]), mustExpr(t, pair[0]), pair[0])
	}
}

func TestLiterals(t *testing.T) {
	require.Equal(t, &IntLit{Value: 2147483647}, mustExpr(t, "2147483647"))
	require.Equal(t, &IntLit{Value: -2147483648}, mustExpr(t, "-2147483648"))
	require.Equal(t, &IntLit{Value: -5}, mustExpr(t, "-5"))
	require.Equal(t, &Unary{Op: OpNeg, X: &IntLit{Value: 5}}, mustExpr(t, "-(5)"))
}

var badExprs = map[string]string{
	"":                   "1:1: unexpected end of text, expected an expression",
	"2147483648":         "1:1: integer literal overflows 32 bits",
	"a - 2147483649":     "1:5: integer literal overflows 32 bits",
	"99999999999999999":  "1:1: integer literal overflows 32 bits",
	"0x10":               `1:2: unexpected "x" after a number (literals are decimal)`,
	"1.5":                "1:1: floating-point numbers are not supported",
	"sin(1)":             "1:1: function sin works on floating-point numbers, which are not supported",
	"a +":                "1:4: unexpected end of text, expected an expression",
	"a b":                `1:3: unexpected "b"`,
	"(a":                 `1:3: unexpected end of text, expected ")"`,
	"a\n+ @":             "2:3: unexpected character '@'",
	"x'":                 "1:2: clock rates are not supported",
	"location":           "1:1: unexpected keyword location, expected an expression",
	"x[1](2)":            "1:5: only a name can be called",
	"f(1)(2)":            "1:5: only a name can be called",
	"f(1,)":              `1:5: unexpected ")", expected an expression`,
	"{1,2}":              `1:1: unexpected "{", expected an expression`,
	"forall (i) x":       `1:10: unexpected ")", expected ":"`,
	"forall (if : t) x":  "1:9: unexpected keyword if, expected the name of a bound variable",
	"a /* b":             "1:3: comment is not closed",
	`"text"`:             "1:1: strings are not supported",
	"abs + 1":            `1:5: unexpected "+", expected the argument of abs`,
	"a [] b":             `1:4: unexpected "]", expected an expression`,
	"A[] x":              `1:3: unexpected "]", expected an expression`,
	"a <? ":              "1:6: unexpected end of text, expected an expression",
	"x ? y":              `1:6: unexpected end of text, expected ":"`,
	"\xff":               "1:1: unexpected character '�'",
	"a;":                 `1:2: unexpected ";"`,
	"switch (x)":         "",
	"select":             "1:1: unexpected keyword select, expected an expression",
	"a == random(10)":    "1:6: function random works on floating-point numbers, which are not supported",
	"1 + system":         "1:5: unexpected keyword system, expected an expression",
	"forall (i : id_t)":  "1:18: unexpected end of text, expected an expression",
	"exists (i : 3) i>0": "1:13: unexpected \"3\", expected a type",
}

func TestBadExprs(t *testing.T) {
	for text, want := range badExprs {
		_, err := ParseExpr(text)
		if want == "" {
			require.NoError(t, err, text)
			continue
		}
		require.EqualError(t, err, want, text)
		var e *Error
		require.ErrorAs(t, err, &e)
	}
}

func TestDeepNesting(t *testing.T) {
	for _, unit := range []string{"(", "-", "!", "++", "a[", "f(", "forall (i : t) ", "a ? ", "a = ", "a + (", "{"} {
		_, err := ParseExpr(strings.Repeat(unit, 20000))
		require.Error(t, err, unit)
	}
	for _, text := range []string{
		"void f() " + strings.Repeat("{", 20000),
		"void f() { " + strings.Repeat("if (x) ", 20000),
		"int x = " + strings.Repeat("{", 20000),
		strings.Repeat("struct { ", 20000),
		"int a[" + strings.Repeat("struct { int b[", 20000),
	} {
		_, err := ParseDecls(text)
		require.ErrorContains(t, err, "nested too deeply")
	}
	_, err := ParseExpr("a" + strings.Repeat(" + a", 2*maxOps))
	require.ErrorContains(t, err, "expression is too long")

	long := "a" + strings.Repeat(" + a", maxOps-1)
	e, err := ParseExpr(long)
	require.NoError(t, err)
	require.Equal(t, long, ExprString(CloneExpr(e)))
}

var goodDecls = []string{
	"int x;", "int x = 1, y[3], z = -2;", "const int N = 5;", "bool b = true;",
	"int[0,7] x;", "int[-2147483648,2147483647] h;", "typedef int[0,3] id_t; id_t a[id_t][2];",
	"typedef struct { int a; bool b[2]; } S; S s = {1, {true, false}}; S r = { b: {true, true}, a: 2 };",
	"chan c, d[3]; urgent chan u; broadcast chan b; urgent broadcast chan ub;",
	"meta int m;", "typedef scalar[3] s_t;", "clock x;", "double d;", "hybrid clock h;",
	"chan a, b; chan priority a < default < b;",
	"void f() { }", "int f(int x, int &y, const int z[3]) { return x; }",
	"void f() { int i; bool b[2] = {true, false}; for (i = 0; i < 3; i++) { ; } }",
	"void f() { if (a) b = 1; else if (c) b = 2; else { b = 3; } }",
	"void f() { while (a) b++; do b--; while (b > 0); }",
	"void f() { for (i : id_t) x[i] = 0; for (true, x[0] = 1; x[0] < 3, true; x[0]++, x[1]++) ; assert x[0] > 0; return; }",
	"void f() { if (a) { if (b) c = 1; } else c = 2; }",
	"P1 = P(1, x);", "Q(const int[0,1] k) = P(k, 1);", "P1 = P();",
	"int A; int sup; int deadlock; int close;", "int x$y;",
	"before_update { x = 1, f() }", "after_update { x++ } int y;",
	"int a[int[2,4]];", "struct { int x, y; } p, q;", "/* nothing */", "// nothing",
	"typedef int[-128,127] int8_t;", "typedef int pair[2], x_t;",
}

var badDecls = map[string]string{
	"int x":                                "1:6: unexpected end of text, expected \";\"",
	"int;":                                 `1:4: unexpected ";", expected the name of a declaration`,
	"int select;":                          "1:5: unexpected keyword select, expected the name of a declaration",
	"int abs;":                             "1:5: unexpected keyword abs, expected the name of a declaration",
	"int location;":                        "1:5: unexpected keyword location, expected the name of a declaration",
	"int x = {};":                          "1:10: an initialiser cannot be empty",
	"scalar[3] a, b;":                      "1:15: a scalar type for several names needs a typedef",
	"before_update { }":                    "1:17: unexpected \"}\", expected an expression",
	"after_update { x = 1; }":              "1:21: unexpected \";\", expected \"}\"",
	"void f() { for (;;) ; }":              "1:17: the three parts of a for statement cannot be empty: write true",
	"void f() { break; }":                  "1:12: break does not exist in this language",
	"void f() { x = 1; int y; }":           "1:19: declarations must come first in a block",
	"void f() { int g() { } }":             "1:17: functions cannot be declared inside a function",
	"void f() { int i = (1, 2); }":         "1:22: unexpected \",\", expected \")\"",
	"void f() { return 1, 2; }":            "1:20: unexpected \",\", expected \";\"",
	"void f() { x = 1 }":                   `1:18: unexpected "}", expected ";"`,
	"int x; }":                             `1:8: unexpected "}", expected a type`,
	"int[0] x;":                            `1:6: unexpected "]", expected ","`,
	"struct { int a } s;":                  `1:16: unexpected "}", expected ";"`,
	"void f(int x,) { }":                   `1:14: unexpected ")", expected a type`,
	"const string s = \"a\";":              "1:18: strings are not supported",
	"P1 = P(1)":                            "1:10: unexpected end of text, expected \";\"",
	"import \"libm.so\" { double f(); };":  "1:8: strings are not supported",
	"int x = 1 = ;":                        `1:13: unexpected ";", expected an expression`,
	"typedef int A; typedef int[0,1] case": "",
}

func TestDecls(t *testing.T) {
	for _, text := range goodDecls {
		_, err := ParseDecls(text)
		require.NoError(t, err, text)
	}
	for text, want := range badDecls {
		_, err := ParseDecls(text)
		if want == "" {
			require.Error(t, err, text)
			continue
		}
		require.EqualError(t, err, want, text)
	}
}

func TestSync(t *testing.T) {
	for text, dir := range map[string]Dir{"c!": Send, "c ?": Receive, "c[i][x+1]!": Send, "(a ? c : d)?": Receive, "c\n?": Receive} {
		s, err := ParseSync(text)
		require.NoError(t, err, text)
		require.Equal(t, dir, s.Dir, text)
	}
	for text, want := range map[string]string{
		"c":     "1:1: a synchronisation must end in ! or ?",
		"":      "1:1: a synchronisation must end in ! or ?",
		"!":     "1:1: unexpected end of text, expected an expression",
		"c!?":   `1:2: unexpected "!"`,
		"c! d!": `1:2: unexpected "!"`,
	} {
		_, err := ParseSync(text)
		require.EqualError(t, err, want, text)
	}
}

func TestUpdateAndSelect(t *testing.T) {
	us, err := ParseUpdate("x = 1, y = x + 1,\n f(a, b)")
	require.NoError(t, err)
	require.Len(t, us, 3)
	bs, err := ParseSelect("i : int[0,3], j : id_t, k : int")
	require.NoError(t, err)
	require.Len(t, bs, 3)
	for _, empty := range []string{"", " \n", "// nothing"} {
		us, err = ParseUpdate(empty)
		require.NoError(t, err)
		require.Empty(t, us)
		bs, err = ParseSelect(empty)
		require.NoError(t, err)
		require.Empty(t, bs)
	}
	for _, bad := range []string{"x = 1,", "x = 1;", ", x = 1", "x = 1 y = 2"} {
		_, err = ParseUpdate(bad)
		require.Error(t, err, bad)
	}
	for _, bad := range []string{"i", "i : int[0,3],", "i : 3", "int i : int"} {
		_, err = ParseSelect(bad)
		require.Error(t, err, bad)
	}
}

func TestSystem(t *testing.T) {
	ds, line, progress, err := ParseSystem(`
		// instances
		P1 = P(1); int late;
		system P1, Q < R;
		progress { x; y + 1; }
		gantt { G: x -> 1; }`)
	require.NoError(t, err)
	require.Len(t, ds, 2)
	require.Len(t, line.Names, 3)
	require.Equal(t, []bool{false, true}, line.Below)
	require.Len(t, progress, 2)
	for text, want := range map[string]string{
		"P1 = P();":                     "1:10: the system line is missing",
		"system ;":                      `1:8: unexpected ";", expected the name of a process`,
		"system P":                      `1:9: unexpected end of text, expected ";"`,
		"system P; int x;":              "1:11: unexpected keyword int after the system line",
		"system P; progress { x > 0: }": "1:29: unexpected \"}\", expected an expression",
		"system P; gantt { { }":         `1:22: unexpected end of text, expected "}"`,
	} {
		_, _, _, err := ParseSystem(text)
		require.EqualError(t, err, want, text)
	}
}

var goodQueries = []string{
	"A[] not deadlock", "E<> P.a and P(1).b", "A[]P.a", "E[] x > 0", "A<> done", "p --> q",
	"A[] (not out_of_resources) imply (not (deadlock and P.sending_x))",
	"E<> stuck(P)", "A[] not stuck(P(1, 2))", "E<> deadlock == 0",
	"A[] (sum (i:id_t) P(i).cs) <= 1", "forall (i : id_t) P(i).a --> x == 1",
	"A[] x \\\n or y", "\n\nA[] x\n", "A[] x // comment", "/* T */ A[] x", "A[] P._id0",
	"A[] P.location == 2", "E<> P(1).f(x, 2) > 0 and P.f()",
	"E<> Pr == 1", "sup == 1 --> inf == 2", "A[] A == 1", "E > 1 --> x",
	"sup: x", "inf{P.a}: x, y + 1", "bounds{ x > 1 }:y", "bounds: (sum (i : id_t) P(i).cs)",
}

var badQueries = map[string]string{
	"":                       "1:1: the query is empty",
	"A [] x":                 "1:1: a path operator is written without space: A[]",
	"E <> x":                 "1:1: a path operator is written without space: E<>",
	"x > 0":                  "1:6: unexpected end of text: a query begins with A[], E<>, E[], A<>, sup, inf or bounds, or has the form p --> q",
	"A[] A<> x":              "1:5: path operator A<> inside a formula: path operators do not nest",
	"A[] (p && A<> q)":       "1:11: path operator A<> inside a formula: path operators do not nest",
	"a --> b --> c":          `1:9: unexpected "-->"`,
	"A[] a --> b":            "1:7: path operators do not nest",
	"A[] x\n or y":           "1:6: a newline ends a query: a backslash in front of it continues the query",
	"A[] x\nE<> y":           "1:6: a newline ends a query: a backslash in front of it continues the query",
	"Pr[<=10](<> x)":         "1:1: probability queries are not supported",
	"sup: ":                  "1:6: unexpected end of text, expected an expression",
	"sup x":                  `1:5: unexpected "x", expected ":"`,
	"sup[x]: y":              `1:4: unexpected "[", expected ":"`,
	"inf{x: y":               `1:6: unexpected ":", expected "}"`,
	"inf{}: y":               `1:5: unexpected "}", expected an expression`,
	"simulate [<=10] {x}":    "1:1: simulations are not supported",
	"control: A<> x":         "1:1: control queries are not supported",
	"strategy S = A[] x":     "1:1: strategies are not supported",
	"A[] x under S":          "1:7: queries under a strategy are not supported",
	"A[p U q]":               "1:1: until queries are not supported",
	"A[] x \\ y":             "1:7: a backslash must end the line",
	"E<> stuck()":            `1:11: unexpected ")", expected the name of a process`,
	"E<> stuck(P.a)":         `1:12: unexpected ".", expected ")"`,
	"A[] deadlock.x[":        "1:16: unexpected end of text, expected an expression",
	"E[<=10; 5](max: x)":     "1:1: expectation queries are not supported",
	"E [] x":                 "1:1: a path operator is written without space: E[]",
	"saveStrategy(\"a\", S)": "1:14: strings are not supported",
}

func TestQueries(t *testing.T) {
	for _, text := range goodQueries {
		mustQuery(t, text)
	}
	for text, want := range badQueries {
		_, err := ParseQuery(text)
		require.EqualError(t, err, want, text)
	}
}

func TestReadQueries(t *testing.T) {
	qs, err := ReadQueries(strings.NewReader(`
// all of them
A[] not deadlock   // T
/* over
   lines */
E<> P.a and \
    P.b

p --> q`))
	require.NoError(t, err)
	var got []string
	for _, q := range qs {
		got = append(got, QueryString(q))
	}
	require.Equal(t, []string{"A[] not deadlock", "E<> P.a and P.b", "p --> q"}, got)
	require.Equal(t, 6, qs[1].Pos.Line)

	_, err = ReadQueries(strings.NewReader("A[] x\nA[] y z"))
	require.EqualError(t, err, `2:7: unexpected "z"`)
}

func TestIsReserved(t *testing.T) {
	for _, name := range []string{"select", "A", "deadlock", "stuck", "break", "int32_t", "M_PI", "sin", "location"} {
		require.True(t, IsReserved(name), name)
	}
	for _, name := range []string{"close", "start", "x", "B"} {
		require.False(t, IsReserved(name), name)
	}
	require.True(t, IsName("close"))
	require.True(t, IsName("A"))
	for _, name := range []string{"", "1a", "select", "a-b", "é"} {
		require.False(t, IsName(name), name)
	}
}
