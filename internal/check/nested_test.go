package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNestedCalls: a function is compiled and analysed once, however often it
// is called.
func TestNestedCalls(t *testing.T) {
	var b strings.Builder
	b.WriteString("int[0,7] x; int f0(int[0,7] a) { return (a + 1) % 8; }\n")
	const n = 40
	for i := 1; i <= n; i++ {
		// One of the two calls is not executed.
		fmt.Fprintf(&b, "int f%d(int[0,7] a) { if (a > 3) { return f%d(a); } return f%d(7 - a); }\n", i, i-1, i-1)
	}
	fmt.Fprintf(&b, `template P
loc a
loc b
a > b | f%d(x) < 9 | | x = f%d(x)
b > a | | | x = x < 7 ? x + 1 : 0
system P;`, n, n)
	r := verify(t, b.String(), Options{}, "A[] x < 8", fmt.Sprintf("A[] f%d(x) < 8", n))
	require.Equal(t, True, r.Results[0].Verdict, r.Results[0].Reason)
	require.Equal(t, True, r.Results[1].Verdict, r.Results[1].Reason)
}
