package parse

import (
	"context"
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/source"
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

// TestEnvironmentCalls: whatever the environment decides is asked of the runtime.
func TestEnvironmentCalls(t *testing.T) {
	statements := map[string]string{ // that use a function
		"maps.Keys": "_ = maps.Keys(m)", "maps.Values": "_ = maps.Values(m)", "maps.All": "_ = maps.All(m)",
		"os.Getpid": "_ = os.Getpid()", "os.Getppid": "_ = os.Getppid()",
		"(reflect.Value).MapRange": "_ = v.MapRange()", "(reflect.Value).Pointer": "_ = v.Pointer()",
		"(reflect.Value).UnsafeAddr": "_ = v.UnsafeAddr()", "(weak.Pointer[T]).Value": "_ = w.Value()",
		"(*sync.Pool).Get": "_ = pool.Get()", "(*sync.Pool).Put": "pool.Put(m)", "(*sync.Map).Range": "entries.Range(nil)",
		"(*hash/maphash.Hash).Sum64": "_ = hash.Sum64()", "(*hash/maphash.Hash).Sum": "_ = hash.Sum(nil)",
	}
	names := map[string]string{"math/rand": "rand", "math/rand/v2": "randv2", "crypto/rand": "crypto", "runtime": "runtime", "hash/maphash": "maphash"}
	type line struct{ name, want string }
	var lines []line
	text := "package main\n\nimport (\n\tcrypto \"crypto/rand\"\n\t\"hash/maphash\"\n\t\"maps\"\n\t\"math/rand\"\n\trandv2 \"math/rand/v2\"\n\t\"os\"\n\t\"reflect\"\n\t\"runtime\"\n\t\"sync\"\n\t\"weak\"\n)\n\n" +
		"func use(m map[int]int, v reflect.Value, w weak.Pointer[int], pool *sync.Pool, entries *sync.Map, hash *maphash.Hash) {\n"
	add := func(name, want, statement string) {
		text += "\t" + statement + "\n"
		lines = append(lines, line{name, want})
	}
	value := func(full string) (pkg, name string) {
		i := strings.LastIndex(full, ".")
		require.Contains(t, names, full[:i])
		return names[full[:i]], full[i+1:]
	}
	for full := range random {
		pkg, name := value(full)
		add(full, "Random_"+pkg+"_"+name+"(", "_ = "+pkg+"."+name)
	}
	for full, function := range same {
		pkg, name := value(full)
		add(full, "zzorc."+function, "_ = "+pkg+"."+name)
	}
	add("runtime.NumGoroutine", "zzorc.Goroutines(", "_ = runtime.NumGoroutine")
	for _, table := range []map[string]string{ordered, choosing} {
		for full, function := range table {
			if !strings.HasPrefix(full, "golang.org/x/") { // needs a module
				require.Contains(t, statements, full)
				add(full, "zzorc."+function+"(", statements[full])
			}
		}
	}
	for full := range undecided {
		require.Contains(t, statements, full)
		add(full, "zzorc.Undecided(", statements[full])
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/asked\n\ngo 1.26\n", "main.go": text + "}\n\nfunc main() {}\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	prog, err := source.Load(context.Background(), source.Spec{Dir: dir})
	require.NoError(t, err)
	o, err := Instrument(context.Background(), prog, Index(prog), Options{})
	require.NoError(t, err)
	_, body, ok := strings.Cut(string(o.Files["main.go"]), "\nfunc use(")
	require.True(t, ok)
	got := strings.Split(body, "\n")[1:]
	for i, l := range lines {
		require.Contains(t, got[i], l.want, l.name)
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
