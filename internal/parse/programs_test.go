package parse

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/vtrace/vtrace/internal/source"
)

// controlledDriver runs each program of testdata/programs under random
// schedules: the outputs must be just those that the program allows.
const controlledDriver = `package programs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"example.com/programs/show"
	orc "vtraceorc"
)

// Each program gets schedules, and more up to most until everything allowed has
// come out.
const schedules, most, fine = SCHEDULES, 2000, FINE

func TestControlled(t *testing.T) {
	t.Setenv("GODEBUG", "asynctimerchan=0")
	runs, repeated, outputs := 0, 0, 0
	for _, p := range all() {
		allowed := p.Allowed
		if fine {
			allowed = slices.Concat(allowed, p.Fine)
		}
		got := map[string]bool{}
		for seed := uint64(0); seed < schedules || seed < most && len(got) < len(allowed); seed++ {
			out, hash := controlled(t, p, seed)
			runs++
			if seed%10 == 0 {
				repeated++
				if again, same := controlled(t, p, seed); again != out || same != hash {
					t.Errorf("%s: seed %d: %q, and again %q", p.Name, seed, out, again)
				}
			}
			if !got[out] && !slices.Contains(allowed, out) {
				t.Errorf("%s: seed %d: %q is not allowed", p.Name, seed, out)
			}
			got[out] = true
		}
		for _, want := range allowed {
			if !got[want] {
				t.Errorf("%s: no schedule gives %q", p.Name, want)
			}
		}
		outputs += len(got)
	}
	fmt.Printf("%d programs, %d outputs, %d runs, %d of them repeated\n", len(all()), outputs, runs, repeated)
}

func controlled(t *testing.T, p show.Program, seed uint64) (string, uint64) {
	var o show.Out
	res := orc.Run(orc.Config{
		Bubble: orc.Bubble{
			Run:  func(f func()) { synctest.Test(t, func(*testing.T) { f() }) },
			Wait: synctest.Wait,
		},
		Main: func() { p.Run(&o) },
		Plan: orc.Plan{MaxSteps: 20000, Seed: seed},
		Chooser: orc.Random(seed),
		NoLog: true,
	})
	out := o.String()
	if res.Outcome.Kind != "" {
		out = strings.TrimSpace(out + " [" + res.Outcome.Kind + "]")
	}
	if res.Verdict != orc.Completed || res.Weak || res.Left != "" {
		out += fmt.Sprintf(" %s: %s %q", res.Verdict, res.Message, res.Notes)
	}
	return out, res.Hash
}
`

// TestPrograms: the programs do what the language allows, plain, instrumented
// and free, and under random schedules. Under schedules they do all of it.
func TestPrograms(t *testing.T) {
	ctx := context.Background()
	dir, err := filepath.Abs("testdata/programs")
	require.NoError(t, err)
	plain := binary(t, "plain")
	out, code := run(t, dir, "go", "test", "-c", "-vet=off", stripped, "-o", plain, ".")
	require.Zero(t, code, out)
	out, code = run(t, dir, plain, "-test.timeout=60s")
	require.Zero(t, code, out)

	prog, err := source.LoadModule(ctx, source.Spec{Dir: dir})
	require.NoError(t, err)
	// One package stays as it is.
	var rest []*packages.Package
	for _, p := range prog.Packages {
		if p.PkgPath != "example.com/programs/show" {
			rest = append(rest, p)
		}
	}
	require.Len(t, rest, len(prog.Packages)-1)
	prog.Packages = rest
	idx := Index(prog)
	for name, opts := range map[string]Options{
		"operations": {},
		"accesses":   {Accesses: accesses(idx)},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := Instrument(ctx, prog, idx, opts)
			require.NoError(t, err)
			fine, n := len(opts.Accesses) > 0, 100
			if fine {
				n = 20 // they have ten times as many steps
			}
			if *schedules > 0 {
				n = *schedules
			}
			o.Files["zz_controlled_test.go"] = []byte(strings.NewReplacer("SCHEDULES", fmt.Sprint(n), "FINE", fmt.Sprint(fine)).Replace(controlledDriver))
			bin := testBinary(t, prog, o)
			// What the free runs leave behind must not disturb the others.
			out, code = run(t, dir, bin, "-test.timeout=60s", "-test.skip=TestControlled")
			require.Zero(t, code, out)
			out, code = run(t, dir, bin, "-test.timeout=120s", "-test.run=TestControlled")
			require.Zero(t, code, out)
			t.Log(out)
			if _, err := exec.LookPath("gcc"); err == nil {
				for _, d := range o.Diagnostics { // all other constructs are guarded
					require.Equal(t, "c/c.go", d.File, d)
				}
				require.NotEmpty(t, o.Diagnostics)
			}
		})
	}
}
