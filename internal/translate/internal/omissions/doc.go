// Package omissions finds what the model of a program leaves out and loses something by, as far as
// that shows in the program alone, before anything of it is executed.
//
// Calls of functions whose source is not part of the program are left out of the model. That loses
// something only where such a function is given what it can act on: a channel, a synchronisation
// object, or code of the program that matters to its concurrency, as a function or as the methods of
// a value; or a slice or map that it may write, and that the program looks at (Calls). Loops without
// operations are left out, too: the model takes it for granted that they end, which is noted where their
// form does not show it (Loops). And so is TestMain, which runs around a test (TestMain).
//
// What is not noted here loses nothing, or does so where it is executed, and is noted there.
package omissions
