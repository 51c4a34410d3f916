package orchestrate

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/scratch"
)

// BuildOptions are for Build.
type BuildOptions struct {
	// Overlay is the overlay.json of the instrumented program.
	Overlay string
	// ModCache is the module cache to build with; "" is that of the target's
	// environment.
	ModCache string
	// Tests are further test files, by name, to compile in beside the driver:
	// those of Test.
	Tests map[string][]byte
	// Shared are the test functions that the driver can run, of the package of the target and of the one
	// that it tests; none: it runs the entry.
	Shared []artifact.Entry
	// Go is the go command; "" is "go".
	Go string
}

// Binary is a compiled program with its Orchestration tests.
type Binary struct {
	// Path is the executable.
	Path string
	// Guards, if not nil, are the keys of the statements at which runs stop, of those
	// that have a guard as accesses to memory; nil: all.
	Guards []string
	// Places are the expressions whose memory the program reads or writes: see parse.Overlay.
	Places []string
	target Target
	dir    string     // scratch
	shared *SharedRun // nil: the program has one entry
	// borrowed: another Binary removes it.
	borrowed bool
}

// SharedRun says how a program runs that several checks share, see parse.Options.Shared.
type SharedRun struct {
	// Entry is the entry function, with the path of its package, and End the key of the guard at its return.
	Entry, End string
	// Exact has runs stop where a program does that has the Guards of the Binary alone, and nowhere
	// else: see orcruntime.Config.
	Exact bool `json:",omitempty"`
	// NoRaces has them look for no data races.
	NoRaces bool `json:",omitempty"`
	// Bubbles: the entry makes bubbles of its own, and the program reads the clock.
	Bubbles bool `json:",omitempty"`
	// Without are the packages of the shared program that the program of the entry does not have.
	Without []string `json:",omitempty"`
}

// For returns the program as a check of a target uses it, nil if it has that entry alone. It is there
// until b is closed.
func (b *Binary) For(target Target, how *SharedRun) *Binary {
	own := *b
	own.target, own.shared, own.Guards, own.borrowed = target, nil, nil, true
	if how != nil {
		run := *how
		run.Entry, run.End = nameOf(target.Entry), target.End
		own.shared = &run
	}
	return &own
}

// nameOf is the name of a test function in a driver that knows several.
func nameOf(test artifact.Entry) string { return test.Package + "." + test.Func }

// Close removes the binary, unless it is a shared one.
func (b *Binary) Close() error {
	if b.borrowed {
		return nil
	}
	return scratch.Remove(b.dir)
}

// BuildError says why the instrumented program does not compile.
type BuildError struct {
	Output string // of the go command
	Err    error
}

func (e *BuildError) Error() string {
	return fmt.Sprintf("build instrumented program: %v\n%s", e.Err, strings.TrimSpace(e.Output))
}

func (e *BuildError) Unwrap() error { return e.Err }

// maxBuildOutput bounds what is kept of the go command's output.
const maxBuildOutput = 64 << 10

// Build compiles the package of the entry with the driver, which runs any plan,
// and the given tests into one binary in a directory of its own. Nothing is
// written below the program's root.
func Build(ctx context.Context, target Target, opts BuildOptions) (*Binary, error) {
	src, err := driver(target, opts.Shared...)
	if err != nil {
		return nil, err
	}
	return target.link(ctx, "orchestration.test", testBinary, opts, func(dir string) (string, error) {
		tests := map[string][]byte{driverFile: src}
		for name, src := range opts.Tests {
			if name == driverFile || filepath.Base(name) != name || !strings.HasSuffix(name, "_test.go") {
				return "", fmt.Errorf("build: %q is not the name of a test file", name)
			}
			// Here the overlay is there, and user's -tags are not touched.
			for _, tag := range []string{buildTag, oldTag} {
				src = bytes.Replace(src, []byte(tag+"\n"), []byte(plainTag+"\n"), 1)
			}
			tests[name] = src
		}
		return addToOverlay(opts.Overlay, dir, target.Dir, tests)
	})
}

// What link makes, and how the go command is told to.
var (
	testBinary = linked{"test binary", []string{"test", "-c", "-vet=off"}}
	mainBinary = linked{"program", []string{"build"}}
)

type linked struct {
	what string
	args []string
}

