package orcruntime

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

type (
	taken             struct{ n int }
	takenOf[T any]    struct{ v T }
	takenBy[K, V any] struct{ k K }
)

func (c taken) get() int         { return c.n }
func (c takenOf[T]) get() T      { return c.v }
func (c takenBy[K, V]) get() K   { return c.k }
func (c *takenBy[K, V]) set(k K) { c.k = k }
func (c *taken) set(n int)       { c.n = n }

// TestDynamicCopies: a call through an interface of a method that takes a copy reads what the
// pointer in it points to, whatever the type parameters of the type are.
func TestDynamicCopies(t *testing.T) {
	RegisterValueMethods("github.com/vtrace/vtrace/internal/orcruntime", "taken.get", "takenOf.get", "takenBy.get")
	type getter[T any] interface{ get() T }
	for _, p := range []struct {
		name   string
		v      any
		method string
		reads  bool
	}{
		{"a type", &taken{}, "get", true},
		{"another method", &taken{}, "set", false},
		{"a value", taken{}, "get", false},
		{"a generic type", &takenOf[int]{}, "get", true},
		{"of a type of a package", &takenOf[reflect.Value]{}, "get", true},
		{"of a generic type", &takenOf[takenOf[string]]{}, "get", true},
		{"two parameters", &takenBy[string, []int]{}, "get", true},
		{"another method of it", &takenBy[string, []int]{}, "set", false},
		{"nothing", nil, "get", false},
		{"a nil pointer", (*taken)(nil), "get", false},
	} {
		t.Run(p.name, func(t *testing.T) {
			res := Run(Config{Bubble: bubble(t), Races: true, Chooser: FirstEnabled(), Main: func() {
				done := make(chan bool)
				Go(1, func() { RdDynamic(2, p.v, p.method); Close(5, done) })
				switch v := p.v.(type) {
				case *taken:
					if v != nil {
						v.set(1)
						Wr(3, v)
					}
				case *takenOf[int]:
					Wr(3, v)
				case *takenOf[reflect.Value]:
					Wr(3, v)
				case *takenOf[takenOf[string]]:
					Wr(3, v)
				case *takenBy[string, []int]:
					v.set("x")
					Wr(3, v)
				}
				Recv(4, done)
			}})
			require.Equal(t, p.reads, len(res.Races) > 0, "%s", res)
		})
	}
	var _ getter[int] = taken{}
	var _ getter[int] = takenOf[int]{}
	var _ getter[int] = takenBy[int, int]{}
}
