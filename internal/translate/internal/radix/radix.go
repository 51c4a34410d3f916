package radix

import "math/bits"

// A Tree maps integers to values. Trees share nodes with those that Share has made of them, and a
// tree copies a node before it changes it, so that a fork takes no time, and writing takes as long
// as the tree is high. The zero tree is empty. Trees may be copied only by Share.
type Tree[V any] struct {
	root   *node[V]
	height int // levels of nodes below the root
	n      int
	owner  *owner
}

// A node is shared by all trees that have it, and may be changed only by its owner.
type node[V any] struct {
	owner    *owner
	marked   bool   // a value here is, or was, marked
	has      uint32 // of the lowest level: which of its values there are
	children *[fanOut]*node[V]
	values   *[fanOut]V // of the lowest level, which has no children
}

// An owner stands for a tree that may change nodes. It is not empty: two of them would be one.
type owner struct{ _ byte }

const (
	indexBits = 5
	fanOut    = 1 << indexBits // bits of node.has
)

// Share returns another tree with the same values.
func (t *Tree[V]) Share() Tree[V] {
	t.owner = nil // from now on neither of the two may change a node
	return *t
}

// Len is the number of values.
func (t *Tree[V]) Len() int { return t.n }

// Get returns the value of a key, and whether there is one.
func (t *Tree[V]) Get(key int32) (v V, ok bool) {
	n := t.root
	if n == nil || !t.covers(key) {
		return v, false
	}
	for level := t.height; level > 0; level-- {
		if n = n.children[index(key, level)]; n == nil {
			return v, false
		}
	}
	i := index(key, 0)
	return n.values[i], n.has>>i&1 != 0
}

// Set gives a key, which is not negative, a value. Differing visits marked values in any case.
func (t *Tree[V]) Set(key int32, v V, marked bool) {
	if t.owner == nil {
		t.owner = &owner{}
	}
	if t.root == nil {
		t.height = (bits.Len32(uint32(key)|1) - 1) / indexBits
	}
	for !t.covers(key) {
		above := t.node(t.height + 1)
		above.children[0], above.marked = t.root, t.root.marked
		t.root, t.height = above, t.height+1
	}
	at := &t.root
	for level := t.height; ; level-- {
		n := t.owned(at, level)
		n.marked = n.marked || marked
		i := index(key, level)
		if level == 0 {
			if n.has>>i&1 == 0 {
				n.has |= 1 << i
				t.n++
			}
			n.values[i] = v
			return
		}
		at = &n.children[i]
	}
}

// covers: the tree is high enough for a key.
func (t *Tree[V]) covers(key int32) bool { return key>>(indexBits*(t.height+1)) == 0 }

// index is which of the children of a node on a level has a key.
func index(key int32, level int) int { return int(key>>(indexBits*level)) & (fanOut - 1) }

// owned is the node at a place, made or copied if the tree may not change it.
func (t *Tree[V]) owned(at **node[V], level int) *node[V] {
	old := *at
	if old != nil && old.owner == t.owner {
		return old
	}
	n := t.node(level)
	if old != nil {
		n.marked, n.has = old.marked, old.has
		if level == 0 {
			*n.values = *old.values
		} else {
			*n.children = *old.children
		}
	}
	*at = n
	return n
}

// node makes an empty node, in one piece.
func (t *Tree[V]) node(level int) *node[V] {
	if level == 0 {
		n := &struct {
			node[V]
			values [fanOut]V
		}{}
		n.owner, n.node.values = t.owner, &n.values
		return &n.node
	}
	n := &struct {
		node[V]
		children [fanOut]*node[V]
	}{}
	n.owner, n.node.children = t.owner, &n.children
	return &n.node
}

// Keys are the keys with a value, in order.
func (t *Tree[V]) Keys() []int32 {
	out := make([]int32, 0, t.n)
	all := walk[V]{func(_, _ *node[V]) bool { return false }, func(key int32, _, _ *V) bool {
		out = append(out, key)
		return true
	}}
	all.nodes(t.root, nil, t.height, 0)
	return out
}

// Differing visits the keys that may have other values in two trees, or of which the value is
// marked in both, in order. A value that a tree does not have is nil. Keys below nodes that the
// trees share, and that have no marked values, are not among them; others with equal values may be.
func (t *Tree[V]) Differing(u *Tree[V], visit func(key int32, a, b *V)) {
	t.both(u, walk[V]{func(n, o *node[V]) bool { return n == o && !n.marked }, func(key int32, a, b *V) bool {
		visit(key, a, b)
		return true
	}})
}

// EqualFunc reports whether two trees have values for the same keys, which are the same.
func (t *Tree[V]) EqualFunc(u *Tree[V], same func(a, b V) bool) bool {
	return t.n == u.n && t.both(u, walk[V]{func(n, o *node[V]) bool { return n == o }, func(_ int32, a, b *V) bool {
		return a != nil && b != nil && same(*a, *b)
	}})
}

// A walk visits the values of two trees in the order of their keys, until visit says no, but not
// those below nodes that are skipped.
type walk[V any] struct {
	skip  func(n, o *node[V]) bool
	visit func(key int32, a, b *V) bool
}

// both walks over two trees, and reports whether it has come to the end.
func (t *Tree[V]) both(u *Tree[V], w walk[V]) bool {
	n, o := t.root, u.root
	for level := t.height; n != nil && level < u.height; level++ {
		n = raised(n)
	}
	for level := u.height; o != nil && level < t.height; level++ {
		o = raised(o)
	}
	return w.nodes(n, o, max(t.height, u.height), 0)
}

// raised is a node whose first child is n.
func raised[V any](n *node[V]) *node[V] {
	return &node[V]{children: &[fanOut]*node[V]{n}, marked: n.marked}
}

// nodes walks over two nodes of one level, of which one or both may be missing. Their keys begin
// with first.
func (w *walk[V]) nodes(n, o *node[V], level int, first int32) bool {
	if n == nil && o == nil || w.skip(n, o) {
		return true
	}
	if level == 0 {
		return w.values(n, o, first)
	}
	for i := range fanOut {
		var c, d *node[V]
		if n != nil {
			c = n.children[i]
		}
		if o != nil {
			d = o.children[i]
		}
		if !w.nodes(c, d, level-1, first+int32(i)<<(indexBits*level)) {
			return false
		}
	}
	return true
}

// values visits those of two nodes of the lowest level.
func (w *walk[V]) values(n, o *node[V], first int32) bool {
	for i := range fanOut {
		a, b := n.value(i), o.value(i)
		if (a != nil || b != nil) && !w.visit(first+int32(i), a, b) {
			return false
		}
	}
	return true
}

func (n *node[V]) value(i int) *V {
	if n == nil || n.has>>i&1 == 0 {
		return nil
	}
	return &n.values[i]
}
