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
		"a <- 1; b <- 2":                      "",
		"f() <- 1":                            "",
		"<-in":                                "",
		"":                                    "",
	} {
		require.Equal(t, want, sentExpression(line), line)
	}
}

func TestRunKind(t *testing.T) {
	for name, want := range map[string]string{
		"mutex#1": Mutex, "rwmutex#2": RWMutex, "waitgroup#1": WaitGroup, "once#1": Once, "cond#3": Condition, "chan#1": Channel, "nil chan": Channel,
	} {
		require.Equal(t, want, runKind(name), name)
	}
}
