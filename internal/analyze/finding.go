package analyze

import (
	"fmt"
	"strings"

	"github.com/vtrace/vtrace/internal/trace"
)

// Code identifies an analysis. Codes are never changed, and never used for anything else.
type Code string

// The codes; docs/analyses.md has a section for each.
const (
	MP  Code = "MP"  // message contention
	SC  Code = "SC"  // a send on a closed channel is possible
	DR  Code = "DR"  // deadlock recovery: partners of operations that were not completed
	AC  Code = "AC"  // alternative communications
	ASC Code = "ASC" // alternative communications of cases that were not taken

	SendOnClosed     Code = "A01" // happened
	ReceiveOnClosed  Code = "A02"
	CloseOfClosed    Code = "A03"
	CloseOfNil       Code = "A04"
	NegativeCounter  Code = "A05"
	UnlockOfUnlocked Code = "A06"
	WaitGroupMisuse  Code = "A07"

	PossibleReceiveOnClosed  Code = "P02" // possible
	PossibleNegativeCounter  Code = "P03"
	PossibleUnlockOfUnlocked Code = "P04"
	LockCycle                Code = "P05"
	MixedCycle               Code = "P06"
	ConcurrentReceives       Code = "P07"
	CaseWithoutPartner       Code = "P08"
	WaitGroupReuse           Code = "P09"
	Race                     Code = "P10"
	ReorderedRace            Code = "P11"

	LeakUnknown         Code = "L00" // not ended
	LeakUnbuffered      Code = "L01"
	LeakUnbufferedAlone Code = "L02"
	LeakBuffered        Code = "L03"
	LeakBufferedAlone   Code = "L04"
	LeakNil             Code = "L05"
	LeakSelect          Code = "L06"
	LeakSelectAlone     Code = "L07"
	LeakLock            Code = "L08"
	LeakLockAlone       Code = "L09"
	LeakWaitGroup       Code = "L10"
	LeakWaitGroupAlone  Code = "L11"
	LeakCond            Code = "L12"
	LeakCondAlone       Code = "L13"
	LeakOnce            Code = "L14"
)

// Level says how much a finding matters.
type Level string

// The levels.
const (
	Error   Level = "error"   // it happened, or there is a witness
	Warning Level = "warning" // it is possible as far as the analysis can tell
	Note    Level = "note"    // says something about the program, and need not be an error
)

// predicted is the level, in the table of codes, of what is an error if it has a witness, else a warning.
const predicted Level = "predicted"

// kindOf is what is known of a code.
type kindOf struct {
	code  Code
	level Level
	title string
}

// kinds are all codes, in the order of reports.
var kinds = []kindOf{
	{SendOnClosed, Error, "send on a closed channel"},
	{CloseOfClosed, Error, "close of a closed channel"},
	{CloseOfNil, Error, "close of a nil channel"},
	{NegativeCounter, Error, "negative counter of a wait group"},
	{UnlockOfUnlocked, Error, "unlock of a lock that is not locked"},
	{WaitGroupMisuse, Error, "misuse of a wait group"},
	{SC, predicted, "possible send on a closed channel"},
	{PossibleNegativeCounter, predicted, "possible negative counter of a wait group"},
	{PossibleUnlockOfUnlocked, predicted, "possible unlock of a lock that is not locked"},
	{LockCycle, predicted, "possible cyclic deadlock of locks"},
	{MixedCycle, predicted, "possible cyclic deadlock of locks and channels"},
	{WaitGroupReuse, predicted, "a wait group is added to while somebody may wait"},
	{Race, predicted, "data race"},
	{ReorderedRace, predicted, "data race if critical sections come in another order"},
	{LeakUnbuffered, Warning, "goroutine stays at an unbuffered channel, a partner was possible"},
	{LeakUnbufferedAlone, Warning, "goroutine stays at an unbuffered channel, no partner"},
	{LeakBuffered, Warning, "goroutine stays at a buffered channel, a partner was possible"},
	{LeakBufferedAlone, Warning, "goroutine stays at a buffered channel, no partner"},
	{LeakNil, Warning, "goroutine stays at a nil channel"},
	{LeakSelect, Warning, "goroutine stays at a select, a partner was possible"},
	{LeakSelectAlone, Warning, "goroutine stays at a select, no partner"},
	{LeakLock, Warning, "goroutine stays at a lock that it could have had first"},
	{LeakLockAlone, Warning, "goroutine stays at a lock"},
	{LeakWaitGroup, Warning, "goroutine stays at a wait group, an addition could have come later"},
	{LeakWaitGroupAlone, Warning, "goroutine stays at a wait group"},
	{LeakCond, Warning, "goroutine stays at a condition, a signal could have come later"},
	{LeakCondAlone, Warning, "goroutine stays at a condition, no signal"},
	{LeakOnce, Warning, "goroutine stays in the call of a once"},
	{LeakUnknown, Note, "goroutine has not ended"},
	{CaseWithoutPartner, Note, "a case of a select never has a partner"},
	{DR, Note, "partners that an operation which was not completed could have had"},
	{AC, Note, "other partners that a communication could have had"},
	{ASC, Note, "partners that a case which was not taken could have had"},
	{MP, Note, "message contention"},
	{ConcurrentReceives, Note, "concurrent receives from one channel"},
	{ReceiveOnClosed, Note, "receive from a closed channel"},
	{PossibleReceiveOnClosed, Note, "possible receive from a closed channel"},
}

