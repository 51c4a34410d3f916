package repeat

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

type inner struct {
	Name  string
	Value int
}

type element struct {
	Text string
	N    int64
	U    uint64
	Set  bool
	List []inner
	At   *inner
}

// equal folds a list and unfolds it again, and returns how many elements were left.
func equal[T any](t *testing.T, list []T) ([]T, []Block) {
	t.Helper()
	short, blocks := Fold(list)
	back, err := Unfold(short, blocks)
	require.NoError(t, err)
	require.Equal(t, list, back)
	// What is left is what is written down: it comes back from there as well.
	data, err := json.Marshal(short)
	require.NoError(t, err)
	var read []T
	require.NoError(t, json.Unmarshal(data, &read))
	back, err = Unfold(read, blocks)
	require.NoError(t, err)
	require.Equal(t, list, back)
	return short, blocks
}

func TestFold(t *testing.T) {
	many := func(n int, of func(i int) string) (out []string) {
		for i := range n {
			out = append(out, of(i))
		}
		return out
	}
	for name, c := range map[string]struct {
		list   []string
		blocks []Block
	}{
		"empty":                {nil, nil},
		"too short":            {many(17, func(int) string { return "a" }), nil},
		"the same":             {many(18, func(int) string { return "a" }), []Block{{0, 1, 18}}},
		"numbers":              {many(1000, func(i int) string { return fmt.Sprintf("step %d of 7", 3*i) }), []Block{{0, 1, 1000}}},
		"downwards":            {many(1000, func(i int) string { return fmt.Sprint(2000 - i) }), []Block{{0, 1, 1000}}},
		"not below zero":       {many(1000, func(i int) string { return fmt.Sprint(500 - i) }), []Block{{0, 1, 501}, {2, 1, 499}}},
		"zeros in front":       {many(1000, func(i int) string { return fmt.Sprintf("%04d", i) }), nil},
		"two in turn":          {many(1000, func(i int) string { return []string{"lock", "unlock"}[i%2] }), []Block{{0, 2, 500}}},
		"squares":              {many(100, func(i int) string { return fmt.Sprint(i * i) }), nil},
		"something in between": {append(append(many(50, func(int) string { return "a" }), "b"), many(50, func(int) string { return "a" })...), []Block{{0, 1, 50}, {3, 1, 50}}},
		"long iterations":      {many(5000, func(i int) string { return string(rune(0x4e00 + i%1000)) }), []Block{{0, 1000, 5}}},
		"too long iterations":  {many(9000, func(i int) string { return string(rune(0x4e00 + i%3000)) }), nil},
		"one kind far and near": {many(1000, func(i int) string {
			return []string{"a", "b", "a", "a", "c"}[i%5]
		}), []Block{{0, 5, 200}}},
		"too large to be numbers": {many(100, func(i int) string { return fmt.Sprintf("%d", uint64(math.MaxUint64)-uint64(i)) }), nil},
		"more than one number":    {many(100, func(i int) string { return fmt.Sprintf("%d.%d-%d", i, 2*i, 7) }), []Block{{0, 1, 100}}},
	} {
		t.Run(name, func(t *testing.T) {
			_, blocks := equal(t, c.list)
			require.Equal(t, c.blocks, blocks)
		})
	}
}

// Every list comes back, whatever is in it and however it repeats.
func TestFoldUnfold(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		random := func() element {
			e := element{Text: []string{"", "a", "7", "x9", "0", "08", "1.5e3"}[r.IntN(7)], N: r.Int64N(5), U: r.Uint64(), Set: r.IntN(2) == 0}
			if r.IntN(2) == 0 {
				e.List = make([]inner, r.IntN(3))
			}
			if r.IntN(2) == 0 {
				e.At = &inner{"at", r.IntN(100)}
			}
			return e
		}
		var list []element
		for range r.IntN(6) {
			block := make([]element, 1+r.IntN(5))
			by := make([]int, len(block))
			for i := range block {
				block[i], by[i] = random(), r.IntN(3)-1
			}
			for k := range 1 + r.IntN(60) {
				for i, e := range block {
					e.N, e.U = e.N+int64(k*by[i])*(math.MaxInt64/7), e.U-uint64(k*by[i])
					if len(e.List) > 0 {
						e.List = append([]inner{{fmt.Sprint("v", k*k), k}}, e.List[1:]...)
					}
					if e.At != nil {
						e.At = &inner{fmt.Sprint("at ", 10*k), e.At.Value}
					}
					list = append(list, e)
				}
			}
		}
		equal(t, list)
	}
}

