package check_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/check"
)

// TestNoReductions: it switches each of them off.
func TestNoReductions(t *testing.T) {
	all := reflect.ValueOf(check.NoReductions())
	for i := range all.NumField() {
		require.True(t, all.Field(i).Bool(), all.Type().Field(i).Name)
	}
}
