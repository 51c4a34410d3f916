// Package frames finds the functions of a program, in SSA form, that the stacks of its runs
// name, and the calls between them: what happened in a run can be followed in the source.
//
// A run is one of the instrumented program, which has more function literals than the source. So a
// function is found by its package, the file and the line, and by how deep it is in literals at most.
package frames
