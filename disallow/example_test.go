package disallow_test

import (
	"fmt"

	"github.com/vtrace/vtrace/disallow"
)

// Example excludes two refuted traces from a query, by the guards they pass.
func Example() {
	query := "A[] (not out_of_resources) imply (not Main.failed)"
	for _, trace := range [][]int32{{1, 4, 2}, {1, 2, 4}} {
		var err error
		if query, err = disallow.RewriteText(query, disallow.FNV1a32(trace...)); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(query)
	// Output:
	// A[] (not out_of_resources) imply (not (Main.failed and hash32 != 1975541230 and hash32 != 1540308874))
}
