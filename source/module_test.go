package source

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoadModule(t *testing.T) {
	dir := write(t, module)
	p, err := LoadModule(context.Background(), Spec{Dir: dir})
	require.NoError(t, err)
	require.Equal(t, []string{
		"example.com/m/b [example.com/m/b.test]",
		"example.com/m/a [example.com/m/a.test]",
		"example.com/m/a_test [example.com/m/a.test]",
		"example.com/m/cmd/x",
		"example.com/m/unused",
	}, paths(p))
	require.Nil(t, p.Func)
	_, err = LoadModule(context.Background(), Spec{Dir: dir, Pattern: "fmt"})
	require.ErrorContains(t, err, "matches no package of a main module")
}
