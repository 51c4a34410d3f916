package uppaal

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const baseDecls = `
const int N = 3;
typedef int[0,N-1] id_t;
typedef scalar[2] set_t;
typedef struct { int a; bool b[2]; } S;
int x, y; bool b, b2; int arr[N]; int perId[id_t]; int[0,5] small;
set_t sc, sc2; int ofSet[set_t];
S s, s2;
chan c, cs[N]; broadcast chan bc; urgent chan uc;
int side() { x = 1; return 1; }
int pure(int v) { int w = v; w++; return w; }
void bump(int &v) { v++; }
int viaLocal(int v) { bump(v); return v; }
void nothing() { }
`

// template gives a model with one template P without parameters.
func oneTemplate(decls, local string, edge [4]string, invariant string) model {
	return model{
		decls:     baseDecls + decls,
		templates: []templateText{{name: "P", decls: local, invariant: invariant, edges: [][4]string{edge}}},
		system:    "system P;",
	}
}

// decl, local, select, guard, sync, update and invariant are tests of one text
// in its place. An empty expectation means that it is accepted, otherwise the
// first error must contain it.
var checkTests = []struct{ place, text, want string }{
	// Types.
	{"decl", "int a[N], b1[id_t][2], d[int[2,4]];", ""},
	{"decl", "int[3,1] z;", "the range [3,1] is empty"},
	{"decl", "int[0,x] z;", "the bound of a range is not a compile-time constant: x is not a constant"},
	{"decl", "int a[0];", "the size of an array must be positive"},
	{"decl", "int a[-1];", "the size of an array must be positive"},
	{"decl", "int a[100000][100000];", "more than 1048576 elements"},
	{"decl", "int a[int32_t];", "more than 1048576 elements"},
	{"decl", "int a[bool];", "an array is indexed by a bounded integer or scalar type, not bool"},
	{"decl", "clock t;", "clocks are not supported"},
	{"decl", "double t;", "floating-point numbers are not supported"},
	{"decl", "const string t = x;", "strings are not supported"},
	{"decl", "void t;", "a variable cannot be void"},
	{"decl", "nope t;", "unknown type nope"},
	{"decl", "x t;", "x is not a type"},
	{"decl", "urgent int t;", "only channels can be urgent or broadcast"},
	{"decl", "const chan t;", "a channel cannot be const or meta"},
	{"decl", "struct { chan c; } t;", "a struct cannot hold channels"},
	{"decl", "struct { int a; int a; } t;", "duplicate field a"},
	{"decl", "scalar[0] t;", "the size of a scalar set must be positive"},
	{"decl", "typedef int A;", "A cannot be the name of a type"},
	{"decl", "int A, E, sup, deadlock;", ""},
	{"decl", doubling(40), "the struct has more than 1048576 cells"},
	{"decl", "const int k = sum (i : int16_t) sum (j : int16_t) sum (l : int16_t) 1;", "the constants take too long to compute"},
	// Names.
	{"decl", "int x;", "duplicate definition of x"},
	{"decl", "typedef int[-2147483648,2147483647] int32_t; int32_t h;", ""},
	{"decl", "const int INT8_MAX = 3; int a[INT8_MAX];", ""},
	{"decl", "int8_t i8; uint16_t u16; int32_t i32 = INT32_MIN;", ""},
	{"decl", "int x2 = M_PI;", "M_PI is a floating-point number"},
	{"decl", "Q = P();", "processes are instantiated in the system section only"},
	{"local", "int x; bool N;", ""},
	{"local", "int L;", "duplicate definition of L"},
	{"guard", "L == 1", "location L cannot be used in an expression of the model"},
	{"guard", "deadlock", "unknown identifier deadlock"},
	{"guard", "P == 1", "P is a template or process, a value is expected"},
	{"guard", "id_t == 1", "id_t is a type, a value is expected"},
	{"guard", "pure == 1", "function pure is not called"},
	{"guard", "x(1)", "x is not a function"},
	{"guard", "nope(1)", "unknown function nope"},
	// Initialisers and constants.
	{"decl", "int a[3] = {1,2,3}; int m[2][2] = {{1,2},{3,4}};", ""},
	{"decl", "int a[3] = {1,2};", "the initialiser has 2 elements for an array of 3"},
	{"decl", "int a[3] = 1;", "int[1,1] cannot initialise int[-32768,32767][3]"},
	{"decl", "int a = {1};", "a list cannot initialise int[-32768,32767]"},
	{"decl", "S r = {1, {true,false}}, q = { b: {true,true}, a: 2 };", ""},
	{"decl", "S r = { b: {true,true}, z: 2 };", "the struct has no field z"},
	{"decl", "S r = { a: 1, a: 2 };", "field a is initialised twice"},
	{"decl", "S r = { a: 1, {true,true} }, q = { b: {true,true}, a: 1 };", ""},
	{"decl", "S r = { b: {true,true}, 1 };", "there is no field for this element"},
	{"decl", "S r = {1};", "the initialiser has 1 elements for a struct of 2 fields"},
	{"decl", "const int k;", "constant k has no value"},
	{"decl", "int k = x;", "the initial value of k is not a compile-time constant: x is not a constant"},
	{"decl", "int[0,3] k = 4;", "value 4 is out of range [0,3]"},
	{"decl", "int k = 40000;", "value 40000 is out of range [-32768,32767]"},
	{"decl", "const int k = 16777619; const int j = -2128831035;", ""},
	{"decl", "const int k = 1/0;", "division by zero"},
	{"decl", "const int t[2] = {4,5}; int a[t[1]]; int b3[t[2]];", "index 2 is out of range [0,1]"},
	{"decl", "const S r = {1, {true,false}}; int a[r.a];", ""},
	{"decl", "int a[N > 2 ? 4 : 1]; int b3[(sum (i : id_t) i) + 1];", ""},
	{"decl", "int a[pure(2)]; const int k = pure(pure(1)) + abs(-2); int d[k];", ""},
	{"decl", "int a[side()];", "the size of an array must have no side effects, but function side has"},
	{"decl", "int getX() { return x; } int a[getX()];", "the size of an array is not a compile-time constant: function getX uses x, which is not a constant"},
	{"decl", "int getX() { return x; } int viaX() { return getX(); } int k = viaX();", "function viaX uses x, which is not a constant"},
	{"decl", "int f(int n) { assert n > 1; return n; } int a[f(1)];", "the size of an array is not a compile-time constant: assertion fails"},
	{"decl", "int f() { while (true) { int i; i++; } return 1; } int a[f()];", "the constants take too long to compute"},
	{"decl", "int[0,3] f(int n) { return n; } int a[f(4)];", "value 4 is out of range [0,3]"},
	{"decl", "int k[2] = {pure(3), 1}; int[0,pure(1)] m; const S t = { pure(4), {true, false} }; int b3[t.a];", ""},
	{"decl", "int[false,true] z;", "the bound of a range must be an integer, found bool"},
	{"decl", "int k = side();", "an initialiser must have no side effects, but function side has"},
	{"decl", "chan k = 1;", "a channel has no initial value"},
	{"decl", "bool k = 5;", ""},
	// Functions.
	{"decl", "int f() { return 1; } int g() { return f(); }", ""},
	{"decl", "int f() { return f(); }", "function f calls itself: recursion is not allowed"},
	{"decl", "int[0,0] f(int n) { int a[f(0)]; return 0; }", "function f calls itself: recursion is not allowed"},
	{"decl", "int f() { return g(); } int g() { return 1; }", "unknown function g"},
	{"decl", "int f() { }", "return statement expected at the end of function f"},
	{"decl", "int f() { if (x) return 1; }", "return statement expected"},
	{"decl", "int f() { if (x) return 1; else { return 2; } }", ""},
	{"decl", "int f() { while (true) { return 1; } }", "return statement expected"},
	{"decl", "int f() { return; }", "function f must return a value"},
	{"decl", "void f() { return 1; }", "function f returns nothing"},
	{"decl", "int f() { return s; }", "function f returns int[-32768,32767], not struct"},
	{"decl", "S f() { S t; return t; }", "function f cannot return an array or a struct that holds one"},
	{"decl", "typedef struct { int a; set_t b; } R2; R2 f() { R2 t; return t; }", ""},
	{"decl", "void f() { int i = side(); }", "an initialiser must have no side effects, but function side has"},
	{"decl", "void f() { int i, j; for (i = 0, j = 1; i < 3, j < 4; i++, j++) x = i; if (x++, b) ; do ; while (y = 1, x > 3); }", ""},
	{"decl", "void f() { assert x > 0; }", ""},
	{"decl", "void f() { assert x++ > 0; }", "an assertion must have no side effects"},
	{"decl", "void f() { assert s; }", "an assertion must be a boolean or an integer"},
	{"decl", "void f() { c; }", "a channel does nothing"},
	{"decl", "before_update { x = 0, side() } after_update { y = x }", ""},
	{"decl", "before_update { x = 0 } before_update { y = 0 }", "before_update is declared twice"},
	{"decl", "after_update { nope = 1 }", "unknown identifier nope"},
	{"local", "after_update { x = 1 }", "after_update is declared globally"},
	{"decl", "chan f() { return c; }", "function f cannot return a channel"},
	{"decl", "void f(chan d) { }", "channel parameter d must be a reference"},
	{"decl", "void f() { chan d; }", "a channel cannot be declared in a function"},
	{"decl", "void f(int a, int a) { }", "duplicate definition of a"},
	{"decl", "void f(int a) { int a; }", "duplicate definition of a"},
	{"decl", "void f(int a) { { int a; a = 1; } }", ""},
	{"decl", "void f() { int i = x; for (i : id_t) arr[i] = i; }", ""},
	{"decl", "void f() { for (i : id_t) i = 0; }", "i is constant"},
	{"decl", "void f() { for (i : bool) ; }", "i must range over a bounded integer or scalar type, found bool"},
	{"decl", "void f() { const int k = x; k = 2; }", "k is constant"},
	{"decl", "void f(const int &v) { v = 1; }", "v is constant"},
	{"decl", "void f() { if (s) ; }", "a condition must be a boolean or an integer, found struct"},
	// Guards, invariants, synchronisations.
	{"guard", "x > 0 && b and forall (i : id_t) arr[i] != 1", ""},
	{"guard", "x", ""},
	{"guard", "s", "a guard must be a boolean or an integer, found struct"},
	{"guard", "x = 1", "a guard must have no side effects, but = changes x"},
	{"guard", "x++ > 1", "a guard must have no side effects, but ++ changes x"},
	{"guard", "side() == 1", "a guard must have no side effects, but function side has"},
	{"guard", "pure(x) == viaLocal(2)", ""},
	{"guard", "bump(x) == 1", "a guard must have no side effects, but the call changes x"},
	{"guard", "nothing()", "a guard must be a boolean or an integer, found void"},
	{"invariant", "x <= 3 && pure(1) > 0", ""},
	{"invariant", "x++ < 3", "an invariant must have no side effects"},
	{"invariant", "c", "an invariant must be a boolean or an integer, found chan"},
	{"sync", "c!", ""},
	{"sync", "cs[x + 1]?", ""},
	{"sync", "cs[side()]!", "a synchronisation must have no side effects"},
	{"sync", "x!", "channel expected, found int[-32768,32767]"},
	{"sync", "cs!", "channel expected, found chan[3]"},
	{"sync", "(b ? c : cs[x])!", ""},
	{"sync", "(b ? c : bc)!", "the branches of the conditional have the types chan and broadcast chan"},
	{"sync", "(b ? cs : cs)[x]?", ""},
	// Select.
	{"select", "i : int[0,3], j : id_t, k : int, l : set_t", ""},
	{"select", "i : int32_t", "has more than 65536 values"},
	{"select", "i : int[0,3], i : id_t", "duplicate definition of i"},
	{"select", "x : id_t", ""},
	{"select", "i : bool", "i must range over a bounded integer or scalar type, found bool"},
	// Booleans and integers.
	{"update", "b = x, x = b, x = b + b, x += b, b |= x, x ^= b, b = x < b", ""},
	{"update", "b += x", "operator += needs an integer variable, found bool"},
	{"update", "b++", "operator ++ needs an integer variable, found bool"},
	{"update", "--b", "operator -- needs an integer variable, found bool"},
	{"update", "b <<= 1, b -= x, b *= b, b %= 2", ""},
	{"update", "c", "a channel does nothing"},
	{"update", "x = s", "cannot be assigned to int[-32768,32767]"},
	{"update", "s = s2, arr = perId, s.b = s2.b", ""},
	{"update", "arr = s", "cannot be assigned"},
	{"update", "arr += arr", "operator += needs an integer variable"},
	{"update", "x = s == s2 && arr != perId", ""},
	{"update", "x = s == x", "cannot be compared"},
	{"update", "x = s < s2", "operator < needs integers or booleans, found struct"},
	{"update", "x = c == cs[1], b = cs != cs", ""},
	{"update", "x = c == bc", "cannot be compared"},
	{"update", "sc = sc2, x = sc == sc2 ? 1 : 2, ofSet[sc] = 1", ""},
	{"update", "sc = 1", "cannot be assigned"},
	{"update", "ofSet[1] = 1", "the index must have the type set_t, found int[1,1]"},
	{"update", "x = sc", "cannot be assigned"},
	{"update", "sc++", "operator ++ needs an integer variable, found set_t"},
	{"update", "N = 1", "N is constant"},
	{"update", "1 = x", "the operand of = must be a variable"},
	{"update", "(b ? x : y) = 1, (b ? arr : perId)[1]++, (b ? s : s2).a += 2, bump(b ? x : y)", ""},
	{"update", "(b ? x : small) = 1", "the operand of = must be a variable"},
	{"update", "(b ? x : 1) = 1", "the operand of = must be a variable"},
	{"update", "(b ? x : N) = 1", "N is constant"},
	{"update", "(x = y) += 2, ++x = 3, (++(--x)), bump(x = 2), (s = s2).a = 1", ""},
	{"update", "x++ = 3", "the operand of = must be a variable"},
	{"update", "pure(1) = 2", "the operand of = must be a variable"},
	{"update", "x[1] = 2", "array expected, found int[-32768,32767]"},
	{"update", "arr[s] = 2", "the index must be an integer, found struct"},
	{"update", "x.a = 2", "struct expected, found int[-32768,32767]"},
	{"update", "s.z = 2", "the struct has no field z"},
	{"update", "x = forall (i : id_t) side() > 0", "the body of a quantifier must have no side effects"},
	{"update", "x = sum (i : id_t) s", "the body of a quantifier must be a boolean or an integer"},
	{"update", "side(), x = abs(-x) + pure(b), bump(y), bump(arr[1])", ""},
	{"update", "pure()", "function pure takes 1 arguments, found 0"},
	{"update", "pure(s)", "cannot be passed for parameter v"},
	{"update", "bump(1)", "reference parameter v needs a variable"},
	{"update", "bump(N)", "reference parameter v could change the constant N"},
	{"update", "bump(small)", "reference parameter v has the type int[-32768,32767], not int[0,5]"},
	{"update", "x = 1 ? s : 2", "the branches of the conditional"},
	{"update", "P.L", "P is a template or process, a value is expected"},
	{"update", "x = x ** 2 <? 3 >? 4 << 1 xor b imply b", ""},
	// Channel priorities.
	{"decl", "chan priority c, cs[0] < default < bc;", ""},
	{"decl", "chan priority x;", "channel expected"},
	{"decl", "chan priority cs[x];", "the index is not a compile-time constant"},
	{"decl", "chan priority cs[7];", "index 7 is out of range [0,2]"},
	{"decl", "chan priority default < default;", "default occurs twice"},
	{"decl", "chan priority c; chan priority bc;", "channel priorities are declared twice"},
	{"local", "chan priority c;", "channel priorities are declared globally"},
}

