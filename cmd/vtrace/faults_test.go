package main

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/kept"
)

// writeModule writes the files of a module to a directory, which is made.
func writeModule(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
}

const (
	moduleText = "module example.com/m\n\ngo 1.26\n"
	soundText  = "package main\n\nfunc main() {\n\tc := make(chan int, 1)\n\tc <- 1\n\t<-c\n}\n"
)

// fault is an odd situation, what vtrace is to do in it, and what is to come of that. Whatever it is, the
// module is as it was, no process goes on, and no temporary file is left.
type fault struct {
	situation string // one of situations
	name      string
	expensive bool // only with -faults
	// run is the test, if it is another one than is described here.
	run func(t *testing.T)

	files   map[string]string // of the module
	dir     string            // in which that is
	env     []string          // NAME=value, or NAME for a variable that there is not
	prepare func(t *testing.T, dir string, p *process)
	command []string // checkOnly if it is nil
	args    []string // behind it, "." if it is nil
	code    int
	stdout  string // a part of it
	stderr  string
	after   func(t *testing.T, p *process)
}

// checkOnly keeps and writes nothing.
var checkOnly = []string{"check", "-cache", "off", "-o", "-"}

// situations are those in which vtrace must say what is wrong, damage nothing and leave nothing.
var situations = []string{
	"no go.mod", "broken code", "a vendored module", "a workspace", "blanks and letters of other languages in paths",
	"a read-only tree", "no space left", "no directory for temporary files", "no go command", "no HOME", "standard output closed",
	"Ctrl-C at any stage", "kill -9 at any stage", "two runs at once",
	"a program that forks", "a program that opens sockets", "a program that reads standard input", "a program that prints a gigabyte",
	"a program that starts a million goroutines", "a program that never ends",
	"arguments that name nothing",
}

var sound = map[string]string{"go.mod": moduleText, "main.go": soundText}

// vendoredModule has what it depends on in its directory vendor.
var vendoredModule = map[string]string{
	"go.mod":                    moduleText + "\nrequire example.com/d v1.0.0\n",
	"main.go":                   usesText,
	"vendor/modules.txt":        "# example.com/d v1.0.0\n## explicit; go 1.26\nexample.com/d\n",
	"vendor/example.com/d/d.go": usedText,
}

// workspaceOfTwo has a module and another one that it depends on.
var workspaceOfTwo = map[string]string{
	"go.work":  "go 1.26\n\nuse (\n\t.\n\t./d\n)\n",
	"go.mod":   moduleText + "\nrequire example.com/d v1.0.0\n",
	"main.go":  usesText,
	"d/go.mod": "module example.com/d\n\ngo 1.26\n",
	"d/d.go":   usedText,
}

const (
	usesText = "package main\n\nimport \"example.com/d\"\n\nfunc main() {\n\tc := make(chan int, 1)\n\td.Send(c)\n\t<-c\n}\n"
	usedText = "package d\n\nfunc Send(c chan int) { c <- 1 }\n"
)

// with are files and one more.
func with(files map[string]string, name, text string) map[string]string {
	out := maps.Clone(files)
	out[name] = text
	return out
}

// without are files but for one.
func without(files map[string]string, name string) map[string]string {
	out := maps.Clone(files)
	delete(out, name)
	return out
}

// mainOf is a module with a main function.
func mainOf(text string) map[string]string {
	return map[string]string{"go.mod": moduleText, "main.go": text}
}

