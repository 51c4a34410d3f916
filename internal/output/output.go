// Package output has the types of what vtrace check -json prints. Programs that read it go by the schema, which is made
// from them and is in package report.
package output

import (
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/report"
)

// OutputVersion is the version of what check -json prints. It is another one if what readers of an
// older one know is gone or means something else; fields may come without that.
const OutputVersion = 1

// EntryOutput is the result for one entry point, as check -json prints it.
type EntryOutput struct {
	// Pass is the last pass that was made: deep, unless one was run alone.
	Pass string `json:"pass" schema:"translate|first|second|deep"`
	// Entry is the entry point.
	Entry artifact.Entry `json:"entry"`
	// Bundle is the path of the bundle, if it was written.
	Bundle string `json:"bundle,omitempty"`
	// Digest is that of the bundle.
	Digest string `json:"digest" schema:"digest"`
	// Found are the findings, the false ones among them.
	Found []artifact.Finding `json:"findings"`
	// Accepted are those that count as no error.
	Accepted []report.Acceptance `json:"accepted,omitempty"`
	// Limits are what the result does not cover, in words.
	Limits []string `json:"limits"`
	// Verdict are the answers to the queries.
	Verdict []artifact.Verdict `json:"verdicts"`
	// Runs says how the program was run beside its model.
	Runs *artifact.Runs `json:"runs,omitempty"`
	// Races says how data races were looked for, if they were.
	Races *artifact.RaceSearch `json:"races,omitempty"`
	// Approximations are where the model is not exact.
	Approximations []artifact.Approximation `json:"approximations,omitempty"`
	// Unchanged says that the result is that of an earlier check.
	Unchanged bool `json:"unchanged,omitempty"`
	// Signature is the file of the bundle's signature, if it was signed.
	Signature string `json:"signature,omitempty"`
	// Unsandboxed says what of a sandbox there was not, if one was asked for.
	Unsandboxed string `json:"unsandboxed,omitempty"`
}

// RefusedOutput is an entry point that could not be checked.
type RefusedOutput struct {
	// Package is the import path of its package.
	Package string `json:"package"`
	// Func is its name.
	Func string `json:"func"`
	// Errors say why, one or more.
	Errors []string `json:"errors"`
}

// LeftOutOutput is an entry point that was not to be checked.
type LeftOutOutput struct {
	// Package is the import path of its package.
	Package string `json:"package"`
	// Func is its name.
	Func string `json:"func"`
	// Reason says why.
	Reason string `json:"reason"`
}

// SingleOutput is what check -json prints of one entry point.
type SingleOutput struct {
	// Version is that of the output.
	Version int `json:"version"`
	EntryOutput
}

// SeveralOutput is what check -json prints of several entry points.
type SeveralOutput struct {
	// Version is that of the output.
	Version int `json:"version"`
	// Entries are those that were checked.
	Entries []EntryOutput `json:"entries"`
	// Refused are those that could not be checked.
	Refused []RefusedOutput `json:"refused"`
	// LeftOut are those that were not to be checked.
	LeftOut []LeftOutOutput `json:"leftOut,omitempty"`
}

// FunctionsOutput is what check -functions -json prints.
type FunctionsOutput struct {
	// Version is that of the output.
	Version int `json:"version"`
	// Functions are all that use concurrency, by package and place.
	Functions []FunctionOutput `json:"functions"`
}

// FunctionOutput is the result for one function.
type FunctionOutput struct {
	// Package is the import path of its package.
	Package string `json:"package"`
	// Func is its name, with that of the type of a receiver.
	Func string `json:"func"`
	// File is where it is declared.
	File string `json:"file"`
	// Line is where it is declared, from 1.
	Line int `json:"line"`
	// Exported: it can be called from other packages.
	Exported bool `json:"exported,omitempty"`
	// LeftOut says why it was not checked, "" if it was.
	LeftOut string `json:"leftOut,omitempty"`
	// Valuations are the choices of values that it is called with, smallest first.
	Valuations []ValuationOutput `json:"valuations"`
	// Errors are those that were found, those of the function itself first.
	Errors []FunctionErrorOutput `json:"errors"`
	// Races are the data races that do not count as errors, since the model has every order of the statements.
	Races []string `json:"races,omitempty"`
}

// ValuationOutput is one choice of values.
type ValuationOutput struct {
	// Test is the name of the driver.
	Test string `json:"test"`
	// Values are what parameters, and parts of them, are, in their order.
	Values []ValueOutput `json:"values"`
	// Result is decided, open, not checked, or why it could not be checked.
	Result string `json:"result"`
	// Limits are what the result does not cover, in words, if it is open.
	Limits []string `json:"limits,omitempty"`
}

// ValueOutput is what a parameter, or a part of one, is.
type ValueOutput struct {
	// Name is how the source calls it, as in workers, len(jobs) and opts.Retries.
	Name string `json:"name"`
	// Value is what it is, in words.
	Value string `json:"value"`
}

// FunctionErrorOutput is an error of a function, in all choices of values that show it.
type FunctionErrorOutput struct {
	// Class says whose error it is: that of the function, which refuses the values, of its caller, or of a machine
	// that is slow.
	Class string `json:"class" schema:"alarm|accepted|elsewhere|refused|by contract|slow"`
	// Reason says why it is not that of the function, "" if it is.
	Reason string `json:"reason,omitempty"`
	// Shown is how many choices of values show it.
	Shown int `json:"shown"`
	// Of is how many could be checked.
	Of int `json:"of"`
	// In are the names of the drivers that show it, the least values first.
	In []string `json:"in"`
	// Driver is the source of the first of these.
	Driver string `json:"driver"`
	// Callers says whether a caller in the packages can pass these values.
	Callers string `json:"callers,omitempty"`
	// Bundle is the path of the bundle of the first, if it was written.
	Bundle string `json:"bundle,omitempty"`
	// Finding is the error as the first shows it.
	Finding artifact.Finding `json:"finding"`
}

// The types of lines.
const (
	LineBegin   = "begin"   // the first line
	LineEntry   = "entry"   // an entry point that was checked
	LineRefused = "refused" // one that could not be checked
	LineLeftOut = "leftOut" // one that was not to be checked
	LineEnd     = "end"     // the last line of a check that has come to its end, interrupted or not
)

// LineOutput is a line of what check -json=stream prints: one for each entry point, as soon as it is
// known, between a first and a last one.
type LineOutput struct {
	// Version is that of the output.
	Version int `json:"version"`
	// Type says which of the other fields there is.
	Type string `json:"type" schema:"begin|entry|refused|leftOut|end"`
	// Count is how many entry points follow, in the first line.
	Count *int `json:"count,omitempty"`
	// Entry is the result of an entry point that was checked.
	Entry *EntryOutput `json:"entry,omitempty"`
	// Refused is an entry point that could not be checked.
	Refused *RefusedOutput `json:"refused,omitempty"`
	// LeftOut is an entry point that was not to be checked.
	LeftOut *LeftOutOutput `json:"leftOut,omitempty"`
	// Code is the exit code, in the last line.
	Code *int `json:"code,omitempty"`
}
