// Package source loads the program under check: the packages of one Go module
// or workspace that an entry point, main or a test function, depends on, with
// syntax, types and the bytes of every file that a bundle has to carry.
//
// Packages of the main modules are "own" packages: they are translated and
// instrumented. Everything else, the standard library and the module cache, is
// "foreign": known by its types only.
package source
