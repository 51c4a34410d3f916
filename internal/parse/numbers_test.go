package parse

import (
	"fmt"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/vtrace/vtrace/internal/source"
)

// numbersHead is what the programs of TestClockNumbers begin with.
const numbersHead = `package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math/rand"
	randv2 "math/rand/v2"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var used = []any{bytes.NewReader, context.Background, json.Marshal, errors.New, fmt.Print, log.Print, rand.Int, randv2.Int, os.Exit,
	slices.Max[[]int], sort.Ints, strings.ToUpper, sync.NewCond, atomic.AddInt32, testing.Short, time.Now}

type entry struct {
	at      time.Time
	ttl     time.Duration
	ns      int64
	name    string
	n       int
	counter atomic.Int64
}

var (
	global  time.Time
	table   = map[string]int{}
	entries []*entry
	lock    sync.Mutex
)

func look(e entry) { log.Print(e) }

func main() { program() }

`

// TestClockNumbers: where the clock decides as a number, and where it does not. The lines that
// have the comment "decides" are those that are reported.
func TestClockNumbers(t *testing.T) {
	var names, bodies []string
	for name, body := range map[string]string{
		// Times and durations that are compared.
		"elapsed":  `func program() { start := time.Now(); if time.Since(start) > time.Second { panic(1) } }`,
		"deadline": `func program() { d := time.Now().Add(time.Minute); for time.Now().Before(d) { time.Sleep(time.Second) } }`,
		"kept":     `func program() { e := &entry{at: time.Now(), ttl: 5}; if time.Since(e.at) > e.ttl || e.at.IsZero() { panic(1) } }`,
		"sum":      `func program() { a := time.Since(global); b := a + time.Until(global); if b-a > 7 && a != b { panic(1) } }`,
		"of other types": `func over[T int64 | float64](a, b T) bool { return a > b }
func program() {
	start := time.Now()
	if over(time.Now().UnixNano(), start.UnixNano()) { panic(1) } // decides
}`,
		"generic durations": `func over[T interface{ ~int64 }](a, b T) bool { return a > b }
func program() {
	start := time.Now()
	if over(time.Since(start), 5) { panic(1) } // decides
}`,
		"structs that become those of a type parameter": `type stamp struct{ at int64 }
type other struct{ at int64 }
func as[T interface{ ~struct{ at int64 } }](s stamp) T { return T(s) }
func program() {
	if as[other](stamp{time.Now().UnixNano()}).at%2 == 0 { panic(1) } // decides
}`,
		"no time at all": `type item struct{ expires int64 }
func (i item) expired() bool { return i.expires > 0 && time.Now().UnixNano() > i.expires }
func program() {
	items := map[string]item{"a": {}, "b": {time.Now().Add(5).UnixNano()}}
	if i := items["b"]; i.expires == 0 || -1 == i.expires || i.expired() { panic(1) }
}`,
		"a time that may come": `type item struct{ expires int64 }
func program() {
	i := item{time.Now().UnixNano()}
	if i.expires > 1800000000000000000 { panic(1) } // decides
	if s := time.Now().Unix() - 1700000000; s > 0 { panic(1) } // decides
	if time.Until(time.Now()).Nanoseconds() - i.expires > 0 { panic(1) } // decides
}`,
		"remainder that is assigned": `func program() {
	n := time.Now().UnixNano()
	n %= 2
	if n == 1 { panic(1) } // decides
}`,
		"another type in the interface": `type sink interface{ put() int }
type text string
func (t text) put() int { if len(t) > 3 { panic(1) }; return 0 } // decides
type all []sink
func (a all) put() (n int) {
	for _, s := range a { n += s.put() }
	return n
}
func program() {
	a := []sink{text(time.Now().String()), text("b")}
	a = append(a, all(a))
	for _, s := range a { s.put() }
}`,
		"the same type in the interface": `type sink interface{ put() }
type all []string
func (a all) put() {
	for range a { println() } // decides
}
func program() {
	for _, s := range []sink{all(strings.Split(time.Now().String(), "-")), all(nil)} { s.put() }
}`,
		"asserted": `type text string
type count int
func program() {
	var x any = text(time.Now().String())
	if _, n := x, 0; n == 0 { x = count(4) }
	if c, ok := x.(count); ok && c == 4 { println() }
	if c, ok := x.(text); ok && c == "x" { println() } // decides
}`,
		"asserted and made of a type parameter": `type count int
func wrap[T ~int](n T) any { return n }
func program() {
	x := wrap(count(time.Now().Year()))
	if c, ok := x.(count); ok && c == 4 { println() } // decides
}`,
		"bytes":     `func program() { if byte(time.Since(global).Milliseconds()) > 200 { panic(1) } } // decides`,
		"timers":    `func program() { d := time.Now().Add(9); time.Sleep(time.Until(d)); <-time.After(time.Until(d) / 2); time.NewTimer(max(time.Until(d), 5)) }`,
		"a context": `func program() { ctx, stop := context.WithDeadline(context.Background(), time.Now().Add(5)); defer stop(); d, _ := ctx.Deadline(); if time.Until(d) < 3 { panic(1) } }`,
		"errors of contexts": `func program() {
			ctx, stop := context.WithDeadlineCause(context.Background(), time.Now().Add(5), os.ErrExist)
			defer stop()
			if ctx.Err() == context.Canceled || context.Cause(ctx) != os.ErrExist { panic(1) }
		}`,
		"causes": `func program() {
			slow := errors.New(time.Now().String())
			ctx, stop := context.WithTimeoutCause(context.Background(), 5, slow)
			defer stop()
			if context.Cause(ctx).Error() == "x" { panic(1) } // decides
		}`,
		"ticks": `func program() { last := time.Now(); for at := range time.Tick(5) { if at.Sub(last) > 7 { panic(1) }; last = at } }`,
		"of other goroutines": `func program() {
			c := make(chan time.Time, 1)
			go func() { c <- time.Now() }()
			if t := <-c; t.After(global) { panic(1) }
		}`,
		"pointers that are sent": `func program() {
			c, n := make(chan *int64, 1), new(int64)
			c <- n
			*n = time.Now().UnixNano()
			if *<-c%2 == 0 { // decides
				panic(1)
			}
		}`,
		"pointers that a select sends": `func program() {
			c, n := make(chan *int64, 1), new(int64)
			select {
			case c <- n:
			default:
			}
			*n = time.Now().UnixNano()
			select {
			case p := <-c:
				if *p%2 == 0 { // decides
					panic(1)
				}
			default:
			}
		}`,
		"nanoseconds": `func program() {
			e := &entry{ns: time.Now().Add(5).UnixNano()}
			if time.Now().UnixNano() > e.ns { panic(1) }
			if time.Now().UnixNano()-e.ns > int64(time.Second) { panic(2) }
			if time.Duration(time.Now().UnixNano()-e.ns) > 7 { panic(3) }
			if time.Since(global).Nanoseconds() > 9 { panic(4) }
			if time.Unix(0, e.ns).Before(time.Now()) { panic(5) }
		}`,
		"nanoseconds of a type of its own": `func program() {
			start := nanos(time.Now().UnixNano())
			if nanos(time.Now().UnixNano())-start > nanos(time.Second) { panic(1) }
			if nanos(time.Now().UnixNano()) > start+7 { panic(2) }
		}
		type nanos int64`,
		"atomic": `func program() {
			var e entry
			e.counter.Store(time.Now().UnixNano())
			if time.Duration(time.Now().UnixNano()-e.counter.Load()) > time.Minute { panic(1) }
		}`,
		"thresholds": `func program() {
			start := time.Now()
			if s := time.Since(start).Seconds(); s > 5 && s < 7.5 { panic(1) }
			if int(time.Since(start).Milliseconds()) == 100 { panic(2) }
		}`,
		"through functions": `
			func expired(at time.Time, ttl time.Duration) bool { return now().Sub(at) > ttl }
			func now() time.Time { return clock() }
			var clock = time.Now
			func program() { if expired(now(), 5) { panic(1) } }`,
		"containers": `func program() {
			var m sync.Map
			m.Store("a", time.Now())
			if v, ok := m.Load("a"); ok && time.Since(v.(time.Time)) > 5 { panic(1) }
			ctx := context.WithValue(context.Background(), "k", time.Now())
			if at := ctx.Value("k").(time.Time); time.Since(at) > 5 { panic(2) }
		}`,
		"in order": `func program() {
			list := []entry{{at: time.Now()}, {at: time.Now()}}
			sort.Slice(list, func(i, j int) bool { return list[i].at.Before(list[j].at) })
			slices.SortFunc(list, func(a, b entry) int { return a.at.Compare(b.at) })
		}`,

		// Told to somebody.
		"printed": `func program() {
			start := time.Now()
			fmt.Println(start, start.Unix(), time.Since(start).Seconds())
			fmt.Fprintf(os.Stderr, "%v\n", start.Format(time.RFC3339))
			log.Printf("%d ms", time.Since(start).Milliseconds())
			msg := fmt.Sprintf("after %.1f s", time.Since(start).Seconds())
			var b strings.Builder
			b.WriteString(msg)
			fmt.Fprintf(&b, "%d", start.Nanosecond())
			log.Print(b.String() + strings.ToUpper(msg))
		}`,
		"of a test":      `func TestX(t *testing.T) { t.Logf("%d", time.Now().Unix()); t.Errorf("%v", time.Since(global).Seconds()) }; func program() { TestX(nil) }`,
		"kept, and told": `func program() { e := entry{ns: time.Now().Unix(), name: time.Now().String()}; look(e); log.Print(e.ns+1, e.name) }`,
		"only if slow":   `func program() { ms := time.Since(global).Milliseconds() / 7; label := "fast"; if ms > 100 { log.Print("slow ", ms); label = "slow" }; log.Print(label) }`,
		"an error":       `func program() { err := fmt.Errorf("after %v", time.Since(global)); if err != nil && !errors.Is(err, os.ErrExist) { log.Print(err) } }`,
		"a panic":        `func program() { if len(table) > 0 { panic(fmt.Sprint(time.Now())) } }`,
		"a pure chance":  `func program() { if time.Now().UnixNano()%7 == 3 { panic(1) }; if n := time.Now().Nanosecond(); n&1 == 0 { panic(2) } }`,
		"seeds": `func program() {
			r := rand.New(rand.NewSource(time.Now().UnixNano()))
			s := randv2.New(randv2.NewPCG(uint64(time.Now().UnixNano()), 1))
			rand.Seed(time.Now().Unix())
			if r.Intn(3) == 1 || s.IntN(3) == 1 { panic(1) }
		}`,
		"not of the clock": `func program() {
			d := 5 * time.Second
			if d.Seconds() > 3 && d/2 == 7 && time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Weekday() == time.Sunday { panic(1) }
			log.Print(time.Now())
		}`,

		// Numbers that decide.
		"the day":         `func program() { if time.Now().Weekday() == time.Sunday { panic(1) } } // decides`,
		"the hour":        `func program() { if h := time.Now().Hour(); h < 12 { panic(1) } } // decides`,
		"seconds":         `func program() { if time.Now().Unix()%7 == 3 { panic(1) } } // decides`,
		"used twice":      `func program() { n := time.Now().UnixNano(); if n%2 == 0 { if n%4 == 1 { panic(1) } } } // decides`,
		"elapsed, as one": `func program() { start := time.Now(); if time.Since(start).Nanoseconds()%2 == 0 { panic(1) } } // decides`,
		"a part of it":    `func program() { if time.Since(global)/7 > 3 { panic(1) } } // decides`,
		"rounded":         `func program() { if time.Now().Truncate(time.Hour).Before(global) { panic(1) } } // decides`,
		"a constant":      `func program() { if time.Now().UnixNano() > 1e18 { panic(1) } } // decides`,
		"equal as values": `func program() { if time.Now() == global { panic(1) } } // decides`,
		"a switch": `func program() {
			switch time.Now().Month() {
			case time.May: // decides
				panic(1)
			}
		}`,
		"as a text": `func program() {
			id := fmt.Sprintf("%x", time.Now().UnixNano())
			if strings.HasSuffix(id, "0") { // decides
				panic(1)
			}
			table[id]++ // decides
			if len(id) > 3 { // decides
				panic(2)
			}
			delete(table, time.Now().String()) // decides
			if _, ok := table[time.Now().Format("05")]; ok { // decides
				panic(3)
			}
		}`,
		"an index": `func program() {
			list := []int{1, 2, 3}
			list[time.Now().Second()%3]++ // decides
			list = list[:time.Now().Minute()%2] // decides
			list = make([]int, time.Now().Year()) // decides
		}`,
		"through a field": `func id() int64 { return time.Now().Unix() }
			func program() {
				entries = append(entries, &entry{ns: id()})
				for _, e := range entries {
					if e.ns%2 == 0 { // decides
						panic(1)
					}
				}
			}`,
		"through memory": `
			func set(p *int) { *p = time.Now().Second() }
			func program() {
				var n int
				set(&n)
				if n > 30 { // decides
					panic(1)
				}
				add := func() { n++ }
				add()
				for range n { // decides
				}
			}`,
		"through an array in a field": `
			type ring struct{ at [2]int64 }
			func program() {
				var a [2]int64
				a[0] = time.Now().Unix()
				r := &ring{at: a}
				if r.at[1] == 7 { // decides
					panic(1)
				}
			}`,
		"through an array of a field": `
			type ring struct{ at [2]int64 }
			func program() {
				r := &ring{}
				r.at[0] = time.Now().Unix()
				b := r.at
				if b[1] == 7 { // decides
					panic(1)
				}
			}`,
		"through the address of a field": `func set(p *int64) { *p = time.Now().Unix() }
			func program() {
				e := &entry{}
				set(&e.ns)
				if e.ns == 7 { // decides
					panic(1)
				}
			}`,
		"through the address of an element": `func set(p *int64) { *p = time.Now().Unix() }
			var list [3]int64
			func program() {
				set(&list[1])
				if list[2] == 7 { // decides
					panic(1)
				}
			}`,
		"through a function with a parameter": `func program() {
			f := func(t time.Time) int64 { return t.Unix() }
			for _, g := range []func(time.Time) int64{f} {
				if g(time.Now()) == 7 { // decides
					panic(1)
				}
			}
		}`,
		"in a struct that is compared": `
			type pair struct{ a, b int64 }
			func program() {
				p, q := pair{time.Now().Unix(), 1}, pair{1, 1}
				if p == q { // decides
					panic(1)
				}
				if any(p) == any(q) { // decides
					panic(1)
				}
				_ = map[pair]int{p: 1} // decides
				_ = map[any]int{p: 1} // decides
			}`,
		"with what may do more": `
			func (e *entry) String() string { lock.Lock(); return "x" }
			func program() {
				e := &entry{}
				if time.Now().Second() < 30 { // decides
					log.Print(e)
				}
			}`,
		"of a file": `func program() { i, _ := os.Stat("x"); if i.ModTime().Unix() == 7 { panic(1) } } // decides`,
		"through a channel": `func program() {
			c := make(chan int64, 1)
			go func() { c <- time.Now().Unix() }()
			select {
			case n := <-c:
				if n == 0 { // decides
					panic(1)
				}
			}
		}`,
		"through a map": `func program() {
			m := map[int]int64{1: time.Now().Unix()}
			for _, v := range m {
				if v == 0 { // decides
					panic(1)
				}
			}
		}`,
		"through an interface": `
			type teller interface{ tell() any }
			func (e *entry) tell() any { return time.Now().Unix() }
			func program() {
				var x teller = &entry{}
				if x.tell().(int64) > 5 { // decides
					panic(1)
				}
			}`,
		"through a function value": `func program() {
			f := time.Now
			g := f().Unix
			if g() == 7 { // decides
				panic(1)
			}
		}`,
		"through what recovers": `func program() {
			defer func() {
				if recover() == "x" { // decides
					os.Exit(1)
				}
			}()
			panic(time.Now().String())
		}`,
		"of an error": `func program() {
			err := fmt.Errorf("after %v", time.Since(global))
			if err.Error() == "after 5s" { // decides
				panic(1)
			}
		}`,
		"of ticks":     `func program() { for at := range time.Tick(5) { if at.Second() == 7 { panic(1) } } } // decides`,
		"an exit":      `func program() { os.Exit(time.Now().Second()) } // decides`,
		"a sleep":      `func program() { time.Sleep(time.Duration(time.Now().Nanosecond())) } // decides`,
		"a deadline":   `func program() { now := time.Now(); time.Sleep(time.Until(time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, time.UTC))) } // decides`,
		"out of sight": `func program() { b, _ := json.Marshal(entry{at: time.Now()}); log.Print(b) } // decides`,
		"behind an interface": `func program() {
			var w bytes.Buffer
			json.NewEncoder(&w).Encode(&entry{at: time.Now()}) // decides
		}`,
		"to a library": `func program() {
			list := []int64{time.Now().Unix(), 5}
			sort.Slice(list, func(i, j int) bool {
				return list[i] < list[j] // decides
			})
			if slices.Max(list) > 3 { // decides
				panic(1)
			}
		}`,
		"in a container": `func program() {
			var m sync.Map
			m.Store(time.Now().Unix(), 1) // decides
			var n atomic.Int64
			n.Store(time.Now().Unix())
			if n.Load() > 5 { // decides
				panic(1)
			}
		}`,
		"not only told": `func program() {
			if ms := time.Since(global).Milliseconds() / 7; ms > 100 { // decides
				log.Print("slow")
				lock.Lock()
			}
			for time.Now().Second() < 30 { // decides
				log.Print("waiting")
			}
		}`,
		"a truth that is kept": `func program() {
			var b atomic.Bool
			b.Store(time.Now().Unix() == 7)
			if b.Load() { panic(1) } // decides
			b.Store(time.Now().After(global))
			var late atomic.Bool
			late.Store(time.Now().After(global))
			if late.Load() { panic(2) }
		}`,
		"an array that a condition fills": `func program() {
			var a [2]int
			if time.Now().Unix() == 7 { // decides
				a[0] = 1
			}
			lock.Lock()
			if a[0] == 1 { panic(1) }
		}`,
		"arguments that a condition makes": `func program() {
			if time.Now().Unix() == 7 {
				log.Print("a", 7)
			}
			lock.Lock()
		}`,
		"how many parts there are": `func program() {
			parts := strings.Split(time.Now().String(), "7")
			if len(parts) == 3 { panic(1) } // decides
			n := 0
			for range []byte(fmt.Sprint(time.Now())) { n++ } // decides
			var e struct{ parts [][]byte }
			e.parts = bytes.Fields([]byte(time.Now().String()))
			if cap(e.parts) == 3 { panic(2) } // decides
		}`,
		"as many as there were": `func program() {
			all := []int64{time.Now().UnixNano()}
			some := slices.Clone(all)
			if len(all) == 2 || len(some) == 2 { panic(1) }
			for range append(all, some...) { lock.Lock() }
		}`,
		"arrays of structs": `type part struct{ n int }
		func program() {
			a, b := [1]part{{time.Now().Nanosecond()}}, [1]part{}
			if a == b { panic(1) } // decides
			if table := map[[1]part]int{}; table[a] == 2 { panic(2) } // decides
		}`,
		"errors that are numbers": `type code int
		func (code) Error() string { return "" }
		func program() {
			var err error = code(time.Now().Nanosecond())
			var c code
			if errors.As(err, &c) && c == 7 { panic(1) } // decides
			if d, ok := errors.AsType[code](err); ok && d == 7 { panic(2) } // decides
			if errors.Is(err, os.ErrExist) { panic(3) }
		}`,
		"a shift": `func program() { n := time.Now().Nanosecond(); log.Print(1 << n, 1 >> uint(n)) } // decides`,
		"a seed, and a number": `func program() {
			seed := time.Now().UnixNano()
			r := rand.New(rand.NewSource(seed))
			r.Seed(time.Now().Unix()) // decides
			if seed%10 == 7 { // decides
				panic(r)
			}
			pcg := randv2.NewPCG(uint64(seed), 2) // decides
			if pcg.Uint64() == 7 {
				panic(2)
			}
		}`,
	} {
		bodies = append(bodies, body)
		names = append(names, name)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("go.mod", "module example.com/m\n\ngo 1.26\n")
	for i, body := range bodies {
		write(fmt.Sprintf("p%d/main.go", i), numbersHead+body+"\n")
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Dir: dir}, "./...")
	require.NoError(t, err)
	require.Len(t, pkgs, len(bodies))
	for i, body := range bodies {
		t.Run(names[i], func(t *testing.T) {
			p := pkgs[slices.IndexFunc(pkgs, func(p *packages.Package) bool { return p.PkgPath == fmt.Sprintf("example.com/m/p%d", i) })]
			require.Empty(t, p.Errors)
			prog := &source.Program{Packages: []*packages.Package{p}, Fset: p.Fset, Func: p.Types.Scope().Lookup("main").(*types.Func)}
			lines := func(found *clockUses) (out []int) {
				for _, pos := range found.order {
					out = append(out, p.Fset.Position(pos).Line)
				}
				return slices.Compact(out)
			}
			found, err := findClockUses(t.Context(), prog, false)
			require.NoError(t, err)
			got, want := lines(found), []int(nil)
			for i, line := range strings.Split(numbersHead+body, "\n") {
				if strings.Contains(line, "// decides") {
					want = append(want, i+1)
				}
			}
			require.Equal(t, want, got, "%v", found.decides)
			prog.Func = nil // as of a whole module: any function may be the entry
			found, err = findClockUses(t.Context(), prog, false)
			require.NoError(t, err)
			require.Subset(t, lines(found), want)
		})
	}
}

