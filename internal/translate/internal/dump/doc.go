// Package dump prints what the stages of a translation have found, for those who work on the translator
// or want to know why a model is as it is: what the slice keeps, what is taken for true of the whole
// program, and the solution, which is every location with what its variables and the memory can hold.
//
// A dump is complete and its order is fixed, so that two of them can be compared: a stage that is
// repeated must print the same again.
package dump
