package emission

import (
	"fmt"
	"strconv"

	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// namer gives variables, cells, pools and channels their names in the model.
type namer struct {
	templates []*state.Template
	written   int // expressions spelled
	taken     map[string]bool
	vars      map[*state.Variable]string
	cells     map[*state.Cell]string
	msgs      int32 // how many hand-over variables are used
	args      int32
	temps     int
	pools     map[*state.Pool]string
	chans     map[string]bool
	order     []string // channels in order of first use
	current   *state.Template
	guard     bool              // a guard is being spelled
	news      []state.NewObject // of the update being spelled
	newVars   int
}

// ownNames are those that every model may have besides the names of the program.
var ownNames = map[string]bool{
	"ended": true, "slot": true, "msg": true, "arg": true, "tmp": true,
	"val_t": true, "hash_t": true, "hash32": true, "hash_path": true, // of package disallow
}

// reserved reports whether nothing of the program may have this name in the model.
func reserved(name string) bool { return ownNames[name] || uppaal.IsReserved(name) }

// unique makes a name that nothing else has.
func (n *namer) unique(s string) string {
	if s == "" || s[0] >= '0' && s[0] <= '9' || s[0] == '_' {
		s = "v" + s
	}
	if len(s) > 80 {
		s = s[:80]
	}
	name := s
	if reserved(name) {
		name = s + "_"
	}
	for i := 2; n.taken[name]; i++ {
		name = s + "_" + strconv.Itoa(i)
	}
	n.taken[name] = true
	return name
}

func (n *namer) variable(v *state.Variable) uppaal.Expr {
	name := n.vars[v]
	if name == "" {
		name = n.unique(v.Name)
		n.vars[v] = name
	}
	id := &uppaal.Ident{Name: name}
	if v.Ref && v.Template.Slots > 1 {
		return &uppaal.Index{X: id, I: &uppaal.Ident{Name: "slot"}}
	}
	return id
}

func (n *namer) cell(c *state.Cell) uppaal.Expr {
	name := n.cells[c]
	if name == "" {
		name = n.unique(c.Name)
		n.cells[c] = name
	}
	return &uppaal.Ident{Name: name}
}

// self is the number of the process of the template that is being spelled.
func (n *namer) self() uppaal.Expr {
	base := int32(1)
	for _, t := range n.templates {
		if t == n.current {
			break
		}
		base += int32(t.Slots)
	}
	if n.current.Slots > 1 {
		return &uppaal.Binary{Op: uppaal.OpAdd, X: literal(base), Y: &uppaal.Ident{Name: "slot"}}
	}
	return literal(base)
}

func (n *namer) message(k int32) string {
	n.msgs = max(n.msgs, k+1)
	return fmt.Sprintf("msg_%d", k)
}

func (n *namer) argument(k int32) string {
	n.args = max(n.args, k+1)
	return fmt.Sprintf("arg_%d", k)
}

// allocate spells the address of the k-th free object of a pool, 0 if there is
// none.
func (n *namer) allocate(p *state.Pool, k int32) uppaal.Expr {
	name := n.pools[p]
	if name == "" {
		name = n.unique(p.Name + "_alloc")
		n.pools[p] = name
	}
	return &uppaal.Call{Fun: &uppaal.Ident{Name: name}, Args: []uppaal.Expr{&uppaal.IntLit{Value: k}}}
}

// allocated spells the same in an update, where the address is found before
// anything else is changed.
func (n *namer) allocated(p *state.Pool, k int32) uppaal.Expr {
	if n.guard {
		return n.allocate(p, k)
	}
	for i, a := range n.news {
		if a.Pool == p && a.K == k {
			return &uppaal.Ident{Name: fmt.Sprintf("new_%d", i)}
		}
	}
	n.news = append(n.news, state.NewObject{Pool: p, K: k})
	n.newVars = max(n.newVars, len(n.news))
	return &uppaal.Ident{Name: fmt.Sprintf("new_%d", len(n.news)-1)}
}

func (n *namer) channel(s *state.Sync) uppaal.Expr {
	var name string
	if s.Template != nil {
		name = "go_" + s.Template.ModelName
	} else {
		name = s.Name + "_" + s.Object.ModelName
	}
	if !n.chans[name] {
		n.chans[name] = true
		n.order = append(n.order, name)
	}
	id := &uppaal.Ident{Name: name}
	if s.Template != nil && s.Template.Slots > 1 {
		i := uppaal.Expr(&uppaal.Ident{Name: "slot"})
		if !s.Birth {
			i = &uppaal.Call{Fun: &uppaal.Ident{Name: "idle_" + s.Template.ModelName}}
		}
		return &uppaal.Index{X: id, I: i}
	}
	return id
}
