package trace_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/trace"
)

// TestObjectKind: what an operation is on is known of all of them, and of what is none.
func TestObjectKind(t *testing.T) {
	for op, want := range map[trace.Op]trace.ObjectKind{
		trace.OpSend: trace.Chan, trace.OpUnlock: trace.Mutex, trace.OpTryRLock: trace.RWMutex, trace.OpWait: trace.WaitGroup,
		trace.OpOnce: trace.Once, trace.OpSignal: trace.Cond, trace.OpRMW: trace.Atomic, trace.OpWrite: trace.Var,
		trace.OpSelect: trace.NoObject, trace.OpGo: trace.NoObject, trace.Op(255): trace.NoObject,
	} {
		require.Equal(t, want, op.ObjectKind(), op)
	}
}
