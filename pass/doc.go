// Package pass has what the passes of a check are told and what they say: the events of Progress, how
// explorations, searches, recordings and predictions are asked for and what they have shown, what sums up
// a bundle, and errors.
//
// The functions are those of package vtrace, which has names of its own for most of these types. Nothing
// here does anything, so that a program that shows what a check says, or passes it on, needs no more
// than this package.
//
// # Events
//
// A callback of vtrace.Progress tells events apart by their types, and passes over those that it does not
// know. Stages come in the order in which the passes have them: [LoadStage] first, and [LibrariesStage] when the
// program is run. Between the [StageStarted] and the [StageDone] of a stage come the others.
//
// # Errors
//
// Errors of these types come from all functions that take options or bundles; the documentation of package
// vtrace says when. Use errors.As.
package pass
