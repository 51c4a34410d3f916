package orcutil

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

type enumPrint struct {
	enumeration
	exec  *execution
	print fingerprint
}

func (c *enumPrint) Next(v View) Choice {
	c.print.update(c.exec)
	c.exec.changed = c.exec.changed[:0]
	var all []int
	end := TimePasses
	n := 0
	s := v.run
	for i, p := range v.Ready {
		if p.End {
			end = i
		} else if s.enabled(p.g) {
			all = append(all, i)
			n += max(p.Cases, 1)
		}
	}
	if len(all) == 0 {
		if end < 0 && len(v.Ready) > 0 && !v.Time {
			c.exec.queues = true
			return Choice{Index: 0}
		}
		return Choice{Index: end}
	}
	i := all[0]
	if len(all) > 1 {
		i = all[c.pick(len(all))]
	}
	g := v.Ready[i].g
	cs := 0
	if g.op == opSelect {
		var list []int
		for i, k := range g.cases {
			if s.couldTake(k) {
				list = append(list, i)
			}
		}
		if len(list) == 1 {
			cs = list[0]
		} else if len(list) > 1 {
			cs = list[c.pick(len(list))]
		}
	}
	return Choice{Index: i, Case: cs}
}

func allTraces(cfg Config, limit int) (map[uint64]int, bool) {
	c := &enumPrint{exec: &execution{next: -1}}
	prints := map[uint64]int{}
	cfg.Chooser, cfg.exec, cfg.NoLog, cfg.NoStacks = c, c.exec, true, true
	for i := 0; i < limit; i++ {
		c.exec.reset()
		c.print.reset()
		c.pos = 0
		Run(cfg)
		c.print.update(c.exec)
		prints[c.print.all(c.exec)]++
		if !c.next() {
			return prints, true
		}
	}
	return prints, false
}

func TestZZOne(t *testing.T) {
	all := append([][]string{exhaustKinds}, families...)
	k, _ := strconv.Atoi(os.Getenv("KIND"))
	seed, _ := strconv.Atoi(os.Getenv("SEED"))
	r := random(seed)
	p := newRandomProgram(&r, all[k])
	fmt.Printf("%v %+v\n", p.caps, p.goros)
	cfg := Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main}
	traces, complete := allTraces(cfg, 300000)
	fmt.Println("all", len(traces), complete)
	dbgPrints = map[uint64]int{}
	dbg = os.Getenv("DBG") == "old"
	sourceSets = true
	o := exhaust(t, Exhaustion{Config: cfg}, p.seen)
	sourceSets = false
	old := dbgPrints
	fmt.Println("old", len(old), o.runs, o.out.Cut, o.misuse)
	dbgPrints = map[uint64]int{}
	dbg = os.Getenv("DBG") == "new"
	o = exhaust(t, Exhaustion{Config: cfg}, p.seen)
	fmt.Println("new", len(dbgPrints), o.runs, o.out.Cut, o.misuse)
	inOld, inNew := 0, 0
	for h := range traces {
		if old[h] == 0 {
			inOld++
		}
		if dbgPrints[h] == 0 {
			inNew++
		}
	}
	extra := 0
	for h := range dbgPrints {
		if traces[h] == 0 {
			extra++
		}
	}
	fmt.Println("of all, not in old", inOld, "not in new", inNew, "extra", extra)
	dbgPrints = nil
}
