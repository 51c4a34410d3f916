package parse

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/source"
)

const refused = `package refused

import (
	"net"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	resource chan int
	counter  = 1
)

func TestMain(m *testing.M) {
	setup()
	os.Exit(m.Run())
}

func setup() { resource = make(chan int, 1) }

func TestResource(t *testing.T) {
	counter++
	resource <- counter
	if v := <-resource; v != 2 {
		t.Error(v)
	}
}

func TestSocket(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { l.Accept() })
	wg.Wait()
}

func TestPipe(t *testing.T) {
	r, _, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan int)
	go func() {
		n, _ := r.Read(make([]byte, 1))
		done <- n
	}()
	<-done
}

func TestProcess(t *testing.T) {
	done := make(chan error)
	go func() { done <- exec.Command("true").Run() }()
	<-done
}

func TestBusy(t *testing.T) {
	stop := false
	go func() { stop = true }()
	for !stop {
	}
}

func TestSpin(t *testing.T) {
	var stop atomic.Bool
	go stop.Store(true)
	for !stop.Load() {
	}
	c := make(chan int, 1)
	go func() { c <- 1 }()
	for len(c) == 0 {
	}
	var lock atomic.Int32
	n := 0
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for i := 0; !lock.CompareAndSwap(0, 1); i++ {
				if i%3 == 0 {
					runtime.Gosched()
				}
			}
			n++
			lock.Store(0)
		})
	}
	wg.Wait()
	start := time.Now()
	time.AfterFunc(time.Minute, func() {})
	for time.Since(start) < time.Second {
	}
	if n != 3 {
		t.Error(n)
	}
}

func TestSpinForEver(t *testing.T) {
	var stop atomic.Bool
	defer func() {
		for !stop.Load() {
		}
	}()
	done := make(chan int)
	go func() { <-done }()
	for !stop.Load() {
	}
}

func TestTicker(t *testing.T) {
	go func() {
		for range time.Tick(time.Millisecond) {
		}
	}()
}

func TestNoTicker(t *testing.T) {
	done := make(chan int)
	go func() {
		time.Sleep(time.Hour)
		close(done)
	}()
	go func() {
		for n := range 900 {
			time.Sleep(time.Duration(n))
		}
		<-done
	}()
}

// A goroutine of the package, not of a test.
var _ = func() (n int) {
	go func() {
		for range time.Tick(time.Second) {
		}
	}()
	return
}()

func TestParallel(t *testing.T) {
	t.Parallel()
	c := make(chan int)
	go func() { c <- 1 }()
	<-c
}

func TestSubtests(t *testing.T) {
	for _, fails := range []bool{false, true} {
		t.Run("sub", func(t *testing.T) {
			t.Parallel()
			c := make(chan int)
			go func() { c <- 1 }()
			<-c
			if fails {
				t.Error("fails")
			}
		})
	}
}
`

// TestRefusals: what a run cannot control ends it with a reason, soon; what only
// looks like it is done.
func TestRefusals(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the watchdog")
	}
	tests := []struct{ name, verdict, kind, message string }{
		{"TestResource", "completed", "", ""},
		{"TestProcess", "completed", "", ""},
		{"TestParallel", "completed", "", ""},
		{"TestSubtests", "completed", "test failure", "the test has failed"},
		{"TestSocket", "unsupported", "", "no step was completed for 1s: goroutine 0.2 does not come to another guard after example.com/refused.TestSocket$1@1.call"},
		{"TestPipe", "unsupported", "", "no step was completed for 1s: goroutine 0.2 does not come to another guard after example.com/refused.TestPipe$1@1.call"},
		{"TestBusy", "unsupported", "", "no step was completed for 1s: goroutine 0 does not come to another guard after example.com/refused.TestBusy#1"},
		{"TestSpin", "completed", "", ""},
		{"TestSpinForEver", "limit", "", "busy loop, and nothing else goes on: 0 at example.com/refused.TestSpinForEver"},
		{"TestTicker", "completed", "goroutine leak", "0.2 blocked in receive on chan#"},
		{"TestNoTicker", "completed", "", ""},
		{"TestCgo", "unsupported", "", "no step was completed for 1s: goroutine 0.2 does not come to another guard after example.com/refused.block#1.start"},
	}
	dir := t.TempDir()
	files := map[string]string{"go.mod": "module example.com/refused\n\ngo 1.26\n", "refused_test.go": refused}
	if _, err := exec.LookPath("gcc"); err == nil {
		files["cgo.go"] = "package refused\n\n// #include <unistd.h>\nimport \"C\"\n\nfunc pause() { C.pause() }\n"
		files["cgo_test.go"] = "package refused\n\nimport \"testing\"\n\nfunc block(done chan bool) {\n\tgo func() { pause(); done <- true }()\n\t<-done\n}\n\nfunc TestCgo(t *testing.T) { block(make(chan bool)) }\n"
	} else {
		tests = tests[:len(tests)-1]
	}
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	ctx := context.Background()
	prog, err := source.LoadModule(ctx, source.Spec{Dir: dir})
	require.NoError(t, err)
	idx := Index(prog)
	o, err := Instrument(ctx, prog, idx, Options{})
	require.NoError(t, err)
	require.Equal(t, "[refused_test.go:24:16: TestMain sets resource: it is not initialised anew, so it keeps its value from run to run]", fmt.Sprint(o.Diagnostics))
	bin := refusedBinary(t, prog, o)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, r := range refusedRuns(t, bin, dir, tt.name) {
				require.Equal(t, tt.verdict, r.Verdict, r.Message)
				require.Equal(t, tt.kind, r.Outcome.Kind, r.Outcome.Message)
				if tt.message != "" {
					require.Contains(t, r.Message, tt.message)
				}
			}
		})
	}
	// A loop that waits for another goroutine is no busy loop once its condition
	// is guarded.
	o, err = Instrument(ctx, prog, idx, Options{Accesses: accesses(idx)})
	require.NoError(t, err)
	guarded := refusedBinary(t, prog, o)
	t.Run("guarded", func(t *testing.T) {
		for _, r := range refusedRuns(t, guarded, dir, "TestBusy") {
			require.Equal(t, "completed", r.Verdict, r.Message)
		}
	})
}

// refusedBinary compiles the tests with one that runs them.
func refusedBinary(t *testing.T, prog *source.Program, o *Overlay) string {
	var names []string
	for _, name := range prog.Packages[0].Types.Scope().Names() {
		if strings.HasPrefix(name, "Test") && name != "TestMain" {
			names = append(names, name)
		}
	}
	var src bytes.Buffer
	require.NoError(t, exploreTemplate.Execute(&src, map[string]any{"Name": "refused", "Func": "TestZZ", "Tests": names, "Watchdog": 1, "MaxSteps": 300000}))
	o.Files["zz_refused_test.go"] = src.Bytes()
	bin := testBinary(t, prog, o)
	return bin
}

// refusedRuns runs a test under two schedules, or until it is refused.
func refusedRuns(t *testing.T, bin, dir, name string) []result {
	limit, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	results := filepath.Join(t.TempDir(), "out")
	cmd := exec.CommandContext(limit, bin, "-test.run=^TestZZ$", "-test.timeout=0")
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	cmd.Env = append(os.Environ(), "VTRACE_TEST="+name, "VTRACE_OUT="+results, "VTRACE_FROM=0", "VTRACE_TO=2")
	printed, _ := cmd.CombinedOutput() // the test may fail
	require.NoError(t, limit.Err(), "hangs")
	got := readResults(t, results)
	require.NotEmpty(t, got, string(printed))
	return got
}
