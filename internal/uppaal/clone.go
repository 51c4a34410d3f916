package uppaal

import "slices"

// This file copies trees. Nodes are the keys of Info, so whoever wants a tree
// a second time, in another place, needs a copy.

// CloneExpr copies an expression; nil stays nil.
func CloneExpr(e Expr) Expr {
	switch e := e.(type) {
	case nil:
		return nil
	case *Ident:
		return cloneIdent(e)
	case *IntLit:
		c := *e
		return &c
	case *BoolLit:
		c := *e
		return &c
	case *Unary:
		return &Unary{e.Pos, e.Op, CloneExpr(e.X)}
	case *Binary:
		// A chain of operators is deep on the left only: copy it by a loop.
		root := &Binary{e.Pos, e.Op, nil, CloneExpr(e.Y)}
		at := root
		for {
			l, ok := e.X.(*Binary)
			if !ok {
				at.X = CloneExpr(e.X)
				return root
			}
			next := &Binary{l.Pos, l.Op, nil, CloneExpr(l.Y)}
			at.X = next
			at, e = next, l
		}
	case *Cond:
		return &Cond{e.Pos, CloneExpr(e.If), CloneExpr(e.Then), CloneExpr(e.Else)}
	case *Index:
		return &Index{e.Pos, CloneExpr(e.X), CloneExpr(e.I)}
	case *Field:
		return &Field{e.Pos, CloneExpr(e.X), e.Name}
	case *Call:
		return &Call{e.Pos, cloneIdent(e.Fun), cloneExprs(e.Args), CloneExpr(e.Process)}
	case *Assign:
		return &Assign{e.Pos, e.Op, CloneExpr(e.L), CloneExpr(e.R)}
	case *IncDec:
		return &IncDec{e.Pos, e.Op, e.Prefix, CloneExpr(e.X)}
	case *Comma:
		return &Comma{e.Pos, CloneExpr(e.X), CloneExpr(e.Y)}
	case *Quant:
		return &Quant{e.Pos, e.Kind, cloneBinding(e.Bind), CloneExpr(e.Body)}
	case *InitList:
		return &InitList{e.Pos, append([]string(nil), e.Names...), cloneExprs(e.Elems)}
	case *Deadlock:
		c := *e
		return &c
	case *Stuck:
		return &Stuck{e.Pos, CloneExpr(e.Process)}
	}
	panic("uppaal: unknown expression")
}

func cloneIdent(id *Ident) *Ident {
	if id == nil {
		return nil
	}
	c := *id
	return &c
}

func cloneExprs(es []Expr) []Expr { return cloneList(es, CloneExpr) }

// cloneList copies a list element by element; nil stays nil.
func cloneList[T any](list []T, clone func(T) T) []T {
	if list == nil {
		return nil
	}
	out := make([]T, len(list))
	for i, x := range list {
		out[i] = clone(x)
	}
	return out
}

func cloneBinding(b *Binding) *Binding {
	return &Binding{b.Pos, b.Name, cloneType(b.Type)}
}

func cloneType(t *TypeExpr) *TypeExpr {
	if t == nil {
		return nil
	}
	c := *t
	c.Lo, c.Hi, c.Size = CloneExpr(t.Lo), CloneExpr(t.Hi), CloneExpr(t.Size)
	c.Fields = cloneList(t.Fields, func(f *StructField) *StructField {
		return &StructField{f.Pos, f.Name, cloneType(f.Type), cloneDims(f.Dims)}
	})
	return &c
}

func cloneDims(ds []*Dim) []*Dim {
	return cloneList(ds, func(d *Dim) *Dim {
		return &Dim{d.Pos, CloneExpr(d.Size), cloneType(d.Type)}
	})
}

func cloneParams(ps []*Param) []*Param {
	return cloneList(ps, func(p *Param) *Param {
		return &Param{p.Pos, p.Name, cloneType(p.Type), p.Ref, cloneDims(p.Dims)}
	})
}

// CloneDecls copies declarations.
func CloneDecls(ds []Decl) []Decl { return cloneList(ds, cloneDecl) }

func cloneDecl(d Decl) Decl {
	switch d := d.(type) {
	case *VarDecl:
		return &VarDecl{d.Pos, d.Name, cloneType(d.Type), cloneDims(d.Dims), CloneExpr(d.Init)}
	case *TypedefDecl:
		return &TypedefDecl{d.Pos, d.Name, cloneType(d.Type), cloneDims(d.Dims)}
	case *FuncDecl:
		return &FuncDecl{d.Pos, d.Name, cloneParams(d.Params), cloneType(d.Result), cloneBlock(d.Body)}
	case *InstanceDecl:
		return &InstanceDecl{d.Pos, d.Name, cloneParams(d.Params), cloneIdent(d.Template), cloneExprs(d.Args)}
	case *ChanPriority:
		return &ChanPriority{d.Pos, cloneList(d.Groups, cloneExprs)}
	case *AroundUpdate:
		return &AroundUpdate{d.Pos, d.After, cloneExprs(d.X)}
	}
	panic("uppaal: unknown declaration")
}

