package verifyta

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// WriteXML writes a trace as XML in the form of verifyta -X: what the system consists of,
// then nodes, which refer to vectors of locations and of values and to bounds of clocks,
// and transitions between them.
func WriteXML(w io.Writer, info *uppaal.Info, t *check.Trace) error {
	x := &traceXML{w: bufio.NewWriter(w), names: newNames(info)}
	x.line(0, `<?xml version="1.0" encoding="utf-8"?>`)
	x.line(0, `<trace initial_node="State1">`)
	x.system()
	for i, st := range t.States {
		x.node(i+1, st)
	}
	for i, s := range t.Steps {
		edges := ""
		for _, p := range s.Parts {
			edges += edgeID(info, p.Process, p.Edge) + " "
		}
		x.line(1, `<transition from="State%d" to="State%d" edges="%s"/>`, i+1, i+2, attribute(edges))
	}
	x.line(0, `</trace>`)
	return x.w.Flush() // reports the first error of any write
}

type traceXML struct {
	w     *bufio.Writer
	names *names
}

func (x *traceXML) line(depth int, format string, args ...any) {
	for range depth {
		x.w.WriteByte('\t')
	}
	fmt.Fprintf(x.w, format+"\n", args...)
}

// element writes an element with text, if there is any.
func (x *traceXML) element(depth int, name, text string) {
	if text != "" {
		x.line(depth, "<%s>%s</%s>", name, attribute(text), name)
	}
}

// attribute escapes a text for an attribute or as contents.
func attribute(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a builder has no errors
	return b.String()
}

func edgeID(info *uppaal.Info, process, edge int) string {
	return fmt.Sprintf("%s.Edge%d", info.Processes[process].Name, edge)
}

func (x *traceXML) system() {
	info := x.names.info
	x.line(1, "<system>")
	x.line(2, `<clock name="t(0)" id="t(0)"/>`)
	x.line(2, `<clock name="#time" id="#time"/>`)
	for _, v := range x.names.variables {
		x.line(2, `<variable name="%s" id="%s"/>`, attribute(v), attribute(v))
	}
	for i, p := range info.Processes {
		x.line(2, `<process id="%s" name="%s">`, attribute(p.Name), attribute(p.Name))
		for _, l := range p.Template.Locations {
			id := attribute(p.Name + "." + l.QueryName())
			x.line(3, `<location id="%s" name="%s">`, id, attribute(l.QueryName()))
			if l.Invariant != nil {
				x.element(4, "invariant", uppaal.ExprString(l.Invariant))
			}
			x.line(3, "</location>")
		}
		for k, e := range p.Template.Edges {
			x.line(3, `<edge id="%s" from="%s" to="%s">`, attribute(edgeID(info, i, k)),
				attribute(p.Name+"."+e.From.QueryName()), attribute(p.Name+"."+e.To.QueryName()))
			guard, sync := "1", "tau"
			if e.Guard != nil {
				guard = uppaal.ExprString(e.Guard)
			}
			if e.Sync != nil {
				sync = uppaal.SyncString(e.Sync)
			}
			x.element(4, "guard", guard)
			x.element(4, "sync", sync)
			if update := uppaal.UpdateString(e.Update); update != "" {
				x.element(4, "update", update)
			} else {
				x.element(4, "update", "1")
			}
			x.line(3, "</edge>")
		}
		x.line(2, "</process>")
	}
	x.line(1, "</system>")
}

// node writes a state and what it refers to.
func (x *traceXML) node(n int, st check.State) {
	x.line(1, `<node id="State%d" location_vector="LV%d" dbm_instance="DBM%d" variable_vector="VV%d"/>`, n, n, n, n)
	locations := ""
	for i, l := range st.Locations {
		locations += x.names.info.Processes[i].Name + "." + l.QueryName() + " "
	}
	x.line(1, `<location_vector id="LV%d" locations="%s"/>`, n, attribute(locations))
	x.line(1, `<dbm_instance id="DBM%d">`, n)
	x.line(2, `<clockbound clock1="t(0)" clock2="#time" bound="0" comp="&lt;="/>`)
	x.line(1, `</dbm_instance>`)
	x.line(1, `<variable_vector id="VV%d">`, n)
	for _, v := range st.Vars {
		x.line(2, `<variable_state variable="%s" value="%d"/>`, attribute(v.Name), v.Value)
	}
	x.line(1, `</variable_vector>`)
}
