package pass

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/programs"
)

// A panic behind a long stall may be one of who has given up waiting only where something waits for a point of time.
func TestMayGiveUp(t *testing.T) {
	for text, want := range map[string]bool{
		"time.Sleep(1)": true,
		"select { case <-time.After(time.Second): panic(1) }":                                   true,
		"f := time.NewTimer; _ = f":                                                             true,
		"for time.Now().Before(time.Time{}) { runtime.Gosched() }":                              true,
		"ctx, stop := context.WithTimeout(context.Background(), 1); defer stop(); <-ctx.Done()": true,
		"if time.Now().After(time.Time{}) { panic(1) }":                                         false,
		"ctx, stop := context.WithCancel(context.Background()); stop(); <-ctx.Done()":           false,
	} {
		p, err := load(t.Context(), programs.Main(t, "package main\n\nimport (\n\t\"context\"\n\t\"runtime\"\n\t\"time\"\n)\n\nvar _ = runtime.GOOS\nvar _ context.Context\nvar _ time.Duration\n\nfunc main() { "+text+" }\n"))
		require.NoError(t, err)
		require.Equal(t, want, mayGiveUp(p.source), text)
	}
}