func cloneBlock(b *Block) *Block {
	if b == nil {
		return nil
	}
	return &Block{b.Pos, CloneDecls(b.Decls), cloneList(b.Stmts, cloneStmt)}
}

func cloneStmt(s Stmt) Stmt {
	switch s := s.(type) {
	case nil:
		return nil
	case *Block:
		return cloneBlock(s)
	case *ExprStmt:
		return &ExprStmt{s.Pos, CloneExpr(s.X)}
	case *IfStmt:
		return &IfStmt{s.Pos, CloneExpr(s.Cond), cloneStmt(s.Then), cloneStmt(s.Else)}
	case *WhileStmt:
		return &WhileStmt{s.Pos, s.Do, CloneExpr(s.Cond), cloneStmt(s.Body)}
	case *ForStmt:
		return &ForStmt{s.Pos, CloneExpr(s.Init), CloneExpr(s.Cond), CloneExpr(s.Post), cloneStmt(s.Body)}
	case *RangeStmt:
		return &RangeStmt{s.Pos, cloneBinding(s.Bind), cloneStmt(s.Body)}
	case *ReturnStmt:
		return &ReturnStmt{s.Pos, CloneExpr(s.X)}
	case *AssertStmt:
		return &AssertStmt{s.Pos, CloneExpr(s.X)}
	}
	panic("uppaal: unknown statement")
}

// Clone copies a template.
func (t *Template) Clone() *Template {
	c := &Template{Pos: t.Pos, Name: t.Name, Params: cloneParams(t.Params), Decls: CloneDecls(t.Decls)}
	locs := map[*Location]*Location{}
	c.Locations = cloneList(t.Locations, func(l *Location) *Location {
		d := *l
		d.Invariant = CloneExpr(l.Invariant)
		locs[l] = &d
		return &d
	})
	c.Init = locs[t.Init]
	c.Edges = cloneList(t.Edges, func(e *Edge) *Edge {
		d := cloneEdge(e)
		d.From, d.To = locs[e.From], locs[e.To]
		return d
	})
	return c
}

// cloneEdge copies an edge between the same locations.
func cloneEdge(e *Edge) *Edge {
	d := *e
	d.Select = cloneList(e.Select, cloneBinding)
	d.Guard = CloneExpr(e.Guard)
	if e.Sync != nil {
		d.Sync = &Sync{e.Sync.Pos, CloneExpr(e.Sync.Chan), e.Sync.Dir}
	}
	d.Update = cloneExprs(e.Update)
	d.Nails = append([]Point(nil), e.Nails...)
	return &d
}

// Clone copies a query.
func (q *Query) Clone() *Query {
	c := *q
	c.X, c.Y, c.Of = CloneExpr(q.X), CloneExpr(q.Y), cloneExprs(q.Of)
	return &c
}

// Clone copies a network; the copy shares nothing with it.
func (n *Network) Clone() *Network {
	return &Network{
		Decls:     CloneDecls(n.Decls),
		Templates: cloneList(n.Templates, (*Template).Clone),
		Instances: CloneDecls(n.Instances),
		System: SystemLine{
			Pos:   n.System.Pos,
			Names: cloneList(n.System.Names, cloneIdent),
			Below: append([]bool(nil), n.System.Below...),
		},
		Progress: cloneList(n.Progress, cloneMeasure),
		Queries:  cloneList(n.Queries, (*Query).Clone),
		LeftOut:  append([]*LeftOut(nil), n.LeftOut...),
	}
}

// Without is the network without some of its edges. They stay where they are, with a guard that never holds, so that
// the numbers of edges are the same in both. All else is shared with n, which does not change; what only the removed
// edges use is still declared.
func (n *Network) Without(edges ...*Edge) *Network {
	off := make(map[*Edge]bool, len(edges))
	for _, e := range edges {
		off[e] = true
	}
	c := *n
	c.Templates = slices.Clone(n.Templates)
	for i, t := range c.Templates {
		if !slices.ContainsFunc(t.Edges, func(e *Edge) bool { return off[e] }) {
			continue
		}
		d := *t
		d.Edges = slices.Clone(t.Edges)
		for k, e := range d.Edges {
			if off[e] {
				without := *e
				without.Guard = &BoolLit{Pos: e.Pos}
				d.Edges[k] = &without
			}
		}
		c.Templates[i] = &d
	}
	return &c
}

func cloneMeasure(m *Measure) *Measure {
	return &Measure{CloneExpr(m.Guard), CloneExpr(m.X)}
}

// Template gives the template of a name, or nil.
func (n *Network) Template(name string) *Template {
	for _, t := range n.Templates {
		if t.Name == name {
			return t
		}
	}
	return nil
}
