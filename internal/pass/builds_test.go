package pass

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/source"
)

// TestBuildIsShared: one of those who want a build makes it. That one of them gives up harms no other
// one, and what does not compile is not tried again.
func TestBuildIsShared(t *testing.T) {
	builds := &Builds{}
	s := builds.take(buildKey{1})
	require.Same(t, s, builds.take(buildKey{1}))
	require.NotSame(t, s, builds.take(buildKey{2}))

	ended, end := context.WithCancel(t.Context())
	_, err := s.get(ended, func() (*orchestrate.Binary, error) { end(); return nil, ended.Err() })
	require.ErrorIs(t, err, context.Canceled)
	made := &orchestrate.Binary{}
	b, err := s.get(t.Context(), func() (*orchestrate.Binary, error) { return made, nil })
	require.NoError(t, err)
	require.Same(t, made, b)
	never := func() (*orchestrate.Binary, error) { t.Error("built again"); return nil, errors.New("again") }
	b, err = s.get(t.Context(), never)
	require.NoError(t, err)
	require.Same(t, made, b)

	f := builds.take(buildKey{2})
	failure := &orchestrate.BuildError{Err: errors.New("it does not compile")}
	_, err = f.get(t.Context(), func() (*orchestrate.Binary, error) { return nil, failure })
	require.ErrorIs(t, err, failure)
	_, err = f.get(t.Context(), never)
	require.ErrorIs(t, err, failure)
}

// TestBuildsAreRemoved: of the builds that no check is using the last ones stay.
func TestBuildsAreRemoved(t *testing.T) {
	builds := &Builds{}
	inUse := builds.take(buildKey{})
	for i := range byte(keptBuilds + 2) {
		require.NoError(t, builds.giveBack([]*sharedBuild{builds.take(buildKey{1 + i})}))
	}
	require.Len(t, builds.known, 1+keptBuilds)
	require.Same(t, inUse, builds.known[buildKey{}])
	require.NotContains(t, builds.known, buildKey{2})
	require.Contains(t, builds.known, buildKey{3})
	require.NoError(t, builds.Close())
	require.Len(t, builds.known, 1)
	require.NoError(t, builds.giveBack([]*sharedBuild{inUse}))
	require.NoError(t, builds.Close())
	require.Empty(t, builds.known)
}

// TestBuildKey: a build is for those who would give the go command the same, whatever their entry is.
func TestBuildKey(t *testing.T) {
	key := func(change func(*formed)) buildKey {
		f := &formed{
			overlay: &parse.Overlay{Files: map[string][]byte{"a.go": []byte("package a")}},
			target:  orchestrate.Target{Root: "/r", Dir: "/r/a", Name: "a", Entry: artifact.Entry{Package: "a", Func: "TestA"}, End: "a.TestA.end", Env: []string{}},
			tests:   []artifact.Entry{{Package: "a", Func: "TestA"}, {Package: "a", Func: "TestB"}},
		}
		change(f)
		return f.digest()
	}
	first := key(func(*formed) {})
	require.Equal(t, first, key(func(f *formed) { f.target.Entry.Func, f.target.End = "TestB", "a.TestB.end" }))
	require.Equal(t, first, key(func(f *formed) { f.without = []string{"a_test"} }))
	for name, change := range map[string]func(*formed){
		"file":         func(f *formed) { f.overlay.Files["a.go"] = []byte("package a // changed") },
		"added file":   func(f *formed) { f.overlay.Files["b.go"] = nil },
		"dependency":   func(f *formed) { f.overlay.Dependencies = []source.Dependency{{Name: "d@v1"}} },
		"unsaved file": func(f *formed) { f.target.Changed = map[string][]byte{"/r/a/b.go": nil} },
		"flags":        func(f *formed) { f.target.Flags = []string{"-tags=x"} },
		"environment":  func(f *formed) { f.target.GoEnv = []string{"GOARCH=arm64"} },
		"package":      func(f *formed) { f.target.Entry.Package = "a_test" },
		"directory":    func(f *formed) { f.target.Dir = "/r/b" },
		"names":        func(f *formed) { f.target.Taken = []string{"json"} },
		"arguments":    func(f *formed) { f.target.Args = []string{"-v"} },
		"tests":        func(f *formed) { f.tests = f.tests[:1] },
		"other test":   func(f *formed) { f.tests[1].Package = "a_test" },
		"own form":     func(f *formed) { f.tests = nil },
	} {
		require.NotEqual(t, first, key(change), name)
	}
}
