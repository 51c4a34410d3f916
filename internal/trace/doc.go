// Package trace has the types of a recorded run: what each goroutine was about to do, and what it
// has done, in its own order. There is no order between goroutines but the one that partners make:
// a receive names its send, a lock the unlock before it, a goroutine the statement that has started it.
//
// Traces have a text form that people can write, which Parse reads and Format writes.
// Everything here is data: values may be read by several goroutines at once, and written by one.
package trace