var faults = []fault{
	{situation: "no go.mod", name: "no go.mod", files: map[string]string{"main.go": soundText}, code: exitUsage,
		stderr: "vtrace: load .: there is no go.mod in the directory or above it: 'go mod init NAME' makes one\n"},
	{situation: "broken code", name: "a broken go.mod", files: map[string]string{"go.mod": "modul x\n", "main.go": soundText}, code: exitUsage, stderr: "go.mod:1: unknown directive: modul"},
	{situation: "broken code", name: "code that does not parse", files: mainOf("package main\n\nfunc main() { x := }\n"), code: exitUsage, stderr: "main.go:3:20: expected operand, found '}'"},
	{situation: "broken code", name: "code that does not compile", files: mainOf("package main\n\nfunc main() { var s string = 1; _ = s }\n"), code: exitUsage, stderr: "main.go:3:30: cannot use 1"},
	{situation: "broken code", name: "an import that is not there", files: mainOf("package main\n\nimport _ \"example.org/none\"\n\nfunc main() {}\n"), code: exitUsage, stderr: "no required module provides package example.org/none"},
	{situation: "arguments that name nothing", name: "an empty directory", files: map[string]string{"go.mod": moduleText}, code: exitUsage, stderr: "vtrace: no Go files in "},
	{situation: "arguments that name nothing", name: "no packages", files: map[string]string{"go.mod": moduleText}, args: []string{"./..."}, code: exitUsage, stderr: "vtrace: ./...: there are no packages\n"},
	{situation: "arguments that name nothing", name: "no such package", files: sound, args: []string{"example.com/none"}, code: exitUsage, stderr: "vtrace: no required module provides package example.com/none"},
	{situation: "arguments that name nothing", name: "no such directory", files: sound, args: []string{"./none"}, code: exitUsage, stderr: "vtrace: ./none: no such directory\n"},
	{situation: "arguments that name nothing", name: "a file", files: sound, args: []string{"./main.go"}, code: exitUsage, stderr: "vtrace: ./main.go: is a file: name the directory of its package\n"},
	{situation: "arguments that name nothing", name: "no main and no tests", files: map[string]string{"go.mod": moduleText, "lib.go": "package lib\n"}, code: exitUsage, stderr: "no entry points"},
	{situation: "blanks and letters of other languages in paths", name: "blanks and letters of other languages", files: sound, dir: "bl ank/ünï 'q\" $x", stdout: "example.com/m main: no error"},
	{situation: "no go command", name: "no go command", files: sound, env: []string{"PATH=" + os.DevNull}, code: exitUsage, stderr: "vtrace: load .: the go command is needed, and there is none in PATH\n"},
	{situation: "no HOME", name: "no HOME", files: sound, env: []string{"HOME", "XDG_CACHE_HOME", "GOCACHE"}, code: exitUsage, stderr: "build cache is required, but could not be located"},
	{situation: "no directory for temporary files", name: "no directory for temporary files", files: sound, env: []string{"TMPDIR=" + filepath.Join(os.DevNull, "none")}, code: exitUsage, stderr: "vtrace: directory for temporary files: "},
	{situation: "arguments that name nothing", name: "flags of the environment that do not exist", files: sound, env: []string{"GOFLAGS=-mod=none"}, code: exitUsage, stderr: "-mod=none not supported"},
	{situation: "a read-only tree", name: "a bundle directory that cannot be made", files: with(sound, ".vtrace", ""), command: []string{"check", "-cache", "off"}, code: exitUsage,
		stderr: ".vtrace: not a directory"},
	{situation: "a read-only tree", name: "a read-only tree, where the bundle would be", files: sound, prepare: readOnly, command: []string{"check", "-cache", "off"}, code: exitUsage,
		stderr: ".vtrace: permission denied"},
	{situation: "a read-only tree", name: "a read-only tree", expensive: true, files: sound, prepare: readOnly, stdout: "example.com/m main: no error"},
	{situation: "a vendored module", name: "a vendored module", expensive: true, files: vendoredModule, stdout: "example.com/m main: no error"},
	{situation: "a vendored module", name: "a vendored module that lacks a package", files: without(vendoredModule, "vendor/example.com/d/d.go"), code: exitUsage,
		stderr: "example.com/d"},
	{situation: "a workspace", name: "a workspace", expensive: true, files: workspaceOfTwo, stdout: "example.com/m main: no error"},
	{situation: "a workspace", name: "a workspace that lacks a module", files: without(workspaceOfTwo, "d/go.mod"), code: exitUsage, stderr: "go.work"},
	{situation: "no space left", name: "no space left for temporary files", files: sound, prepare: full("TMPDIR"), code: exitUsage,
		stderr: "no space left on device\n" + spaceHint},
	{situation: "no space left", name: "no space left for a bundle", files: sound, prepare: full("bundle"), command: []string{"first", "-o", "b.vtz"}, code: exitUsage,
		stderr: "no space left on device\n" + spaceHint},
	{situation: "no space left", name: "no space left for the result", expensive: true, files: sound, prepare: full("cache"), command: []string{"check", "-o", "-"},
		stdout: "example.com/m main: no error", stderr: "vtrace: the result is not kept, or not taken from an earlier check: "},
	{situation: "no space left", name: "a bundle that may not be as large", files: with(sound, "large.go", incompressible()), prepare: smallFiles, command: []string{"first", "-o", "b.vtz"}, code: exitUsage,
		stderr: "vtrace: save bundle: write ", after: earlierWhole},
	{situation: "standard output closed", name: "standard output closed", files: sound, prepare: through(`exec "$0" "$@" >&-`), command: []string{"translate"}},
	{situation: "standard output closed", name: "standard output full", files: sound, prepare: fullOutput, command: []string{"translate"}, code: exitUsage,
		stderr: "vtrace: write /dev/stdout: no space left on device\n" + spaceHint},
	{situation: "standard output closed", name: "nobody reads standard output", files: sound, prepare: unread, command: []string{"translate"}, code: -1},
	{situation: "Ctrl-C at any stage", name: "Ctrl-C at any stage", expensive: true, run: func(t *testing.T) { endAtAnyStage(t, os.Interrupt) }},
	{situation: "kill -9 at any stage", name: "kill -9 at any stage", expensive: true, run: func(t *testing.T) { endAtAnyStage(t, os.Kill) }},
	{situation: "two runs at once", name: "two runs at once", expensive: true, run: twoAtOnce},
}

