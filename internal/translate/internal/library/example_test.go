package library_test

import (
	"fmt"

	"github.com/vtrace/vtrace/internal/translate/internal/library"
)

// Lock is an operation with a guard that can wait, Gosched one without.
func Example() {
	known := library.New().Known
	for _, name := range []string{"(*sync.Mutex).Lock", "(*sync.WaitGroup).Done", "runtime.Gosched"} {
		op := known[name]
		fmt.Printf("%s: %s, guard %s, waits %t\n", name, op.Name, op.Kind, op.Blocks())
	}
	// Output:
	// (*sync.Mutex).Lock: lock, guard lock, waits true
	// (*sync.WaitGroup).Done: done, guard done, waits false
	// runtime.Gosched: gosched, guard invalid, waits false
}
