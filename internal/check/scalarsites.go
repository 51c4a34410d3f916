package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// A site is an orbit under construction: variables of the same name in the
// same place of their types, with all indices from scalar types left out.
type site struct {
	sets    []int32
	value   int32
	members []int32 // cells or channels, row by row; -1: missing
}

type sitePlace struct {
	site *site
	at   []int32
}

// sitesOf finds the places of all cells and channels.
func (b *symmetrizer) sitesOf() {
	b.sites, b.names = map[string]*site{}, nil
	b.cells, b.channels = map[int32]sitePlace{}, map[int32]sitePlace{}
	b.procAt = map[int32]int{}
	for i, p := range b.p.procs {
		b.procAt[p.loc] = i
	}
	b.moved = make([][]bool, len(b.sets))
	for k := range b.moved {
		b.moved[k] = make([]bool, len(b.p.procs))
	}
	for i, v := range b.info.Globals {
		b.variable(b.globals[v], v, fmt.Sprint("global ", i), nil, nil)
	}
	for k, set := range b.info.ProcessSets() {
		for _, p := range set.Processes {
			i := b.processIndex[p]
			var sets, at []int32
			var name strings.Builder
			fmt.Fprint(&name, "process ", k)
			values := b.freeValues(set, p)
			for d, v := range set.Params {
				if s := b.set(v.Type); s >= 0 {
					b.moved[s][i] = true
					sets, at = append(sets, s), append(at, values[d])
				} else {
					fmt.Fprint(&name, ",", values[d])
				}
			}
			b.place(b.cells, b.p.procs[i].loc, name.String()+".", sets, at, -1)
			for j, a := range p.Args {
				if a.Ref == nil {
					b.variable(b.locals[i][a.Param], a.Param, fmt.Sprint(name.String(), " param ", j), sets, at)
				}
			}
			for j, v := range b.info.Locals[p.Template] {
				b.variable(b.locals[i][v], v, fmt.Sprint(name.String(), " local ", j), sets, at)
			}
		}
	}
}

// freeValues are the values of the free parameters of a process of a set.
func (b *symmetrizer) freeValues(set *uppaal.ProcessSet, p *uppaal.Process) []int32 {
	k := slices.Index(set.Processes, p)
	values := make([]int32, len(set.Params))
	for d := len(values) - 1; d >= 0; d-- {
		lo, hi, _ := uppaal.Range(set.Params[d].Type)
		n := int(hi) - int(lo) + 1
		values[d] = lo + int32(k%n)
		k /= n
	}
	return values
}

// variable finds the places of a variable.
func (b *symmetrizer) variable(base int32, v *uppaal.Var, name string, sets, at []int32) {
	places := b.cells
	if _, ok := hasChannels(v.Type); ok {
		places, name = b.channels, name+" channel"
	}
	b.leaves(v.Type, name, sets, at, func(name string, sets, at []int32, value int32) {
		b.place(places, base, name, sets, at, value)
		base++
	})
}

// leaves calls f for every cell of a type, in order, with its place.
func (b *symmetrizer) leaves(t uppaal.Type, name string, sets, at []int32, f func(name string, sets, at []int32, value int32)) {
	switch t := t.(type) {
	case *uppaal.Array:
		s := int32(-1)
		if t.Scalar != nil {
			s = b.set(t.Scalar)
		}
		for i := range int32(t.Len()) {
			if b.tooMany {
				return
			}
			if s >= 0 {
				b.leaves(t.Elem, name+"[]", append(slices.Clip(sets), s), append(slices.Clip(at), i), f)
			} else {
				b.leaves(t.Elem, fmt.Sprintf("%s[%d]", name, i), sets, at, f)
			}
		}
	case *uppaal.Struct:
		for i, field := range t.Fields {
			b.leaves(field.Type, fmt.Sprintf("%s.%d", name, i), sets, at, f)
		}
	default:
		f(name, sets, at, b.set(t))
	}
}

// place notes the place of a cell or channel.
func (b *symmetrizer) place(places map[int32]sitePlace, x int32, name string, sets, at []int32, value int32) {
	if len(places) > maxOrbitCells {
		b.tooMany = true
		return
	}
	s := b.sites[name]
	if s == nil {
		size := 1
		for _, k := range sets {
			if size *= int(b.sets[k].Size); size > maxOrbitCells {
				b.tooMany = true
				return
			}
		}
		s = &site{sets: sets, value: value, members: slices.Repeat([]int32{-1}, size)}
		b.sites[name] = s
		b.names = append(b.names, name)
	}
	s.members[b.row(s, at)] = x
	places[x] = sitePlace{s, at}
}

// row is the index of a member of a site.
func (b *symmetrizer) row(s *site, at []int32) (i int32) {
	for d, k := range s.sets {
		i = i*b.sets[k].Size + at[d]
	}
	return i
}

// image is what a cell or channel becomes when the values of set k get new
// names; -1 if there is none.
func (b *symmetrizer) image(places map[int32]sitePlace, x int32, k int, to []int32) int32 {
	p, ok := places[x]
	if !ok {
		return -1
	}
	return p.site.members[b.row(p.site, rename(p.site.sets, p.at, k, to))]
}

// rename gives the indices of a place with new names of the values of set k.
func rename(sets, at []int32, k int, to []int32) []int32 {
	at = slices.Clone(at)
	for d, s := range sets {
		if s == int32(k) {
			at[d] = to[at[d]]
		}
	}
	return at
}
