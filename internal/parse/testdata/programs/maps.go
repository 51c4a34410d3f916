package programs

import (
	"maps"
	"slices"
	"sync"

	"example.com/programs/show"
)

var mapUses = []show.Program{
	{Name: "map: forms of use", Run: mapUseForms, Allowed: []string{"1 5 6 true true 3 [1 2 3] 10 named 2 true 4 nil 0 false b 7 8 2 0"}},
	{Name: "map: values that wait", Run: mapWaits, Allowed: []string{"5 6 7 9"}},
	{Name: "map: order of assignments", Run: mapAssigned, Allowed: []string{"3 2 1 4 true 1 0 1 2 5 6"}},
	{Name: "map: with a lock", Run: mapLocked, Allowed: []string{"3"}},
	{Name: "map: handed over", Run: mapHandedOver, Allowed: []string{"1 2"}},
	{Name: "map: private", Run: mapPrivate, Allowed: []string{"2 2"}},
	{Name: "map: two writers", Controlled: true, Run: func(*show.Out) {
		m := map[int]int{}
		go func() { m[1]++ }()
		m[2] = 1
	}, Allowed: []string{"", "[concurrent map access]"}},
	{Name: "map: reader and remover", Controlled: true, Run: func(*show.Out) {
		m := listsOf{"a": {1}}
		go func() { delete(m, key("a")) }()
		_, _ = m[key("b")]
	}, Allowed: []string{"", "[concurrent map access]"}},
	{Name: "map: range and writer", Controlled: true, Run: func(*show.Out) {
		m := map[string]int{"a": 1, "b": 2}
		go func() { m["a"] = len(m) }()
		for range m {
		}
	}, Allowed: []string{"", "[concurrent map access]"}},
	{Name: "map: readers", Controlled: true, Run: func(o *show.Out) {
		m := listsOf{"a": {1}}
		go func() { _ = m["a"] }()
		o.Print(len(m["a"]))
	}, Allowed: []string{"1"}},
	{Name: "map: keys and writer", Controlled: true, Run: func(*show.Out) {
		m := map[string]int{"a": 1}
		go func() { clear(m) }()
		_ = slices.Sorted(maps.Keys(m))
	}, Allowed: []string{"", "[concurrent map access]"}},
}

// mapWriters write to a map by each form of statement, with what may wait.
var mapWriters = map[string]func(m map[int]int, c chan int){
	"receive":         func(m map[int]int, c chan int) { m[1] = <-c },
	"receive, result": func(m map[int]int, c chan int) { m[1] = 1 + -<-c },
	"receive with ok": func(m map[int]int, c chan int) { var ok bool; m[1], ok = <-c; use(ok) },
	"receive, named ok": func(m map[int]int, c chan int) {
		flags := map[int]mapFlag{}
		m[1], flags[1] = <-c
		use(flags)
	},
	"results": func(m map[int]int, c chan int) { var n int; m[1], n = received(c); use(n) },
	"results, in a condition": func(m map[int]int, c chan int) {
		if n := 0; n == 0 {
			if m[1], n = received(c); n > 0 {
				use(n)
			}
		}
	},
	"results, over lines": func(m map[int]int, c chan int) {
		m[1],
			m[2] =
			received(
				c,
			)
	},
	"assertion": func(m map[int]int, c chan int) { var ok bool; m[1], ok = any(key(<-c)).(int); use(ok) },
	"element":   func(m map[int]int, c chan int) { var ok bool; m[1], ok = map[int]int{1: 2}[<-c]; use(ok) },
	"range over a number": func(m map[int]int, _ chan int) {
		for m[1] = range 1 {
		}
	},
	"range over a list": func(m map[int]int, _ chan int) {
		for _, m[1] = range []int{1} {
		}
	},
	"range over a map": func(m map[int]int, _ chan int) {
		for m[1], m[2] = range map[int]int{1: 2} {
		}
	},
	"range over a channel": func(m map[int]int, c chan int) {
		for m[1] = range c {
			break
		}
	},
	"range, with an index that waits": func(m map[int]int, c chan int) {
		for m[<-c] = range 1 {
		}
	},
	"range over a function": func(m map[int]int, _ chan int) {
		for m[1] = range slices.Values([]int{1}) {
		}
	},
	"select": func(m map[int]int, c chan int) {
		select {
		case m[1] = <-c:
		case c <- 7:
		}
	},
	"select with ok": func(m map[int]int, c chan int) {
		var ok bool
		select {
		case m[1], ok = <-c:
			use(ok)
		}
	},
	"select with default": func(m map[int]int, c chan int) {
		select {
		case m[1] = <-c:
		default:
		}
	},
}

func mapWriterPrograms() (out []show.Program) {
	for _, name := range slices.Sorted(maps.Keys(mapWriters)) {
		out = append(out, show.Program{Name: "map: writer by " + name, Controlled: true, Run: func(*show.Out) {
			m, c := map[int]int{}, make(chan int, 3)
			c <- 1
			c <- 2
			go func() { m[9] = 9 }()
			mapWriters[name](m, c)
		}, Allowed: []string{"", "[concurrent map access]"}})
	}
	return out
}

