// Package explain says why an error comes about, in the words of the program: who waits for
// what, who has it, since where. It reads findings only, so that it explains those of a stored
// bundle too.
//
// [Cause] is one sentence. [Started] is the step in which a goroutine was started.
package explain
