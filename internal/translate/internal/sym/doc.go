// Package sym has the symbolic values of the model: expressions over the state in which a segment
// begins, and the sets of integers that they can be.
//
// Expressions are built by functions that simplify: what is constant is folded, sums are sorted so
// that counters stay small, and a comparison of a choice becomes its condition. The result has the
// same value as what was asked for in every state in which that has one; what leaves 32 bits is
// unknown. They share their parts, so that as trees they may be far larger than they are: all
// functions take as long as there are parts.
//
// Sets are the abstract domain in which the translation comes to a fixed point: a few integers, an
// interval, or anything. Evaluate is sound: whatever an expression is in a state in which its
// leaves are in their sets, is in the set of the expression.
//
// What an expression reads, it knows by the interface Leaf only; so nothing here depends on how the
// state is made.
package sym
