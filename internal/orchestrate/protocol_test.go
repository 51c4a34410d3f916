package orchestrate

import (
	"encoding"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orcruntime"
	"github.com/vtrace/vtrace/internal/sites"
)

// shape writes what JSON of a type has: the names and kinds of its fields, with those of the
// types that they are of. It collects the types that it has named.
func shape(t reflect.Type, types map[reflect.Type]string) string {
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + shape(t.Elem(), types)
	case reflect.Slice, reflect.Array:
		return "[]" + shape(t.Elem(), types)
	case reflect.Map:
		return "map[" + shape(t.Key(), types) + "]" + shape(t.Elem(), types)
	case reflect.Struct:
		if _, ok := types[t]; ok || t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
			return t.String()
		}
		types[t] = "" // it may have itself
		var b strings.Builder
		for _, f := range reflect.VisibleFields(t) {
			if f.IsExported() && !f.Anonymous {
				fmt.Fprintf(&b, "\t%s %s `%s`\n", f.Name, shape(f.Type, types), f.Tag.Get("json"))
			}
		}
		types[t] = b.String()
		return t.String()
	}
	return t.Kind().String()
}

// Whoever changes what drivers and the runtime tell each other is told here to think of bundles
// that have an older runtime: it compiles with a new driver, and knows nothing of a new field.
func TestProtocol(t *testing.T) {
	const path = "testdata/protocol.txt"
	types := map[reflect.Type]string{}
	for _, v := range []any{job{}, foundEnd{}, lastLine{}, orcruntime.Result{}, orcruntime.PackedResult{}, orcruntime.Exhausted{}, orcruntime.Minimised{}, orcruntime.Frontier{}, orcruntime.Fuzzed{}} {
		shape(reflect.TypeOf(v), types)
	}
	var texts []string
	for typ, fields := range types {
		texts = append(texts, typ.String()+"\n"+fields)
	}
	slices.Sort(texts)
	got := fmt.Sprintf("protocol %d\n\n%s", orcruntime.Protocol1, strings.Join(texts, "\n"))
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got,
		"what drivers and the runtime tell each other has changed: if a release has this protocol, rename orcruntime.Protocol1 to the next number; then go test ./internal/orchestrate -run TestProtocol -update")
}

// Plans of bundles are those of the runtime.
func TestTimeStep(t *testing.T) { require.Equal(t, orcruntime.TimeStep, artifact.TimeStep) }

// TestStoreSuffix: the runtime, which imports nothing of the module, knows the guard of the write of a
// statement by the key that it is given.
func TestStoreSuffix(t *testing.T) {
	require.Equal(t, sites.StoreKey("p.f@1"), "p.f@1"+orcruntime.StoreSuffix)
}

// TestStates: the states of goroutines are named alike in results of the runtime and in findings.
func TestStates(t *testing.T) {
	require.Equal(t, []string{
		artifact.StateRunning, artifact.StateNotStarted, artifact.StateAt, artifact.StateBlocked,
		artifact.StateOutside, artifact.StateFinished, artifact.StatePanicked, artifact.StateEnded,
	}, orcruntime.GoroutineStates())
}
