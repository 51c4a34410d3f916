package orcruntime

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// own is a type of an instrumented package, as this one is taken to be.
type own struct{ _ int }

func (*own) Write(p []byte) (int, error) { return len(p), nil }

type ownAround struct{ own }

type ownAroundForeign struct{ *bytes.Buffer }

type ownAroundInterface struct{ io.Writer }

type ownWith struct{ buffer *bytes.Buffer }

var _ = ownWith{buffer: nil} // what is behind the field is looked at by reflection

// calls are the ways to call what may be a function or a method of a library.
var calls = []struct {
	name string
	of   func(f func(string) string, within func())
	// on is for a method of x.
	on func(x any, within func())
}{
	{"LibFunc", func(f func(string) string, within func()) {
		LibFunc(3, f)
		within()
		EndFunc(f)
	}, func(x any, within func()) {
		LibIface(3, x)
		within()
		EndIface(x)
	}},
	{"LibFunc, Back", func(f func(string) string, within func()) {
		m := LibFunc(3, f)
		within()
		Back(m)
	}, func(x any, within func()) {
		m := LibIface(3, x)
		within()
		Back1(m, 1)
	}},
	{"IsForeign", nil, func(x any, within func()) {
		m := LibIf(IsForeign(x))
		within()
		Back(m)
	}},
	{"Ready", func(f func(string) string, within func()) {
		m := Depth()
		ReadyFunc(3, f, 1)
		within()
		Back(m)
	}, func(x any, within func()) {
		m := Depth()
		ReadyIface(3, x, 1)
		within()
		Back(m)
	}},
	{"Begun", func(f func(string) string, within func()) {
		Begun(3, f)
		within()
		Ended()
	}, func(x any, within func()) {
		On(3, x)
		within()
		Ended1(1)
	}},
	{"Starts", func(f func(string) string, within func()) {
		Starts(f)
		ReadyBegun(3, 1)
		within()
		Ended2(1, 2)
	}, func(x any, within func()) {
		StartsOn(x)
		ReadyBegun(3, 1)
		within()
		Ended3(1, 2, 3)
	}},
	{"a call within a call", func(f func(string) string, within func()) {
		Starts(f)
		Begun(4, func() {})
		Ended()
		ReadyBegun(3, 1)
		within()
		Ended4(1, 2, 3, 4)
	}, nil},
}

// requireLibrary runs programs in which a call is all that could order the read after the write, before
// or behind one of a library.
func requireLibrary(t *testing.T, name string, library bool, call func(within func())) {
	t.Helper()
	check := func(name string, within bool) {
		g := active.Load().caller()
		depth := 0
		if within && library {
			depth = 1
		}
		require.Equal(t, depth, g.library, "%s", name)
		if !within {
			require.Empty(t, g.begun, "%s", name)
		}
	}
	called := func() {
		call(func() { check(name, true) })
		check(name, false)
	}
	requireEdge(t, name+", a library", library, func(x *meeting) {
		x.start(func() { x.write(); called() }, func() { Access(5); Back(Lib(4)); x.readLater() })
	})
	requireEdge(t, "a library, "+name, library, func(x *meeting) {
		x.start(func() { x.write(); Back(Lib(4)) }, func() { Access(5); called(); x.readLater() })
	})
}

// instrumentedHere takes this package for instrumented, as long as the test runs.
func instrumentedHere(t *testing.T) {
	reset := func() {
		instrumented.Lock()
		defer instrumented.Unlock()
		instrumented.packages, instrumented.foreign, instrumented.unlocked = nil, nil, nil
	}
	reset()
	RegisterPackage(reflect.TypeFor[own]().PkgPath())
	t.Cleanup(reset)
}

// TestLibraryCalls: a function or method of uninstrumented code may order goroutines, and
// ends where it returns; one of the program's orders nothing by itself.
func TestLibraryCalls(t *testing.T) {
	instrumentedHere(t)
	for _, c := range calls {
		for name, f := range map[string]struct {
			f       func(string) string
			library bool
		}{
			"a function of a library": {strings.ToUpper, true},
			"a function of its own":   {func(s string) string { return s }, false},
			"no function":             {nil, false},
			"a method of a library":   {strings.NewReplacer().Replace, true},
		} {
			if c.of != nil {
				requireLibrary(t, c.name+" of "+name, f.library, func(within func()) { c.of(f.f, within) })
			}
		}
		for name, x := range map[string]struct {
			x       any
			library bool
		}{
			"a value of a library":                          {new(bytes.Buffer), true},
			"a value of its own":                            {new(own), false},
			"one around a value of its own":                 {new(ownAround), false},
			"one around a value of a library":               {new(ownAroundForeign), true},
			"one around any":                                {ownAroundInterface{new(own)}, true},
			"one with a value of a library":                 {new(ownWith), false},
			"a value without a type of a name":              {new(struct{ io.Writer }), true},
			"a function of its own as a value of a library": {http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), false},
			"a function of a library as one":                {http.HandlerFunc(http.NotFound), true},
			"no function as one":                            {http.HandlerFunc(nil), false},
			"nil":                                           {nil, false},
		} {
			if c.on != nil {
				requireLibrary(t, c.name+" of "+name, x.library, func(within func()) { c.on(x.x, within) })
			}
		}
	}
	requireLibrary(t, "Lib", true, func(within func()) {
		m := Lib(3)
		within()
		Back(m)
	})
	requireLibrary(t, "Lib, End", true, func(within func()) {
		Lib(3)
		within()
		Back2(1, 2)
	})
	requireLibrary(t, "Depth, Ready", true, func(within func()) {
		m := Depth()
		Ready(3, 1)
		within()
		Back(m)
	})
	requireLibrary(t, "a panic in a library", true, func(within func()) {
		m := Lib(3)
		func() {
			defer func() { _ = recover() }()
			within()
			Lib(0) // which is not ended
			panic("in a library")
		}()
		Back(m)
	})
}

