package pass

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/programs"
)

// clockHead is what the programs about numbers of the clock begin with.
const clockHead = `package main

import (
	"encoding/json"
	"fmt"
	"log"
	"math/rand"
	randv2 "math/rand/v2"
	"sync"
	"time"
)

func used() []any {
	return []any{json.Valid, fmt.Print, log.Print, rand.Int, randv2.Int, sync.NewCond, time.Now}
}

type item struct {
	id      int64
	expires int64
}

`

// clockPrograms are programs that decide by what the clock shows as a number, each with one that
// only calculates with times, or decides nothing.
var clockPrograms = []struct {
	name, version string
	bad, good     string
	kinds         string // of the error that all schedules show; "" if the number is a limit
	stalls        int
}{
	{
		name: "seed of a source", kinds: artifact.KindDeadlock,
		bad:  `r := rand.New(rand.NewSource(time.Now().UnixNano())); if r.Intn(3) == 1 { <-make(chan int) }`,
		good: `r := rand.New(rand.NewSource(time.Now().UnixNano())); if r.Intn(3) == 3 { <-make(chan int) }`,
	},
	{
		name: "seed of all", kinds: artifact.KindDeadlock,
		bad:  `rand.Seed(time.Now().Unix()); if rand.Intn(3) == 1 { <-make(chan int) }`,
		good: `rand.Seed(time.Now().Unix()); if rand.Intn(3) == 3 { <-make(chan int) }`,
	},
	{
		name: "seed of all before Seed lost its effect", version: "1.22", kinds: artifact.KindDeadlock,
		bad:  `rand.Seed(time.Now().UnixNano()); if rand.Intn(3) == 1 { <-make(chan int) }`,
		good: `rand.Seed(time.Now().UnixNano()); rand.Seed(1); a := rand.Intn(3); rand.Seed(1); if rand.Intn(3) != a { <-make(chan int) }`,
	},
	{
		name: "seed of a PCG", kinds: artifact.KindPanic,
		bad:  `now := time.Now().UnixNano(); pcg := randv2.NewPCG(uint64(now), 7); r := randv2.New(pcg); f := r.IntN; if f(4) == 2 { panic(2) }`,
		good: `now := uint64(time.Now().UnixNano()); a, b := randv2.New(randv2.NewPCG(now, 7)), randv2.New(randv2.NewPCG(now, 7)); if a.IntN(4) != b.IntN(4) { panic(2) }`,
	},
	{
		name: "a generator of many goroutines", kinds: artifact.KindPanic,
		bad:  `r := dice{Rand: rand.New(rand.NewSource(time.Now().UnixNano()))}; c := make(chan int); go func() { c <- r.throw() }(); if r.throw()+<-c == 2 { panic(2) }`,
		good: `r, s := dice{Rand: rand.New(rand.NewSource(7))}, dice{Rand: rand.New(rand.NewSource(7))}; log.Print(time.Now()); c := make(chan int); go func() { c <- r.throw() }(); if s.throw() != <-c { panic(2) }`,
	},
	{
		name: "a remainder", kinds: artifact.KindPanic,
		bad:  `if time.Now().UnixNano()%7 == 3 { panic("x") }`,
		good: `if time.Now().UnixNano()%7 == 7 { panic("x") }`,
	},
	{
		name: "a bit", kinds: artifact.KindDeadlock,
		bad:  `n := time.Now().Nanosecond(); if n&1 == 0 { <-make(chan int) }`,
		good: `n := time.Now().Nanosecond(); if n&1 == 0 { log.Print("even") }`,
	},
	{
		name: "seconds",
		bad:  `if time.Now().Unix()%7 == 3 { panic("x") }`,
		good: `log.Print(time.Now().Unix()%7 == 3)`,
	},
	{
		name: "the day of the week",
		bad:  `if time.Now().Weekday() == time.Sunday { panic("x") }`,
		good: `if start := time.Now(); time.Now().Before(start) { panic("x") }`,
	},
	{
		name: "the hour",
		bad:  `c := make(chan int, 1); if time.Now().Hour() < 12 { c <- 1 }; <-c`,
		good: `c := make(chan int, 1); if time.Now().Hour() < 12 { log.Print("morning") }; c <- 1; <-c`,
	},
	{
		name: "the year",
		bad:  `if time.Now().Year() == 2031 { panic("x") }`,
		good: `if time.Now().IsZero() { panic("x") }`,
	},
	{
		name: "time that has passed",
		bad:  `start := time.Now(); if time.Since(start).Nanoseconds()%2 == 1 { panic("x") }`,
		good: `start := time.Now(); if time.Since(start) < 0 { panic("x") }; log.Printf("%.1f s", time.Since(start).Seconds())`,
	},
	{
		name: "a key",
		bad:  `m := map[string]bool{"15c": true}; if m[fmt.Sprintf("%x", time.Now().UnixNano())] { panic("x") }`,
		good: `m := map[string]bool{"15c": true}; if m["15d"] { panic("x") }; log.Printf("%x", time.Now().UnixNano())`,
	},
	{
		name: "a field, of another goroutine",
		bad:  `c := make(chan *item); go func() { c <- &item{id: time.Now().UnixMilli()} }(); if i := <-c; i.id%1000 == 0 { panic("x") }`,
		good: `c := make(chan *item); go func() { c <- &item{id: time.Now().UnixMilli()} }(); i := <-c; log.Print(i.id)`,
	},
	{
		name: "out of sight",
		bad:  `b, _ := json.Marshal(time.Now()); if len(b) == 7 { panic("x") }`,
		good: `b, _ := json.Marshal(7); if len(b) == 7 { panic("x") }; log.Print(time.Now())`,
	},
	{
		name: "nanoseconds that run out", kinds: artifact.KindPanic, stalls: -1,
		bad:  `i := item{expires: time.Now().Add(time.Minute).UnixNano()}; if time.Now().UnixNano() > i.expires { panic("x") }`,
		good: `i := item{expires: time.Now().Add(time.Minute).UnixNano()}; if time.Now().UnixNano() > i.expires { log.Print("x") }`,
	},
	{
		name: "between two limits", kinds: artifact.KindPanic, stalls: -1,
		bad:  `start := time.Now(); if ms := time.Since(start).Milliseconds(); ms > 100 && ms < 102 { panic("x") }`,
		good: `start := time.Now(); if ms := time.Since(start).Milliseconds(); ms > 100 && ms < 101 { panic("x") }`,
	},
}

