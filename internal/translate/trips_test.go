package translate_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/internal/uppaal"
)

var slotOf = regexp.MustCompile(`^main_1_(\d+|1_\d+)$`)

// TestTripsOfGoroutines: a go statement in a loop has as many goroutines as the loop has iterations, of
// which the model has all, and no bound is reached.
func TestTripsOfGoroutines(t *testing.T) {
	iterationsOf := map[string]int{
		"for range 3 {\nGO\n}":                                                  3,
		"for i := -2; i < 3; i++ {\nGO\n}":                                      5,
		"for i := 0; i < 2; i++ {\nfor range 3 {\nGO\n}\n}":                     6,
		"for i := 0; i < 9; i++ {\nif i <= 1 {\nGO\n}\n}":                       2,
		"for i := uint8(200); i-200 < 4; i++ {\nGO\n}":                          4,
		"next:\nfor range 3 {\nfor {\nGO\ncontinue next\n}\n}":                  3,
		"start := func() {\nGO\n}\nfor range 4 {\nstart()\n}":                   4,
		"start := func() {\nfor range 2 {\nGO\n}\n}\nfor range 3 {\nstart()\n}": 6,
	}
	texts := map[string]string{}
	for loop, iterations := range iterationsOf {
		texts[loop] = "package main\n\nfunc main() {\n\tdone := make(chan bool)\n" +
			strings.ReplaceAll(loop, "GO", "go func() { done <- true }()") + fmt.Sprintf("\n\tfor range %d {\n\t\t<-done\n\t}\n}\n", iterations)
	}
	loaded, _ := programs.Together(t, texts)
	for loop, iterations := range iterationsOf {
		prog, idx := loaded[loop], number(loaded[loop])
		m, err := translate.Translate(t.Context(), prog, idx, translate.Options{})
		require.NoError(t, err)
		slots := 0
		for _, i := range m.Network.Instances {
			if d, ok := i.(*uppaal.InstanceDecl); ok && slotOf.MatchString(d.Name) {
				slots++
			}
		}
		require.Equal(t, iterations, slots, loop)
		for _, r := range verify(t, m).Results {
			require.Equal(t, check.True, r.Verdict, loop)
		}
	}
}
