package pass

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/analyze"
)

var recordCorrect = flag.Int("recordcorrect", 0, "TestRecordCorrect with `one of so many` of the programs of TestVerdicts that are correct; 1: all")

// TestRecordCorrect: of a recording of a correct program no analysis claims that an order of the run shows an error. The programs
// are those of TestVerdicts that somebody wrote who did not know vtrace.
func TestRecordCorrect(t *testing.T) {
	one := *recordCorrect
	if one == 0 {
		if testing.Short() {
			t.Skip("the programs record themselves")
		}
		one = 40
	}
	number := 0
	for _, file := range verdictPrograms(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		if !strings.HasSuffix(name, "_ok") {
			continue
		}
		if number++; number%one != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec, _ := unpack(t, file)
			tr, h := recordedTrace(t, spec, Recording{Accesses: true, Timeout: 10 * time.Second, MaxBytes: 64 << 20})
			res, err := analyze.Analyze(tr, analyze.Limits{})
			require.NoError(t, err)
			found := ""
			for _, f := range res.Findings {
				if f.Level == analyze.Error {
					found += string(f.Code) + " " + f.Message + "\n"
				}
			}
			require.Empty(t, found, "%s, notes %v", h.End, h.Notes)
		})
	}
}
