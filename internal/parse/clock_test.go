package parse

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
)

// TestClock: the clock is a choice where something depends on what it shows, and only there.
func TestClock(t *testing.T) {
	const head = `package main

import (
	"fmt"
	"log"
	"math/rand"
	"testing"
	"time"
)

type entry struct {
	at  time.Time
	now func() time.Time
	ttl time.Duration
}

var global time.Time
var used = []any{fmt.Println, log.Println, rand.New, testing.Short, global}

func expired(time.Time) bool { return false }

func main() {}

`
	cases := []struct {
		name, body string
		decides    []bool // of the readings, in their order
	}{
		{"logged", "func f() { start := time.Now(); defer func() { log.Println(time.Since(start)) }() }", []bool{false, false}},
		{"printed by parts", "func f(t *testing.T) { t.Logf(\"%.1f\", float64(time.Since(time.Now()))/1e6); fmt.Println(-time.Until(time.Now())) }", []bool{false, false, false, false}},
		{"a seed", "func f() *rand.Rand { return rand.New(rand.NewSource(time.Now().UnixNano())) }", []bool{false}},
		{"dropped", "func f() { time.Now(); _ = time.Now(); var x = time.Now(); x = time.Now(); x = x.Add(1) }", []bool{false, false, false, false}},
		{"compared", "func f(e entry) bool { return time.Since(e.at) > e.ttl }", []bool{true}},
		{"a condition", "func f(e entry) { start := time.Now(); if end := time.Now(); end.After(start.Add(e.ttl)) { panic(1) } }", []bool{true, true}},
		{"one of two", "func f() { a, b := time.Now(), time.Now(); log.Print(a); for !b.IsZero() {} }", []bool{false, true}},
		{"in a function literal", "func f() { start := time.Now(); func() { if time.Since(start) > 1 { panic(1) } }() }", []bool{true, true}},
		{"assigned later", "func f() { var last time.Time; last = time.Now(); d := time.Until(last); if d > 0 { panic(1) } }", []bool{true, true}},
		{"of itself", "func f() { d := time.Since(global); d = d + 1; d = 2 * d }", []bool{false}},
		{"in a circle", "func f() { a := time.Since(global); b := a; c := a + b; b = a + c; a = b + c; c = a + b; d := a + b + c; a = d + b; b = d + c; c = d + a }", []bool{false}},
		{"kept in a field", "func f(e *entry) { e.at = time.Now() }", []bool{true}},
		{"kept in a variable of the package", "func f() { global = time.Now() }", []bool{true}},
		{"kept behind a pointer", "func f() { x := time.Now(); p := &x; log.Print(*p) }", []bool{true}},
		{"a part of a value", "func f() entry { return entry{at: time.Now()} }", []bool{true}},
		{"returned", "func f() time.Time { return time.Now() }", []bool{true}},
		{"a result", "func f() (at time.Time) { at = time.Now(); return }", []bool{true}},
		{"given to the program", "func f() { expired(time.Now()) }", []bool{true}},
		{"a deadline", "func f() { time.Sleep(time.Until(global)) }", []bool{true}},
		{"text", "func f() string { return fmt.Sprint(time.Now()) }", []bool{true}},
		{"a function", "func f() entry { return entry{now: time.Now} }", []bool{true}},
		{"a call of a function in parentheses", "func f() { _ = (time.Now)(); if (time.Now)().IsZero() { panic(1) } }", []bool{false, true}},
	}
	texts := map[string]string{}
	for _, tt := range cases {
		texts[tt.name] = head + tt.body + "\n"
	}
	loaded, file := programs.Together(t, texts)
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			prog := loaded[tt.name]
			o, err := Instrument(t.Context(), prog, Index(prog), Options{})
			require.NoError(t, err)
			text := string(o.Files[file[tt.name]])
			var got []bool
			for _, m := range regexp.MustCompile(`\.(?:Clock|Once)\((\d+)\)\.(Now|Since|Until)`).FindAllStringSubmatch(text, -1) {
				got = append(got, m[1] != "0")
			}
			require.Equal(t, tt.decides, got, text[strings.Index(text, "func f"):])
		})
	}
}

