package artifact

import (
	"time"

	"github.com/vtrace/vtrace/internal/approximation"
)

// This file defines what accompanies a model: the sidecar that leads from the
// model back to the program, the queries with what they mean, traces and
// plans. These are wire types: they hold no pointers into other packages.

// Sidecar says of every location and edge of a model what it stands for.
type Sidecar struct {
	Entry Entry  `json:"entry"` // what runs, as in the manifest
	Sites []Site `json:"sites"` // by number; Sites[0] is the zero Site
	// Templates in the order of the model's templates.
	Templates []TemplateInfo `json:"templates"`
	// Accesses are the numbers of the Stmt sites that the model interleaves at,
	// since they read or write memory that goroutines share: the instrumenter
	// must guard them.
	Accesses []int `json:"accesses,omitempty"`
	// Approximations are where the model says more or less than the program.
	Approximations []Approximation `json:"approximations,omitempty"`
	// Bounds are those of the model where they are smaller than asked for, else nil.
	Bounds *Bounds `json:"bounds,omitempty"`
	// Completions are what runs of the program have added to the model.
	Completions []Completion `json:"completions,omitempty"`
}

// Outside returns the reason why there is no model of the program, nil if there is one.
func (s *Sidecar) Outside() *Approximation {
	if s == nil {
		return nil
	}
	for i := range s.Approximations {
		if a := &s.Approximations[i]; a.Kind == approximation.Outside {
			return a
		}
	}
	return nil
}

// Site returns the site of a number; false if there is none.
func (s *Sidecar) Site(id int) (Site, bool) {
	if s == nil {
		return Site{}, false
	}
	if id > 0 && id < len(s.Sites) && s.Sites[id].ID == id {
		return s.Sites[id], true
	}
	for _, site := range s.Sites {
		if site.ID == id && id != 0 {
			return site, true
		}
	}
	return Site{}, false
}

// Entry is what runs.
type Entry struct {
	Package string `json:"package"` // import path
	Func    string `json:"func"`    // "main" or "TestXxx"
}

// Site is a numbered program point; see package sites.
type Site struct {
	ID   int    `json:"id"`   // its number, from 1
	Kind string `json:"kind"` // the operation, in a word: "send", "go", "statement", ...
	Key  string `json:"key"`  // function and ordinal: survives edits elsewhere
	Func string `json:"func"` // full name of the function around it
	File string `json:"file"` // relative to the root of the program
	Line int    `json:"line"` // from 1
	Col  int    `json:"col"`  // in bytes, from 1
	Text string `json:"text"` // the source line, without its indentation
	// Cases are, of a select, the operations of its cases in source order, as in "v := <-c"; its
	// default is none of them.
	Cases []string `json:"cases,omitempty"`
}

// TemplateInfo describes one template.
type TemplateInfo struct {
	Name string `json:"name"` // in the model
	// Role is "goroutine" (one process is one goroutine at a time) or "env"
	// (the scheduler, time).
	Role string `json:"role" schema:"goroutine|env"`
	// Func is the key of the goroutine's entry function.
	Func      string         `json:"func,omitempty"`
	Locations []LocationInfo `json:"locations"` // in the template's order
	Edges     []EdgeInfo     `json:"edges"`     // in the template's order
}

// LocationInfo describes one location.
type LocationInfo struct {
	Name string `json:"name"` // in the model
	// Site is the guard the goroutine stands at, 0 if none.
	Site int `json:"site,omitempty"`
	// Blocking: the operation at Site can wait for others.
	Blocking bool `json:"blocking,omitempty"`
	// End names a sink: "panic", "fatal", "exit", "return" (of main),
	// "done" (of a test), "goexit" (of main, which does not end the program), "bound".
	End string `json:"end,omitempty"`
	// Detail is the message or resource of the sink.
	Detail string `json:"detail,omitempty"`
	// Stack is the call path, outermost first: keys of the call sites.
	Stack []string `json:"stack,omitempty"`
}

// The roles of edges.
const (
	// RoleOp: the goroutine passes the guard of Site and completes its
	// operation. In a plan: (goroutine, site, case). Who waits for a condition
	// variable, and was signalled, passes the guard once more for the lock.
	RoleOp = "op"
	// RoleCommit: it passes the guard but cannot complete, and queues. Who takes
	// the lock of a condition variable again may do so a second time, as a writer
	// that finds readers.
	RoleCommit = "commit"
	// RoleWake: its queued operation completes by what another one did. The
	// runtime does it unasked: no step of the plan.
	RoleWake = "wake"
	// RoleBirth: an idle process becomes a goroutine, in synchronisation with
	// the RoleOp edge of a go statement; with a Site, in synchronisation with
	// the RoleLocal edge of the call there that hands over a callback.
	RoleBirth = "birth"
	// RoleStart: a goroutine passes its first guard (the Start site).
	RoleStart = "start"
	// RoleLocal: the rest of a segment that had to be split; no step.
	RoleLocal = "local"
	// RoleTime: time passes to the next event. In a plan: "T".
	RoleTime = "time"
)