func received(c chan int) (int, int) { return <-c, <-c }

func mapAssigned(o *show.Out) {
	m, c, n := map[int]int{}, make(chan int, 10), 1
	for v := range 10 {
		c <- v
	}
	use(m)
	n, m[n] = received(c)
	m[n], n = received(c)
	var ok mapFlag
	m[n], ok = <-c
	o.Print(n, m[0], m[1], m[3], ok)
	for m[n] = range 3 {
		n++
	}
	select {
	case m[n] = <-c:
		n = 1
	}
	o.Print(n, m[3], m[4], m[5], m[6])
	if m[7], n = received(c); n == 7 {
		o.Print(m[7])
	}
}

type listsOf map[string][]int

type mapFlag bool

// key is a call before an element is used.
func key[K comparable](k K) K { return k }

// bump works on maps of any type.
func bump[M ~map[K]V, K comparable, V ~int](m M, k K) V {
	m[k]++
	m[key(k)] += 2
	m[k] = m[k] + key(m[k])
	return m[k]
}

type mapOwner struct {
	m    map[int]int
	next *mapOwner
}

func (h *mapOwner) get() map[int]int { return h.m }

func mapUseForms(o *show.Out) {
	m := map[int64]float64{}
	set := func() { m[1] = 1 } // others may see the map
	set()
	m[1<<2] = 5
	m[4] += 1
	o.Print(m[1], m[key(int64(4))]-1, m[4])
	flags := map[any]mapFlag{}
	keep := func() int { return len(flags) }
	flags["a"] = key(1) == 1
	flags[2] = !flags["b"] && true
	_, flags[key(3)] = 0, mapFlag(key(true))
	o.Print(flags["a"], flags[2], keep())
	lists := listsOf{}
	use(lists)
	lists["x"] = append(lists["x"], 1)
	lists["x"] = append(lists["x"], key(2), 3)
	o.Print(lists["x"])
	o.Print(bump(named{"n": 2}, "n"))
	var text map[string]any
	use(text)
	text = map[string]any{"k": name("named")}
	o.Print(text["k"])
	h := &mapOwner{m: map[int]int{1: 2}}
	h.next = h
	h.next.get()[3] = h.get()[key(1)]
	v, ok := h.next.m[3]
	o.Print(v, ok)
	h.next.m[key(3)]++
	h.m[3], v = h.m[3]+key(1), h.m[3]
	o.Print(h.m[3])
	text["k"] = nil
	text["f"] = func() { h.m[1] = key(1) }
	if f, ok := text["f"].(func()); ok {
		f()
	}
	o.Print("nil")
	var none map[int]bool
	use(none)
	delete(none, key(1))
	clear(none)
	o.Print(len(none), none[1])
	byte1 := map[byte]string{'a': "b"}
	use(byte1)
	o.Print(byte1[key("a")[0]])
	shift := map[uint8]uint16{}
	use(shift)
	n := 3
	shift[1<<key(1)] = 1<<key(n) - 1
	shift[1] = shift[2] +
		uint16(key(1))
	o.Print(shift[2], shift[1])
	nested := map[int]map[int]int{1: {}}
	use(nested)
	nested[1][key(2)] = key(2)
	o.Print(nested[1][2])
	for i := range 3 {
		defer delete(nested, i)
	}
	for _, nested[5] = range []map[int]int{} {
	}
	clear(nested[1])
	o.Print(len(nested[1]))
}

type named map[string]int

type name string

func (n name) String() string { return string(n) }

func use(any) {}

func mapWaits(o *show.Out) {
	m, c := map[int]int{}, make(chan int)
	mu := new(sync.Mutex)
	locked := func(v int) int {
		mu.Lock()
		defer mu.Unlock()
		m[0] = 9
		return v
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		mu.Lock()
		m[1] = 5
		mu.Unlock()
		m2 := map[int]int{}
		m2[1] = locked(1)
		c <- 6
		<-c
	}()
	m2 := map[int]int{}
	m2[locked(2)] = <-c
	c <- 1
	<-done
	m[7] = 7
	o.Print(m[1], m2[2], m[7], m[0])
}

func mapLocked(o *show.Out) {
	m := map[int]bool{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			m[i] = !m[i]
		}()
	}
	wg.Wait()
	o.Print(len(m))
}

func mapHandedOver(o *show.Out) {
	c := make(chan map[string]int)
	go func() {
		m := map[string]int{}
		m["a"] = 1
		c <- m
		<-c
	}()
	m := <-c
	m["b"] = 2
	o.Print(m["a"], m["b"])
	c <- nil
}

func mapPrivate(o *show.Out) {
	c := make(chan int)
	for range 2 {
		go func() {
			m := make(map[int]int)
			for i := range 2 {
				m[i]++
			}
			c <- len(m)
		}()
	}
	o.Print(<-c)
	o.Print(<-c)
}
