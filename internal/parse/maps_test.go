package parse

import (
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPrivateMaps: a map is private as long as nothing but its function can have it.
func TestPrivateMaps(t *testing.T) {
	for body, private := range map[string]bool{
		"m := map[int]int{}; m[1] = 1; _ = m[1]":                               true,
		"m := make(map[int]int, 8); m[1]++":                                    true,
		"var m = map[int]int{}; delete(m, 1); clear(m); _ = len(m)":            true,
		"m := map[int]int{}; for k, v := range m { use(k + v) }":               true,
		"m := map[int]int{}; (m)[1] = 1":                                       true,
		"m := map[int]int{}; use(m)":                                           false,
		"m := map[int]int{}; list = append(list, m)":                           false,
		"m := map[int]int{}; list = []map[int]int{m}":                          false,
		"m := map[int]int{}; c <- m":                                           false,
		"m := map[int]int{}; other = m":                                        false,
		"m := map[int]int{}; p := &m; (*p)[1] = 1":                             false,
		"m := map[int]int{}; go func() { m[1] = 1 }()":                         false,
		"m := map[int]int{}; panic(m)":                                         false,
		"m := map[int]int{}; use(m[1])":                                        true,
		"m := map[int]int{}; s := struct{ m map[int]int }{m}; s.m[1] = 1":      false,
		"m := given(); m[1] = 1":                                               false,
		"m := other; m[1] = 1":                                                 false,
		"m, n := given(), 1; m[n] = 1":                                         false,
		"m := map[int]int{}; m = other; m[1] = 1":                              false,
		"m := map[any]int{}; m[map[int]int(nil) == nil] = 1":                   true,
		"list[0], other[1] = nil, 1; m := map[int]map[int]int{}; m[0] = other": true,
	} {
		info, file := typed(t, "package p\n\nvar (\n\tlist []map[int]int\n\tother map[int]int\n\tc chan map[int]int\n)\n\nfunc use(any) {}\n\nfunc given() map[int]int { return other }\n\nfunc f() { "+body+" }\n")
		got := false
		for v := range privateMaps(info, file) {
			got = got || v.Name() == "m"
		}
		require.Equal(t, private, got, body)
	}
}

// TestGuardedMaps: whatever uses a map that others may have has a guard, around the map or
// around what may wait before the use.
func TestGuardedMaps(t *testing.T) {
	for body, want := range map[string]string{
		"_ = m[1]":                         "MapRead around m",
		"_ = m[<-c]":                       "ThenMapRead around <-c",
		"m[1] = 2":                         "MapWrite around m",
		"m[1]++":                           "MapWrite around m",
		"m[1] = <-c":                       "ThenMapWrite around <-c",
		"for m[1] = range 2 { }":           "MapWrite around m",
		"select { case m[1] = <-c: }":      "MapWrite around m",
		"delete(m, 1)":                     "MapDelete around m",
		"delete((m), 1)":                   "MapDelete around (m)",
		"delete(m, <-c)":                   "ThenMapWrite around <-c",
		"clear(m)":                         "MapDelete around m",
		"n := map[int]int{}; delete(n, 1)": "",
		"n := map[int]int{}; clear(n)":     "",
		"n := []int{}; clear(n)":           "",
		"delete := func(map[int]int) {}; delete(m)": "",
	} {
		info, file := typed(t, "package p\n\nvar (\n\tm map[int]int\n\tc chan int\n)\n\nfunc f() { "+body+" }\n")
		var got []string
		for e, g := range findMapGuards(info, file).around {
			got = append(got, g.function+" around "+types.ExprString(e))
		}
		require.Equal(t, want, strings.Join(got, ", "), body)
	}
}
