// Package digest compares digests of what tests make of many programs with those of a file, a line
// for each: they notice what nobody has thought of, where goldens would be too large to read.
package digest

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// Compare compares digests, by the names of programs, with those of a file: of all that are there, if
// whole. With update it writes them instead.
func Compare(t testing.TB, file string, got map[string]string, whole, update bool) {
	t.Helper()
	want := map[string]string{}
	if data, err := os.ReadFile(file); err == nil {
		for line := range strings.Lines(string(data)) {
			name, digest, _ := strings.Cut(strings.TrimSpace(line), " ")
			want[name] = digest
		}
	} else if !update {
		t.Fatal(err)
	}
	if update {
		if whole {
			clear(want)
		}
		maps.Copy(want, got)
		var text strings.Builder
		for _, name := range slices.Sorted(maps.Keys(want)) {
			fmt.Fprintf(&text, "%s %s\n", name, want[name])
		}
		if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if got[name] != want[name] {
			t.Errorf("%s: it is %s, and was %q", name, got[name], want[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if _, ok := got[name]; whole && !ok {
			t.Errorf("%s: there is no such program any more", name)
		}
	}
}
