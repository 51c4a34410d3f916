package analyze

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/trace"
)

// text is a prediction in a line: what it is about, the orders, and what comes next, with operations as goroutine.number.
func (p Prediction) text() string {
	var out strings.Builder
	if p.Finding != nil {
		out.WriteString(string(p.Finding.Code))
	} else {
		out.WriteString(p.Message)
	}
	for _, o := range p.Orders {
		out.WriteString(";")
		for _, r := range o {
			fmt.Fprintf(&out, " %d.%d", r.Goroutine, r.PC)
		}
	}
	out.WriteString(" ->")
	for _, t := range p.Next {
		fmt.Fprintf(&out, " %d.%d", t.Goroutine, t.PC)
		if t.Case != 0 {
			fmt.Fprintf(&out, "/%d", t.Case)
		}
		if t.Timed {
			out.WriteString("T")
		}
	}
	return out.String()
}

// TestPredict: the orders of predictions, most of the run first, then only what they need.
func TestPredict(t *testing.T) {
	for _, c := range []struct {
		name, trace string
		want        []string // behind the run itself
	}{
		{"locks in two orders, and something else", `
mutex a
mutex b
chan c 1
goroutine 1
  go 2
  go 3
  send c
goroutine 2
  lock a first
  lock b first
  unlock b
  unlock a
goroutine 3
  lock b from 2.3
  lock a from 2.4
  unlock a
  unlock b
`, []string{
			"P05; 1.1 1.2 1.3 2.1 3.1; 1.1 1.2 2.1 3.1 -> 2.2 3.2",
			"lock a in goroutine 2 (operation 1) comes behind the critical section of lock a in goroutine 3 (operation 2); 1.1 1.2 1.3 3.1 3.2 3.3 3.4; 1.1 1.2 3.1 3.2 3.3 -> 2.1",
			"lock b in goroutine 2 (operation 2) comes behind the critical section of lock b in goroutine 3 (operation 1); 1.1 1.2 1.3 3.1 3.2 3.3 2.1 3.4; 1.1 1.2 3.1 3.2 3.3 2.1 3.4 -> 2.2",
		}},
		{"a writer queues before the second read lock", `
rwmutex m
goroutine 1
  go 2
  rlock m first
  rlock m first
  runlock m
  runlock m
goroutine 2
  lock m first
  unlock m
`, []string{
			"P05; 1.1 1.2 -> 2.1 1.3",
			"rlock m in goroutine 1 (operation 2) comes behind the critical section of lock m in goroutine 2 (operation 1); 1.1 2.1 2.2 -> 1.2",
			"rlock m in goroutine 1 (operation 3) comes behind the critical section of lock m in goroutine 2 (operation 1); 1.1 2.1 2.2 1.2 -> 1.3",
		}},
		{"send on closed", `
chan c 1
goroutine 1
  go 2
  close c
goroutine 2
  send c
`, []string{"SC; 1.1 1.2 -> 2.1"}},
		{"done in front of its add", `
waitgroup w
goroutine 1
  go 2
  add w +1 = 1 seq 1
  wait w seq 3
goroutine 2
  add w -1 = 0 seq 2
`, []string{"P03; 1.1 -> 2.1"}},
		{"a select takes another case, its default, or that of a timer", `
chan c 0
chan stop 0
chan timer 1
goroutine 1
  go 2
  go 3
  select recv c, recv stop, recv timer, default : 0 from 2.1
goroutine 2
  send c
goroutine 3
  close stop
`, []string{
			"select stop in goroutine 1 (operation 3) comes behind close stop in goroutine 3 (operation 1); 1.1 1.2 3.1 -> 1.3/1",
			"select timer in goroutine 1 (operation 3) takes that case, though nobody was seen there; 1.1 1.2 3.1; 1.1 1.2 -> 1.3/2T",
			"select c in goroutine 1 (operation 3) takes its default, in front of send c in goroutine 2 (operation 1); 1.1 1.2 3.1; 1.1 1.2 -> 1.3/-1",
		}},
		{"another partner", `
chan c 0
goroutine 1
  go 2
  go 3
  recv c from 2.1
  recv c from 3.1
goroutine 2
  send c
goroutine 3
  send c
`, []string{"recv c in goroutine 1 (operation 3) meets send c in goroutine 3 (operation 1); 1.1 1.2 -> 1.3 3.1"}},
		{"a signal that comes first", `
mutex m
cond c
goroutine 1
  go 2
  lock m first
  condwait c pending
  unlock m
  post 3 from 2.2 seq 2
  lock m from 2.3
  unlock m
goroutine 2
  lock m from 1.4
  signal c seq 1
  unlock m
`, []string{
			"lock m in goroutine 1 (operation 2) comes behind the critical section of lock m in goroutine 2 (operation 1); 1.1 2.1 2.2 2.3 -> 1.2",
			"condwait c in goroutine 1 (operation 3) comes behind signal c in goroutine 2 (operation 2), which has woken it; 1.1 2.1 2.2 2.3 1.2 -> 1.3",
		}},
		{"a load in front of the store, and behind the next one", `
atomic x
goroutine 1
  go 2
  store x seq 1
  store x seq 3
goroutine 2
  load x from 1.2 seq 2
`, []string{
			"load x in goroutine 2 (operation 1) comes in front of store x in goroutine 1 (operation 2), of which it has the value; 1.1 -> 2.1",
			"load x in goroutine 2 (operation 1) comes behind store x in goroutine 1 (operation 3); 1.1 1.2 1.3 -> 2.1",
		}},
		{"another call of a once is first", `
once o
goroutine 1
  go 2
  once o ran
goroutine 2
  once o from 1.2
`, []string{"once o in goroutine 2 (operation 1) comes in front of once o in goroutine 1 (operation 2), which has called its function; 1.1 -> 2.1"}},
		{"a gate, and a join", `
mutex gate
mutex a
mutex b
goroutine 1
  lock gate first
  lock a first
  lock b first
  unlock b
  unlock a
  unlock gate
  go 2
goroutine 2
  lock gate from 1.6
  lock b from 1.4
  lock a from 1.5
  unlock a
  unlock b
  unlock gate
`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr, err := trace.Parse([]byte("trace 1" + c.trace))
			require.NoError(t, err)
			_, all, err := Predict(tr, Limits{})
			require.NoError(t, err)
			var got []string
			for _, p := range all {
				got = append(got, p.text())
			}
			for _, w := range c.want {
				require.Contains(t, strings.Join(got, "\n"), w)
			}
			t.Log(strings.Join(got, "\n"))
			require.True(t, strings.HasPrefix(got[0], RunItself))
			require.Len(t, got, 1+len(c.want), "%s", strings.Join(got, "\n"))
		})
	}
}
