package pass

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/source"
)

var tableAll = flag.Bool("table", false, "all programs of the translator's table in TestTable, not a few")

var wantKinds = regexp.MustCompile(`// want ((?:"[^"]*"\s*)+)`)

// TestTable takes the programs of the translator's table through all passes:
// what their comments want is real, and nothing else is; with -table the replays that findings
// name show it, too. A comment
// `// unconfirmed "reason"` beside it says why the replay does not prove it, `// note
// "reason"` why it is no error. What
// `// missed "kind"` or `// silent "kind"` says that only the program has, the
// exploration may find.
func TestTable(t *testing.T) {
	n := 0
	tablePrograms(t, func(name string, spec source.Spec) {
		if n++; !*tableAll && (n%150 != 7 || testing.Short()) {
			return
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := Check(context.Background(), spec, Options{})
			require.NoError(t, err)
			if outside := b.Sidecar().Outside(); outside != nil {
				t.Skip(outside.Reason) // its comments are about the model
			}
			want := []string{}
			for path, data := range b.Below(artifact.SourceDir) {
				for i, line := range strings.Split(string(data), "\n") {
					if m := wantKinds.FindStringSubmatch(line); m != nil && strings.HasSuffix(path, ".go") && !strings.Contains(line, "// unconfirmed ") {
						note := ""
						if strings.Contains(line, "// note ") {
							note = " (note)"
						}
						for _, k := range regexp.MustCompile(`"[^"]*"`).FindAllString(m[1], -1) {
							want = append(want, fmt.Sprintf("%s:%d %s%s", filepath.Base(path), i+1, strings.Trim(k, `"`), note))
						}
					}
				}
			}
			text, err := os.ReadFile(filepath.Join(spec.Dir, "main.go"))
			elsewhere := err == nil && strings.Contains(string(text), "// elsewhere ")
			real := []string{}
			for _, f := range b.Findings() {
				at := fmt.Sprintf("%s:%d %s", filepath.Base(f.File), f.Line, f.Kind)
				if f.Verdict == artifact.Note {
					real = append(real, at+" (note)")
				} else if f.Verdict != artifact.Real || beside(b, f, "// unconfirmed ") || beside(b, f, fmt.Sprintf("// missed %q", f.Kind)) || beside(b, f, fmt.Sprintf("// silent %q", f.Kind)) {
					t.Logf("%s %s: %s", f.Verdict, at, f.Reason)
				} else if !elsewhere || !strings.Contains(f.File, "@") {
					real = append(real, at)
				}
			}
			for _, f := range b.Findings() {
				if *tableAll && f.Verdict == artifact.Real { // in the program of the bundle, too
					again(t, spec, b, f)
				}
			}
			slices.Sort(want)
			slices.Sort(real)
			require.Equal(t, strings.Join(want, "\n"), strings.Join(slices.Compact(real), "\n"))
		})
	})
}

// beside reports whether a text stands on the line of a finding, or anywhere in the program
// if the finding has no line: it is in a library.
func beside(b *artifact.Bundle, f artifact.Finding, text string) bool {
	if f.File == "" {
		for _, data := range b.Below(artifact.SourceDir) {
			if strings.Contains(string(data), text) {
				return true
			}
		}
		return false
	}
	data, ok := b.Read(artifact.SourceDir + "/" + f.File)
	lines := strings.Split(string(data), "\n")
	return ok && f.Line >= 1 && f.Line <= len(lines) && strings.Contains(lines[f.Line-1], text)
}
