// Package repeat shortens lists that repeat themselves, as the steps of a program in a loop do: a trace of a million steps of
// which all but a few are iterations of one loop takes as much room as those few.
//
// [Fold] leaves two iterations of each [Block] in the list, and [Unfold] makes the others again. They go on as the second
// goes on from the first: a number, also one within a text, grows by the same amount with each iteration; everything else
// is the same in all of them. What does not go on like that is not folded, so that Unfold gives back exactly what Fold was given.
package repeat
