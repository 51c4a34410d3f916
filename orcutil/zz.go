package orcutil

import "fmt"

var dbg bool

func show(tree []branch) (s string) {
	for _, b := range tree {
		s += "(" + b.G
		if len(b.Values) > 0 {
			s += fmt.Sprint(b.Values)
		}
		if len(b.Unless) > 0 {
			s += fmt.Sprint("!", b.Unless)
		}
		s += show(b.Then) + ")"
	}
	return
}

func (x *reduction) trace(res Result) {
	if !dbg {
		return
	}
	fmt.Println("---- run", x.cutOff, res.Verdict, res.Outcome.Kind)
	for i, e := range x.exec.events {
		g := "time"
		if e.g >= 0 {
			g = x.exec.names[e.g]
		}
		fmt.Printf("%d: %s %v node %d waits %v", i, g, e.site, e.node, e.waits)
		for _, t := range e.touches {
			fmt.Printf(" {%v/%v %v}", t.object.space, t.object.p, t.kind)
		}
		if e.node >= 0 {
			n := x.nodes[e.node]
			fmt.Printf("  ready %v sleep %v to %s then %s", n.Ready, n.Sleep, show(n.To), show(n.Then))
		}
		fmt.Println()
	}
	if x.cutOff {
		fmt.Println("cut with asleep", x.sleep)
	}
}

var dbgPrints map[uint64]int
