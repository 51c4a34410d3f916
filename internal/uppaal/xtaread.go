package uppaal

import "io"

// ReadXTA reads a model in UPPAAL's textual format, as files .xta and .ta have it:
// declarations, processes, instantiations and the system line. name stands for the
// file in positions: those of errors, of the reader as of Check, are then
// "name:line:column".
//
// What is declared between processes is taken as declared before the first of them. As in
// XML, branch points are dissolved, and weights, rates and controllability ignored. The
// syntax of UPPAAL 3 ("const N 5;", conditions with commas) is refused. The error is an
// *Error if the text is wrong.
func ReadXTA(r io.Reader, name string) (*Network, error) {
	text, err := readAll(r)
	if err != nil {
		return nil, err
	}
	n := &Network{}
	err = parseText(name, text, false, func(p *parser) {
		var pending []Decl
		for !p.is("system") {
			switch {
			case p.tok().kind == tokEOF:
				p.failf("the system line is missing")
			case p.is("process"):
				// What instantiates a template has to follow the templates.
				for _, d := range pending {
					if _, instance := d.(*InstanceDecl); instance {
						n.Instances = append(n.Instances, d)
					} else {
						n.Decls = append(n.Decls, d)
					}
				}
				pending = nil
				n.Templates = append(n.Templates, p.process())
			default:
				pending = p.decl(pending)
			}
		}
		n.Instances = append(n.Instances, pending...)
		n.System, n.Progress = p.systemSection()
	})
	if err != nil {
		return nil, err
	}
	return n, nil
}

// process parses "process Name(params) { ... }".
func (p *parser) process() *Template {
	p.expect("process")
	t := &Template{}
	t.Name, t.Pos = p.name("a process")
	if p.is("(") {
		t.Params = p.paramList()
	}
	p.expect("{")
	for !p.is("state") {
		if p.is("}") || p.tok().kind == tokEOF {
			p.failf("process %s has no states", t.Name)
		}
		t.Decls = p.decl(t.Decls)
	}
	locations := p.states(t)
	points := map[string]bool{}
	for !p.is("}") && !p.is("trans") {
		switch {
		case p.accept("branchpoint"):
			p.names("a branch point", func(name string, pos Pos) {
				if locations[name] != nil || points[name] {
					p.failAt(pos, "duplicate definition of %s", name)
				}
				points[name] = true
			})
		case p.is("commit"), p.is("urgent"):
			urgency := Urgent
			if p.advance().text == "commit" {
				urgency = Committed
			}
			p.names("a location", func(name string, pos Pos) {
				l := p.location(locations, name, pos)
				if l.Urgency != Normal && l.Urgency != urgency {
					p.failAt(pos, "location %s is both urgent and committed", name)
				}
				l.Urgency = urgency
			})
		case p.is("init"):
			at := p.expect("init")
			if t.Init != nil {
				p.failAt(at, "process %s has two initial locations", t.Name)
			}
			name, pos := p.name("the initial location")
			t.Init = p.location(locations, name, pos)
			p.expect(";")
		default:
			p.failf("unexpected %s, expected commit, urgent, branchpoint, init or trans", p.tok().describe())
		}
	}
	if t.Init == nil {
		p.failf("process %s has no initial location", t.Name)
	}
	var branches []*branch
	if p.accept("trans") {
		branches = p.transitions(locations, points)
	}
	p.expect("}")
	t.Edges = dissolve(branches, points, func(b *branch, format string, args ...any) {
		p.failAt(b.edge.Pos, format, args...)
	})
	return t
}

// names parses "a, b;" behind a keyword.
func (p *parser) names(what string, each func(name string, pos Pos)) {
	for {
		each(p.name(what))
		if !p.accept(",") {
			p.expect(";")
			return
		}
	}
}

func (p *parser) location(locations map[string]*Location, name string, pos Pos) *Location {
	l := locations[name]
	if l == nil {
		p.failAt(pos, "unknown location %s", name)
	}
	return l
}

// states parses "state a, b { invariant }, c { invariant; rate };".
func (p *parser) states(t *Template) map[string]*Location {
	locations := map[string]*Location{}
	p.expect("state")
	for {
		l := &Location{}
		l.Name, l.Pos = p.name("a location")
		if locations[l.Name] != nil {
			p.failAt(l.Pos, "duplicate definition of %s", l.Name)
		}
		locations[l.Name] = l
		t.Locations = append(t.Locations, l)
		if p.accept("{") {
			if !p.is(";") {
				l.Invariant = p.expr()
			}
			if p.accept(";") {
				p.expr() // a rate
			}
			p.expect("}")
		}
		if !p.accept(",") {
			p.expect(";")
			return locations
		}
	}
}

// transitions parses "a -> b { ... }, -> c { ... };", where an arrow alone begins where the
// one before does.
func (p *parser) transitions(locations map[string]*Location, points map[string]bool) []*branch {
	var list []*branch
	for {
		b := &branch{edge: &Edge{Pos: p.pos()}}
		end := func() (string, *Location) {
			name, pos := p.name("a location")
			if points[name] {
				return name, nil
			}
			return name, p.location(locations, name, pos)
		}
		if p.is("-") && len(list) > 0 {
			last := list[len(list)-1]
			b.from, b.edge.From = last.from, last.edge.From
		} else {
			b.from, b.edge.From = end()
		}
		p.arrow()
		b.to, b.edge.To = end()
		p.expect("{")
		p.edgeLabels(b.edge)
		p.expect("}")
		list = append(list, b)
		if !p.accept(",") {
			p.expect(";")
			return list
		}
	}
}

// arrow parses "->", or "-u->", which games have.
func (p *parser) arrow() {
	if p.is("-") && p.peek(1).kind == tokName && p.peek(1).text == "u" {
		p.i += 2
	}
	if !p.is("-") || !p.peek(1).is(">") || p.peek(1).col != p.tok().col+1 || p.peek(1).line != p.tok().line {
		p.failf(`unexpected %s, expected "->"`, p.tok().describe())
	}
	p.i += 2
}

// edgeLabels parses what an edge has in braces.
func (p *parser) edgeLabels(e *Edge) {
	seen := map[string]bool{}
	for !p.is("}") {
		kind, pos := p.tok().text, p.pos()
		switch {
		case p.accept("select"):
			e.Select = p.bindings()
		case p.accept("guard"):
			e.Guard = p.expr()
			if p.is(",") {
				p.failf("a comma between conditions is the syntax of UPPAAL 3: write &&")
			}
		case p.accept("sync"):
			e.Sync = p.sync(p.labelEnd())
		case p.accept("assign"):
			e.Update = p.updates()
		case p.accept("probability"):
			p.expr()
		default:
			p.failf("unexpected %s, expected select, guard, sync, assign or probability", p.tok().describe())
		}
		if seen[kind] {
			p.failAt(pos, "the edge has two labels of the kind %s", kind)
		}
		seen[kind] = true
		p.expect(";")
	}
}

// labelEnd is the index of the next semicolon, or what stands where it is missing.
func (p *parser) labelEnd() int {
	i := p.i
	for t := p.toks[i]; t.kind != tokEOF && !t.is(";") && !t.is("}"); t = p.toks[i] {
		i++
	}
	return i
}
