package programs

import (
	"slices"
	"strings"
)

// Want is an error that must be found: its kind at a line of a file.
type Want struct {
	File string
	Line int
	Kind string
}

// Wants reads the expectations of a program from its comments, which stand on
// the line of the error: // want "close of closed channel".
func Wants(files map[string][]byte) []Want {
	var wants []Want
	for name, data := range files {
		for i, line := range strings.Split(string(data), "\n") {
			if _, rest, ok := strings.Cut(line, `// want "`); ok {
				kind, _, _ := strings.Cut(rest, `"`)
				wants = append(wants, Want{File: name, Line: i + 1, Kind: kind})
			}
		}
	}
	slices.SortFunc(wants, func(a, b Want) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
	return wants
}
