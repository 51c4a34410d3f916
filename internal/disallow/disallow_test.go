package disallow

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// reference is FNV-1a over whole ids in unsigned arithmetic.
func reference(ids []int32) uint32 {
	h := uint32(2166136261)
	for _, id := range ids {
		h ^= uint32(id)
		h *= 16777619
	}
	return h
}

func TestFNV1a32(t *testing.T) {
	require.Equal(t, OffsetBasis, FNV1a32())
	// Published values of FNV-1a: for ids below 256 the hash is that over bytes.
	require.Equal(t, uint32(0xe40c292c), uint32(FNV1a32('a')))
	require.Equal(t, uint32(0xbf9cf968), uint32(FNV1a32('f', 'o', 'o', 'b', 'a', 'r')))
	r := rand.New(rand.NewSource(1))
	for range 2000 {
		ids := make([]int32, r.Intn(40))
		h := NewHasher()
		for i := range ids {
			ids[i] = int32(r.Uint32())
			h.Add(ids[i])
		}
		require.Equal(t, int32(reference(ids)), FNV1a32(ids...))
		require.Equal(t, FNV1a32(ids...), h.Sum())
	}
}

// network has the declaration of the hash and one process.
func network(t testing.TB) *uppaal.Info {
	t.Helper()
	l := &uppaal.Location{Name: "L"}
	e := &uppaal.Edge{From: l, To: l, Update: []uppaal.Expr{Call(7)}}
	n := &uppaal.Network{
		Decls:     Decls(),
		Templates: []*uppaal.Template{{Name: "P", Locations: []*uppaal.Location{l}, Init: l, Edges: []*uppaal.Edge{e}}},
		System:    uppaal.SystemLine{Names: []*uppaal.Ident{{Name: "P"}}},
	}
	more, err := uppaal.ParseDecls("bool out_of_resources, A1, B1;")
	require.NoError(t, err)
	n.Decls = append(n.Decls, more...)
	info, err := uppaal.Check(n)
	require.NoError(t, err)
	return info
}

// The right side of the assignment in the printed declaration computes what
// FNV1a32 computes.
func TestDeclaration(t *testing.T) {
	info := network(t)
	i := slices.IndexFunc(info.Globals, func(v *uppaal.Var) bool { return v.Name == VariableName })
	require.GreaterOrEqual(t, i, 0)
	hash := info.Globals[i]
	require.Equal(t, uppaal.Int{Lo: -2147483648, Hi: 2147483647}, hash.Type)
	start, ok := info.ConstEval(hash.Init)
	require.True(t, ok)
	require.Equal(t, FNV1a32(), start)

	printed := uppaal.DeclsString(Decls())
	require.Equal(t, Declaration(), printed)
	_, step, found := strings.Cut(printed, "hash32 = (")
	require.True(t, found)
	step, _, _ = strings.Cut("("+step, ";")
	r := rand.New(rand.NewSource(2))
	for range 200 {
		h, id := int32(r.Uint32()), int32(r.Uint32())
		text := strings.NewReplacer("hash32", fmt.Sprint(h), "id", fmt.Sprint(id)).Replace(step)
		e, err := uppaal.ParseExpr(text)
		require.NoError(t, err, text)
		got, ok := info.ConstEval(e)
		require.True(t, ok)
		hasher := &Hasher{h}
		hasher.Add(id)
		require.Equal(t, hasher.Sum(), got, text)
	}
}

// Names predefined in some versions of the language are not used.
func TestDeclarationBesidePredefined(t *testing.T) {
	require.NotContains(t, Declaration(), "int32_t")
	for _, d := range Decls() {
		switch d := d.(type) {
		case *uppaal.VarDecl:
			require.False(t, uppaal.IsReserved(d.Name))
		case *uppaal.FuncDecl:
			require.False(t, uppaal.IsReserved(d.Name))
		case *uppaal.TypedefDecl:
			require.False(t, uppaal.IsReserved(d.Name))
		}
	}
}

