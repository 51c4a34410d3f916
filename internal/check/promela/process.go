package promela

import (
	"fmt"
	"strings"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// process writes the proctype of a process.
func (x *exporter) process(proc int) string {
	p := x.info.Processes[proc]
	var b strings.Builder
	fmt.Fprintf(&b, "active proctype proc%d() /* %s */\n{\n", proc, comment(p.Name))
	b.WriteString(x.declare("\t", func(s *variable) bool { return s.local && s.key.proc == proc }))
	if x.tracked[proc] {
		var options []*option
		for _, o := range x.options[proc] {
			if !o.hears() {
				options = append(options, o)
			}
		}
		if len(options) == 0 {
			b.WriteString("\tfalse\n}\n\n")
			return b.String()
		}
		b.WriteString("\tdo\n")
		for _, o := range options {
			x.option(&b, o, "")
		}
		b.WriteString("\tod\n}\n\n")
		return b.String()
	}
	// The first location is where the process starts.
	order := []int{0}
	for i, l := range p.Template.Locations {
		if l == p.Template.Init {
			order[0] = i
		}
	}
	for i := range p.Template.Locations {
		if i != order[0] {
			order = append(order, i)
		}
	}
	for _, i := range order {
		l := p.Template.Locations[i]
		fmt.Fprintf(&b, "L%d:\t/* %s */\n", i, comment(l.Name))
		any := false
		for _, o := range x.options[proc] {
			if o.edge.From != l {
				continue
			}
			if !any {
				b.WriteString("\tif\n")
				any = true
			}
			x.option(&b, o, fmt.Sprintf("goto L%d", o.to))
		}
		if any {
			b.WriteString("\tfi;\n")
		} else {
			b.WriteString("\tfalse;\n")
		}
		x.bounded(b.Len())
	}
	return strings.TrimSuffix(b.String(), ";\n") + "\n}\n\n"
}

// option writes an option on a line of its own.
func (x *exporter) option(b *strings.Builder, o *option, jump string) {
	x.places = append(x.places, optionPlace{o, o.proc, b.Len()})
	fmt.Fprintf(b, "\t:: %s\n", x.step(o, jump))
}

// step writes an option: what must hold, what happens, and where it leads.
func (x *exporter) step(o *option, jump string) string {
	switch {
	case o.edge.Sync == nil:
		return x.internal(o, jump)
	case o.broadcast && o.sends():
		return x.broadcast(o, jump)
	case o.sends():
		return x.send(o, jump)
	default:
		return x.receive(o, jump)
	}
}

// sequence joins statements.
func sequence(list ...string) string {
	var out []string
	for _, s := range list {
		if s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, "; ")
}

// code writes C as a call of a function, so that proctypes stay readable.
func (x *exporter) code(text string) string {
	name := x.fresh("u")
	fmt.Fprintf(&x.functions, "static void %s(void) { %s}\n", name, text)
	x.bounded(x.functions.Len())
	return fmt.Sprintf("c_code { %s(); }", name)
}

func (x *exporter) internal(o *option, jump string) string {
	guard := x.condition(o.scope(), func(s *scope) val { return o.enabled(s, true) })
	cond := guard.text
	if guard.constant() {
		cond = map[bool]string{true: "true", false: "false"}[guard.lo != 0]
	}
	if cond == "true" && o.edge.From == o.edge.To {
		cond = "(_nr_pr > 0)" // Spin refuses a loop that it sees to be endless
	}
	u := o.update(false, true)
	if u.isC {
		return sequence(fmt.Sprintf("d_step { %s -> %s }", cond, x.code(u.c+x.resets())), jump)
	}
	if x.metas && len(u.native) > 0 {
		u.native = append(u.native, x.code(x.resets()))
	}
	switch {
	case len(u.native) == 0:
		return sequence(cond, jump)
	case len(u.native) == 1 && cond == "true":
		return sequence(u.native[0], jump)
	}
	return fmt.Sprintf("atomic { %s -> %s }", cond, sequence(append(u.native, jump)...))
}

// resets is the C code that gives the meta variables their initial values.
func (x *exporter) resets() string {
	if !x.metas {
		return ""
	}
	var b strings.Builder
	for _, s := range x.order {
		if !s.key.v.Meta {
			continue
		}
		for _, l := range s.leaves {
			for i, v := range s.init[l.path] {
				index := ""
				if l.array {
					index = fmt.Sprintf("[%d]", i)
				}
				fmt.Fprintf(&b, "now.%s%s%s = %s; ", s.name, l.path, index, lit(int64(v)).text)
			}
		}
	}
	return b.String()
}

// port writes the channel of an option, or the dead one if it is not enabled.
func (x *exporter) port(o *option, dead int) string {
	v := x.condition(o.scope(), func(s *scope) val {
		cond := o.enabled(s, false)
		ch := s.expr(o.edge.Sync.Chan)
		switch {
		case cond.constant() && cond.lo != 0:
			return ch
		case cond.constant():
			return lit(int64(dead))
		}
		format := "(%s -> %s : %d)"
		if s.c {
			format = "(%s ? %s : %d)"
		}
		return val{fmt.Sprintf(format, cond.text, ch.text, dead), 0, int64(x.binary)}
	})
	return "ch[" + v.text + "]"
}

// send writes the sending side of a rendezvous. The first field of the message
// says whether the sender may take part with a receiver that is not committed.
func (x *exporter) send(o *option, jump string) string {
	free := "1"
	if x.committed && o.edge.From.Urgency != uppaal.Committed {
		free = "(committed == 0)"
	}
	return sequence(fmt.Sprintf("%s!%s,%d", x.port(o, 0), free, o.number), jump)
}

// receive writes the receiving side, which carries out both updates.
func (x *exporter) receive(o *option, jump string) string {
	free := "_"
	if x.committed && o.edge.From.Urgency != uppaal.Committed {
		free = "1"
	}
	type effect struct {
		number int
		update
	}
	var effects []effect
	senders, allNative := 0, true
	for _, options := range x.options {
		for _, p := range options {
			if !p.sends() || !p.meets(o) {
				continue
			}
			senders++
			if u := p.update(true, true); !u.empty() { // its guard held just before
				effects = append(effects, effect{p.number, u})
				allNative = allNative && !u.isC
			}
		}
	}
	port := x.port(o, 1)
	own := o.update(false, len(effects) == 0)
	if allNative && !own.isC {
		var body []string
		from := "_"
		switch {
		case len(effects) == 1 && senders == 1:
			body = effects[0].native
		case len(effects) > 0:
			x.ids = true
			from = "sender"
			text := "if"
			for _, e := range effects {
				text += fmt.Sprintf(" :: sender == %d -> %s", e.number, sequence(e.native...))
			}
			if len(effects) < senders {
				text += " :: else"
			}
			body = []string{text + " fi"}
		}
		body = append(body, own.native...)
		if from == "sender" {
			body = append(body, "sender = 0")
		}
		if x.metas && len(body) > 0 {
			body = append(body, x.code(x.resets()))
		}
		if len(body) == 0 {
			return sequence(fmt.Sprintf("%s?%s,_", port, free), jump)
		}
		return fmt.Sprintf("atomic { %s?%s,%s -> %s }", port, free, from, sequence(append(body, jump)...))
	}
	x.ids = true
	var b strings.Builder
	b.WriteString("switch (now.sender) { ")
	for _, options := range x.options {
		for _, p := range options {
			if p.sends() && p.meets(o) {
				fmt.Fprintf(&b, "case %d: { %s} break; ", p.number, p.asC())
				x.bounded(b.Len())
			}
		}
	}
	b.WriteString("} ")
	b.WriteString(o.asC())
	b.WriteString("now.sender = 0; " + x.resets())
	return fmt.Sprintf("atomic { %s?%s,sender -> %s }", port, free, sequence(x.code(b.String()), jump))
}

// broadcast writes the sending side of a broadcast: the edges of those who
// receive are chosen one after the other, in the state before the step.
func (x *exporter) broadcast(o *option, jump string) string {
	var hearers [][]*option
	for _, options := range x.options {
		var mine []*option
		for _, p := range options {
			if p.hears() && p.meets(o) {
				mine = append(mine, p)
			}
		}
		if len(mine) > 0 {
			hearers = append(hearers, mine)
		}
	}
	listening := func(p *option, s *scope) val {
		there := p.scope()
		there.c, there.foreign = s.c, true
		here := *s
		here.foreign = true
		ch := compare(uppaal.OpEq, there.expr(p.edge.Sync.Chan), here.expr(o.edge.Sync.Chan))
		return and(p.enabled(there, false), ch)
	}
	guard := x.condition(o.scope(), func(s *scope) val {
		cond := o.enabled(s, false)
		if !x.committed || o.edge.From.Urgency == uppaal.Committed {
			return cond
		}
		// A committed receiver is enough.
		may := truth("(%s == 0)", s.state("committed"))
		for _, mine := range hearers {
			for _, p := range mine {
				if p.edge.From.Urgency == uppaal.Committed {
					may = or(may, listening(p, s))
				}
			}
		}
		return and(cond, may)
	})
	cond := guard.text
	if guard.constant() {
		cond = map[bool]string{true: "true", false: "false"}[guard.lo != 0]
	}
	var choices []string
	var code strings.Builder
	code.WriteString(o.asC())
	for _, mine := range hearers {
		choice := choiceVar(mine[0].proc)
		text := "if"
		fmt.Fprintf(&code, "switch (now.%s) { ", choice)
		for _, p := range mine {
			enabled := x.condition(o.scope(), func(s *scope) val { return listening(p, s) })
			if enabled.constant() && enabled.lo == 0 {
				continue
			}
			text += fmt.Sprintf(" :: %s -> %s = %d", enabled.text, choice, p.number)
			fmt.Fprintf(&code, "case %d: { %s} break; ", p.number, p.asC())
			x.bounded(code.Len())
		}
		fmt.Fprintf(&code, "} now.%s = 0; ", choice)
		choices = append(choices, text+" :: else fi")
	}
	code.WriteString(x.resets())
	return fmt.Sprintf("atomic { %s -> %s }", cond, sequence(append(choices, x.code(code.String()), jump)...))
}
