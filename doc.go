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
//   - *ArgumentError: an argument is nil or empty: a context, a bundle, a set, a source
//     that names no package.
//   - *OptionError: an option is negative or otherwise out of range, or none of the words
//     that it may be.
//   - *SpecError: the directory, pattern, entry or flags of a source are of no use.
//   - *FrontierError: what an exploration has left to do is broken, or of another program.
//   - *PassError: the bundle is of another pass than the one that comes before.
//   - *RuntimeError: the instrumented program of a bundle is that of another vtrace, does not
//     compile with this one, and cannot be made anew.
//   - *RefusedError: a build flag, a directory or a toolchain that a bundle names is not
//     obeyed unless the caller asks for it; it says how.
//   - *ModulesError: modules that a program depends on are neither in the bundle nor to be had
//     from elsewhere, or are not what go.sum says.
//   - *ChangeError: what was changed by hand cannot be gone on with.
//   - *CorruptError: a bundle, or a file of it, is broken, or too large (ErrLimit).
//   - *SignatureError, *KeyError: the signature of a bundle is missing or wrong, or a file is
//     no key. They come from artifact.LoadVerified, Open, SaveSigned and SaveFiles.
//   - *VersionError: a bundle is of a newer version, or of one that there never was.
//   - *UnsupportedError: with Strict, what has no model. ErrNoEntry: no such entry point.
//   - *SandboxError: the system does not offer the sandbox that is required.
//   - *BuildError: the instrumented program does not compile.
//   - *InternalError: a defect of vtrace, or of the Engine that was given.
//   - *GoCommandError: the go command has listed nothing, and says why.
//   - *LoadTimeoutError: the program was not loaded within LoadTimeout.
//
// Errors in the program are packages.Error values in a *multierror.Error: ProgramErrors has
// them with their places. The rest is of the operating system. A cancelled context gives its
// own error.
//
// # Embedding
//
// A program that embeds vtrace, as an editor does, gives what has not been saved with Overlay,
// follows a call with Progress, ends it with its context, and keeps results with Results.
// The programs below examples/sdk do so.
package vtrace
