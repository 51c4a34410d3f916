//go:build go1.25

package orcruntime

import (
	"reflect"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// What reflection does on channels is recorded as what the language does.
func TestRecordReflected(t *testing.T) {
	type ops struct {
		send      func(Site, chan int, int)
		recv      func(Site, chan int) (int, bool)
		trySend   func(Site, chan int, int) bool
		tryRecv   func(Site, chan int) bool
		close     func(Site, chan int)
		selecting func(site Site, a, b chan int) int // from a, or 7 to b
	}
	language := ops{
		send:    func(s Site, c chan int, v int) { To(c).Send(s, v) },
		recv:    func(s Site, c chan int) (int, bool) { return Recv2(s, c) },
		trySend: func(s Site, c chan int, v int) bool { return Select(s, true, To(c).Case(v)) == 0 },
		tryRecv: func(s Site, c chan int) bool { return Select(s, true, R(c)) == 0 },
		close:   func(s Site, c chan int) { Close(s, c) },
		selecting: func(s Site, a, b chan int) int {
			return Select(s, false, R(a), To(b).Case(7))
		},
	}
	on := func(s Site, c chan int) ReflectedChannel { return ReflectedOn(s, reflect.ValueOf(c)) }
	reflected := ops{
		send: func(s Site, c chan int, v int) { on(s, c).Send(reflect.ValueOf(v)) },
		recv: func(s Site, c chan int) (int, bool) {
			v, ok := on(s, c).Recv()
			return int(v.Int()), ok
		},
		trySend: func(s Site, c chan int, v int) bool { return on(s, c).TrySend(reflect.ValueOf(v)) },
		tryRecv: func(s Site, c chan int) bool {
			_, ok := on(s, c).TryRecv()
			return ok
		},
		close: func(s Site, c chan int) { on(s, c).Close() },
		selecting: func(s Site, a, b chan int) int {
			i, _, _ := ReflectedSelect(s, []reflect.SelectCase{
				{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(a)},
				{Dir: reflect.SelectSend, Chan: reflect.ValueOf(b), Send: reflect.ValueOf(7)},
			})
			return i
		},
	}
	program := func(o ops) func() {
		return func() {
			a, b := make(chan int), make(chan int, 1)
			others := runtime.NumGoroutine()
			defer func() { // the end of the goroutine is recorded, too
				for runtime.NumGoroutine() > others {
					runtime.Gosched()
				}
			}()
			Go(1, func() { o.send(2, a, 5) })
			v, ok := o.recv(3, a)
			require.Equal(t, 5, v)
			require.True(t, ok)
			require.True(t, o.trySend(4, b, 1))
			require.False(t, o.trySend(5, b, 1))
			require.True(t, o.tryRecv(6, b))
			require.False(t, o.tryRecv(7, b))
			require.Equal(t, 1, o.selecting(8, a, b))
			o.close(9, a)
			require.Equal(t, 0, o.selecting(10, a, b))
			_, ok = o.recv(11, a)
			require.False(t, ok)
			require.PanicsWithError(t, "send on closed channel", func() { o.send(12, a, 1) })
			require.PanicsWithError(t, "close of closed channel", func() { o.close(13, a) })
			require.PanicsWithError(t, "send on closed channel", func() { o.trySend(14, a, 1) })
		}
	}
	want, got := recordedIn(t, program(language)), recordedIn(t, program(reflected))
	require.NotEmpty(t, want.Goroutines[0].Events)
	require.Equal(t, want.Goroutines, got.Goroutines)
}

// What package reflect answers with a panic it does in a run, too, with the same words.
func TestReflectedMisuse(t *testing.T) {
	c := make(chan int)
	type hidden struct{ c chan int }
	one, text := reflect.ValueOf(1), reflect.ValueOf("a")
	for name, f := range map[string]func(ReflectedChannel) any{
		"send":     func(v ReflectedChannel) any { v.Send(one); return nil },
		"text":     func(v ReflectedChannel) any { v.Send(text); return nil },
		"nothing":  func(v ReflectedChannel) any { v.Send(reflect.Value{}); return nil },
		"try send": func(v ReflectedChannel) any { return v.TrySend(text) },
		"recv":     func(v ReflectedChannel) any { x, ok := v.Recv(); return []any{x, ok} },
		"try recv": func(v ReflectedChannel) any { x, ok := v.TryRecv(); return []any{x, ok} },
		"close":    func(v ReflectedChannel) any { v.Close(); return nil },
		"select": func(v ReflectedChannel) any {
			ReflectedSelect(1, []reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: v.Value}, {Dir: reflect.SelectRecv}})
			return nil
		},
		"select of a value": func(v ReflectedChannel) any {
			ReflectedSelect(1, []reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: v.Value, Send: one}})
			return nil
		},
		"select of a text": func(v ReflectedChannel) any {
			ReflectedSelect(1, []reflect.SelectCase{{Dir: reflect.SelectSend, Chan: v.Value, Send: text}})
			return nil
		},
		"two defaults": func(v ReflectedChannel) any {
			ReflectedSelect(1, []reflect.SelectCase{{Dir: reflect.SelectDefault}, {Dir: reflect.SelectDefault}})
			return nil
		},
		"default of a channel": func(v ReflectedChannel) any {
			ReflectedSelect(1, []reflect.SelectCase{{Dir: reflect.SelectDefault, Chan: v.Value}})
			return nil
		},
		"no direction": func(v ReflectedChannel) any { ReflectedSelect(1, []reflect.SelectCase{{}}); return nil },
		"many": func(v ReflectedChannel) any {
			ReflectedSelect(1, make([]reflect.SelectCase, maxReflected+1))
			return nil
		},
	} {
		for of, v := range map[string]reflect.Value{
			"no value": {}, "a number": one, "a receiver": reflect.ValueOf((<-chan int)(c)), "a sender": reflect.ValueOf((chan<- int)(c)),
			"a field": reflect.ValueOf(hidden{c}).Field(0),
		} {
			outcome := func() (out any) {
				defer func() {
					if v := recover(); v != nil {
						out = panicText(v)
					}
				}()
				return f(ReflectedOn(1, v))
			}
			switch name + " of " + of { // these may be done, and would wait
			case "select of a receiver", "recv of a receiver", "send of a sender", "close of a sender", "select of no value", "select of a text of no value":
				continue
			}
			want := outcome()
			var got any
			res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Chooser: FirstEnabled(), Main: func() { got = outcome() }})
			require.Empty(t, res.Outcome.Kind, "%s of %s: %s", name, of, res)
			require.Equal(t, want, got, "%s of %s", name, of)
		}
	}
}
