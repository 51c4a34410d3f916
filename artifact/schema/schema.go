// Package schema has the JSON Schemas (2020-12) of the files of a bundle, of the newest version
// of the format. They are generated from the types of package artifact, with their comments:
// go test ./artifact -run TestSchema -update.
//
// A schema says more than what artifact.Load demands: that no field is missing, that names are
// in the right case, and which words there are.
package schema

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed *.json
var files embed.FS

// Names are the names of the schemas, sorted.
func Names() []string {
	names, err := fs.Glob(files, "*.json")
	if err != nil {
		panic(err) // the pattern is well-formed
	}
	return names
}

// Read returns a schema by its name.
func Read(name string) ([]byte, bool) {
	data, err := files.ReadFile(name)
	return data, err == nil
}

// For is the name of the schema of a file of a bundle, "" if the file is not JSON, or one of
// which bundles say nothing.
func For(file string) string {
	if strings.HasPrefix(file, "traces/") {
		return "trace.json"
	}
	if path.Dir(file) != "." {
		return ""
	}
	if _, ok := Read(file); ok && file != "trace.json" {
		return file
	}
	return ""
}
