package uppaal

// CheckQuery checks a query against the network and adds what it finds to the
// Info. The error is an Errors.
func (info *Info) CheckQuery(q *Query) error {
	c := &checker{info: info, errs: &errorList{}, scope: newScope(info.global), query: true, work: maxSteps, pure: "a query", where: "query"}
	if q.Pos.Where != "" {
		c.where = q.Pos.Where
	}
	switch q.Op {
	case Always, Possibly, PotentiallyAlway, Eventually, LeadsTo:
	case Supremum, Infimum, Bounds:
		for _, e := range q.Of {
			if t := c.expr(e); t != nil && !integral(t) {
				c.errorf(e.Position(), "what %s measures must be an integer, found %v", q.Op, t)
			}
		}
	default:
		c.errorf(q.Pos, "unknown path operator %q", q.Op)
	}
	if (len(q.Of) > 0) != q.Op.Measures() {
		c.errorf(q.Pos, "a query measures something if and only if it begins with sup, inf or bounds")
	}
	if (q.Y != nil) != (q.Op == LeadsTo) {
		c.errorf(q.Pos, "a query has two formulas if and only if it is p --> q")
	}
	if q.X != nil || !q.Op.Measures() {
		c.condition(q.X, "a query")
	}
	if q.Y != nil {
		c.condition(q.Y, "a query")
	}
	for _, e := range append([]Expr{q.X, q.Y}, q.Of...) {
		Inspect(e, func(e Expr) {
			switch e := e.(type) {
			case *Deadlock:
				if q.Op != Always && q.Op != Possibly {
					c.errorf(e.Pos, "deadlock can stand in A[] and E<> queries only")
				}
				if info.HasPriorities() {
					c.errorf(e.Pos, "deadlock cannot be used in a model with priorities")
				}
			case *Stuck:
				if q.Op != Always && q.Op != Possibly {
					c.errorf(e.Pos, "stuck can stand in A[] and E<> queries only")
				}
			}
		})
	}
	return c.errs.err()
}

// HasPriorities reports whether the network declares channel or process
// priorities.
func (info *Info) HasPriorities() bool {
	if info.Priorities != nil {
		return true
	}
	for _, below := range info.Network.System.Below {
		if below {
			return true
		}
	}
	return false
}

// processName gives the name that a process expression begins with.
func processName(e Expr) *Ident {
	switch e := e.(type) {
	case *Ident:
		return e
	case *Call:
		return e.Fun
	}
	return nil
}

// isProcess reports whether an expression of a query names a process, rightly
// or not: its name is that of a template or instance.
func (c *checker) isProcess(e Expr) bool {
	id := processName(e)
	if id == nil || !c.query {
		return false
	}
	switch c.scope.lookup(id.Name).(type) {
	case *Template, *instance:
		return true
	}
	return false
}

// process checks a process expression and reports whether it is one; other
// errors in it are reported.
func (c *checker) process(e Expr) bool {
	if !c.isProcess(e) {
		return false
	}
	c.processSet(e)
	return true
}

// setOf gives the processes that a process expression, once checked, can
// denote: the one that it does or those of a set. It is nil for a wrong one.
func (c *checker) setOf(e Expr) *ProcessSet {
	if p := c.info.ProcessOf[e]; p != nil {
		return &ProcessSet{Processes: []*Process{p}}
	}
	set, _ := c.info.Uses[processName(e)].(*ProcessSet)
	return set
}

// Function gives the function that a template declares under a name, or nil.
func (info *Info) Function(t *Template, name string) *Func {
	for _, d := range t.Decls {
		if f, ok := d.(*FuncDecl); ok && f.Name == name {
			return info.Funcs[f]
		}
	}
	return nil
}

// processSet checks a process expression and gives the processes that it can
// denote, or nil after an error.
func (c *checker) processSet(e Expr) *ProcessSet {
	id := processName(e)
	set := c.info.sets[id.Name]
	if set == nil {
		c.errorf(id.Pos, "%s is not in the system line", id.Name)
		return nil
	}
	var args []Expr
	if call, ok := e.(*Call); ok {
		args = call.Args
	}
	if len(args) != len(set.Params) {
		c.errorf(id.Pos, "process %s has %d free parameters, found %d arguments", id.Name, len(set.Params), len(args))
		return nil
	}
	if _, ok := e.(*Ident); ok {
		p := set.Processes[0]
		c.info.ProcessOf[e] = p
		c.info.Uses[id] = p
		return set
	}
	c.info.Uses[id] = set
	values := make([]int32, len(args))
	known := true
	for i, a := range args {
		t := c.expr(a)
		if t == nil {
			return nil
		}
		if want := set.Params[i].Type; !assignable(want, t) {
			// A scalar is named by its number in a query.
			_, scalar := want.(*Scalar)
			if !scalar || !integral(t) {
				c.errorf(a.Position(), "%v cannot be passed for parameter %s of type %v", t, set.Params[i].Name, want)
				return nil
			}
		}
		ev := c.evaluator(nil)
		v, no := ev.int(a)
		known = known && no == nil
		values[i] = v
	}
	if !known {
		return set
	}
	p := set.At(values)
	if p == nil {
		c.errorf(id.Pos, "there is no process %s", ExprString(e))
		return nil
	}
	c.info.ProcessOf[e] = p
	return set
}

// ProcessSets gives what the names of the system line stand for, in its order:
// a name without free parameters stands for one process.
func (info *Info) ProcessSets() []*ProcessSet {
	var list []*ProcessSet
	for _, id := range info.Network.System.Names {
		if set := info.sets[id.Name]; set != nil {
			list = append(list, set)
		}
	}
	return list
}

// At gives the process for values of the free parameters, or nil if they are
// out of range.
func (s *ProcessSet) At(values []int32) *Process {
	if len(values) != len(s.Params) {
		return nil
	}
	at := int64(0)
	for i, p := range s.Params {
		lo, hi, _ := Range(p.Type)
		if values[i] < lo || values[i] > hi {
			return nil
		}
		at = at*(int64(hi)-int64(lo)+1) + int64(values[i]) - int64(lo)
	}
	if at >= int64(len(s.Processes)) {
		return nil
	}
	return s.Processes[at]
}

// member checks P.x.
func (c *checker) member(e *Field) Type {
	set := c.processSet(e.X)
	if set == nil {
		return nil
	}
	p := c.info.ProcessOf[e.X]
	if p == nil {
		p = set.Processes[0]
	}
	o := c.info.Member(p, e.Name)
	switch o := o.(type) {
	case LocationIndex:
		c.info.Members[e] = o
		return Int{0, int32(max(len(p.Template.Locations), 1) - 1)}
	case *Location:
		c.info.Members[e] = o
		return Bool{}
	case *Var:
		c.info.Members[e] = o
		if hasChan(o.Type) {
			c.errorf(e.Pos, "%s is a channel", ExprString(e))
			return nil
		}
		return o.Type
	}
	c.errorf(e.Pos, "process %s has no location, variable or parameter %s", processName(e.X).Name, e.Name)
	return nil
}

// Member gives the location, variable or parameter of a process that a query
// calls name, or nil. An anonymous location has the name "_" and its ID;
// "location" is the LocationIndex.
func (info *Info) Member(p *Process, name string) Object {
	if name == "location" {
		return LocationIndex{}
	}
	for _, l := range p.Template.Locations {
		if l.QueryName() == name && (l.Name != "" || l.ID != "") {
			return l
		}
	}
	for _, list := range [][]*Var{info.Params[p.Template], info.Locals[p.Template]} {
		for _, v := range list {
			if v.Name == name {
				return v
			}
		}
	}
	return nil
}
