package explain

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
)

// Of many goroutines that do the same, as the workers of a pool, a reader wants to see one.

// minFolded is how many goroutines have to do the same as another one for a row to stand for them.
const minFolded = 2

// Involved reports whether a goroutine has to do with an error as far as its cause tells, or has not come to its end.
func Involved(f artifact.Finding, g artifact.FindingGoroutine) bool {
	return g.State != artifact.StateFinished || len(g.Holds) > 0 || named(f.Cause, g.G) || named(f.Message, g.G) ||
		slices.ContainsFunc(f.Stalls, func(s artifact.FindingStall) bool { return s.G == g.G }) ||
		slices.ContainsFunc(f.Values, func(v artifact.FindingValue) bool { return v.G == g.G })
}

// named reports whether a text speaks of the goroutine with a creation path.
func named(text, g string) bool {
	return regexp.MustCompile(`(?:^|[^\d.@])` + regexp.QuoteMeta(g) + `(?:$|[^\d.]|\.(?:$|[^\d]))`).MatchString(text)
}

// Names are goroutines in a list for people.
func Names(gs []string) string {
	const shown = 4
	if len(gs) > shown+1 {
		gs = append(slices.Clone(gs[:shown]), fmt.Sprintf("%d more", len(gs)-shown))
	}
	n := len(gs) - 1
	if n < 1 {
		return strings.Join(gs, "")
	}
	return strings.Join(gs[:n], ", ") + " and " + gs[n]
}

// repeats are goroutines that do what the one before them has done, right behind it and one after the other.
type repeats struct {
	goroutines []string
	first      int // number of their first step
	last       int
}

// folded are steps without those of goroutines that repeat what another one has done, and these by the index of the
// step that they come behind.
func folded(f artifact.Finding, steps []artifact.FindingStep) ([]artifact.FindingStep, map[int]repeats) {
	foldable := map[string]bool{}
	for _, g := range f.Goroutines {
		foldable[g.G] = !Involved(f, g)
	}
	count := map[string]int{} // of steps
	for _, s := range steps {
		count[s.G]++
	}
	// block is the steps of a goroutine if they begin at i and are all that it does.
	block := func(i int) []artifact.FindingStep {
		if i >= len(steps) || !foldable[steps[i].G] {
			return nil
		}
		end := i + count[steps[i].G]
		if end > len(steps) || slices.ContainsFunc(steps[i:end], func(s artifact.FindingStep) bool { return s.G != steps[i].G }) {
			return nil
		}
		return steps[i:end]
	}
	var out []artifact.FindingStep
	behind := map[int]repeats{}
	for i := 0; i < len(steps); {
		first := block(i)
		if first == nil {
			out = append(out, steps[i])
			i++
			continue
		}
		out = append(out, first...)
		i += len(first)
		var r repeats
		next := i
		for b := block(next); b != nil && sameWork(first, b); b = block(next) {
			if len(r.goroutines) == 0 {
				r.first = b[0].Step
			}
			next += len(b)
			r.goroutines, r.last = append(r.goroutines, b[0].G), b[len(b)-1].Step
		}
		if len(r.goroutines) >= minFolded {
			behind[len(out)-1] = r
			i = next
		}
	}
	return out, behind
}

// sameWork reports whether two goroutines do the same in the same places.
func sameWork(a, b []artifact.FindingStep) bool {
	return slices.EqualFunc(a, b, func(s, t artifact.FindingStep) bool {
		return s.Site == t.Site && s.Operation == t.Operation && s.Case == t.Case && s.File == t.File && s.Line == t.Line && s.Waits == t.Waits
	})
}
