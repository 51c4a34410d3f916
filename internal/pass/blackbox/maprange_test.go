package blackbox_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/programs"
)

// TestExhaustMapRange: what may come in a range over a map that is changed meanwhile comes in
// some schedule, in whichever form the map is changed and ranged over.
func TestExhaustMapRange(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	endsOf(t, []string{"", "panic: created", "panic: through maps.Keys", "panic: in a sync.Map", "panic: removed by a deferred call",
		"panic: not there again", "panic: not there again after clear", "panic: not there again in a generic function"}, `package main

import (
	"maps"
	"math/rand"
	"sync"
)

func create(m map[int]int, k int) { m[k+1] = 1 }

func again(m map[int]int, k any) {
	func() {
		defer delete(m, 3-k.(int))
	}()
	other := 3 - k.(int)
	m[other] = 1
}

func generic[M ~map[K]V, K comparable, V any](m M, a, b K, create func()) (n int) {
	for range m {
		if n++; n == 1 {
			delete(m, a)
			delete(m, b)
			create()
		}
	}
	return n
}

func main() {
	n := 0
	two := map[int]int{1: 1, 2: 1}
	switch rand.Intn(7) {
	case 0:
		m := map[int]int{1: 1}
		for k := range m {
			if n++; n == 2 {
				panic("created")
			} else if n == 1 {
				create(m, k)
			}
		}
	case 1:
		m := map[int]int{1: 1}
		for k := range maps.Keys(m) {
			if n++; n == 2 {
				panic("through maps.Keys")
			} else if n == 1 {
				create(m, k)
			}
		}
	case 2:
		var m sync.Map
		m.Store(1, 1)
		m.Range(func(k, _ any) bool {
			if n++; n == 2 {
				panic("in a sync.Map")
			} else if n == 1 {
				m.Store(2, 2)
			}
			return true
		})
	case 3:
		for k := range two {
			n++
			if n == 1 {
				again(two, k)
			}
		}
		if n == 1 {
			panic("removed by a deferred call")
		}
	case 4:
		for k := range two {
			if n++; n == 1 {
				delete(two, 3-k) ; two[3-k] = 1
			}
		}
		if n == 1 {
			panic("not there again")
		}
	case 5:
		for k := range two {
			if n++; n == 1 {
				clear(two)
				two[3-k] = 1
			}
		}
		if n == 1 {
			panic("not there again after clear")
		}
	case 6:
		if generic(two, 1, 2, func() { two[1], two[2] = 1, 1 }) == 1 {
			panic("not there again in a generic function")
		}
	}
}
`)
	// What is removed and not there again, or created after the range, makes no difference.
	endsOf(t, []string{""}, `package main

func main() {
	m := map[int]int{1: 1, 2: 1, 3: 1}
	var later []int
	for k := range m {
		later = append(later, k+3)
		m[k]++
	}
	for _, k := range later {
		m[k] = 1
	}
	if len(later) != 3 {
		panic("an entry more or less")
	}
}
`)
}

// TestExhaustSyncMapRange: others act between what a Range over a sync.Map comes to, which is no
// snapshot; where it comes when they are done, it is one.
func TestExhaustSyncMapRange(t *testing.T) {
	programs.InLong(t)
	for waits, ends := range map[[2]string][]string{
		{"", "<-done"}: {"", "panic: a deleted one, and one stored later"},
		{"<-done", ""}: {""},
	} {
		endsOf(t, ends, `package main

import "sync"

func main() {
	var m sync.Map
	m.Store(1, 1)
	m.Store(2, 2)
	done := make(chan bool)
	go func() {
		m.Delete(1)
		m.Store(3, 3)
		close(done)
	}()
	var seen [4]bool
	`+waits[0]+`
	m.Range(func(k, v any) bool { seen[k.(int)] = true; return true })
	`+waits[1]+`
	if seen[1] && seen[3] {
		panic("a deleted one, and one stored later")
	}
}
`)
	}
}

// TestExhaustUnchosen: what the environment decides and no run can choose bounds an
// exploration.
func TestExhaustUnchosen(t *testing.T) {
	programs.InLong(t)
	x, err := pass.Exhaust(t.Context(), programs.Main(t, `package main

import "reflect"

func main() {
	m := map[int]int{1: 1, 2: 2}
	r := reflect.ValueOf(m).MapRange()
	r.Next()
	if r.Key().Int() == 2 && len(m) == 3 {
		panic("the order")
	}
}
`), pass.Exhaustion{}, pass.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"the order of a map by reflection is not chosen by the run at main.go:7: r := reflect.ValueOf(m).MapRange()"}, x.Covered.Limits)
	require.False(t, x.Covered.Proved())
}
