package p

import (
	"strings"
	"testing"
)

// A table test whose subtests share nothing: their order does not matter.
func TestProgram(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		in, want string
	}{
		{"a", "A"}, {"b", "B"}, {"c", "C"}, {"d", "D"},
	} {
		t.Run(tc.in, func(t *testing.T) {
			t.Parallel()
			out := make(chan string, 1)
			out <- strings.ToUpper(tc.in)
			if got := <-out; got != tc.want {
				t.Fatalf("%s, want %s", got, tc.want)
			}
		})
	}
}
