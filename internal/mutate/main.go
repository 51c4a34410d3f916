// Command mutate plants defects into a package, one at a time, and tells which of them its tests
// catch:
//
//	go run ./internal/mutate -n 100 -seed 1 ./internal/check
//	go run ./internal/mutate -n 100 -seed 1 -tests ./internal/orcruntime,./internal/orchestrate -run 'TestOwners|TestPlain' ./internal/orcruntime
//
// Defects are conditions that always or never hold, statements that are left out, and numbers that
// are one more. They are chosen at random among those that the tests reach. The module is copied,
// and nothing of it is changed. Not every survivor is a defect: some mutants mean the same as the
// program, and some only cost time.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/vtrace/vtrace/internal/group"
)

// config is what the command line says.
type config struct {
	pkg     string
	tests   []string
	run     string
	skip    string
	n       int
	seed    uint64
	only    *regexp.Regexp
	timeout time.Duration
	list    bool
}

func main() {
	var c config
	tests := flag.String("tests", "", "packages whose tests are run, separated by commas; empty: those of the package")
	flag.StringVar(&c.run, "run", "", "only tests that match")
	flag.StringVar(&c.skip, "skip", "", "no tests that match")
	flag.IntVar(&c.n, "n", 100, "how many mutants are tried; 0: all")
	flag.Uint64Var(&c.seed, "seed", 1, "which mutants are chosen")
	only := flag.String("only", "", "only mutants whose line of the list matches")
	flag.DurationVar(&c.timeout, "timeout", 5*time.Minute, "bound of the tests of one package")
	flag.BoolVar(&c.list, "list", false, "list the mutants that the tests reach, and those they do not, and try none")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: mutate [flags] PACKAGE")
		flag.PrintDefaults()
		os.Exit(2)
	}
	c.pkg = flag.Arg(0)
	c.only = regexp.MustCompile(*only)
	c.tests = []string{c.pkg}
	if *tests != "" {
		c.tests = strings.Split(*tests, ",")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := try(ctx, os.Stdout, c); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// suite is a binary of tests.
type suite struct {
	binary, dir string
	skip        []string // tests that fail without a mutant, since the source has changed
}

func try(ctx context.Context, out io.Writer, c config) error {
	root, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	if err := copyModule(root); err != nil {
		return err
	}
	_, mutants, err := mutate(root, c.pkg)
	if err != nil {
		return err
	}
	var suites []*suite
	for i, p := range c.tests {
		s := &suite{binary: filepath.Join(root, fmt.Sprintf("tests%d", i)), dir: filepath.Join(root, p)}
		cmd := exec.CommandContext(ctx, "go", "test", "-c", "-o", s.binary, p)
		cmd.Dir = root
		if out, err := group.CombinedOutput(cmd); err != nil {
			return fmt.Errorf("%s with mutants: %w\n%s", p, err, out)
		}
		suites = append(suites, s)
	}
	reached, err := baseline(ctx, out, c, root, suites)
	if err != nil {
		return err
	}
	var chosen []mutant
	missed := 0
	for _, m := range mutants {
		switch {
		case !c.only.MatchString(m.String()):
		case reached[m.id]:
			chosen = append(chosen, m)
		default:
			missed++
			if c.list {
				fmt.Fprintln(out, "not reached:", m)
			}
		}
	}
	fmt.Fprintf(out, "%d mutants are reached, %d are not\n", len(chosen), missed)
	rand.New(rand.NewPCG(c.seed, 0)).Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	if c.n > 0 && len(chosen) > c.n {
		chosen = chosen[:c.n]
	}
	caught := 0
	for i, m := range chosen {
		if c.list {
			fmt.Fprintln(out, "reached:", m)
			continue
		}
		by, err := catches(ctx, c, m, suites)
		if err != nil {
			return err
		}
		if by == "" {
			fmt.Fprintln(out, "SURVIVES", m)
			continue
		}
		caught++
		fmt.Fprintf(out, "caught by %s (%d of %d): %s\n", by, caught, i+1, m)
	}
	if !c.list {
		fmt.Fprintf(out, "%d of %d caught\n", caught, len(chosen))
	}
	return nil
}

// copyModule copies the module of the working directory, without what is hidden.
func copyModule(to string) error {
	return filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path != "." && strings.HasPrefix(d.Name(), ".") && d.Name() != ".ci" {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		target := filepath.Join(to, path)
		if d.IsDir() {
			return os.MkdirAll(target, 0o777)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o666)
	})
}

var failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)

// baseline runs the tests without a mutant in force: those that fail are skipped later. It returns
// the mutants that were reached.
func baseline(ctx context.Context, to io.Writer, c config, root string, suites []*suite) (map[int]bool, error) {
	log := filepath.Join(root, "reached")
	for _, s := range suites {
		out, err := s.run(ctx, c, 2*c.timeout, false, "VTRACE_MUTANTS_REACHED="+log)
		for _, m := range failedTest.FindAllStringSubmatch(out, -1) {
			s.skip = append(s.skip, m[1])
		}
		if err != nil && len(s.skip) == 0 {
			return nil, fmt.Errorf("tests without a mutant: %w\n%s", err, out)
		}
		if len(s.skip) > 0 {
			fmt.Fprintln(to, "not used, they fail without a mutant:", strings.Join(s.skip, " "))
		}
	}
	data, err := os.ReadFile(log)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	reached := map[int]bool{}
	for line := range strings.Lines(string(data)) {
		if id, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
			reached[id] = true
		}
	}
	return reached, nil
}

// catches is what catches a mutant, "" if nothing does.
func catches(ctx context.Context, c config, m mutant, suites []*suite) (by string, err error) {
	for _, s := range suites {
		out, err := s.run(ctx, c, c.timeout, true, "VTRACE_MUTANT="+strconv.Itoa(m.id))
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err == nil {
			continue
		}
		if f := failedTest.FindStringSubmatch(out); f != nil {
			return f[1], nil
		}
		return "a crash or the timeout", nil
	}
	return "", nil
}

// memory bounds what a run of tests takes, in KiB of address space: some mutants allocate for ever.
const memory = 12 << 20

func (s *suite) run(ctx context.Context, c config, timeout time.Duration, failfast bool, env string) (output string, err error) {
	skip := slices.Clone(s.skip)
	for i, name := range skip {
		skip[i] = "^" + regexp.QuoteMeta(name) + "$"
	}
	if c.skip != "" {
		skip = append(skip, c.skip)
	}
	args := []string{"-c", fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, memory), s.binary, "-test.run=" + c.run, "-test.timeout=" + timeout.String()}
	if failfast {
		args = append(args, "-test.failfast")
	}
	if len(skip) > 0 {
		args = append(args, "-test.skip="+strings.Join(skip, "|"))
	}
	ctx, cancel := context.WithTimeout(ctx, timeout+10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), env)
	cmd.WaitDelay = 5 * time.Second
	out, err := group.CombinedOutput(cmd)
	return string(out), err
}
