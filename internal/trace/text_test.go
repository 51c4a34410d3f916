package trace_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/trace"
)

// everything has each form of a line once.
const everything = `trace 1
program example.com/p.main
chan x 0 @main.go:3:7(p.main,p.main#1)
chan y 2
mutex m
rwmutex r
waitgroup w
once o
cond c
atomic a
var v
goroutine 1 main.main path 0
  go 2 @main.go:9
  send x
  recv nil pending
goroutine 2 %6Ff of 1 truncated
  recv x from 1.2
  recv x closed
  send x panicked
  select recv x @main.go:1:2, send y, default : 1 from 1.2 @main.go:1:1
  select recv x, default : default
  select recv x, send y : 0 closed
  select default : default
  close x
  lock m first
  unlock m
  lock m from 2.10
  trylock m failed
  rlock r
  runlock r
  tryrlock r
  add w +2 = 2 seq 1
  add w -1
  wait w pending
  post 18 seq 2
  once o pending
  load a from 2.21 seq 1
  post 19 ran
  once o from 2.19
  store a seq 2
  rmw a
  condwait c pending
  unlock m
  post 24 from 2.23
  lock m
  signal c
  broadcast c
  read v
  write v
  select pending
`

func TestText(t *testing.T) {
	t.Parallel()
	tr, err := trace.Parse([]byte(everything))
	require.NoError(t, err)
	require.Equal(t, "of", tr.Goroutines[1].Name)
	require.Equal(t, trace.Position{File: "main.go", Line: 3, Column: 7, Func: "p.main", Site: "p.main#1"}, tr.Position(tr.Objects[0].Pos))
	recv := tr.Goroutines[1].Events[0]
	require.Equal(t, trace.Event{Phase: trace.Whole, Op: trace.OpRecv, PC: 1, Object: 1, Partner: trace.Ref{Goroutine: 1, PC: 2}}, recv)
	sel := tr.Goroutines[1].Events[3]
	require.Equal(t, []trace.Case{{Op: trace.OpRecv, Object: 1, Pos: sel.Cases[0].Pos}, {Op: trace.OpSend, Object: 2}}, sel.Cases)
	require.Equal(t, int32(1), sel.Case)
	require.True(t, sel.Has(trace.HasDefault))
	require.Equal(t, 37, tr.Events())

	var out bytes.Buffer
	require.NoError(t, trace.Format(&out, tr))
	require.Equal(t, everything, out.String())
}