// doubling declares structs each of which holds the one before twice.
func doubling(n int) string {
	text := "typedef struct { int a; } D0;"
	for i := range n {
		text += fmt.Sprintf(" typedef struct { D%d a, b; } D%d;", i, i+1)
	}
	return text
}

func checkFirst(err error) string {
	var es Errors
	if !errors.As(err, &es) || len(es) == 0 {
		return fmt.Sprint(err)
	}
	return es[0].Error()
}

func TestCheck(t *testing.T) {
	for _, test := range checkTests {
		t.Run(test.place+" "+test.text, func(t *testing.T) {
			var decl, local, invariant string
			var edge [4]string
			switch test.place {
			case "decl":
				decl = test.text
			case "local":
				local = test.text
			case "invariant":
				invariant = test.text
			case "select":
				edge[0] = test.text
			case "guard":
				edge[1] = test.text
			case "sync":
				edge[2] = test.text
			case "update":
				edge[3] = test.text
			}
			n := oneTemplate(decl, local, edge, invariant).build(t)
			_, err := Check(n)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			require.Contains(t, checkFirst(err), test.want)
		})
	}
}

// A location name hides a global one in the labels of its template.
func TestLocationHides(t *testing.T) {
	m := model{
		decls:     "chan done; int L;",
		templates: []templateText{{name: "P", decls: "int f() { return L; }", edges: [][4]string{{"", "", "done!", ""}}}},
		system:    "system P;",
	}
	_, err := Check(m.build(t))
	require.EqualError(t, err, "template P, edge 0, synchronisation:1:1: location done cannot be used in an expression of the model")
}

