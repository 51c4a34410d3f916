package uppaal

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bridge is the well-known crossing of trains, without its clocks, as the
// editor writes models: anonymous locations, queries that end in newlines,
// rows of the query list without formula.
const bridge = `<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.5//EN' 'http://www.it.uu.se/research/group/darts/uppaal/flat-1_5.dtd'>
<nta>
	<declaration>const int N = 3; // trains
typedef int[0,N-1] train_t;
chan near[N], halt[N], gone[N]; urgent chan proceed[N];</declaration>
	<template>
		<name x="5" y="5">Train</name>
		<parameter>const train_t me</parameter>
		<location id="id0" x="1" y="2"><name>Far</name></location>
		<location id="id1"><name>Near</name></location>
		<location id="id2"><name>Halted</name></location>
		<location id="id3"><name>On</name></location>
		<init ref="id0"/>
		<transition><source ref="id0"/><target ref="id1"/><label kind="synchronisation">near[me]!</label></transition>
		<transition><source ref="id1"/><target ref="id3"/></transition>
		<transition><source ref="id1"/><target ref="id2"/><label kind="synchronisation">halt[me]?</label></transition>
		<transition><source ref="id2"/><target ref="id3"/><label kind="synchronisation">proceed[me]?</label></transition>
		<transition><source ref="id3"/><target ref="id0"/><label kind="synchronisation">gone[me]!</label></transition>
	</template>
	<template>
		<name>Bridge</name>
		<declaration>train_t queue[N+1];
int[0,N] length;
void push(train_t t) { queue[length++] = t; }
void pop()
{
	int i = 0;
	length -= 1;
	while (i &lt; length) { queue[i] = queue[i + 1]; i++; }
	queue[i] = 0;
}
train_t first() { return queue[0]; }
train_t last() { return queue[length - 1]; }</declaration>
		<location id="id4"><committed/></location>
		<location id="id5"><name>Busy</name></location>
		<location id="id6"><name>Empty</name></location>
		<init ref="id6"/>
		<transition><source ref="id5"/><target ref="id4"/><label kind="select">t : train_t</label>
			<label kind="synchronisation">near[t]?</label><label kind="assignment">push(t)</label></transition>
		<transition><source ref="id5"/><target ref="id6"/><label kind="select">t : train_t</label>
			<label kind="guard">t == first()</label><label kind="synchronisation">gone[t]?</label><label kind="assignment">pop()</label></transition>
		<transition><source ref="id4"/><target ref="id5"/><label kind="synchronisation">halt[last()]!</label></transition>
		<transition><source ref="id6"/><target ref="id5"/><label kind="guard">length &gt; 0</label><label kind="synchronisation">proceed[first()]!</label></transition>
		<transition><source ref="id6"/><target ref="id5"/><label kind="select">t : train_t</label>
			<label kind="guard">length == 0</label><label kind="synchronisation">near[t]?</label><label kind="assignment">push(t)</label></transition>
	</template>
	<system>system Train, Bridge;
</system>
	<queries>
		<query><formula/><comment>===== safety</comment></query>
		<query><formula>A[] forall (i : train_t) forall (j : train_t) Train(i).On &amp;&amp; Train(j).On imply i == j
		</formula><comment/></query>
		<query><formula>E&lt;&gt; Train(0).On and (forall (i : train_t) i != 0 imply Train(i).Halted)</formula><comment/></query>
		<query><formula>A[] Bridge.queue[N] == 0 and (not Bridge._id4 or Bridge.length &gt; 0)</formula><comment/></query>
		<query><formula>Train(0).Near --&gt; Train(0).On</formula><comment/></query>
	</queries>
</nta>`

func TestBridge(t *testing.T) {
	n := readXML(t, bridge)
	for range 2 {
		info, err := Check(n)
		require.NoError(t, err)
		var names []string
		for _, p := range info.Processes {
			names = append(names, p.Name)
		}
		require.Equal(t, []string{"Train(0)", "Train(1)", "Train(2)", "Bridge"}, names)
		require.Len(t, n.Queries, 4)
		for _, q := range n.Queries {
			require.NoError(t, info.CheckQuery(q))
		}
		n = readXML(t, writeXML(t, n)) // and once more on what was written
	}

	timed := strings.Replace(bridge, "<parameter>const train_t me</parameter>",
		"<parameter>const train_t me</parameter><declaration>clock x;</declaration>", 1)
	timed = strings.Replace(timed, `<location id="id1">`, `<location id="id1"><label kind="invariant">x &lt;= 20</label>`, 1)
	_, err := Check(readXML(t, timed))
	require.EqualError(t, err, "template Train, declaration:1:1: clocks are not supported")
}
