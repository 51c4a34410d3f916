package pass

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/vtrace/vtrace/orchestrate"
)

// InternalError is a broken invariant of a check: a defect of vtrace, not of the program
// or the options.
type InternalError struct {
	Reason any
	Stack  []byte
}

func (e *InternalError) Error() string {
	return fmt.Sprintf("the check failed, please report it: %v", e.Reason)
}

// OptionError says which option a pass cannot use, and why.
type OptionError struct {
	Option, Reason string
}

func (e *OptionError) Error() string { return "options: " + e.Option + ": " + e.Reason }

// PassError says that a bundle is not of the pass that comes before.
type PassError struct {
	Got  string
	Want []string
}

func (e *PassError) Error() string {
	return fmt.Sprintf("bundle of the %s pass: this pass starts from one of the %s pass", e.Got, strings.Join(e.Want, " or "))
}

// RefusedError says what in a bundle, or in a test that was exported from one, is not
// obeyed, why, and what to do.
type RefusedError struct {
	// Flag is the build flag, "" if it is something else.
	Flag string
	// What it is, and the Reason for not obeying it.
	What, Reason string
	// Remedy is what to do about it.
	Remedy string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s is not obeyed: %s; %s", e.What, e.Reason, e.Remedy)
}

// ChangeError says what of a change by hand cannot be gone on with.
type ChangeError struct {
	// File is relative to the root of the program. Line is 0 if the whole file is meant.
	File   string
	Line   int
	Reason string
}

func (e *ChangeError) Error() string {
	at := e.File
	if e.Line > 0 {
		at += ":" + strconv.Itoa(e.Line)
	}
	return at + ": " + e.Reason
}

// FrontierError says why what an exploration has left to do cannot be gone on with.
type FrontierError struct{ Reason string }

func (e *FrontierError) Error() string { return "frontier of an exploration: " + e.Reason }

// RuntimeError says that the instrumented program in a bundle is that of another vtrace, does
// not compile with this one, and cannot be made anew.
type RuntimeError struct {
	// Tool is the version of vtrace that made the bundle.
	Tool string
	// Build is why it does not compile.
	Build *orchestrate.BuildError
	// Reason is why it cannot be made anew.
	Reason string
}

func (e *RuntimeError) Error() string {
	return fmt.Sprintf("the instrumented program in the bundle was made by vtrace %s, and does not fit this vtrace: it does not compile, and cannot be instrumented again, since %s; use that version, or check the program again", e.Tool, e.Reason)
}

func (e *RuntimeError) Unwrap() error {
	if e.Build == nil {
		return nil
	}
	return e.Build
}

// ModulesError says why the go command cannot have the modules that a program depends on.
type ModulesError struct {
	// Reason says where they were to come from, Remedy what to do about it.
	Reason, Remedy string
	// Err is what the go command says.
	Err error
}

func (e *ModulesError) Error() string {
	return fmt.Sprintf("modules that the program depends on: %s: %v; %s", e.Reason, e.Err, e.Remedy)
}

func (e *ModulesError) Unwrap() error { return e.Err }