func TestCheckReportsAllInOrder(t *testing.T) {
	m := model{
		decls: "int a = z1;\nint b = z2;",
		templates: []templateText{
			{name: "P", decls: "int c = z3;", edges: [][4]string{{"", "z4 &&\n z5", "z6!", "z7 = 1"}}},
			{name: "Q", invariant: "z8"},
		},
		system: "system P, R;",
	}
	_, err := Check(m.build(t))
	require.EqualError(t, err, strings.TrimSpace(`
declaration:1:9: unknown identifier z1
declaration:2:9: unknown identifier z2
template P, declaration:1:9: unknown identifier z3
template P, edge 0, guard:1:1: unknown identifier z4
template P, edge 0, guard:2:2: unknown identifier z5
template P, edge 0, synchronisation:1:1: unknown identifier z6
template P, edge 0, assignment:1:1: unknown identifier z7
template Q, location L, invariant:1:1: unknown identifier z8
system:1:11: unknown template or process R`))

	many := ""
	for i := range 80 {
		many += fmt.Sprintf("int v%d = w%d;\n", i, i)
	}
	_, err = Check(model{decls: many, templates: []templateText{{name: "P"}}, system: "system P;"}.build(t))
	var es Errors
	require.ErrorAs(t, err, &es)
	require.Len(t, es, maxErrors+1)
	require.Equal(t, "30 more errors not shown", es[maxErrors].Error())
	var one *Error
	require.ErrorAs(t, err, &one)
}

