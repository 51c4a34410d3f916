package vtrace_test

import (
	"go/build"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// layers says which packages of the module a package may import: the
// architecture of docs/architecture.md. What a package may import directly it
// may also leave out.
var layers = map[string][]string{
	"":                          {"artifact", "check", "driver", "orchestrate", "pass", "source", "translate"},
	"analyze":                   {"trace"},
	"analyzer":                  {"", "artifact", "docs/findings", "explain", "internal/earlier", "report"},
	"analyzer/golangci":         {"analyzer"},
	"artifact":                  {"internal/repository"},
	"artifact/schema":           {},
	"bundle":                    {"artifact", "artifact/schema", "orchestrate", "uppaal"},
	"check":                     {"uppaal"},
	"check/internal/compare":    {"check", "check/internal/families", "check/internal/spin", "check/promela", "uppaal"},
	"check/internal/families":   {"uppaal"},
	"check/internal/spin":       {"internal/group"},
	"check/promela":             {"check", "uppaal"},
	"check/verifyta":            {"check", "internal/group", "internal/scratch", "uppaal"},
	"cmd/vtrace":                {"", "analyze", "artifact", "bundle", "check", "check/promela", "check/verifyta", "docs/findings", "driver", "explain", "internal/earlier", "internal/group", "internal/lsp", "internal/repository", "internal/scratch", "orchestrate", "pass", "recording", "report", "sites", "source", "trace", "translate", "uppaal", "view"},
	"cmd/vtrace/blackbox":       {},
	"cmd/vtrace-vet":            {"analyzer"},
	"disallow":                  {"uppaal"},
	"driver":                    {"artifact", "source"},
	"examples":                  {},
	"examples/gen":              {"examples"},
	"explain":                   {"artifact", "sites"},
	"internal/earlier":          {"artifact", "explain", "source"},
	"internal/creation":         {"internal/frames", "sites"},
	"internal/digest":           {},
	"internal/frames":           {"source"},
	"internal/git":              {"internal/group", "internal/repository"},
	"internal/group":            {},
	"internal/left":             {"internal/frames", "sites", "source"},
	"internal/lsp":              {"", "artifact", "docs/findings", "explain", "internal/earlier", "pass", "report", "source"},
	"internal/module":           {"internal/group", "source"},
	"internal/mutate":           {"internal/group"},
	"internal/programs":         {"artifact", "examples", "orchestrate", "source"},
	"internal/repository":       {},
	"internal/sandbox":          {"internal/group"},
	"internal/scratch":          {},
	"internal/sandbox/launcher": {},
	"orchestrate":               {"artifact", "check", "explain", "internal/group", "internal/sandbox", "internal/scratch", "orcutil", "sites", "source", "uppaal"},
	"orcutil":                   {},
	"orcutil/source":            {"orcutil"},
	"parse":                     {"orcutil/source", "sites", "source"},
	"pass":                      {"analyze", "artifact", "check", "disallow", "explain", "internal/creation", "internal/frames", "internal/group", "internal/left", "internal/scratch", "orchestrate", "parse", "predict", "recording", "sites", "source", "trace", "translate", "uppaal"},
	"pass/blackbox":             {},
	"predict":                   {"analyze", "artifact", "orcutil", "sites", "trace"},
	"docs/findings":             {},
	"recording":                 {"trace"},
	"report":                    {"artifact", "docs/findings", "explain", "pass", "source"},
	"sites":                     {},
	"source":                    {"internal/git", "internal/group", "internal/repository", "internal/scratch", "sites"},
	"trace":                     {},
	"translate":                 {"artifact", "sites", "source", "translate/internal/emission", "translate/internal/execution", "translate/internal/exploration", "translate/internal/library", "translate/internal/omissions", "translate/internal/program", "translate/internal/relevance", "translate/internal/state", "uppaal"},
	"uppaal":                    {},
	"view":                      {"analyze", "artifact", "check", "explain", "orchestrate", "recording", "sites", "trace", "uppaal"},

	// The parts of translate.
	"translate/internal/emission":    {"artifact", "disallow", "sites", "translate/internal/program", "translate/internal/state", "translate/internal/sym", "uppaal"},
	"translate/internal/execution":   {"artifact", "sites", "translate/internal/exploration", "translate/internal/growth", "translate/internal/layout", "translate/internal/program", "translate/internal/relevance", "translate/internal/state", "translate/internal/sym"},
	"translate/internal/exploration": {"artifact", "sites", "translate/internal/layout", "translate/internal/program", "translate/internal/relevance", "translate/internal/state", "translate/internal/sym", "translate/internal/termination"},
	"translate/internal/growth":      {"translate/internal/program"},
	"translate/internal/layout":      {"translate/internal/program", "translate/internal/relevance", "translate/internal/state", "translate/internal/sym"},
	"translate/internal/library":     {"artifact", "sites", "translate/internal/execution", "translate/internal/exploration", "translate/internal/layout", "translate/internal/program", "translate/internal/relevance", "translate/internal/state", "translate/internal/sym"},
	"translate/internal/omissions":   {"artifact", "sites", "translate/internal/program", "translate/internal/relevance", "translate/internal/termination"},
	"translate/internal/program":     {"artifact", "sites", "source"},
	"translate/internal/relevance":   {"translate/internal/program"},
	"translate/internal/state":       {"artifact", "sites", "translate/internal/program", "translate/internal/sym"},
	"translate/internal/sym":         {},
	"translate/internal/termination": {"translate/internal/program", "translate/internal/relevance"},
}

// Imports point downwards only.
func TestLayers(t *testing.T) {
	const module = "github.com/vtrace/vtrace"
	err := filepath.WalkDir(".", func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); name == "testdata" || name != "." && strings.HasPrefix(name, ".") {
			return filepath.SkipDir
		}
		p, err := build.ImportDir(dir, 0)
		if err != nil || p.Name == "main" && strings.HasPrefix(dir, "examples") {
			return nil // no Go files, or an example
		}
		path := filepath.ToSlash(dir)
		if path == "." {
			path = ""
		}
		allowed, known := layers[path]
		require.True(t, known, "package %q is not in the table of layers", path)
		for _, imp := range p.Imports {
			if rest, ok := strings.CutPrefix(imp, module); ok {
				require.True(t, slices.Contains(allowed, strings.TrimPrefix(rest, "/")), "%q imports %q", path, imp)
			}
		}
		return nil
	})
	require.NoError(t, err)
}