// place is the place of a code in the order of reports.
func place(c Code) int {
	for i := range kinds {
		if kinds[i].code == c {
			return i
		}
	}
	return len(kinds)
}

// Title says in a few words what a code is about, "" if there is no such code.
func (c Code) Title() string {
	if i := place(c); i < len(kinds) {
		return kinds[i].title
	}
	return ""
}

// Codes are all codes, in the order of reports.
func Codes() []Code {
	out := make([]Code, len(kinds))
	for i := range kinds {
		out[i] = kinds[i].code
	}
	return out
}

// Operation is an operation of a trace, as a finding names it.
type Operation struct {
	Goroutine trace.GoroutineID `json:"goroutine"`
	// PC is the number of the operation in its goroutine.
	PC int32  `json:"pc"`
	Op string `json:"op"`
	// Object is the name of what it is on, "" for a select.
	Object   string `json:"object,omitempty"`
	Position string `json:"position,omitempty"`
	Func     string `json:"func,omitempty"`
	Site     string `json:"site,omitempty"`
	// Pending: it was not completed.
	Pending bool `json:"pending,omitempty"`
}

func (o Operation) String() string {
	s := fmt.Sprintf("%s in goroutine %d", strings.TrimSpace(o.Op+" "+o.Object), o.Goroutine)
	if o.Position != "" {
		return s + " at " + o.Position
	}
	return fmt.Sprintf("%s (operation %d)", s, o.PC)
}

// Finding is a result of an analysis.
type Finding struct {
	Code  Code   `json:"code"`
	Level Level  `json:"level"`
	Title string `json:"title"`
	// Object is the name of the object that it is about, "" if there is none.
	Object string `json:"object,omitempty"`
	// Operations are what it is about; what each one is to the others the message says.
	Operations []Operation `json:"operations"`
	// Case is the index of the case that it is about, of a select; else nil.
	Case    *int   `json:"case,omitempty"`
	Message string `json:"message"`
	// Witness: the events of the run can be put in an order that shows it, with the same partners. An
	// error that happened needs none.
	Witness bool `json:"witness,omitempty"`
	// Unless is what may be so, of which the trace says nothing, and then there is none; "" else.
	Unless string `json:"unless,omitempty"`
	// Reordered: that order has critical sections of a lock in another order.
	Reordered bool `json:"reordered,omitempty"`
	// OtherOrder: the operations on buffered channels come in another order than in the first replay.
	OtherOrder bool `json:"otherOrder,omitempty"`
	// Count is in how many instances it was found at the same places, or, of MP, how many operations
	// are concurrent at most.
	Count int `json:"count"`

	refs []trace.Ref
	key  string // see inquiry.keyOf, whether Reordered or not
	// tries is for how many instances a witness was looked for in vain.
	tries int
	// say makes the message, where it would be made in vain for the most part.
	say func() string
	// reorders is what a witness has, where clocks alone are not enough to say that there is one.
	reorders *reordering
	// before are, of operations that may come too early, those that come too early with the first one, and after those
	// that may come too late.
	before, after []trace.Ref
	// orders and next are those of a prediction of it, and ordered is for how many instances they were looked for.
	orders  [][]trace.Ref
	next    []Turn
	ordered int
}

// reordering is what a reordering is to have: some operations that are about to be done, and some
// that were.
type reordering struct{ pending, done []trace.Ref }

// String is the finding in one line, with operations as goroutine.number.
func (f *Finding) String() string {
	var out strings.Builder
	out.WriteString(string(f.Code))
	if f.Object != "" {
		out.WriteString(" " + f.Object)
	}
	if f.Case != nil {
		fmt.Fprintf(&out, " case %d", *f.Case)
	}
	for _, o := range f.Operations {
		fmt.Fprintf(&out, " %d.%d", o.Goroutine, o.PC)
	}
	if f.Reordered {
		out.WriteString(" reordered")
	}
	return out.String()
}

// Result is what an analysis has found.
type Result struct {
	Program    string `json:"program,omitempty"`
	Goroutines int    `json:"goroutines"`
	Events     int    `json:"events"`
	// Coverage says for which orders of operations on buffered channels that holds.
	Coverage Coverage  `json:"coverage"`
	Findings []Finding `json:"findings"`
	// Limits say what was not looked at.
	Limits []string `json:"limits"`
}

// Errors is how many findings are errors.
func (r *Result) Errors() int { return r.count(Error) }

// Warnings is how many findings are warnings.
func (r *Result) Warnings() int { return r.count(Warning) }

// Notes is how many findings are notes.
func (r *Result) Notes() int { return r.count(Note) }

func (r *Result) count(l Level) int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Level == l {
			n++
		}
	}
	return n
}
