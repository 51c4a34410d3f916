//go:build go1.25

package orcruntime

import (
	"flag"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
)

// A program runs in the binary of a test, since only there is a bubble. What it sees of that is to be what it sees
// of a binary of its own: its name, its flags, and that it is not under test.

// asProgram runs main with the arguments and flags that it has in a binary of its own. Those of the test are there again
// behind it: other tests of the binary may ask for them.
func asProgram(main func(), args []string) {
	testArgs, testFlags := os.Args, *flag.CommandLine
	defer func() { os.Args, *flag.CommandLine = testArgs, testFlags }()
	os.Args = append([]string{filepath.Join(filepath.Dir(os.Args[0]), programName())}, args...)
	own := flag.NewFlagSet(os.Args[0], flag.ExitOnError)
	own.Usage = flag.CommandLine.Usage
	for _, f := range programFlags() {
		own.Var(f.Value, f.Name, f.Usage)
		own.Lookup(f.Name).DefValue = f.DefValue
	}
	*flag.CommandLine = *own
	main()
}

// programFlags are the flags that packages of the program have defined, without those of package testing.
var programFlags = sync.OnceValue(func() (own []*flag.Flag) {
	flag.VisitAll(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") {
			own = append(own, f)
		}
	})
	return own
})

// programName is the name of the binary that go build makes of the package.
var programName = sync.OnceValue(func() string {
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".test")
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Path == "" {
		return name
	}
	parts := strings.Split(strings.TrimSuffix(info.Path, ".test"), "/")
	if n := len(parts); n > 1 && majorVersion(parts[n-1]) {
		return parts[n-2]
	}
	return parts[len(parts)-1]
})

// majorVersion reports that the last part of a path is the major version of a module, and no name.
func majorVersion(s string) bool {
	n, ok := strings.CutPrefix(s, "v")
	v, err := strconv.Atoi(n)
	return ok && err == nil && v > 1 && n[0] != '0'
}

// Testing is testing.Testing, which is given: a program is not under test.
func Testing(testing func() bool) func() bool {
	return func() bool {
		if s := active.Load(); s != nil && s.cfg.Entry == EntryMain {
			return false
		}
		return testing()
	}
}
