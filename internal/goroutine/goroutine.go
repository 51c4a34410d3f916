// Package goroutine has the names of goroutines in runs, which are the paths of their creation: "0.2" is the second
// goroutine that "0" has started.
package goroutine

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// CallbackPrefix begins the creation path of a goroutine that runs a function which the program has given to a
// library; the key of the site where that was, and a number, follow.
const CallbackPrefix = "F@"

// Compare orders creation paths: parents first, children by number. Names that the runtime
// does not give come behind the numbers.
func Compare(a, b string) int {
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