// EdgeInfo describes one edge.
type EdgeInfo struct {
	Site int    `json:"site,omitempty"`                                      // the operation that it does, 0 if none
	Role string `json:"role" schema:"op|commit|wake|birth|start|local|time"` // one of the Role constants
	// Case is the chosen case of a select, in source order from 0, -1 for its
	// default. 0 elsewhere.
	Case int `json:"case,omitempty"`
	// Approx are indexes into Sidecar.Approximations that this edge rests on.
	Approx []int `json:"approx,omitempty"`
}

// Approximation is one place where the model is not exact.
type Approximation struct {
	Site int    `json:"site,omitempty"` // where it is, 0 if at no site
	File string `json:"file"`           // relative to the root of the program
	Line int    `json:"line"`           // from 1
	Col  int    `json:"col"`            // in bytes, from 1
	// Kind is a short stable word: "free-choice", "unknown-call", "loop-bound", ...
	Kind string `json:"kind"`
	// Direction is one of the Direction constants.
	Direction string `json:"direction" schema:"over|under|bound|control"`
	Reason    string `json:"reason"` // in words, for people
	// Query is the number of a query that is satisfied if no trace of the model
	// rests on it, 0 if none tells. Unreached: it is satisfied.
	Query     int  `json:"query,omitempty"`
	Unreached bool `json:"unreached,omitempty"` // no trace of the model rests on it
}

// The directions of approximations.
const (
	DirectionOver    = "over"    // the model can do what the program cannot
	DirectionUnder   = "under"   // the program can do what the model cannot
	DirectionBound   = "bound"   // both agree within a bound
	DirectionControl = "control" // a replay does not control it
)

// Query is a question about the model and what it means for the program.
type Query struct {
	Number int `json:"number"` // from 1
	// Formula is "" for a data race, which is not asked of the model.
	Formula     string `json:"formula"`
	Description string `json:"description"` // for people
	Category    string `json:"category"`    // as the option for categories has it
	// Kind is the error that a violation is; see the Kind constants.
	Kind string `json:"kind"`
	// Site, with File, Line and Col, is where the error happens; 0 if nowhere.
	Site int    `json:"site,omitempty"`
	File string `json:"file,omitempty"` // of Site, relative to the root of the program
	Line int    `json:"line,omitempty"` // of Site, from 1
	Col  int    `json:"col,omitempty"`  // of Site, in bytes from 1
	// Process is the process the query is about, by name, "" if none.
	Process string `json:"process,omitempty"`
}

// The kinds of errors, shared by queries, plans, outcomes and findings.
const (
	KindPanic           = "panic"                      // explicit panic not recovered
	KindSendOnClosed    = "send on closed channel"     // panic
	KindCloseOfClosed   = "close of closed channel"    // panic
	KindCloseOfNil      = "close of nil channel"       // panic
	KindNegativeCounter = "negative WaitGroup counter" // panic
	KindWaitGroupReuse  = "WaitGroup misuse"           // panic
	KindNilCall         = "call of nil function"       // panic
	KindUnlockUnlocked  = "unlock of unlocked mutex"   // fatal error
	KindMapRace         = "concurrent map access"      // fatal error
	KindDeadlock        = "deadlock"                   // all goroutines asleep, main among them
	KindPartialDeadlock = "partial deadlock"           // some goroutines can never go on
	KindLeak            = "goroutine leak"             // stuck after the end of the entry
	KindTestFailure     = "test failure"               // t.Error, t.Fatal
	KindExit            = "exit"                       // os.Exit with a code other than 0
	KindBound           = "bound exceeded"             // of the model
	KindImprecise       = "imprecise"                  // of the model; not an error
	KindRace            = "data race"                  // accesses to memory that nothing orders
	KindReachable       = "reachability"               // user annotation
	KindNeverReached    = "never reached"              // user annotation; no run can show it
)

