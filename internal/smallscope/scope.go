package smallscope

import (
	"bytes"
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strconv"

	"github.com/vtrace/vtrace/internal/source"
)

// Number is a number that a scope has smaller.
type Number struct {
	From, To int64
	// At are the places where it is written.
	At []token.Position
}

// Scope is a program with smaller numbers.
type Scope struct {
	// Numbers are those that are smaller, by From.
	Numbers []Number
	// Files are the files that differ from the program's, by absolute name.
	Files map[string][]byte
}

// Family are scopes of one way to make numbers smaller, the smallest first.
type Family []Scope

// most bounds the numbers of a scope: with greater ones it would be no small one.
const most = 12

// Families are the ways to make the numbers of a program smaller, that which keeps most of its sense first; none
// if nothing in it counts so far.
func Families(prog *source.Program) ([]Family, error) {
	n := find(prog)
	var out []Family
	known := map[string]bool{}
	for _, way := range []func(rounds int64) map[int64]int64{
		func(rounds int64) map[int64]int64 { return n.ranked(rounds, n.counts(fewest), false) },
		func(rounds int64) map[int64]int64 { return n.ranked(rounds, n.counts(fewest), true) },
		func(rounds int64) map[int64]int64 { return n.ranked(rounds, from(n.loops, fewest), false) },
		n.proportional,
		n.fewGoroutines,
	} {
		var f Family
		for _, rounds := range []int64{2, 3} {
			to := way(rounds)
			if key := fmt.Sprint(to); len(to) > 0 && !known[key] {
				known[key] = true
				s, err := n.with(to)
				if err != nil {
					return nil, err
				}
				f = append(f, s)
			}
		}
		if len(f) > 0 {
			out = append(out, f)
		}
	}
	return out, nil
}

// Smaller reports whether a scope has fewer of something than another one, and nothing more.
func (s Scope) Smaller(than Scope) bool {
	to := map[int64]int64{}
	for _, n := range than.Numbers {
		to[n.From] = n.To
	}
	fewer := false
	for _, n := range s.Numbers {
		other, ok := to[n.From]
		if !ok {
			other = n.From
		}
		if n.To > other {
			return false
		}
		fewer = fewer || n.To < other
		delete(to, n.From)
	}
	return fewer && len(to) == 0
}

// fewest is the least number that is made smaller at first: up to four goroutines stay.
const fewest = 5

// counts are the numbers, from a least one up, that are made smaller, sorted; none if no loop has one of them.
func (n *numbers) counts(least int64) []int64 {
	if len(from(n.loops, least)) == 0 {
		return nil
	}
	all := maps.Clone(n.loops)
	maps.Copy(all, n.related)
	return from(all, least)
}

// from are the values from a least one up, sorted.
func from(values map[int64]bool, least int64) []int64 {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(values)), func(v int64) bool { return v < least })
}

// ranked makes the least number that of the rounds, the next one greater by one, and so on, so that they stay in
// order. Lists that are written out keep their length: with lists, greater numbers do not become smaller than these.
func (n *numbers) ranked(rounds int64, values []int64, lists bool) map[int64]int64 {
	to := map[int64]int64{}
	next := rounds
	for _, v := range values {
		if lists {
			for l := range n.lengths {
				if l == v || l < v && l < most {
					next = max(next, l+rounds-2)
				}
			}
		}
		if next < v {
			to[v] = next
		}
		next++
	}
	if next-1 > most {
		return nil
	}
	return to
}

// proportional divides all numbers alike, so that the least one is that of the rounds.
func (n *numbers) proportional(rounds int64) map[int64]int64 {
	values := n.counts(fewest)
	if len(values) < 2 || values[0] <= rounds {
		return nil
	}
	to := map[int64]int64{}
	for _, v := range values {
		if v > (1<<62)/rounds {
			return nil
		}
		if to[v] = v * rounds / values[0]; to[v] > most {
			return nil
		}
	}
	return to
}

// fewGoroutines is ranked, with two where there are three or four.
func (n *numbers) fewGoroutines(rounds int64) map[int64]int64 {
	if rounds > 2 { // there would be as many as before
		return nil
	}
	to := n.ranked(rounds, n.counts(fewest), false)
	if to == nil {
		to = map[int64]int64{}
	}
	for _, v := range n.counts(least) {
		if v < fewest {
			to[v] = rounds
		}
	}
	return to
}

// with is the program with smaller numbers.
func (n *numbers) with(to map[int64]int64) (Scope, error) {
	type edit struct {
		at, end int
		text    string
	}
	edits := map[string][]edit{}
	at := map[int64][]token.Position{}
	for _, l := range n.literals {
		small, ok := to[l.value]
		if !ok {
			continue
		}
		pos := n.prog.Fset.PositionFor(l.at.Pos(), false)
		edits[pos.Filename] = append(edits[pos.Filename], edit{pos.Offset, pos.Offset + len(l.at.Value), strconv.FormatInt(small, 10)})
		at[l.value] = append(at[l.value], n.prog.Fset.Position(l.at.Pos()))
	}
	s := Scope{Files: map[string][]byte{}}
	for _, name := range slices.Sorted(maps.Keys(edits)) {
		text, err := n.prog.ReadFile(name)
		if err != nil {
			return s, fmt.Errorf("read source: %w", err)
		}
		list := edits[name]
		slices.SortFunc(list, func(a, b edit) int { return cmp.Compare(a.at, b.at) })
		var out bytes.Buffer
		from := 0
		for _, e := range list {
			if e.at < from { // a declaration that is reached as a part of two
				continue
			}
			if e.end > len(text) {
				return s, fmt.Errorf("read source: %s has changed since it was loaded", name)
			}
			out.Write(text[from:e.at])
			out.WriteString(e.text)
			from = e.end
		}
		out.Write(text[from:])
		s.Files[name] = out.Bytes()
	}
	for _, v := range slices.Sorted(maps.Keys(at)) {
		s.Numbers = append(s.Numbers, Number{v, to[v], at[v]})
	}
	return s, nil
}
