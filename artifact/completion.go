package artifact

import "fmt"

// Completion is something that a run of the program has done and that its model took for
// impossible. A translation that is given it lets the model do it too.
type Completion struct {
	// Kind is one of the Completed constants.
	Kind string `json:"kind" schema:"call|branch"`
	// File, Line and Col are the place of the call or condition.
	File string `json:"file"`
	Line int    `json:"line"` // from 1
	Col  int    `json:"col"`  // in bytes, from 1
	// Func is the function there, and Block the number of the block in its SSA form that
	// ends with the condition.
	Func  string `json:"func"`
	Block int    `json:"block,omitempty"` // number of the block in its SSA form, for a condition
	// Callee is the function that is called.
	Callee string `json:"callee,omitempty"`
	// Run is the number of the run that has shown it.
	Run int `json:"run"`
}

// The kinds of completions.
const (
	CompletedCall   = "call"   // a callee that was not foreseen
	CompletedBranch = "branch" // a condition that was taken for decided
)

// Same reports that two completions say the same, of whichever run.
func (c Completion) Same(d Completion) bool {
	c.Run, d.Run = 0, 0
	return c == d
}

// What says what the run has shown.
func (c Completion) What() string {
	if c.Kind == CompletedCall {
		return fmt.Sprintf("it calls %s, as run %d has shown", c.Callee, c.Run)
	}
	return fmt.Sprintf("the condition may be true or false, as run %d has shown", c.Run)
}
