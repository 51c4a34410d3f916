package check

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/internal/uppaal"
)

var collectShapes = flag.Bool("collect-shapes", false, "translate the programs of the table and write testdata/shapes.txt, in TestShapes")

// The shape of an edge, or of a location, is what reductions look at: which sorts
// of conditions an edge has, on variables of its own or on shared ones, which sorts
// of changes it makes, whether it synchronises, and which such edges leave the
// same location.

// shapes collects those of a network.
type shapes struct {
	info *uppaal.Info
	// own are the variables that a single process mentions.
	own   map[*uppaal.Var]bool
	named map[string]bool // locations that formulas mention
	found map[string]bool
}

// shapesOf lists the shapes in a network with queries.
func shapesOf(info *uppaal.Info, formulas []uppaal.Expr) map[string]bool {
	s := &shapes{info: info, own: map[*uppaal.Var]bool{}, named: map[string]bool{}, found: map[string]bool{}}
	templates := map[*uppaal.Template]int{}
	for _, p := range info.Processes {
		templates[p.Template]++
	}
	users := map[*uppaal.Var]int{}
	for t, n := range templates {
		seen := map[*uppaal.Var]bool{}
		for _, e := range t.Edges {
			s.inspect(e, func(x uppaal.Expr) {
				if id, ok := x.(*uppaal.Ident); ok {
					if v, ok := info.Uses[id].(*uppaal.Var); ok && !seen[v] {
						seen[v] = true
						if users[v] += n; v.Kind == uppaal.LocalVar {
							users[v] = 1
						}
					}
				}
			})
		}
	}
	for v, n := range users {
		s.own[v] = n == 1
	}
	for _, f := range formulas {
		uppaal.Inspect(f, func(x uppaal.Expr) {
			if m, ok := x.(*uppaal.Field); ok {
				if p := info.ProcessOf[m.X]; p != nil {
					s.named[p.Template.Name+"."+m.Name] = true
				}
			}
		})
	}
	for t := range templates {
		for _, l := range t.Locations {
			s.location(t, l)
		}
	}
	return s.found
}

func (s *shapes) inspect(e *uppaal.Edge, f func(uppaal.Expr)) {
	uppaal.Inspect(e.Guard, f)
	if e.Sync != nil {
		uppaal.Inspect(e.Sync.Chan, f)
	}
	for _, u := range e.Update {
		uppaal.Inspect(u, f)
	}
}

// location adds the shapes of a location and its edges: each condition and each
// change with the sort of synchronisation, two conditions, or a condition and a
// change, of one edge, and two conditions of two edges.
func (s *shapes) location(t *uppaal.Template, l *uppaal.Location) {
	var ways [][]string
	for _, e := range t.Edges {
		if e.From != l {
			continue
		}
		sync, guard, update := s.sync(e), s.guard(e), s.update(e)
		for i, x := range guard {
			for _, y := range guard[:i] {
				s.found[sync+" if "+y+" and "+x] = true
			}
			for _, y := range update {
				s.found[sync+" if "+x+" then "+y] = true
			}
		}
		for i, y := range update {
			s.found[sync+" then "+y] = true
			for _, x := range update[:i] {
				s.found[sync+" then "+x+" and "+y] = true
			}
		}
		if e.To == l {
			s.found[sync+" in a loop"] = true
		}
		if e.To.Urgency == uppaal.Committed {
			s.found[sync+" into a committed location"] = true
		}
		var list []string
		for _, x := range guard {
			list = append(list, sync+" if "+x)
		}
		if len(guard) == 0 {
			list = append(list, sync)
		}
		ways = append(ways, list)
	}
	kind := "location unwatched"
	if s.named[t.Name+"."+l.Name] {
		kind = "location watched"
	}
	if l.Urgency == uppaal.Committed {
		kind += ", committed"
	}
	s.found[fmt.Sprintf("%s, %d edges", kind, min(len(ways), 4))] = true
	for i, x := range ways {
		for _, y := range ways[:i] {
			for _, a := range x {
				for _, b := range y {
					s.found[min(a, b)+" or "+max(a, b)] = true
				}
			}
		}
	}
}

func (s *shapes) sync(e *uppaal.Edge) string {
	if e.Sync == nil {
		return "internal"
	}
	name := "send"
	if e.Sync.Dir == uppaal.Receive {
		name = "receive"
	}
	if x, ok := e.Sync.Chan.(*uppaal.Index); ok {
		name += " over an element"
		if _, ok := x.I.(*uppaal.Call); ok {
			name += " that a function chooses"
		}
	}
	return name
}

