package orchestrate

import (
	"cmp"
	"slices"
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

// comparePaths orders creation paths: parents first, children by number. Names that the runtime
// does not give come behind the numbers.
func comparePaths(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(x, y string) int {
		i, number1 := pathNumber(x)
		j, number2 := pathNumber(y)
		switch {
		case number1 && number2:
			return cmp.Compare(i, j)
		case number1:
			return -1
		case number2:
			return 1
		}
		return cmp.Compare(x, y)
	})
}

// pathNumber reads an element of a creation path that is a number as the runtime writes it.
func pathNumber(s string) (n int, ok bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && strconv.Itoa(n) == s
}
