package check

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/uppaal"
)

var firstNetwork = flag.Uint64("first-network", 0, "the first of the random networks of goroutines")

// goroutines makes networks as the translator does: processes that are started over
// channels, locks, counters and flags of buffered channels, rendezvous with and
// without queues, selects, counters of wait groups, tickets of those who wait,
// timers, and errors in committed locations. Some locations get edges that no
// operation of Go has, so that conditions and changes meet in all ways.
func (g *generator) goroutines() string {
	p := &goProgram{generator: g}
	return p.text()
}

type goProgram struct {
	*generator
	now     int      // the number of the template that is being written
	ends    []string // of the location being written: where its edges may lead
	over    bool     // errors are told to a process
	hash    bool     // steps change a hash of the path
	values  bool     // messages are values that are received
	closing int      // percentage of operations on channels that may be closed
	noise   int      // percentage of operations without a partner
	odds    int      // percentage of locations with edges of any sort
	// By channel: the templates that receive from its buffer and that send to it,
	// the only ones unless any may.
	receiver [4]int
	sender   [4]int
	shared   bool
	wild     bool                           // edges of any sort are the rule
	scripts  [][]func(next string) []string // by template: operations
}

// compose chooses what the processes do: communications that have partners, and
// operations of all sorts.
func (p *goProgram) compose(n int) {
	p.scripts = make([][]func(string) []string, n+1)
	add := func(t int, op func(string) []string) { p.scripts[t] = append(p.scripts[t], op) }
	other := func(t int) int { return (t + 1 + p.IntN(n)) % (n + 1) }
	send := func(k int) {
		t := p.sender[k]
		if p.shared && p.chance(50) || t == p.receiver[k] {
			t = other(p.receiver[k])
		}
		give := pick(p.generator, "", "", "", "", "", "", fmt.Sprintf("b%d = l, ", k), fmt.Sprintf("b%d = c%d == 0 ? l : b%d, ", k, k, k)) + fmt.Sprintf("c%d = c%d + 1", k, k)
		closed := p.chance(p.closing)
		add(t, func(next string) []string {
			if closed {
				return []string{fmt.Sprintf("%s | k%d == 0 && c%d < 2 | | %s", next, k, k, give), p.crash(fmt.Sprintf("k%d == 1", k))}
			}
			return []string{fmt.Sprintf("%s | c%d < 2 | | %s", next, k, give)}
		})
	}
	for range 1 + p.IntN(5) {
		t, k := p.IntN(n+1), p.IntN(4)
		switch p.IntN(10) {
		case 0, 1, 2, 3: // a select of what others send
			t = p.receiver[k]
			ready := []int{k}
			for i, r := range p.receiver {
				if i != k && len(ready) < 3 && (r == t || p.chance(30)) && p.chance(75) {
					p.receiver[i] = t
					ready = append(ready, i)
				}
			}
			for _, i := range ready {
				if p.chance(80) {
					send(i)
				}
			}
			add(t, func(next string) []string {
				var list, idle []string
				for i, k := range ready {
					to := next
					if i > 0 && p.chance(80) {
						to = pick(p.generator, "crash", p.ends[p.IntN(len(p.ends))])
					}
					edges, none := p.receive(to, k)
					list, idle = append(list, edges...), append(idle, none...)
				}
				if p.chance(20) {
					list = append(list, next+" | "+strings.Join(idle, " && ")+" | |"+pick(p.generator, "", " l = 0"))
				}
				return list
			})
		case 4, 5:
			t = p.receiver[k]
			send(k)
			add(t, func(next string) []string { edges, _ := p.receive(next, k); return edges })
		case 6:
			add(t, func(next string) []string { return []string{fmt.Sprintf("%s | | rv%d! | msg = l", next, k%2)} })
			add(other(t), func(next string) []string {
				return []string{fmt.Sprintf("%s | | rv%d? | %s", next, k%2, p.message("l"))}
			})
		case 7:
			add(t, func(next string) []string {
				return []string{fmt.Sprintf("%s | mu%d == 0 | | mu%d = 1", next, k%2, k%2)}
			})
			add(t, func(next string) []string {
				return []string{fmt.Sprintf("%s | mu%d == 1 | | mu%d = 0", next, k%2, k%2), p.crash(fmt.Sprintf("mu%d == 0", k%2))}
			})
		case 8:
			add(t, func(next string) []string { return []string{next + " | wg < 3 | | wg = wg + 1", p.crash("3 <= wg")} })
			add(other(t), func(next string) []string { return []string{next + " | 0 < wg | | wg = wg - 1", p.crash("wg < 1")} })
		}
		if p.chance(20) {
			add(p.IntN(n+1), func(next string) []string { return []string{next + " | | | " + p.changes()} })
		}
		if p.chance(p.noise) {
			add(p.IntN(n+1), p.operation)
		}
	}
	for t, list := range p.scripts {
		if p.chance(30) {
			p.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		p.scripts[t] = list[:min(len(list), 6)]
	}
	for t := n; t > 0; t-- {
		at := 0
		if p.chance(20) {
			at = p.IntN(min(2, len(p.scripts[0])) + 1)
		}
		p.scripts[0] = slices.Insert(p.scripts[0], at, func(next string) []string { return p.start(t, next) })
	}
}

// receive gives the edges of a receive from a buffer, and when it is not ready.
func (p *goProgram) receive(next string, k int) (edges, idle []string) {
	take := fmt.Sprintf("c%d = c%d - 1", k, k)
	switch p.IntN(20) {
	case 0:
		take += fmt.Sprintf(", l = b%d, b%d = 0", k, k)
	case 1:
		take = fmt.Sprintf("c%d = 0", k)
	case 2:
		take = fmt.Sprintf("l = 0, c%d = c%d - 1", k, k)
	}
	edges = []string{fmt.Sprintf("%s | 0 < c%d | | %s", next, k, take)}
	if p.chance(p.closing) {
		edges = append(edges, fmt.Sprintf("%s | k%d == 1 && c%d == 0 | |%s", p.ends[p.IntN(len(p.ends))], k, k, pick(p.generator, "", " l = 0")))
		return edges, []string{fmt.Sprintf("k%d == 0 && c%d == 0", k, k)}
	}
	return edges, []string{fmt.Sprintf("c%d == 0", k)}
}

func (p *goProgram) text() string {
	n := pick(p.generator, 1, 2, 2, 2, 3)
	p.over, p.hash, p.values, p.shared = p.chance(50), p.chance(12), p.chance(40), p.chance(20)
	p.closing = pick(p.generator, 0, 0, 20, 50)
	p.noise = pick(p.generator, 0, 30, 60)
	p.odds = pick(p.generator, 0, 0, 15, 40)
	if p.chance(25) {
		p.wild, p.odds = true, 100
	}
	for i := range p.receiver {
		p.receiver[i] = pick(p.generator, 0, 0, p.IntN(n+1))
		p.sender[i] = (p.receiver[i] + 1 + p.IntN(min(n, 2))) % (n + 1)
	}
	p.line("bool ended; int[0,2] c0, c1, c2 = %d, c3; int[0,1] k0, k1, k2, k3; int[0,1] mu0, mu1; int[0,3] wg, w0, w1;", p.IntN(3))
	p.line("int[0,2] senders, receivers, b0, b1, b2, b3, x, y = %d; int[0,1] armed = 1; bool flag, busy[2]; int[0,2] a[3]; int[0,3] n;", p.IntN(3))
	p.line("chan rv0, rv1, qs, sq, el[2], go_0, go_1, go_[2], to_Over; meta int[-2147483648,2147483647] msg; int[0,6] hash;")
	p.line("int[0,2] idle() { for (i : int[0,1]) { if (!busy[i]) return i; } return 2; }")
	p.line("int[0,1] free() { return flag || x > 0 ? 1 : 0; }")
	p.line("void mark(int[0,3] n) { hash = (hash * 3 + n) %% 7; }")
	p.line("void reset() { if (c0 == 0) { x = 0; } y = 0; }")
	p.line("void wake() { w0 = w1; w1 = 0; }")
	p.compose(n)
	for t := range n + 1 {
		p.now = t
		p.line("template T%d%s", t, map[bool]string{true: "(const int[0,1] slot)"}[t == 3])
		p.line("var int[0,2] l%s, m, n; int[0,1] own[2];", pick(p.generator, "", " = 1"))
		p.process(t)
	}
	names := []string{"T0"}
	for t := 1; t <= n; t++ {
		if t == 3 {
			p.line("instance T3_0 = T3(0); T3_1 = T3(1);")
			names = append(names, "T3_0", "T3_1")
			continue
		}
		names = append(names, fmt.Sprintf("T%d", t))
	}
	if p.chance(25) {
		p.line("template Time")
		p.line("loc time")
		p.line("time > time | armed == 1 && c2 == 0 | | c2 = 1%s", pick(p.generator, "", ", armed = 0"))
		names = append(names, "Time")
	}
	if p.over {
		p.line("template Over")
		p.line("loc watch")
		p.line("loc seen%s", pick(p.generator, "", " committed"))
		p.line("watch > seen | | to_Over? |")
		names = append(names, "Over")
	}
	// The lines of a system come last.
	text := p.b.String()
	var head, tail []string
	for l := range strings.Lines(text) {
		if strings.HasPrefix(l, "instance ") {
			tail = append(tail, l)
		} else {
			head = append(head, l)
		}
	}
	return strings.Join(head, "") + strings.Join(tail, "") + "system " + strings.Join(names, ", ") + ";\n"
}

// process writes the locations and edges of a template.
func (p *goProgram) process(t int) {
	script := p.scripts[t]
	locs := len(script)
	var lines []string
	at := func(i int) string { return fmt.Sprintf("n%d", i) }
	edge := func(from string, e string) {
		to, rest, _ := strings.Cut(e, " ")
		lines = append(lines, from+" > "+to+" "+rest)
	}
	first := 0
	if t > 0 {
		// It waits to be started, in a slot or on its own.
		first = 1
		switch {
		case t == 3:
			edge("n0", "n1 | | go_[slot]? | busy[slot] = true"+p.message(", l"))
		case t == 1 && p.chance(20): // it is there from the beginning
			edge("n0", "n1 | | |")
		case t == 1, t == 2:
			edge("n0", fmt.Sprintf("n1 | | go_%d? | %s", t-1, pick(p.generator, "", p.message("l"), "m = 1")))
		}
	}
	last := first + locs
	for i := first; i < last; i++ {
		next := at(i + 1)
		p.ends = []string{next, next, next, "crash"}
		if p.chance(20) {
			p.ends = append(p.ends, at(first+p.IntN(locs)))
		}
		list := script[i-first](next)
		if p.chance(p.odds) {
			for range 1 + p.IntN(map[bool]int{false: 2, true: 4}[p.wild]) {
				list = append(list, p.odd(at(i)))
			}
		}
		p.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		for _, e := range list {
			edge(at(i), e)
		}
	}
	p.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	for i := range last + 1 {
		p.line("loc %s%s", at(i), map[bool]string{true: " committed"}[i > first && i < last && p.chance(3)])
	}
	switch {
	case t == 3 && p.chance(60):
		lines = append(lines, at(last)+" > n0 | "+pick(p.generator, " | | busy[slot] = false", "0 < wg | | busy[slot] = false, wg = wg - 1"))
	case t == 0 && p.chance(50):
		lines = append(lines, at(last)+" > over | | | ended = true")
	}
	p.line("loc crash%s", pick(p.generator, " committed", " committed", ""))
	p.ends = []string{"crash", "over"}
	p.line("loc over%s", pick(p.generator, " committed", ""))
	if p.chance(10) {
		lines = append(lines, "crash > "+p.odd("crash"))
	}
	for _, l := range lines {
		p.line("%s", l)
	}
}

// start starts the process of template t.
func (p *goProgram) start(t int, next string) []string {
	if t == 3 {
		return []string{
			next + " | idle() < 2 | go_[idle()]! | " + pick(p.generator, "", "msg = l", "l = 0"),
			p.crash("idle() >= 2"),
		}
	}
	return []string{fmt.Sprintf("%s | | go_%d! | %s", next, t-1, pick(p.generator, "", "msg = 2", "msg = l", "c0 = 0"))}
}

// crash is an edge to where an error is.
func (p *goProgram) crash(guard string) string {
	sync := ""
	if p.over {
		sync = "to_Over!"
	}
	return fmt.Sprintf("crash | %s | %s | ended = true", guard, sync)
}

// operation gives the edges of an operation of Go.
func (p *goProgram) operation(next string) []string {
	k := p.IntN(2)
	switch p.IntN(24) {
	case 20, 21, 22, 23, 0, 1, 2, 3: // select, perhaps with a default
		list, idle := []string{}, []string{}
		for i := range 2 + p.IntN(2) {
			to := next
			if i > 0 && p.chance(70) {
				to = p.ends[p.IntN(len(p.ends))]
			}
			edges, none := p.communication(to)
			list, idle = append(list, edges...), append(idle, none...)
		}
		if p.chance(35) {
			list = append(list, next+" | "+strings.Join(idle, " && ")+" | |"+pick(p.generator, "", " l = 0"))
		}
		return list
	case 4, 5, 6:
		list, _ := p.communication(next)
		return list
	case 7:
		return []string{fmt.Sprintf("%s | mu%d == 0 | | mu%d = 1", next, k, k)}
	case 8:
		return []string{fmt.Sprintf("%s | mu%d == 1 | | mu%d = 0", next, k, k), p.crash(fmt.Sprintf("mu%d == 0", k))}
	case 9:
		return []string{next + " | wg < 3 | | wg = wg + 1", p.crash("3 <= wg")}
	case 10:
		return []string{next + " | 0 < wg | | wg = wg - 1", p.crash("wg < 1")}
	case 11:
		return []string{next + " | wg == 0 | |"}
	case 12:
		return []string{fmt.Sprintf("%s | k%d == 0 | | k%d = 1", next, k, k), p.crash(fmt.Sprintf("k%d == 1", k))}
	case 13: // wait for a signal, and give one
		if p.chance(50) {
			return []string{next + " | w0 != 2 && w1 != 2 && mu0 == 0 | | mu0 = 1"}
		}
		return []string{next + " | | | " + pick(p.generator, "wake()", "w0 = 0, w1 = 0", "w1 = w0 != 0 ? 2 : w1, w0 = w0 == 0 ? 2 : w0")}
	case 14: // a condition, of its own or on what others change
		c := pick(p.generator, "l < 2", "l == 0", "flag", "x == 0", "x != y", "l < x", "x < 2", "0 < y", "own[0] == 1", "free() < 1")
		return []string{next + " | " + c + " | | " + p.changes(), p.ends[p.IntN(len(p.ends))] + " | !(" + c + ") | | " + p.changes()}
	case 15: // a loop of a number of rounds
		return []string{pick(p.generator, "n0", next) + " | l < 2 | | l = l + 1", next + " | l == 2 | | l = 0"}
	case 16: // a sender that queues, or a receiver
		if p.chance(50) {
			return []string{next + " | k0 == 0 && receivers == 0 && senders < 2 | | senders = senders + 1", next + " | k0 == 0 | sq! | msg = 1"}
		}
		return []string{next + " | k0 == 0 && senders == 0 && receivers < 2 | | receivers = receivers + 1", next + " | | qs? | l = msg < 0 ? 0 : 1"}
	case 17: // who has queued
		if p.chance(50) {
			return []string{next + " | 0 < senders | qs! | msg = 1, senders = senders - 1", p.crash("k0 == 1")}
		}
		return []string{next + " | 0 < receivers | sq? | receivers = receivers - 1, l = msg & 1", next + " | k0 == 1 && 0 < receivers | | receivers = receivers - 1"}
	case 18:
		return []string{p.crash("")}
	}
	return []string{next + " | | | " + p.changes()}
}

// message is the rest of an assignment of the message to a variable.
func (p *goProgram) message(to string) string {
	if p.values {
		return to + " = msg"
	}
	return to + " = 1"
}

// communication gives the edges of a send or a receive, and when it is not ready.
func (p *goProgram) communication(next string) (edges, idle []string) {
	k := p.IntN(4)
	closed := p.chance(p.closing)
	open := ""
	if closed {
		open = fmt.Sprintf("k%d == 0 && ", k)
	}
	kind := max(0, p.IntN(12)-6)
	if kind < 3 && !p.shared {
		// From a buffer that is its own to receive from, or into another's.
		var mine []int
		for i, t := range p.receiver {
			if t == p.now {
				mine = append(mine, i)
			}
		}
		switch {
		case p.receiver[k] == p.now:
			kind = 0
		case kind < 1 && len(mine) > 0:
			k = mine[p.IntN(len(mine))]
		default:
			kind = 2
		}
	}
	switch kind {
	case 0, 1: // from a buffer
		return p.receive(next, k)
	case 2: // into a buffer
		give := fmt.Sprintf("c%d = c%d + 1", k, k)
		switch p.IntN(10) {
		case 0:
			give += fmt.Sprintf(", b%d = c%d == 0 ? l : b%d", k, k, k)
		case 1:
			give = fmt.Sprintf("b%d = l, %s", k, give)
		}
		edges = []string{fmt.Sprintf("%s | %sc%d < 2 | | %s", next, open, k, give)}
		if closed {
			edges = append(edges, p.crash(fmt.Sprintf("k%d == 1", k)))
		}
		return edges, []string{fmt.Sprintf("2 <= c%d", k)}
	case 3: // a rendezvous
		k %= 2
		edges = []string{fmt.Sprintf("%s | %s | rv%d! | %s", next, pick(p.generator, "", fmt.Sprintf("k%d == 0", k), "l < 2"), k, pick(p.generator, "", "msg = l", "msg = 1, l = 0"))}
		if closed {
			edges = append(edges, p.crash(fmt.Sprintf("k%d == 1", k)))
		}
		return edges, []string{pick(p.generator, "x == 0", "l == 0")}
	case 4:
		k %= 2
		edges = []string{fmt.Sprintf("%s | %s | rv%d? | %s", next, pick(p.generator, "", "", "l == 0"), k, pick(p.generator, "", p.message("l"), "x = msg == 1 ? 1 : x"))}
		if closed {
			edges = append(edges, fmt.Sprintf("%s | k%d == 1 | |", p.ends[p.IntN(len(p.ends))], k))
		}
		return edges, []string{fmt.Sprintf("k%d == 0", k)}
	}
	i := pick(p.generator, "0", "1", "free()", "own[0]")
	return []string{fmt.Sprintf("%s | | el[%s]%s |", next, i, pick(p.generator, "!", "?"))}, []string{"l < 2"}
}

// changes are updates that are valid in every state.
func (p *goProgram) changes() string {
	var list []string
	for range p.IntN(3) {
		list = append(list, p.change())
	}
	if p.hash && p.chance(60) {
		list = append(list, fmt.Sprintf("mark(%d)", p.IntN(4)))
	}
	return strings.Join(list, ", ")
}

func (p *goProgram) change() string {
	if !p.wild && p.chance(60) {
		return pick(p.generator, "l = 0", "l = 1", "m = 1", "l = (l + 1) % 3", "own[1] = 1")
	}
	switch p.IntN(8) {
	case 0, 1:
		return pick(p.generator, "l = 0", "l = 1", "m = l", "l = m", "own[0] = 1", "n = (n + 1) % 3")
	case 2:
		return pick(p.generator, "x = 1", "x = 0", "y = 2", "flag = true", "flag = false", "k0 = 0", "mu1 = 0", "c0 = 0", "w0 = 0", "ended = true")
	case 3:
		return pick(p.generator, "x = y", "y = x", "b0 = b1", "x = l", "w0 = w1")
	case 4:
		return pick(p.generator, "x = l == 0 ? 1 : x", "y = flag ? 0 : y", "c1 = k1 == 1 ? 0 : c1", "l = x == 0 ? l : 0")
	case 5:
		return pick(p.generator, "reset()", "wake()", "mark(1)", "l = free()")
	case 6:
		return pick(p.generator, "flag = !flag", "x = (x + 1) % 3", "y = 2 - x")
	}
	if !p.values && !p.wild {
		return "l = x"
	}
	return pick(p.generator, "msg = 1, l = msg", "msg = x, y = msg", "msg = l", "msg = 0, x = msg", "b0 = msg < 0 ? 0 : 1")
}

// odd is an edge of any sort, to any place.
func (p *goProgram) odd(from string) string {
	to := p.ends[p.IntN(len(p.ends))]
	if p.chance(10) {
		to = from
	}
	most := 3
	if p.wild {
		most = 4
	}
	var guard, update []string
	for range p.IntN(most) {
		switch p.IntN(9) {
		case 0:
			guard = append(guard, pick(p.generator, "x < 2", "c0 < 2", "c1 <= 1", "wg < 3"))
		case 1:
			guard = append(guard, pick(p.generator, "0 < c0", "0 < c1", "x > 0", "1 <= wg"))
		case 2:
			guard = append(guard, pick(p.generator, "k0 == 0", "k1 == 1", "mu0 == 0", "c0 == 0", "wg == 0"))
		case 3:
			guard = append(guard, pick(p.generator, "w0 != 2", "x != 1", "c1 != 0", "wg != 1"))
		case 4:
			guard = append(guard, pick(p.generator, "flag", "!flag", "!ended"))
		case 5:
			guard = append(guard, pick(p.generator, "(flag || x > 0)", "x == y", "(x == 0 ? flag : l == 0)", "x + y < 3"))
		case 6:
			guard = append(guard, pick(p.generator, "free() < 1", "idle() == 0", "idle() < 2"))
		default:
			guard = append(guard, pick(p.generator, "l == 0", "l < 2", "own[0] == 1", "m != l"))
		}
	}
	sync := ""
	switch p.IntN(9) {
	case 0, 1:
		sync = pick(p.generator, "rv0!", "rv1!", "sq!", "qs!")
	case 2, 6:
		sync = pick(p.generator, "rv0?", "rv1?", "sq?", "qs?")
	case 3, 4:
		sync = "el[free()]!"
	case 5:
		sync = pick(p.generator, "el[0]?", "el[own[0]]!", "el[1]?")
	}
	// The additions come first, where the guards make them valid.
	if p.chance(20) {
		guard, update = append(guard, "c0 < 2"), append(update, "c0 = c0 + 1")
	}
	if p.chance(20) {
		guard, update = append(guard, "0 < c1"), append(update, "c1 = c1 - 1")
	}
	for range p.IntN(most) {
		update = append(update, p.change())
	}
	return fmt.Sprintf("%s | %s | %s | %s", to, strings.Join(guard, " && "), sync, strings.Join(update, ", "))
}

// asked are queries as the translator asks them, all of which a first pass has, and
// of which a second pass has few.
func (p *generator) asked(info *uppaal.Info) []string {
	var processes []*uppaal.Process
	for _, x := range info.Processes {
		if len(x.Template.Locations) > 2 {
			processes = append(processes, x)
		}
	}
	at := func(x *uppaal.Process) string {
		return x.Name + "." + x.Template.Locations[p.IntN(len(x.Template.Locations))].Name
	}
	someone := func() *uppaal.Process { return processes[max(0, p.IntN(len(processes)+2)-2)] }
	one := func() string {
		x := someone()
		switch p.IntN(14) {
		case 0, 1, 2, 3, 10, 11:
			return "A[] not " + x.Name + ".crash"
		case 4:
			return fmt.Sprintf("A[] not (deadlock and (not ended) and %s)", at(x))
		case 5:
			return fmt.Sprintf("A[] not (deadlock and (not ended) and (%s or %s or %s))", at(x), at(someone()), at(someone()))
		case 6:
			return fmt.Sprintf("A[] not (%s and %s)", at(x), pick(p, x.Name+".l == 2", "c0 == 2", "wg == 0", "x == 1", "flag"))
		case 7:
			return fmt.Sprintf("E<> (%s and %s)", at(x), at(someone()))
		case 8:
			return "A[] not deadlock"
		case 9:
			return "E<> " + at(x)
		}
		return "A[] not " + at(x)
	}
	var list []string
	if p.chance(25) {
		for _, x := range processes {
			for _, l := range x.Template.Locations {
				if l.Name == "crash" || p.chance(20) {
					list = append(list, "A[] not "+x.Name+"."+l.Name)
				} else if p.chance(60) {
					list = append(list, fmt.Sprintf("A[] not (deadlock and (not ended) and %s.%s)", x.Name, l.Name))
				}
			}
		}
		return list
	}
	for range 1 + p.IntN(2) {
		list = append(list, one())
	}
	return list
}

// TestGoroutines compares reductions, orders and numbers of workers with a plain
// search on networks as the translator makes them.
func TestGoroutines(t *testing.T) {
	noRaces(t)
	n, count := map[string]int{}, *networks
	for seed := *firstNetwork; seed < *firstNetwork+uint64(count); seed++ {
		compareGoroutines(t, seed, n)
	}
	t.Logf("%d networks: %v", count, n)
	require.Positive(t, n["F"])
	require.Positive(t, n["T"])
	require.Less(t, n["big"], count/5)
}

func compareGoroutines(t *testing.T, seed uint64, n map[string]int) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 11))}
	text := g.goroutines()
	net, info := generated(t, text)
	formulas := g.asked(info)
	if g.chance(25) {
		if f := g.somewhere(t, net); f != "" {
			formulas = []string{"A[] not (" + f + ")"}
		}
	}
	list := alone
	if seed%8 == 0 {
		list = variants
	}
	compareAll(t, seed, net, text, formulas, nil, n, list)
	if seed%8 == 0 {
		compareReference(t, seed, net, text, formulas, n)
	}
}

// compareReference compares a plain search with the reference interpreter.
func compareReference(t *testing.T, seed uint64, net *uppaal.Network, text string, formulas []string, n map[string]int) {
	all, err := Verify(context.Background(), net, nil, Options{MaxStates: 200})
	require.NoError(t, err)
	if !all.Complete {
		return
	}
	n["reference"]++
	r, err := Verify(context.Background(), net, queries(t, formulas...), plain)
	require.NoError(t, err)
	for i, want := range refDecide(t, net, formulas, Options{}) {
		msg := fmt.Sprintf("seed %d\n%s\n%s\n%s", seed, text, formulas[i], r.Results[i].Reason)
		require.Equal(t, want.verdict.String(), r.Results[i].Verdict.String(), msg)
		if r.Results[i].Trace != nil {
			require.Len(t, r.Results[i].Trace.Steps, want.steps, msg)
		}
	}
}

func FuzzGoroutines(f *testing.F) {
	f.Add(uint64(1 << 40))
	f.Fuzz(func(t *testing.T, seed uint64) { compareGoroutines(t, seed, map[string]int{}) })
}
