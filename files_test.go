package vtrace_test

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// filesOf are the packages whose files are listed, and where: in their doc.go, but for those that are copied into programs.
var filesOf = map[string]string{
	"internal/check":                          "",
	"internal/orchestrate":                    "",
	"internal/orcruntime":                     "docs/architecture.md",
	"internal/parse":                          "",
	"internal/pass":                           "",
	"internal/translate/internal/execution":   "",
	"internal/translate/internal/exploration": "",
}

var (
	fileEntry = regexp.MustCompile("(?m)^(?://   )?- `?(\\w+\\.go)`?: \\S")
	fileName  = regexp.MustCompile(`\b\w+\.go\b`)
)

// TestFilesNamed: the list of the files of a large package has each of them once, and its documentation names none
// that is not there.
func TestFilesNamed(t *testing.T) {
	for dir, list := range filesOf {
		t.Run(dir, func(t *testing.T) {
			doc, err := os.ReadFile(filepath.Join(dir, "doc.go"))
			require.NoError(t, err)
			for _, name := range fileName.FindAllString(string(doc), -1) {
				require.FileExists(t, filepath.Join(dir, name), "doc.go names it")
			}
			text := string(doc)
			if list != "" {
				data, err := os.ReadFile(list)
				require.NoError(t, err)
				_, rest, ok := strings.Cut(string(data), "\n## Files of "+dir+"\n")
				require.True(t, ok, "%s has no section for %s", list, dir)
				text, _, _ = strings.Cut(rest, "\n## ")
			}
			var named, files []string
			for _, m := range fileEntry.FindAllStringSubmatch(text, -1) {
				named = append(named, m[1])
			}
			paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
			require.NoError(t, err)
			for _, path := range paths {
				if name := filepath.Base(path); name != "doc.go" && !strings.HasSuffix(name, "_test.go") {
					files = append(files, name)
				}
			}
			require.NotEmpty(t, files)
			slices.Sort(named)
			require.Equal(t, files, named, "a line \"- file.go: what it has\" for each file, in %s", cmp.Or(list, "doc.go"))
		})
	}
}
