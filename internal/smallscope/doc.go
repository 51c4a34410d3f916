// Package smallscope makes the numbers of a program smaller that count its iterations and goroutines, so that it has a small
// scope (Jackson, Software Abstractions, 2006): most errors that a program has with a thousand iterations it has with two or three, and
// with so few all of its schedules can be run.
//
// [Families] finds the numbers from where they count, the bounds of loops, the lengths that loops go over and what ends a recursion,
// back to where they are written, by way of variables, parameters, fields and constants. What is compared with them, or is the size of a channel or the
// counter of a wait group, becomes smaller with them, and so does the same number elsewhere: they were often chosen for each other.
// Numbers stay in order. Nothing rests on that: a smaller program is one of its own, and what is shown of it is said of it.
package smallscope
