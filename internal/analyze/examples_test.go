package analyze_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/analyze"
	"github.com/vtrace/vtrace/internal/trace"
)

// example is a trace with what the theory says of it. All of it was worked out by hand.
type example struct {
	name, trace string
	// clocks are, for some operations, the clocks before and after, "-" for none.
	clocks []string
	// findings are all there are, as Finding.String has them.
	findings []string
	// orders and distinct are those of the coverage, 1 if they are 0.
	orders, distinct int
}

var examples = []example{{
	// The first example of the paper: who was left alone could have been the one.
	name: "two receivers",
	trace: `chan x 0
goroutine 1
  go 2
  go 3
  recv x from 2.1
goroutine 2 of 1
  send x
goroutine 3 of 1
  recv x pending`,
	clocks: []string{
		"1.1 [1,0,0] [1,0,0]", "1.2 [2,0,0] [2,0,0]", "1.3 [3,0,0] [3,1,0]", "2.1 [1,1,0] [3,1,0]", "3.1 [2,0,1] -",
	},
	findings: []string{"L01 x 3.1 2.1", "DR x 3.1 2.1", "AC x 2.1 1.3 3.1", "MP x 1.3 3.1", "P07 x 1.3 3.1"},
}, {
	// The second one: a close that could have come first.
	name: "close and send",
	trace: `chan x 0
goroutine 1
  go 2
  go 3
  recv x closed
goroutine 2 of 1
  send x pending
goroutine 3 of 1
  close x`,
	clocks:   []string{"3.1 [2,0,1] [2,0,1]", "1.3 [3,0,0] [3,0,1]", "2.1 [1,1,0] -"},
	findings: []string{"SC x 2.1 3.1", "A02 x 1.3", "L01 x 2.1 1.3", "DR x 2.1 1.3"},
}, {
	// The third one: a case whose partner always comes too late.
	name: "case that never applies",
	trace: `chan x 0
chan y 0
goroutine 1
  go 2
  select recv x, recv y : 0 from 2.1
goroutine 2 of 1
  send x
  send y pending`,
	clocks:   []string{"1.2 [2,0] [2,1]", "2.1 [1,1] [2,1]", "2.2 [2,2] -"},
	findings: []string{"P08 y case 1 1.2", "L02 y 2.2"},
}, {
	// Example 3.4: by post clocks the receive of 4 is after the send of 2, by pre clocks it is not.
	name: "alternatives by pre clocks",
	trace: `chan x 0
chan y 0
goroutine 1
  go 2
  go 3
  go 4
  go 5
goroutine 2 of 1
  send x
goroutine 3 of 1
  recv x from 2.1
  send x
goroutine 4 of 1
  send y
  recv x from 3.2
goroutine 5 of 1
  recv y from 4.1`,
	clocks: []string{
		"2.1 [1,1,0,0,0] [2,1,1,0,0]", "3.1 [2,0,1,0,0] [2,1,1,0,0]", "3.2 [2,1,2,0,0] [4,1,2,2,1]",
		"4.1 [3,0,0,1,0] [4,0,0,1,1]", "5.1 [4,0,0,0,1] [4,0,0,1,1]", "4.2 [4,0,0,2,1] [4,1,2,2,1]",
	},
	findings: []string{"AC x 2.1 3.1 4.2", "AC x 4.2 3.2 2.1", "MP x 3.1 4.2", "P07 x 3.1 4.2"},
}, {
	// Example 3.5: values come in their order, so the second one is never received first.
	name: "first in first out",
	trace: `chan x 2
goroutine 1
  go 2
  send x
  send x
goroutine 2 of 1
  recv x from 1.2
  recv x from 1.3`,
	clocks: []string{"1.2 [2,0] [2,0]", "1.3 [3,0] [3,0]", "2.1 [1,1] [2,1]", "2.2 [2,2] [3,2]"},
}, {
	// Example 3.6: the third send needs the slot that the receive has freed.
	name: "freed slot",
	trace: `chan x 2
goroutine 1
  go 2
  send x
  send x
  send x
goroutine 2 of 1
  recv x from 1.2`,
	clocks: []string{"1.2 [2,0] [2,0]", "1.3 [3,0] [3,0]", "2.1 [1,1] [2,1]", "1.4 [4,0] [4,1]"},
}, {
	// Example 3.10: who comes first is not recorded, and makes a difference.
	name: "two orders",
	trace: `chan x 1
goroutine 1
  go 2
  send x
  recv x from 1.2
goroutine 2 of 1
  send x
  recv x from 2.1`,
	clocks: []string{"1.2 [2,0] [2,0]", "1.3 [3,0] [3,0]", "2.1 [1,1] [3,1]", "2.2 [3,2] [3,2]"},
	findings: []string{
		"AC x 1.3 1.2 2.1", "AC x 2.1 2.2 1.3", "AC x 2.2 2.1 1.2", "AC x 1.2 1.3 2.2", "MP x 1.2 2.1",
	},
	orders: 2, distinct: 2,
}, {
	// Example 4.2: the error shows if the other goroutine comes first.
	name: "send on closed in the other order",
	trace: `chan m 1
chan x 1
goroutine 1
  go 2
  send m
  send x
  recv m from 1.2
goroutine 2 of 1
  send m
  recv m from 2.1
  close x`,
	clocks: []string{"1.3 [3,0] [3,0]", "2.1 [1,1] [4,1]", "2.3 [4,3] [4,3]"},
	findings: []string{
		"SC x 1.3 2.3", "MP m 1.2 2.1", "AC m 1.4 1.2 2.1", "AC m 2.1 2.2 1.4", "AC m 2.2 2.1 1.2", "AC m 1.2 1.4 2.2",
	},
	orders: 2, distinct: 2,
}, {
	// Example 4.4: nobody could have helped.
	name: "locks made of channels",
	trace: `chan m 1
chan n 1
goroutine 1
  go 2
  send m
  send n pending
goroutine 2 of 1
  send n
  send m pending`,
	clocks:   []string{"1.2 [2,0] [2,0]", "1.3 [3,0] -", "2.1 [1,1] [1,1]", "2.2 [1,2] -"},
	findings: []string{"L04 n 1.3", "L04 m 2.2", "MP m 1.2 2.2", "MP n 1.3 2.1"},
}, {
	name: "mutex",
	trace: `mutex m
goroutine 1
  go 2
  lock m first
  unlock m
goroutine 2 of 1
  lock m from 1.3
  unlock m`,
	clocks:   []string{"1.2 [2,0] [2,0]", "1.3 [3,0] [3,0]", "2.1 [1,1] [3,1]", "2.2 [3,2] [3,2]"},
	findings: []string{"MP m 1.2 2.1"},
}, {
	name: "readers and writers",
	trace: `rwmutex r
goroutine 1
  go 2
  go 3
  lock r first
  unlock r
  lock r from 1.4
  unlock r
goroutine 2 of 1
  rlock r from 1.4
  runlock r
goroutine 3 of 1
  rlock r from 1.4
  runlock r`,
	clocks: []string{
		"2.1 [1,1,0] [4,1,0]", "2.2 [4,2,0] [4,2,0]", "3.1 [2,0,1] [4,0,1]", "3.2 [4,0,2] [4,0,2]",
		"1.5 [5,0,0] [5,2,2]",
	},
	findings: []string{"MP r 1.3 2.1 3.1"},
}, {
	name: "wait group",
	trace: `waitgroup w
goroutine 1
  add w +1
  go 2
  wait w
goroutine 2 of 1
  add w -1`,
	clocks: []string{"1.1 [1,0] [1,0]", "2.1 [2,1] [2,1]", "1.3 [3,0] [3,1]"},
}, {
	name: "add that may come too late",
	trace: `waitgroup w
goroutine 1
  go 2
  add w +1 = 1 seq 1
  wait w seq 3
goroutine 2 of 1
  add w -1 = 0 seq 2`,
	clocks:   []string{"1.2 [2,0] [2,0]", "2.1 [1,1] [1,1]", "1.3 [3,0] [3,1]"},
	findings: []string{"P03 w 2.1 1.2"},
}, {
	name: "add while somebody waits",
	trace: `waitgroup w
goroutine 1
  go 2
  wait w seq 1
goroutine 2 of 1
  add w +1 seq 2
  add w -1 seq 3`,
	clocks:   []string{"1.2 [2,0] [2,0]", "2.1 [1,1] [1,1]", "2.2 [1,2] [1,2]"},
	findings: []string{"P09 w 2.1 1.2"},
}, {
	name: "once",
	trace: `once o
atomic a
goroutine 1
  go 2
  once o pending
  store a seq 1
  post 2 ran
goroutine 2 of 1
  once o from 1.2
  load a from 1.3 seq 2`,
	clocks: []string{"1.2 [2,0] [3,0]", "1.3 [3,0] [3,0]", "2.1 [1,1] [3,1]", "2.2 [3,2] [3,2]"},
}, {
	name: "condition",
	trace: `mutex m
cond c
goroutine 1
  go 2
  lock m first
  condwait c pending
  unlock m
  post 3 from 2.2
  lock m from 2.3
  unlock m
goroutine 2 of 1
  lock m from 1.4
  signal c
  unlock m`,
	clocks: []string{
		"1.3 [3,0] [4,2]", "1.4 [4,0] [4,0]", "2.1 [1,1] [4,1]", "2.2 [4,2] [4,2]", "2.3 [4,3] [4,3]",
		"1.5 [5,2] [5,3]", "1.6 [6,3] [6,3]",
	},
	findings: []string{"MP m 1.2 2.1"},
}, {
	name: "two locks in two orders",
	trace: `mutex a
mutex b
goroutine 1
  go 2
  lock a first
  lock b first
  unlock b
  unlock a
goroutine 2 of 1
  lock b from 1.4
  lock a from 1.5
  unlock a
  unlock b`,
	clocks:   []string{"2.1 [1,1] [4,1]", "2.2 [4,2] [5,2]"},
	findings: []string{"P05 1.3 2.2 reordered", "MP b 1.3 2.1"},
}, {
	name: "gate lock",
	trace: `mutex g
mutex a
mutex b
goroutine 1
  go 2
  lock g first
  lock a first
  lock b first
  unlock b
  unlock a
  unlock g
goroutine 2 of 1
  lock g from 1.7
  lock b from 1.5
  lock a from 1.6
  unlock a
  unlock b
  unlock g`,
	findings: []string{"MP g 1.2 2.1"},
}, {
	name: "read locks in two orders",
	trace: `rwmutex a
rwmutex b
goroutine 1
  go 2
  rlock a first
  rlock b first
  runlock b
  runlock a
goroutine 2 of 1
  rlock b first
  rlock a first
  runlock a
  runlock b`,
	clocks: []string{"2.2 [1,2] [1,2]"},
}, {
	name: "three locks",
	trace: `mutex a
mutex b
mutex c
goroutine 1
  go 2
  go 3
  lock a first
  lock b first
  unlock b
  unlock a
goroutine 2 of 1
  lock b from 1.5
  lock c first
  unlock c
  unlock b
goroutine 3 of 1
  lock c from 2.3
  lock a from 1.6
  unlock a
  unlock c`,
	clocks:   []string{"2.1 [1,1,0] [5,1,0]", "3.1 [2,0,1] [5,3,1]", "3.2 [5,3,2] [6,3,2]"},
	findings: []string{"P05 1.4 2.2 3.2 reordered", "MP b 1.4 2.1", "MP c 2.2 3.1"},
}, {
	// Simplified from Kubernetes.
	name: "lock and channel",
	trace: `mutex m
chan c 0
goroutine 1
  go 2
  go 3
  lock m first
  send c
  unlock m
goroutine 2 of 1
  recv c from 1.4
  lock m from 1.5
  unlock m
  recv c from 3.2
  lock m from 3.3
  unlock m
goroutine 3 of 1
  lock m from 2.3
  send c
  unlock m`,
	clocks:   []string{"2.1 [1,1,0] [4,1,0]", "2.2 [4,2,0] [5,2,0]", "3.1 [2,0,1] [5,3,1]", "3.2 [5,3,2] [5,4,2]"},
	findings: []string{"P06 2.2 3.2 reordered", "MP m 2.2 3.1"},
}, {
	name: "send on closed happens",
	trace: `chan x 0
goroutine 1
  go 2
  close x
goroutine 2 of 1
  send x panicked`,
	clocks:   []string{"1.2 [2,0] [2,0]", "2.1 [1,1] [2,1]"},
	findings: []string{"A01 x 2.1"},
}, {
	name: "close of closed and of nil",
	trace: `chan x 0
goroutine 1
  go 2
  close x
  close nil panicked
goroutine 2 of 1
  close x panicked`,
	clocks:   []string{"2.1 [1,1] [2,1]"},
	findings: []string{"A03 x 2.1", "A04 nil 1.3"},
}, {
	name: "nil channel",
	trace: `chan x 0
goroutine 1
  go 2
  end
goroutine 2 of 1
  recv nil pending`,
	findings: []string{"L05 nil 2.1"},
}, {
	name: "negative counter, unlock of unlocked",
	trace: `waitgroup w
mutex m
goroutine 1
  go 2
  add w -1 panicked = -1
goroutine 2 of 1
  unlock m panicked`,
	findings: []string{"A05 w 1.2", "A06 m 2.1"},
}, {
	name: "unlock by another goroutine",
	trace: `mutex m
goroutine 1
  go 2
  lock m first
goroutine 2 of 1
  unlock m`,
	clocks:   []string{"1.2 [2,0] [2,0]", "2.1 [1,1] [1,1]"},
	findings: []string{"P04 m 2.1 1.2"},
}, {
	name: "data race",
	trace: `var v
goroutine 1
  go 2
  write v
goroutine 2 of 1
  write v`,
	findings: []string{"P10 v 1.2 2.1"},
}, {
	name: "no data race below a lock",
	trace: `var v
mutex m
goroutine 1
  go 2
  lock m first
  write v
  unlock m
goroutine 2 of 1
  lock m from 1.4
  write v
  unlock m`,
	findings: []string{"MP m 1.2 2.1"},
}, {
	name: "data race beside a lock",
	trace: `var v
mutex m
goroutine 1
  go 2
  write v
  lock m first
  unlock m
goroutine 2 of 1
  lock m from 1.4
  unlock m
  write v`,
	findings: []string{"P11 v 1.2 2.3 reordered", "MP m 1.3 2.1"},
}, {
	// The sections would have to change places, which sync-preserving reorderings do not.
	name: "no race that preserves synchronisation",
	trace: `var v
mutex m
goroutine 1
  go 2
  lock m first
  write v
  unlock m
goroutine 2 of 1
  lock m from 1.4
  unlock m
  write v`,
	findings: []string{"MP m 1.2 2.1"},
}, {
	// For the second section to begin the first has to end, and in that the first access was made known.
	name: "no race, as a section has to end",
	trace: `var v
mutex m
chan x 0
chan y 0
goroutine 1
  go 2
  go 3
  go 4
goroutine 2 of 1
  lock m first
  send y
  recv x from 4.2
  unlock m
goroutine 3 of 1
  recv y from 2.2
  lock m from 2.4
  unlock m
  write v
goroutine 4 of 1
  write v
  send x`,
	clocks: []string{"2.2 [1,2,0,0] [2,2,1,0]", "2.3 [2,3,1,0] [3,3,1,2]", "3.2 [2,2,2,0] [3,4,2,2]"},
}, {
	name: "send and close below a lock",
	trace: `chan x 1
mutex m
goroutine 1
  go 2
  lock m first
  send x
  unlock m
goroutine 2 of 1
  lock m from 1.4
  close x
  unlock m`,
	findings: []string{"SC x 1.3 2.2 reordered", "MP m 1.2 2.1"},
}, {
	name: "default taken",
	trace: `chan x 0
goroutine 1
  go 2
  select recv x, default : default
goroutine 2 of 1
  send x pending`,
	clocks:   []string{"1.2 [2,0] [2,0]", "2.1 [1,1] -"},
	findings: []string{"ASC x case 0 1.2 2.1", "DR x 2.1 1.2", "L01 x 2.1 1.2"},
}, {
	name: "case not taken",
	trace: `chan x 0
chan y 0
goroutine 1
  go 2
  go 3
  select recv x, recv y : 0 from 2.1
goroutine 2 of 1
  send x
goroutine 3 of 1
  send y pending`,
	clocks:   []string{"1.3 [3,0,0] [3,1,0]", "3.1 [2,0,1] -"},
	findings: []string{"ASC y case 1 1.3 3.1", "DR y 3.1 1.3", "L01 y 3.1 1.3"},
}, {
	name: "lock never given back",
	trace: `mutex m
goroutine 1
  go 2
  lock m first
  end
goroutine 2 of 1
  lock m pending`,
	clocks:   []string{"2.1 [1,1] -"},
	findings: []string{"L08 m 2.1 1.2", "MP m 1.2 2.1"},
}, {
	name: "lock twice",
	trace: `mutex m
goroutine 1
  lock m first
  lock m pending`,
	clocks:   []string{"1.2 [2] -"},
	findings: []string{"P05 1.2", "L09 m 1.2 1.1"},
}, {
	name: "done is missing",
	trace: `waitgroup w
goroutine 1
  add w +1
  go 2
  wait w pending
goroutine 2 of 1
  end`,
	findings: []string{"L11 w 1.3"},
}, {
	name: "signal too early",
	trace: `mutex m
cond c
goroutine 1
  go 2
  lock m first
  condwait c pending
  unlock m
goroutine 2 of 1
  signal c`,
	clocks:   []string{"1.3 [3,0] -", "2.1 [1,1] [1,1]"},
	findings: []string{"L12 c 1.3 2.1"},
}, {
	// A writer that waits keeps out readers, also one that reads already.
	name: "read lock twice",
	trace: `rwmutex r
goroutine 1
  go 2
  rlock r first
  rlock r first
  runlock r
  runlock r
goroutine 2 of 1
  lock r first
  unlock r`,
	clocks:   []string{"1.3 [3,0] [3,0]", "2.1 [1,1] [5,1]"},
	findings: []string{"P05 1.3 2.1", "MP r 1.3 2.1"},
}, {
	name: "partner in a select on both sides",
	trace: `chan x 0
chan y 0
goroutine 1
  go 2
  select send x, recv y : 0
goroutine 2 of 1
  select recv x, send y : 0 from 1.2`,
	clocks:   []string{"1.2 [2,0] [2,1]", "2.1 [1,1] [2,1]"},
	findings: []string{"ASC y case 1 1.2 2.1", "ASC y case 1 2.1 1.2"},
}, {
	// The value was sent before the close, so that only what comes behind it finds that.
	name: "values before a close",
	trace: `chan x 1
goroutine 1
  go 2
  send x
  close x
goroutine 2 of 1
  recv x from 1.2
  recv x closed`,
	clocks:   []string{"1.3 [3,0] [3,0]", "2.1 [1,1] [2,1]", "2.2 [2,2] [3,2]"},
	findings: []string{"A02 x 2.2"},
}, {
	name: "deadlock that happened",
	trace: `mutex a
mutex b
goroutine 1
  go 2
  lock a first
  lock b pending
goroutine 2 of 1
  lock b first
  lock a pending`,
	clocks:   []string{"1.3 [3,0] -", "2.2 [1,2] -"},
	findings: []string{"P05 1.3 2.2", "L08 b 1.3 2.1", "L08 a 2.2 1.2", "MP a 1.2 2.2", "MP b 1.3 2.1"},
}, {
	name: "not ended",
	trace: `chan z 1
goroutine 1
  go 2
  end
goroutine 2 of 1
  send z`,
	findings: []string{"L00 2.1"},
}, {
	name: "once that does not end",
	trace: `once o
goroutine 1
  go 2
  once o pending
  recv nil pending
goroutine 2 of 1
  once o pending`,
	clocks:   []string{"1.2 [2,0] -", "1.3 [3,0] -", "2.1 [1,1] -"},
	findings: []string{"L05 nil 1.3", "L14 o 2.1"},
}, {
	name: "add instead of wait first",
	trace: `waitgroup w
goroutine 1
  go 2
  wait w pending
goroutine 2 of 1
  add w +1`,
	findings: []string{"L10 w 1.2 2.1", "P09 w 2.1 1.2"},
}, {
	name: "no signal",
	trace: `mutex m
cond c
goroutine 1
  lock m first
  condwait c pending
  unlock m`,
	findings: []string{"L13 c 1.2"},
}, {
	name: "select that waits",
	trace: `chan x 0
chan y 0
goroutine 1
  go 2
  select recv x, recv y pending
goroutine 2 of 1
  select send x, default : default`,
	findings: []string{"DR x case 0 1.2 2.1", "L06 1.2 2.1", "ASC x case 0 2.1 1.2"},
}, {
	name: "select that waits for nobody",
	trace: `chan x 0
goroutine 1
  select recv x, recv nil pending`,
	findings: []string{"L07 1.1"},
}, {
	name: "buffered, for somebody else",
	trace: `chan x 1
goroutine 1
  go 2
  go 3
  recv x pending
goroutine 2 of 1
  send x
goroutine 3 of 1
  recv x from 2.1`,
	clocks:   []string{"1.3 [3,0,0] -", "2.1 [1,1,0] [1,1,0]", "3.1 [2,0,1] [2,1,1]"},
	findings: []string{"L03 x 1.3 2.1", "DR x 1.3 2.1", "AC x 2.1 3.1 1.3", "MP x 1.3 3.1", "P07 x 1.3 3.1"},
}, {
	name: "close by a third one",
	trace: `chan x 0
goroutine 1
  go 2
  go 3
  recv x from 3.1
goroutine 2 of 1
  close x
goroutine 3 of 1
  send x`,
	clocks:   []string{"2.1 [1,1,0] [1,1,0]", "1.3 [3,0,0] [3,0,1]", "3.1 [2,0,1] [3,0,1]"},
	findings: []string{"SC x 3.1 2.1", "P02 x 1.3 2.1"},
}, {
	name: "misuse of a wait group",
	trace: `waitgroup w
goroutine 1
  wait w panicked`,
	findings: []string{"A07 w 1.1"},
}, {
	name: "failed attempt",
	trace: `mutex m
goroutine 1
  go 2
  lock m first
  unlock m
goroutine 2 of 1
  trylock m failed`,
	clocks:   []string{"2.1 [1,1] [1,1]"},
	findings: []string{"MP m 1.2 2.1"},
}}

