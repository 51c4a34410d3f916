package parse

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/vtrace/vtrace/internal/module"
	"github.com/vtrace/vtrace/internal/orcruntime"
	recordings "github.com/vtrace/vtrace/internal/recording"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/trace"
)

// modules names what TestModules instruments: "module@version" of the module
// proxy, or a directory. It needs the network and minutes, so it is not part of
// the ordinary tests:
//
//	go test ./internal/parse -run TestModules -timeout 30m -modules default
var modules = flag.String("modules", "", `modules to instrument completely, separated by commas; "default" for a selection`)

var raceModules = flag.Bool("races", false, "instrument the modules to find data races")

var sharedModules = flag.Bool("shared", false, "instrument the modules as the runs of checks share them")

var recordModules = flag.Bool("recordings", false, "record the tests of the modules, and compare with the original")

// defaultModules adds this module and larger ones to those that all tests run
// over.
var defaultModules = slices.Concat([]string{"../.."}, module.Selection(), []string{
	"go.etcd.io/bbolt@v1.4.3",
	"github.com/hashicorp/raft@v1.8.0",
})

// TestModules instruments every package and test of whole modules, every
// statement guarded, every access to memory recorded, or as checks share it: they must build, and
// pass their own tests as the originals do.
func TestModules(t *testing.T) {
	if *modules == "" {
		t.Skip("needs -modules")
	}
	list := strings.Split(*modules, ",")
	if *modules == "default" {
		list = defaultModules
	}
	for _, m := range list {
		t.Run(m, func(t *testing.T) { testModule(t, m) })
	}
}

func testModule(t *testing.T, module string) {
	dir := module
	if strings.Contains(module, "@") {
		dir = download(t, module)
	}
	dir, err := filepath.Abs(dir)
	require.NoError(t, err)
	ctx := context.Background()
	start := time.Now()
	spec := source.Spec{Dir: dir}
	if _, err := os.Stat(filepath.Join(dir, "../go.work")); err == nil {
		spec.Pattern = "work"
	}
	prog, err := source.LoadModule(ctx, spec)
	require.NoError(t, err)
	loaded := time.Now()
	// The runtime cannot be linked into itself, nor embed itself instrumented.
	prog.Packages = slices.DeleteFunc(prog.Packages, func(p *packages.Package) bool {
		return strings.HasPrefix(p.PkgPath, "github.com/vtrace/vtrace/internal/orcruntime")
	})
	idx := Index(prog)
	if *recordModules {
		recordModule(t, prog, idx, dir)
		return
	}
	opts := Options{EveryLine: !*raceModules, Races: *raceModules}
	if *sharedModules {
		idx, opts = sharedIndex(t, prog), Options{Shared: true}
	}
	o, err := Instrument(ctx, prog, idx, opts)
	require.NoError(t, err)
	notLost(t, o)
	done := time.Now()
	overlay, err := o.Write(t.TempDir(), prog.Root, goroot(t))
	require.NoError(t, err)
	lines := 0
	for _, p := range prog.Packages {
		for _, f := range p.GoFiles {
			data, err := os.ReadFile(f)
			require.NoError(t, err)
			lines += bytes.Count(data, []byte("\n"))
		}
	}
	t.Logf("%d packages, %d lines, %d sites, %d diagnostics; load %v, instrument %v",
		len(prog.Packages), lines, len(idx.Sites()), len(o.Diagnostics),
		loaded.Sub(start).Round(time.Millisecond), done.Sub(loaded).Round(time.Millisecond))
	for i, d := range o.Diagnostics {
		if i == 10 {
			t.Logf("and %d more", len(o.Diagnostics)-i)
			break
		}
		t.Log(d)
	}
	if *schedules > 0 {
		explore(t, prog, o, dir)
		return
	}
	// Every statement guarded, operations alone, and nothing.
	bare, err := Instrument(ctx, prog, idx, Options{})
	require.NoError(t, err)
	operations, err := bare.Write(t.TempDir(), prog.Root, goroot(t))
	require.NoError(t, err)
	args := []string{"test", "-vet=off", "-count=1", "-short", "-p=1", "-timeout=240s"}
	want, plain := results(t, dir, append(args, "./..."))
	got, lined := results(t, dir, append(args, "-overlay", overlay, "./..."))
	_, guarded := results(t, dir, append(args, "-overlay", operations, "./..."))
	t.Logf("tests: original %.2f s, operations guarded %.2f s (%.2f), every line %.2f s (%.2f)", plain, guarded, guarded/plain, lined, lined/plain)
	require.Equal(t, want, got)
}

