package uppaal

import (
	"fmt"
	"strings"
)

// A scope maps the names declared in one place; lookup goes outwards.
type scope struct {
	outer *scope
	names map[string]Object
}

func newScope(outer *scope) *scope { return &scope{outer, map[string]Object{}} }

func (s *scope) lookup(name string) Object {
	for ; s != nil; s = s.outer {
		if o, ok := s.names[name]; ok {
			return o
		}
	}
	return nil
}

// A checker checks one network or one query.
type checker struct {
	info  *Info
	errs  *errorList
	scope *scope
	// rank orders the texts of a model; where describes the current one, for
	// trees without positions.
	rank  int
	where string
	// template is the template being checked, fn the function.
	template *Template
	fn       *funcState
	// pure names what must have no side effects, "" where they are allowed.
	pure string
	// query is set in queries, where processes can be named.
	query bool
	// params are the parameters of the template that types in it depend on.
	params map[*Var]bool
	// restricted are those of params that the size of an array or a selection
	// depends on; restricting is set while these are checked.
	restricted  map[*Var]bool
	restricting bool
	// work is what remains of the bound on computing constants.
	work int
	// fixed gives the values of parameters by index while a copy of a template
	// is checked.
	fixed map[int][]int32
	// dependent are the templates whose types depend on parameters.
	dependent map[*Template]*dependence
}

// dependence says on which parameters, by index, the types of a template
// depend.
type dependence struct {
	params     []int
	restricted map[int]bool // of params: see checker.restricted
	// inParams is set if the type of a parameter depends on another one.
	inParams bool
	rank     int
	copies   map[string]*Template // by the values of params; nil for a wrong one
}

// Check resolves the names of a network, finds its types and constants, and
// makes its processes. What UPPAAL rejects is an error, and so are the parts
// of its language that need clocks or floating-point numbers. The error is an
// Errors with up to 50 entries in source order.
//
// The queries of the network are not checked: see CheckQuery.
func Check(n *Network) (*Info, error) {
	info := &Info{
		Network:   n,
		Uses:      map[*Ident]Object{},
		Members:   map[*Field]Object{},
		ProcessOf: map[Expr]*Process{},
		Defs:      map[any]*Var{},
		Types:     map[Expr]Type{},
		Locals:    map[*Template][]*Var{},
		Params:    map[*Template][]*Var{},
		Funcs:     map[*FuncDecl]*Func{},
	}
	c := &checker{info: info, errs: &errorList{}, scope: newScope(nil), work: maxSteps, dependent: map[*Template]*dependence{}}
	c.predefine()
	c.scope = newScope(c.scope)
	info.global = c.scope
	c.text("declaration")
	c.decls(n.Decls)
	for _, t := range n.Templates {
		if t == nil {
			c.errorf(Pos{}, "a template is nil")
			continue
		}
		c.templateDecl(t)
	}
	c.text("system")
	c.system(n)
	if err := c.errs.err(); err != nil {
		return nil, err
	}
	return info, nil
}

// predefine declares the prelude in the outermost scope.
func (c *checker) predefine() {
	ds, err := parseDecls("predefined", prelude)
	if err == nil {
		var abs []Decl
		abs, err = parseDecls("predefined", absText)
		ds = append(ds, abs...)
	}
	if err != nil {
		panic("uppaal: the predefined declarations do not parse: " + err.Error())
	}
	c.decls(ds)
	c.scope.names["abs"] = c.scope.names["ABS"]
	delete(c.scope.names, "ABS")
}

// text begins the next text of the model.
func (c *checker) text(where string) {
	c.rank++
	c.where = where
}

func (c *checker) errorf(pos Pos, format string, args ...any) {
	if pos.Where == "" {
		pos.Where = c.where
	}
	msg := fmt.Sprintf(format, args...)
	if len(msg) > maxMessage {
		// The types of a message can be as long as the model.
		msg = strings.ToValidUTF8(msg[:maxMessage], "") + "..."
	}
	c.errs.add(c.rank, pos, "%s", msg)
}

// maxMessage bounds the length of a message.
const maxMessage = 400

// evaluator computes constants with the given values of bound variables.
func (c *checker) evaluator(bound map[*Var][]int32) *evaluator {
	return &evaluator{info: c.info, bound: bound, left: &c.work, template: c.template}
}

// declare enters a name into the current scope.
func (c *checker) declare(pos Pos, name string, o Object) {
	switch {
	case !IsName(name):
		if keywords[name] {
			c.errorf(pos, "%s is a keyword and cannot be declared", name)
		} else {
			c.errorf(pos, "%q is not an identifier", name)
		}
	case c.scope.names[name] != nil:
		c.errorf(pos, "duplicate definition of %s", name)
		return
	}
	c.scope.names[name] = o
}

// inScope runs f in a scope inside the current one.
func (c *checker) inScope(f func()) {
	outer := c.scope
	c.scope = newScope(outer)
	f()
	c.scope = outer
}

// inPure runs f where side effects are refused because of what.
func (c *checker) inPure(what string, f func()) {
	outer := c.pure
	if outer == "" {
		c.pure = what
	}
	f()
	c.pure = outer
}

// ---- templates ----

