package blackbox_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/pass"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const storedDir = "../testdata/bundles"

// stored are the directories with the bundles of each version, as README.md there says.
func stored(t *testing.T) []string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(storedDir, "v*"))
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	return dirs
}

// numbersOfRuns differ with what the version of today tries.
var numbersOfRuns = regexp.MustCompile(`(?m)^(runs of the program:|bundle:|   reproduce:|all \d+ schedules|\d+ schedules).*\n`)

// Bundles of every version of the format can be read, gone on from and replayed.
func TestStoredBundles(t *testing.T) {
	for version := 1; version <= artifact.Version; version++ {
		require.DirExists(t, filepath.Join(storedDir, fmt.Sprint("v", version)), "each version of the format has stored bundles: %s/README.md says how they are made", storedDir)
	}
	for _, dir := range stored(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			var got strings.Builder
			out := t.TempDir()
			// show adds what a command has printed to what is compared.
			show := func(args ...string) {
				code, stdout, stderr := execute(t, args...)
				require.NotEqual(t, exitUsage, code, "%v: %s", args, stderr)
				line := strings.NewReplacer(dir+"/", "", out+"/", "").Replace(strings.Join(args, " "))
				fmt.Fprintf(&got, "$ vtrace %s\n%sexit code %d\n\n", line, numbersOfRuns.ReplaceAllString(stdout, ""), code)
			}
			at := func(name string) string { return filepath.Join(dir, name) }
			to := func(name string) string { return filepath.Join(out, name) }
			for _, stage := range []struct{ pass, name string }{
				{artifact.PassTranslate, "translate"}, {artifact.PassFirst, "first.vtz"}, {artifact.PassSecond, "second.vtz"}, {artifact.PassDeep, "deep.vtz"},
			} {
				b, err := artifact.Load(at(stage.name))
				require.NoError(t, err)
				require.Equal(t, stage.pass, b.Manifest().Pass)
				require.True(t, strings.HasPrefix(filepath.Base(dir), fmt.Sprint("v", b.Manifest().Version)))
				fmt.Fprintf(&got, "%s: version %d, %s\n\n", stage.name, b.Manifest().Version, b.Digest())
				show("inspect", at(stage.name), "manifest.pass")
				if stage.pass != artifact.PassTranslate {
					show("inspect", at(stage.name), "findings.#.[verdict,kind,file,line]")
				}
			}
			model, _ := artifact.Load(at("translate"))
			require.NoError(t, os.WriteFile(to("model.xml"), model.Model(), 0o644))
			show("verify", to("model.xml"))
			show("second", "-o", to("second.vtz"), at("first.vtz"))
			show("deep", "-o", to("deep.vtz"), to("second.vtz"))
			show("deep", "-o", to("deep.vtz"), at("second.vtz"))
			code, stdout, _ := execute(t, "bundle", "verify", at("translate"), at("first.vtz"), at("second.vtz"), at("deep.vtz"), to("second.vtz"), to("deep.vtz"))
			require.Equal(t, exitNothing, code, stdout)
			resumed, err := artifact.Load(to("deep.vtz"))
			require.NoError(t, err)
			// What a deep pass does of its own an older runtime may not be able to.
			for _, f := range resumed.Findings() {
				if f.Verdict == artifact.Real {
					require.NotNil(t, f.Minimised)
					require.True(t, f.Minimised.Complete, f.Minimised.Stopped)
				}
			}
			require.Equal(t, artifact.Version, resumed.Manifest().Version)
			deep, err := artifact.Load(at("deep.vtz"))
			require.NoError(t, err)
			for _, f := range deep.Findings() {
				if f.Test != "" {
					show("replay", at("deep.vtz"), f.Test)
				}
			}
			golden := at("golden.txt")
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got.String()), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), got.String(), "run: go test ./cmd/vtrace/blackbox -run TestStoredBundles -update, and look at what has changed")
		})
	}
}

// edited is a bundle with other files; nil removes one.
func edited(t *testing.T, b *artifact.Bundle, change func(path string, data []byte) []byte) *artifact.Bundle {
	t.Helper()
	out := artifact.New(b.Manifest())
	for _, p := range b.Paths() {
		data, _ := b.Read(p)
		if data = change(p, data); data != nil {
			out.Put(p, data)
		}
	}
	made, err := out.Bundle()
	require.NoError(t, err)
	return made
}

// A bundle with a runtime that what this vtrace generates does not compile with is
// instrumented anew; where the points of the program have other numbers it is refused.
func TestRuntimeDoesNotFit(t *testing.T) {
	foreign := func(name string, change func(string) string) *artifact.Bundle {
		b, err := artifact.Load(filepath.Join(storedDir, "v1-early", name))
		require.NoError(t, err)
		return edited(t, b, func(path string, data []byte) []byte {
			text := string(data)
			if path == "overlay/runtime/drive.go" {
				require.Contains(t, text, "func Drive(")
				text = strings.Replace(text, "func Drive(", "func DriveProgram(", 1)
			}
			if path == artifact.SidecarPath {
				text = change(text)
			}
			return []byte(text)
		})
	}
	same := func(text string) string { return text }
	v, err := pass.Replay(t.Context(), foreign("deep.vtz", same), "q5-1", pass.Options{})
	require.NoError(t, err)
	require.Equal(t, "reproduced", v.Status)
	second := foreign("second.vtz", same)
	deep, err := vtrace.DeepPass(t.Context(), second)
	require.NoError(t, err)
	require.Equal(t, 1, vtrace.Conclude(deep).Real)
	// What it has is what was run.
	before, _ := second.Read("overlay/runtime/drive.go")
	after, _ := deep.Read("overlay/runtime/drive.go")
	require.NotEqual(t, string(before), string(after))
	v, err = pass.Replay(t.Context(), deep, "q5-1", pass.Options{})
	require.NoError(t, err)
	require.Equal(t, "reproduced", v.Status)

	other := func(text string) string {
		require.Contains(t, text, `"key": "example.com/lost.main@8"`)
		return strings.Replace(text, `"key": "example.com/lost.main@8"`, `"key": "example.com/lost.main@9"`, 1)
	}
	_, err = pass.Replay(t.Context(), foreign("deep.vtz", other), "q5-1", pass.Options{})
	var refused *pass.RuntimeError
	require.True(t, errors.As(err, &refused), "%v", err)
	require.ErrorContains(t, err, "was made by vtrace devel, and does not fit this vtrace")
	require.ErrorContains(t, err, "this vtrace has another number for statement example.com/lost.main@9 at main.go:17")
}
