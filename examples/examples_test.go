package examples_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/examples"
	"github.com/vtrace/vtrace/internal/programs"
)

// The committed programs are what the generator writes.
func TestCommitted(t *testing.T) {
	for _, p := range examples.Programs() {
		files, err := p.Files(examples.Main, 0)
		require.NoError(t, err)
		for name, want := range files {
			got, err := os.ReadFile(filepath.Join(p.Name, name))
			require.NoError(t, err, "run: go run ./examples/gen")
			require.Equal(t, string(want), string(got), "run: go run ./examples/gen")
		}
	}
}

// A faulty program says what is wrong with it, in both forms, and a correct
// one has nothing to say.
func TestWants(t *testing.T) {
	for _, p := range examples.Programs() {
		for _, form := range []examples.Form{examples.Main, examples.Test} {
			files, err := p.Files(form, 0)
			require.NoError(t, err)
			wants := programs.Wants(files)
			if strings.HasSuffix(p.Name, "_fixed") {
				require.Empty(t, wants, p.Name)
			} else {
				require.NotEmpty(t, wants, p.Name)
			}
		}
	}
}

func TestSize(t *testing.T) {
	p, ok := examples.Find("sequences")
	require.True(t, ok)
	files, err := p.Files(examples.Main, 100)
	require.NoError(t, err)
	require.Equal(t, 100, strings.Count(string(files["main.go"]), "ch <- 1\n"))
	require.Equal(t, 99, strings.Count(string(files["main.go"]), "\t<-ch\n"))
}

func ExampleFind() {
	p, _ := examples.Find("funcarg")
	files, err := p.Files(examples.Main, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(string(files["main.go"])) {
		if strings.Contains(line, "want") {
			fmt.Print(strings.TrimSpace(line))
		}
	}
	// Output: panic("called") // want "panic"
}
