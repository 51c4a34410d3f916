package repeat_test

import (
	"fmt"

	"github.com/vtrace/vtrace/internal/repeat"
)

func Example() {
	list := []string{"start"}
	for i := range 1000 {
		list = append(list, fmt.Sprintf("lock %d", i), "unlock")
	}
	short, blocks := repeat.Fold(list)
	fmt.Printf("%q %+v\n", short, blocks)
	back, err := repeat.Unfold(short, blocks)
	fmt.Println(len(back), back[2000], back[1999], err)
	// Output:
	// ["start" "lock 0" "unlock" "lock 1" "unlock"] [{At:1 Length:2 Times:1000}]
	// 2001 unlock lock 999 <nil>
}