func parse(t *testing.T, text string) *trace.Trace {
	t.Helper()
	tr, err := trace.Parse([]byte("trace 1\n" + text))
	require.NoError(t, err)
	return tr
}

// clocksOf are the clocks of operations, as examples have them.
func clocksOf(t *testing.T, c *analyze.Clocks, want []string) []string {
	t.Helper()
	var out []string
	for _, w := range want {
		var r trace.Ref
		_, err := fmt.Sscanf(w, "%d.%d", &r.Goroutine, &r.PC)
		require.NoError(t, err)
		pre, ok := c.Pre(r)
		require.True(t, ok, w)
		text := "-"
		if post, ok := c.Post(r); ok {
			text = post.String()
		}
		out = append(out, fmt.Sprintf("%d.%d %s %s", r.Goroutine, r.PC, pre, text))
	}
	return out
}

func TestExamples(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, len(examples), 30)
	for _, e := range examples {
		t.Run(strings.ReplaceAll(e.name, " ", "_"), func(t *testing.T) {
			tr := parse(t, e.trace)
			c, cov, err := analyze.Replay(tr, analyze.Limits{})
			require.NoError(t, err)
			require.Equal(t, e.clocks, clocksOf(t, c, e.clocks))
			require.Equal(t, analyze.Coverage{Orders: max(1, e.orders), Distinct: max(1, e.distinct), Complete: true}, cov)
			r, err := analyze.Analyze(tr, analyze.Limits{})
			require.NoError(t, err)
			found := []string{}
			for i := range r.Findings {
				found = append(found, r.Findings[i].String())
			}
			require.ElementsMatch(t, e.findings, found)
			// An error has happened, or there is a witness.
			for _, f := range r.Findings {
				happened := f.Code[0] == 'A' && f.Code != analyze.AC && f.Code != analyze.ASC && f.Code != analyze.ReceiveOnClosed
				main := f.Code[0] == 'L' && f.Operations[0].Goroutine == 1
				predicts := f.Code == analyze.SC || f.Code[0] == 'P' && f.Code != analyze.PossibleReceiveOnClosed
				require.Equal(t, happened || main || predicts && f.Witness, f.Level == analyze.Error, "%s", &f)
				require.Equal(t, f.Code.Title(), f.Title)
				require.NotEmpty(t, f.Message)
			}
			require.Empty(t, r.Limits)
		})
	}
}
