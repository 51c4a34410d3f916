// Package radix is a persistent map from integers to values: a radix tree of which forks share what
// none of them has changed, so that two of them are compared in the time that their differences
// take. Paths keep in such trees what memory holds.
//
// The way in which a tree owns the nodes that it may change in place is that of the transients of
// Clojure; a tree of this kind where two of them are merged is described by C. Okasaki and A. Gill,
// Fast Mergeable Integer Maps (ML Workshop, 1998).
package radix
