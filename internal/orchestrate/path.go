package orchestrate

import (
	"strconv"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/goroutine"
	"github.com/vtrace/vtrace/internal/sites"
)

// callback reports whether a site hands over a function that others call in a
// goroutine of their own.
func callback(s artifact.Site) bool { return s.Kind == sites.Callback.String() }

// callbackPath names the goroutine of the n-th callback made at a site, as
// orcruntime.Callback does.
func callbackPath(key string, n int) string {
	return goroutine.CallbackPrefix + key + "." + strconv.Itoa(n)
}