// oddPrograms are programs that do odd things. They are checked within a budget.
var oddPrograms = []fault{
	{situation: "a program that forks", name: "forks", files: mainOf(`package main

import "os/exec"

func main() {
	if err := exec.Command("sleep", "1000").Start(); err != nil {
		panic(err)
	}
	c := make(chan int)
	go func() { c <- 1 }()
	<-c
}
`), stdout: ": no error"},
	{situation: "a program that reads standard input", name: "reads", files: mainOf(`package main

import (
	"bufio"
	"os"
)

func main() {
	c := make(chan string)
	go func() {
		for s := bufio.NewScanner(os.Stdin); s.Scan(); {
			c <- s.Text()
		}
		close(c)
	}()
	for range c {
	}
}
`), stdout: ": no error"},
	{situation: "a program that prints a gigabyte", name: "prints a gigabyte", files: mainOf(`package main

import (
	"fmt"
	"strings"
)

func main() {
	line := strings.Repeat("x", 1<<20)
	for range 1024 {
		fmt.Println(line)
	}
}
`), stdout: ": no error"},
	{situation: "a program that never ends", name: "prints for ever", files: mainOf("package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfor {\n\t\tfmt.Println(`x`)\n\t}\n}\n"), code: exitInconclusive},
	{situation: "a program that starts a million goroutines", name: "a million goroutines", files: mainOf(`package main

import "sync"

func main() {
	var wg sync.WaitGroup
	for range 1_000_000 {
		wg.Go(func() {})
	}
	wg.Wait()
}
`), code: exitInconclusive},
	{situation: "a program that never ends", name: "never ends", files: mainOf("package main\n\nfunc main() {\n\tc := make(chan int)\n\tgo func() {\n\t\tfor {\n\t\t\tc <- 1\n\t\t}\n\t}()\n\tfor {\n\t\t<-c\n\t}\n}\n"), code: exitInconclusive},
	{situation: "a program that never ends", name: "spins", files: mainOf("package main\n\nfunc main() {\n\tgo func() {\n\t\tfor {\n\t\t}\n\t}()\n\tfor {\n\t}\n}\n"), code: exitInconclusive},
	{situation: "a program that opens sockets", name: "the network", files: mainOf(`package main

import (
	"io"
	"net"
)

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	done := make(chan bool)
	go func() {
		if c, err := l.Accept(); err == nil {
			io.Copy(io.Discard, c)
		}
		close(done)
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	c.Close()
	<-done
}
`), code: exitInconclusive},
}

var faultPrograms = flag.Bool("faults", false, "TestFaults and TestNothingOutlives: also what takes seconds each, and programs that do odd things, which take minutes")

// TestFaults: odd situations have clear messages and the right exit code, damage nothing and leave
// nothing.
func TestFaults(t *testing.T) {
	known := map[string]bool{}
	all := slices.Clone(faults)
	for _, f := range oddPrograms {
		f.expensive, f.args = true, []string{"-budget", "15s", "."}
		all = append(all, f)
	}
	for _, f := range all {
		known[f.situation] = true
		t.Run(f.name, func(t *testing.T) {
			if f.expensive && !*faultPrograms {
				t.Skip("-faults checks it")
			}
			if f.run != nil {
				f.run(t)
				return
			}
			f.check(t)
		})
	}
	require.ElementsMatch(t, situations, slices.Collect(maps.Keys(known)))
}

