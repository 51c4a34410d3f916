package exploration

import (
	"math/bits"

	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// A cells maps addresses of memory to what a path has written there. It is a persistent radix tree:
// paths that fork share it, and who writes copies only the nodes above the address that others have
// too. Where two paths meet, what they share need not be compared. The zero cells is empty.
type cells struct {
	root   *cellNode
	height int // levels of nodes below the root
	n      int // addresses with a value
	owner  *cellOwner
}

// A cellNode is shared by all that have it, and may be changed only by its owner.
type cellNode struct {
	owner *cellOwner
	// joined: a value here, or one that was here before, is made where paths have met.
	joined   bool
	children *[cellFanOut]*cellNode
	values   *[cellFanOut]*sym.Expr // of the lowest level, which has no children
}

// A cellOwner stands for one that may change nodes. It is not empty: two of them would be one.
type cellOwner struct{ _ byte }

const (
	cellBits   = 5
	cellFanOut = 1 << cellBits
)

// share returns the cells for another path.
func (t *cells) share() cells {
	t.owner = nil // from now on none of the two may change a node
	return *t
}

// get returns the value at an address, nil for none.
func (t *cells) get(addr int32) *sym.Expr {
	n := t.root
	if n == nil || !t.covers(addr) {
		return nil
	}
	for level := t.height; level > 0; level-- {
		if n = n.children[index(addr, level)]; n == nil {
			return nil
		}
	}
	return n.values[index(addr, 0)]
}

// set writes a value at an address, neither of which is negative or nil.
func (t *cells) set(addr int32, e *sym.Expr) {
	if t.owner == nil {
		t.owner = &cellOwner{}
	}
	for t.root != nil && !t.covers(addr) {
		above := t.node(t.height + 1)
		above.children[0], above.joined = t.root, t.root.joined
		t.root, t.height = above, t.height+1
	}
	if t.root == nil {
		t.height = (bits.Len32(uint32(addr)|1) - 1) / cellBits
	}
	at := &t.root
	for level := t.height; ; level-- {
		n := t.owned(at, level)
		n.joined = n.joined || e.Joined
		if level == 0 {
			v := &n.values[index(addr, 0)]
			if *v == nil {
				t.n++
			}
			*v = e
			return
		}
		at = &n.children[index(addr, level)]
	}
}

// covers: the tree is high enough for an address.
func (t *cells) covers(addr int32) bool { return addr>>(cellBits*(t.height+1)) == 0 }

// index is which of the children of a node on a level is above an address.
func index(addr int32, level int) int { return int(addr>>(cellBits*level)) & (cellFanOut - 1) }

// owned is the node at a place, made or copied if the cells may not change it.
func (t *cells) owned(at **cellNode, level int) *cellNode {
	old := *at
	if old != nil && old.owner == t.owner {
		return old
	}
	n := t.node(level)
	if old != nil {
		n.joined = old.joined
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
func (t *cells) node(level int) *cellNode {
	if level == 0 {
		n := &struct {
			cellNode
			values [cellFanOut]*sym.Expr
		}{}
		n.owner, n.cellNode.values = t.owner, &n.values
		return &n.cellNode
	}
	n := &struct {
		cellNode
		children [cellFanOut]*cellNode
	}{}
	n.owner, n.cellNode.children = t.owner, &n.children
	return &n.cellNode
}

// written appends the addresses with a value, in order.
func (t *cells) written() []int32 {
	out := make([]int32, 0, t.n)
	pairsOf(t.root, nil, t.height, 0, func(_, _ *cellNode) bool { return false }, func(addr int32, _, _ *sym.Expr) bool {
		out = append(out, addr)
		return true
	})
	return out
}

// differing are the addresses, in order, at which two paths have other values, or one that is made
// where paths have met.
func (t *cells) differing(u *cells) []int32 {
	var out []int32
	t.pairs(u, func(n, o *cellNode) bool { return n == o && !n.joined }, func(addr int32, a, b *sym.Expr) bool {
		if a != b || b.Joined {
			out = append(out, addr)
		}
		return true
	})
	return out
}

// same: the values of two paths are the same at all addresses.
func (t *cells) same(u *cells, same func(a, b *sym.Expr) bool) bool {
	return t.n == u.n && t.pairs(u, func(n, o *cellNode) bool { return n == o }, func(_ int32, a, b *sym.Expr) bool {
		return same(a, b)
	})
}

// pairs visits the addresses at which one of two paths has a value, in order, until visit says no,
// but those below nodes for which skip says yes. It reports whether it has come to the end.
func (t *cells) pairs(u *cells, skip func(n, o *cellNode) bool, visit func(addr int32, a, b *sym.Expr) bool) bool {
	low, high := t, u
	if t.height > u.height {
		low, high = u, t
	}
	// What the higher one has beside the first child of its uppermost levels has no counterpart.
	raised := low.root
	for level := low.height; raised != nil && level < high.height; level++ {
		raised = &cellNode{children: &[cellFanOut]*cellNode{raised}, joined: raised.joined}
	}
	n, o := raised, high.root
	if low == u {
		n, o = high.root, raised
	}
	return pairsOf(n, o, high.height, 0, skip, visit)
}

// pairsOf is pairs for two nodes of one level, of which one or both may be missing, above the
// addresses from first on.
func pairsOf(n, o *cellNode, level int, first int32, skip func(n, o *cellNode) bool, visit func(addr int32, a, b *sym.Expr) bool) bool {
	if n == nil && o == nil || skip(n, o) {
		return true
	}
	for i := range cellFanOut {
		addr := first + int32(i)<<(cellBits*level)
		if level == 0 {
			var a, b *sym.Expr
			if n != nil {
				a = n.values[i]
			}
			if o != nil {
				b = o.values[i]
			}
			if (a != nil || b != nil) && !visit(addr, a, b) {
				return false
			}
			continue
		}
		var c, d *cellNode
		if n != nil {
			c = n.children[i]
		}
		if o != nil {
			d = o.children[i]
		}
		if !pairsOf(c, d, level-1, addr, skip, visit) {
			return false
		}
	}
	return true
}
