package uppaal

import (
	"fmt"
	"io"
	"strings"
)

// WriteXTA writes a network in UPPAAL's textual format, without its queries, for which
// WriteQueries is. Reading it gives an equal network, except for what the format has
// no place for: coordinates and ids. A location without name gets the one that queries
// call it by, if that is free. Comments of locations and edges become comments of the
// text. Equal networks give equal bytes.
func WriteXTA(w io.Writer, n *Network) error {
	names, err := textNames(n)
	if err != nil {
		return err
	}
	var p printer
	p.WriteString(DeclsString(n.Decls))
	for _, t := range n.Templates {
		if p.Len() > 0 {
			p.WriteByte('\n')
		}
		p.process(t, names)
	}
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
	p.WriteString(SystemString(n))
	_, err = io.WriteString(w, p.String())
	return err
}

// WriteQueries writes queries as a .q file, each on a line below its comment.
func WriteQueries(w io.Writer, queries []*Query) error {
	var p printer
	for i, q := range queries {
		if i > 0 && q.Comment != "" {
			p.WriteByte('\n')
		}
		p.comment(q.Comment, 0)
		p.WriteString(QueryString(q) + "\n")
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// textNames gives every location its name in the textual format.
func textNames(n *Network) (map[*Location]string, error) {
	ids, names, err := locationIDs(n)
	if err != nil {
		return nil, err
	}
	for _, t := range n.Templates {
		if !IsName(t.Name) {
			return nil, fmt.Errorf("template %q has a name that the textual format cannot have", t.Name)
		}
		if len(t.Locations) == 0 {
			return nil, fmt.Errorf("template %s has no locations", t.Name)
		}
		var used map[string]bool
		seen := map[string]bool{}
		for _, l := range t.Locations {
			if names[l] == "" {
				if used == nil {
					used = namesIn(n, t)
				}
				name := "_" + ids[l]
				for k := 0; !IsName(name) || used[name]; k++ {
					name = fmt.Sprintf("_L%d", k)
				}
				used[name] = true
				names[l] = name
			}
			if !IsName(names[l]) {
				return nil, fmt.Errorf("template %s: location %q has a name that the textual format cannot have", t.Name, names[l])
			}
			if seen[names[l]] {
				return nil, fmt.Errorf("template %s: two locations have the name %s", t.Name, names[l])
			}
			seen[names[l]] = true
		}
	}
	return names, nil
}

// namesIn are the names that a template uses or declares, and all that are global.
func namesIn(n *Network, t *Template) map[string]bool {
	used := map[string]bool{}
	add := func(text string) {
		toks, _ := lex("", text, false)
		for _, t := range toks {
			if t.kind == tokName {
				used[t.text] = true
			}
		}
	}
	add(DeclsString(n.Decls))
	add(ParamsString(t.Params))
	add(DeclsString(t.Decls))
	for _, l := range t.Locations {
		used[l.Name] = true
	}
	for _, e := range t.Edges {
		add(SelectString(e.Select)) // other names of an edge are declared somewhere
	}
	return used
}

// comment prints a comment of a location, an edge or a query.
func (p *printer) comment(text string, depth int) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		p.indent(depth)
		p.WriteString(strings.TrimRight("// "+strings.TrimSpace(line), " ") + "\n")
	}
}

func (p *printer) process(t *Template, names map[*Location]string) {
	p.WriteString("process " + t.Name + "(")
	p.params(t.Params)
	p.WriteString(") {\n")
	for _, d := range t.Decls {
		p.decl(d, 1)
		p.WriteByte('\n')
	}
	p.indent(1)
	p.WriteString("state\n")
	var marked [Committed + 1][]string
	for i, l := range t.Locations {
		p.comment(l.Comment, 2)
		p.indent(2)
		p.WriteString(names[l])
		if l.Invariant != nil {
			p.WriteString(" { ")
			p.expr(l.Invariant, precAssign, false)
			p.WriteString(" }")
		}
		p.WriteString(ending(i, len(t.Locations)))
		marked[l.Urgency] = append(marked[l.Urgency], names[l])
	}
	p.marks("commit", marked[Committed])
	p.marks("urgent", marked[Urgent])
	p.marks("init", []string{names[t.Init]})
	if len(t.Edges) > 0 {
		p.indent(1)
		p.WriteString("trans\n")
	}
	for i, e := range t.Edges {
		p.comment(e.Comment, 2)
		p.indent(2)
		p.WriteString(names[e.From] + " -> " + names[e.To] + " { ")
		label := func(kind, text string) {
			if text != "" {
				p.WriteString(kind + " " + text + "; ")
			}
		}
		label("select", SelectString(e.Select))
		if e.Guard != nil {
			label("guard", ExprString(e.Guard))
		}
		if e.Sync != nil {
			label("sync", SyncString(e.Sync))
		}
		label("assign", UpdateString(e.Update))
		p.WriteString("}" + ending(i, len(t.Edges)))
	}
	p.WriteString("}\n")
}

// marks prints "commit a, b;" if there are any.
func (p *printer) marks(word string, names []string) {
	if len(names) > 0 {
		p.indent(1)
		p.WriteString(word + " " + strings.Join(names, ", ") + ";\n")
	}
}

// ending is what follows the i-th of n items of a list, each on a line.
func ending(i, n int) string {
	if i+1 == n {
		return ";\n"
	}
	return ",\n"
}
