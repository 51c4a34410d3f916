package parallel_test

import (
	"fmt"

	"github.com/vtrace/vtrace/internal/parallel"
)

func Example() {
	for i, square := range parallel.Map(4, func(i int) int { return i * i }) {
		fmt.Println(i, square)
	}
	// Output:
	// 0 0
	// 1 1
	// 2 4
	// 3 9
}
