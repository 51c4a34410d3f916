package uppaal

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPrintExpr(t *testing.T) {
	for text, want := range map[string]string{
		"((a))+(b*c)":               "a + b * c",
		"(a+b)*c":                   "(a + b) * c",
		"a-(b-c)":                   "a - (b - c)",
		"a and not b or c":          "a && !b || c",
		"a imply (b imply c)":       "a imply (b imply c)",
		"(a imply b) imply c":       "a imply b imply c",
		"(sum (i:id_t) a[i]) == 2":  "(sum (i : id_t) a[i]) == 2",
		"a && forall (i:t) b":       "a && forall (i : t) b",
		"(forall (i:t) b) ? 1 : 2":  "(forall (i : t) b) ? 1 : 2",
		"-(-a)":                     "-(-a)",
		"-(--a)":                    "-(--a)",
		"-(5)":                      "-(5)",
		"- 5":                       "-5",
		"a - (-5)":                  "a - -5",
		"+(+a)":                     "+(+a)",
		"(a++).f":                   "a++.f",
		"(a ? b : c) ? d : e":       "(a ? b : c) ? d : e",
		"a := b = (c += 1)":         "a = b = c += 1",
		"(a = b) + 1":               "(a = b) + 1",
		"abs ( -1 )":                "abs(-1)",
		"forall (i : int[0,N-1]) x": "forall (i : int[0,N - 1]) x",
	} {
		require.Equal(t, want, ExprString(mustExpr(t, text)), text)
	}
	for _, pair := range sameExprs {
		e := mustExpr(t, pair[0])
		require.Equal(t, e, mustExpr(t, ExprString(e)), pair[0])
	}
}

func TestPrintQuery(t *testing.T) {
	for _, text := range []string{
		"A[] (not out_of_resources) imply (not (P and hash32 != h1 and hash32 != h2))",
		"A[] (not out_of_resources) imply (not (deadlock and P.sending_x))",
		"A[] (not out_of_resources) imply (not P)",
		"A[] not P",
		"A[] not (P and hash32 != -1657359148)",
		"E<> P(1,2).x",
		"p and (not q) --> r or s",
		"A[] not (not p)",
		"E<> stuck(P) or deadlock",
		"A[] (sum (i : id_t) P(i).cs) <= 1",
		"A[] forall (i : id_t) not P(i).cs",
		"A[] a imply (b imply c)",
		"A[] (not a) ? not b : (not c)",
	} {
		q := mustQuery(t, strings.ReplaceAll(text, "P(1,2)", "P(1, 2)"))
		require.Equal(t, strings.ReplaceAll(text, "P(1,2)", "P(1, 2)"), QueryString(q))
	}
	require.Equal(t, "A[] not (a and b)", QueryString(mustQuery(t, "A[]!(a&&b)")))
	for _, text := range goodQueries {
		q := mustQuery(t, text)
		again := mustQuery(t, QueryString(q))
		clearPos(q)
		clearPos(again)
		require.Equal(t, q, again, text)
	}
}

func TestPrintDecls(t *testing.T) {
	for _, text := range goodDecls {
		ds := mustDecls(t, text)
		printed := DeclsString(ds)
		again := mustDecls(t, printed)
		clearPos(ds)
		clearPos(again)
		require.Equal(t, ds, again, text)
		require.Equal(t, printed, DeclsString(again))
		clone := CloneDecls(ds)
		require.Equal(t, ds, clone)
	}
	ds := mustDecls(t, `int f(int &x,const int z){int i;if(x)return 1;else if(z){i=2;}else while(i)i--;
		do{i++;}while(i<3);for(i=0,x=1;true;i++);assert i>0;for(k:id_t)x=k;return x?1:2;}`)
	require.Equal(t, `int f(int &x, const int z) {
    int i;
    if (x)
        return 1;
    else if (z) {
        i = 2;
    } else
        while (i)
            i--;
    do {
        i++;
    } while (i < 3);
    for (i = 0, x = 1; true; i++)
        ;
    assert i > 0;
    for (k : id_t)
        x = k;
    return x ? 1 : 2;
}
`, DeclsString(ds))
}

// An if without else in front of an else needs braces, which a tree built by
// hand may lack.
func TestPrintDanglingElse(t *testing.T) {
	inner := &IfStmt{Cond: &Ident{Name: "b"}, Then: &ExprStmt{X: &Ident{Name: "c"}}}
	loop := &WhileStmt{Cond: &Ident{Name: "w"}, Body: inner}
	outer := &IfStmt{Cond: &Ident{Name: "a"}, Then: loop, Else: &ExprStmt{}}
	f := &FuncDecl{Name: "f", Result: &TypeExpr{}, Body: &Block{Stmts: []Stmt{outer}}}
	ds := mustDecls(t, DeclString(f))
	got := ds[0].(*FuncDecl).Body.Stmts[0].(*IfStmt)
	require.NotNil(t, got.Else)
	require.Nil(t, got.Then.(*Block).Stmts[0].(*WhileStmt).Body.(*IfStmt).Else)
}