// TestClockReached: what decides by the clock is told by the statement around, so that it counts
// only if that is executed.
func TestClockReached(t *testing.T) {
	prog := load(t, `package main

import "time"

var day = time.Now().Weekday() == time.Sunday

func main() {
	if day { // 1
		f := func() int {
			switch time.Now().Month() {
			case time.May: // 2
				return 1
			}
			return time.Now().Hour()
		}
		for i := 0; i < f(); i++ { // 3
		}
		if time.Now().Day() == 1 { // 4
			panic(1)
		}
	}
loop:
	for time.Now().Second() < 30 { // not told: a goto may come to it
		day = false
		continue loop
	}
}
`)
	o, err := Instrument(t.Context(), prog, Index(prog), Options{Races: true})
	require.NoError(t, err)
	var reached []int
	lines := map[int]int{}
	for _, d := range o.Diagnostics {
		if d.Number {
			lines[d.Line] = d.Reach
			reached = append(reached, d.Reach)
		}
	}
	slices.Sort(reached)
	require.Equal(t, []int{8, 11, 16, 18, 23}, slices.Sorted(maps.Keys(lines)), "%v", o.Diagnostics)
	require.Zero(t, lines[23])
	require.Len(t, slices.Compact(reached), 5)
	for line, n := range lines {
		require.Equal(t, line != 23, strings.Contains(string(o.Files["main.go"]), fmt.Sprintf("Dated(%d); ", n)), line)
	}
}

