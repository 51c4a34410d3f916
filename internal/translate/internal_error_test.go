package translate_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/translate"
)

// A defect of the translator is an error that says so.
func TestInternalError(t *testing.T) {
	prog, _ := load(t, "../../examples/sequences", "main")
	_, err := translate.Translate(context.Background(), prog, nil, translate.Options{})
	var internal *translate.InternalError
	require.ErrorAs(t, err, &internal)
	require.ErrorContains(t, err, "main: the translator failed, please report it: ")
	require.Contains(t, string(internal.Stack), "translate.")
}
