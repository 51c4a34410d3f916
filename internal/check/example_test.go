package check_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/uppaal"
)

const twoLocks = `<nta>
<declaration>bool a, b;</declaration>
<template><name>P</name><parameter>bool &amp;first, bool &amp;second</parameter>
  <location id="id0"><name>idle</name></location>
  <location id="id1"><name>one</name></location>
  <location id="id2"><name>both</name></location>
  <init ref="id0"/>
  <transition><source ref="id0"/><target ref="id1"/>
    <label kind="guard">!first</label><label kind="assignment">first = true</label></transition>
  <transition><source ref="id1"/><target ref="id2"/>
    <label kind="guard">!second</label><label kind="assignment">second = true</label></transition>
  <transition><source ref="id2"/><target ref="id0"/>
    <label kind="assignment">first = false, second = false</label></transition>
</template>
<system>P1 = P(a, b); P2 = P(b, a); system P1, P2;</system>
</nta>`

// Two processes take two locks in opposite orders.
func Example() {
	net, err := uppaal.ReadXML(strings.NewReader(twoLocks))
	if err != nil {
		panic(err)
	}
	var queries []*uppaal.Query
	for _, text := range []string{"A[] not (P1.both and P2.both)", "A[] not deadlock"} {
		q, err := uppaal.ParseQuery(text)
		if err != nil {
			panic(err)
		}
		queries = append(queries, q)
	}
	report, err := check.Verify(context.Background(), net, queries, check.Options{})
	if err != nil {
		panic(err)
	}
	info, err := uppaal.Check(net)
	if err != nil {
		panic(err)
	}
	for i, r := range report.Results {
		fmt.Println(r.Verdict, uppaal.QueryString(queries[i]))
		if r.Trace != nil {
			fmt.Println("  " + strings.Join(r.Trace.Lines(info), "\n  "))
		}
	}
	// Output:
	// T A[] not (P1.both and P2.both)
	// F A[] not deadlock
	//   P1: idle > one
	//   P2: idle > one
}
