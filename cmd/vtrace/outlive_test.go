package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/stretchr/testify/require"
)

// stubbornText is a program that ignores signals, has started another one, and spins, where this
// variable is set. Before, it says so in the file that all processes have in common. Else it is stuck.
const stubbornVariable = "VTRACE_TEST_STUBBORN"

var stubbornText = `package main

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

func main() {
	if os.Getenv("` + stubbornVariable + `") != "" {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		if err := exec.Command("sleep", "1000").Start(); err != nil {
			panic(err)
		}
		syscall.Write(` + fmt.Sprint(aliveFile) + `, []byte("u"))
		go func() {
			for {
			}
		}()
		for {
		}
	}
	<-make(chan int)
}
`

// manyText is a program of many schedules, which says in each run which process it is.
var manyText = `package main

import (
	"fmt"
	"os"
	"sync"
	"syscall"
)

func main() {
	syscall.Write(` + fmt.Sprint(aliveFile) + `, fmt.Appendln(nil, os.Getpid()))
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			for range 5 {
				mu.Lock()
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}
`

// TestNothingOutlives: when vtrace is killed while it runs a program, or compiles one, nothing that it
// has started goes on, and the next vtrace removes its temporary files.
func TestNothingOutlives(t *testing.T) {
	dir, many := t.TempDir(), t.TempDir()
	writeModule(t, dir, mainOf(stubbornText))
	writeModule(t, many, mainOf(manyText))
	up := func(t *testing.T, p *process) {
		t.Helper()
		require.NoError(t, p.alive.SetReadDeadline(time.Now().Add(2*time.Minute))) // of a test that fails
		_, err := io.ReadFull(p.alive, make([]byte, 1))
		require.NoError(t, err, p.stderr.String())
	}
	for _, c := range []struct {
		name      string
		dir       string
		args      []string
		expensive bool
		wait      func(t *testing.T, p *process) // until the process is to be killed
	}{
		{name: "record", dir: dir, args: []string{"record", "-o", filepath.Join(t.TempDir(), "r"), "."}, wait: up},
		{name: "check", dir: dir, args: []string{"check", "-o", "-", "."}, expensive: true, wait: up},
		{name: "explore", dir: dir, args: []string{"explore", "."}, expensive: true, wait: up},
		{name: "explore exhaustively", dir: dir, args: []string{"explore", "-exhaustive", "."}, expensive: true, wait: up},
		{name: "explore in several processes", dir: many, args: []string{"explore", "-exhaustive", "-parallel", "3", "."}, expensive: true, wait: func(t *testing.T, p *process) {
			processes := map[string]bool{}
			for lines := bufio.NewScanner(p.alive); len(processes) < 4; processes[lines.Text()] = true {
				require.True(t, lines.Scan(), p.stderr.String())
			}
		}},
		{name: "replay", dir: dir, args: []string{"replay", stuckBundle, "q1-1"}, expensive: true, wait: up},
		{name: "lsp", dir: dir, args: []string{"lsp"}, expensive: true, wait: up},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.expensive && !*faultPrograms {
				t.Skip("-faults kills it")
			}
			temp := t.TempDir()
			p := newProcess(t, c.dir, temp, c.args...)
			p.Env = append(p.Env, stubbornVariable+"=1")
			switch c.name {
			case "replay":
				code, stdout, stderr := execute(t, "check", "-o", filepath.Join(dir, stuckBundle), dir)
				require.Equal(t, exitReal, code, stdout+stderr)
			case "lsp":
				askForCheck(t, p, filepath.Join(dir, "main.go"))
			}
			p.start(t)
			c.wait(t, p)
			require.NoError(t, p.Process.Kill())
			require.Equal(t, -1, p.end(t), p.stderr.String())
			p.requireAlone(t)

			next := newProcess(t, dir, temp, "translate", ".")
			next.start(t)
			require.Equal(t, exitNothing, next.end(t), next.stderr.String())
			next.requireAlone(t)
			requireEmpty(t, temp)
		})
	}
}

const stuckBundle = "stuck.vtz"

// askForCheck has a language server, which is then started, asked for a check of the main function in a
// file.
func askForCheck(t *testing.T, p *process, file string) {
	t.Helper()
	p.Stdout = nil
	in, err := p.StdinPipe()
	require.NoError(t, err)
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	client := jrpc2.NewClient(channel.StrictHeader("")(out, in), nil)
	t.Cleanup(func() { _ = client.Close() })
	go func() {
		var nothing any
		ctx := context.Background()
		if client.CallResult(ctx, "initialize", map[string]any{"capabilities": map[string]any{}}, &nothing) == nil {
			arguments := fmt.Sprintf(`{"command":"vtrace.check","arguments":[{"uri":"file://%s","entry":"main"}]}`, file)
			_ = client.CallResult(ctx, "workspace/executeCommand", json.RawMessage(arguments), &nothing)
		}
	}()
}

// endAtAnyStage: a check that gets a signal when any of its stages has ended leaves nothing.
func endAtAnyStage(t *testing.T, signal os.Signal) {
	dir := t.TempDir()
	writeModule(t, dir, mainOf(stubbornText))
	for stages := 0; endAfter(t, dir, stages, signal); stages++ {
		require.Less(t, stages, 100)
	}
}

// endAfter sends a check a signal when some of its stages have ended, and reports whether there were as
// many.
func endAfter(t *testing.T, dir string, stages int, signal os.Signal) bool {
	t.Helper()
	temp := t.TempDir()
	p := newProcess(t, dir, temp, "check", "-o", "-", "-timing", ".")
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer read.Close()
	p.Stderr = write
	p.start(t)
	require.NoError(t, write.Close())
	lines, n := bufio.NewScanner(read), 0
	for n < stages && lines.Scan() {
		n++
	}
	if n == stages {
		require.NoError(t, p.Process.Signal(signal))
	}
	for lines.Scan() {
	}
	code := p.end(t)
	p.requireAlone(t)
	if n == stages && signal == os.Kill {
		require.Equal(t, -1, code)
		next := newProcess(t, dir, temp, "translate", ".")
		next.start(t)
		require.Equal(t, exitNothing, next.end(t), next.stderr.String())
	}
	requireEmpty(t, temp)
	return n == stages
}
