package sidecar_test

import (
	"fmt"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sidecar"
)

// What a location of a model says of the program.
func Example() {
	for _, l := range []artifact.LocationInfo{{Name: "L_crash_7", End: "panic"}, {Name: "L_done", End: "done"}} {
		fmt.Println(l.Name, sidecar.End(l.End).Crash())
	}
	// Output:
	// L_crash_7 true
	// L_done false
}