// TestForwarding: a call that forwards to what is behind its operands orders goroutines only
// if something there may.
func TestForwarding(t *testing.T) {
	instrumentedHere(t)
	RegisterUnlocked("bytes.Buffer", "bufio.Writer", "bufio.Reader", "strings.Reader")
	file, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer file.Close()
	many := make([]any, maxOperandWalk+1)
	for name, c := range map[string]struct {
		operands []any
		library  bool
	}{
		"nothing":                       {nil, false},
		"nil":                           {[]any{nil}, false},
		"numbers and texts":             {[]any{1, "text", []byte("text"), 1.5, map[string]int{}}, false},
		"a standard stream":             {[]any{os.Stdout, os.Stderr}, false},
		"a file":                        {[]any{file}, true},
		"a file behind others":          {[]any{1, "text", file}, true},
		"a file in a slice":             {[]any{[]any{1, file}}, true},
		"a channel":                     {[]any{make(chan int)}, true},
		"a lock":                        {[]any{new(sync.Mutex)}, true},
		"channels in a map":             {[]any{map[string]chan int{}}, true},
		"channels in a struct":          {[]any{struct{ n, c any }{1, make(chan int)}}, true},
		"a function of its own":         {[]any{func() {}}, false},
		"a function of a library":       {[]any{strings.ToUpper}, true},
		"a function that keeps nothing": {[]any{bufio.ScanLines}, false},
		"a value of its own":            {[]any{new(own), own{}}, false},
		"one around a value of its own": {[]any{new(ownAround)}, false},
		"one around a file":             {[]any{ownAroundInterface{file}}, true},
		"one around a buffer":           {[]any{ownAroundForeign{new(bytes.Buffer)}}, false},
		"a buffer":                      {[]any{new(bytes.Buffer)}, false},
		"a writer to a buffer":          {[]any{bufio.NewWriter(new(bytes.Buffer))}, false},
		"a writer to its own":           {[]any{bufio.NewWriter(new(own))}, false},
		"a writer to a file":            {[]any{bufio.NewWriter(file)}, true},
		"a reader of a text":            {[]any{bufio.NewReader(strings.NewReader("text"))}, false},
		"writers to its own":            {[]any{io.MultiWriter(new(own), new(own))}, false},
		"writers, one to a file":        {[]any{io.MultiWriter(new(own), file)}, true},
		"a pipe":                        {[]any{first(io.Pipe())}, true},
		"an error":                      {[]any{errors.New("text")}, false},
		"an error around another":       {[]any{fmt.Errorf("around: %w", errors.New("text"))}, false},
		"a time":                        {[]any{time.Time{}, time.UTC}, false},
		"more than is looked at":        {many, true},
	} {
		requireLibrary(t, name, c.library, func(within func()) {
			LibOf(3, 1, c.operands...)
			within()
			EndOf(1, c.operands...)
		})
		requireLibrary(t, name+", begun", c.library, func(within func()) {
			BegunOf(3, 1, func() {}, c.operands...)
			within()
			Ended()
		})
		requireLibrary(t, name+", of a library's function", c.library, func(within func()) {
			Starts(strings.ToUpper)
			ReadyBegunOf(3, 1, 1, c.operands...)
			within()
			Ended()
		})
		requireLibrary(t, name+", ready", c.library, func(within func()) {
			m := Depth()
			ReadyOf(3, 1, 1, c.operands...)
			within()
			Back(m)
		})
	}
}

func first[A, B any](a A, _ B) A { return a }

// TestForwardingUses: what a call forwards to is changed by it, as if the call stood there: two goroutines that read from one
// buffer through readers of their own are not ordered, unless these readers have a buffer each.
func TestForwardingUses(t *testing.T) {
	instrumentedHere(t)
	RegisterUnlocked("bytes.Buffer", "bufio.Reader")
	registerPlaces(t)
	for _, shared := range []bool{true, false} {
		text := new(bytes.Buffer)
		first, second := bufio.NewReader(text), bufio.NewReader(text)
		if !shared {
			second = bufio.NewReader(new(bytes.Buffer))
		}
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Main: func() {
			Go(1, func() { EndOf(1<<20, first) })
			EndOf(1<<20, second)
		}})
		require.Equal(t, shared, len(res.Unordered) > 0, "%s", res)
	}
}

// registerPlaces says that the program records accesses, as long as the test runs.
func registerPlaces(t *testing.T) {
	RegisterPlaces([]PlaceInfo{{ID: 1 << 20, File: "p.go", Line: 1, Text: "n"}})
	t.Cleanup(func() {
		program.Lock()
		defer program.Unlock()
		program.accesses = nil
	})
}