// What is not well formed is refused, with the line.
func TestTextErrors(t *testing.T) {
	t.Parallel()
	const head = "trace 1\nchan x 0\nmutex m\nwaitgroup w\ngoroutine 1\n"
	for text, want := range map[string]string{
		"":                                         `a trace begins with "trace 1"`,
		"trace 2":                                  `a trace begins with "trace 1"`,
		"trace 1":                                  "it has no goroutine",
		"trace 1\ntrace 1":                         "there is no goroutine that does",
		"trace 1\nchan x":                          "the capacity of a channel",
		"trace 1\nchan x -1":                       "the capacity of a channel",
		"trace 1\nchan x 01":                       "the capacity of a channel",
		"trace 1\nmutex nil":                       "nil is none",
		"trace 1\nmutex a\nvar a":                  "two objects a",
		"trace 1\nmutex a b":                       `"b" is too much`,
		"trace 1\nmutex (a)":                       "is no name",
		"trace 1\ngoroutine 2":                     "this should be goroutine 1",
		"trace 1\ngoroutine 1 of 2":                "there is no goroutine 2",
		head + "mutex n":                           "objects come in front",
		head + "fly x":                             `there is no operation "fly"`,
		head + "send y":                            `there is no object "y"`,
		head + "send m":                            "send is not for a mutex",
		head + "lock x":                            "lock is not for a chan",
		head + "send x from 2.1":                   "there is no such partner",
		head + "send x from 1.0":                   "is no number",
		head + "send x first":                      "only of a lock",
		head + "close x from 1.1":                  "close has no partner",
		head + "recv x panicked":                   "recv has no such result",
		head + "recv x from 1.1 closed":            "is too much",
		head + "lock m pending first":              "is too much",
		head + "post 1":                            "the last pending operation is not 1",
		head + "lock m pending\npost 2":            "the last pending operation is not 2",
		head + "add w 1":                           "as +1",
		head + "select recv x":                     "which case it has taken",
		head + "select recv x : 1":                 "a case that it has not",
		head + "select recv x : default":           "a case that it has not",
		head + "select recv x recv x : 0":          "separated by commas",
		head + "select recv x, : 0":                "separated by commas",
		head + "select default, recv x : 0":        "the default is the last",
		head + "select lock m : 0":                 "a case is send, recv or default",
		head + "select send x : 0 closed":          "its case cannot end so",
		head + "select send m : 0":                 "a case is no operation of a channel",
		head + "go 1":                              "goroutine 1 was started before",
		head + "go 2":                              "there is no such partner",
		head + "end\nend":                          "a goroutine ends once",
		head + "end pending":                       "a goroutine ends once",
		head + "go 2\ngo 2\ngoroutine 2":           "goroutine 2 was started before",
		head + "send x @a.go":                      "a position is",
		head + "send x @a.go:0":                    "a position is",
		head + "send x @a.go:1(p":                  "a position is",
		head + "send x @a%0A.go:1":                 "control character",
		head + "send x @a%FF.go:1":                 "is no UTF-8",
		head + "\xff":                              "it is no UTF-8",
		head + strings.Repeat("x", 1<<20+1):        "longer than",
		"trace 1\ngoroutine 1\nprogram p":          "in front of objects",
		"trace 1\nprogram":                         "the program has no name",
		"trace 1\ngoroutine 1 path":                "the path is empty",
		head + "trylock m failed seq 0":            "is no number",
		head + "wait w seq 1 seq 2":                "is too much",
		head + "add w +1 = x":                      "a counter is a number",
		head + "send x\npost 1":                    "the last pending operation is not 1",
		head + "select recv x pending\npost 1 : 3": "a case that it has not",
	} {
		_, err := trace.Parse([]byte(text))
		require.ErrorContains(t, err, want, "%q", text)
	}
}

// What Format cannot be given by Parse: objects without names, or with the same.
func TestFormatNames(t *testing.T) {
	t.Parallel()
	tr := &trace.Trace{
		Objects:    []trace.Object{{Kind: trace.Chan}, {Kind: trace.Chan, Name: "chan1"}, {Kind: trace.Mutex, Name: "nil"}, {Kind: trace.Mutex, Name: "a b"}},
		Goroutines: []trace.Goroutine{{Events: []trace.Event{{Phase: trace.Pre, Op: trace.OpRecv, PC: 1, Object: 2}}}},
	}
	require.NoError(t, tr.Validate())
	var out bytes.Buffer
	require.NoError(t, trace.Format(&out, tr))
	require.Equal(t, "trace 1\nchan chan1 0\nchan chan1.2 0\nmutex nil.3\nmutex a%20b\ngoroutine 1\n  recv chan1.2 pending\n", out.String())
	_, err := trace.Parse(out.Bytes())
	require.NoError(t, err)
}

// What is read is valid, and is written as what is read again the same.
func FuzzParse(f *testing.F) {
	f.Add([]byte(everything))
	for line := range strings.Lines(everything) {
		f.Add([]byte("trace 1\nchan x 0\nmutex m\nwaitgroup w\ngoroutine 1\n" + line))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		tr, err := trace.Parse(text)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		require.NoError(t, tr.Validate())
		var once, twice bytes.Buffer
		require.NoError(t, trace.Format(&once, tr))
		again, err := trace.Parse(once.Bytes())
		require.NoError(t, err, once.String())
		require.Equal(t, tr, again)
		require.NoError(t, trace.Format(&twice, again))
		require.Equal(t, once.String(), twice.String())
	})
}

func ExampleParse() {
	t, err := trace.Parse([]byte(`trace 1
chan x 0
goroutine 1 main
  go 2
  recv x from 2.1
goroutine 2 worker of 1
  send x
`))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Println(len(t.Goroutines), t.Goroutines[0].Events[1].Partner)
	// Output: 2 {2 1}
}
