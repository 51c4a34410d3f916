package orchestrate

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
)

// callback reports whether a site hands over a function that others call in a
// goroutine of their own.
func callback(s artifact.Site) bool { return s.Kind == sites.Callback.String() }

// callbackPath names the goroutine of the n-th callback made at a site, as
// orcutil.Callback does.
func callbackPath(key string, n int) string { return "F@" + key + "." + strconv.Itoa(n) }

// comparePaths orders creation paths: parents first, children by number.
func comparePaths(a, b string) int {
	for a != "" && b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, ".")
		y, b, _ = strings.Cut(b, ".")
		i, err1 := strconv.Atoi(x)
		j, err2 := strconv.Atoi(y)
		c := cmp.Compare(x, y)
		if err1 == nil && err2 == nil {
			c = cmp.Compare(i, j)
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(a, b)
}
