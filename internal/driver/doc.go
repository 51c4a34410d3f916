// Package driver makes functions that no test calls into entry points: for each function it
// writes tests, the drivers, that call it with small values.
//
// [Find] reads the packages of a module, and returns the functions that use concurrency of
// their own with the drivers of each: one for each valuation of the parameters that matter. What
// matters is found by data flow, from what bounds loops, sizes channels and decides branches in code
// with concurrency back to parameters and to fields of what they hold. A driver is an ordinary test of the
// package. It is never written to disk, but is a file of an overlay, in which the tests of the
// package are left out.
//
// A driver is a caller that does what the documentation of most functions asks for, and no more: it
// reads the channels that it gets until nothing more can come, calls the functions that it gets, cancels
// contexts, and stops what it has made by the method that ends its goroutines. [Judge] says of an error
// that a driver has shown whether it is one of the function, or whether the driver has asked for
// it, by values that the function refuses, or by not doing what another caller might do.
//
// Nothing here is safe for concurrent use.
package driver
