package translate

import (
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/emission"
)

// The categories of queries.
const (
	CategoryChannel           = emission.CategoryChannel
	CategoryMutex             = emission.CategoryMutex
	CategoryWaitGroup         = emission.CategoryWaitGroup
	CategoryPanic             = emission.CategoryPanic
	CategoryNilCall           = emission.CategoryNilCall
	CategoryChannelDeadlock   = emission.CategoryChannelDeadlock
	CategoryMutexDeadlock     = emission.CategoryMutexDeadlock
	CategoryOnceDeadlock      = emission.CategoryOnceDeadlock
	CategoryWaitGroupDeadlock = emission.CategoryWaitGroupDeadlock
	CategoryCondDeadlock      = emission.CategoryCondDeadlock
	CategorySubtestDeadlock   = emission.CategorySubtestDeadlock
	CategoryLeak              = emission.CategoryLeak
	CategoryBound             = emission.CategoryBound
	CategoryExit              = emission.CategoryExit
	CategoryTestFailure       = emission.CategoryTestFailure
	// CategoryReachability asks what comments in the program say.
	CategoryReachability = emission.CategoryReachability
	// CategoryPrecision asks whether the model needs its approximations: its query
	// is always generated.
	CategoryPrecision = emission.CategoryPrecision
	// CategoryInternal asks whether the model itself is whole: its query is
	// always generated.
	CategoryInternal = emission.CategoryInternal
)

// Categories lists all categories of queries.
func Categories() []string { return emission.Categories() }

// CategoryOf is the category of an error of a kind at an operation.
func CategoryOf(kind string, at sites.Kind) string { return emission.CategoryOf(kind, at) }

// DescribeStuck says in words that goroutines are stuck at an operation: the entry
// function in a deadlock, another one in a leak, or while the entry function goes on. What waits in code of others is at none.
func DescribeStuck(kind string, at sites.Kind, test bool) string {
	return emission.DescribeStuck(kind, at, test)
}
