package trace

import "strconv"

// Trace is a recorded run.
type Trace struct {
	// Program says what was run: the package and the entry function. It may be empty.
	Program string
	// Positions are the places in the source; a PosID is an index into them, plus one.
	Positions []Position
	// Objects are the channels, locks and so on; an ObjectID is an index into them, plus one.
	Objects []Object
	// Goroutines are the local traces; a GoroutineID is an index into them, plus one. The first
	// one is the main goroutine.
	Goroutines []Goroutine
}

// GoroutineID numbers the goroutines of a trace from 1. 0 is none.
type GoroutineID int32

// ObjectID numbers the objects of a trace from 1. 0 is a nil channel.
type ObjectID int32

// PosID numbers the positions of a trace from 1. 0 is not known.
type PosID int32

// Position is a place in the source.
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"col,omitempty"`
	// Func is the function's path, as in package sites; it may be empty.
	Func string `json:"func,omitempty"`
	// Site is the key of the site, as in package sites; it may be empty.
	Site string `json:"site,omitempty"`
}

func (p Position) String() string {
	if p.File == "" {
		return ""
	}
	s := p.File + ":" + strconv.Itoa(p.Line)
	if p.Column > 0 {
		s += ":" + strconv.Itoa(p.Column)
	}
	return s
}

// ObjectKind is what an object is.
type ObjectKind uint8

// The kinds of objects.
const (
	NoObject  ObjectKind = iota
	Chan                 // also the done channel of a context, and the channel of a timer
	Mutex                // sync.Mutex
	RWMutex              // sync.RWMutex
	WaitGroup            // sync.WaitGroup
	Once                 // sync.Once, and what sync.OnceFunc and its like return
	Cond                 // sync.Cond
	Atomic               // a variable that is accessed by package sync/atomic
	Var                  // memory
	Library              // all code that is not instrumented: there is one
)

var objectWords = [...]string{NoObject: "none", Chan: "chan", Mutex: "mutex", RWMutex: "rwmutex", WaitGroup: "waitgroup", Once: "once", Cond: "cond", Atomic: "atomic", Var: "var", Library: "library"}

// String is the word of the text form.
func (k ObjectKind) String() string {
	if int(k) < len(objectWords) {
		return objectWords[k]
	}
	return objectWords[NoObject]
}

// Object is what operations are done on.
type Object struct {
	Kind ObjectKind
	// Name is what the text form calls it, and reports; if it is empty, Trace.ObjectName makes one.
	Name string
	// Cap is the capacity of a channel.
	Cap int
	// Pos is where it was made, if that is known.
	Pos PosID
}

// Op is the kind of an operation.
type Op uint8

// The operations. Some are recorded as several: WaitGroup.Go is an OpAdd of 1 and an OpGo, and
// the function that it starts ends with an OpAdd of -1; Cond.Wait is the pre event of an
// OpCondWait, an OpUnlock, the post event of the OpCondWait and an OpLock; time.AfterFunc and
// context.AfterFunc are an OpGo of the goroutine that calls them; the cancellation of a context
// is an OpClose of its done channel, and one by its deadline is none at all. What a timer sends
// has no known partner.
const (
	OpNone      Op = iota
	OpSend         // ch <- v
	OpRecv         // <-ch, also one of a range
	OpSelect       // a select statement, of any number of cases
	OpClose        // close(ch)
	OpGo           // starts the goroutine Partner.Goroutine
	OpEnd          // the goroutine ends; its last event
	OpLock         // Mutex.Lock, RWMutex.Lock
	OpTryLock      // Mutex.TryLock, RWMutex.TryLock
	OpUnlock       // Mutex.Unlock, RWMutex.Unlock
	OpRLock        // RWMutex.RLock
	OpTryRLock     // RWMutex.TryRLock
	OpRUnlock      // RWMutex.RUnlock
	OpAdd          // WaitGroup.Add, and Done as an Add of -1
	OpWait         // WaitGroup.Wait
	OpOnce         // Once.Do; what the function does is between the pre and the post event
	OpCondWait     // the part of Cond.Wait that waits
	OpSignal       // Cond.Signal
	OpBroadcast    // Cond.Broadcast
	OpLoad         // an atomic operation that reads, also a CompareAndSwap that failed
	OpStore        // an atomic operation that writes
	OpRMW          // an atomic operation that reads and writes
	OpRead         // memory is read
	OpWrite        // memory is written
	OpCall         // code that is not instrumented is called, or returns, which comes behind all that was called before
	numOps
)

var opWords = [...]string{
	OpNone: "none", OpSend: "send", OpRecv: "recv", OpSelect: "select", OpClose: "close", OpGo: "go", OpEnd: "end",
	OpLock: "lock", OpTryLock: "trylock", OpUnlock: "unlock", OpRLock: "rlock", OpTryRLock: "tryrlock", OpRUnlock: "runlock",
	OpAdd: "add", OpWait: "wait", OpOnce: "once", OpCondWait: "condwait", OpSignal: "signal", OpBroadcast: "broadcast",
	OpLoad: "load", OpStore: "store", OpRMW: "rmw", OpRead: "read", OpWrite: "write", OpCall: "call",
}

// String is the word of the text form.
func (o Op) String() string {
	if o < numOps {
		return opWords[o]
	}
	return opWords[OpNone]
}

// Phase says whether an event is about what will be done, or about what has been done.
type Phase uint8

// The phases. An operation is one event if nothing of its goroutine is recorded between its pre
// and its post event.
const (
	NoPhase Phase = iota
	Pre           // about to do it; if no post event follows, it has never been completed
	Post          // it has been done
	Whole         // the pre and the post event in one
)

// HasPre reports whether the event says what was about to be done.
func (p Phase) HasPre() bool { return p == Pre || p == Whole }

// HasPost reports whether the event says what was done.
func (p Phase) HasPost() bool { return p == Post || p == Whole }

// Flags are what is true of an event.
type Flags uint8

// The flags.
const (
	HasDefault Flags = 1 << iota // pre: the select has a default case
	Closed                       // post: the channel was closed, and no value was received
	Failed                       // post: a Try operation got no lock
	Panicked                     // post: the operation has panicked, or ended the program
	Counted                      // post: Counter is known
	Ran                          // post: this Once.Do has called the function
)

// Ref names an operation: a goroutine and its local program counter.
type Ref struct {
	Goroutine GoroutineID
	PC        int32
}

// The references that name no operation.
var (
	Unknown = Ref{}      // nothing is known
	First   = Ref{PC: 1} // of a lock: nobody has had it before
)

// Known reports whether the reference names an operation.
func (r Ref) Known() bool { return r.Goroutine > 0 }

// DefaultCase is the Case of a select that has taken its default.
const DefaultCase = -1

// Case is an alternative of a select.
type Case struct {
	Op     Op // OpSend or OpRecv
	Object ObjectID
	Pos    PosID
}

// Event is what is recorded at once. Fields of "pre" are those of events that have the pre phase,
// fields of "post" of those that have the post phase.
type Event struct {
	Phase Phase
	Op    Op
	Flags Flags
	// PC is the local program counter: the operations of a goroutine are numbered from 1 in the
	// order of their pre events. A post event has the number of its pre event.
	PC     int32
	Object ObjectID
	Pos    PosID
	// Case is, in the post event of a select, the index of the case taken, or DefaultCase.
	Case int32
	// Delta is what an OpAdd adds (pre), Counter what it has made of the counter (post, if Counted).
	Delta, Counter int32
	// Partner (post) is: of a receive, the operation that has sent the value, or closed the channel;
	// of a send, the operation that has received it, if the recorder knows, as of an unbuffered
	// channel; of a select, that of the case taken; of an OpGo, the new goroutine, with a PC of 0;
	// of OpLock, OpRLock and their Try forms, the last OpUnlock of the lock before (not an OpRUnlock);
	// of OpOnce, the one that has called the function; of OpCondWait, the OpSignal or OpBroadcast;
	// of OpLoad and OpRMW, the OpStore or OpRMW of which the value was read, or, of a variable that the program does not have,
	// any operation that the goroutine comes behind; of OpCall the one before. Partners are named by one side only: where a receive names its send, the send need not name the receive.
	Partner Ref
	// Seq (post), if it is not 0, is the place of the operation in the order of all operations on
	// wait groups, once, conditions, atomic variables and memory, for each object from 1.
	Seq int64
	// Cases (pre) are the alternatives of a select, in the order of the source, without the default.
	Cases []Case
}

// Has reports whether all the flags are set.
func (e *Event) Has(f Flags) bool { return e.Flags&f == f }

// Goroutine is a local trace.
type Goroutine struct {
	// Name is the function that it runs; it may be empty.
	Name string
	// Parent is the goroutine that has started it, 0 if that is not known, as for the first one.
	Parent GoroutineID
	// Path is the creation path, as in "0.2", if the recorder knows it.
	Path string
	// Events are in the order of the goroutine.
	Events []Event
	// Truncated says that more was done than is recorded.
	Truncated bool
	// Left is what the garbage collector has said of a goroutine that was left at the end.
	Left Left
}

// Left says whether a goroutine that was left at the end of a run can be woken.
type Left uint8

// What is known of that.
const (
	// NotJudged: nothing is known; or the goroutine waits for nothing.
	NotJudged Left = iota
	// Unreachable: no goroutine that can go on reaches what it waits for, and no global variable.
	Unreachable
	// Reachable: something reaches that, which may wake it or not.
	Reachable
)

// leftWords are the words of the text form.
var leftWords = [...]string{NotJudged: "", Unreachable: "unreachable", Reachable: "reachable"}

// String is the word of the text form; "" of NotJudged.
func (l Left) String() string {
	if int(l) < len(leftWords) {
		return leftWords[l]
	}
	return ""
}

// Object is the object of an id, the zero Object for a nil channel.
func (t *Trace) Object(id ObjectID) Object {
	if id < 1 || int(id) > len(t.Objects) {
		return Object{}
	}
	return t.Objects[id-1]
}

// ObjectName is what to call an object: its name, one made of its kind and number, or "nil".
func (t *Trace) ObjectName(id ObjectID) string {
	o := t.Object(id)
	switch {
	case o.Kind == NoObject:
		return "nil"
	case o.Name != "":
		return o.Name
	}
	return o.Kind.String() + strconv.Itoa(int(id))
}

// Position is the position of an id, the zero Position if it is not known.
func (t *Trace) Position(id PosID) Position {
	if id < 1 || int(id) > len(t.Positions) {
		return Position{}
	}
	return t.Positions[id-1]
}

// Events is how many events there are.
func (t *Trace) Events() int {
	n := 0
	for i := range t.Goroutines {
		n += len(t.Goroutines[i].Events)
	}
	return n
}