func clockProgram(body, version string) (text, lang string) {
	if version == "" {
		version = "1.25"
	}
	return clockHead + `type dice struct {
	mu sync.Mutex
	*rand.Rand
}

func (d *dice) throw() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.Intn(2)
}

func main() {
	` + body + `
}
`, version
}

// TestExhaustClock: what decides by a number of the clock is explored, if the number is of a small
// range, or of a generator that is seeded with it, and else said not to be covered.
func TestExhaustClock(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	for i, p := range clockPrograms {
		if !oneOf(3, i) {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			text, version := clockProgram(p.bad, p.version)
			x, err := Exhaust(t.Context(), programs.Write(t, version, "main.go", text, "main"), Exhaustion{Stalls: p.stalls}, Options{})
			require.NoError(t, err)
			if p.kinds != "" {
				limits := slices.DeleteFunc(slices.Clone(x.Covered.Limits), func(l string) bool {
					return strings.HasSuffix(l, "what a method of a library does that is called as a value is not recorded")
				})
				require.Empty(t, limits)
				require.Equal(t, []string{p.kinds}, programs.Errors(t, x.Ends, limits))
			} else {
				require.False(t, x.Covered.AllWithoutStalls())
				require.Regexp(t, `^main\.go:\d+:\d+: the clock decides as a number`, x.Covered.Limits[0])
			}
			text, version = clockProgram(p.good, p.version)
			x, err = Exhaust(t.Context(), programs.Write(t, version, "main.go", text, "main"), Exhaustion{Stalls: p.stalls}, Options{})
			require.NoError(t, err)
			require.True(t, x.Covered.AllWithoutStalls(), "%v", x.Covered.Limits)
			require.Empty(t, programs.Errors(t, x.Ends, x.Covered.Limits))
		})
	}
}

// TestCheckClock: a check says of no program that decides by a number of the clock that it has no
// error, and says so of those that only calculate with times. All programs are checked with
// -verdicts, one of three without: TestExhaustClock has them all.
func TestCheckClock(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	for i, p := range clockPrograms {
		if i%6 > 0 && !*verdictsAll {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			text, version := clockProgram(p.bad, p.version)
			spec := programs.Write(t, version, "main.go", text, "main")
			b, err := Check(context.Background(), spec, Options{})
			require.NoError(t, err)
			require.NotEqual(t, outcomeNone, outcomeOf(b), describe(b))
			for _, f := range b.Findings() {
				if f.Verdict == artifact.Real {
					again(t, spec, b, f)
				}
			}
			text, version = clockProgram(p.good, p.version)
			b, err = Check(context.Background(), programs.Write(t, version, "main.go", text, "main"), Options{})
			require.NoError(t, err)
			require.Equal(t, outcomeNone, outcomeOf(b), describe(b))
		})
	}
}

// TestTickLost: the channel of a ticker has room for one tick, also while somebody else's case of a select is taken.
func TestTickLost(t *testing.T) {
	x, err := Exhaust(t.Context(), programs.Main(t, `package main

import "time"

func main() {
	t := time.NewTicker(10 * time.Millisecond)
	c := make(chan int, 1)
	c <- 1
	time.Sleep(15 * time.Millisecond)
	select {
	case <-t.C:
		return
	case <-c:
	}
	time.Sleep(20 * time.Millisecond)
	<-t.C
	select {
	case <-t.C:
		panic("two ticks were there")
	default:
	}
}
`), Exhaustion{}, Options{})
	require.NoError(t, err)
	require.True(t, x.Complete)
	require.False(t, fails(x), "%+v", x.Ends)
}

// TestDraws: where the clock, or random numbers that are too many to explore, decide, all schedules are run again with
// others, and what is found says when the clock of its run begins. That proves nothing.
func TestDraws(t *testing.T) {
	b := checked(t, "dw_unique_ok")
	x := b.Runs().Exhaustive
	require.Equal(t, 1+otherDraws, x.Draws)
	require.False(t, x.AllWithoutStalls())
	require.Contains(t, x.Coverage(), "and again with each of 7 other draws of random numbers and starts of the clock, but for what is not covered")
	require.True(t, Conclude(b).Inconclusive())

	for _, name := range []string{"dw_minute", "dw_midnight"} {
		found := checked(t, name).Findings()
		require.Len(t, found, 1)
		require.Equal(t, artifact.Real, found[0].Verdict)
		require.Empty(t, found[0].Stalls)
		at, err := time.Parse(time.RFC3339Nano, found[0].Begins)
		require.NoError(t, err)
		require.Equal(t, time.Date(2026, time.December, 31, 23, 59, 59, 995e6, time.UTC), at)
	}
	require.Zero(t, checked(t, "n12_etag_page_ok").Runs().Exhaustive.Draws)
}