// Trees that are built, not parsed, may be malformed in any way.
func TestCheckMalformed(t *testing.T) {
	l := &Location{}
	other := &Location{}
	x := &Ident{Name: "x"}
	for _, n := range []*Network{
		{},
		{Templates: []*Template{nil}},
		{Templates: []*Template{{Name: "P"}}},
		{Templates: []*Template{{Name: "P", Locations: []*Location{l, l, nil}, Init: other, Edges: []*Edge{nil, {From: l}}}}},
		{Decls: []Decl{nil, &VarDecl{Name: "x"}, &FuncDecl{Name: "f"}, &TypedefDecl{}, &ChanPriority{Groups: [][]Expr{{x}}}}},
		{Decls: []Decl{&VarDecl{Name: "1", Type: &TypeExpr{Kind: RangeType}}}},
		{Decls: []Decl{&VarDecl{Name: "select", Type: &TypeExpr{Kind: IntType}, Init: &InitList{Names: []string{"a"}}}}},
		{Instances: []Decl{&InstanceDecl{Name: "Q"}}, System: SystemLine{Names: []*Ident{{Name: "Q"}}}},
		{Decls: []Decl{&VarDecl{Name: "v", Type: &TypeExpr{Kind: IntType}, Init: &Binary{Op: "nope", X: &IntLit{}, Y: &IntLit{}}}}},
		{Decls: []Decl{&VarDecl{Name: "v", Type: &TypeExpr{Kind: IntType}, Init: &Binary{Op: OpAdd}}}},
		{Progress: []*Measure{nil, {}, {X: &InitList{}}, {X: &Deadlock{}}, {X: &Stuck{Process: x}}, {X: &Assign{}}, {X: &Cond{}}, {Guard: &Quant{}}, {X: &Comma{}}, {X: &Call{Fun: x, Process: x}}}},
	} {
		_, err := Check(n)
		var es Errors
		require.ErrorAs(t, err, &es)
	}
}

