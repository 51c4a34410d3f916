//go:build unix

package group_test

import (
	"fmt"
	"os/exec"

	"github.com/vtrace/vtrace/internal/group"
)

func Example() {
	g, err := group.Start(exec.Command("sh", "-c", "sleep 1000 & sleep 1000")) // both end
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Kill())
	fmt.Println(g.Wait())
	// Output:
	// <nil>
	// signal: killed
}