func TestRewrite(t *testing.T) {
	info := network(t)
	for _, test := range []struct{ in, once, twice string }{
		{"A[] (not out_of_resources) imply (not A1)",
			"A[] (not out_of_resources) imply (not (A1 and hash32 != -5))",
			"A[] (not out_of_resources) imply (not (A1 and hash32 != -5 and hash32 != 2147483647))"},
		{"A[] (not out_of_resources) imply (not (deadlock and P.L))",
			"A[] (not out_of_resources) imply (not (deadlock and P.L and hash32 != -5))",
			"A[] (not out_of_resources) imply (not (deadlock and P.L and hash32 != -5 and hash32 != 2147483647))"},
		{"A[] not A1", "A[] not (A1 and hash32 != -5)", "A[] not (A1 and hash32 != -5 and hash32 != 2147483647)"},
		{"A[] not (A1 or B1)", "A[] not ((A1 or B1) and hash32 != -5)",
			"A[] not ((A1 or B1) and hash32 != -5 and hash32 != 2147483647)"},
		{"A[] A1 imply B1 imply not A1", "A[] A1 imply B1 imply (not (A1 and hash32 != -5))",
			"A[] A1 imply B1 imply (not (A1 and hash32 != -5 and hash32 != 2147483647))"},
		{"E<> A1", "E<> A1 and hash32 != -5", "E<> A1 and hash32 != -5 and hash32 != 2147483647"},
		{"E<> A1 imply B1", "E<> (A1 imply B1) and hash32 != -5", "E<> (A1 imply B1) and hash32 != -5 and hash32 != 2147483647"},
		{"E<> exists (i : int[0,1]) A1", "E<> (exists (i : int[0,1]) A1) and hash32 != -5",
			"E<> (exists (i : int[0,1]) A1) and hash32 != -5 and hash32 != 2147483647"},
		{"A[] not (hash32 != 7)", "A[] not (hash32 != 7 and hash32 != -5)",
			"A[] not (hash32 != 7 and hash32 != -5 and hash32 != 2147483647)"},
	} {
		once, err := RewriteText(test.in, -5)
		require.NoError(t, err, test.in)
		require.Equal(t, test.once, once)
		for _, hashes := range [][]int32{{2147483647}, {-5, 2147483647}, {2147483647, -5, 2147483647}} {
			twice, err := RewriteText(once, hashes...)
			require.NoError(t, err)
			require.Equal(t, test.twice, twice, "order kept, nothing repeated")
		}
		both, err := RewriteText(test.in, -5, 2147483647, -5)
		require.NoError(t, err)
		require.Equal(t, test.twice, both)

		q, err := uppaal.ParseQuery(test.in)
		require.NoError(t, err)
		before := uppaal.QueryString(q)
		q.Comment = "kept"
		out, err := Rewrite(q, []int32{-5, 2147483647})
		require.NoError(t, err)
		require.Equal(t, before, uppaal.QueryString(q), "the input is not changed")
		require.Equal(t, "kept", out.Comment)
		require.NoError(t, info.CheckQuery(out))
		hashes := Hashes(out)
		require.Equal(t, []int32{-5, 2147483647}, hashes[len(hashes)-2:])
		// Rewriting what was parsed again is the same.
		parsed, err := uppaal.ParseQuery(uppaal.QueryString(out))
		require.NoError(t, err)
		require.Equal(t, hashes, Hashes(parsed))
	}
}

// Every hash survives printing and parsing, the least one too.
func TestRewriteExtremes(t *testing.T) {
	text, err := RewriteText("A[] not A1", -2147483648, 0, 2147483647)
	require.NoError(t, err)
	q, err := uppaal.ParseQuery(text)
	require.NoError(t, err)
	require.Equal(t, []int32{-2147483648, 0, 2147483647}, Hashes(q))
}

func TestRewriteErrors(t *testing.T) {
	for formula, want := range map[string]string{
		"A[] A1":                   "query has no place for disallowed hashes: A[] A1 is neither A[] not P nor A[] Q imply (not P)",
		"A[] A1 imply B1":          "A[] A1 imply B1 is neither",
		"A[] not A1 and not B1":    "is neither",
		"A[] not A1 imply B1":      "is neither",
		"A[] (not A1) or (not B1)": "is neither",
		"E[] A1":                   "E[] A1: only A[] and E<> queries end in a single state",
		"A<> A1":                   "only A[] and E<>",
		"A1 --> B1":                "A1 --> B1: only A[] and E<>",
	} {
		_, err := RewriteText(formula, 1)
		require.ErrorIs(t, err, ErrForm, formula)
		require.ErrorContains(t, err, want)
		same, err := RewriteText(formula)
		require.NoError(t, err, "nothing to exclude")
		_, err = uppaal.ParseQuery(same)
		require.NoError(t, err)
		q, err := uppaal.ParseQuery(formula)
		require.NoError(t, err)
		require.Empty(t, Hashes(q))
	}
	_, err := RewriteText("A[] (", 1)
	require.ErrorContains(t, err, "1:6: unexpected end of text")
}

// Many refuted traces make a long query, which must stay within what the
// parser takes.
func TestRewriteMany(t *testing.T) {
	var hashes []int32
	for i := range int32(20000) {
		hashes = append(hashes, i*7919)
	}
	text, err := RewriteText("A[] not A1", hashes...)
	require.NoError(t, err)
	again, err := RewriteText(text, hashes...)
	require.NoError(t, err)
	require.Equal(t, text, again)
}

func FuzzRewriteText(f *testing.F) {
	f.Add("A[] (not a) imply (not (b and hash32 != 3))", int32(3), int32(-9))
	f.Add("E<> a or b", int32(0), int32(0))
	f.Fuzz(func(t *testing.T, formula string, a, b int32) {
		once, err := RewriteText(formula, a, b)
		if err != nil {
			return
		}
		again, err := RewriteText(once, a, b)
		if err != nil || again != once {
			t.Fatalf("%q gives %q, then %q (%v)", formula, once, again, err)
		}
	})
}
