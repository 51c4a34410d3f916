package uppaal

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

const xmlHeader = `<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' 'http://www.it.uu.se/research/group/darts/uppaal/flat-1_2.dtd'>
`

// WriteXML writes a network in UPPAAL's XML format. Reading it gives an equal
// network, except that every location has an id, unique in the document, and
// that templates whose locations all lie at 0,0 are laid out. Equal networks
// give equal bytes.
//
// Comments inside the texts of a model that was read are not in the tree and
// so are not written.
func WriteXML(w io.Writer, n *Network) error {
	ids, names, err := locationIDs(n)
	if err != nil {
		return err
	}
	x := &xmlWriter{w: bufio.NewWriter(w), ids: ids, names: names}
	x.raw(xmlHeader + "<nta>\n")
	if len(n.Decls) > 0 {
		x.element(1, "declaration", "", DeclsString(n.Decls))
	}
	for _, t := range n.Templates {
		x.template(t)
	}
	x.element(1, "system", "", SystemString(n))
	if len(n.Queries) > 0 {
		x.raw("\t<queries>\n")
		for _, q := range n.Queries {
			x.raw("\t\t<query>\n")
			x.element(3, "formula", "", QueryString(q))
			x.element(3, "comment", "", q.Comment)
			x.raw("\t\t</query>\n")
		}
		x.raw("\t</queries>\n")
	}
	x.raw("</nta>\n")
	return x.w.Flush() // reports the first error of any write
}

// locationIDs gives every location an id that is unique in the document: its
// own if possible. An anonymous location is called by its id in queries; if it
// must get another one, it keeps what it is called as its name.
func locationIDs(n *Network) (ids, names map[*Location]string, err error) {
	ids, names = map[*Location]string{}, map[*Location]string{}
	taken := map[string]bool{}
	for _, anonymous := range []bool{true, false} {
		for _, t := range n.Templates {
			if t == nil {
				return nil, nil, fmt.Errorf("a template is nil")
			}
			if t.Init == nil {
				return nil, nil, fmt.Errorf("template %s has no initial location", t.Name)
			}
			for _, l := range t.Locations {
				if l == nil {
					return nil, nil, fmt.Errorf("template %s: a location is nil", t.Name)
				}
				if (l.Name == "") == anonymous && l.ID != "" && !taken[l.ID] {
					taken[l.ID] = true
					ids[l] = l.ID
				}
			}
		}
	}
	next := 0
	for _, t := range n.Templates {
		for _, l := range t.Locations {
			names[l] = l.Name
			if ids[l] != "" {
				continue
			}
			for taken[fmt.Sprintf("id%d", next)] {
				next++
			}
			ids[l] = fmt.Sprintf("id%d", next)
			next++
			if l.Name == "" && l.ID != "" {
				names[l] = "_" + l.ID
			}
		}
	}
	for _, t := range n.Templates {
		if ids[t.Init] == "" {
			return nil, nil, fmt.Errorf("the initial location of template %s is not in it", t.Name)
		}
		for i, e := range t.Edges {
			if e == nil || ids[e.From] == "" || ids[e.To] == "" {
				return nil, nil, fmt.Errorf("template %s: edge %d does not join locations", t.Name, i)
			}
		}
	}
	return ids, names, nil
}

type xmlWriter struct {
	w     *bufio.Writer
	ids   map[*Location]string
	names map[*Location]string
}

func (x *xmlWriter) raw(s string) { x.w.WriteString(s) }

// element writes one element with text on lines of its own.
func (x *xmlWriter) element(depth int, name, attrs, text string) {
	x.raw(strings.Repeat("\t", depth) + "<" + name + attrs + ">")
	x.raw(escape(text))
	x.raw("</" + name + ">\n")
}

// escape writes text as character data. What XML cannot hold becomes U+FFFD.
func escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"':
			b.WriteString("&quot;")
		case r == '\r':
			b.WriteString("&#xD;")
		case r < ' ' && r != '\n' && r != '\t', r == 0xFFFE, r == 0xFFFF:
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func at(p Point) string { return fmt.Sprintf(` x="%d" y="%d"`, p.X, p.Y) }

func (x *xmlWriter) label(kind string, p *Point, text string) {
	if text == "" {
		return
	}
	x.element(3, "label", ` kind="`+kind+`"`+at(*p), text)
	p.Y += lineHeight * (1 + strings.Count(text, "\n"))
}

func (x *xmlWriter) template(t *Template) {
	drawing := layOut(t)
	x.raw("\t<template>\n")
	x.element(2, "name", "", t.Name)
	if len(t.Params) > 0 {
		x.element(2, "parameter", "", ParamsString(t.Params))
	}
	if len(t.Decls) > 0 {
		x.element(2, "declaration", "", DeclsString(t.Decls))
	}
	for _, l := range t.Locations {
		p := drawing.locations[l]
		x.raw("\t\t<location id=\"" + escape(x.ids[l]) + "\"" + at(p) + ">\n")
		if name := x.names[l]; name != "" {
			x.element(3, "name", at(Point{p.X + 10, p.Y - 32}), name)
		}
		below := Point{p.X + 10, p.Y + 14}
		if l.Invariant != nil {
			x.label("invariant", &below, ExprString(l.Invariant))
		}
		x.label("comments", &below, l.Comment)
		switch l.Urgency {
		case Urgent:
			x.raw("\t\t\t<urgent/>\n")
		case Committed:
			x.raw("\t\t\t<committed/>\n")
		}
		x.raw("\t\t</location>\n")
	}
	x.raw("\t\t<init ref=\"" + escape(x.ids[t.Init]) + "\"/>\n")
	for i, e := range t.Edges {
		x.raw("\t\t<transition>\n")
		x.raw("\t\t\t<source ref=\"" + escape(x.ids[e.From]) + "\"/>\n")
		x.raw("\t\t\t<target ref=\"" + escape(x.ids[e.To]) + "\"/>\n")
		p := drawing.labels[i]
		x.label("select", &p, SelectString(e.Select))
		if e.Guard != nil {
			x.label("guard", &p, ExprString(e.Guard))
		}
		if e.Sync != nil {
			x.label("synchronisation", &p, SyncString(e.Sync))
		}
		x.label("assignment", &p, UpdateString(e.Update))
		x.label("comments", &p, e.Comment)
		for _, nail := range drawing.nails[i] {
			x.raw("\t\t\t<nail" + at(nail) + "/>\n")
		}
		x.raw("\t\t</transition>\n")
	}
	x.raw("\t</template>\n")
}
