// Package left judges goroutines that a test leaves behind: whether one is a worker of
// a service that somebody still has.
//
// A goroutine that is blocked for ever is an error if nobody can ever wake it: it sends
// a result that nobody will take, it waits for a lock, or for a message on a channel
// that only the goroutine itself still has. It is none if it waits for work, and who
// might give it work, or end it, is there: the test has started a service and has not
// stopped it, which ends with the process.
//
// A Worker is a goroutine with these properties:
//
//   - It waits to receive: in a receive, a range over a channel, a Cond.Wait, or a select
//     in which something other than a context is received. Who waits to send, or for a
//     lock, a wait group or a Once, holds up what it has to deliver. A select may offer
//     something too.
//   - It does so in a loop that may go on for ever: one that does not count. Or it waits
//     for signals only, contexts and channels of empty structs, for the end of the service:
//     what has started it is not the test, or it is in code of the service and only
//     exported methods of that close what it waits for.
//   - What it waits on is part of something that is held: by a package-level variable, or
//     by the test. The test holds what it has made or got from a function, if what is
//     waited on is part of that: a field, or what a method returns. A plain channel
//     that the test has made is none: nothing but the test's own code could close it,
//     and that has ended. What a function of the program has made and dropped is held by
//     nobody, what it has returned to its caller, or has put into something that is
//     held, by whoever holds that.
//   - The test has not stopped it: it has called no method of what it holds that closes
//     a channel of it or sends on it, cancels a context, stops a timer or wakes who waits
//     for a Cond, and is given nothing but truths, times and contexts: how long to wait, perhaps. A
//     method that has led to the goroutine does not stop it. It runs the service.
//
// A Watcher is another goroutine that is none: one that a test has for what it does not
// expect.
//
// All this is read from the SSA form, along the calls that have led to where the
// goroutine is blocked and to where it was started, as a run has recorded them: what is
// handed over otherwise is not followed, and counts as dropped.
//
// Functions with a parameter of type *testing.T and the like, and the functions in them,
// are the test.
package left