// templateDecl checks a template for itself. If its types depend on
// parameters, only the copies made for the values of these are checked, when
// the processes are made.
func (c *checker) templateDecl(t *Template) {
	c.text("template " + t.Name)
	c.declare(t.Pos, t.Name, t)
	outer := c.errs
	c.errs = &errorList{}
	rank := c.rank
	c.templateBody(t, nil)
	found := c.errs
	c.errs = outer
	if d := c.dependent[t]; d != nil {
		d.rank = rank
		if d.inParams {
			c.errorf(t.Pos, "template %s: the type of a parameter depends on another parameter, which is not supported", t.Name)
		}
		return
	}
	c.errs.merge(found)
}

func (l *errorList) merge(m *errorList) {
	for _, e := range m.list {
		l.add(e.rank, e.err.Pos, "%s", e.err.Msg)
	}
	l.more += m.more
}

// templateBody checks parameters, declarations, locations and edges. fixed
// gives values to parameters.
func (c *checker) templateBody(t *Template, fixed map[int][]int32) {
	c.template, c.fixed = t, fixed
	c.params, c.restricted = map[*Var]bool{}, map[*Var]bool{}
	scope := c.scope
	c.scope = newScope(c.info.global)
	defer func() {
		c.scope, c.template = scope, nil
	}()
	where := "template " + t.Name
	c.text(where + ", parameter")
	for i, p := range t.Params {
		v := c.param(p, ParamVar)
		v.Value = fixed[i]
		c.info.Params[t] = append(c.info.Params[t], v)
	}
	inParams := len(c.params) > 0
	c.text(where + ", declaration")
	c.decls(t.Decls)
	known := map[*Location]bool{}
	for i, l := range t.Locations {
		if l == nil || known[l] {
			c.errorf(t.Pos, "location %d is nil or occurs twice", i)
			continue
		}
		known[l] = true
		c.text(where + ", " + l.describe(i))
		if l.Name != "" {
			c.declare(l.Pos, l.Name, l)
		}
	}
	c.text(where)
	if t.Init == nil {
		c.errorf(t.Pos, "template %s has no initial location", t.Name)
	} else if !known[t.Init] {
		c.errorf(t.Pos, "the initial location is not in template %s", t.Name)
	}
	for i, l := range t.Locations {
		if l == nil || l.Invariant == nil {
			continue
		}
		c.text(where + ", " + l.describe(i) + ", invariant")
		c.inPure("an invariant", func() { c.condition(l.Invariant, "an invariant") })
	}
	for i, e := range t.Edges {
		c.text(fmt.Sprintf("%s, edge %d", where, i))
		if e == nil {
			c.errorf(t.Pos, "edge %d is nil", i)
			continue
		}
		if !known[e.From] || !known[e.To] {
			c.errorf(e.Pos, "edge %d does not join locations of template %s", i, t.Name)
		}
		c.edge(e, c.where)
	}
	for i, v := range c.info.Params[t] {
		if c.params[v] {
			if c.dependent[t] == nil {
				c.dependent[t] = &dependence{inParams: inParams, restricted: map[int]bool{}}
			}
			c.dependent[t].params = append(c.dependent[t].params, i)
			c.dependent[t].restricted[i] = c.restricted[v]
		}
	}
}

// describe names a location for an error.
func (l *Location) describe(i int) string {
	switch {
	case l.Name != "":
		return "location " + l.Name
	case l.ID != "":
		return "location " + l.ID
	}
	return fmt.Sprintf("location %d", i)
}

func (c *checker) edge(e *Edge, where string) {
	c.inScope(func() {
		c.text(where + ", select")
		for _, b := range e.Select {
			c.restricting = true
			v := c.bind(b)
			c.restricting = false
			if n, ok := v.Type.(Int); ok && int64(n.Hi)-int64(n.Lo) > maxSelect {
				c.errorf(b.Pos, "selecting %s from %v has more than %d values", b.Name, n, maxSelect)
			}
		}
		if e.Guard != nil {
			c.text(where + ", guard")
			c.inPure("a guard", func() { c.condition(e.Guard, "a guard") })
		}
		if e.Sync != nil {
			c.text(where + ", synchronisation")
			c.inPure("a synchronisation", func() { c.channel(e.Sync.Chan) })
		}
		c.text(where + ", assignment")
		for _, u := range e.Update {
			c.effect(u)
		}
	})
}

// maxSelect bounds the range of a selected value: that of a plain int.
const maxSelect = 65536

// channel checks an expression that must denote a channel.
func (c *checker) channel(e Expr) {
	t := c.expr(e)
	if t == nil {
		return
	}
	if _, ok := t.(Chan); !ok {
		c.errorf(e.Position(), "channel expected, found %v", t)
	}
}

// condition checks an expression that must be a truth value.
func (c *checker) condition(e Expr, what string) {
	if t := c.expr(e); t != nil && !integral(t) {
		c.errorf(e.Position(), "%s must be a boolean or an integer, found %v", what, t)
	}
}

// bind declares a bound variable: its type must have finitely many values.
func (c *checker) bind(b *Binding) *Var {
	if b == nil || b.Type == nil {
		c.errorf(Pos{}, "a binding is missing")
		return &Var{Kind: BoundVar, Const: true}
	}
	t, _ := c.typeExpr(b.Type)
	switch t.(type) {
	case nil, Int, *Scalar:
	default:
		c.errorf(b.Type.Pos, "%s must range over a bounded integer or scalar type, found %v", b.Name, t)
		t = nil
	}
	v := &Var{Pos: b.Pos, Name: b.Name, Kind: BoundVar, Type: t, Const: true, Template: c.template}
	c.info.Defs[b] = v
	c.declare(b.Pos, b.Name, v)
	return v
}
