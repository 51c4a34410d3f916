package orchestrate

import (
	"cmp"
	"strconv"
	"strings"
)

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
