// Package scratch makes directories for temporary files that outlive no process for long: those of
// a process that is killed are removed by the next one.
//
// All directories of a process lie in one below the directory of the system for temporary files. In
// that is a file which the process holds locked; the system gives the lock back however it ends.
package scratch
