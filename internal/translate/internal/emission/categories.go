package emission

import (
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
)

// The categories of queries.
const (
	CategoryChannel           = "channel safety"
	CategoryMutex             = "mutex safety"
	CategoryWaitGroup         = "wait group safety"
	CategoryPanic             = "goroutine exits with panic"
	CategoryNilCall           = "nil function call"
	CategoryChannelDeadlock   = "channel related deadlock"
	CategoryMutexDeadlock     = "mutex related deadlock"
	CategoryOnceDeadlock      = "once related deadlock"
	CategoryWaitGroupDeadlock = "wait group related deadlock"
	CategoryCondDeadlock      = "cond related deadlock"
	CategorySubtestDeadlock   = "subtest related deadlock"
	CategoryLeak              = "goroutine leak"
	CategoryBound             = "resource bound"
	CategoryExit              = "exit with failure"
	CategoryTestFailure       = "test failure"
	// CategoryReachability asks what comments in the program say.
	CategoryReachability = "reachability"
	// CategoryPrecision asks whether the model needs its approximations: its query
	// is always generated.
	CategoryPrecision = "precision"
	// CategoryInternal asks whether the model itself is whole: its query is
	// always generated.
	CategoryInternal = "internal"
)

// Categories lists all categories of queries.
func Categories() []string {
	return []string{CategoryChannel, CategoryMutex, CategoryWaitGroup, CategoryPanic, CategoryNilCall, CategoryChannelDeadlock,
		CategoryMutexDeadlock, CategoryOnceDeadlock, CategoryWaitGroupDeadlock, CategoryCondDeadlock, CategorySubtestDeadlock, CategoryLeak, CategoryTestFailure, CategoryExit, CategoryReachability, CategoryBound, CategoryPrecision, CategoryInternal}
}

// deadlockCategories are the categories of goroutines that are stuck, by what they wait for.
var deadlockCategories = map[sites.Object]string{
	sites.Channel: CategoryChannelDeadlock, sites.Mutex: CategoryMutexDeadlock, sites.RWMutex: CategoryMutexDeadlock,
	sites.WaitGroup: CategoryWaitGroupDeadlock, sites.Once: CategoryOnceDeadlock, sites.Cond: CategoryCondDeadlock, sites.Test: CategorySubtestDeadlock,
}

// blockCategory is the category of a goroutine that is stuck at an operation.
func blockCategory(k sites.Kind) string {
	switch {
	case k == sites.Exit:
		return CategoryExit // by runtime.Goexit
	case k.Waits() == sites.Never:
		return CategoryChannelDeadlock
	}
	return deadlockCategories[k.Object()]
}

// crashCategory is the category of an end.
func crashCategory(kind string) string {
	switch kind {
	case artifact.KindSendOnClosed, artifact.KindCloseOfClosed, artifact.KindCloseOfNil:
		return CategoryChannel
	case artifact.KindUnlockUnlocked:
		return CategoryMutex
	case artifact.KindNegativeCounter, artifact.KindWaitGroupReuse:
		return CategoryWaitGroup
	case artifact.KindNilCall:
		return CategoryNilCall
	case artifact.KindBound:
		return CategoryBound
	case artifact.KindTestFailure:
		return CategoryTestFailure
	case artifact.KindExit:
		return CategoryExit
	}
	return CategoryPanic
}

// CategoryOf is the category of an error of a kind at an operation.
func CategoryOf(kind string, at sites.Kind) string {
	switch kind {
	case artifact.KindLeak:
		return CategoryLeak
	case artifact.KindDeadlock, artifact.KindPartialDeadlock:
		return blockCategory(at)
	}
	return crashCategory(kind)
}
