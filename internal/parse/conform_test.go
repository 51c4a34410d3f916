package parse

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
)

func goroot(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

func run(t testing.TB, dir, name string, args ...string) (string, int) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if _, ok := err.(*exec.ExitError); !ok {
		require.NoError(t, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// accesses are all statements: the most that a model can ask for.
func accesses(idx *sites.Index) (out []int) {
	for _, s := range idx.Sites() {
		if s.Kind == sites.Stmt || s.Kind == sites.Store {
			out = append(out, int(s.ID))
		}
	}
	return out
}

// stripped has the linker leave out what debuggers look at, which is half of its work.
const stripped = "-ldflags=-s -w"

func binary(t testing.TB, name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(t.TempDir(), name)
}

// testBinary builds the tests of the package in the directory of the program,
// instrumented.
func testBinary(t testing.TB, prog *source.Program, o *Overlay) string {
	t.Helper()
	overlay, err := o.Write(t.TempDir(), prog.Root, goroot(t))
	require.NoError(t, err)
	bin := binary(t, "instrumented")
	out, code := run(t, prog.Root, "go", "test", "-c", "-vet=off", stripped, "-overlay", overlay, "-o", bin, ".")
	require.Zero(t, code, out)
	return bin
}

// TestConform: the instrumented program prints what the original prints.
func TestConform(t *testing.T) {
	ctx := context.Background()
	dir, err := filepath.Abs("testdata/conform")
	require.NoError(t, err)
	prog, err := source.Load(ctx, source.Spec{Dir: dir})
	require.NoError(t, err)
	idx := Index(prog)
	plain := binary(t, "plain")
	out, code := run(t, dir, "go", "build", stripped, "-o", plain, ".")
	require.Zero(t, code, out)
	commands := []string{"", "exit", "fatal", "fatalf", "fatalln", "tuple", "value", "defer", "go", "panic", "osexit"}
	if testing.Short() {
		commands = commands[:1]
	}
	for name, opts := range map[string]Options{
		"operations": {},
		"accesses":   {Accesses: accesses(idx)},
		"lines":      {EveryLine: true, RuntimePath: "example.com/conform/internal/orc", RuntimeDir: "internal/orc"},
		"shared":     {Shared: true}, // and it records accesses to memory, as the one to find races does
	} {
		t.Run(name, func(t *testing.T) {
			form := idx
			if opts.Shared {
				form = sharedIndex(t, prog)
			}
			o, err := Instrument(ctx, prog, form, opts)
			require.NoError(t, err)
			json, err := o.Write(t.TempDir(), prog.Root, goroot(t))
			require.NoError(t, err)
			bin := binary(t, "guarded")
			out, code := run(t, dir, "go", "build", stripped, "-overlay", json, "-o", bin, ".")
			require.Zero(t, code, out)
			for _, arg := range commands {
				want, wantCode := run(t, dir, plain, arg)
				got, gotCode := run(t, dir, bin, arg)
				require.Equal(t, crash(want), crash(got), arg)
				require.Equal(t, wantCode, gotCode, arg)
			}
			var diags []string
			for _, d := range o.Diagnostics {
				if !d.Access { // but for accesses that are not looked at for races
					diags = append(diags, d.String())
				}
			}
			golden(t, "testdata/diagnostics.golden", strings.Join(diags, "\n")+"\n")
		})
	}
}

// crash removes what differs from run to run in the report of a panic.
func crash(out string) string {
	if i := strings.Index(out, "\ngoroutine "); i >= 0 {
		var frames []string
		for _, line := range strings.Split(out[i:], "\n") {
			if strings.HasPrefix(line, "\t") && strings.Contains(line, "conform") {
				line, _, _ = strings.Cut(filepath.Base(line), " +0x")
				frames = append(frames, line)
			}
		}
		return out[:i] + strings.Join(frames, "\n")
	}
	return out
}

// TestDeterministic: the same program gives the same bytes.
func TestDeterministic(t *testing.T) {
	ctx := context.Background()
	instrument := func() *Overlay {
		prog, err := source.Load(ctx, source.Spec{Dir: "testdata/conform"})
		require.NoError(t, err)
		o, err := Instrument(ctx, prog, Index(prog), Options{EveryLine: true})
		require.NoError(t, err)
		return o
	}
	a, b := instrument(), instrument()
	require.Equal(t, a, b)
	for name, data := range a.Files {
		require.NotContains(t, string(data), "/testdata/", name)
		wd, err := os.Getwd()
		require.NoError(t, err)
		require.NotContains(t, string(data), wd, name)
	}
}