func TestProcesses(t *testing.T) {
	m := model{
		decls: "typedef int[0,1] id_t; typedef scalar[2] set_t; int x, a[3]; chan c[2]; broadcast chan bc; urgent chan uc; const int K = 2;",
		templates: []templateText{
			{name: "P", params: "const id_t i, int[1,2] j, int &r, chan &d"},
			{name: "Free", params: "const int[2,3] i, set_t s"},
			{name: "Plain", params: "int id"},
			{name: "U", params: "urgent chan &d, int &v[3], const int k"},
			{name: "V", params: "bool b"},
		},
		system: `
			Q(const id_t k, int &q) = P(k, k + 1, q, c[k]);
			R(id_t n) = Q(n, a[n + 1]);
			One = P(1, 2, x, c[1]);
			UU = U(c[0], a, K * 3);
			system One, R < Free, UU;`,
	}
	info, err := Check(m.build(t))
	require.NoError(t, err)
	var got []string
	for _, p := range info.Processes {
		text := fmt.Sprintf("%s/%d", p.Name, p.Priority)
		for _, a := range p.Args {
			if a.Ref != nil {
				text += " &" + ExprString(a.Ref)
			} else {
				text += fmt.Sprint(" ", a.Value)
			}
		}
		require.Same(t, p.Original, p.Template)
		got = append(got, text)
	}
	require.Equal(t, []string{
		"One/0 [1] [2] &x &c[1]",
		"R(0)/0 [0] [1] &a[1] &c[0]", "R(1)/0 [1] [2] &a[2] &c[1]",
		"Free(2,0)/1 [2] [0]", "Free(2,1)/1 [2] [1]", "Free(3,0)/1 [3] [0]", "Free(3,1)/1 [3] [1]",
		"UU/1 &c[0] &a [6]",
	}, got)
	require.True(t, info.HasPriorities())
	ref := info.Processes[1].Args[2].Ref
	require.Equal(t, Int{-32768, 32767}, info.Types[ref])
	require.Equal(t, "a", info.Uses[ref.(*Index).X.(*Ident)].(*Var).Name)

	for system, want := range map[string]string{
		"system Plain;":                              "free parameter id of type int[-32768,32767] makes too many processes",
		"system V;":                                  "free parameter b must be a bounded integer or a scalar by value",
		"system U;":                                  "must be a bounded integer or a scalar by value",
		"system P, P;":                               "free parameter r must be",
		"X1 = V(1); system X1, X1;":                  "process X1 is listed twice",
		"X1 = P(1); system X1;":                      "P takes 4 arguments, found 1",
		"X1 = P(2, 1, x, c[0]); system X1;":          "argument for parameter i of P: value 2 is out of range [0,1]",
		"X1 = P(x, 1, x, c[0]); system X1;":          "argument for parameter i of P: x is not a constant",
		"X1 = P(1, 1, 2, c[0]); system X1;":          "reference parameter r needs a variable",
		"X1 = P(1, 1, K, c[0]); system X1;":          "reference parameter r could change the constant K",
		"X1 = P(1, 1, x, bc); system X1;":            "reference parameter d has the type chan, not broadcast chan",
		"X1 = P(1, 1, x, uc); system X1;":            "reference parameter d has the type chan, not urgent chan",
		"X1 = P(1, 1, a[x], c[0]); system X1;":       "the index of an argument by reference must be constant",
		"X1 = P(1, 1, a[3], c[0]); system X1;":       "index 3 is out of range [0,2]",
		"X1 = P(1, 1, x = 1, c[0]); system X1;":      "an argument must have no side effects",
		"X1 = x(1); system X1;":                      "x is not a template or process",
		"system x;":                                  "x is not a template or process",
		"P = V(1); system P;":                        "duplicate definition of P",
		"X1(const int k) = V(k); system X1;":         "makes too many processes",
		"X1(const id_t k) = Y(k); system X1;":        "unknown template or process Y",
		"X1(id_t k) = U(c[0], a, k + x); system X1;": "x is not a constant",
	} {
		m.system = system
		_, err := Check(m.build(t))
		require.ErrorContains(t, err, want, system)
	}
}