// recordModule runs the tests of a module as they are, and recorded: the same pass, and the recordings can be
// read.
func recordModule(t *testing.T, prog *source.Program, idx *sites.Index, dir string) {
	o, err := Instrument(context.Background(), prog, idx, Options{})
	require.NoError(t, err)
	require.NoError(t, o.Recorded(goroot(t)))
	overlay, err := o.Write(t.TempDir(), prog.Root, goroot(t))
	require.NoError(t, err)
	args := []string{"test", "-vet=off", "-count=1", "-short", "-p=1", "-timeout=240s"}
	_, _ = results(t, dir, append(args, "-overlay", overlay, "-run=^$", "./...")) // to have it compiled
	want, plain := results(t, dir, append(args, "./..."))
	to := t.TempDir()
	t.Setenv("VTRACE_RECORD", to)
	t.Setenv("VTRACE_RECORD_LIMIT", "8000000000")
	got, recorded := results(t, dir, append(args, "-overlay", overlay, "./..."))
	files, err := os.ReadDir(to)
	require.NoError(t, err)
	events, goroutines, known, received := 0, 0, 0, 0
	for _, file := range files {
		if strings.HasSuffix(file.Name(), orcruntime.LeftSuffix) {
			continue // which goroutines are left
		}
		f, err := os.Open(filepath.Join(to, file.Name()))
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, recordings.Convert(&b, recordings.Header{}, f))
		require.NoError(t, f.Close())
		r, err := recordings.NewReader(&b)
		require.NoError(t, err)
		require.NoError(t, r.Read(recordings.Visitor{
			Goroutine: func(recordings.Goroutine) error { goroutines++; return nil },
			Event: func(_ uint64, e *recordings.Event) error {
				events++
				if e.Op == trace.OpRecv && e.Phase == trace.Post {
					received++
					if e.Partner != 0 {
						known++
					}
				}
				return nil
			},
		}))
		require.False(t, r.Cut())
		r.Close()
	}
	t.Logf("tests: original %.2f s, recorded %.2f s (%.2f): %d events, %d goroutines, %d of %d receives with a partner", plain, recorded, recorded/plain, events, goroutines, known, received)
	require.Equal(t, want, got)
}

var timing = regexp.MustCompile(`(?m)\t([0-9.]+)s( \[no tests to run\])?$|\([0-9.]+s\)`)

// results runs the tests of a module and returns a line per package, and the
// names of the tests that failed, and how many seconds the tests took.
func results(t *testing.T, dir string, args []string) (lines string, seconds float64) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	for _, m := range timing.FindAllStringSubmatch(string(out), -1) {
		if s, err := strconv.ParseFloat(m[1], 64); err == nil {
			seconds += s
		}
	}
	var kept []string
	for _, line := range strings.Split(timing.ReplaceAllString(string(out), ""), "\n") {
		if strings.HasPrefix(line, "ok") || strings.HasPrefix(line, "FAIL") || strings.Contains(line, "--- FAIL") {
			kept = append(kept, strings.TrimSpace(line))
		}
	}
	if err != nil {
		t.Logf("go %s:\n%s", strings.Join(args, " "), tail(out, 6000))
	}
	return strings.Join(kept, "\n"), seconds
}

func tail(out []byte, n int) []byte {
	if len(out) > n {
		out = out[len(out)-n:]
	}
	return out
}

// download copies a module out of the module cache, to be a main module.
func download(t *testing.T, name string) string {
	t.Helper()
	dir, err := module.Fetch(context.Background(), name, t.TempDir())
	require.NoError(t, err)
	return dir
}
