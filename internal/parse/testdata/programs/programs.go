// Package programs are small programs, each for a group of constructs, with the
// outputs that they may have.
package programs

import (
	"slices"

	"example.com/programs/c"
	"example.com/programs/embedded"
	"example.com/programs/generated"
	"example.com/programs/lines"
	"example.com/programs/old"
	"example.com/programs/show"
)

// All returns the programs outside of test files.
func All() []show.Program {
	return slices.Concat(selects, labels, shadows, receives, ranges, goes, defers, generics, locks, waits, onces,
		atomics, times, ends, patterns, polls, tags, globals, environment, mapUses, mapWriterPrograms(),
		c.Programs, embedded.Programs, generated.Programs, lines.Programs, old.Programs)
}

// full is a buffered channel with these values.
func full[T any](vs ...T) chan T {
	c := make(chan T, len(vs)+1)
	for _, v := range vs {
		c <- v
	}
	return c
}

// closed is full, and closed.
func closed[T any](vs ...T) chan T {
	c := full(vs...)
	close(c)
	return c
}
