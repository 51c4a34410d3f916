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
package pass
