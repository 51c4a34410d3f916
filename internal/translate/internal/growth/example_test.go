package growth_test

import (
	"fmt"
	"go/types"

	"github.com/vtrace/vtrace/internal/translate/internal/growth"
)

// A fifth element is appended to a slice of four.
func Example() {
	sizes := types.SizesFor("gc", "amd64")
	fmt.Println(growth.OnHeap(sizes, types.Typ[types.Int], 5, 4))
	fmt.Println(growth.OnHeap(sizes, types.Typ[types.Byte], 5, 4))
	// Output:
	// 8
	// 8
}
