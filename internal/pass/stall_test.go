package pass

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/sites"
)

// Who panics has given up if what he has waited for last is a point of time, and nobody has done anything since.
func TestGaveUp(t *testing.T) {
	d := &deep{side: &artifact.Sidecar{}}
	for _, kind := range []sites.Kind{sites.Select, sites.Recv, sites.Range, sites.Sleep, sites.Lock, sites.WaitGroupWait, sites.Send, sites.Stmt, sites.Atomic, sites.Panic} {
		d.side.Sites = append(d.side.Sites, artifact.Site{Key: kind.String(), Kind: kind.String()})
	}
	for _, c := range []struct {
		trace string // steps "goroutine:kind", T of time
		want  bool
	}{
		{"0:select T 0:panic", true},
		{"T 0:select 0:panic", true},
		{"0.1:send 0:select T 0:panic", true},
		{"0:select 0.1:lock T 0:panic", true},
		{"0:select T 0:statement 0:atomic 0:panic", true},
		{"0:receive T 0:panic", true},
		{"0:sleep T 0:panic", true},
		{"0:range T 0:panic", true},
		{"0:select T 0.1:send 0:panic", false}, // it may have been given something bad
		{"T 0:select 0.1:send 0:panic", false},
		{"0:receive 0.1:send T 0:lock 0:panic", false},
		{"0:lock T 0:panic", false},
		{"T 0:wait 0:panic", false},
		{"T 0:panic", false},
		{"0:select 0:panic", false},
		{"0.1:sleep T 0:atomic 0:panic", false},
		{"0:panic", false},
	} {
		v := &orchestrate.Verdict{G: "0"}
		for _, step := range strings.Fields(c.trace) {
			g, kind, _ := strings.Cut(step, ":")
			v.Trace = append(v.Trace, artifact.PlanStep{G: g, Site: kind})
		}
		require.Equal(t, c.want, d.gaveUp(v), c.trace)
	}
}
