package orcruntime

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

var ownFlag = flag.Int("own", 1, "a flag of a package")

// A program sees its own arguments, name and flags in each run, and the tests of the binary theirs behind it.
func TestAsProgram(t *testing.T) {
	args := slices.Clone(os.Args)
	for range 2 {
		asProgram(func() {
			require.Equal(t, "orcruntime", filepath.Base(os.Args[0]))
			require.Nil(t, flag.Lookup("test.v"))
			require.False(t, flag.Parsed())
			require.Equal(t, "1", flag.Lookup("own").DefValue)
			n := flag.Int("n", 2, "a flag of main")
			flag.Parse()
			require.Equal(t, []any{3, 4, []string{"rest"}}, []any{*ownFlag, *n, flag.Args()})
		}, []string{"-own", "3", "-n=4", "rest"})
		require.Equal(t, args, os.Args)
		require.NotNil(t, flag.Lookup("test.v"))
		require.Nil(t, flag.Lookup("n"))
		require.True(t, flag.Parsed())
	}
	for part, is := range map[string]bool{"v2": true, "v10": true, "v1": false, "v02": false, "v": false, "view": false, "2": false} {
		require.Equal(t, is, majorVersion(part), part)
	}
}
