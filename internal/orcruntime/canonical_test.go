package orcruntime

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCanonicalAddresses: keys that differ in addresses only, wherever a key has them, come in
// the order in which the run has seen them, whatever that of the addresses is.
func TestCanonicalAddresses(t *testing.T) {
	type point [2]int
	type inner struct{ p *point }
	for name, key := range map[string]func(p *point, c chan int) any{
		"pointer": func(p *point, _ chan int) any { return p },
		"channel": func(_ *point, c chan int) any { return c },
		"field":   func(p *point, _ chan int) any { return struct{ p *point }{p} },
		"second field": func(p *point, _ chan int) any {
			return struct {
				n int
				p *point
			}{1, p}
		},
		"field of a field":         func(p *point, _ chan int) any { return struct{ in inner }{inner{p}} },
		"field that is a channel":  func(_ *point, c chan int) any { return struct{ c chan int }{c} },
		"element":                  func(p *point, _ chan int) any { return [1]*point{p} },
		"second element":           func(p *point, _ chan int) any { return [2]*point{nil, p} },
		"field of an element":      func(p *point, _ chan int) any { return [1]inner{{p}} },
		"interface":                func(p *point, _ chan int) any { return struct{ v any }{p} },
		"struct in an interface":   func(p *point, _ chan int) any { return struct{ v any }{inner{p}} },
		"element in an interface":  func(p *point, _ chan int) any { return [1]any{inner{p}} },
		"channel in an interface":  func(_ *point, c chan int) any { return [1]any{c} },
		"interface in a structure": func(p *point, _ chan int) any { return struct{ in struct{ v any } }{struct{ v any }{p}} },
	} {
		t.Run(name, func(t *testing.T) {
			const n = 3
			var points [n]point // equal, at ascending addresses
			var channels [n]chan int
			for i := range channels {
				channels[i] = make(chan int)
			}
			for _, order := range [][n]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
				keys := make([]reflect.Value, n)
				for i := range keys {
					keys[i] = reflect.ValueOf(key(&points[i], channels[i]))
				}
				s := &run{}
				for _, i := range order { // as they are inserted
					canonical{s}.number(keys[i])
				}
				place := map[any]int{}
				for i, k := range keys {
					place[k.Interface()] = i
				}
				sorted := []reflect.Value{keys[0], keys[1], keys[2]}
				require.True(t, sortValues(s, sorted))
				var got [n]int
				for i, k := range sorted {
					got[i] = place[k.Interface()]
				}
				require.Equal(t, order, got, fmt.Sprint(order))
			}
			// Who has not seen them does not tell them apart.
			require.False(t, sortValues(&run{}, []reflect.Value{reflect.ValueOf(key(&points[0], channels[0])), reflect.ValueOf(key(&points[1], channels[1]))}))
		})
	}
}
