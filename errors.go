package vtrace

import (
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/pass"
)

// The errors of the SDK, for errors.As. The package documentation says when they come.
type (
	ArgumentError    = artifact.ArgumentError
	OptionError      = pass.OptionError
	PassError        = pass.PassError
	RefusedError     = pass.RefusedError
	ChangeError      = pass.ChangeError
	CorruptError     = artifact.CorruptError
	SignatureError   = artifact.SignatureError
	KeyError         = artifact.KeyError
	VersionError     = artifact.VersionError
	SpecError        = source.SpecError
	FrontierError    = pass.FrontierError
	GoCommandError   = source.GoCommandError
	LoadTimeoutError = source.TimeoutError
	UnsupportedError = translate.UnsupportedError
	SandboxError     = orchestrate.SandboxError
	BuildError       = orchestrate.BuildError
	RuntimeError     = pass.RuntimeError
	ModulesError     = pass.ModulesError
	InternalError    = pass.InternalError
)

// ErrLimit is wrapped by the CorruptError of a bundle that is too large.
var ErrLimit = artifact.ErrLimit

// ProgramError is an error in the program under check, with its place.
type ProgramError = source.ProgramError

// ProgramErrors are the errors in the program that an error consists of, in their order; nil if
// it is of another kind.
func ProgramErrors(err error) []ProgramError { return source.ProgramErrors(err) }
