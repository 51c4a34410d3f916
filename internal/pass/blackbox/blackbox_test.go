// Package blackbox tests the passes through their public functions alone. It is a directory of its own
// so that it and the other tests of package pass stay each under the ten minutes that Go gives to a package.
package blackbox_test

import (
	"flag"
	"testing"
)

var (
	examplesAll = flag.Bool("examples", false, "both forms of each program of TestExamples, not one")
	everyRow    = flag.Bool("rows", false, "all rows of the tables of programs that are checked one like the other, not one of some")
)

// sampled: the i-th of many programs that are checked one like the other is one of those of the
// short form, which looks for data races of the tool itself.
func sampled(i int) bool { return !testing.Short() || i%4 == 0 }

// oneOf reports whether the i-th row of such a table is tried: one of n, unless all are asked for.
func oneOf(n, i int) bool { return *everyRow || i%n == 0 }
