package uppaal

import (
	"fmt"
	"strconv"
	"strings"
)

// This file makes the processes of the system section.

// An instance is what can be listed in the system line: a template, or a name
// that an instantiation gives to a template with some parameters bound.
type instance struct {
	name   string
	params []*Var
	// base and args say which instance it is made of; nil for a template.
	base *instance
	args []Expr
	// template is set if base is nil.
	template *Template
}

func (*instance) object() {}

// A binding of parameters gives a value or a reference to each.
type binding struct {
	values map[*Var][]int32
	refs   map[*Var]Expr
}

const (
	maxProcesses = 1 << 16
	// maxCopies bounds the copies of one template, see specialise.
	maxCopies = 1 << 12
)

func (c *checker) system(n *Network) {
	for _, d := range n.Instances {
		if i, ok := d.(*InstanceDecl); ok {
			c.instanceDecl(i)
		} else {
			c.decl(d)
		}
	}
	c.text("progress")
	for _, m := range n.Progress {
		if m == nil {
			c.errorf(Pos{}, "a progress measure is nil")
			continue
		}
		c.inPure("a progress measure", func() {
			if m.Guard != nil {
				c.condition(m.Guard, "a guard of a progress measure")
			}
			c.condition(m.X, "a progress measure")
		})
	}
	c.text("system")
	if len(n.System.Names) == 0 {
		c.errorf(n.System.Pos, "the system line lists no process")
	}
	priority := 0
	seen := map[string]bool{}
	for i, id := range n.System.Names {
		if i > 0 && i-1 < len(n.System.Below) && n.System.Below[i-1] {
			priority++
		}
		inst := c.instanceOf(id)
		if inst == nil {
			continue
		}
		if seen[id.Name] {
			c.errorf(id.Pos, "process %s is listed twice", id.Name)
			continue
		}
		seen[id.Name] = true
		c.processes(id, inst, priority)
	}
}

// instanceOf resolves a name that must be a template or an instance of one.
func (c *checker) instanceOf(id *Ident) *instance {
	switch o := c.scope.lookup(id.Name).(type) {
	case *Template:
		c.info.Uses[id] = o
		return &instance{name: o.Name, params: c.info.Params[o], template: o}
	case *instance:
		return o
	case nil:
		c.errorf(id.Pos, "unknown template or process %s", id.Name)
	default:
		c.errorf(id.Pos, "%s is not a template or process", id.Name)
	}
	return nil
}

func (c *checker) instanceDecl(d *InstanceDecl) {
	inst := &instance{name: d.Name, args: d.Args}
	if d.Template == nil {
		c.errorf(d.Pos, "instance %s has no template", d.Name)
		return
	}
	inst.base = c.instanceOf(d.Template)
	c.inScope(func() {
		for _, p := range d.Params {
			inst.params = append(inst.params, c.param(p, ParamVar))
		}
		if inst.base == nil {
			return
		}
		if len(d.Args) != len(inst.base.params) {
			c.errorf(d.Pos, "%s takes %d arguments, found %d", d.Template.Name, len(inst.base.params), len(d.Args))
			inst.base = nil
			return
		}
		for i, p := range inst.base.params {
			c.inPure("an argument", func() { c.argument(p, d.Args[i], c.expr(d.Args[i]), false) })
		}
	})
	if inst.base == nil {
		// Reported above; keep the name known.
		inst = &instance{name: d.Name}
	}
	c.declare(d.Pos, d.Name, inst)
}

// processes makes the processes of one name of the system line: one for every
// combination of values of its free parameters.
func (c *checker) processes(id *Ident, inst *instance, priority int) {
	if inst.base == nil && inst.template == nil {
		return
	}
	restricted := c.restrictedOf(inst)
	total := 1
	for _, p := range inst.params {
		lo, hi, ok := Range(p.Type)
		_, isBool := p.Type.(Bool)
		n := int64(hi) - int64(lo) + 1
		switch {
		case p.Type == nil:
			return
		case !ok || isBool || p.Ref:
			c.errorf(id.Pos, "process %s: free parameter %s must be a bounded integer or a scalar by value", id.Name, p.Name)
			return
		case restricted[p]:
			c.errorf(id.Pos, "process %s: free parameter %s must not decide the size of an array or what is selected", id.Name, p.Name)
			return
		case n >= maxProcesses || int64(total)*n > maxProcesses:
			c.errorf(id.Pos, "process %s: free parameter %s of type %v makes too many processes", id.Name, p.Name, p.Type)
			return
		}
		total *= int(n)
	}
	if total+len(c.info.Processes) > maxProcesses {
		c.errorf(id.Pos, "more than %d processes", maxProcesses)
		return
	}
	set := &ProcessSet{Name: id.Name, Params: inst.params}
	values := make([]int32, len(inst.params))
	for i, p := range inst.params {
		values[i], _, _ = Range(p.Type)
	}
	for range total {
		b := binding{map[*Var][]int32{}, map[*Var]Expr{}}
		name := id.Name
		var text []string
		for i, p := range inst.params {
			b.values[p] = []int32{values[i]}
			text = append(text, strconv.Itoa(int(values[i])))
		}
		if len(text) > 0 {
			name += "(" + strings.Join(text, ",") + ")"
		}
		p := c.instantiate(id, name, inst, b)
		if p == nil {
			return
		}
		p.Priority = priority
		set.Processes = append(set.Processes, p)
		for i := len(values) - 1; i >= 0; i-- {
			lo, hi, _ := Range(inst.params[i].Type)
			if values[i] < hi {
				values[i]++
				break
			}
			values[i] = lo
		}
	}
	c.info.Processes = append(c.info.Processes, set.Processes...)
	if c.info.sets == nil {
		c.info.sets = map[string]*ProcessSet{}
	}
	c.info.sets[id.Name] = set
}

