package orcruntime

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMeasures: that a test fails which has measured memory says nothing, and that it does not is as ever.
func TestMeasures(t *testing.T) {
	for _, tt := range []struct {
		name             string
		measures, failed bool
		verdict          string
	}{
		{"neither", false, false, Completed},
		{"fails", false, true, Completed},
		{"measures", true, false, Completed},
		{"measures and fails", true, true, Unsupported},
	} {
		t.Run(tt.name, func(t *testing.T) {
			called := false
			main := func() {
				count := func() { called = true }
				if tt.measures {
					count = Measures("testing.AllocsPerRun", count)
				}
				count()
			}
			res := Run(Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Main: main, Failed: func() bool { return tt.failed }})
			require.True(t, called)
			require.Equal(t, tt.verdict, res.Verdict, "%s", res)
			if tt.verdict == Unsupported {
				require.Contains(t, res.Message, "testing.AllocsPerRun")
				require.Empty(t, res.Outcome.Kind)
			}
		})
	}
}

// TestMeasuresBeside: that it fails is no second error either, beside goroutines that it leaves behind.
func TestMeasuresBeside(t *testing.T) {
	for _, measures := range []bool{false, true} {
		main := func() {
			stuckBeside(nil)
			if measures {
				Measures("testing.AllocsPerRun", func() {})()
			}
		}
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Main: main, Failed: func() bool { return true }})
		require.Equal(t, KindLeak, res.Outcome.Kind, "%s", res)
		require.Equal(t, !measures, res.AlsoFailed, "%s", res)
	}
}
