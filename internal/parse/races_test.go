package parse

import (
	"context"
	"flag"
	"fmt"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/source"
)

var raceDetector = flag.Bool("racedetector", false, "compare with the race detector of Go")

// raceDriver runs the programs of testdata/races under random schedules, and
// prints the first race of each.
const raceDriver = `package races

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	orc "vtraceorc"
)

func TestPrograms(t *testing.T) {
	for _, p := range []struct {
		name string
		f    func()
		runs uint64
	}{
%s	} {
		first := ""
		for seed := range p.runs {
			res := orc.Run(orc.Config{
				Bubble: orc.Bubble{
					Run:  func(f func()) { synctest.Test(t, func(*testing.T) { f() }) },
					Wait: synctest.Wait,
				},
				Main: p.f, Entry: orc.EntryTest, Chooser: orc.Random(seed), NoLog: true, NoStacks: true,
			})
			if strings.HasPrefix(p.name, "Unseen") && len(res.RaceLimits) > 0 && len(res.Races) == 0 {
				first = res.RaceLimits[0]
				break
			}
			if res.Verdict != orc.Completed || len(res.Notes) > 0 && len(res.Races) == 0 || strings.HasPrefix(p.name, "Safe") && res.Outcome.Kind == orc.KindPanic {
				t.Errorf("%%s: %%s", p.name, res)
			}
			if len(res.Races) > 0 {
				first = res.Races[0].String()
				break
			}
		}
		fmt.Printf("%%s: %%s\n", p.name, first)
	}
}
`

// TestRaces: the races of small programs are found, each under some schedule,
// and none where there is none. Where one may go unseen, that is said.
func TestRaces(t *testing.T) {
	ctx := context.Background()
	dir, err := filepath.Abs("testdata/races")
	require.NoError(t, err)
	prog, err := source.LoadModule(ctx, source.Spec{Dir: dir})
	require.NoError(t, err)
	var table strings.Builder
	programs := racePrograms(prog)
	for _, name := range programs {
		const runs = 300
		fmt.Fprintf(&table, "\t\t{%q, %s, %d},\n", name, name, runs)
	}
	require.Greater(t, len(programs), 80)
	idx := Index(prog)
	o, err := Instrument(ctx, prog, idx, Options{Races: true, Accesses: accesses(idx)})
	require.NoError(t, err)
	var diags []string
	for _, d := range o.Diagnostics {
		diags = append(diags, d.String())
	}
	o.Files["zz_run_test.go"] = fmt.Appendf(nil, raceDriver, table.String())
	bin := testBinary(t, prog, o)
	out, code := run(t, dir, bin, "-test.timeout=120s")
	require.Zero(t, code, out)
	found := map[string]string{}
	for line := range strings.Lines(out) {
		if name, race, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			found[name] = strings.TrimSpace(race)
		}
	}
	for _, name := range programs {
		race, ok := found[name]
		if !ok || strings.HasPrefix(name, "Safe") != (race == "") {
			t.Errorf("%s: %q", name, race)
		}
	}
	golden(t, "testdata/races.golden", strings.TrimSuffix(out, "PASS\n")+strings.Join(diags, "\n")+"\n")
}

func racePrograms(prog *source.Program) (names []string) {
	for _, p := range prog.Packages {
		for _, name := range p.Types.Scope().Names() {
			if _, ok := p.Types.Scope().Lookup(name).(*types.Func); ok && (strings.HasPrefix(name, "Racy") || strings.HasPrefix(name, "Safe") || strings.HasPrefix(name, "Unseen")) {
				names = append(names, name)
			}
		}
	}
	return names
}

// unknownToGo are programs in which the race detector of Go finds a race and which are safe: it does not know that a
// signal synchronises before the Wait that it wakes, as the documentation of sync.Cond says.
var unknownToGo = map[string]bool{"SafeSignal": true, "SafeBroadcast": true, "SafeDirectSignal": true}

// TestRacesOfGo: the race detector of Go finds no race in the programs that are
// safe, and every program in which it finds one is racy.
func TestRacesOfGo(t *testing.T) {
	if !*raceDetector {
		t.Skip("needs -racedetector, and minutes")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("the race detector of Go needs a C compiler")
	}
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/races")))
	prog, err := source.LoadModule(context.Background(), source.Spec{Dir: dir})
	require.NoError(t, err)
	var b strings.Builder
	b.WriteString("package races\n\nimport \"testing\"\n\n")
	for _, name := range racePrograms(prog) {
		fmt.Fprintf(&b, "func Test%s(t *testing.T) { for range 20 { %s() } }\n", name, name)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "all_test.go"), []byte(b.String()), 0o600))
	bin := binary(t, "go-race")
	if out, code := run(t, dir, "go", "test", "-c", "-race", "-vet=off", "-o", bin, "."); code != 0 {
		t.Skipf("the race detector of Go cannot be used here: %s", out)
	}
	agreed := 0
	for _, name := range racePrograms(prog) {
		out, _ := run(t, dir, bin, "-test.run=^Test"+name+"$", "-test.timeout=60s")
		racy := strings.Contains(out, "WARNING: DATA RACE") || strings.Contains(out, "fatal error: concurrent map")
		if racy && strings.HasPrefix(name, "Safe") && !unknownToGo[name] {
			t.Errorf("%s: the race detector of Go finds a race:\n%s", name, out)
		}
		if racy {
			agreed++
		}
	}
	t.Logf("the race detector of Go finds %d of the races", agreed)
	require.Greater(t, agreed, 30)
}
