package parse

import (
	"context"
	"go/ast"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/source"
)

// TestSeeded: a program that seeds math/rand has the numbers that follow from that,
// unless its language version has made Seed do nothing.
func TestSeeded(t *testing.T) {
	for version, chosen := range map[string]bool{"1.23": false, "1.24": true} {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"go.mod":  "module example.com/seeded\n\ngo " + version + "\n",
			"main.go": "package main\n\nimport (\n\t\"math/rand\"\n\trandv2 \"math/rand/v2\"\n)\n\nfunc main() {\n\trand.Seed(1)\n\tprintln(rand.Intn(6), randv2.IntN(6))\n}\n",
		} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
		prog, err := source.Load(context.Background(), source.Spec{Dir: dir})
		require.NoError(t, err)
		o, err := Instrument(context.Background(), prog, Index(prog), Options{})
		require.NoError(t, err)
		text := string(o.Files["main.go"])
		require.Contains(t, text, "Random_randv2_IntN(")
		require.Contains(t, text, "rand.Seed(1)")
		if chosen {
			require.Contains(t, text, "Random_rand_Intn(")
		} else {
			require.NotContains(t, text, "Random_rand_Intn(")
		}
	}
}

// TestMapOrders: a range over a map asks for the order, unless it only empties the map.
func TestMapOrders(t *testing.T) {
	for body, chosen := range map[string]bool{
		"for k := range m { delete(m, k) }":           false,
		"for k := range m { delete(m, peer[k]) }":     true,
		"for k := range m { delete(peer, k) }":        true,
		"for k := range m { println(k) }":             true,
		"for k, v := range m { delete(m, v); _ = k }": true,
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"go.mod":  "module example.com/orders\n\ngo 1.26\n",
			"main.go": "package main\n\nvar m, peer map[int]int\n\nfunc main() {\n\t" + body + "\n}\n",
		} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
		prog, err := source.Load(context.Background(), source.Spec{Dir: dir})
		require.NoError(t, err)
		o, err := Instrument(context.Background(), prog, Index(prog), Options{})
		require.NoError(t, err)
		if text := string(o.Files["main.go"]); chosen {
			require.Contains(t, text, ".RangeMap(", body)
		} else {
			require.NotContains(t, text, ".RangeMap(", body)
		}
	}
}

// TestClears: a range that does nothing but delete what it comes to is a clear of the map, of
// which the order shows nowhere.
func TestClears(t *testing.T) {
	for loop, want := range map[string]bool{
		"for k := range m { delete(m, k) }":                   true,
		"for k := range (m) { delete((m), k) }":               true,
		"for k = range m { delete(m, k) }":                    true,
		"for k := range m { delete(m, peer[k]) }":             false,
		"for k := range m { delete(peer, k) }":                false,
		"for k := range m { _ = k; delete(m, 1) }":            false,
		"for k := range m { delete(m, k); use(k) }":           false,
		"for k, v := range m { delete(m, k); use(v) }":        false,
		"for k, _ := range m { delete(m, k) }":                false,
		"for range m { delete(m, k) }":                        false,
		"for k := range m { remove(m, k) }":                   false,
		"for k := range given() { delete(given(), k) }":       false,
		"for k := range m { if k > 1 { delete(m, k) } }":      false,
		"for k := range m { delete := remove; delete(m, k) }": false,
	} {
		info, file := typed(t, "package p\n\nvar m, peer map[int]int\n\nvar k int\n\nfunc use(any) {}\n\nfunc given() map[int]int { return m }\n\nfunc remove(map[int]int, int) {}\n\nfunc f() { "+loop+" }\n")
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.RangeStmt); ok {
				require.Equal(t, want, clears(info, s), loop)
			}
			return true
		})
	}
}
