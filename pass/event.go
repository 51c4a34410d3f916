package pass

import (
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
)

// Stats is what a search has done so far: the states that it has visited and still has before it, and its time.
type Stats = check.Stats

// Event is something that happens in a pass: StageStarted, StageDone, SearchProgress,
// BoundsRaised, Replayed, QueryDecided, Unchanged, ResultsUnusable or Unsandboxed.
type Event interface{ event() }

type (
	// StageStarted says that a pass begins a stage: "load", LibrariesStage, "translate",
	// "bounds", "search", "instrument", "build", "replay", "plain runs".
	StageStarted struct{ Pass, Stage string }
	// StageDone says that it ended, and what it took.
	StageDone struct {
		Pass, Stage string
		Elapsed     time.Duration
	}
	// SearchProgress reports on a search that is going on.
	SearchProgress struct {
		Pass  string
		Stats Stats
	}
	// BoundsRaised says that the model has greater bounds at some sites, which
	// are those listed, before, and how many states a search of it has visited.
	BoundsRaised struct {
		Pass   string
		Sites  []artifact.SiteBound
		States int
	}
	// Replayed says that a trace was replayed on the program.
	Replayed struct {
		Query, Attempt int
		Outcome        string
	}
	// QueryDecided gives the verdict of a query in this pass.
	QueryDecided struct {
		Pass    string
		Query   artifact.Query
		Verdict artifact.Verdict
	}
	// Unchanged says that the result is that of an earlier check, since nothing has changed
	// that the entry can reach. Elsewhere reports that other files of the program have
	// changed: the bundle has them as they were then.
	Unchanged struct{ Elsewhere bool }
	// ResultsUnusable says why the result of an earlier check was not looked for or not
	// taken, or why this one was not kept.
	ResultsUnusable struct{ Err error }
	// Unsandboxed says that the program runs with all that the caller may do though
	// a sandbox is preferred, or with one that does not bound all that it should.
	Unsandboxed struct {
		Reason string
		// Partly: there is a sandbox, and Reason says what it lacks.
		Partly bool
	}
)

func (StageStarted) event() {}

func (StageDone) event() {}

func (SearchProgress) event() {}

func (BoundsRaised) event() {}

func (Replayed) event() {}

func (QueryDecided) event() {}

func (Unchanged) event() {}

func (ResultsUnusable) event() {}

func (Unsandboxed) event() {}

// LoadStage is the stage in which the program is loaded: the go command lists its packages, and compiles what they
// import where it has not done so before, which is long once on a machine.
const LoadStage = "load"

// LibrariesStage is the stage in which the packages are compiled that the instrumented program
// imports: it is long once on a machine.
const LibrariesStage = "libraries"