// What is given back is the caller's own: elements share nothing that can be written to.
func TestUnfoldOwn(t *testing.T) {
	list := make([]element, 100)
	for i := range list {
		list[i] = element{List: []inner{{"a", 1}}, At: &inner{"b", 2}}
	}
	short, blocks := Fold(list)
	require.Len(t, short, 2)
	out, err := Unfold(short, blocks)
	require.NoError(t, err)
	out[50].List[0].Value, out[50].At.Value = 7, 8
	out[50], out[1] = out[0], out[0]
	require.Equal(t, list[0], out[99])
	require.Equal(t, list[0], out[51])
}

func TestUnfoldBroken(t *testing.T) {
	for name, c := range map[string]struct {
		list   []string
		blocks []Block
	}{
		"behind the end":     {[]string{"a", "a"}, []Block{{1, 1, 3}}},
		"before the start":   {[]string{"a", "a"}, []Block{{-1, 1, 3}}},
		"no elements":        {[]string{"a", "a"}, []Block{{0, 0, 3}}},
		"two iterations":     {[]string{"a", "a"}, []Block{{0, 1, 2}}},
		"overflow of length": {[]string{"a", "a"}, []Block{{0, math.MaxInt / 2, 3}}},
		"overflow":           {[]string{"a", "a", "a", "a"}, []Block{{0, 2, math.MaxInt}}},
		"one over the other": {[]string{"a", "a", "a"}, []Block{{0, 1, 3}, {1, 1, 3}}},
		"texts":              {[]string{"a", "b"}, []Block{{0, 1, 3}}},
		"a number and none":  {[]string{"a", "a1"}, []Block{{0, 1, 3}}},
		"below zero":         {[]string{"1", "0"}, []Block{{0, 1, 3}}},
		"too large":          {[]string{"1", "999999999999999999"}, []Block{{0, 1, 3}}},
	} {
		_, err := Unfold(c.list, c.blocks)
		require.ErrorIs(t, err, ErrBroken, name)
		require.Equal(t, err, Check(c.list, c.blocks), name)
	}
	for name, list := range map[string][]element{
		"truth values": {{}, {Set: true}},
		"pointers":     {{}, {At: &inner{}}},
		"nil slices":   {{}, {List: []inner{}}},
		"slices":       {{List: []inner{{}}}, {List: []inner{{}, {}}}},
	} {
		_, err := Unfold(list, []Block{{0, 1, 3}})
		require.ErrorIs(t, err, ErrBroken, name)
		require.Equal(t, err, Check(list, []Block{{0, 1, 3}}), name)
	}
}

func TestSize(t *testing.T) {
	n, err := Size([]string{"a", "a"}, []Block{{0, 1, math.MaxInt - 10}})
	require.NoError(t, err)
	require.EqualValues(t, math.MaxInt64, n)
	n, err = Size([]string{"a", "a", "b1", "b2"}, []Block{{0, 1, 10}, {2, 1, 10}})
	require.NoError(t, err)
	require.EqualValues(t, 10*16+10*(16+2*maxDigits), n)
	_, err = Size([]string{"a"}, []Block{{0, 1, 3}})
	require.ErrorIs(t, err, ErrBroken)
}

func FuzzUnfold(f *testing.F) {
	f.Add("a1", "a2", 0, 1, 3)
	f.Add("", "", 0, 1, 1<<40)
	f.Add("a0", "a300000000000000000", 0, 1, 4)
	f.Add("999999999999999999", "666666666666666666", 0, 1, 4)
	f.Fuzz(func(t *testing.T, a, b string, at, length, times int) {
		list, blocks := []string{a, b}, []Block{{at, length, times}}
		if n, err := Size(list, blocks); err != nil || n > 1<<20 {
			return
		}
		out, err := Unfold(list, blocks)
		if err == nil {
			require.Len(t, out, times)
		}
		require.Equal(t, err == nil, Check(list, blocks) == nil, "%v", err)
	})
}

// A trace of a loop, and one that does not repeat.
func BenchmarkFold(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for name, of := range map[string]func(i int) element{
		"loop": func(i int) element {
			return element{Text: fmt.Sprint("step ", i), N: int64(i % 2), List: []inner{{"i", i}}}
		},
		"random": func(int) element { return element{Text: fmt.Sprint("step ", r.IntN(10)), N: r.Int64N(100)} },
	} {
		b.Run(name, func(b *testing.B) {
			list := make([]element, 100_000)
			for i := range list {
				list[i] = of(i)
			}
			b.ReportAllocs()
			for b.Loop() {
				Fold(list)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(list)), "ns/element")
		})
	}
}
