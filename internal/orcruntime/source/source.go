// Package source delivers the source of package orcruntime, to be compiled into
// instrumented programs under another import path.
package source

import (
	"io/fs"
	"strings"

	"github.com/vtrace/vtrace/internal/orcruntime"
)

// Files returns the source files of the runtime by name, without its tests and
// without the file that embeds it. They depend on the standard library only,
// and on no import path of their own: a package clause with another name is
// all the change they need.
func Files() map[string][]byte {
	files := make(map[string][]byte)
	names, err := fs.Glob(orcruntime.Source, "*.go")
	if err != nil {
		panic(err) // the pattern is well-formed
	}
	for _, name := range names {
		if name == "embed.go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		data, err := orcruntime.Source.ReadFile(name)
		if err != nil {
			panic(err) // listed above
		}
		files[name] = data
	}
	return files
}
