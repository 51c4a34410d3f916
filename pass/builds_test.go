package pass

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/orchestrate"
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
