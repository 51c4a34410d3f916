//go:build go1.25

package orcruntime

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestInBubbleEnds: a bubble of the program's own is left when all of its goroutines have ended that need no time for it;
// no time passes for them then.
func TestInBubbleEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		main func()
		ends []string // all kinds that there are
	}{
		{"one that goes on", func() {
			n := 0
			InBubble(func() {
				Go(1, func() {
					Access(2)
					n++
				})
			})
			if n != 1 {
				panic(Panic(3, "it has not ended"))
			}
		}, []string{""}},
		{"one that starts another", func() {
			n := 0
			InBubble(func() {
				Go(1, func() {
					Go(2, func() {
						Access(3)
						n++
					})
				})
			})
			if n != 1 {
				panic(Panic(4, "it has not ended"))
			}
		}, []string{""}},
		{"one that sleeps", func() {
			InBubble(func() { Go(1, func() { Sleep(2, time.Second) }) })
			Sleep(3, time.Minute)
		}, []string{KindLeak}},
		{"one that waits for a timer", func() {
			InBubble(func() { Go(1, func() { Recv(2, time.After(Due(3, time.Second))) }) })
			Sleep(4, time.Minute)
		}, []string{KindLeak}},
		{"a function of a timer", func() {
			InBubble(func() { AfterFunc(1, time.Second, func() { panic(Panic(2, "it is too late")) }) })
			Sleep(3, time.Minute)
		}, []string{""}},
		{"one that has slept before", func() {
			InBubble(func() {
				Go(1, func() { Sleep(2, time.Second) })
				Sleep(3, time.Minute)
			})
		}, []string{""}},
		{"one that waits for ever", func() {
			InBubble(func() { Go(1, func() { Recv(2, make(chan int)) }) })
		}, []string{KindLeak}},
		{"one outside that sleeps", func() {
			Go(1, func() { Sleep(2, time.Second) })
			InBubble(func() { Go(3, func() { Access(4) }) })
		}, []string{""}},
		{"one of two bubbles", func() {
			InBubble(func() {})
			c := make(chan int)
			Go(1, func() {
				Sleep(2, time.Second)
				Close(3, c)
			})
			InBubble(func() { Recv(4, c) })
		}, []string{""}},
	} {
		for _, stalls := range []int{0, -1} {
			cfg := Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Main: c.main}
			o := exhaust(t, Exhaustion{Config: cfg, Stalls: stalls}, func(res Result) string { return res.Outcome.Kind })
			require.True(t, o.complete, c.name)
			require.Equal(t, c.ends, o.sorted(), "%s, %d stalls", c.name, stalls)
		}
	}
}
