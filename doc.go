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
package vtrace
