package orcutil

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

var zzFrom = flag.Int("zz.from", 0, "")
var zzN = flag.Int("zz.n", 200, "")
var zzKinds = flag.Int("zz.kinds", -1, "")
var zzLimit = flag.Int("zz.limit", 400, "")

func TestZZCompare(t *testing.T) {
	all := append([][]string{exhaustKinds}, families...)
	var runs, cut, oldRuns, oldCut, diffs, ended, endedCut, endedRuns int
	var worst string
	worstShare := 0.0
	began := time.Now()
	for k, kinds := range all {
		if *zzKinds >= 0 && k != *zzKinds {
			continue
		}
		kr, kc, ko := 0, 0, 0
		for i := range *zzN {
			seed := uint64(*zzFrom + i)
			r := random(seed)
			p := newRandomProgram(&r, kinds)
			cfg := Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main}
			ends := false
			seen := func(res Result) string { ends = ends || res.Outcome.endsProgram(); return p.seen(res) }
			traces, all := allTraces(cfg, 3000)
			if !all {
				traces = nil
			}
			sourceSets = true
			dbgPrints = map[uint64]int{}
			old := exhaust(t, Exhaustion{Config: cfg, Runs: *zzLimit}, seen)
			sourceSets = false
			oldPrints := dbgPrints
			dbgPrints = map[uint64]int{}
			if !old.complete {
				continue
			}
			o := exhaust(t, Exhaustion{Config: cfg}, seen)
			if ends {
				ended++
				endedCut += o.out.Cut
				endedRuns += o.runs
			} else {
				runs, cut, oldRuns, oldCut = runs+o.runs, cut+o.out.Cut, oldRuns+old.runs, oldCut+old.out.Cut
				kr, kc, ko = kr+o.runs, kc+o.out.Cut, ko+old.out.Cut
				if s := float64(o.out.Cut) / float64(o.runs); s > worstShare {
					worstShare, worst = s, fmt.Sprint(k, " ", seed, " ", o.runs, " ", o.out.Cut)
				}
				if o.out.Cut > 0 {
					fmt.Println("cut", k, seed, o.runs, o.out.Cut, "old", old.out.Cut)
				}
			}
			missOld, missNew := 0, 0
			for h := range traces {
				if oldPrints[h] == 0 {
					missOld++
				}
				if dbgPrints[h] == 0 {
					missNew++
				}
			}
			if !ends && !o.misuse && missNew > missOld {
				fmt.Println("MISS", k, seed, "of", len(traces), "old", missOld, "new", missNew)
			}
			for h := range oldPrints {
				if dbgPrints[h] == 0 {
					missNew++
				}
			}
			if !ends && missNew > missOld {
				fmt.Println("LESS", k, seed, "of", len(traces), "old", missOld, "new", missNew)
			}
			if !slices.Equal(old.sorted(), o.sorted()) {
				diffs++
				fmt.Println("DIFF", k, seed, "ends", ends, "old", old.runs, old.out.Cut, "new", o.runs, o.out.Cut, slices.Equal(old.sorted(), o.sorted()))
			}
		}
		fmt.Println(k, strings.Join(kinds, ","), kr, "cut", kc, "old", ko)
	}
	fmt.Println("runs", runs, "cut", cut, "old", oldRuns, oldCut, "diffs", diffs, "ended", ended, endedRuns, endedCut, "worst", worst, time.Since(began))
}
