// Package vtrace finds concurrency errors in Go programs and proves them real.
//
// It extracts a model of a program's concurrency, searches it exhaustively,
// and drives an instrumented copy of the program through each counterexample:
// an error is real if the program does it.
//
//	src := vtrace.Package("./internal/pool", vtrace.Entry("TestDrain"))
//	first, err := vtrace.FirstPass(ctx, src)
//	second, err := vtrace.SecondPass(ctx, first)
//	deep, err := vtrace.DeepPass(ctx, second)
//	for _, f := range deep.Findings() {
//		fmt.Println(f.Verdict, f.Kind, f.File, f.Line, f.Test)
//	}
//	err = artifact.Save(deep, "run.vtz")
//
// Each pass is a pure function from a bundle to a bundle: it keeps no state and
// writes nothing but scratch files that it removes, so a bundle can be saved,
// inspected, cached, and given to the next pass on another machine. Nothing
// here prints, exits or changes the working directory; everything is safe for
// concurrent use, and a cancelled context ends it promptly, with its child
// processes.
//
// A finding is claimed real only after two replays that agree, and false only
// when the search is exhausted. Everything else is unconfirmed, with the
// reason. Conclude says what the model left out or did not reach.
//
// # Packages
//
// This package has all that runs. What its functions are told and say is in package pass: the events of
// Progress, settings such as pass.Exhaustion, results such as pass.Explored, and errors. Package artifact
// has bundles and the content of their files, and package bundle tools for many of them, without running anything;
// package report has the formats of other programs. Packages orchestrate, parse and disallow are the parts of a
// deep pass, for who wants to do it otherwise, and package orcutil has the words of the runs of a program. Package analyzer
// is for programs that run analyzers of go/analysis.
//
// # Bundles of others
//
// SecondPass builds the program of a bundle, DeepPass builds and runs it, with what the
// caller may do: look at a bundle of somebody whom you would not let run a program, but
// give it to neither. artifact.Load and Conclude run nothing. docs/security.md has the whole
// of it.
//
// # Errors
//
// No call panics on nil, zero or bad arguments. What it refuses has a type, for errors.As:
//
// Those of package pass:
//
//   - *pass.OptionError: an option is negative or otherwise out of range, or none of the words
//     that it may be.
//   - *pass.FrontierError: what an exploration has left to do is broken, or of another program.
//   - *pass.PassError: the bundle is of another pass than the one that comes before.
//   - *pass.RuntimeError: the instrumented program of a bundle is that of another vtrace, does not
//     compile with this one, and cannot be made anew.
//   - *pass.RefusedError: a build flag, a directory or a toolchain that a bundle names is not
//     obeyed unless the caller asks for it; it says how.
//   - *pass.ModulesError: modules that a program depends on are neither in the bundle nor to be had
//     from elsewhere, or are not what go.sum says.
//   - *pass.ChangeError: what was changed by hand cannot be gone on with.
//   - *pass.InternalError: a defect of vtrace.
//
// Those of package artifact:
//
//   - *artifact.ArgumentError: an argument is nil or empty: a context, a bundle, a set, a source
//     that names no package.
//   - *artifact.CorruptError: a bundle, or a file of it, is broken, or too large (artifact.ErrLimit).
//   - *artifact.SignatureError, *artifact.KeyError: the signature of a bundle is missing or wrong, or a
//     file is no key. They come from artifact.LoadVerified, Open, SaveSigned and SaveFiles.
//   - *artifact.VersionError: a bundle is of a newer version, or of one that there never was.
//
// Those of package orchestrate:
//
//   - *orchestrate.SandboxError: the system does not offer the sandbox that is required.
//   - *orchestrate.BuildError: the instrumented program does not compile.
//
// And those of this package:
//
//   - *SpecError: the directory, pattern, entry or flags of a source are of no use.
//   - *UnsupportedError: with Strict, what has no model. ErrNoEntry: no such entry point.
//   - *GoCommandError: the go command has listed nothing, and says why.
//   - *LoadTimeoutError: the program was not loaded within LoadTimeout.
//   - *RecordingError: a recording cannot be read, or not be analysed.
//
// Errors in the program are packages.Error values in a *multierror.Error: ProgramErrors has
// them with their places. The rest is of the operating system. A cancelled context gives its
// own error.
//
// # Embedding
//
// A program that embeds vtrace, as an editor does, gives what has not been saved with Overlay,
// follows a call with Progress, ends it with its context, and keeps results with Results. WritePage writes the
// page that shows a finding step by step.
// The programs below examples/sdk do so.
package vtrace
