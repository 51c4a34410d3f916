// Package orcutil has the words of runs: what a plan prescribes to an instrumented program, and
// what a run of it reports.
//
// The instrumented program replaces every concurrency operation by a call of vtrace's runtime:
// ch <- v becomes To(ch).Send(site, v), mu.Lock() becomes Lock(site, &mu), and so on. Each call is
// a guard, identified by its site. Outside a run the calls do what the originals did, and the
// program behaves as ever. Inside a run the runtime decides who goes on: by a [Plan], and behind its
// steps by a choice. What it has observed is a [Result].
//
// # Orchestration tests by hand
//
// The tests that a bundle has below tests/ are ordinary Go. "vtrace export-test" writes one into the
// tree of its program, where it can be changed, and others can be written after its model; "vtrace
// test" runs them (vtrace.ExportTest and vtrace.RunExported do the same). They are compiled with an overlay, in
// which the runtime is the package vtraceorc of the standard library. It has the types of this package
// under the same names:
//
//	plan := vtraceorc.Plan{
//		Steps: []vtraceorc.Step{
//			{G: "0", Site: "locks.main#2"},
//			{G: "0.1", Site: "locks.main$1#1"},
//		},
//		Expect: vtraceorc.Expect{
//			Kind:       "deadlock",
//			Goroutines: []vtraceorc.At{{G: "0", Site: "locks.main#3"}},
//		},
//	}
//	config := vtraceorc.ForMain(t, synctest.Test, synctest.Wait, main, "locks.main.end")
//	vtraceorc.Orchestrate(t, plan, config, json.Marshal)
//
// For the entry of a test it is ForTest, which is given the test in place of main. The keys of sites are
// those of sidecar.json, and the kinds of errors those of package artifact (artifact.KindDeadlock
// and so on). The environment variables [EnvResult], [EnvLog] and [EnvJournal] name files that such a test
// writes: its Result as JSON, and which guards were passed, in words and as steps of a plan.
//
// # Terms
//
// A goroutine arrives at a guard and stands there, before its operation: nobody
// can see yet that it is about to do it. Granting it lets it pass: if the
// operation can complete, it does, else the goroutine commits: it queues as in
// Go and is blocked until another goroutine completes it. Either way, granting
// is one step of the plan. A goroutine that has passed runs on to its next
// guard; that stretch is its segment. Segments never overlap: one goroutine has
// the baton at a time, so that a run is a function of the choices alone, plain
// memory included.
//
// Goroutines are named by their creation path: the entry function runs in "0",
// and "0.2" is the second goroutine that "0" has started. A function that
// the program has given to a library runs in "F@site.n".
//
// A new goroutine stands at its Start guard. A step that names it at a later
// guard passes the Start guard by itself; so it is with a goroutine that a Cond
// has signalled and that must take its lock again, which is a second grant of
// the same guard.
//
// A subtest that may come to t.Parallel is such a goroutine. Who calls t.Run
// queues until it has ended or has come to t.Parallel, where it waits for the
// return of the function around; that waits for its parallel subtests at a guard
// of its own. Other subtests are calls.
//
// # Queues
//
// Whether a buffer has room, a lock is held or a WaitGroup is at zero stands in
// the real objects, which every operation changes as the original would. What
// this package keeps is who waits, under Go's rules:
//
//   - Channels serve waiters in the order in which they queued. A polling
//     select meets only partners that have queued. Close completes all.
//   - Mutexes are not handed over: Unlock returns the waiters to their guards,
//     and the plan decides who is granted next.
//   - A writer that finds an RWMutex read-locked queues and keeps new readers
//     out. The last RUnlock completes it, and its Unlock the readers that came
//     meanwhile, without steps.
//   - Done at zero completes those who wait, the end of the function of a Once
//     those who wait for it.
//   - Between a Done that finds zero and the release of the waiters, and between
//     that and their return, others may go on: those are minor guards, see below,
//     and reuse of the WaitGroup panics as in Go.
//   - Cond serves the tickets in order.
//
// Errors are genuine: a send on a closed channel panics since the real send is
// done. Only unlocking what is not locked is found beforehand, since the fatal
// error would end the process.
//
// Minor guards stand where only an error can tell that a goroutine has stopped, as
// in front of what reads or writes a map: two who stand there with one map, one of
// them writing, are what Go calls concurrent map writes.
// Models have none, and a run stops there only if it has no plan, or one that
// wants it, as those of recordings do, or names a minor guard: else goroutines go by.
// Where the length of a channel is asked for they stop only in an exhaustive exploration,
// and in what repeats a run of one.
//
// # Time
//
// In a testing/synctest bubble time stands still while goroutines run. It
// passes by a step of the plan, TimeStep, or when who chooses behind the plan says so: up
// to the next event, a Sleep, a function of a timer, or a receive from a timer's channel or a
// context. If nothing can move and no event comes, the program
// rests: whoever is blocked now is blocked for ever. That is how deadlocks and
// leaks are proved. Timers that uninstrumented code keeps to itself count too.
//
// That time passes while a goroutine stands at a guard is a stall: the schedule needs
// that it is slow there. A run reports for how long it has held whom. Within the
// program's own synctest.Test, time passes only when all are blocked.
//
// A goroutine may also be slow for less time than there is to the next event. That shows
// where it sets a deadline, of a timer or a context: it comes behind others then that are
// pending, and that it would have come before. How late it is, of the times that make a
// difference, is a choice of the environment in runs in which time may pass at any moment,
// and a stall. To set a deadline is a step of its own there. So it is where it reads the
// clock, and something depends on what that shows: it shows that nobody was slow, or that a
// duration has passed since an earlier reading.
//
// The clock of a bubble begins at midnight UTC 2000-01-01, whatever the day: a
// program that looks at dates behaves as on that one. In a program that calls time.Now
// it begins on a morning in June 2026, with a fraction of a second that
// depends on the seed of the plan: nothing is due just when a run begins. There it is
// also a nanosecond later than an event when somebody goes on after it, so that a
// second that has been slept for has passed. Deadlines that are equal stay so if nobody is
// slow: what is due at one instant may come in any order. If the program calls synctest.Test, which
// promises that clock, neither is so. A run notes where time.Now
// is called first; calls by uninstrumented code, of certificates for example, it
// does not see.
//
// # The environment
//
// Some of what a program does depends neither on its schedule nor on itself: on
// random numbers, the order of a map, which value a sync.Pool has kept, a hash. That
// is its environment, and in a run it is chosen. A choice is a function of the seed
// of the plan, the goroutine, the statement, and how often the goroutine has asked
// there: it needs no step, and repeats whatever other goroutines do. Choices of small
// range, a throw of a dice, the order of a few keys, are recorded one by one in
// Result.Choices, and Plan.Choices can prescribe them. Without a seed maps come in
// the order of their keys, a sync.Pool returns what was put last, and random numbers
// are those of one fixed sequence for each statement and goroutine. Exploration uses
// the seed of the schedule.
//
//   - A range over a map comes in any order of the keys that are there when it
//     begins. Entries that are gone when their turn comes do not come. Whether those
//     come that are created meanwhile, and when, is chosen too, where none of them is
//     the first choice; of those of one range an exploration of all schedules has at
//     most eight come, and says so. An entry that is removed and created again is a new
//     one; if uninstrumented code does both, it is taken for the old one.
//   - So is a Range over a sync.Map, which has the value of each key when it comes. A key
//     that is deleted and stored again before its turn is taken for the old one.
//   - Keys have an order of their own, by value. Addresses are no values: pointers
//     and channels are numbered when they are inserted as keys. Others count by what
//     they point to; where that is equal, a note says that nothing chose.
//   - The functions of math/rand, math/rand/v2 and crypto/rand that need no
//     generator draw from the run, and so do generators that are seeded with what the
//     clock has shown: those with the same seed give the same numbers. A small remainder of
//     what it shows in nanoseconds is a choice, too.
//   - A sync.Pool loses nothing by itself: Get returns any of the values that were
//     put, or a new one.
//   - hash/maphash computes other hashes, the same in every process. So do a Hash's,
//     up to the 128 bytes that it buffers.
//   - runtime.NumGoroutine counts the goroutines of the run. One that has done its last
//     operation may be counted still, until time passes.
//   - What an iterator of iter.Pull does is done by the goroutine that asks it for a value.
//   - Noted but not chosen are the number of the process, weak pointers, ranges over
//     maps by reflection, addresses by reflection or formatted with a constant %p.
//
// # Data races
//
// Where accesses to memory are instrumented too (they are no guards), a run looks for data races: two accesses to the same bytes, one of
// them a write, that no chain of synchronisation orders under this schedule. It
// keeps the happens-before order of the Go memory model by vector clocks. A race
// does not end the run, unless it is what the plan expects.
//
// Uninstrumented code may synchronise: each call of it that may is taken to
// come after all earlier ones, whoever made them. That hides races, as does
// memory that such code touches; none is reported that is not there. That methods
// of one list, buffer or the like of the standard library are called with nothing to
// order the calls is said, without a claim that they race. After an
// operation by a goroutine outside control a run looks no further. Not seen is
// uninstrumented code that locks, by itself, a lock of the program's.
//
// # Ends of a run
//
// A panic that nobody recovers, a fatal error and an exit end the program. So
// does the return of main, except that under an expectation of a leak or a
// partial deadlock the others go on, and are seen to be stuck or not. After the
// return of a test the others always go on. After the last step of the plan
// the first goroutine goes on that can, in an exploration one that is chosen at random,
// until the program has ended or rests; while something is expected, the guard at the end of the entry
// function comes last. Then the expectation is compared with what was observed.
// If what was expected is observed earlier, the run ends there.
//
// Goroutines that time wakes again and again can go on for ever. When time has
// passed to a thousand events since the end of a test, and beyond all that were
// known then, those that are left count as a leak.
//
// Goroutines that the initialisation of packages has started, and those that they
// have started, belong to the process: after a test they are noted only, unless one
// is stuck for good at a lock, a wait group or a Once, which is a leak. If no others
// are left, a hundred events are enough.
//
// At the end of a run all its goroutines are ended as by runtime.Goexit.
// Functions that they have deferred run up to their first guard.
//
// # Limits
//
//   - Executions are sequentially consistent, and memory is shared between
//     segments only: races inside a segment do not show.
//   - A goroutine of uninstrumented code that calls instrumented functions is
//     outside control: its operations are the real ones, and it is given a lock
//     that it waits for when a step has left it free. A goroutine that
//     blocks in uninstrumented code goes outside until it comes to a guard.
//     Both make the result weak, with a note. They are found by the number of
//     goroutines in the process and by the stacks they run on.
//   - Waiting for what a bubble cannot see, sockets, other processes, signals,
//     channels made outside the bubble, stops the run, which
//     is ended after its time then. A wait for the network or for a system call ends it after some seconds.
//   - A loop without guards that does not end is not stopped, but ends the
//     run after its time. One that polls gives others their turn; if
//     nobody else can go on, the run ends with the place of the busy loop.
//   - Outside a bubble, rest is assumed after a second, and times differ
//     from run to run.
//   - A timer that has fired while somebody stood at a receive from it is
//     received from even if uninstrumented code stops it between.
//   - Finalizers and cleanups are never called. What is stuck after the program
//     has set one makes the result weak.
//   - The environment of uninstrumented code is not chosen: the order of its maps,
//     what it draws from math/rand/v2 and crypto/rand, its hashes and pools. Of
//     math/rand it draws one fixed sequence for a process. Addresses that are
//     converted to numbers are what they are.
//   - All subtests have the *testing.T of the test: its name, and whether it has
//     failed. How many run at one time is not limited, as by -parallel.
//   - The call of a nil function is observed as a nil dereference at the expected place, or as
//     a go statement of a nil function.
package orcutil