// link makes a binary of a name, in a directory of its own, with the overlay that is made there.
func (t Target) link(ctx context.Context, name string, as linked, opts BuildOptions, overlayIn func(dir string) (string, error)) (_ *Binary, err error) {
	dir, err := scratch.Make("build")
	if err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, scratch.Remove(dir))
		}
	}()
	if err := noOverlay(t); err != nil {
		return nil, err
	}
	overlay, err := overlayIn(dir)
	if err != nil {
		return nil, err
	}
	b := &Binary{Path: filepath.Join(dir, name), target: t, dir: dir}
	args := slices.Concat(as.args, []string{"-o", b.Path})
	if !slices.ContainsFunc(t.allFlags(), func(f string) bool { return isFlag(f, "ldflags") }) {
		args = append(args, "-ldflags=-s -w") // no debugger looks at the binary, and linking is faster
	}
	out, err := t.compile(ctx, args, overlay, []string{"."}, opts)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(b.Path); err != nil {
		return nil, &BuildError{Output: out, Err: fmt.Errorf("no %s: does the package have Go files?", as.what)}
	}
	return b, nil
}

// Compile compiles packages that the instrumented program imports, with what the driver needs,
// as Build does, so that Build finds them in the build cache. Of the options Tests is not used.
// A *BuildError says what does not compile; the rest may be compiled then.
func Compile(ctx context.Context, target Target, packages []string, opts BuildOptions) error {
	if err := target.check(); err != nil {
		return err
	}
	if err := noOverlay(target); err != nil {
		return err
	}
	runtime := cmp.Or(target.Runtime, defaultRuntime)
	packages = slices.Concat(packages, generatedImports, []string{"testing/internal/testdeps", runtime})
	slices.Sort(packages)
	_, err := target.compile(ctx, []string{"build"}, opts.Overlay, slices.Compact(packages), opts)
	return err
}

// compile has the go command build packages, with what it has in common for all of a target, and
// returns what it says.
func (t Target) compile(ctx context.Context, args []string, overlay string, packages []string, opts BuildOptions) (_ string, err error) {
	temp, err := scratch.Make("compile")
	if err != nil {
		return "", fmt.Errorf("build: %w", err)
	}
	defer func() { err = errors.Join(err, scratch.Remove(temp)) }()
	env := t.GoEnviron()
	args = append(args, "-trimpath")
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	args = append(args, t.Flags...)
	if opts.ModCache != "" {
		// What is added to it can be removed again. The index of packages would
		// outlive it in the build cache.
		args = append(args, "-modcacherw")
		env = append(env[:len(env):len(env)], "GOMODCACHE="+opts.ModCache, "GODEBUG="+noIndex(env))
	}
	cmd := exec.Command(cmp.Or(opts.Go, "go"), append(args, packages...)...)
	cmd.Dir = t.Dir
	cmd.Env = scratch.GoEnv(env, temp)
	out := &boundedWriter{max: maxBuildOutput}
	cmd.Stdout, cmd.Stderr = out, out
	if err := runGroup(ctx, cmd, 0); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", &BuildError{Output: out.String(), Err: err}
	}
	return out.String(), nil
}

// noIndex is the environment's GODEBUG with the go command's index of packages
// switched off.
func noIndex(env []string) string {
	value := "goindex=0"
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "GODEBUG="); ok && v != "" {
			value = v + ",goindex=0"
		}
	}
	return value
}

// noOverlay refuses flags that ours would override.
func noOverlay(target Target) error {
	if slices.ContainsFunc(target.allFlags(), func(f string) bool { return isFlag(f, "overlay") }) {
		return errors.New("build: programs that are built with -overlay are not supported")
	}
	return nil
}

// allFlags are the build flags, with those of the environment.
func (t Target) allFlags() []string {
	flags := t.Flags
	for _, kv := range t.GoEnviron() {
		if v, ok := strings.CutPrefix(kv, "GOFLAGS="); ok {
			flags = append(flags[:len(flags):len(flags)], strings.Fields(v)...)
		}
	}
	return flags
}

// isFlag reports whether an argument of the go command is a flag with a name.
func isFlag(arg, name string) bool {
	f := strings.TrimLeft(arg, "-")
	return f != arg && (f == name || strings.HasPrefix(f, name+"="))
}

// addToOverlay writes the tests to dir, and an overlay that has them too.
func addToOverlay(overlay, dir, pkgDir string, tests map[string][]byte) (string, error) {
	var o struct{ Replace map[string]string }
	if overlay != "" {
		data, err := os.ReadFile(overlay)
		if err != nil {
			return "", fmt.Errorf("build: overlay: %w", err)
		}
		if err := json.Unmarshal(data, &o); err != nil {
			return "", fmt.Errorf("build: overlay %s: %w", overlay, err)
		}
	}
	if o.Replace == nil {
		o.Replace = map[string]string{}
	}
	for name, src := range tests {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, src, 0o600); err != nil {
			return "", fmt.Errorf("build: %w", err)
		}
		o.Replace[filepath.Join(pkgDir, name)] = path
	}
	data, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		return "", fmt.Errorf("build: overlay: %w", err)
	}
	path := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return "", fmt.Errorf("build: %w", err)
	}
	return path, nil
}
