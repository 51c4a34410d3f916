// Package creation finds where the objects were made that goroutines wait for: channels, by
// calls of make, and locks, wait groups and the like, by the variable or the value that
// they are or are part of.
//
// It is read from the SSA form. What an operation works on is followed back: along the
// calls that have led to where the goroutine is, and to where it was started, as a run has
// recorded them; through variables that functions capture; through results of functions of the
// program; and through fields, to which everything belongs that is stored in that field of any
// value of the type. Where the calls are not known, as of a function that has put
// something in a field, it may be any in the program.
//
// A place is claimed only if everything that the operation may work on was made there.
// What comes out of maps, slices, channels, interfaces' methods and libraries is not followed, and
// then no place is claimed. An assembly or unsafe store to a field is not seen.
package creation
