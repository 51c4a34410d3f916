package smallscope

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
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

	of *numbers
	to map[int64]int64
	// fits are what checks expect, which have other values there: see Fitted.
	fits map[ast.Expr]int64
	// panics is the check in whose body the program panics with what it compares, nil if it does not: see Measured.
	panics *check
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
	for _, way := range n.ways() {
		var f Family
		for _, rounds := range familyRounds {
			to := way(rounds)
			if key := fmt.Sprint(to); len(to) > 0 && !known[key] {
				known[key] = true
				s, ok, err := n.madeValid(to)
				if err != nil {
					return nil, err
				}
				if key := fmt.Sprint(s.to); ok && (len(s.to) == len(to) || !known[key]) {
					known[key] = true
					f = append(f, s)
				}
			}
		}
		if len(f) > 0 {
			out = append(out, f)
		}
	}
	return out, nil
}

// Counts reports whether there may be [Families] of a program, which takes a tenth of making them: no file is read,
// and nothing compiled.
func Counts(prog *source.Program) bool {
	for _, way := range find(prog).ways() {
		for _, rounds := range familyRounds {
			if len(way(rounds)) > 0 {
				return true
			}
		}
	}
	return false
}

// familyRounds are the rounds of the scopes of a family.
var familyRounds = []int64{2, 3}

// ways are the ways to make numbers smaller, from those of the rounds up, that which keeps most of its sense first.
func (n *numbers) ways() []func(rounds int64) map[int64]int64 {
	return []func(rounds int64) map[int64]int64{
		func(rounds int64) map[int64]int64 { return n.ranked(rounds, n.counts(fewest), false) },
		func(rounds int64) map[int64]int64 { return n.ranked(rounds, n.counts(fewest), true) },
		func(rounds int64) map[int64]int64 { return n.ranked(rounds, from(n.loops, fewest), false) },
		n.proportional,
		func(rounds int64) map[int64]int64 { return alike(rounds, n.counts(fewest)) },
		n.fewGoroutines,
		func(rounds int64) map[int64]int64 { return alike(rounds, n.counts(least)) },
	}
}

// Smaller reports whether a scope has fewer of something than another one, and nothing more.
func (s Scope) Smaller(than Scope) bool {
	others := maps.Clone(than.to)
	fewer := false
	for from, to := range s.to {
		other, ok := others[from]
		if !ok {
			other = from
		}
		if to > other {
			return false
		}
		fewer = fewer || to < other
		delete(others, from)
	}
	return fewer && len(others) == 0
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

// alike makes all numbers those of the rounds: so few are seldom too many, where ranked ones are.
func alike(rounds int64, values []int64) map[int64]int64 {
	if len(values) >= most {
		return nil
	}
	to := map[int64]int64{}
	for _, v := range values {
		if v > rounds {
			to[v] = rounds
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

// edit replaces a part of a file.
type edit struct {
	at, end int
	text    string
}

// made is the scope with its numbers and files.
func (s Scope) made() (Scope, error) {
	n := s.of
	edits := map[string][]edit{}
	replace := func(from, to token.Pos, text string) {
		pos := n.prog.Fset.PositionFor(from, false)
		edits[pos.Filename] = append(edits[pos.Filename], edit{pos.Offset, pos.Offset + int(to-from), text})
	}
	type change struct{ from, to int64 }
	at := map[change][]token.Position{}
	for e, v := range s.fits {
		// What was expected is still named, so that it is used, and gives the type.
		replace(e.Pos(), e.Pos(), "((")
		replace(e.End(), e.End(), fmt.Sprintf(")*0 + %d)", v))
		if old := n.valueOf(e); old != v {
			at[change{old, v}] = append(at[change{old, v}], n.prog.Fset.Position(e.Pos()))
		}
	}
	for _, l := range n.literals {
		small, ok := s.to[l.value]
		if !ok || s.fitted(l.at.Pos()) {
			continue
		}
		replace(l.at.Pos(), l.at.End(), strconv.FormatInt(small, 10))
		at[change{l.value, small}] = append(at[change{l.value, small}], n.prog.Fset.Position(l.at.Pos()))
	}
	if s.panics != nil {
		replace(s.panics.body, s.panics.body, "") // what comes there is made of what has become of the file
	}
	s.Files = map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(edits)) {
		text, err := n.prog.ReadFile(name)
		if err != nil {
			return s, fmt.Errorf("read source: %w", err)
		}
		list := edits[name]
		slices.SortFunc(list, func(a, b edit) int {
			inserts := func(e edit) int { return min(e.end-e.at, 1) } // 0 comes first
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(inserts(a), inserts(b)), cmp.Compare(b.end, a.end))
		})
		if len(list) > 0 && list[len(list)-1].end > len(text) {
			return s, fmt.Errorf("read source: %s has changed since it was loaded", name)
		}
		if s.panics != nil && n.prog.Fset.PositionFor(s.panics.body, false).Filename == name {
			list = s.withPanic(text, list)
		}
		s.Files[name] = edited(text, list, 0, len(text))
	}
	s.Numbers = nil
	for c, places := range at {
		slices.SortFunc(places, func(a, b token.Position) int {
			return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Offset, b.Offset))
		})
		s.Numbers = append(s.Numbers, Number{c.from, c.to, slices.Compact(places)})
	}
	slices.SortFunc(s.Numbers, func(a, b Number) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return s, nil
}

// fitted reports whether a place is in what a check expects that has another value there.
func (s Scope) fitted(at token.Pos) bool {
	for e := range s.fits {
		if e.Pos() <= at && at < e.End() {
			return true
		}
	}
	return false
}

// withPanic adds the panic, and what it needs, to the edits of its file.
func (s Scope) withPanic(text []byte, list []edit) []edit {
	offset := func(pos token.Pos) int { return s.of.prog.Fset.PositionFor(pos, false).Offset }
	call := "panic(" + strconv.Quote(measured)
	for _, v := range s.panics.values {
		call += fmt.Sprintf(" + \" \" + %s(int64(%s))", decimal, edited(text, list, offset(v.Pos()), offset(v.End())))
	}
	at := offset(s.panics.body)
	list = append(slices.Clone(list), edit{at, at, " " + call + "); "}, edit{len(text), len(text), decimalSource})
	slices.SortStableFunc(list, func(a, b edit) int { return cmp.Compare(a.at, b.at) })
	return list
}

// edited is a part of a text with the edits in it.
func edited(text []byte, list []edit, from, to int) []byte {
	var out bytes.Buffer
	for _, e := range list {
		if e.at < from || e.end > to { // of another part, or in one that is replaced already
			continue
		}
		out.Write(text[from:e.at])
		out.WriteString(e.text)
		from = e.end
	}
	out.Write(text[from:to])
	return out.Bytes()
}
