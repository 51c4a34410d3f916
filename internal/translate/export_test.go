package translate

import (
	"maps"
	"slices"

	"github.com/vtrace/vtrace/internal/translate/internal/library"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
)

// Operations are the names of the functions of the library that the translator knows.
func Operations() []string { return slices.Sorted(maps.Keys(library.New().Known)) }

// TextFunctions are those whose results it computes from texts.
func TextFunctions() []string {
	return program.TextFunctions()
}
