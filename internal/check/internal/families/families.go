// Package families builds the networks on which package check is measured and
// compared with Spin, each of any size.
package families

import (
	"fmt"
	"strings"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// Family is a series of networks with a query each.
type Family struct {
	Name string
	// Build makes the network of a size, with its one query.
	Build func(size int) (*uppaal.Network, error)
	// Small is for tests; Large takes Spin between 5 and 60 seconds.
	Small, Large int
}

// All lists the families.
func All() []Family {
	return []Family{
		{"philosophers", func(n int) (*uppaal.Network, error) { return Philosophers(n, true) }, 5, 14},
		{"philosophers without deadlock", func(n int) (*uppaal.Network, error) { return Philosophers(n, false) }, 5, 14},
		{"buffer of 6 cells", func(n int) (*uppaal.Network, error) { return Buffer(n, 6) }, 2, 4},
		{"peterson", Peterson, 3, 6},
		{"spawned goroutines", Spawn, 4, 9},
		{"scheduler, with hash", Scheduler, 3, 18},
	}
}

// edge is one line of an automaton: from, to, select, guard, synchronisation,
// update.
type edge [6]string

// automaton makes a template. A location that ends in "!" is committed; the
// first is initial.
func automaton(name, params, decls, locations string, edges ...edge) (*uppaal.Template, error) {
	t := &uppaal.Template{Name: name}
	var err error
	if t.Params, err = uppaal.ParseParams(params); err != nil {
		return nil, err
	}
	if t.Decls, err = uppaal.ParseDecls(decls); err != nil {
		return nil, err
	}
	byName := map[string]*uppaal.Location{}
	for _, l := range strings.Fields(locations) {
		n, committed := strings.CutSuffix(l, "!")
		loc := &uppaal.Location{ID: fmt.Sprintf("%s_%s", name, n), Name: n}
		if committed {
			loc.Urgency = uppaal.Committed
		}
		byName[n] = loc
		t.Locations = append(t.Locations, loc)
	}
	t.Init = t.Locations[0]
	for _, x := range edges {
		e := &uppaal.Edge{From: byName[x[0]], To: byName[x[1]]}
		if e.From == nil || e.To == nil {
			return nil, fmt.Errorf("template %s: no location %s or %s", name, x[0], x[1])
		}
		if x[2] != "" {
			if e.Select, err = uppaal.ParseSelect(x[2]); err != nil {
				return nil, err
			}
		}
		if x[3] != "" {
			if e.Guard, err = uppaal.ParseExpr(x[3]); err != nil {
				return nil, err
			}
		}
		if x[4] != "" {
			if e.Sync, err = uppaal.ParseSync(x[4]); err != nil {
				return nil, err
			}
		}
		if x[5] != "" {
			if e.Update, err = uppaal.ParseUpdate(x[5]); err != nil {
				return nil, err
			}
		}
		t.Edges = append(t.Edges, e)
	}
	return t, nil
}

// network puts templates together.
func network(decls, system, query string, templates ...func() (*uppaal.Template, error)) (*uppaal.Network, error) {
	net := &uppaal.Network{}
	var err error
	if net.Decls, err = uppaal.ParseDecls(decls); err != nil {
		return nil, err
	}
	for _, f := range templates {
		t, err := f()
		if err != nil {
			return nil, err
		}
		net.Templates = append(net.Templates, t)
	}
	if net.Instances, net.System, net.Progress, err = uppaal.ParseSystem(system); err != nil {
		return nil, err
	}
	q, err := uppaal.ParseQuery(query)
	if err != nil {
		return nil, err
	}
	net.Queries = []*uppaal.Query{q}
	return net, nil
}

// Philosophers is a ring of n philosophers with n forks. If they can deadlock,
// each takes the fork at the left first, otherwise the last one takes the one
// at the right first. The query asks for a deadlock.
func Philosophers(n int, deadlock bool) (*uppaal.Network, error) {
	first, second := "i", "(i + 1) % N"
	if !deadlock {
		first, second = "(i == N - 1 ? 0 : i)", "(i == N - 1 ? i : i + 1)"
	}
	return network(
		fmt.Sprintf("const int N = %d; typedef int[0,N-1] id_t; bool fork[N];", n),
		"system Phil;", "A[] not deadlock",
		func() (*uppaal.Template, error) {
			return automaton("Phil", "const id_t i", fmt.Sprintf("const id_t a = %s; const id_t b = %s;", first, second),
				"think first eat drop",
				edge{"think", "first", "", "!fork[a]", "", "fork[a] = true"},
				edge{"first", "eat", "", "!fork[b]", "", "fork[b] = true"},
				edge{"eat", "drop", "", "", "", "fork[a] = false"},
				edge{"drop", "think", "", "", "", "fork[b] = false"})
		})
}

// Buffer is a bounded buffer with k producers and a consumer that remembers
// the last item.
func Buffer(k, cells int) (*uppaal.Network, error) {
	return network(
		fmt.Sprintf("const int C = %d; const int K = %d; typedef int[1,K] id_t; int[0,K] cell[C]; int[0,C] n; int[0,C-1] head; int[0,K] last;", cells, k),
		"system Producer, Consumer;", "A[] n <= C and not (n == 0 and cell[head] != 0)",
		func() (*uppaal.Template, error) {
			return automaton("Producer", "const id_t id", "", "idle ready",
				edge{"idle", "ready", "", "", "", ""},
				edge{"ready", "idle", "", "n < C", "", "cell[(head + n) % C] = id, n++"})
		},
		func() (*uppaal.Template, error) {
			return automaton("Consumer", "", "int[0,K] got;", "idle ready",
				edge{"idle", "ready", "", "n > 0", "", "got = cell[head], cell[head] = 0, head = (head + 1) % C, n--"},
				edge{"ready", "idle", "", "", "", "last = got, got = 0"})
		})
}

// Peterson is the algorithm of Peterson for n processes, with n - 1 levels to
// pass. The query is mutual exclusion.
func Peterson(n int) (*uppaal.Network, error) {
	return network(
		fmt.Sprintf("const int N = %d; typedef int[0,N-1] id_t; int[0,N-1] level[N]; id_t turn[N]; bool busy; bool broken;", n),
		"system P;", "A[] not broken",
		func() (*uppaal.Template, error) {
			return automaton("P", "const id_t i", "int[0,N-1] l;", "idle next asked wait inside",
				edge{"idle", "asked", "", "", "", "l = 1, level[i] = 1"},
				edge{"asked", "wait", "", "", "", "turn[l] = i"},
				edge{"wait", "next", "", "l < N - 1 && (turn[l] != i || (forall (k : id_t) k == i || level[k] < l))", "", "l++"},
				edge{"next", "asked", "", "", "", "level[i] = l"},
				edge{"wait", "inside", "", "l == N - 1 && (turn[l] != i || (forall (k : id_t) k == i || level[k] < l))", "", "broken = broken || busy, busy = true"},
				edge{"inside", "idle", "", "", "", "busy = false, level[i] = 0, l = 0"})
		})
}

// Spawn is a program that starts n independent goroutines in a loop and does
// not wait for them. There are 6*5^n - 1 states.
func Spawn(n int) (*uppaal.Network, error) {
	return network(
		fmt.Sprintf("const int N = %d; typedef int[0,N-1] id_t; chan go[N]; int[0,N] ended;", n),
		"system Main, Worker;", "A[] ended <= N",
		func() (*uppaal.Template, error) {
			return automaton("Main", "", "int[0,N] k;", "loop made called started a b c d",
				edge{"loop", "made", "", "k < N", "", ""},
				edge{"made", "called", "", "", "", ""},
				edge{"called", "started", "", "k < N", "", "k++"},
				edge{"started", "loop", "", "", "go[(k + N - 1) % N]!", ""},
				edge{"loop", "a", "", "k == N", "", ""},
				edge{"a", "b", "", "", "", ""},
				edge{"b", "c", "", "", "", ""},
				edge{"c", "d", "", "", "", ""})
		},
		func() (*uppaal.Template, error) {
			return automaton("Worker", "const id_t i", "", "idle a b c d end",
				edge{"idle", "a", "", "", "go[i]?", ""},
				edge{"a", "b", "", "", "", ""},
				edge{"b", "c", "", "", "", ""},
				edge{"c", "d", "", "", "", ""},
				edge{"d", "end", "", "ended < N", "", "ended++"})
		})
}

// Scheduler is a Proto model in the encoding with one channel for each guard
// and a process that hands them out: a goroutine sends n times on an unbuffered
// channel, the main one receives, and both close the channel at the end. The
// scheduler keeps the FNV-1a hash of the guards passed, so that almost every
// order of them is a state of its own.
func Scheduler(n int) (*uppaal.Network, error) {
	sends := func(name, role string, base int, counter string) func() (*uppaal.Template, error) {
		return func() (*uppaal.Template, error) {
			locations := "start"
			var edges []edge
			at := "start"
			for k := range n {
				passed, waits, done := fmt.Sprintf("passed%d", k), fmt.Sprintf("waits%d", k), fmt.Sprintf("done%d", k)
				locations += " " + passed + " " + waits + " " + done
				edges = append(edges,
					edge{at, passed, "", "", fmt.Sprintf("pass[%d]!", base+k), ""},
					edge{passed, waits, "", "", role + "_trigger!", counter},
					edge{waits, done, "", "", role + "_confirm?", ""})
				at = done
			}
			locations += " closing closed"
			edges = append(edges,
				edge{at, "closing", "", "", fmt.Sprintf("pass[%d]!", base+n), ""},
				edge{"closing", "closed", "", "", "close!", ""})
			return automaton(name, "", "", locations, edges...)
		}
	}
	return network(
		fmt.Sprintf(`const int GUARDS = %d;
typedef int[-2147483648,2147483647] hash_t;
hash_t hash = -2128831035;
chan pass[GUARDS]; chan sender_trigger; chan sender_confirm; chan receiver_trigger; chan receiver_confirm; chan close;
int[-2,2] counter; int[-1,0] buffer;
void hash_path(int g) { hash = (hash ^ g) * 16777619; }`, 2*n+2),
		"system Main, Sender, Channel, Scheduler;", "A[] counter <= 1",
		sends("Main", "receiver", 0, "counter--"),
		sends("Sender", "sender", n+1, "counter++"),
		func() (*uppaal.Template, error) {
			return automaton("Channel", "", "", "idle new_sender! confirming_a! new_receiver! confirming_b! closed bad",
				edge{"idle", "new_sender", "", "", "sender_trigger?", ""},
				edge{"new_sender", "idle", "", "counter > buffer", "", ""},
				edge{"new_sender", "confirming_a", "", "counter <= buffer", "sender_confirm!", ""},
				edge{"confirming_a", "idle", "", "counter > 0", "", ""},
				edge{"confirming_a", "idle", "", "counter <= 0", "receiver_confirm!", ""},
				edge{"idle", "new_receiver", "", "", "receiver_trigger?", ""},
				edge{"new_receiver", "idle", "", "counter < 0", "", ""},
				edge{"new_receiver", "confirming_b", "", "counter >= 0", "receiver_confirm!", ""},
				edge{"confirming_b", "idle", "", "counter < buffer", "", ""},
				edge{"confirming_b", "idle", "", "counter >= buffer", "sender_confirm!", ""},
				edge{"idle", "closed", "", "", "close?", "buffer = -1"},
				edge{"closed", "bad", "", "", "close?", ""})
		},
		func() (*uppaal.Template, error) {
			return automaton("Scheduler", "", "", "ready",
				edge{"ready", "ready", "g : int[0,GUARDS-1]", "", "pass[g]?", "hash_path(g)"})
		})
}
