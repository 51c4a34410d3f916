package vtrace

import (
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
)

// The errors about a program that is loaded and translated, for errors.As. The others are of packages pass, artifact and
// orchestrate; the package documentation says which there are, and when they come.
type (
	// SpecError says what of a source is of no use: its directory, pattern, entry or flags.
	SpecError = source.SpecError
	// GoCommandError says that the go command has listed nothing, and why.
	GoCommandError = source.GoCommandError
	// LoadTimeoutError says that a program was not loaded within LoadTimeout.
	LoadTimeoutError = source.TimeoutError
	// UnsupportedError says, with Strict, what has no model.
	UnsupportedError = translate.UnsupportedError
)

// ProgramError is an error in the program under check, with its place.
type ProgramError = source.ProgramError

// ProgramErrors are the errors in the program that an error consists of, in their order; nil if
// it is of another kind.
func ProgramErrors(err error) []ProgramError { return source.ProgramErrors(err) }
