package pass

import (
	"fmt"
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/explain"
	"github.com/vtrace/vtrace/internal/sites"
)

// together says of goroutines that are stuck, and of the failure of the test, that one run shows both: where a
// goroutine has failed the test in that run, and has ended by it. Others may have waited for what it would have done.
func together(all []artifact.Finding) {
	for i := range all {
		f := &all[i]
		if f.Verdict != artifact.Real || !explain.Stuck(f.Kind) {
			continue
		}
		for _, s := range f.Interleaving {
			if s.Operation != sites.Exit.String() {
				continue
			}
			k := slices.IndexFunc(all, func(o artifact.Finding) bool {
				return o.Verdict == artifact.Real && o.Kind == artifact.KindTestFailure && o.File == s.File && o.Line == s.Line
			})
			if k < 0 {
				continue
			}
			if f.Cause != "" {
				f.Cause += "; "
			}
			f.Cause += fmt.Sprintf("in the same run goroutine %s has failed the test before, at %s:%d, and has ended there", s.G, s.File, s.Line)
			if t := &all[k]; sameSteps(t.Interleaving, f.Interleaving) {
				if t.Cause == "" {
					t.Cause = fmt.Sprintf("goroutine %s fails the test", s.G)
				}
				t.Cause += fmt.Sprintf("; it ends there, and the same run comes to the %s at %s:%d", f.Kind, f.File, f.Line)
			}
			break
		}
	}
}

// sameSteps reports whether two interleavings are the same.
func sameSteps(a, b []artifact.FindingStep) bool {
	return slices.EqualFunc(a, b, func(x, y artifact.FindingStep) bool { return x.G == y.G && x.Site == y.Site && x.Case == y.Case })
}
