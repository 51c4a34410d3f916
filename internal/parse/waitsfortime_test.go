package parse

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/programs"
)

// A program that waits for a point of time is told from one that only looks at the clock.
func TestWaitsForTime(t *testing.T) {
	wanted := map[string]bool{
		"time.Sleep(1)": true,
		"select { case <-time.After(time.Second): panic(1) }":                                   true,
		"f := time.NewTimer; _ = f":                                                             true,
		"for time.Now().Before(time.Time{}) { runtime.Gosched() }":                              true,
		"ctx, stop := context.WithTimeout(context.Background(), 1); defer stop(); <-ctx.Done()": true,
		"if time.Now().After(time.Time{}) { panic(1) }":                                         false,
		"ctx, stop := context.WithCancel(context.Background()); stop(); <-ctx.Done()":           false,
	}
	texts := map[string]string{}
	for text := range wanted {
		texts[text] = "package main\n\nimport (\n\t\"context\"\n\t\"runtime\"\n\t\"time\"\n)\n\nvar _ = runtime.GOOS\nvar _ context.Context\nvar _ time.Duration\n\nfunc main() { " + text + " }\n"
	}
	loaded, _ := programs.Together(t, texts)
	for text, want := range wanted {
		require.Equal(t, want, WaitsForTime(loaded[text]), text)
	}
}
