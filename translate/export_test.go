package translate

import (
	"maps"
	"slices"
)

// Operations are the names of the functions of the library that the translator knows.
func Operations() []string { return slices.Sorted(maps.Keys(intrinsics)) }

// TextFunctions are those whose results it computes from texts.
func TextFunctions() []string {
	return slices.Concat(slices.Sorted(maps.Keys(textFuncs)), slices.Sorted(maps.Keys(formats)))
}
