package view

// Version is that of the form of [Data]. Fields may be added without another one.
const Version = 1

// Data is what a page shows, and the JSON in it. Numbers that refer to other things are indexes
// from 0, and -1 is none, unless said otherwise. An optional field is left out where it has the
// zero value of its type.
type Data struct {
	Version int  `json:"version"`
	Model   bool `json:"model,omitempty"` // the page is of a trace of a model: its goroutines are processes
	// Recording: the page is of a recorded run. Goroutines have the numbers of the trace as names, and
	// all findings, which are those of package analyze, have one trace in common.
	Recording bool `json:"recording,omitempty"`
	// First is the number of the finding that is shown first, 0 if that is the first one.
	First    int         `json:"first,omitempty"`
	Program  Program     `json:"program"`
	Notes    []string    `json:"notes"` // what was left out, in words
	Sites    []Site      `json:"sites"`
	Files    []File      `json:"files"`
	Findings []Finding   `json:"findings"`
	Traces   []Trace     `json:"traces"`
	Automata []Automaton `json:"automata"`
}

// Program says of what, and of which bundle, the page is.
type Program struct {
	Package string `json:"package"`       // import path
	Entry   string `json:"entry"`         // function
	Pass    string `json:"pass"`          // that has written the bundle
	Tool    string `json:"tool"`          // version of vtrace
	Go      string `json:"go"`            // version
	Digest  string `json:"digest"`        // of the bundle
	End     string `json:"end,omitempty"` // how a recorded run has ended
}

// Site is a point of the program.
type Site struct {
	Kind string `json:"kind"`           // the operation, in a word
	Func string `json:"func,omitempty"` // full name of the function around it
	File string `json:"file,omitempty"` // relative to the root of the program
	Line int    `json:"line,omitempty"` // from 1
	Text string `json:"text,omitempty"` // the source line
}

// File is a part of a source file.
type File struct {
	Path  string   `json:"path"`
	From  int      `json:"from"` // number of the first line, from 1
	Lines []string `json:"lines"`
}

