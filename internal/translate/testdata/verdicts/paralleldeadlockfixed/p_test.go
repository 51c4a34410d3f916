package p

import (
	"sync"
	"testing"
)

func TestProgram(t *testing.T) {
	var mu, nu sync.Mutex
	for _, tc := range []struct {
		name string
		swap bool
	}{{"a", false}, {"b", true}} {
		t.Run(tc.name, func(t *testing.T) {
			if !tc.swap {
				t.Parallel()
			}
			first, second := &mu, &nu
			if tc.swap {
				first, second = second, first
			}
			first.Lock()
			defer first.Unlock()
			second.Lock()
			defer second.Unlock()
		})
	}
}