// A template whose types depend on parameters is checked for their values.
func TestDependentTemplate(t *testing.T) {
	m := model{
		decls: "int x;",
		templates: []templateText{{
			name: "P", params: "const int[0,9] n, const int[0,1] id",
			decls: "const int M = n + 1; int a[M]; int start = id; int f(int[0,n] v) { return v; }",
			edges: [][4]string{{"i : int[0,n]", "a[i] > 0 && forall (k : int[0,n]) a[k] < 2", "", "a[i] = f(i)"}},
		}},
		system: "A1(const int[0,1] id) = P(2, id); B1 = P(4, 0); system A1, B1;",
	}
	n := m.build(t)
	info, err := Check(n)
	require.NoError(t, err)
	require.Len(t, info.Processes, 3)
	require.Same(t, info.Processes[0].Template, info.Processes[1].Template, "only n matters to types")
	for i, size := range []int{3, 3, 5} {
		p := info.Processes[i]
		require.Same(t, n.Templates[0], p.Original)
		require.NotSame(t, p.Original, p.Template)
		locals := info.Locals[p.Template]
		require.Equal(t, []int32{int32(size)}, locals[0].Value)
		require.Equal(t, size, Size(locals[1].Type))
		require.Equal(t, Int{0, int32(size - 1)}, info.Defs[p.Template.Edges[0].Select[0]].Type)
		require.Same(t, info.Params[p.Template][0], p.Args[0].Param)
	}
	q := mustQuery(t, "A[] B1.a[4] == 0 && forall (i : int[0,1]) A1(i).id == i")
	require.NoError(t, info.CheckQuery(q))

	m.system = "B1 = P(0, 0); system B1;"
	m.templates[0].decls = "int a[n];"
	_, err = Check(m.build(t))
	require.ErrorContains(t, err, "template P, declaration:1:6: the size of an array must be positive, not 0")

	// Errors that have nothing to do with the values are reported once.
	m.system = "B1 = P(1, 0); B2 = P(2, 0); system B1, B2;"
	m.templates[0].decls = "int a[n] = nope;"
	m.templates[0].edges = nil
	_, err = Check(m.build(t))
	require.EqualError(t, err, "template P, declaration:1:12: unknown identifier nope")

	m.templates[0].params = "const int[0,9] n, const int[0,n] id"
	m.templates[0].decls = ""
	_, err = Check(m.build(t))
	require.ErrorContains(t, err, "the type of a parameter depends on another parameter, which is not supported")

	// A parameter that is not constant has no value at compile time.
	m.templates[0].params = "int[0,9] n, const int[0,1] id"
	m.templates[0].decls = "int a[n];"
	_, err = Check(m.build(t))
	require.ErrorContains(t, err, "n is not a constant")
}

