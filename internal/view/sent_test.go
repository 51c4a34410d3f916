package view

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSentExpression(t *testing.T) {
	for line, want := range map[string]string{
		"jobs <- 7":                           "7",
		"s.jobs <- f(a, b[1]) // the next":    "f(a, b[1])",
		"go func() { answer <- true }()":      "true",
		"go func() { out <- f(x); done() }()": "f(x)",
		"out <- <-in":                         "<-in",
		"x := <-in; out <- x":                 "x",
		"out <- job{id: 3}":                   "job{id: 3}",
		`urls <- "http://a"`:                  `"http://a"`,
		`out <- "a;b)" // the next`:           `"a;b)"`,
		"out <- `a // b` + f(';', '}')":       "`a // b` + f(';', '}')",
		"out <- a /* the next */ + b":         "a /* the next */ + b",
		"case out <- job{id: a[1:]}:":         "job{id: a[1:]}",
		"out <- func() int {":                 "func() int {",
		`out <- "a`:                           `"a`,
		"a <- 1; b <- 2":                      "",
		"f() <- 1":                            "",
		"<-in":                                "",
		"":                                    "",
	} {
		require.Equal(t, want, sentExpression(line), line)
	}
}

// A line of a bundle may be no Go.
func FuzzSentExpression(f *testing.F) {
	for _, line := range []string{"out <- \xff", "out <- `", "out <- /*", "out <- )", "out <- '\x00"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		require.Contains(t, line, sentExpression(line))
	})
}

func TestRunKind(t *testing.T) {
	for name, want := range map[string]string{
		"mutex#1": Mutex, "rwmutex#2": RWMutex, "waitgroup#1": WaitGroup, "once#1": Once, "cond#3": Condition, "chan#1": Channel, "nil chan": Channel,
	} {
		require.Equal(t, want, runKind(name), name)
	}
}