// TestOnce: which times are kept, so that later ones may be compared with them.
func TestOnce(t *testing.T) {
	const text = `package main

import "time"

type cache struct{ ttl, last time.Duration }

var start time.Time

func main() {
	a := time.Now()
	b := (time.Now()).Sub(a)
	c := time.Now().Add(b)
	for time.Now().Before(c) && a.Before(time.Now()) {
	}
	f := time.Now().After
	_ = f
}

func passed() time.Duration { return time.Since(start) }

func (c *cache) use() bool {
	c.last = time.Since(start)
	if time.Since(start) > c.ttl || -time.Until(start) > time.Second {
		return true
	}
	old := time.Now()
	if old.Sub(start) > 1 {
		return false
	}
	d := time.Since(start)
	later := time.Since(start)
	e := time.Since(start)
	var total time.Duration
	total += time.Since(start)
	return d < c.ttl && later-e < total
}
`
	prog := load(t, text)
	o, err := Instrument(t.Context(), prog, Index(prog), Options{})
	require.NoError(t, err)
	var methods []string
	for _, m := range regexp.MustCompile(`\.(Clock|Once)\((\d+)\)\.(\w+)`).FindAllStringSubmatch(string(o.Files["main.go"]), -1) {
		require.NotEqual(t, "0", m[2], m[0])
		methods = append(methods, m[1]+" "+m[3])
	}
	require.Equal(t, []string{"Clock Now", "Clock Now", "Clock Now", "Once Now", "Clock Now", "Clock Now",
		"Clock Since", "Clock Since", "Once Since", "Once Until", "Clock Now", "Once Since", "Clock Since", "Clock Since", "Clock Since"}, methods)
}

// TestDurations: the runtime is told which durations a program names that reads the clock.
func TestDurations(t *testing.T) {
	const text = `package main

import "time"

const ttl = 5 * time.Second

func main() {
	limit(3, time.Minute)
	_ = time.READ
}

func limit(n int, d time.Duration) bool {
	var never time.Duration = -1
	return d > time.Duration(n)*time.Millisecond+never || d > 7 && d < ttl
}
`
	registered := func(read string) []string {
		prog := load(t, strings.Replace(text, "time.READ", read, 1))
		o, err := Instrument(t.Context(), prog, Index(prog), Options{})
		require.NoError(t, err)
		for name, file := range o.Files {
			if m := regexp.MustCompile(`RegisterDurations\((.*)\)`).FindStringSubmatch(string(file)); m != nil {
				require.Equal(t, "zz_vtrace_gen.go", name)
				return m[1:]
			}
		}
		return nil
	}
	require.Equal(t, []string{"7, 5000000000, 60000000000"}, registered("time.Now()"))
	require.Empty(t, registered("time.Second"))
}

// TestComparisons: the runtime compares durations and times itself, and is told of durations that
// are added to times or made numbers, unless nothing depends on that.
func TestComparisons(t *testing.T) {
	const text = `package main

import "time"

type ttl = time.Duration
type stamp struct{ time.Time }
type item struct {
	at  *time.Time
	ttl time.Duration
}

var start = time.Now()

func (i item) f(d ttl, t time.Time, n int64) any { return EXPR }

func main() {}
`
	wanted := map[string]string{
		"d > i.ttl":                             "zz.Compared(d , i.ttl) > 0",
		"i.ttl == d/2":                          "zz.Compared(i.ttl , d/2) == 0",
		"(d) <= 5 && 3 < d":                     "zz.Compared((d) , 5) <= 0 && zz.Compared(3 , d) < 0",
		"n > 5":                                 "n > 5",
		"time.Second > 1":                       "time.Second > 1",
		"t.After(start)":                        "zz.Moment(t).After(start)",
		"i.at.Before(t)":                        "zz.Moment(*i.at).Before(t)",
		"(*i.at).Equal(t)":                      "zz.Moment((*i.at)).Equal(t)",
		"t.Add(d).Compare(t)":                   "zz.Moment(t.Add(zz.Noted(d))).Compare(t)",
		"t.Add(time.Second)":                    "t.Add(time.Second)",
		"stamp{t}.Before(t)":                    "stamp{t}.Before(t)",
		"t.Sub(t)":                              "t.Sub(t)",
		"d.Seconds() > 5":                       "zz.Noted(d).Seconds() > 5",
		"float64(d) > 5":                        "float64(zz.Noted(d)) > 5",
		"int64(d/3)":                            "int64(zz.Noted(d/3))",
		"ttl(n)":                                "ttl(n)",
		"func() { println(t.IsZero(), d > 5) }": "func() { println(t.IsZero(), zz.Compared(d , 5) > 0) }",
	}
	texts := map[string]string{}
	for expr := range wanted {
		texts[expr] = strings.Replace(text, "EXPR", expr, 1)
	}
	loaded, file := programs.Together(t, texts)
	for expr, want := range wanted {
		prog := loaded[expr]
		o, err := Instrument(t.Context(), prog, Index(prog), Options{})
		require.NoError(t, err)
		_, got, _ := strings.Cut(string(o.Files[file[expr]]), ") any { return ")
		got, _, _ = strings.Cut(got, " }\n\nfunc main")
		require.Equal(t, want, strings.ReplaceAll(got, "zzorc", "zz"), expr)
	}
}

