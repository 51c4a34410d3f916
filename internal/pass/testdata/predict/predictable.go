// Package predictable has programs of which a run that sleeps where they do goes well. Each is a function with a
// directive: "want" is followed by the kinds of errors that another schedule shows, any of which is right, or by
// nothing, where no schedule shows one. Behind "race" data races are looked for.
package predictable

import (
	"sync"
	"time"
)

// later lets others go first.
func later(n int) { time.Sleep(time.Duration(n) * 3 * time.Millisecond) }

// together runs functions at once, and waits for them.
func together(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Go(f)
	}
	wg.Wait()
}
