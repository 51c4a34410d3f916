package promela_test

import (
	"os"
	"strings"

	"github.com/vtrace/vtrace/internal/check/promela"
	"github.com/vtrace/vtrace/internal/uppaal"
)

func ExampleExport() {
	net, err := uppaal.ReadXML(strings.NewReader(`<nta>
  <declaration>int[0,3] n; chan c;</declaration>
  <template><name>A</name><location id="id0"><name>a</name></location><init ref="id0"/>
    <transition><source ref="id0"/><target ref="id0"/><label kind="guard">n &lt; 3</label><label kind="synchronisation">c!</label><label kind="assignment">n++</label></transition>
  </template>
  <template><name>B</name><location id="id0"><name>b</name></location><init ref="id0"/>
    <transition><source ref="id0"/><target ref="id0"/><label kind="synchronisation">c?</label></transition>
  </template>
  <system>system A, B;</system></nta>`))
	if err != nil {
		panic(err)
	}
	info, err := uppaal.Check(net)
	if err != nil {
		panic(err)
	}
	query, err := uppaal.ParseQuery("A[] n < 3")
	if err != nil {
		panic(err)
	}
	if err := promela.Export(os.Stdout, info, query); err != nil {
		panic(err)
	}
	// Output:
	// /* A network of automata, written by vtrace.
	//    spin -a -o1 -o2 -o3 FILE    (without -o: Spin merges steps)
	//    gcc -O2 -fwrapv -DSAFETY -DVECTORSZ=16384 -o pan pan.c    (-DNOREDUCE: every state)
	//    ./pan -m10000000 -E
	//    query: A[] n < 3
	//  */
	//
	// byte v1_n;
	// chan ch[3] = [0] of { bit, short }; /* ch[0] and ch[1] are dead */
	//
	// active proctype proc0() /* A */
	// {
	// L0:	/* a */
	// 	if
	// 	:: ch[((v1_n < 3) -> 2 : 0)]!1,1; goto L0
	// 	fi
	// }
	//
	// active proctype proc1() /* B */
	// {
	// L0:	/* b */
	// 	if
	// 	:: atomic { ch[2]?_,_ -> v1_n = (v1_n + 1); goto L0 }
	// 	fi
	// }
	//
	// active proctype property()
	// {
	// 	atomic { (!(v1_n < 3)) -> assert(false) }
	// }
}
