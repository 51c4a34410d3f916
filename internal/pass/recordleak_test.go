package pass

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/analyze"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/recording"
	"github.com/vtrace/vtrace/internal/trace"
)

// leaks is a program that leaves goroutines behind, and ends in some way.
const leaks = `package main

import (
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
)

var global = make(chan int)

// locks are of a size that has memory of its own, as small objects without pointers have not.
type locks struct {
	sync.Mutex
	sync.WaitGroup
	next *locks
}

func start(arrived *sync.WaitGroup) {
	lost, mine, stopped, never, sent := make(chan int), make(chan int), make(chan int), make(chan int), make(chan int)
	var none chan int
	l, cond := new(locks), sync.NewCond(new(sync.Mutex))
	l.Add(1)
	l.Lock()
	for _, f := range []func(){
		func() { <-lost },
		func() { none <- 1 },
		func() { sent <- 1 },
		func() {
			select {
			case sent <- 2:
			}
		},
		func() {
			select {
			case stopped <- 1:
			case <-never:
			}
		},
		func() { l.WaitGroup.Wait() },
		func() { l.Lock() },
		func() {
			cond.L.Lock()
			cond.Wait()
		},
		func() { <-global },
		func() { <-mine },
		func() {
			time.Sleep(time.Hour)
			mine <- 1
		},
	} {
		arrived.Add(1)
		go func() {
			arrived.Done()
			f()
		}()
	}
}

// blocked reports whether all other goroutines wait.
func blocked() bool {
	stacks := make([]byte, 1<<16)
	text := string(stacks[:runtime.Stack(stacks, true)])
	return strings.Count(text, "[running]:") == 1 && !strings.Contains(text, "[runnable")
}

func main() {
	var arrived sync.WaitGroup
	start(&arrived)
	arrived.Wait()
	for !blocked() {
		runtime.Gosched()
	}
	if len(os.Args) < 2 {
		return
	}
	switch os.Args[1] {
	case "exit":
		os.Exit(3)
	case "panic":
		panic("at the end")
	case "late":
		time.Sleep(time.Hour)
	}
}
`

// TestRecordLeaks: the garbage collector says of the goroutines that are left which ones nothing can wake, if the program exits
// by itself.
func TestRecordLeaks(t *testing.T) {
	if testing.Short() {
		t.Skip("the programs record themselves")
	}
	t.Parallel()
	spec := programs.Write(t, "1.26", "main.go", leaks, "main")
	for mode, end := range map[string]string{"": "exit status 0", "exit": "exit status 3", "panic": "exit status 2", "late": "timeout"} {
		opts := Options{Model: &Model{}}
		if mode != "" {
			opts.Model.Args = []string{mode}
		}
		how := Recording{}
		if mode == "late" {
			how.Timeout = 2 * time.Second
		}
		var file bytes.Buffer
		how.To = &file
		r, err := Record(context.Background(), spec, how, opts)
		require.NoError(t, err)
		require.Equal(t, end, r.End)
		require.Empty(t, r.Limits)
		tr, h, err := recording.Load(&file, 0)
		require.NoError(t, err)
		require.Equal(t, mode == "" || mode == "exit", h.Judged, mode)
		unreachable, reachable := []string{"recv", "send", "send", "select", "select", "wait", "lock", "condwait"}, []string{"recv", "recv"}
		if !h.Judged {
			unreachable, reachable = nil, nil
		}
		got := map[trace.Left][]string{}
		for i := range tr.Goroutines {
			g := &tr.Goroutines[i]
			if n := len(g.Events); n > 0 && g.Left != trace.NotJudged {
				e := g.Events[n-1]
				for j := range g.Events { // the lock of a condition is given back within its wait
					if g.Events[j].Op == trace.OpCondWait {
						e = g.Events[j]
					}
				}
				got[g.Left] = append(got[g.Left], e.Op.String())
			}
		}
		require.Equal(t, unreachable, got[trace.Unreachable], mode)
		require.Equal(t, reachable, got[trace.Reachable], mode)
		res, err := analyze.Analyze(tr, analyze.Limits{})
		require.NoError(t, err)
		confirmed, open := 0, 0
		for _, f := range res.Findings {
			if strings.HasPrefix(string(f.Code), "L") && strings.Contains(f.Message, "the garbage collector confirms") {
				confirmed += f.Count
			}
			if strings.Contains(f.Message, "could still be reached") {
				open += f.Count
			}
		}
		require.Equal(t, len(unreachable), confirmed, mode)
		require.Equal(t, len(reachable), open, mode)
	}
}
