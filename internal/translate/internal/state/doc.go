// Package state has what the translation of a program collects: the state of the model while it
// grows, as data without the rules by which it does.
//
// A Template is the automaton of the goroutines that one go statement starts in one calling
// context. It has Locations, each of them a stack of Frames in front of a guard, Edges between
// them, which are segments, and Variables, which live across guards. Memory is a row of Cells; an
// Object is some consecutive ones, and a reference to it is the number of the first. Expressions
// (package sym) read variables and cells, which are their leaves.
//
// Sets only grow while the translation looks for a fixed point: what a variable or a cell can be
// (Abs), who reads and writes a cell, which locations there are. Who has to be looked at again
// when they have grown, the translation decides.
//
// Numbers of all things are given in the order in which they are made, so that the same program
// gives the same model. Files that comments name are those of package translate.
package state
