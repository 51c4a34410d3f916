package orchestrate

import (
	"context"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
)

// What is built and run.
type (
	// Target is the program that tests are generated for and run on: its Root and the Dir of the entry's
	// package, both absolute, the Name in its package clause, the Entry, the Flags and the Env of the go command and of
	// the program, its Args, and the Sandbox that it runs in. End is the key of the guard at the return of the entry, "" if
	// there is none.
	Target = orchestrate.Target
	// BuildOptions are for Build: Overlay is the overlay.json of the instrumented program, Tests are test files to compile
	// in, by name, and Go is the go command. The others have defaults.
	BuildOptions = orchestrate.BuildOptions
	// RunOptions bound a run: its Timeout, MaxOutput and MaxSteps, and how many Environments Replay tries. The zero value
	// has defaults.
	RunOptions = orchestrate.RunOptions
	// Meta is what a generated test says of itself: the query, the number of the trace, the error.
	Meta = orchestrate.Meta
	// Sandbox is what the system offers to keep a program from what its user may do.
	Sandbox = orchestrate.Sandbox
)

// What was observed.
type (
	// Verdict is what was observed when the program was made to follow a plan. Its Status is one of the
	// constants of this package, Reason says it in words, Kind how the program has ended, Step where it has left the plan,
	// and Goroutines what everybody did at the end.
	Verdict = orchestrate.Verdict
	// Goroutine is what a goroutine did at the end of a run.
	Goroutine = orchestrate.Goroutine
	// Recording is a run by choices of its own, with a plan that does the same once more.
	Recording = orchestrate.Recording
	// Exploration is what random runs of a program have shown.
	Exploration = orchestrate.Exploration
	// Exhaustive is how far an exhaustive exploration of a program has come.
	Exhaustive = orchestrate.Exhaustive
	// Shown is a run of an exploration that has shown what was expected.
	Shown = orchestrate.Shown
	// End is a way in which runs of an exploration ended, with the plan of one of them.
	End = orchestrate.End
	// Minimised is a schedule with less to understand than another one that ends in the same error.
	Minimised = orchestrate.Minimised
	// Cost is how much there is to understand of a schedule.
	Cost = orchestrate.Cost
	// Restart is a process of an exploration that had to be replaced, with the reason.
	Restart = orchestrate.Restart
)

// Errors.
type (
	// BuildError says why the instrumented program does not compile.
	BuildError = orchestrate.BuildError
	// SandboxError says why there is no sandbox.
	SandboxError = orchestrate.SandboxError
)

// What has become of a plan, of Verdict.Status.
const (
	// Reproduced: the expected error was observed.
	Reproduced = orchestrate.Reproduced
	// Infeasible: the program did not follow a step of the plan.
	Infeasible = orchestrate.Infeasible
	// NotReproduced: all steps were done, the error was not observed.
	NotReproduced = orchestrate.NotReproduced
	// Limit: the run was ended after its greatest number of steps.
	Limit = orchestrate.Limit
	// Unsupported: the program could not be controlled.
	Unsupported = orchestrate.Unsupported
	// Completed: a run without a plan came to its end.
	Completed = orchestrate.Completed
	// Unconfirmed: two runs of the plan did not agree, or the observation does not prove the error.
	Unconfirmed = orchestrate.Unconfirmed
)

// PlanOf turns a counterexample of a query into the steps that make the program follow it, and what must be
// observed behind them.
func PlanOf(side *artifact.Sidecar, trace *artifact.Trace, query artifact.Query) (artifact.Plan, error) {
	if side == nil {
		return artifact.Plan{}, &artifact.ArgumentError{Name: "sidecar", Reason: "nil"}
	}
	if trace == nil {
		return artifact.Plan{}, &artifact.ArgumentError{Name: "trace", Reason: "nil"}
	}
	return orchestrate.PlanOf(side, trace, query)
}

// Table is the interleaving of a plan as text: a line for each step, a column for each goroutine.
func Table(side *artifact.Sidecar, plan artifact.Plan) []string {
	if side == nil {
		side = &artifact.Sidecar{}
	}
	return orchestrate.Table(side, plan)
}

// MetaOf describes the k-th trace of a query, from 1. Reproduce is the command that runs the test.
func MetaOf(query artifact.Query, k int, reproduce string) Meta {
	return orchestrate.MetaOf(query, k, reproduce)
}