// TestClockFunctions: whatever package time makes of a time or a duration of the clock is a number
// where something depends on it, but for what the runtime follows.
func TestClockFunctions(t *testing.T) {
	const followed = "After Before Compare Equal IsZero Abs Add AddDate In Local Sub UTC Nanoseconds Seconds Milliseconds Microseconds Minutes Hours"
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadTypes}, "time")
	require.NoError(t, err)
	for _, name := range []string{"Time", "Duration"} {
		recv := pkgs[0].Types.Scope().Lookup(name).Type()
		value := map[string]string{"Time": "time.Now()", "Duration": "time.Since(global)"}[name]
		var body strings.Builder
		want := map[string]bool{}
		for m := range types.NewMethodSet(recv).Methods() {
			f := m.Obj().(*types.Func)
			if !f.Exported() {
				continue
			}
			s := f.Signature()
			var args []string
			for p := range s.Params().Variables() {
				args = append(args, map[string]string{"time.Time": "global", "time.Duration": "5", "*time.Location": "time.UTC", "string": `"05"`, "int": "1", "[]byte": "nil"}[p.Type().String()])
			}
			call := fmt.Sprintf("%s.%s(%s)", value, f.Name(), strings.Join(args, ", "))
			for i := range s.Results().Len() {
				vars := make([]string, s.Results().Len())
				for k := range vars {
					vars[k] = "_"
				}
				vars[i] = "v"
				test := ""
				switch r := s.Results().At(i).Type(); r.String() {
				case "time.Time":
					test = "v.After(global)"
				case "time.Duration":
					test = "v > 3"
				case "string":
					test = `v == "x"`
				case "[]byte":
					test = "len(v) > 0 && v[0] == 7"
				case "bool":
					test = "v"
				case "error", "*time.Location":
					continue // they say nothing of the time
				default:
					test = "v > 3"
				}
				line := fmt.Sprintf("func program%s%d() { if %s := %s; %s { panic(1) } }\n", f.Name(), i, strings.Join(vars, ", "), call, test)
				want[line] = !slices.Contains(strings.Fields(followed), f.Name()) && f.Name() != "IsDST"
				body.WriteString(line)
			}
		}
		text := numbersHead + body.String() + "func program() {\n"
		for line := range want {
			text += strings.TrimPrefix(line[:strings.Index(line, "(")], "func ") + "()\n"
		}
		prog := load(t, text+"}\n")
		o, err := Instrument(t.Context(), prog, Index(prog), Options{Races: true})
		require.NoError(t, err)
		got := map[string]bool{}
		for line := range want {
			got[line] = false
		}
		lines := strings.SplitAfter(text, "\n")
		for _, d := range o.Diagnostics {
			if d.Number {
				got[lines[d.Line-1]] = true
			}
		}
		require.Greater(t, len(want), 5)
		for _, line := range slices.Sorted(maps.Keys(want)) {
			require.Equal(t, want[line], got[line], line)
		}
	}
}
