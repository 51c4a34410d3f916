package explain

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// TestNaming: objects of one name are told apart by where they were made, and where that is not known by their names in
// the run: in causes, in tables, in the cases of a select and in what is held.
func TestNaming(t *testing.T) {
	made := func(g artifact.FindingGoroutine, file string, lines ...int) artifact.FindingGoroutine {
		for i, object := range strings.Split(g.Object, ", ") {
			g.Made = append(g.Made, artifact.FindingObject{Object: object, File: file, Line: lines[i]})
		}
		return g
	}
	client, server := blocked("0", "receive", "chan#1", 5, "<-c.done"), blocked("0.1", "receive", "chan#2", 6, "<-c.done")
	closes := artifact.FindingStep{Step: 1, G: "0.2", Operation: "close", Site: "x", Object: "chan#3", File: "a.go", Line: 7, Text: "close(c.done)"}
	sends := artifact.FindingStep{Step: 2, G: "0.2", Operation: "send", Site: "y", Object: "chan#4", After: "1 of 2", File: "a.go", Line: 8, Text: "out <- 1"}
	f := artifact.Finding{Kind: artifact.KindDeadlock, Interleaving: []artifact.FindingStep{closes, sends}}
	f.Goroutines = []artifact.FindingGoroutine{made(client, "p/a.go", 31), made(server, "p/a.go", 57)}
	require.Equal(t, "goroutine 0 waits at a.go:5 to receive from c.done (made at a.go:31), and nobody who is left sends on it; "+
		"goroutine 0.1 waits at a.go:6 to receive from c.done (made at a.go:57), and nobody who is left sends on it", Cause(f))
	require.Equal(t, `
step  where   0                                    0.1                                  0.2
   1  a.go:7                                                                            close(c.done) (chan#3)
   2  a.go:8                                                                            out <- 1 (buffer 1 of 2)
      a.go:5  blocked: <-c.done (made at a.go:31)
      a.go:6                                       blocked: <-c.done (made at a.go:57)
`, "\n"+strings.Join(Table(f), "\n")+"\n")

	// Made at one place, they have their names in the run.
	f.Goroutines = []artifact.FindingGoroutine{made(client, "p/a.go", 31), made(server, "q/a.go", 31)}
	require.Contains(t, Cause(f), "from c.done (chan#1), and nobody who is left sends on it; goroutine 0.1 waits at a.go:6 to receive from c.done (chan#2)")

	// Made in one line, they have their variables.
	variables := f
	variables.Goroutines = slices.Clone(f.Goroutines)
	for i, name := range []string{"a.done", "b.done"} {
		o := made(f.Goroutines[i], "a.go", 31).Made[1]
		o.Variable = name
		variables.Goroutines[i].Made = []artifact.FindingObject{o}
	}
	require.Contains(t, Cause(variables), "from c.done (a.done of a.go:31), and nobody who is left sends on it; goroutine 0.1 waits at a.go:6 to receive from c.done (b.done of a.go:31)")
	require.Equal(t, []Object{{Name: "a.done", File: "a.go", Line: 31}, {Name: "b.done", File: "a.go", Line: 31}}, Objects(variables))
	variables.Goroutines[0].Text = "for range values() {"
	require.Contains(t, Cause(variables), "from a.done of a.go:31, and nobody")
	other := slices.Clone(variables.Goroutines)
	other[1].Made = []artifact.FindingObject{{Object: "chan#2", File: "b.go", Line: 1, Variable: "b.done"}}
	require.Contains(t, Cause(artifact.Finding{Kind: f.Kind, Goroutines: other}), "from a.done (made at a.go:31), and nobody")
	variables.Goroutines[1].Made[0].Variable = "a.done"
	require.Contains(t, Cause(variables), "from chan#1 of a.done, and nobody who is left sends on it; goroutine 0.1 waits at a.go:6 to receive from c.done (chan#2)")

	// One with several names is told by its place, too, and so is one without a name.
	server.Site, server.Text, server.Object = "other", "for v := range values() {", "chan#1"
	f.Goroutines = []artifact.FindingGoroutine{made(client, "a.go", 31), made(server, "a.go", 31)}
	f.Interleaving = nil
	require.Contains(t, Cause(f), "from c.done, and nobody who is left sends on it; goroutine 0.1 waits at a.go:6 to receive from the channel made at a.go:31,")
	server.Text = "<-s.done"
	f.Goroutines[1] = made(server, "a.go", 31)
	require.Contains(t, Cause(f), "from c.done (made at a.go:31), and nobody who is left sends on it; goroutine 0.1 waits at a.go:6 to receive from s.done (made at a.go:31)")

	choice := blocked("0.3", "select", "chan#1, chan#5", 9, "select {")
	choice.Cases = []string{"<-c.done", "<-c.done"}
	f.Goroutines = append(f.Goroutines, made(choice, "a.go", 31, 40))
	require.Equal(t, "case <-c.done (made at a.go:31), case <-c.done (made at a.go:40)", NamingOf(f).Cases(choice))

	lock := act("0", opLock, "mutex#1", 3, "s.mu.Lock()")
	f = artifact.Finding{Kind: artifact.KindDeadlock, Goroutines: []artifact.FindingGoroutine{
		made(blocked("0.1", "lock", "mutex#1", 2, "s.mu.Lock()"), "a.go", 11), made(blocked("0.2", "lock", "mutex#2", 2, "s.mu.Lock()"), "a.go", 12), ended("0", lock),
	}}
	require.Equal(t, "s.mu (made at a.go:11) since a.go:3: s.mu.Lock()", Holding(f, lock))
}
