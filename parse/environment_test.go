package parse

import (
	"context"
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