func queryInfo(t *testing.T, extra string) *Info {
	t.Helper()
	m := model{
		decls: baseDecls + extra,
		templates: []templateText{
			{name: "P", params: "const id_t id, int v", decls: "int cs; int a[2]; bool flag;"},
			{name: "Q"},
		},
		system: "Fam(const id_t k) = P(k, 2 * k); One = P(0, 7); Un = Q(); system Fam, One, Q;",
	}
	info, err := Check(m.build(t))
	require.NoError(t, err)
	return info
}

func TestCheckQuery(t *testing.T) {
	info := queryInfo(t, "")
	for text, want := range map[string]string{
		"A[] not deadlock":                           "",
		"E<> One.L && Fam(1).done && Q.L":            "",
		"A[] One.v == 7 && One.a[1] > 0 && One.flag": "",
		"A[] forall (i : id_t) Fam(i).cs < 2":        "",
		"A[] (sum (i : id_t) Fam(i).L) <= 1":         "",
		"E<> stuck(One) or stuck(Fam(N - 1))":        "",
		"E<> exists (i : id_t) stuck(Fam(i))":        "",
		"One.L --> Q.done":                           "",
		"A[] pure(x) > 1 && deadlock == 0":           "",
		"E<> exists (Q : id_t) Q == 1":               "",
		"A[] One":                                    "query:1:5: One is a template or process, a value is expected",
		"A[] Fam.L":                                  "query:1:5: process Fam has 1 free parameters, found 0 arguments",
		"A[] One(1).L":                               "query:1:5: process One has 0 free parameters, found 1 arguments",
		"A[] Fam(3).L":                               "query:1:5: there is no process Fam(3)",
		"A[] Fam(s).L":                               "query:1:9: struct { int[-32768,32767] a; bool[2] b; } cannot be passed for parameter k of type int[0,2]",
		"A[] P(1, 2).L":                              "query:1:5: P is not in the system line",
		"A[] Un.L":                                   "query:1:5: Un is not in the system line",
		"A[] One.nope":                               "query:1:8: process One has no location, variable or parameter nope",
		"A[] x++ > 1":                                "query:1:5: a query must have no side effects, but ++ changes x",
		"A[] One.cs = 1":                             "query:1:5: a query must have no side effects, but = changes cs",
		"A[] side() > 1":                             "query:1:5: a query must have no side effects, but function side has",
		"A[] s":                                      "query:1:5: a query must be a boolean or an integer, found struct { int[-32768,32767] a; bool[2] b; }",
		"A[] c":                                      "query:1:5: a query must be a boolean or an integer, found chan",
		"A[] nope":                                   "query:1:5: unknown identifier nope",
		"E[] deadlock":                               "query:1:5: deadlock can stand in A[] and E<> queries only",
		"A<> not deadlock":                           "query:1:9: deadlock can stand in A[] and E<> queries only",
		"x > 1 --> deadlock":                         "query:1:11: deadlock can stand in A[] and E<> queries only",
		"A<> stuck(One)":                             "query:1:5: stuck can stand in A[] and E<> queries only",
		"E<> stuck(x)":                               "query:1:11: the argument of stuck must be a process",
		"E<> stuck(One(2))":                          "query:1:11: process One has 0 free parameters, found 1 arguments",
		"E<> s.a == 1 && x.a == 2":                   "query:1:17: struct expected, found int[-32768,32767]",
		"E<> forall (i : id_t) (i = 1) == 1":         "query:1:24: i is constant",
	} {
		err := info.CheckQuery(mustQuery(t, text))
		if want == "" {
			require.NoError(t, err, text)
		} else {
			require.EqualError(t, err, want, text)
		}
	}

	q := mustQuery(t, "E<> Fam(1).L and Fam(x).cs == 0 and stuck(One)")
	require.NoError(t, info.CheckQuery(q))
	both := q.X.(*Binary)
	first := both.X.(*Binary).X.(*Field)
	require.Equal(t, "Fam(1)", info.ProcessOf[first.X].Name)
	require.IsType(t, &Location{}, info.Members[first])
	second := both.X.(*Binary).Y.(*Binary).X.(*Field)
	require.Nil(t, info.ProcessOf[second.X])
	set := info.Uses[second.X.(*Call).Fun].(*ProcessSet)
	require.Equal(t, "Fam(2)", set.At([]int32{2}).Name)
	require.Nil(t, set.At([]int32{3}))
	require.Equal(t, "cs", info.Member(set.At([]int32{2}), "cs").(*Var).Name)
	require.Equal(t, "One", info.ProcessOf[both.Y.(*Stuck).Process].Name)

	withPriorities := queryInfo(t, "chan priority c < default;")
	require.EqualError(t, withPriorities.CheckQuery(mustQuery(t, "A[] not deadlock")),
		"query:1:9: deadlock cannot be used in a model with priorities")

	for _, q := range []*Query{{}, {Op: "X"}, {Op: Always, X: &IntLit{}, Y: &IntLit{}}, {Op: LeadsTo, X: &IntLit{}}, {Op: Always, X: &InitList{}}} {
		require.Error(t, info.CheckQuery(q))
	}
}