func TestPrintSystem(t *testing.T) {
	text := "P1 = P(1);\nsystem P1, Q < R;\nprogress {\n    x;\n    x > 0 : y;\n}\n"
	n := &Network{}
	var err error
	n.Instances, n.System, n.Progress, err = ParseSystem(text)
	require.NoError(t, err)
	require.Equal(t, text, SystemString(n))
}

// randomExpr makes a tree of about the given size; in a query there are no
// assignments and there are atoms of queries.
func randomExpr(r *rand.Rand, size int, query bool) Expr {
	if size <= 1 {
		switch n := r.Intn(7); {
		case n == 0:
			return &IntLit{Value: int32(r.Uint32())}
		case n == 1:
			return &IntLit{Value: int32(r.Intn(5))}
		case n == 2:
			return &BoolLit{Value: r.Intn(2) == 0}
		case n == 3 && query:
			return &Deadlock{}
		case n == 4 && query:
			return &Stuck{Process: &Ident{Name: "P"}}
		}
		return &Ident{Name: string(rune('a' + r.Intn(26)))}
	}
	sub := func(n int) Expr { return randomExpr(r, n, query) }
	half := 1 + r.Intn(size)
	rest := max(size-half, 1)
	bind := &Binding{Name: "i", Type: &TypeExpr{Kind: NamedType, Name: "id_t"}}
	switch n := r.Intn(14); n {
	case 0, 1:
		return &Unary{Op: []Op{OpNot, OpNeg, OpPos}[r.Intn(3)], X: sub(size - 1)}
	case 2:
		return &Cond{If: sub(half), Then: sub(rest), Else: sub(rest)}
	case 3:
		return &Index{X: sub(half), I: sub(rest)}
	case 4:
		return &Field{X: sub(size - 1), Name: "f"}
	case 5:
		return &Call{Fun: &Ident{Name: "g"}, Args: []Expr{sub(half), sub(rest)}}
	case 6:
		return &Quant{Kind: QuantKind(r.Intn(3)), Bind: bind, Body: sub(size - 1)}
	case 7:
		if !query {
			return &Assign{Op: []string{"=", "+=", "<<="}[r.Intn(3)], L: sub(half), R: sub(rest)}
		}
	case 8:
		if !query {
			return &IncDec{Op: []Op{OpInc, OpDec}[r.Intn(2)], Prefix: r.Intn(2) == 0, X: sub(size - 1)}
		}
	}
	ops := []Op{OpPow, OpMul, OpDiv, OpMod, OpAdd, OpSub, OpShl, OpShr, OpMin, OpMax, OpLt, OpLe, OpGe,
		OpGt, OpEq, OpNe, OpBAnd, OpBXor, OpBOr, OpAnd, OpOr, OpXor, OpImply}
	return &Binary{Op: ops[r.Intn(len(ops))], X: sub(half), Y: sub(rest)}
}

// Printing and parsing a random tree gives it again, in the fewest
// parentheses of its kind: without any pair the text parses differently.
func TestPrintParseRandom(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for i := range 10000 {
		e := randomExpr(r, 1+i%25, false)
		text := ExprString(e)
		got, err := ParseExpr(text)
		require.NoError(t, err, text)
		clearPos(got)
		require.Equal(t, e, got, text)

		q := &Query{Op: Always, X: randomExpr(r, 1+i%25, true)}
		text = QueryString(q)
		parsed, err := ParseQuery(text)
		require.NoError(t, err, text)
		clearPos(parsed)
		require.Equal(t, q, parsed, text)
	}
}

// A pair of parentheses around an operand is printed only where the tree
// changes without it.
func TestFewestParentheses(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for i := range 3000 {
		e := randomExpr(r, 1+i%12, false)
		text := ExprString(e)
		for open := range text {
			if text[open] != '(' || open > 0 && (isNameByte(text[open-1]) || strings.HasSuffix(text[:open], "forall ") ||
				strings.HasSuffix(text[:open], "exists ") || strings.HasSuffix(text[:open], "sum ")) {
				continue
			}
			depth, end := 0, open
			for ; end < len(text); end++ {
				if text[end] == '(' {
					depth++
				} else if text[end] == ')' {
					if depth--; depth == 0 {
						break
					}
				}
			}
			without := text[:open] + " " + text[open+1:end] + " " + text[end+1:]
			if open > 0 && (text[open-1] == '-' || text[open-1] == '+') {
				continue // signs keep parentheses that a space would do for
			}
			got, err := ParseExpr(without)
			if err != nil {
				continue
			}
			clearPos(got)
			require.NotEqual(t, e, got, "%s without the parentheses at %d", text, open)
		}
	}
}