// Trace is a counterexample in the form both people and gjson paths read:
// Lines keeps the seed form, Steps the structure.
type Trace struct {
	Formula string   `json:"formula"`                 // that of the query
	Comment string   `json:"comment"`                 // the description of the query
	Result  string   `json:"result" schema:"T|F|M|E"` // T, F, M or E
	Lines   []string `json:"trace"`                   // "P: A > B", sender first
	Query   int      `json:"query"`                   // its number
	Steps   []Step   `json:"steps,omitempty"`         // from the initial state on
	// Final is the location of every process in the last state.
	Final []ProcessAt `json:"final,omitempty"`
	// Plan is what to replay if that is not what the steps say: an error that
	// the program showed when it was to follow this trace, or a data race, which
	// has no other steps.
	Plan *Plan `json:"plan,omitempty"`
}

// Step is one transition of a trace.
type Step struct {
	Parts []Part `json:"parts"` // sender first
	// Vars are the variables that changed, with their new values.
	Vars []Var `json:"vars,omitempty"`
}

// Part is what one process did in a step.
type Part struct {
	Process  string `json:"process"`          // its name
	Template int    `json:"template"`         // index in Sidecar.Templates
	Edge     int    `json:"edge"`             // index in the template's edges
	Select   []int  `json:"select,omitempty"` // the values that the edge has selected, in order
	From     string `json:"from"`             // name of the location it leaves
	To       string `json:"to"`               // name of the location it enters
}

// Var is the value of a variable.
type Var struct {
	Name  string `json:"name"`  // as in the model, with its index or process
	Value int    `json:"value"` // after the step
}

// ProcessAt is where a process stands.
type ProcessAt struct {
	Process  string `json:"process"`  // its name
	Template int    `json:"template"` // index in Sidecar.Templates
	Location int    `json:"location"` // index in TemplateInfo.Locations
}

// Plan is a trace as the runtime follows it.
type Plan struct {
	Steps  []PlanStep `json:"steps"`  // in order
	Expect Expect     `json:"expect"` // what must have happened behind them
	// Seed is that of the environment: of random numbers, the order of maps, what a
	// sync.Pool returns. 0 has maps in the order of their keys.
	Seed uint64 `json:"seed,omitempty"`
	// Choices are those of the environment that are known one by one.
	Choices []EnvChoice `json:"choices,omitempty"`
	// Minor has goroutines stop also at the guards that only the runtime has, as the
	// run did that the plan repeats: inside of Wait, in front of what uses a map.
	Minor bool `json:"minor,omitempty"`
}

// EnvChoice is a choice of the environment: Value, of N from 0.
type EnvChoice struct {
	// G is the goroutine that it was for, and Site the key of the statement, ""
	// outside of functions.
	G    string `json:"g"`
	Site string `json:"site,omitempty"` // key of the statement, "" outside of functions
	// Occ counts, from 1, what G has asked for at Site.
	Occ   int `json:"occ"`
	N     int `json:"n"`     // number of values that it could have
	Value int `json:"value"` // from 0, less than N
	// Late is how late a deadline is set, or the clock is read, in nanoseconds.
	Late time.Duration `json:"late,omitempty"`
}

// TimeStep is the goroutine of a step that lets time pass.
const TimeStep = "T"

// PlanStep grants one goroutine its pending guard.
type PlanStep struct {
	// G is the goroutine's creation path: "0" is the entry, "0.2" the second
	// goroutine it starts. "T" lets time pass.
	G string `json:"g"`
	// Site is the key of the guard.
	Site string `json:"site,omitempty"`
	// Occ counts, from 1, how often G has passed Site.
	Occ int `json:"occ,omitempty"`
	// Case is the chosen case of a select, -1 its default.
	Case int `json:"case,omitempty"`
	// Trace is the index of the step of the trace this one comes from, and
	// Process the process that takes it.
	Trace   int    `json:"trace"`
	Process string `json:"process,omitempty"` // that of the model, see Trace
	// Swap marks the first of two steps that are one rendezvous of two
	// selects: the model does not say which of them queues first, so a replay
	// may try the other order.
	Swap bool `json:"swap,omitempty"`
}

// Expect is what must happen once the steps are done.
type Expect struct {
	Kind string `json:"kind"` // one of the Kind constants
	// Goroutines are those that must be unable to go on, or the one that
	// panics, each with its site.
	Goroutines []At `json:"goroutines"`
}

// At is a goroutine at a site.
type At struct {
	G    string `json:"g"`    // creation path, see PlanStep
	Site string `json:"site"` // key
	// Process is the process of the model that the goroutine is.
	Process string `json:"process,omitempty"`
}
