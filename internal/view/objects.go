package view

import (
	"regexp"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// cellForms say by the names of variables of a model which belong to an object of a kind, and
// what of it they are. The names are those that package translate gives; a number behind them
// tells objects apart that have one name.
var cellForms = []struct {
	kind string
	name *regexp.Regexp
}{
	{Mutex, regexp.MustCompile(`^(.+)_(locked)(_\d+)?$`)},
	{RWMutex, regexp.MustCompile(`^(.+)_(held|pending|readers)(_\d+)?$`)},
	{WaitGroup, regexp.MustCompile(`^(.+)_(count)(_\d+)?$`)},
	{Channel, regexp.MustCompile(`^(.+)_(closed|senders|receivers)(_\d+)?$`)},
	{Channel, regexp.MustCompile(`^(ch.+|[a-z]+_\d+)_(len|msg\d+|buf\d+_\d+|armed)(_\d+)?$`)},
	{Once, regexp.MustCompile(`^(.+)_(state)(_\d+)?$`)},
	{Condition, regexp.MustCompile(`^(.+)_(waiter\d+)(_\d+)?$`)},
}

// rendezvous is the name of a channel of the model on which two goroutines meet.
var rendezvous = regexp.MustCompile(`^(?:rv|qs|sq)_(.+)$`)

// kinds are the objects that have cells, as the page calls them.
var kinds = map[sites.Object]string{
	sites.Mutex: Mutex, sites.RWMutex: RWMutex, sites.WaitGroup: WaitGroup, sites.Channel: Channel, sites.Once: Once, sites.Cond: Condition,
}

// objectKinds are the kinds of objects that an operation can work on.
func objectKinds(operation string) (list []string) {
	kind := sites.Named(operation)
	if kind == sites.OnceFunc {
		return nil // what it works on is not in the program
	}
	for _, o := range kind.Objects() {
		if name, ok := kinds[o]; ok {
			list = append(list, name)
		}
	}
	return list
}

// cell is a variable of the model that belongs to an object.
type cell struct {
	object int
	what   string // as "locked"
}

// effect is what an edge does to an object.
type effect struct {
	cell
	// value is what is assigned, if that is a number, and delta what is added.
	value, delta int
	known        bool // value is set
}

// edgeObjects is what an edge has to do with objects.
type edgeObjects struct {
	effects []effect
	// objects are those it works on: the ones that it changes first.
	objects []int
	// meets is the channel on which two goroutines meet, -1 if they do not, and sends who sends.
	meets int
	sends bool
	// message is what it sends, as far as that is a number.
	message string
}

// objectTable has the objects of a model, found by the operations on them.
type objectTable struct {
	objects []Object
	byName  map[[2]string]int // by kind and name
	cells   map[string]cell   // by the variable
	edges   [][]edgeObjects   // by template
}

// objectsOf finds the objects of a model.
func objectsOf(side *artifact.Sidecar, net *uppaal.Network) *objectTable {
	t := &objectTable{byName: map[[2]string]int{}, cells: map[string]cell{}}
	for i, template := range net.Templates {
		var edges []edgeObjects
		for k, e := range template.Edges {
			site, _ := side.Site(side.Templates[i].Edges[k].Site)
			edges = append(edges, t.edge(e, objectKinds(site.Kind)))
		}
		t.edges = append(t.edges, edges)
	}
	for _, d := range net.Decls {
		if v, ok := d.(*uppaal.VarDecl); ok {
			t.declared(v)
		}
	}
	return t
}

// declared takes a variable that is known to be of an object, and what its type says of that.
func (t *objectTable) declared(v *uppaal.VarDecl) {
	for _, form := range cellForms {
		m := form.name.FindStringSubmatch(v.Name)
		if m == nil {
			continue
		}
		if o, ok := t.byName[[2]string{form.kind, m[1] + m[3]}]; ok {
			t.cells[v.Name] = cell{o, m[2]}
			if hi, ok := v.Type.Hi.(*uppaal.IntLit); ok && m[2] == "len" {
				t.objects[o].Cap = int(hi.Value)
			}
			return
		}
	}
}

// edge is what an edge has to do with objects of some kinds.
func (t *objectTable) edge(e *uppaal.Edge, kinds []string) edgeObjects {
	out := edgeObjects{meets: -1}
	add := func(object int) {
		switch {
		case slices.Contains(out.objects, object):
		case len(kinds) > 0 && t.objects[object].Kind == kinds[0] && kinds[0] == Condition:
			out.objects = slices.Insert(out.objects, 0, object) // before its lock
		default:
			out.objects = append(out.objects, object)
		}
	}
	for _, x := range e.Update {
		a, ok := x.(*uppaal.Assign)
		if !ok {
			continue
		}
		id, ok := a.L.(*uppaal.Ident)
		if !ok {
			continue
		}
		if n, ok := a.R.(*uppaal.IntLit); ok && id.Name == "msg_0" {
			out.message = uppaal.ExprString(n)
		}
		if c, ok := t.cell(id.Name, kinds); ok {
			out.effects = append(out.effects, effectOf(c, id.Name, a.R))
			add(c.object)
		}
	}
	if e.Sync != nil {
		if m := rendezvous.FindStringSubmatch(channelName(e.Sync.Chan)); m != nil && slices.Contains(kinds, Channel) {
			out.meets, out.sends = t.object(Channel, m[1]), e.Sync.Dir == uppaal.Send
			add(out.meets)
		}
	}
	if e.Guard != nil {
		uppaal.Inspect(e.Guard, func(x uppaal.Expr) {
			if id, ok := x.(*uppaal.Ident); ok {
				if c, ok := t.cell(id.Name, kinds); ok {
					add(c.object)
				}
			}
		})
	}
	return out
}

// channelName is the name of a channel of the model, or of the array that it is in.
func channelName(x uppaal.Expr) string {
	if i, ok := x.(*uppaal.Index); ok {
		x = i.X
	}
	if id, ok := x.(*uppaal.Ident); ok {
		return id.Name
	}
	return ""
}

// effectOf is what an assignment to a variable does.
func effectOf(c cell, name string, to uppaal.Expr) effect {
	e := effect{cell: c}
	switch x := to.(type) {
	case *uppaal.IntLit:
		e.value, e.known = int(x.Value), true
	case *uppaal.Binary:
		id, ofIt := x.X.(*uppaal.Ident)
		n, number := x.Y.(*uppaal.IntLit)
		if ofIt && number && id.Name == name {
			switch x.Op {
			case uppaal.OpAdd:
				e.delta = int(n.Value)
			case uppaal.OpSub:
				e.delta = -int(n.Value)
			}
		}
	}
	return e
}

// cell is what a variable is of an object of some kinds.
func (t *objectTable) cell(name string, kinds []string) (cell, bool) {
	if c, ok := t.cells[name]; ok {
		return c, slices.Contains(kinds, t.objects[c.object].Kind)
	}
	for _, form := range cellForms {
		if m := form.name.FindStringSubmatch(name); m != nil && slices.Contains(kinds, form.kind) {
			c := cell{t.object(form.kind, m[1]+m[3]), m[2]}
			t.cells[name] = c
			return c, true
		}
	}
	return cell{}, false
}

// object is the number of an object.
func (t *objectTable) object(kind, name string) int {
	key := [2]string{kind, name}
	if i, ok := t.byName[key]; ok {
		return i
	}
	t.byName[key] = len(t.objects)
	t.objects = append(t.objects, Object{Name: name, Kind: kind})
	return len(t.objects) - 1
}

// bookkeeping are variables of a model that are none of the program.
func bookkeeping(name string) bool {
	for _, prefix := range []string{"busy_", "msg_", "arg_", "new_", "hash_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return slices.Contains([]string{"ended", "slot", "msg", "arg", "tmp"}, name)
}
