//go:build unix

package group_test

import (
	"fmt"
	"os/exec"

	"github.com/vtrace/vtrace/internal/group"
)

func Example() {
	cmd := exec.Command("sh", "-c", "sleep 1000 & sleep 1000") // both end
	group.Own(cmd)
	if err := cmd.Start(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(group.Kill(cmd.Process))
	fmt.Println(cmd.Wait())
	// Output:
	// <nil>
	// signal: killed
}
