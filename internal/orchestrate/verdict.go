package orchestrate

import (
	"fmt"
	"strings"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orcruntime"
)

// What has become of a plan.
const (
	// Reproduced: the expected error was observed.
	Reproduced = orcruntime.Reproduced
	// Infeasible: the program did not follow a step of the plan.
	Infeasible = orcruntime.Infeasible
	// NotReproduced: all steps were done, the error was not observed.
	NotReproduced = orcruntime.NotReproduced
	// Limit: the run was ended after its greatest number of steps.
	Limit = orcruntime.Limit
	// Unsupported: the program could not be controlled.
	Unsupported = orcruntime.Unsupported
	// Completed: a run without a plan came to its end.
	Completed = orcruntime.Completed
	// Unconfirmed: two runs of the plan did not agree, or the observation does
	// not prove the error.
	Unconfirmed = "unconfirmed"
)

// Verdict is what was observed when the program was made to follow a plan.
type Verdict struct {
	Status string
	// Reason is the verdict in words.
	Reason string
	// Kind, Message, G, Site and Stack say how the program ended: Kind is ""
	// if it ended well.
	Kind, Message, G, Site string
	Stack                  []string
	// Step is the step, from 1, of the Of steps of the plan at which the run
	// left it, 0 if it did not; Expected is that step, and Found where its
	// goroutine was instead.
	Step, Of int
	Expected artifact.PlanStep
	Found    string
	// Goroutines are all goroutines at the end of the run.
	Goroutines []Goroutine
	// Races are the data races found, if the program was instrumented for that.
	Races []orcruntime.Race
	// RaceLimits are those of the Notes that say why races may have gone unseen.
	RaceLimits []string
	// Plan is the plan that was followed. It differs from the one asked for
	// where steps marked Swap had to come in the other order.
	Plan artifact.Plan
	// Trace are the steps that were done, those behind the plan included.
	Trace []artifact.PlanStep
	// Seed is that of the environment, and Choices what it has chosen, of small
	// range. Asked counts what the program has asked the environment for: if it is
	// 0, another seed changes nothing.
	Seed    uint64
	Choices []artifact.EnvChoice
	// Minor: goroutines stopped at guards that only the runtime has.
	Minor bool
	Asked int
	// Deadlines: one was set that would have come behind others, had its goroutine been slow
	// or another one fast.
	Deadlines bool
	// Setters are those who have set deadlines, if Deadlines.
	Setters []string
	// Log has a line for each guard passed: "TIME goroutine  :  source line".
	Log string
	// Notes say what weakens the verdict or deserves attention; Weak that
	// control was incomplete, and Weaknesses, which are among the Notes, where.
	Notes []string
	// Restless: the entry function had ended, and time alone kept goroutines going
	// that were left. They are stuck, or may go on for ever.
	Restless bool
	Weak     bool
	// Given is what operations of Trace have given to the program; of a replay, in both of its runs.
	Given []orcruntime.GivenValue
	// Waited are the steps of Trace, from 1, that could not do their operation at once; as Given is.
	Waited []int
	// Effects say what steps of Trace work on, and how they have left it; as Given is.
	Effects []orcruntime.Effect
	// Reads are what steps of Trace have read; as Given is.
	Reads []orcruntime.ReadValue
	// Settled, Starved, Since, Stalls, Failed, Daemons and Remaining are as in orcruntime.Result.
	Remaining  []string
	Daemons    []string
	Stalls     []orcruntime.Stall
	Failed     bool
	Settled    bool
	Starved    []artifact.At
	Since      int
	Weaknesses []string
	// Stdout and Stderr are what the program printed, within bounds.
	Stdout, Stderr string
}

// Goroutine is what a goroutine did at the end of a run.
type Goroutine struct {
	G      string // creation path
	State  string // as in orcruntime.GState
	Op     string
	Object string
	Site   string // key
	Source string // "file:line: text"
	// Stack is its own, Created that of the goroutine that has started it: "function
	// file:line", innermost first.
	Stack   []string
	Created []string
	// Holds, Counter and Closed are as in orcruntime.GState.
	Holds   []orcruntime.Act
	Counter int
	Closed  *orcruntime.Act
}

