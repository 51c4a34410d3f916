// Package termination says which loops of a program end, and how many iterations they have, as far
// as their form shows it. That a loop does not end by its form says nothing: it may end for other
// reasons.
//
// # Which loops end by their form
//
// A loop is a natural loop of the control flow graph: a header, and the blocks from which
// the header is reached again without leaving what it dominates. An iteration is a path around
// it, from the header to the header. The loop ends by its form if no run of the program
// has infinitely many iterations one after the other. That is so if one block of the loop is
// on every iteration, which is to say that it dominates all blocks that go back to the header,
// and ends in a branch of which one side leaves the loop, where the side that stays is
// taken only finitely often:
//
//   - The branch asks whether an iterator over a string or a map that was made before the
//     loop has another element. A string does not change. The runtime goes over the hashes
//     of a map once, in a fixed order; what is added meanwhile is met at most once.
//   - The branch compares a counter with a limit (see counts), where
//     (1) the counter is, up to a constant, an integer variable of the header, whose value
//     for the next iteration is on each path back another constant added to that of this
//     iteration, all of them positive or all negative: no path around leaves the step out;
//     (2) the limit is the same in all iterations: it is computed before the loop, or in it from
//     what is (see same), and memory that it reads is not written meanwhile (see steady);
//     (3) the comparison lets the loop go on only on the side of the limit that the counter
//     comes from; and
//     (4) from the last value of the counter with which it goes on the next step does not
//     wrap around, but comes to a value with which it does not.
//
// By (1) and (4) the values that are compared are a sequence of integers that rises (or
// falls) as long as the loop goes on, and by (2) and (3) it is bounded. Nothing is said of
// how long that takes. In particular the loop over an int that begins at a number near zero
// does not wrap around for all that anybody can tell (see farIterations).
//
// That every loop of a function ends means that the function goes on, if its cycles are
// natural loops: of the blocks that a run comes to infinitely often, the first one in the
// order of dominance is the header of a loop with all of them, and is passed infinitely
// often. Cycles with several entries, which only goto makes, are not looked into.
//
// # How many iterations a loop has
//
// Iterations counts the iterations of loops that count up by one from a constant to another one. It is
// never less than what a run does.
package termination
