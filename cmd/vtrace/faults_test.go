package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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

// fault is an odd situation: a module, what is done to the environment, and what is to come of a
// check of it.
type fault struct {
	name   string
	files  map[string]string
	dir    string             // of the module, "m" if it is ""
	before func(t *testing.T) // in the directory of the module
	args   []string
	code   int
	stdout string // a part of it
	stderr string
}

// without removes variables from the environment for a test.
func without(names ...string) func(t *testing.T) {
	return func(t *testing.T) {
		for _, name := range names {
			t.Setenv(name, "") // is put back at the end
			require.NoError(t, os.Unsetenv(name))
		}
	}
}

func with(name, value string) func(t *testing.T) {
	return func(t *testing.T) { t.Setenv(name, value) }
}

var sound = map[string]string{"go.mod": moduleText, "main.go": soundText}

// mainOf is a module with a main function.
func mainOf(text string) map[string]string {
	return map[string]string{"go.mod": moduleText, "main.go": text}
}

var faults = []fault{
	{name: "no go.mod", files: map[string]string{"main.go": soundText}, code: exitUsage,
		stderr: "vtrace: load .: there is no go.mod in the directory or above it: 'go mod init NAME' makes one\n"},
	{name: "a broken go.mod", files: map[string]string{"go.mod": "modul x\n", "main.go": soundText}, code: exitUsage, stderr: "go.mod:1: unknown directive: modul"},
	{name: "code that does not parse", files: mainOf("package main\n\nfunc main() { x := }\n"), code: exitUsage, stderr: "main.go:3:20: expected operand, found '}'"},
	{name: "code that does not compile", files: mainOf("package main\n\nfunc main() { var s string = 1; _ = s }\n"), code: exitUsage, stderr: "main.go:3:30: cannot use 1"},
	{name: "an import that is not there", files: mainOf("package main\n\nimport _ \"example.org/none\"\n\nfunc main() {}\n"), code: exitUsage, stderr: "no required module provides package example.org/none"},
	{name: "an empty directory", files: map[string]string{"go.mod": moduleText}, code: exitUsage, stderr: "vtrace: no Go files in "},
	{name: "no packages", files: map[string]string{"go.mod": moduleText}, args: []string{"./..."}, code: exitUsage, stderr: "vtrace: ./...: there are no packages\n"},
	{name: "no such package", files: sound, args: []string{"example.com/none"}, code: exitUsage, stderr: "vtrace: no required module provides package example.com/none"},
	{name: "no such directory", files: sound, args: []string{"./none"}, code: exitUsage, stderr: "vtrace: ./none: no such directory\n"},
	{name: "a file", files: sound, args: []string{"./main.go"}, code: exitUsage, stderr: "vtrace: ./main.go: is a file: name the directory of its package\n"},
	{name: "no main and no tests", files: map[string]string{"go.mod": moduleText, "lib.go": "package lib\n"}, code: exitUsage, stderr: "no entry points"},
	{name: "blanks and letters of other languages", files: sound, dir: "bl ank/ünï 'q\" $x", stdout: "example.com/m main: no error"},
	{name: "no go command", files: sound, before: with("PATH", os.DevNull), code: exitUsage, stderr: "vtrace: load .: the go command is needed, and there is none in PATH\n"},
	{name: "no HOME", files: sound, before: without("HOME", "XDG_CACHE_HOME", "GOCACHE"), code: exitUsage, stderr: "build cache is required, but could not be located"},
	{name: "no directory for temporary files", files: sound, before: with("TMPDIR", filepath.Join(os.DevNull, "none")), code: exitUsage, stderr: "vtrace: load example.com/m: creating work dir: "},
	{name: "flags of the environment that do not exist", files: sound, before: with("GOFLAGS", "-mod=none"), code: exitUsage, stderr: "-mod=none not supported"},
	{name: "a bundle directory that cannot be made", files: sound, before: func(t *testing.T) { require.NoError(t, os.WriteFile(".vtrace", nil, 0o600)) }, args: []string{"-o", "", "."}, code: exitUsage,
		stderr: ".vtrace: not a directory"},
}

// TestFaults: odd situations have clear messages and the right exit code.
func TestFaults(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, f.check)
	}
}

func (f *fault) check(t *testing.T) {
	dir := filepath.Join(t.TempDir(), f.dir, "m")
	writeModule(t, dir, f.files)
	t.Chdir(dir)
	if f.before != nil {
		f.before(t)
	}
	args := f.args
	if len(args) == 0 {
		args = []string{"."}
	}
	code, stdout, stderr := execute(t, append([]string{"check", "-cache", "off", "-o", "-"}, args...)...)
	require.Equal(t, f.code, code, stdout+stderr)
	require.Contains(t, stdout, f.stdout, stderr)
	require.Contains(t, stderr, f.stderr)
	require.NotContains(t, stderr, "panic")
	for line := range strings.Lines(stderr) {
		require.NotContains(t, line, "exit status", "an error of a command that is not passed on")
	}
}

var faultPrograms = flag.Bool("faults", false, "TestFaultPrograms: check programs that do odd things, which takes minutes")

// TestFaultPrograms: programs that fork, use the network, read what they are given, print
// without end, start a million goroutines or never end are checked within their budget.
func TestFaultPrograms(t *testing.T) {
	if !*faultPrograms {
		t.Skip("-faults checks them")
	}
	for _, f := range []fault{
		{name: "forks", files: mainOf(`package main

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
		{name: "reads", files: mainOf(`package main

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
		{name: "prints", files: mainOf(`package main

import (
	"fmt"
	"strings"
)

func main() {
	line := strings.Repeat("x", 1<<20)
	for range 200 {
		fmt.Println(line)
	}
}
`), stdout: ": no error"},
		{name: "prints for ever", files: mainOf("package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfor {\n\t\tfmt.Println(`x`)\n\t}\n}\n"), code: exitInconclusive},
		{name: "a million goroutines", files: mainOf(`package main

import "sync"

func main() {
	var wg sync.WaitGroup
	for range 1_000_000 {
		wg.Go(func() {})
	}
	wg.Wait()
}
`), code: exitInconclusive},
		{name: "never ends", files: mainOf("package main\n\nfunc main() {\n\tc := make(chan int)\n\tgo func() {\n\t\tfor {\n\t\t\tc <- 1\n\t\t}\n\t}()\n\tfor {\n\t\t<-c\n\t}\n}\n"), code: exitInconclusive},
		{name: "spins", files: mainOf("package main\n\nfunc main() {\n\tgo func() {\n\t\tfor {\n\t\t}\n\t}()\n\tfor {\n\t}\n}\n"), code: exitInconclusive},
		{name: "the network", files: mainOf(`package main

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
	} {
		t.Run(f.name, func(t *testing.T) {
			f.args = []string{"-budget", "15s", "."}
			temp := t.TempDir()
			t.Setenv("TMPDIR", temp)
			f.check(t)
			left, err := os.ReadDir(temp)
			require.NoError(t, err)
			for _, e := range left {
				require.False(t, strings.HasPrefix(e.Name(), "vtrace-") || strings.HasPrefix(e.Name(), ".vtrace-"), e.Name())
			}
		})
	}
}
