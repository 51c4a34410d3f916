// Package program has the SSA form of the program under check, and what follows from it before
// anything of it is executed: which functions can run, what a call may run, the control flow of
// functions, and what calls of the library do that is not translated.
//
// The call graph is that of variable type analysis, over the functions that rapid type analysis
// finds. It is completed with what the library does: functions that containers keep
// (container.go), methods that a library function calls, function types whose methods call them
// (forward.go), and calls that runs have shown (complete.go). Callees of a call is a superset of
// what it runs in any execution, but for reflection and for code outside of the program: a call
// without callees is one of which nothing is known, and not one that does nothing.
//
// What is known of a function without body is an Operation. Which there are is decided by the one
// who can execute them, and given to Build.
//
// All results are ordered by position and name, so that the same program gives the same model.
package program