// Test generates the Orchestration test of a plan: a Go file for the package of the entry. It needs the
// overlay to compile, so it has the build constraint "vtrace". It fails if the error is reproduced, is
// skipped if the program could not be controlled, and passes otherwise, except that a test under check
// that fails by itself fails it too.
func Test(target Target, side *artifact.Sidecar, plan artifact.Plan, meta Meta) ([]byte, error) {
	if side == nil {
		return nil, &artifact.ArgumentError{Name: "sidecar", Reason: "nil"}
	}
	return orchestrate.Test(target, side, plan, meta)
}

// CheckTest reports what in the source of an Orchestration test is not as Test generates it, for a test of that
// name and an entry function. A test that passes does nothing but follow a plan: it is one function, with a
// plan of constants, that calls the runtime and the entry of the program; and nothing in its comments
// speaks to the go command, but for the build constraint.
func CheckTest(src []byte, name, entry string) error {
	return orchestrate.CheckTest(src, name, entry)
}

// NewSandbox builds the program that sets a sandbox up, with the go command, and tries it. A *SandboxError says
// that the system offers none. The environment is that of a Target; the name of the go command may be
// empty. It is safe for concurrent use.
func NewSandbox(ctx context.Context, env []string, goCmd string) (*Sandbox, error) {
	if err := present(ctx); err != nil {
		return nil, err
	}
	return orchestrate.NewSandbox(ctx, env, goCmd)
}

// Binary is a compiled program with its Orchestration tests. Its runs are processes of their own, and several
// may be going on at once.
type Binary struct{ program *orchestrate.Binary }

// Build compiles the package of the entry with what runs any plan, and the given tests, into one binary in a
// directory of its own. Nothing is written below the program's root.
func Build(ctx context.Context, target Target, opts BuildOptions) (*Binary, error) {
	if err := present(ctx); err != nil {
		return nil, err
	}
	program, err := orchestrate.Build(ctx, target, opts)
	if err != nil {
		return nil, err
	}
	return &Binary{program}, nil
}

// present says that there is no context.
func present(ctx context.Context) error {
	if ctx == nil {
		return &artifact.ArgumentError{Name: "context", Reason: "nil"}
	}
	return nil
}

// built is what runs, or says what is missing.
func (b *Binary) built(ctx context.Context) (*orchestrate.Binary, error) {
	if err := present(ctx); err != nil {
		return nil, err
	}
	if b == nil || b.program == nil {
		return nil, &artifact.ArgumentError{Name: "binary", Reason: "nil"}
	}
	return b.program, nil
}

// Close removes the binary.
func (b *Binary) Close() error {
	if b == nil || b.program == nil {
		return nil
	}
	return b.program.Close()
}

// Run makes the program follow a plan once. The error is for what prevents any run, such as a cancelled
// context; whatever the program does is a Verdict.
func (b *Binary) Run(ctx context.Context, plan artifact.Plan, opts RunOptions) (*Verdict, error) {
	program, err := b.built(ctx)
	if err != nil {
		return nil, err
	}
	return program.Run(ctx, plan, opts)
}

// RunTest runs one of the tests that the binary was built with, one that Test has generated, as the go command
// would. The verdict's Stdout is the output of the test, with its execution log.
func (b *Binary) RunTest(ctx context.Context, name string, opts RunOptions) (*Verdict, error) {
	program, err := b.built(ctx)
	if err != nil {
		return nil, err
	}
	return program.RunTest(ctx, name, opts)
}

// Record runs the program once without a plan: by random choices with the given seed or, if it is nil, always
// letting the first goroutine go on that can.
func (b *Binary) Record(ctx context.Context, seed *uint64, opts RunOptions) (*Recording, error) {
	program, err := b.built(ctx)
	if err != nil {
		return nil, err
	}
	return program.Record(ctx, seed, opts)
}

// Replay makes the program follow a plan, twice, and says what was observed. Runs that do not come to the same
// end prove nothing: the verdict is then Unconfirmed. So it is for goroutines that are stuck while control
// was incomplete. Runs that differ on the way to the same end get a note.
//
// A plan that does not show what it expects, of a program that asks its environment for something, is tried
// with RunOptions.Environments others: the seeds from that of the plan on. The Plan of the verdict has
// the seed that it was shown with. It may also have two steps in another order, where the plan marks
// their order as a guess, or the steps that were done, where time had to pass otherwise.
func Replay(ctx context.Context, b *Binary, plan artifact.Plan, opts RunOptions) (*Verdict, error) {
	program, err := b.built(ctx)
	if err != nil {
		return nil, err
	}
	return orchestrate.Replay(ctx, program, plan, opts)
}
