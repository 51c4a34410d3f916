package explain

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// TestAlone: only of what one goroutine does by itself it is said that every run comes to it.
func TestAlone(t *testing.T) {
	ok := func() artifact.Finding {
		return artifact.Finding{
			Kind:         artifact.KindPanic,
			Goroutines:   []artifact.FindingGoroutine{{G: "0", State: artifact.StatePanicked}},
			Interleaving: []artifact.FindingStep{{G: "0", Operation: "lock"}},
			Minimised:    &artifact.Minimised{Complete: true},
		}
	}
	require.Equal(t, Alone, Cause(ok()))
	for name, change := range map[string]func(f *artifact.Finding){
		"not minimised":     func(f *artifact.Finding) { f.Minimised = nil },
		"not completely":    func(f *artifact.Finding) { f.Minimised.Complete = false },
		"somebody is slow":  func(f *artifact.Finding) { f.Stalls = []artifact.FindingStall{{G: "0"}} },
		"a choice":          func(f *artifact.Finding) { f.Values = []artifact.FindingValue{{N: 2}} },
		"another goroutine": func(f *artifact.Finding) { f.Goroutines = append(f.Goroutines, artifact.FindingGoroutine{G: "0.1"}) },
		"a step of another": func(f *artifact.Finding) { f.Interleaving[0].G = "0.1" },
		"a select":          func(f *artifact.Finding) { f.Interleaving[0].Operation = "select" },
		"not the entry":     func(f *artifact.Finding) { f.Goroutines[0].G = "0.1" },
	} {
		f := ok()
		change(&f)
		require.Empty(t, Cause(f), name)
	}
}