// restrictedOf gives the parameters of an instance that sizes of arrays or
// selections in its template depend on. UPPAAL demands that they are bound.
func (c *checker) restrictedOf(inst *instance) map[*Var]bool {
	set := map[*Var]bool{}
	if inst.base == nil {
		if d := c.dependent[inst.template]; d != nil {
			for i, v := range inst.params {
				set[v] = d.restricted[i]
			}
		}
		return set
	}
	base := c.restrictedOf(inst.base)
	for i, p := range inst.base.params {
		if base[p] && i < len(inst.args) {
			Inspect(inst.args[i], func(e Expr) {
				if id, ok := e.(*Ident); ok {
					if v, ok := c.info.Uses[id].(*Var); ok {
						set[v] = true
					}
				}
			})
		}
	}
	return set
}

// instantiate follows the instantiations down to the template and makes one
// process.
func (c *checker) instantiate(id *Ident, name string, inst *instance, b binding) *Process {
	for inst.base != nil {
		next := binding{map[*Var][]int32{}, map[*Var]Expr{}}
		for i, p := range inst.base.params {
			arg := inst.args[i]
			if p.Ref && (!p.Const || hasChan(p.Type)) {
				if e := c.reference(arg, b); e != nil {
					next.refs[p] = e
					continue
				}
				return nil
			}
			ev := c.evaluator(b.values)
			v, no := ev.init(p.Type, arg)
			if no != nil {
				c.errorf(no.pos, "argument for parameter %s of %s: %s", p.Name, inst.base.name, no.msg)
				return nil
			}
			next.values[p] = v
		}
		inst, b = inst.base, next
	}
	p := &Process{Name: name, Template: inst.template, Original: inst.template}
	if d := c.dependent[inst.template]; d != nil {
		p.Template = c.specialise(inst, d, b)
		if p.Template == nil {
			return nil
		}
	}
	for i, v := range inst.params {
		p.Args = append(p.Args, Arg{
			Param: c.info.Params[p.Template][i],
			Value: b.values[v],
			Ref:   b.refs[v],
		})
	}
	return p
}

// reference turns an argument by reference into an expression over globals: a
// parameter is replaced by what it is bound to, an index by its value.
func (c *checker) reference(e Expr, b binding) Expr {
	var out Expr
	switch e := e.(type) {
	case *Ident:
		v, _ := c.info.Uses[e].(*Var)
		if v == nil {
			return nil
		}
		if r := b.refs[v]; r != nil {
			return c.copyReference(r)
		}
		if v.Kind != GlobalVar {
			c.errorf(e.Pos, "%s cannot be passed by reference to a template", e.Name)
			return nil
		}
		id := cloneIdent(e)
		c.info.Uses[id] = v
		out = id
	case *Index:
		x := c.reference(e.X, b)
		if x == nil {
			return nil
		}
		ev := c.evaluator(b.values)
		i, no := ev.int(e.I)
		if no != nil {
			c.errorf(no.pos, "the index of an argument by reference must be constant: %s", no.msg)
			return nil
		}
		if a, ok := c.info.Types[e.X].(*Array); ok && (i < a.Lo || i > a.Hi) {
			c.errorf(e.I.Position(), "index %d is out of range [%d,%d]", i, a.Lo, a.Hi)
			return nil
		}
		lit := &IntLit{e.I.Position(), i}
		c.info.Types[lit] = Int{i, i}
		out = &Index{e.Pos, x, lit}
	case *Field:
		x := c.reference(e.X, b)
		if x == nil {
			return nil
		}
		out = &Field{e.Pos, x, e.Name}
	default:
		c.errorf(e.Position(), "a variable is expected")
		return nil
	}
	c.info.Types[out] = c.info.Types[e]
	return out
}

// copyReference copies a reference made by reference, with its types.
func (c *checker) copyReference(e Expr) Expr {
	var out Expr
	switch e := e.(type) {
	case *Ident:
		id := cloneIdent(e)
		c.info.Uses[id] = c.info.Uses[e]
		out = id
	case *Index:
		lit := *e.I.(*IntLit)
		c.info.Types[&lit] = c.info.Types[e.I]
		out = &Index{e.Pos, c.copyReference(e.X), &lit}
	case *Field:
		out = &Field{e.Pos, c.copyReference(e.X), e.Name}
	}
	c.info.Types[out] = c.info.Types[e]
	return out
}

// specialise gives the copy of a template for the values of the parameters
// that its types depend on, checked for these values.
func (c *checker) specialise(inst *instance, d *dependence, b binding) *Template {
	fixed := map[int][]int32{}
	var key strings.Builder
	for _, i := range d.params {
		fixed[i] = b.values[inst.params[i]]
		fmt.Fprintln(&key, fixed[i])
	}
	if t, ok := d.copies[key.String()]; ok {
		return t
	}
	if len(d.copies) == maxCopies {
		c.errorf(inst.template.Pos, "template %s is needed for more than %d values of the parameters that its types depend on", inst.template.Name, maxCopies)
		return nil
	}
	t := inst.template.Clone()
	rank, where, errors := c.rank, c.where, c.errs.adds
	c.rank = d.rank
	c.templateBody(t, fixed)
	c.rank, c.where = rank, where
	if c.errs.adds > errors {
		t = nil
	}
	if d.copies == nil {
		d.copies = map[string]*Template{}
	}
	d.copies[key.String()] = t
	return t
}
