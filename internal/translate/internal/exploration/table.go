package exploration

import "maps"

// A table is a map that paths share until one of them changes it. The zero table is
// empty.
type table[K comparable, V any] struct {
	m     map[K]V
	users *int // how many use m; nil for one
}

// share returns the table for another path.
func (t *table[K, V]) share() table[K, V] {
	if t.users == nil {
		t.users = new(int)
		*t.users = 1
	}
	*t.users++
	return *t
}

// own makes sure that nobody else uses the map.
// Of users that are gone nobody knows, so that the last one may copy what is its own: that costs time only.
func (t *table[K, V]) own() {
	switch {
	case t.m == nil:
		t.m, t.users = map[K]V{}, nil
	case t.users != nil && *t.users > 1:
		*t.users--
		t.m, t.users = maps.Clone(t.m), nil
	}
}

func (t *table[K, V]) set(k K, v V) {
	t.own()
	t.m[k] = v
}

func (t *table[K, V]) remove(k K) {
	if _, ok := t.m[k]; ok {
		t.own()
		delete(t.m, k)
	}
}
