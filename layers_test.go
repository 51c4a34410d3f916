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
	"":                                 {"artifact", "internal/analyze", "internal/check/verifyta", "internal/driver", "internal/orchestrate", "internal/pass", "internal/recording", "internal/source", "internal/trace", "internal/translate", "internal/view", "orchestrate", "pass", "internal/kept"},
	"internal/analyze":                 {"internal/trace"},
	"analyzer":                         {"", "artifact", "docs/findings", "internal/explain", "internal/earlier", "report", "pass", "internal/kept"},
	"analyzer/golangci":                {"analyzer"},
	"artifact":                         {"internal/repeat", "internal/repository", "internal/storage", "internal/proxyfile", "internal/approximation"},
	"artifact/schema":                  {},
	"bundle":                           {"artifact", "artifact/schema", "internal/orchestrate", "internal/uppaal", "internal/proxyfile", "internal/storage"},
	"internal/check":                   {"internal/uppaal"},
	"internal/check/internal/compare":  {"internal/check", "internal/check/internal/families", "internal/check/internal/spin", "internal/check/promela", "internal/uppaal"},
	"internal/check/internal/families": {"internal/uppaal"},
	"internal/check/internal/spin":     {"internal/group"},
	"internal/check/promela":           {"internal/check", "internal/uppaal"},
	"internal/check/verifyta":          {"internal/check", "internal/group", "internal/scratch", "internal/uppaal"},
	"cmd/vtrace":                       {"internal/output", "", "internal/analyze", "artifact", "bundle", "internal/check", "internal/check/promela", "internal/check/verifyta", "docs/findings", "internal/driver", "internal/explain", "internal/earlier", "internal/group", "internal/lsp", "internal/repository", "internal/scratch", "internal/orchestrate", "internal/pass", "internal/recording", "report", "internal/sites", "internal/source", "internal/trace", "internal/translate", "internal/uppaal", "internal/view", "pass", "orchestrate", "internal/goroutine", "internal/kept", "internal/storage"},
	"cmd/vtrace/blackbox":              {},
	"cmd/vtrace-vet":                   {"analyzer"},
	"internal/disallow":                {"internal/uppaal"},
	"internal/driver":                  {"artifact", "internal/sites", "internal/source"},
	"examples":                         {},
	"examples/gen":                     {"examples"},
	"internal/explain":                 {"artifact", "internal/sites", "internal/goroutine"},
	"internal/earlier":                 {"artifact", "internal/explain", "internal/source", "internal/kept"},
	"internal/creation":                {"internal/frames", "internal/sites"},
	"internal/digest":                  {},
	"internal/frames":                  {"internal/source"},
	"internal/git":                     {"internal/group", "internal/repository"},
	"internal/storage":                 {},
	"internal/proxyfile":               {},
	"internal/goroutine":               {},
	"internal/approximation":           {},
	"internal/kept":                    {"artifact", "internal/storage"},
	"internal/output":                  {"artifact", "report"},
	"internal/group":                   {},
	"internal/left":                    {"internal/frames", "internal/sites", "internal/source"},
	"internal/lsp":                     {"", "artifact", "docs/findings", "internal/explain", "internal/earlier", "pass", "report", "internal/source", "internal/kept", "orchestrate"},
	"internal/module":                  {"internal/group", "internal/sites", "internal/source"},
	"internal/mutate":                  {"internal/group"},
	"internal/programs":                {"artifact", "examples", "internal/orchestrate", "internal/source"},
	"internal/repeat":                  {},
	"internal/repository":              {},
	"internal/sandbox":                 {"internal/group"},
	"internal/scratch":                 {},
	"internal/sandbox/launcher":        {},
	"internal/orchestrate":             {"artifact", "internal/check", "internal/explain", "internal/group", "internal/repeat", "internal/sandbox", "internal/scratch", "internal/orcruntime", "internal/sites", "internal/source", "internal/uppaal", "internal/approximation", "internal/goroutine", "internal/sidecar"},
	"internal/orcruntime":              {},
	"internal/orcruntime/source":       {"internal/orcruntime"},
	"orchestrate":                      {"artifact", "internal/orchestrate"},
	"orcutil":                          {"internal/orcruntime"},
	"pass":                             {"artifact", "internal/analyze", "internal/check", "internal/orcruntime", "internal/trace", "orchestrate"},
	"internal/parallel":                {},
	"internal/parse":                   {"internal/orcruntime/source", "internal/parallel", "internal/sites", "internal/source"},
	"parse":                            {"internal/parse", "internal/source"},
	"disallow":                         {"internal/disallow"},
	"internal/pass":                    {"internal/analyze", "artifact", "internal/check", "internal/disallow", "internal/explain", "internal/creation", "internal/frames", "internal/group", "internal/left", "internal/scratch", "internal/orchestrate", "internal/parse", "pass", "internal/predict", "internal/recording", "internal/sites", "internal/smallscope", "internal/source", "internal/trace", "internal/translate", "internal/uppaal", "internal/approximation", "internal/kept", "internal/proxyfile", "internal/storage", "internal/sidecar"},
	"internal/pass/blackbox":           {},
	"internal/predict":                 {"internal/analyze", "artifact", "internal/orcruntime", "internal/sites", "internal/trace"},
	"docs/findings":                    {},
	"internal/recording":               {"internal/trace"},
	"report":                           {"artifact", "docs/findings", "internal/explain", "internal/pass", "internal/source"},
	"internal/sidecar":                 {},
	"internal/sites":                   {"internal/parallel"},
	"internal/smallscope":              {"internal/source"},
	"internal/source":                  {"internal/git", "internal/group", "internal/repository", "internal/scratch", "internal/sites"},
	"internal/trace":                   {},
	"internal/translate":               {"artifact", "internal/sites", "internal/source", "internal/translate/internal/dump", "internal/translate/internal/emission", "internal/translate/internal/execution", "internal/translate/internal/exploration", "internal/translate/internal/library", "internal/translate/internal/omissions", "internal/translate/internal/program", "internal/translate/internal/relevance", "internal/translate/internal/state", "internal/uppaal"},
	"internal/uppaal":                  {},
	"internal/view":                    {"internal/analyze", "artifact", "internal/check", "internal/explain", "internal/orchestrate", "internal/recording", "internal/sites", "internal/trace", "internal/uppaal", "internal/sidecar"},

	// The parts of translate.
	"internal/translate/internal/dump":        {"internal/sites", "internal/translate/internal/exploration", "internal/translate/internal/program", "internal/translate/internal/relevance", "internal/translate/internal/state", "internal/translate/internal/sym"},
	"internal/translate/internal/emission":    {"artifact", "internal/approximation", "internal/disallow", "internal/sites", "internal/translate/internal/program", "internal/translate/internal/state", "internal/translate/internal/sym", "internal/uppaal", "internal/sidecar"},
	"internal/translate/internal/execution":   {"artifact", "internal/sites", "internal/translate/internal/exploration", "internal/translate/internal/growth", "internal/translate/internal/layout", "internal/translate/internal/program", "internal/translate/internal/relevance", "internal/translate/internal/state", "internal/translate/internal/sym", "internal/approximation", "internal/sidecar"},
	"internal/translate/internal/exploration": {"artifact", "internal/sites", "internal/translate/internal/layout", "internal/translate/internal/program", "internal/translate/internal/radix", "internal/translate/internal/relevance", "internal/translate/internal/state", "internal/translate/internal/sym", "internal/translate/internal/termination", "internal/approximation", "internal/sidecar"},
	"internal/translate/internal/growth":      {"internal/translate/internal/program"},
	"internal/translate/internal/layout":      {"internal/translate/internal/program", "internal/translate/internal/relevance", "internal/translate/internal/state", "internal/translate/internal/sym"},
	"internal/translate/internal/library":     {"artifact", "internal/sites", "internal/translate/internal/execution", "internal/translate/internal/exploration", "internal/translate/internal/layout", "internal/translate/internal/program", "internal/translate/internal/relevance", "internal/translate/internal/state", "internal/translate/internal/sym", "internal/approximation", "internal/sidecar"},
	"internal/translate/internal/omissions":   {"artifact", "internal/sites", "internal/translate/internal/program", "internal/translate/internal/relevance", "internal/translate/internal/termination"},
	"internal/translate/internal/program":     {"artifact", "internal/sites", "internal/source"},
	"internal/translate/internal/relevance":   {"internal/translate/internal/program"},
	"internal/translate/internal/state":       {"artifact", "internal/approximation", "internal/sites", "internal/translate/internal/program", "internal/translate/internal/radix", "internal/translate/internal/sym", "internal/sidecar"},
	"internal/translate/internal/radix":       {},
	"internal/translate/internal/sym":         {},
	"internal/translate/internal/termination": {"internal/translate/internal/program", "internal/translate/internal/relevance"},
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
