package source

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func entries(s *Set) (out []string) {
	for _, e := range s.Entries() {
		out = append(out, e.String())
	}
	return out
}

func TestSet(t *testing.T) {
	files := map[string]string{
		"a/more_test.go": "package a\n\nimport \"testing\"\n\nfunc Testless(t *testing.T) {}\n\nfunc Test(t *testing.T) {}\n\nfunc TestMain(m *testing.M) { m.Run() }\n",
		"a/test.go":      "package a\n\nimport \"testing\"\n\nfunc TestNot(t *testing.T) {}\n",
	}
	for name, text := range module {
		files[name] = text
	}
	dir := write(t, files)
	ctx := context.Background()
	set, err := LoadSet(ctx, Spec{Dir: dir, Pattern: "./..."})
	require.NoError(t, err)
	require.Equal(t, []string{"example.com/m/a TestF", "example.com/m/a Test", "example.com/m/a TestX", "example.com/m/b TestG", "example.com/m/cmd/x main"}, entries(set))
	for _, e := range set.Entries() {
		got, err := set.Program(e)
		require.NoError(t, err, e)
		want, err := Load(ctx, Spec{Dir: dir, Pattern: e.Package, Entry: e.Func})
		require.NoError(t, err, e)
		require.Equal(t, paths(want), paths(got), e)
		require.Equal(t, want.Root, got.Root)
		require.Equal(t, want.Test, got.Test)
		wantFiles, err := want.Files()
		require.NoError(t, err)
		gotFiles, err := got.Files()
		require.NoError(t, err)
		require.Equal(t, Digest(wantFiles), Digest(gotFiles), e)
	}
	_, err = set.Program(EntryPoint{Package: "example.com/m/a", Func: "TestNone"})
	require.ErrorIs(t, err, ErrNoEntry)

	// A directory elsewhere, and all below it.
	set, err = LoadSet(ctx, Spec{Pattern: filepath.Join(dir, "b")})
	require.NoError(t, err)
	require.Equal(t, []string{"example.com/m/b TestG"}, entries(set))
	set, err = LoadSet(ctx, Spec{Pattern: filepath.Join(dir, "cmd/...")})
	require.NoError(t, err)
	require.Equal(t, []string{"example.com/m/cmd/x main"}, entries(set))
	_, err = LoadSet(ctx, Spec{Dir: dir, Pattern: "./nowhere/..."})
	require.ErrorContains(t, err, "./nowhere/...: no such directory")
}

// What is wrong with one package is no matter for the programs of others.
func TestSetBroken(t *testing.T) {
	oneGoroutine(t)
	files := map[string]string{"bad/bad_test.go": "package bad\n\nimport \"testing\"\n\nfunc TestBad(t *testing.T) { undefined() }\n"}
	for name, text := range module {
		files[name] = text
	}
	set, err := LoadSet(context.Background(), Spec{Dir: write(t, files), Pattern: "./..."})
	require.NoError(t, err)
	require.Contains(t, entries(set), "example.com/m/bad TestBad")
	for _, e := range set.Entries() {
		_, err := set.Program(e)
		if e.Func == "TestBad" {
			require.ErrorContains(t, err, "undefined: undefined")
		} else {
			require.NoError(t, err)
		}
	}
}
