package proxyfile

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Of modules a bundle has what a module proxy gives for a version, and nothing that the go
// command would run or choose a version by.
func TestModuleFiles(t *testing.T) {
	for name, want := range map[string]File{
		"example.com/m/@v/v1.0.0.zip":                             {"example.com/m", "v1.0.0", ".zip"},
		"github.com/!burnt!sushi/toml/@v/v0.3.1.mod":              {"github.com/BurntSushi/toml", "v0.3.1", ".mod"},
		"gopkg.in/a.v2/@v/v2.0.0.info":                            {"gopkg.in/a.v2", "v2.0.0", ".info"},
		"example.com/m/@v/v2.0.0+incompatible.zip":                {"example.com/m", "v2.0.0+incompatible", ".zip"},
		"example.com/m/@v/v0.0.0-20200101000000-0123456789ab.mod": {"example.com/m", "v0.0.0-20200101000000-0123456789ab", ".mod"},
		"example.com/m/@v/list":                                   {},
		"example.com/m/@latest":                                   {},
		"example.com/m/@v/v1.0.0.ziphash":                         {},
		"example.com/m/@v/v1.0.0.lock":                            {},
		"example.com/m/@v/v1.zip":                                 {},
		"example.com/m/@v/v2.0.0.zip":                             {}, // no version of a module of that path
		"example.com/m/@v/main.info":                              {},
		"example.com/M/@v/v1.0.0.zip":                             {},
		"m/@v/v1.0.0.zip":                                         {},
		"example.com/../m/@v/v1.0.0.zip":                          {},
		"@v/v1.0.0.zip":                                           {},
		"v1.0.0.zip":                                              {},
		"sumdb/sum.golang.org/latest":                             {},
		"golang.org/toolchain/@v/v0.0.1-go1.99.0.linux-amd64.zip": {},
	} {
		got, ok := Parse(name)
		require.Equal(t, want, got, name)
		require.Equal(t, want != File{}, ok, name)
	}
}
