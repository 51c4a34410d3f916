package uppaal_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/vtrace/vtrace/internal/uppaal"
)

const door = `<nta>
<declaration>const int N = 2; typedef int[0,N-1] id_t; chan enter; int inside;</declaration>
<template><name>Person</name><parameter>const id_t id</parameter>
<location id="a"><name>out</name></location><location id="b"><name>in</name></location><init ref="a"/>
<transition><source ref="a"/><target ref="b"/>
<label kind="guard">inside == 0</label><label kind="assignment">inside++</label></transition>
<transition><source ref="b"/><target ref="a"/><label kind="assignment">inside--</label></transition>
</template>
<system>system Person;</system>
<queries><query><formula>A[] !(Person(0).in &amp;&amp; Person(1).in)</formula></query></queries>
</nta>`

// Example reads a model, checks it, and lists its processes and queries.
func Example() {
	n, err := uppaal.ReadXML(strings.NewReader(door))
	if err != nil {
		log.Fatal(err)
	}
	info, err := uppaal.Check(n)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range info.Processes {
		fmt.Println(p.Name, "starts in", p.Template.Init.Name)
	}
	for _, q := range n.Queries {
		if err := info.CheckQuery(q); err != nil {
			log.Fatal(err)
		}
		fmt.Println(uppaal.QueryString(q))
	}
	_, err = uppaal.ParseQuery("A[] Person(0).in ==")
	fmt.Println(err)
	// Output:
	// Person(0) starts in out
	// Person(1) starts in out
	// A[] not (Person(0).in and Person(1).in)
	// 1:20: unexpected end of text, expected an expression
}
