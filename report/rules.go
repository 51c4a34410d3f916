package report

import "github.com/vtrace/vtrace/artifact"

// rule is a kind of error under an identifier that never changes.
type rule struct {
	kind, id, short string
}

// rules are the kinds of findings, in the order in which reports list them.
var rules = []rule{
	{artifact.KindDeadlock, "deadlock", "All goroutines wait, main or the test among them."},
	{artifact.KindPartialDeadlock, "partial-deadlock", "Some goroutines wait for ever while others go on."},
	{artifact.KindLeak, "goroutine-leak", "A goroutine is left behind that nothing can wake."},
	{artifact.KindRace, "data-race", "Two goroutines access the same memory, one of them writes, and nothing orders them."},
	{artifact.KindMapRace, "concurrent-map-access", "Goroutines access a map at the same time, and one of them writes: a fatal error."},
	{artifact.KindSendOnClosed, "send-on-closed-channel", "A send on a closed channel panics."},
	{artifact.KindCloseOfClosed, "close-of-closed-channel", "To close a channel again panics."},
	{artifact.KindCloseOfNil, "close-of-nil-channel", "To close a nil channel panics."},
	{artifact.KindNegativeCounter, "negative-waitgroup-counter", "Done is called more often than Add has counted: a panic."},
	{artifact.KindWaitGroupReuse, "waitgroup-misuse", "Add is called while others return from Wait: a panic."},
	{artifact.KindUnlockUnlocked, "unlock-of-unlocked-mutex", "A mutex is unlocked that is not locked: a fatal error."},
	{artifact.KindNilCall, "call-of-nil-function", "A nil function is called: a panic."},
	{artifact.KindPanic, "panic", "A panic that nobody recovers, under some schedules."},
	{artifact.KindTestFailure, "test-failure", "A test fails under some schedules."},
	{artifact.KindExit, "exit", "The program exits with a failure under some schedules."},
	{artifact.KindReachable, "reachable", "A place that is marked as unreachable is reached."},
	{artifact.KindNeverReached, "never-reached", "A place that is marked as reachable is never reached."},
}

// RuleID is the identifier of a kind of error, as in "goroutine-leak", which never changes; false
// for other kinds. Package docs/findings has a page for each.
func RuleID(kind string) (string, bool) {
	r, ok := ruleOf(kind)
	return r.id, ok
}

func ruleOf(kind string) (rule, bool) {
	for _, r := range rules {
		if r.kind == kind {
			return r, true
		}
	}
	return rule{}, false
}
