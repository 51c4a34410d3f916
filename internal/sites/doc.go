// Package sites numbers the program points of a Go program at which the order
// of goroutines matters. The translator, the instrumenter and the runtime speak
// of a program in these numbers and keys, so a step of a model is a step of the
// program.
//
// A site is an operation (a send, a lock, a go statement, ...), a point derived
// from one (the start of the goroutine that a go statement starts, the end of
// the entry function) or a statement. Sites are found on the syntax tree with
// type information, in one walk; Index.At leads from the positions that package
// go/ssa gives to its instructions to the sites.
//
// Numbers are dense and depend on the program's text only. A key names a site
// by its function and its ordinal in it, so that it survives edits elsewhere.
//
// What is known of each kind of site, and of the functions of the library that
// are operations, is in one table (operations.go), from which other packages
// derive what they know.
//
// Operations that library code performs on behalf of the program have no sites,
// but for the two functions that start callbacks, time.AfterFunc and
// context.AfterFunc. A call through a function value is no operation here: the
// place where the value was made is.
package sites
