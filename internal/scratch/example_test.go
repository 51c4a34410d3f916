package scratch_test

import (
	"fmt"
	"os"

	"github.com/vtrace/vtrace/internal/scratch"
)

func Example() {
	dir, err := scratch.Make("overlay")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(scratch.Remove(dir))
	_, err = os.Stat(dir)
	fmt.Println(os.IsNotExist(err))
	// Output:
	// <nil>
	// true
}
