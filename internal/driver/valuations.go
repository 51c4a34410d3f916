package driver

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strconv"
)

// mostWritten is how many valuations of a function are written to choose from.
const mostWritten = 400

// valuations writes drivers of a function with different values, and says how many more there are at least. A
// valuation is the numbers of the values that its choices take. Which choices there are can depend on those before,
// so they are found by writing: what is not decided yet takes its first value.
func (f *finder) valuations(file *file, fn *types.Func) (all []*writer, more int, err error) {
	todo := [][]int{nil}
	seen := map[string]bool{"[]": true}
	for len(todo) > 0 {
		// Those with the least numbers first, of them those that have decided less.
		i := 0
		for j, v := range todo {
			if smaller(v, todo[i]) {
				i = j
			}
		}
		v := todo[i]
		todo = slices.Delete(todo, i, i+1)
		if len(all) == mostWritten {
			return all, len(todo) + 1, nil
		}
		w := newWriter(f, file, fn, v)
		if err := w.write(); err != nil {
			return nil, 0, err
		}
		all = append(all, w)
		for i, n := range w.alternatives {
			next := make([]int, max(len(v), i+1))
			copy(next, v)
			if next[i]++; next[i] == n {
				continue
			}
			if key := fmt.Sprint(next); !seen[key] {
				seen[key] = true
				todo = append(todo, next)
			}
		}
	}
	return all, 0, nil
}

func smaller(a, b []int) bool {
	return cmp.Or(cmp.Compare(sum(a), sum(b)), slices.Compare(b, a)) < 0
}

func sum(v []int) (n int) {
	for _, x := range v {
		n += x
	}
	return n
}

// spread chooses at most n of the drivers of a function, so that as many combinations of two and of three values as
// possible are among them, those of small values before others: most errors need no more than three particular values
// (Kuhn, Wallace and Gallo, Software fault interactions and implications for software testing, IEEE TSE 2004).
// They stay in their order.
func spread(all []*writer, n int) []*writer {
	if len(all) <= n {
		return all
	}
	combinations := make([][]combination, len(all))
	numbers := map[string]uint64{}
	for i, w := range all {
		combinations[i] = w.combinations(numbers)
	}
	covered := map[uint64]bool{}
	var chosen []int
	for len(chosen) < n {
		best, gain := -1, -1.0
		for i := range all {
			if slices.Contains(chosen, i) {
				continue
			}
			g := 0.0
			for _, c := range combinations[i] {
				if !covered[c.key] {
					g += c.worth
				}
			}
			if g > gain+1e-9 {
				best, gain = i, g
			}
		}
		chosen = append(chosen, best)
		for _, c := range combinations[best] {
			covered[c.key] = true
		}
	}
	slices.Sort(chosen)
	out := make([]*writer, n)
	for i, c := range chosen {
		out[i] = all[c]
	}
	return out
}

// worth says how much of a program a value lets happen: with none of something most of it does not, and with three
// little happens that does not with two.
func worth(v Value) float64 {
	n, err := strconv.Atoi(v.Text)
	switch {
	case err != nil || n == 1 || n == 2:
		return 1
	case n > 2:
		return 0.6
	}
	return 0.4
}

// combination is one of a few values of a driver.
type combination struct {
	key   uint64 // of the numbers of its values
	worth float64
}

// mostInThrees is how many values a driver may have for its combinations of three to be looked at: there are too many then.
const mostInThrees = 20

// combinations are those of one, two and three values of a driver. Values have numbers, from 1, by their texts.
func (w *writer) combinations(numbers map[string]uint64) (out []combination) {
	const bits = 20 // for a number: there are some hundreds
	values := make([]combination, len(w.values))
	for i, v := range w.values {
		text := v.String()
		if numbers[text] == 0 {
			numbers[text] = uint64(len(numbers) + 1)
		}
		values[i] = combination{numbers[text], worth(v)}
	}
	for i, a := range values {
		out = append(out, combination{a.key, 2 * a.worth})
		for j, b := range values[:i] {
			pair := a.key<<bits | b.key
			out = append(out, combination{pair, a.worth * b.worth})
			if len(values) > mostInThrees {
				continue
			}
			for _, c := range values[:j] {
				out = append(out, combination{pair<<bits | c.key, 0.7 * a.worth * b.worth * c.worth})
			}
		}
	}
	return out
}
