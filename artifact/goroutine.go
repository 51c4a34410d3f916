package artifact

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// ComparePaths orders creation paths: parents first, children by number. Names that the runtime
// does not give come behind the numbers.
func ComparePaths(a, b string) int {
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