// Finding is a possible error of the program.
type Finding struct {
	Number   int    `json:"number"` // from 1
	Verdict  string `json:"verdict"`
	Kind     string `json:"kind"`
	Category string `json:"category,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Func     string `json:"func,omitempty"`
	Message  string `json:"message"`
	Cause    string `json:"cause,omitempty"` // why it comes about
	// Goroutine is the name of the one that the cause speaks of first, which is at File and Line at the end.
	Goroutine string   `json:"goroutine,omitempty"`
	Reason    string   `json:"reason,omitempty"` // why it is not real, or how it has shown
	Reproduce string   `json:"reproduce,omitempty"`
	Facts     []string `json:"facts,omitempty"` // what else is known, in words
	Objects   []Made   `json:"objects,omitempty"`
	// Steps are, of a recorded run, the numbers of the steps that it is about and that are on the page.
	Steps []int `json:"steps,omitempty"`
	Trace int   `json:"trace"`
}

// Made is an object that goroutines of a finding wait for, or panic on, with where it was made.
type Made struct {
	Name string `json:"name"`           // what operations call it
	File string `json:"file"`           // relative to the root of the program
	Line int    `json:"line"`           // from 1
	Text string `json:"text,omitempty"` // the source line
}

// The ways in which the steps of a trace are known.
const (
	FromRun   = "run"   // a run of the program has done them
	FromModel = "model" // the model can do them
)

// Trace is how a finding comes about.
type Trace struct {
	Finding    int         `json:"finding"`
	From       string      `json:"from"`  // FromRun or FromModel
	Notes      []string    `json:"notes"` // what is not known of it, in words
	Goroutines []Goroutine `json:"goroutines"`
	Objects    []Object    `json:"objects"`
	Variables  []Variable  `json:"variables"`
	// Skipped is how many steps were left out at the beginning: the first of Steps has the
	// number Skipped+1. Start is the state before it.
	Skipped int     `json:"skipped"`
	Start   State   `json:"start"`
	Steps   []Step  `json:"steps"`
	Arrows  []Arrow `json:"arrows"`
	// Values are those that states have.
	Values []any `json:"values"`
	// Alternatives are in the sets that steps refer to. A set that ends with -1 does not have all.
	Alternatives    []Alternative `json:"alternatives"`
	AlternativeSets [][]int       `json:"alternativeSets"`
	// Shown is for how many of Steps the states come from the model, as far as it can be followed;
	// behind them only what was observed is known. Seen: in the last state is what a run has shown.
	Shown int  `json:"shown"`
	Seen  bool `json:"seen,omitempty"`
	// Behind is how many steps were left out at the end.
	Behind int `json:"behind,omitempty"`
	// Clocks are, of a recorded run, the vector clocks of Goroutines before the first of Steps: pairs of the
	// number of a goroutine, from 1, and its component, in one list; what is not there is 0. Without it the page has no clocks.
	Clocks [][]int `json:"clocks,omitempty"`
}

// Goroutine is a lane of a trace.
type Goroutine struct {
	Name      string `json:"name"`      // creation path, as "0.2"
	By        int    `json:"by"`        // the goroutine that has started it
	Started   int    `json:"started"`   // number of the step in which it was, 0 if it was there before or that is not known
	Site      int    `json:"site"`      // where it was started
	Automaton int    `json:"automaton"` // that it is a process of
	// Of a recorded run: its number in the trace, which is its name, and the function that it runs, if that is known.
	Number int    `json:"number,omitempty"`
	Func   string `json:"func,omitempty"`
}

// The kinds of objects.
const (
	Mutex     = "mutex"
	RWMutex   = "rwmutex"
	WaitGroup = "waitgroup"
	Channel   = "channel"
	Once      = "once"
	Condition = "cond"
	Atomic    = "atomic" // a variable that is accessed by package sync/atomic
	Memory    = "memory"
)

// Object is what goroutines synchronise with.
type Object struct {
	Name string `json:"name"` // in the model, or in the run
	Kind string `json:"kind"`
	// Called are the expressions for it in the program, Run is its name in the run.
	Called []string `json:"called,omitempty"`
	Run    string   `json:"run,omitempty"`
	Cap    int      `json:"cap,omitempty"` // of a channel with a buffer, as far as the model says it
	// Made is where it was made, and in which variable, as in "main.go:3 (mu)", as far as that is known of the objects of the finding.
	Made string `json:"made,omitempty"`
}

// Variable is one that the model keeps.
type Variable struct {
	Name string `json:"name"` // in the model
	// Process is the process of the model whose variable it is, "" if goroutines share it, and
	// Goroutines are those that are that process, one after the other.
	Process    string `json:"process,omitempty"`
	Goroutines []int  `json:"goroutines,omitempty"`
}

// State has what holds at a step, by a letter and an index: "g0" is a [GoroutineState], "o0" an
// [ObjectState], and "v0" the value of a variable, an integer. They are indexes into Values of the
// trace, since most come again. A state of a Step has what has changed; -1 is not there any more.
type State map[string]int

// The words for how a goroutine stands.
const (
	Ready    = "ready"    // in front of its site
	Waits    = "waits"    // in the operation of its site
	Past     = "past"     // it was at its site last; where it is now is not known
	Ended    = "ended"    // it has returned
	Panicked = "panicked" // it has ended the program
)

// GoroutineState is how a goroutine stands.
type GoroutineState struct {
	At  int    `json:"at"` // site
	Is  string `json:"is"`
	For []int  `json:"for,omitempty"` // objects that it waits for
	// Location is where it is in its automaton, from 1; 0 if that is not known.
	Location int    `json:"location,omitempty"`
	Detail   string `json:"detail,omitempty"` // how it has ended
}

// ObjectState is the state of an object, with the fields of its kind.
type ObjectState struct {
	Held    []int     `json:"held,omitempty"`    // goroutines that have the lock, or run the function of the Once
	Reading []int     `json:"reading,omitempty"` // those that read under it
	Queue   []Message `json:"queue,omitempty"`   // what is in the buffer, the next one first
	Length  int       `json:"length,omitempty"`  // of the buffer
	Lost    bool      `json:"lost,omitempty"`    // the queue does not have all of it
	Closed  bool      `json:"closed,omitempty"`
	Count   int       `json:"count,omitempty"` // of a wait group; of a Once 1 while it runs, 2 when it is done
}

// Message is a value in a channel.
type Message struct {
	Text string `json:"text"` // the value, or the expression that was sent
	By   int    `json:"by"`   // goroutine
	Step int    `json:"step"` // number of the step
}

// Step is one step of a trace.
type Step struct {
	Goroutine int    `json:"g"` // -1: time passes
	Site      int    `json:"site"`
	Case      string `json:"case,omitempty"`   // of a select
	Queues    bool   `json:"queues,omitempty"` // it could not complete, and waits
	// Alternatives is the set of what could have been done instead, from 1; 0 is nothing, or not known.
	Alternatives int   `json:"alt,omitempty"`
	Set          State `json:"set,omitempty"` // what is different behind it

	// Did is what came of the operation, in words, as far as the run has shown it.
	Did string `json:"did,omitempty"`

	// What follows is of recorded runs. PC is the number of the operation in its goroutine, and Phase which of its
	// events the step is.
	PC      int    `json:"pc,omitempty"`
	Objects []int  `json:"on,omitempty"` // that it is on, without those of which it has changed the state; of a select, in any of its cases
	Phase   string `json:"phase,omitempty"`
	// Pre are the components in which the vector clock before the operation is another one than
	// that of the goroutine so far, but for its own component, which is PC. Post are those in which the
	// clock behind it is another one than that before it. Both as Clocks of the Trace.
	Pre  []int `json:"pre,omitempty"`
	Post []int `json:"post,omitempty"`
	// Possible is what the clocks say of other runs at this operation.
	Possible []Possible `json:"may,omitempty"`
}

// The phases of an operation that is not one step.
const (
	PhasePre  = "pre"  // it begins
	PhasePost = "post" // it ends
)

// Possible is what could have been beside an operation of a recorded run: partners that it could
// have had, or what competes with it.
type Possible struct {
	Code  string `json:"c"`              // of the analysis
	Case  string `json:"case,omitempty"` // of a select, that was not taken
	Count int    `json:"n"`              // how many operations there are
	// At are some of them: pairs of the number of a goroutine, from 1, and of an operation of it.
	At []int `json:"at"`
}

// Alternative is what could have been done in place of a step.
type Alternative struct {
	Goroutine int    `json:"g"` // -1: time passes
	Site      int    `json:"site"`
	Case      string `json:"case,omitempty"`
	With      int    `json:"with"` // the goroutine that takes part, as who receives what is sent
}

// The kinds of arrows.
const (
	ArrowMessage = "message" // what was sent is received
	ArrowLock    = "lock"    // a lock that one has given back, another one takes
	ArrowCreate  = "create"  // a goroutine is started
	ArrowWake    = "wake"    // one that waits is let go on
	ArrowRead    = "read"    // what was stored is read
)

// Arrow leads from one goroutine to another one, at steps by their numbers.
type Arrow struct {
	Kind     string `json:"kind"`
	From     int    `json:"from"`
	FromStep int    `json:"fromStep"`
	To       int    `json:"to"`
	ToStep   int    `json:"toStep"`
	Object   int    `json:"object"`
	Text     string `json:"text,omitempty"`
}

// Automaton is a template of the model.
type Automaton struct {
	Name      string     `json:"name"`
	Func      string     `json:"func,omitempty"` // the function of its goroutines
	Initial   int        `json:"initial"`
	Locations []Location `json:"locations"`
	Edges     []Edge     `json:"edges"`
}

// Location is a location of an automaton.
type Location struct {
	Name string `json:"name"`
	Site int    `json:"site"`
	End  string `json:"end,omitempty"` // what ends there, as "panic"
	X    int    `json:"x"`
	Y    int    `json:"y"`
}

// Edge is an edge of an automaton. The texts are those of the model.
type Edge struct {
	From   int    `json:"from"`
	To     int    `json:"to"`
	Site   int    `json:"site"`
	Guard  string `json:"guard,omitempty"`
	Sync   string `json:"sync,omitempty"`
	Update string `json:"update,omitempty"`
}
