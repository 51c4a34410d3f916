//go:build go1.25

package orcruntime

import (
	"encoding/binary"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// The environment variables that Drive and Orchestrate look at.
const (
	EnvPlan    = "VTRACE_PLAN"    // file with what Drive is to do
	EnvResult  = "VTRACE_RESULT"  // file for the result, as JSON
	EnvLog     = "VTRACE_LOG"     // file for the execution log
	EnvJournal = "VTRACE_JOURNAL" // file for the journal: the line of the last step
)

// Protocol1 stands for what drivers and the runtime tell each other, by the name of its version:
// the job that Drive reads, the results that it writes, what their fields mean. A driver uses the
// name, so that it does not compile with the runtime of a vtrace that has another one: an older
// runtime would leave out what it does not know without a word. The name changes whenever a runtime
// of another release would do something else with a job.
const Protocol1 protocol = 1

type protocol int

// MaxLog bounds the bytes of a log.
const MaxLog = 16 << 20

// T is *testing.T. Programs that are not tests have the runtime too, without
// package testing.
type T interface {
	Error(...any)
	Failed() bool
	Fatal(...any)
	Log(...any)
	Output() io.Writer
	Setenv(key, value string)
	Skip(...any)
}

// ForMain is the configuration of runs of a program, within the test t; bubble
// and wait are those of testing/synctest. The program sees args after its name.
//
// Generated tests leave all they can to this package: the package that they are
// in may declare any name of the language.
func ForMain[X T](t X, bubble func(X, func(X)), wait func(), main func(), endSite string, args ...string) Config {
	return Config{
		Bubble: Bubble{
			Run:  func(f func()) { bubble(t, func(X) { f() }) },
			Wait: wait,
		},
		Main:    func() { asProgram(main, args) },
		Entry:   EntryMain,
		EndSite: endSite,
	}
}

// ForTest is the configuration of runs of a test, see ForMain.
func ForTest[X T](t X, bubble func(X, func(X)), wait func(), test func(X), endSite string) Config {
	inner := t // that of the bubble, once it runs
	return Config{
		Bubble: Bubble{
			Run: func(f func()) {
				// A goroutine of its own: if the test fails, it ends here.
				var failure any
				done := make(chan struct{})
				go func() {
					defer close(done)
					defer func() { failure = recover() }()
					bubble(t, func(t X) {
						inner = t
						f()
					})
				}()
				<-done
				if failure != nil {
					panic(failure)
				}
			},
			Wait: wait,
		},
		Main:    func() { test(inner) },
		Entry:   EntryTest,
		EndSite: endSite,
		Failed:  func() bool { return inner.Failed() },
		kept:    func() (keptCleanups, bool) { return keptBy(inner, any(inner) != any(t)) },
	}
}

// setDebug: modules of Go before 1.23 have timers that no bubble can hold, and what
// uninstrumented code draws from math/rand is to be the same in every process.
func setDebug(t T) {
	t.Setenv("GODEBUG", os.Getenv("GODEBUG")+",asynctimerchan=0,randautoseed=0")
}

// take returns an environment variable, and hides it from the program, which may
// start its own binary: that is not to do the same.
func take(t T, name string) string {
	v := os.Getenv(name)
	if v != "" {
		t.Setenv(name, "")
	}
	return v
}

// Orchestrate makes the program follow a plan. The test t fails if what the
// plan expects is reproduced, and is skipped if the program could not be
// controlled; marshal is that of encoding/json.
func Orchestrate(t T, plan Plan, cfg Config, marshal func(any) ([]byte, error)) {
	setDebug(t)
	to := take(t, EnvResult)
	steps, err := plan.Whole()
	if err != nil {
		t.Fatal(err)
	}
	plan.Steps, plan.Repeats = steps, nil
	cfg.Plan = plan
	r := Run(cfg)
	if err := writeResult(to, r, marshal); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, line := range r.Log {
		text.WriteString(line.String() + "\n")
	}
	text.WriteString(r.String())
	if _, err := io.WriteString(t.Output(), text.String()); err != nil {
		t.Fatal(err)
	}
	switch r.Verdict {
	case Reproduced:
		t.Error(r.Message)
	case Infeasible:
		t.Log("no longer reproducible at step " + strconv.Itoa(r.Step) + " of " + strconv.Itoa(len(plan.Steps)))
	case Unsupported, Limit:
		t.Skip("undecided: " + r.Message)
	default:
		t.Log("not reproduced")
	}
}

// Drive does what the file that EnvPlan names wants: it makes the program follow
// a plan, or run at random. Without the file it does nothing; marshal and
// unmarshal are those of encoding/json.
func Drive(t T, _ protocol, cfg Config, marshal func(any) ([]byte, error), unmarshal func([]byte, any) error) {
	drive(t, func(*sharedJob) Config { return cfg }, marshal, unmarshal)
}

// NamedTest is a test function, which a driver knows by its name, with the path of its package.
type NamedTest[X T] struct {
	Name string
	Func func(X)
}

// DriveTests is Drive for a program that the checks of several tests share: the file says
// which of the tests is run.
func DriveTests[X T](t X, _ protocol, bubble func(X, func(X)), wait func(), marshal func(any) ([]byte, error), unmarshal func([]byte, any) error, tests ...NamedTest[X]) {
	drive(t, func(job *sharedJob) Config {
		if job != nil {
			for _, test := range tests {
				if test.Name == job.Entry {
					return ForTest(t, bubble, wait, test.Func, job.End)
				}
			}
		}
		t.Fatal("the program has no such test")
		return Config{}
	}, marshal, unmarshal)
}

// sharedJob says how a program runs that several checks share, or both engines of one.
type sharedJob struct {
	Entry, End string // the entry, with the path of its package, and the key of the guard at its return
	Exact      bool   // for Config.Exact
	NoRaces    bool   // for Config.NoRaces
	// Bubbles is what RegisterBubbles says of programs with one entry.
	Bubbles bool
	// Without are the packages that the program of the entry does not have.
	Without []string
}

func drive(t T, configOf func(*sharedJob) Config, marshal func(any) ([]byte, error), unmarshal func([]byte, any) error) {
	path, to := take(t, EnvPlan), take(t, EnvResult)
	records, limit := take(t, EnvRecordRun), take(t, EnvRecordLimit)
	if path == "" {
		t.Skip("no plan")
	}
	var job struct {
		Plan
		Random  *uint64
		Guides  [][]Step // for random choices
		Patient bool     // with them
		// Strategy and Profile are those of an Exploration, for random choices without guides.
		Strategy Strategy
		Profile  *Profile
		Delays   bool      // for Config.Delays
		Guards   *[]string // keys, for Config.Guards
		// Durations is that of Config.
		Durations []time.Duration
		Explore   *exploration
		Exhaust   *exhaustion
		Fuzz      *fuzzing

		Minimise *minimisation
		Screen   *screening
		Shared   *sharedJob
		Packed   *Packed // the steps of the plan, if there are many
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := unmarshal(data, &job); err != nil {
		t.Fatal(err)
	}
	if job.Packed != nil {
		if job.Steps, _, err = job.Packed.Unpack(); err != nil {
			t.Fatal(err)
		}
	}
	setDebug(t)
	cfg := configOf(job.Shared)
	if s := job.Shared; s != nil {
		cfg.Exact, cfg.NoRaces = s.Exact, s.NoRaces
		registerParts(s.Without)
		if s.Bubbles {
			RegisterBubbles()
		}
	}
	cfg.Plan, cfg.Record, cfg.NoLog, cfg.Delays, cfg.Durations = job.Plan, true, true, job.Delays, job.Durations
	if job.Guards != nil {
		cfg.Guards = map[Site]bool{}
		for _, key := range *job.Guards {
			if site, ok := siteOf(key); ok {
				cfg.Guards[site] = true
			}
		}
	}
	if job.Random != nil {
		if cfg.Plan.Seed == 0 {
			cfg.Plan.Seed = *job.Random
		}
		c := Along(job.Guides, *job.Random)
		if job.Strategy != "" && len(job.Guides) == 0 {
			if c, err = newStrategies(job.Profile).chooser(job.Strategy, *job.Random); err != nil {
				t.Fatal(err)
			}
		}
		cfg = chosen(cfg, c, cfg.Plan.Seed, job.Patient)
	}
	if job.Explore != nil {
		e := Exploration{Config: cfg, Guides: job.Guides, Patient: job.Patient, Strategy: job.Strategy, Profile: job.Profile}
		if err := job.Explore.do(e, marshal); err != nil {
			t.Fatal(err)
		}
		return
	}
	if job.Fuzz != nil {
		if err := job.Fuzz.do(cfg, marshal); err != nil {
			t.Fatal(err)
		}
		return
	}
	if job.Exhaust != nil {
		if err := job.Exhaust.do(cfg, marshal, unmarshal); err != nil {
			t.Fatal(err)
		}
		return
	}
	if job.Minimise != nil {
		if err := job.Minimise.do(cfg, marshal); err != nil {
			t.Fatal(err)
		}
		return
	}
	if job.Screen != nil {
		if err := job.Screen.do(cfg, marshal); err != nil {
			t.Fatal(err)
		}
		return
	}
	if path := take(t, EnvLog); path != "" {
		w, err := newMappedLog(path, MaxLog)
		if err != nil {
			t.Fatal(err)
		}
		defer w.close()
		cfg.Log = w
	}
	if path := take(t, EnvJournal); path != "" {
		w, err := newMappedJournal(path)
		if err != nil {
			t.Fatal(err)
		}
		defer w.file.Close()
		cfg.Journal = w
	}
	cfg.values = true
	if records != "" {
		if cfg.record, err = newRecordFile(records, limit); err != nil {
			t.Fatal("no recording: " + err.Error())
		}
	}
	if err := writeResult(to, Run(cfg), marshal); err != nil {
		t.Fatal(err)
	}
}

// writeResult writes a result to a file, unless path is empty.
func writeResult(path string, r Result, marshal func(any) ([]byte, error)) error {
	if path == "" {
		return nil
	}
	data, err := marshal(r.pack())
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

// exploration is many random runs.
type exploration struct {
	Seed     uint64
	Runs     int
	Steps    int // of all runs, 0: any number
	First    bool
	Watchdog time.Duration
	// Records gets twelve bytes for each run: the number of its end and the
	// hash of its steps. Ends gets a line for each new end, and one in the end.
	Records, Ends string
	// Traces, if not empty, gets a line for each run.
	Traces string
	// Profile gets that of the program, if it was not given; Begun gets a line for each run, when it
	// begins: its strategy.
	Profile, Begun string
}

// do does the runs of x, as e says.
func (e *exploration) do(x Exploration, marshal func(any) ([]byte, error)) error {
	records, err := os.Create(e.Records)
	if err != nil {
		return err
	}
	defer records.Close()
	ends, err := os.Create(e.Ends)
	if err != nil {
		return err
	}
	defer ends.Close()
	var failed error
	put := func(to *os.File, v any) {
		line, err := marshal(v)
		if err == nil {
			_, err = to.Write(append(line, '\n'))
		}
		if err != nil {
			failed = err
		}
	}
	by := x.Strategy
	encode := func(to *os.File, seed uint64, r Result) {
		put(to, struct {
			Seed     uint64
			Strategy Strategy `json:",omitempty"`
			Expect   Expect
			Result   PackedResult
		}{seed, by, r.Observed(), r.pack()})
	}
	var traces *os.File
	if e.Traces != "" {
		if traces, err = os.Create(e.Traces); err != nil {
			return err
		}
		defer traces.Close()
	}
	if e.Begun != "" {
		begun, err := os.Create(e.Begun)
		if err != nil {
			return err
		}
		defer begun.Close()
		x.Begins = func(s Strategy) {
			by = s
			if _, err := begun.WriteString(string(s) + "\n"); err != nil {
				failed = err
			}
		}
	}
	if e.Profile != "" {
		x.Profiled = func(p *Profile) {
			if err := replaceFile(e.Profile, p, marshal); err != nil {
				failed = err
			}
		}
	}
	ran := uint64(0)
	x.Config.Watchdog = e.Watchdog
	x.Seed, x.Runs, x.Steps, x.First, x.Record = e.Seed, e.Runs, e.Steps, e.First, traces != nil
	x.Ran = func(end int, r Result) {
		if traces != nil {
			encode(traces, e.Seed+ran, r)
		}
		ran++
		if _, err := records.Write(runRecord(end, r.Hash)); err != nil {
			failed = err
		}
	}
	x.Found = func(end int, seed uint64, r Result) { encode(ends, seed, r) }
	left, tainted := Explore(x)
	put(ends, struct {
		Done, Tainted bool
		Left          string
	}{true, tainted, left})
	return failed
}

// exhaustion is an exhaustive exploration.
type exhaustion struct {
	Accesses []AccessGuard
	Awaits   []string
	Stalls   int
	Values   int
	Misuse   bool
	Bounding *Bounding
	// Frontier is a file with one to go on from, and to which it is saved; it need not
	// exist.
	Frontier string
	Alone    bool
	Below    int
	// Stop is a file: when there is one, the exploration ends.
	Stop     string
	Runs     int
	Steps    int
	Time     time.Duration
	Watchdog time.Duration
	// Records and Ends are as those of an exploration. Result gets an Exhausted.
	Records, Ends, Result string
}

// stopEvery is how often an exploration looks whether it is to end.
const stopEvery = 10 * time.Millisecond

func (e *exhaustion) do(cfg Config, marshal func(any) ([]byte, error), unmarshal func([]byte, any) error) (err error) {
	var frontier *Frontier
	if data, err := os.ReadFile(e.Frontier); err == nil {
		if err := unmarshal(data, &frontier); err != nil {
			return err
		}
	}
	var failed error
	fail := func(err error) {
		if failed == nil {
			failed = err
		}
	}
	write := func(path string, v any) { fail(replaceFile(path, v, marshal)) }
	records, err := os.OpenFile(e.Records, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer records.Close()
	ends, err := os.OpenFile(e.Ends, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer ends.Close()
	cfg.Watchdog = e.Watchdog
	x := Exhaustion{
		Config: cfg, Accesses: e.Accesses, Awaits: e.Awaits, Stalls: e.Stalls, Values: e.Values, Misuse: e.Misuse, Bounding: e.Bounding, Frontier: frontier, Alone: e.Alone, Below: e.Below, Runs: e.Runs, Steps: e.Steps,
		Ran: func(end int, r Result) {
			_, err := records.Write(runRecord(end, r.Hash))
			fail(err)
		},
		Found: func(end int, r Result) {
			line, err := marshal(struct {
				Expect Expect
				Result Result
			}{r.Observed(), r})
			fail(err)
			_, err = ends.Write(append(line, '\n'))
			fail(err)
		},
		Saved: func(f *Frontier) { write(e.Frontier, f) },
	}
	if e.Time > 0 {
		x.Until = time.Now().Add(e.Time)
	}
	x.Stop = stopFile(e.Stop)
	out := Exhaust(x)
	if out.Frontier != nil {
		write(e.Frontier, out.Frontier)
	}
	out.Frontier = nil
	write(e.Result, out)
	return failed
}

// stopFile reports, when it is called, whether there is such a file; nil for no name.
func stopFile(path string) func() bool {
	if path == "" {
		return nil
	}
	looked := time.Now()
	return func() bool {
		if time.Since(looked) < stopEvery {
			return false
		}
		looked = time.Now()
		_, err := os.Stat(path)
		return err == nil
	}
}

// fuzzing is a search that is guided by what runs come to.
type fuzzing struct {
	Seed           uint64
	Runs, Steps    int
	Time, Watchdog time.Duration
	First, Blind   bool
	Patient        bool
	Corpus         []Input
	// Stop is a file: when there is one, the search ends.
	Stop string
	// Records and Ends are as those of an exploration, with the number of the run, from 0, in place
	// of a seed. Kept gets a line for each input that is kept, Result a Fuzzed.
	Records, Ends, Kept, Result string
}

func (f *fuzzing) do(cfg Config, marshal func(any) ([]byte, error)) error {
	var failed error
	create := func(path string) *os.File {
		file, err := os.Create(path)
		if err != nil && failed == nil {
			failed = err
		}
		return file
	}
	records, ends, kept := create(f.Records), create(f.Ends), create(f.Kept)
	defer records.Close()
	defer ends.Close()
	defer kept.Close()
	if failed != nil {
		return failed
	}
	put := func(to *os.File, v any) {
		line, err := marshal(v)
		if err == nil {
			_, err = to.Write(append(line, '\n'))
		}
		if err != nil {
			failed = err
		}
	}
	cfg.Watchdog = f.Watchdog
	ran := uint64(0)
	out := Fuzz(Fuzzing{
		Config: cfg, Seed: f.Seed, Runs: f.Runs, Steps: f.Steps, Time: f.Time, First: f.First, Blind: f.Blind, Patient: f.Patient, Corpus: f.Corpus,
		Stop: stopFile(f.Stop),
		Ran: func(end int, r Result) {
			ran++
			if _, err := records.Write(runRecord(end, r.Hash)); err != nil {
				failed = err
			}
		},
		Found: func(_ int, _ Input, r Result) {
			put(ends, struct {
				Seed   uint64
				Expect Expect
				Result Result
			}{ran, r.Observed(), r})
		},
		Kept: func(in Input) { put(kept, in) },
	})
	put(ends, struct {
		Done, Tainted bool
		Left          string
	}{true, out.Tainted, out.Left})
	if err := replaceFile(f.Result, out, marshal); err != nil {
		return err
	}
	return failed
}

// minimisation is the search for a schedule with less to understand.
type minimisation struct {
	Runs, Steps int
	Time        time.Duration
	Watchdog    time.Duration
	// Records gets a byte for each run. Result gets a Minimised, anew when there is a
	// better one: what is known is kept, however the process ends.
	Records, Result string
}

func (m *minimisation) do(cfg Config, marshal func(any) ([]byte, error)) (err error) {
	records, err := os.Create(m.Records)
	if err != nil {
		return err
	}
	defer records.Close()
	var failed error
	fail := func(err error) {
		if failed == nil {
			failed = err
		}
	}
	cfg.Watchdog = m.Watchdog
	x := Minimisation{
		Config: cfg, Runs: m.Runs, Steps: m.Steps,
		Ran: func() {
			_, err := records.Write([]byte{'.'})
			fail(err)
		},
		Better: func(out Minimised) { fail(replaceFile(m.Result, out, marshal)) },
	}
	if m.Time > 0 {
		x.Until = time.Now().Add(m.Time)
	}
	fail(replaceFile(m.Result, Minimise(x), marshal))
	return failed
}

// screening is several plans, which are followed one after the other, each from a state that RegisterInit has
// made anew.
type screening struct {
	Runs []struct {
		Plan
		Delays bool
	}
	Watchdog time.Duration
	// Results gets a line for each run, a Result. The last one is that of a run that has left something behind.
	Results string
}

func (s *screening) do(cfg Config, marshal func(any) ([]byte, error)) error {
	results, err := os.Create(s.Results)
	if err != nil {
		return err
	}
	defer results.Close()
	cfg.Watchdog, cfg.NoStacks, cfg.values = s.Watchdog, true, true
	for _, r := range s.Runs {
		cfg.Plan, cfg.Delays = r.Plan, r.Delays
		res := Run(cfg)
		line, err := marshal(res)
		if err == nil {
			_, err = results.Write(append(line, '\n'))
		}
		if err != nil || res.Left != "" {
			return err
		}
	}
	return nil
}

// replaceFile writes a value to a file, which has always all of one.
func replaceFile(path string, v any, marshal func(any) ([]byte, error)) error {
	data, err := marshal(v)
	if err == nil {
		err = os.WriteFile(path+".new", data, 0o600)
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	return err
}

// runRecord is what a run leaves in a file: the number of its end and the hash of its
// steps.
func runRecord(end int, hash uint64) []byte {
	var b [12]byte
	binary.LittleEndian.PutUint32(b[:], uint32(end))
	binary.LittleEndian.PutUint64(b[4:], hash)
	return b[:]
}
