package source

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// TestDerive: what is made of packages is made once for all programs that have the same, at whatever time they ask, and
// again after an error and for others.
func TestDerive(t *testing.T) {
	p, q := &packages.Package{PkgPath: "p"}, &packages.Package{PkgPath: "q"}
	shared := &derivations{}
	program := func(pkgs ...*packages.Package) *Program { return &Program{Packages: pkgs, derivations: shared} }
	type key struct{ n int }
	made := 0
	get := func(prog *Program, n int) int {
		v, err := Derive(t.Context(), prog, key{n}, func() (int, error) { made++; return made, nil })
		require.NoError(t, err)
		return v
	}
	var asked sync.WaitGroup
	for range 8 {
		asked.Go(func() { get(program(p), 0) })
	}
	asked.Wait()
	require.Equal(t, 1, get(program(p), 0))
	require.Equal(t, 2, get(program(p), 1), "another key")
	require.Equal(t, 3, get(program(p, q), 0), "other packages")
	require.Equal(t, 4, get(&Program{Packages: []*packages.Package{p}, derivations: &derivations{}}, 0), "another set")
	require.Equal(t, 5, get(&Program{Packages: []*packages.Package{p}}, 0), "no set")

	failed := errors.New("failed")
	_, err := Derive(t.Context(), program(p), key{2}, func() (int, error) { return 0, failed })
	require.ErrorIs(t, err, failed)
	require.Equal(t, 6, get(program(p), 2), "not after an error")

	// Of as many lists of packages as are kept none is made again, of one more the one that was asked for first.
	for range keptDerivations - 2 {
		get(program(&packages.Package{}), 0)
	}
	before := made
	require.Equal(t, 1, get(program(p), 0))
	get(program(&packages.Package{}), 0)
	require.Equal(t, before+1, made)
	require.Equal(t, 1, get(program(p), 0))
	require.Equal(t, before+2, get(program(p, q), 0))
}

// TestDeriveWaits: who waits for another one that makes the same does not wait longer than its context.
func TestDeriveWaits(t *testing.T) {
	prog := &Program{derivations: &derivations{}}
	type key struct{}
	ended, end := context.WithCancel(t.Context())
	end()
	_, err := Derive(t.Context(), prog, key{}, func() (int, error) {
		_, err := Derive(ended, prog, key{}, func() (int, error) { return 0, nil })
		require.ErrorIs(t, err, context.Canceled)
		return 1, nil
	})
	require.NoError(t, err)
}
