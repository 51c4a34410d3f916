package blackbox_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/programs"
)

// Programs that go another way than their model at choices that it leaves open: what a
// function of the library returns, and what follows from that. LEN says how many of WORDS
// are found, each by an operation that the shortest trace does without.
const severalChoices = `package main

import "bytes"

func look(c chan int, word string) {
	if bytes.Contains([]byte("one three four six"), []byte(word)) {
		c <- 1
		<-c
	}
}

func main() {
	c := make(chan int, 1)
	look(c, "one")
	look(c, "two")
	look(c, "three")
	look(c, "four")
	look(c, "five")
	look(c, "six")
	close(c)
	close(c)
}
`

// What is found follows from which goroutine comes first, so that some runs find what others
// do not: no fact holds in all of them.
const choicesOfSchedules = `package main

import "bytes"

func look(c chan int, word string) {
	if bytes.Contains([]byte("a1 b2 c3 a3 b4 c4 a5 b5"), []byte(word)) {
		c <- 1
		<-c
	}
}

func main() {
	words, c := make(chan string), make(chan int, 1)
	go func() { words <- "a" }()
	go func() { words <- "b" }()
	go func() { words <- "c" }()
	word := <-words
	<-words
	<-words
	look(c, word+"1")
	look(c, word+"2")
	look(c, word+"3")
	look(c, word+"4")
	look(c, word+"5")
	close(c)
	close(c)
}
`

// Which lock a goroutine takes first follows from data.
const orderOfLocks = `package main

import (
	"bytes"
	"sync"
)

type account struct {
	name string
	sync.Mutex
}

func move(a, b *account) {
	if bytes.HasPrefix([]byte(b.name), []byte("PREFIX")) {
		a, b = b, a
	}
	a.Lock()
	b.Lock()
	b.Unlock()
	a.Unlock()
}

func main() {
	x, y := &account{name: "a"}, &account{name: "b"}
	done := make(chan bool)
	go func() { move(x, y); done <- true }()
	go func() { move(y, x); done <- true }()
	<-done
	<-done
}
`

// A goroutine waits in a queue when the program leaves the trace.
const queuedChoice = `package main

import "bytes"

func main() {
	c, d := make(chan string), make(chan int)
	go func() {
		s := <-c
		if bytes.Equal([]byte(s), []byte("go")) {
			<-d
		}
		if bytes.Equal([]byte(s), []byte("LAST")) {
			<-d
		}
		close(d)
	}()
	c <- "go"
	d <- 1
	close(d)
}
`

// A run that leaves its trace goes on: each open choice costs one more run, at most.
func TestLoop(t *testing.T) {
	programs.InLong(t)
	for _, c := range []struct {
		name, text string
		found      []string
		most       int // attempts
	}{
		{"several", severalChoices, []string{"main.go:21: real: close of closed channel"}, 7},
		{"several, none", strings.Replace(severalChoices, "	close(c)\n	close(c)\n", "	close(c)\n", 1), nil, 0},
		{"schedules", choicesOfSchedules, []string{"main.go:26: real: close of closed channel"}, 6},
		{"locks", strings.Replace(orderOfLocks, "PREFIX", "c", 1), []string{"main.go:28: real: deadlock"}, 4},
		{"locks in order", strings.Replace(orderOfLocks, "PREFIX", "b", 1), []string{"main.go:28: false: deadlock"}, 15},
		{"queued", strings.Replace(queuedChoice, "LAST", "on", 1), []string{"main.go:15: real: close of closed channel", "main.go:19: real: close of closed channel", "main.go:18: false: send on closed channel"}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, spec := context.Background(), programs.Main(t, c.text)
			b, err := pass.Check(ctx, spec, pass.Options{})
			require.NoError(t, err)
			t.Log(found(b))
			for _, f := range b.Findings() {
				t.Log(f.Attempts, f.Runs, f.Reason)
			}
			require.Equal(t, c.found, found(b))
			for _, f := range b.Findings() {
				require.LessOrEqual(t, f.Attempts, c.most)
			}
			again, err := pass.Check(ctx, spec, pass.Options{})
			require.NoError(t, err)
			require.Equal(t, b.Findings(), again.Findings())
			require.Equal(t, b.Refutations(), again.Refutations())
			for _, f := range b.Findings() {
				if f.Verdict != artifact.Real {
					continue
				}
				v, err := pass.Replay(ctx, b, f.Test, pass.Options{Root: spec.Dir})
				require.NoError(t, err)
				require.Equal(t, "reproduced", v.Status, v.Reason)
			}
		})
	}
}
