// Package examples holds small real programs with known outcomes: faulty ones,
// whose errors vtrace must find and reproduce, and correct counterparts, on
// which it may report nothing. Each is committed as a main package in a
// directory of its own and can be checked with one command:
//
//	go run ./cmd/vtrace check ./examples/sequences
//
// The programs are templates with a size, so that scaling can be measured, and
// come as main packages or as packages with a test function; Command gen
// writes them. The expected error stands in a comment on its line:
//
//	close(ch) // want "close of closed channel"
//
// The programs below sdk embed vtrace: a script that goes pass by pass, an archive of bundles with
// an index, and a sketch of a plugin for an IDE; and an extension of VS Code.
package examples
