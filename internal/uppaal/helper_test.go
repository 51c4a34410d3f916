package uppaal

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// clearPos zeroes every position in a tree.
func clearPos(tree any) {
	seen := map[uintptr]bool{}
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if v.IsNil() || seen[v.Pointer()] {
				return
			}
			seen[v.Pointer()] = true
			walk(v.Elem())
		case reflect.Interface:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			if v.Type() == reflect.TypeFor[Pos]() {
				if v.CanSet() {
					v.SetZero()
				}
				return
			}
			for i := range v.NumField() {
				walk(v.Field(i))
			}
		}
	}
	walk(reflect.ValueOf(tree))
}

func mustExpr(t testing.TB, text string) Expr {
	t.Helper()
	e, err := ParseExpr(text)
	require.NoError(t, err, text)
	clearPos(e)
	return e
}

func mustDecls(t testing.TB, text string) []Decl {
	t.Helper()
	ds, err := ParseDecls(text)
	require.NoError(t, err, text)
	return ds
}

func mustQuery(t testing.TB, text string) *Query {
	t.Helper()
	q, err := ParseQuery(text)
	require.NoError(t, err, text)
	return q
}

// model builds a network from texts. Each template has a location L, the
// initial one, a location "done", and one edge from L to L for every entry of
// edges: select; guard; sync; update.
type model struct {
	decls     string
	templates []templateText
	system    string
}

type templateText struct {
	name, params, decls, invariant string
	edges                          [][4]string
}

func (m model) build(t testing.TB) *Network {
	t.Helper()
	n := &Network{Decls: mustDecls(t, m.decls)}
	for _, tt := range m.templates {
		n.Templates = append(n.Templates, tt.build(t))
	}
	var err error
	n.Instances, n.System, n.Progress, err = ParseSystem(m.system)
	require.NoError(t, err)
	return n
}

func (tt templateText) build(t testing.TB) *Template {
	t.Helper()
	ps, err := ParseParams(tt.params)
	require.NoError(t, err)
	l := &Location{Name: "L", ID: tt.name + "0"}
	done := &Location{Name: "done", ID: tt.name + "1"}
	tpl := &Template{Name: tt.name, Params: ps, Decls: mustDecls(t, tt.decls), Locations: []*Location{l, done}, Init: l}
	if tt.invariant != "" {
		l.Invariant, err = ParseExpr(tt.invariant)
		require.NoError(t, err)
	}
	for _, text := range tt.edges {
		e := &Edge{From: l, To: l}
		e.Select, err = ParseSelect(text[0])
		require.NoError(t, err)
		if text[1] != "" {
			e.Guard, err = ParseExpr(text[1])
			require.NoError(t, err)
		}
		if text[2] != "" {
			e.Sync, err = ParseSync(text[2])
			require.NoError(t, err)
		}
		e.Update, err = ParseUpdate(text[3])
		require.NoError(t, err)
		tpl.Edges = append(tpl.Edges, e)
	}
	return tpl
}