// TestHandler: in a program with a handler of logs something may depend on what is logged.
func TestHandler(t *testing.T) {
	const text = `package main

import (
	"context"
	"log/slog"
	"time"
)

type handler struct{ slog.Handler }

func (handler) Handle(context.Context, RECORD) error { return nil }

func main() { slog.Info("now", "at", time.Now()) }
`
	for record, kept := range map[string]bool{"slog.Record": true, "slog.Attr": false} {
		prog := load(t, strings.Replace(text, "RECORD", record, 1))
		o, err := Instrument(t.Context(), prog, Index(prog), Options{})
		require.NoError(t, err)
		require.Equal(t, kept, !strings.Contains(string(o.Files["main.go"]), ".Clock(0)."), record)
	}
}

// TestClockValue: who reads the clock through a variable of the package does so at the site of
// its declaration; what a variable is initialised with has none.
func TestClockValue(t *testing.T) {
	const text = `package main

import "time"

var start = time.Now()
var now, since = time.Now, time.Since
var clocks = []func() time.Time{func() time.Time { return time.Now() }}

func main() {}
`
	prog := load(t, text)
	idx := Index(prog)
	o, err := Instrument(t.Context(), prog, idx, Options{})
	require.NoError(t, err)
	lines := map[int]bool{}
	for _, m := range regexp.MustCompile(`\.Clock\((\d+)\)\.\w+`).FindAllStringSubmatch(string(o.Files["main.go"]), -1) {
		id, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		lines[idx.Site(sites.ID(id)).Line] = true
		require.True(t, id == 0 || strings.Contains(string(o.Files["zz_vtrace_gen.go"]), fmt.Sprintf("\t{%d, ", id)), "%s is not registered", m[0])
	}
	require.Equal(t, map[int]bool{0: true, 6: true, 7: true}, lines)
}

// TestBubbles: only a test that may call synctest.Test itself has a clock that is exact.
func TestBubbles(t *testing.T) {
	const text = `package main

import (
	"testing"
	"testing/synctest"
	"time"
)

type runner interface{ run(*testing.T) }
type plain struct{}
type exact struct{ n int }

func (plain) start(t *testing.T) { time.Now() }
func (*exact) run(t *testing.T) { synctest.Test(t, func(*testing.T) {}) }

type box[T any] struct{ v T }

func (box[T]) run2(t *testing.T) { synctest.Test(t, func(*testing.T) {}) }

func bubble[T any](t *testing.T, _ T) { synctest.Test(t, func(*testing.T) {}) }

func TestIt(t *testing.T) { BODY }

func TestOther(t *testing.T) { bubble(t, 1) }
`
	for _, tt := range []struct {
		body string
		want bool
	}{
		{"time.Now()", false},
		{"plain{}.start(t)", false},
		{"time.Now(); bubble(t, \"\")", true},
		{"time.Now(); var r runner = &exact{}; r.run(t)", true},
		{"time.Now(); box[int]{}.run2(t)", true},
		{"time.Now(); f := (&exact{}).run; f(t)", true},
		{"time.Now(); t.Run(\"\", func(t *testing.T) { bubble(t, 1) })", true},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "x_test.go": strings.Replace(text, "BODY", tt.body, 1)} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		}
		prog, err := source.Load(t.Context(), source.Spec{Dir: dir, Entry: "TestIt"})
		require.NoError(t, err)
		o, err := Instrument(t.Context(), prog, Index(prog), Options{})
		require.NoError(t, err)
		all := ""
		for _, f := range o.Files {
			all += string(f)
		}
		require.Equal(t, tt.want, strings.Contains(all, "RegisterBubbles()"), tt.body)
	}
}
