package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// unusedIn is what is said of results, of comments and of a baseline.
func unusedIn(u Unused, bundles ...*artifact.Bundle) (comments, known []string) {
	for _, b := range bundles {
		var r Result
		if b != nil {
			r = resultOf(b)
		}
		u.Add(r, false)
	}
	return u.Comments(), u.Known()
}

// A comment that accepts nothing in any result is named, by its line; one that does in one of them is not.
func TestUnusedComments(t *testing.T) {
	all := []string{
		"p/a.go:4: //vtrace:ignore goroutine-leak accepts nothing in this check", "p/a.go:5: //vtrace:ignore goroutine-leak,deadlock accepts nothing in this check",
		"p/a.go:12: //vtrace:ignore goroutine-leak accepts nothing in this check",
	}
	none := commented(t, ignoring)
	got, _ := unusedIn(Unused{}, none, none)
	require.Equal(t, all, got)
	got, _ = unusedIn(Unused{}, none, commented(t, ignoring, at(artifact.KindLeak, 6)...), none)
	require.Equal(t, []string{all[0], all[2]}, got)
	got, _ = unusedIn(Unused{}, commented(t, ignoring, at(artifact.KindLeak, 4, 5, 14)...))
	require.Empty(t, got, "the second one would do without the first")
	got, _ = unusedIn(Unused{}, commented(t, ignoring, at(artifact.KindPanic, 4, 6, 14)...))
	require.Equal(t, all, got, "another kind")

	// Where something is open, or could not be checked, nothing can be said.
	open := at(artifact.KindPanic, 4)
	b := commented(t, ignoring, open...)
	out := artifact.Extend(b, artifact.Manifest{Pass: artifact.PassDeep, Parent: b.Digest(), Entry: b.Manifest().Entry})
	open[0].Verdict = artifact.Unconfirmed
	out.SetFindings(open)
	b, err := out.Bundle()
	require.NoError(t, err)
	got, _ = unusedIn(Unused{}, none, b)
	require.Empty(t, got)
	got, _ = unusedIn(Unused{}, none, nil)
	require.Empty(t, got)

	// An old result has comments where they were.
	var u Unused
	u.Add(resultOf(none), true)
	require.Empty(t, u.Comments())
	// Races are found where they are looked for.
	race := commented(t, "package p\n\nfunc f() {\n\tg() //vtrace:ignore data-race why\n}\n")
	got, _ = unusedIn(Unused{}, race)
	require.Empty(t, got)
	got, _ = unusedIn(Unused{Races: true}, race)
	require.Len(t, got, 1)
}

func TestUnusedBaseline(t *testing.T) {
	var base Baseline
	base.Add(bundleOf(t, "TestA", 0, deadlock(artifact.Real)))
	leak := deadlock(artifact.Real)
	leak.Kind = artifact.KindLeak
	base.Add(bundleOf(t, "TestA", 0, leak))
	race := deadlock(artifact.Real)
	race.Kind = artifact.KindRace
	base.Add(bundleOf(t, "TestA", 0, race))
	require.Equal(t, 3, base.Len())

	_, known := unusedIn(Unused{Baseline: &base, Races: true}, bundleOf(t, "TestB", 4, deadlock(artifact.Real)))
	require.Equal(t, []string{"data-race in p.f, a b.go", "goroutine-leak in p.f, a b.go"}, known)
	_, known = unusedIn(Unused{Baseline: &base}, bundleOf(t, "TestB", 4, deadlock(artifact.Real)), bundleOf(t, "TestC", 0))
	require.Equal(t, []string{"goroutine-leak in p.f, a b.go"}, known)
	_, known = unusedIn(Unused{Baseline: &base}, bundleOf(t, "TestB", 0, deadlock(artifact.Unconfirmed)))
	require.Empty(t, known)
	_, known = unusedIn(Unused{Baseline: &base}, bundleOf(t, "TestB", 0), nil)
	require.Empty(t, known)
	_, known = unusedIn(Unused{}, bundleOf(t, "TestB", 0))
	require.Empty(t, known)
}