func (f *fault) check(t *testing.T) {
	dir, temp := filepath.Join(t.TempDir(), f.dir, "m"), t.TempDir()
	writeModule(t, dir, f.files)
	command, args := f.command, f.args
	if command == nil {
		command = checkOnly
	}
	if args == nil {
		args = []string{"."}
	}
	p := newProcess(t, dir, temp, slices.Concat(command, args)...)
	for _, v := range f.env {
		name, _, set := strings.Cut(v, "=")
		p.Env = slices.DeleteFunc(p.Env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
		if set {
			p.Env = append(p.Env, v)
		}
	}
	if f.prepare != nil {
		f.prepare(t, dir, p)
	}
	before := treeOf(t, dir)
	p.start(t)
	code := p.end(t)
	stdout, stderr := p.stdout.String(), p.stderr.String()
	require.Equal(t, f.code, code, stdout+stderr)
	require.Contains(t, stdout, f.stdout, stderr)
	require.Contains(t, stderr, f.stderr)
	require.NotContains(t, stderr, "panic")
	for line := range strings.Lines(stderr) {
		require.NotContains(t, line, "exit status", "an error of a command that is not passed on")
	}
	p.requireAlone(t)
	requireEmpty(t, temp)
	require.Equal(t, before, treeOf(t, dir), "nothing is damaged, and nothing is left")
	if f.after != nil {
		f.after(t, p)
	}
}

// treeOf are the files of a directory, by their names.
func treeOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			out[path] = "directory"
			return err
		}
		data, err := os.ReadFile(path)
		out[path] = string(data)
		return err
	}))
	return out
}

// readOnly has nobody write to the module, and vtrace be somebody whom that keeps from it.
func readOnly(t *testing.T, dir string, p *process) {
	t.Helper()
	mode := func(mode os.FileMode) {
		require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				err = os.Chmod(path, mode)
			}
			return err
		}))
	}
	mode(0o555)
	t.Cleanup(func() { mode(0o755) })
	if os.Getuid() == 0 {
		isolated(t, p)
	}
}

// earlierText is what there is where a bundle is to be written.
const earlierText = "an earlier bundle"

// incompressible is Go source that makes a bundle of more than 16 KiB, and a small package.
func incompressible() string {
	var digits strings.Builder
	for r := rand.New(rand.NewPCG(1, 2)); digits.Len() < 40<<10; {
		fmt.Fprintf(&digits, "%016x", r.Uint64())
	}
	return "package main\n\n// " + digits.String() + "\n"
}

// smallFiles lets vtrace write files of 16 KiB at most.
func smallFiles(t *testing.T, dir string, p *process) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.vtz"), []byte(earlierText), 0o600))
	through(`ulimit -f 32; exec "$0" "$@"`)(t, dir, p)
}

func earlierWhole(t *testing.T, p *process) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.Dir, "b.vtz"))
	require.NoError(t, err)
	require.Equal(t, earlierText, string(data))
}

// through has a shell start vtrace, as $0 with the arguments $@.
func through(script string) func(t *testing.T, dir string, p *process) {
	return func(t *testing.T, _ string, p *process) {
		t.Helper()
		shell, err := exec.LookPath("sh")
		if err != nil {
			t.Skip("there is no shell")
		}
		p.Args = slices.Concat([]string{"sh", "-c", script, p.Path}, p.Args[1:])
		p.Path = shell
	}
}

// fullOutput gives vtrace a standard output that takes nothing.
func fullOutput(t *testing.T, _ string, p *process) {
	t.Helper()
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no such device")
	}
	t.Cleanup(func() { _ = f.Close() })
	p.Stdout = f
}

// unread gives vtrace a pipe for its standard output that nobody reads.
func unread(t *testing.T, _ string, p *process) {
	t.Helper()
	read, write, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, read.Close())
	t.Cleanup(func() { _ = write.Close() })
	p.Stdout = write
}

// twoAtOnce: two checks of the same module at the same time, which keep their results in the same place
// and write the same bundle, both have the result, and the bundle and what is kept are whole.
func twoAtOnce(t *testing.T) {
	dir, temp, cache := t.TempDir(), t.TempDir(), t.TempDir()
	writeModule(t, dir, sound)
	args := []string{"check", "-cache", cache, "-o", "b.vtz", "."}
	both := []*process{newProcess(t, dir, temp, args...), newProcess(t, dir, temp, args...)}
	for _, p := range both {
		p.start(t)
	}
	for _, p := range both {
		require.Equal(t, exitNothing, p.end(t), p.stderr.String())
		require.Contains(t, p.stdout.String(), "example.com/m main: no error")
		require.Empty(t, p.stderr.String())
		p.requireAlone(t)
	}
	requireEmpty(t, temp)
	b, err := artifact.Load(filepath.Join(dir, "b.vtz"))
	require.NoError(t, err)
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Len(t, names, 3, "the module and the bundle")
	kept, err := kept.Results{Dir: cache}.All()
	require.NoError(t, err)
	require.Len(t, kept, 1)
	again, err := artifact.Load(kept[0].Path)
	require.NoError(t, err)
	require.Equal(t, b.Digest(), again.Digest())
}
