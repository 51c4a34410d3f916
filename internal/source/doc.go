// Package source loads the program under check: the packages of one Go module
// or workspace that an entry point, main or a test function, depends on, with
// syntax, types and the bytes of every file that a bundle has to carry.
//
// Packages of the main modules are "own" packages: they are translated and
// instrumented. So are those of other modules that Spec.Deps matches. Everything
// else is "foreign": known by its types only. Of the standard library, which
// cannot be instrumented, containers are translated, from the source that comes
// with Go (Program.Library).
package source