func TestConstEval(t *testing.T) {
	info := queryInfo(t, "const int T[2] = {10, 20}; const S cst = { b: {false, true}, a: 5 };")
	for text, want := range map[string]int32{
		"1 + 2 * 3": 7, "N": 3, "T[1] + cst.a": 25, "cst.b[1]": 1,
		"2147483647 + 1": -2147483648, "(-2128831035 ^ 7) * 16777619": func() int32 {
			h, k := int32(-2128831035), int32(16777619)
			return (h ^ 7) * k
		}(),
		"-7 / 2": -3, "-7 % 2": -1, "1 << 4 >> 2": 4, "-8 >> 1": -4, "3 <? 4": 3, "3 >? 4": 4,
		"2 ** 10": 1024, "3 ** 0": 1, "6 & 3 | 8 ^ 1": 11, "!5": 0, "!0": 1, "+4": 4,
		"true && false": 0, "pure(1)": 2, "pure(pure(N))": 5, "true || 1 / 0": 1, "false imply 1 / 0": 1, "false && 1 / 0": 0, "1 xor 1": 0,
		"true imply false imply false": 1, "2 == 2": 1, "2 != 2": 0, "2 <= 1": 0, "2 >= 1": 1, "1 < 2": 1, "1 > 2": 0,
		"N > 2 ? 4 : 5": 4, "abs(-3)": 3, "INT32_MIN": -2147483648, "UINT16_MAX": 65535,
		"T == T": 1, "cst != cst": 0,
	} {
		got, ok := info.ConstEval(mustExpr(t, text))
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"x", "1 / 0", "1 % 0", "1 << -1", "1 << 32", "T[2]", "T", "side()", "2 ** -1", "nope", "One.v", "true && 1 / 0"} {
		_, ok := info.ConstEval(mustExpr(t, text))
		require.False(t, ok, text)
	}
	// A quantifier is known once it is checked.
	q := mustQuery(t, "A[] (sum (i : id_t) i * T[0]) == 30")
	require.NoError(t, info.CheckQuery(q))
	got, ok := info.ConstEval(q.X)
	require.True(t, ok)
	require.Equal(t, int32(1), got)
}

func TestInfo(t *testing.T) {
	info := queryInfo(t, "meta int m; int f(int &p) { int q; for (i : id_t) { int r = i; q += r; } return q; }")
	var globals []string
	for _, v := range info.Globals {
		globals = append(globals, v.Name)
	}
	require.Equal(t, "INT8_MIN INT8_MAX UINT8_MAX INT16_MIN INT16_MAX UINT16_MAX INT32_MIN INT32_MAX N x y b b2 arr perId small sc sc2 ofSet s s2 c cs bc uc m", strings.Join(globals, " "))
	for d, f := range info.Funcs {
		switch d.Name {
		case "f":
			var locals []string
			for _, v := range f.Locals {
				locals = append(locals, fmt.Sprint(v.Name, v.Kind))
			}
			require.Equal(t, []string{fmt.Sprint("q", FuncLocal), fmt.Sprint("i", BoundVar), fmt.Sprint("r", FuncLocal)}, locals)
			require.True(t, f.Pure)
		case "side", "bump":
			require.False(t, f.Pure, d.Name)
		case "pure", "viaLocal", "nothing":
			require.True(t, f.Pure, d.Name)
		}
	}
	require.Equal(t, &Array{Elem: Int{-32768, 32767}, Lo: 0, Hi: 2}, info.Globals[14].Type)
}

func TestTypes(t *testing.T) {
	typ := &Struct{Fields: []FieldType{
		{"a", Int{3, 5}},
		{"b", &Array{Elem: &Array{Elem: Bool{}, Lo: 0, Hi: 1}, Lo: 2, Hi: 3}},
		{"c", Int{-5, -2}},
	}}
	require.Equal(t, 6, Size(typ))
	require.Equal(t, []int32{3, 0, 0, 0, 0, -5}, Zero(typ))
	var names []string
	Leaves(typ, func(suffix string, leaf Type) { names = append(names, suffix) })
	require.Equal(t, []string{".a", ".b[2][0]", ".b[2][1]", ".b[3][0]", ".b[3][1]", ".c"}, names)
	offset, field, ok := typ.Field("c")
	require.True(t, ok)
	require.Equal(t, 5, offset)
	require.Equal(t, Int{-5, -2}, field)
	require.Equal(t, "struct { int[3,5] a; bool[int[2,3]][2] b; int[-5,-2] c; }", typ.String())
}
