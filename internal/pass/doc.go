// Package pass has the passes of vtrace: functions from an artifact bundle, or a
// program, to an artifact bundle.
//
// Bundles may come from anywhere. Conclude and Export run nothing. Second builds the
// program of a bundle; Deep and Replay build and run it. What of a bundle reaches the go
// command is checked before: of its build flags those in one table are obeyed (see
// Options.Flags), its entry is an import path and an identifier, and its go.mod names no
// directory outside. docs/security.md has the rest.
//
// Errors have types, for errors.As:
//
//   - *ArgumentError: an argument is nil, empty, or none that there is.
//   - *OptionError: an option is out of range, or not one of the words that it may be.
//   - *PassError: the bundle is of another pass than the one asked for.
//   - *ChangeError: what was changed by hand in a program cannot be gone on with.
//   - *FrontierError: what an exploration has left to do is broken, or of another program.
//   - *RefusedError: something in a bundle is not obeyed unless the caller asks for it.
//   - *artifact.CorruptError, *artifact.VersionError: the bundle is broken, or of a version
//     that is not known.
//   - *recording.CorruptError, *recording.VersionError, *recording.LimitError, *analyze.TooLargeError: a recording is broken, of
//     a version that is not known, or too large to predict from.
//   - *source.SpecError: what names the program is of no use.
//   - *translate.UnsupportedError, *orchestrate.BuildError: the program has no model, or
//     does not compile.
//   - *RuntimeError: the instrumented program of a bundle does not fit this vtrace, and cannot
//     be made anew.
//   - *SandboxError: the system does not offer the sandbox that is required.
//   - *ModulesError: the go command cannot have the modules that a program depends on.
//   - *InternalError: a defect of vtrace, or of the engine that was given.
//
// # Files
//
// The passes, and who calls them:
//   - public.go: the types that package pass declares
//   - options.go: options, their defaults, and what a bundle hands down
//   - errors.go: errors, and what a pass asks of its arguments
//   - event.go: events
//   - check.go: a whole check: the three passes, again where runs have shown something
//   - begin.go: the bundle that a first pass begins with
//   - first.go: the first pass
//   - second.go: the second pass
//   - deep.go: the deep pass: replays, and the search for the next trace
//   - program.go: the program of a bundle, loaded and numbered
//   - findings.go: findings of queries, and the conclusion of a bundle
//   - report.go: what the deep pass writes into the bundle
//   - precision.go: how exact a model is
//
// The model, where runs contradict or lack it:
//   - bounds.go: bounds that grow where the search reaches them
//   - conform.go: runs that are followed in the model
//   - complete.go: recorded runs that are followed in it, for tests
//   - complete_model.go: what a model lacks, added from what runs have shown
//   - outside.go: programs without a model
//   - avoid.go: facts: what runs have done at what the model leaves open
//   - loop.go: the search from where a run has left its trace
//   - guide.go: runs near to plans that the program did not follow
//   - resume.go: what a deep pass has learnt, kept for the next one
//   - await.go: loops that wait for a change
//
// The program, run:
//   - exhaust.go: every schedule
//   - bounding.go: the schedules with few preemptions
//   - frontier.go: what is left to do of an exploration
//   - portfolio.go: both engines beside each other
//   - systematic.go: the first runs
//   - runs.go: random runs
//   - explore.go: explorations without a model
//   - fuzz.go: runs that are made of others
//   - corpusfiles.go: the files of a corpus
//   - race.go: data races
//   - stall.go: errors that need time to pass
//   - plain.go: the program as it is, not instrumented
//   - smallscope.go: the program with smaller numbers
//   - recording.go: recordings
//   - predict.go: predictions of a recording, tried on the program
//
// Findings:
//   - confirm.go: what is said to lead to an error, and whether the program shows it
//   - observe.go: errors that a replay has shown besides
//   - minimise.go: simpler interleavings
//   - left.go: goroutines that a test leaves behind
//   - creation.go: where objects were made
//   - together.go: what one run shows together
//
// Builds, bundles and time:
//   - builds.go: one build for several checks
//   - shared.go: what the rounds of a check have in common
//   - libraries.go: the compilation of the standard library
//   - overlay.go: overlays in bundles
//   - migrate.go: bundles of another vtrace
//   - budget.go: the budget and its shares
//   - unchanged.go: results of earlier checks
//   - holds.go: whether a bundle is still about the program
//   - trust.go: what of a bundle is obeyed
//   - sandbox.go: the ways to run a program
//   - vendor.go: modules in bundles
//   - fork.go: programs of bundles, changed by hand
//   - replay.go: a test of a bundle, run again
//   - export.go: tests in the program's tree
package pass
