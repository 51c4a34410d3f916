package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/go-multierror"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

func TestProgramErrors(t *testing.T) {
	at := func(pos string) error { return packages.Error{Pos: pos, Msg: "m"} }
	err := fmt.Errorf("load: %w", multierror.Append(nil, at("/a b/c.go:3:7"), at("c:d.go:3"), at("-"), at("x.go"), at("")))
	require.Equal(t, []ProgramError{
		{"/a b/c.go", 3, 7, "m"}, {"c:d.go", 3, 0, "m"}, {"", 0, 0, "m"}, {"x.go", 0, 0, "m"}, {"", 0, 0, "m"},
	}, ProgramErrors(err))
	require.Nil(t, ProgramErrors(errors.New("x")))
	require.Nil(t, ProgramErrors(nil))
}

// The errors of a program have the places that the compiler gives.
func TestProgramErrorsOfLoad(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module p\n\ngo 1.26\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() { x() }\n"), 0o600))
	_, err := Load(context.Background(), Spec{Dir: dir})
	require.Equal(t, []ProgramError{{filepath.Join(dir, "main.go"), 3, 15, "undefined: x"}}, ProgramErrors(err))
}
