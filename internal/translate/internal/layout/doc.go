// Package layout says which scalars the values of a program consist of, and which of them the model
// keeps.
//
// Memory is a sequence of cells, each of which holds one scalar. An object occupies consecutive
// cells; a reference is the address of a cell, 0 is nil. So a pointer into an object, to a field or
// an element, is a number like any other, and two pointers alias if they are equal. Functions are
// objects too. An interface value is its dynamic type and its value, a slice the address of its
// first element, its length and its capacity; structs and arrays are what is in them, one after the
// other. What is too large, or of a package without source, is one scalar of which nothing is
// known. Types of the library are kept by what they do (library.go).
//
// A control state keeps what is live in the activations of its stack (live.go).
package layout