// guard lists the sorts of conditions of an edge.
func (s *shapes) guard(e *uppaal.Edge) []string {
	var list []string
	if e.Guard != nil {
		for _, x := range conjuncts(e.Guard) {
			list = append(list, s.condition(x))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (s *shapes) condition(e uppaal.Expr) string {
	own, vars, call := true, 0, false
	uppaal.Inspect(e, func(x uppaal.Expr) {
		switch x := x.(type) {
		case *uppaal.Ident:
			if v, ok := s.info.Uses[x].(*uppaal.Var); ok && !v.Const {
				vars++
				own = own && s.own[v]
			}
		case *uppaal.Call:
			call = true
		}
	})
	switch {
	case call:
		return "function"
	case own:
		return "own"
	}
	if b, ok := e.(*uppaal.Binary); ok && vars == 1 {
		op := b.Op
		if isVariable(b.Y) {
			op = swapped(op)
		} else if !isVariable(b.X) {
			return "formula"
		}
		switch op {
		case uppaal.OpLt, uppaal.OpLe:
			return "below"
		case uppaal.OpGt, uppaal.OpGe:
			return "above"
		case uppaal.OpEq:
			return "equal"
		case uppaal.OpNe:
			return "differs"
		}
	}
	if isVariable(e) {
		return "flag"
	}
	if u, ok := e.(*uppaal.Unary); ok && isVariable(u.X) {
		return "flag"
	}
	return "formula"
}

func isVariable(e uppaal.Expr) bool {
	switch e.(type) {
	case *uppaal.Ident, *uppaal.Index:
		return true
	}
	return false
}

func swapped(op uppaal.Op) uppaal.Op {
	switch op {
	case uppaal.OpLt:
		return uppaal.OpGt
	case uppaal.OpLe:
		return uppaal.OpGe
	case uppaal.OpGt:
		return uppaal.OpLt
	case uppaal.OpGe:
		return uppaal.OpLe
	}
	return op
}

// update lists the sorts of changes that an edge makes.
func (s *shapes) update(e *uppaal.Edge) []string {
	var list []string
	for _, u := range e.Update {
		list = append(list, s.change(u))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (s *shapes) change(u uppaal.Expr) string {
	a, ok := u.(*uppaal.Assign)
	if !ok {
		return "function"
	}
	meta, call := false, false
	uppaal.Inspect(a.R, func(x uppaal.Expr) {
		switch x := x.(type) {
		case *uppaal.Ident:
			v, ok := s.info.Uses[x].(*uppaal.Var)
			meta = meta || ok && v.Meta
		case *uppaal.Call:
			call = true
		}
	})
	var to *uppaal.Var
	uppaal.Inspect(a.L, func(x uppaal.Expr) {
		if id, ok := x.(*uppaal.Ident); ok && to == nil {
			to, _ = s.info.Uses[id].(*uppaal.Var)
		}
	})
	switch {
	case to != nil && to.Meta:
		return "message"
	case call:
		return "function"
	case meta:
		return "from message"
	case to != nil && s.own[to]:
		return "own"
	}
	switch r := a.R.(type) {
	case *uppaal.IntLit, *uppaal.BoolLit:
		return "constant"
	case *uppaal.Cond:
		return "choice"
	case *uppaal.Binary:
		_, k := r.Y.(*uppaal.IntLit)
		if k && uppaal.ExprString(r.X) == uppaal.ExprString(a.L) {
			switch r.Op {
			case uppaal.OpAdd:
				return "increment"
			case uppaal.OpSub:
				return "decrement"
			}
		}
	}
	if isVariable(a.R) {
		return "copy"
	}
	return "formula"
}

const shapesFile = "testdata/shapes.txt"

// TestShapes: the random networks have every shape that the models of the programs
// of the table have. What the reductions are tested on is then no less than what
// they are used on.
func TestShapes(t *testing.T) {
	if testing.Short() {
		t.Skip("a thousand networks, one after the other")
	}
	if *collectShapes {
		all := slices.Sorted(maps.Keys(translatedShapes(t)))
		require.NoError(t, os.WriteFile(shapesFile, []byte(strings.Join(all, "\n")+"\n"), 0o644))
	}
	text, err := os.ReadFile(shapesFile)
	require.NoError(t, err)
	const sample, least = 1000, 2
	counts := map[string]int{}
	for seed := range uint64(sample) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 11))}
		_, info := generated(t, g.goroutines())
		for s := range shapesOf(info, formulasOf(t, info, g.asked(info))) {
			counts[s]++
		}
	}
	var rare []string
	for s := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n") {
		if counts[s] < least {
			rare = append(rare, fmt.Sprintf("%d times: %s", counts[s], s))
		}
	}
	require.Empty(t, rare, strings.Join(rare, "\n"))
}

func formulasOf(t *testing.T, info *uppaal.Info, text []string) []uppaal.Expr {
	var list []uppaal.Expr
	for _, q := range queries(t, text...) {
		require.NoError(t, info.CheckQuery(q))
		list = append(list, q.X)
	}
	return list
}

// translatedShapes are those of the models of the programs of the table: with all
// queries, and as a second pass searches them, with hashes of paths.
func translatedShapes(t *testing.T) map[string]bool {
	ctx := context.Background()
	set, err := source.LoadSet(ctx, source.Spec{Dir: "../translate/testdata/verdicts", Pattern: "./...", Deps: []string{"golang.org/x/sync/..."}})
	require.NoError(t, err)
	all, models := map[string]bool{}, 0
	for _, e := range set.Entries() {
		prog, err := set.Program(e)
		require.NoError(t, err)
		var packages []sites.Package
		for _, p := range prog.Packages {
			packages = append(packages, sites.Package{Path: p.PkgPath, Files: p.Syntax, Types: p.Types, Info: p.TypesInfo})
		}
		idx := sites.Number(prog.Fset, prog.Rel, packages, prog.Func)
		for _, how := range []translate.Options{{}, {Proto: true, Hash: true}} {
			m, err := translate.Translate(ctx, prog, idx, how)
			if err != nil {
				continue // some programs are there to be refused
			}
			models++
			info, err := uppaal.Check(m.Network)
			require.NoError(t, err)
			var text []string
			for _, q := range m.Queries {
				text = append(text, q.Formula)
			}
			maps.Copy(all, shapesOf(info, formulasOf(t, info, text)))
		}
	}
	t.Logf("%d models have %d shapes", models, len(all))
	return all
}