// OnNil reports whether it is blocked on what is nil and on nothing else: a select may have other channels.
func (g Goroutine) OnNil() bool {
	return strings.HasPrefix(g.Object, "nil ") && !strings.Contains(g.Object, ", ")
}

// observe takes over what the runtime reported.
func (v *Verdict) observe(r orcruntime.Result) {
	v.Status, v.Reason = r.Verdict, r.Message
	v.Kind, v.Message = r.Outcome.Kind, r.Outcome.Message
	v.G, v.Site, v.Stack = r.Outcome.G, r.Outcome.Site, r.Outcome.Stack
	v.Step, v.Found = r.Step, r.Found
	if r.Step >= 1 && r.Step <= len(v.Plan.Steps) {
		v.Expected = v.Plan.Steps[r.Step-1]
	}
	for _, g := range r.Goroutines {
		v.Goroutines = append(v.Goroutines, Goroutine(g))
	}
	for _, s := range r.Trace {
		v.Trace = append(v.Trace, artifact.PlanStep{G: s.G, Site: s.Site, Occ: s.Occ, Case: s.Case})
	}
	v.Given, v.Waited, v.Effects, v.Reads = r.Given, r.Waited, r.Effects, r.Reads
	v.Deadlines, v.Setters = r.Deadlines, r.Setters
	v.Seed, v.Choices, v.Minor, v.Asked = r.Seed, choices(r), r.Minor, r.Asked
	v.Races, v.RaceLimits, v.Notes = r.Races, r.RaceLimits, r.Notes
	v.Weak, v.Weaknesses, v.Restless, v.Settled = r.Weak, r.Weaknesses, r.Restless, r.Settled
	for _, at := range r.Starved {
		v.Starved = append(v.Starved, artifact.At{G: at.G, Site: at.Site})
	}
	v.Since, v.Stalls, v.Failed, v.Daemons, v.Remaining = r.Since, r.Stalls, r.Failed, r.Daemons, r.Remaining
	switch v.Status {
	case Reproduced, Infeasible, NotReproduced, Limit, Unsupported:
	case orcruntime.Completed:
		v.Status = NotReproduced
	default:
		v.Reason = fmt.Sprintf("the runtime reports %q: %s", v.Status, v.Reason)
		v.Status = Unsupported
	}
}

// died judges a process that ended, or had to be ended, without a result.
func (v *Verdict) died(last journalStep, c *child, timedOut bool, timeout time.Duration) {
	v.Status, v.Weak = Unsupported, true
	v.G, v.Site = last.g, last.site
	if last.k >= 1 && last.k <= len(v.Plan.Steps) {
		v.Step, v.Expected = last.k, v.Plan.Steps[last.k-1]
	}
	switch {
	case timedOut:
		v.Reason = fmt.Sprintf("blocked outside vtrace's control %v: no end within %v", last, timeout)
	case c.code == 2 && deathOf(v.Stderr) != "":
		v.Message = deathOf(v.Stderr)
		v.Reason = fmt.Sprintf("the process died outside vtrace's control %v: %s", last, v.Message)
	case c.code >= 0:
		v.Reason = fmt.Sprintf("the process exited with code %d outside vtrace's control %v", c.code, last)
	default:
		v.Reason = fmt.Sprintf("the process ended by %v outside vtrace's control %v", c.text, last)
	}
}

// deathOf is the line with which the Go runtime ends a process of exit code 2,
// "" if there is none. It is for display.
func deathOf(stderr string) string {
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return line
		}
	}
	return ""
}

// FindingStalls are the stalls of the run as findings have them, with their places.
func (v *Verdict) FindingStalls(siteOf func(key string) artifact.Site) (out []artifact.FindingStall) {
	for _, s := range v.Stalls {
		at := siteOf(s.Site)
		out = append(out, artifact.FindingStall{G: s.G, Site: s.Site, File: at.File, Line: at.Line, Text: at.Text, For: s.For})
	}
	return out
}
