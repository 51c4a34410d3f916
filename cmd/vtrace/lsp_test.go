package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/internal/pass"
)

// languageServer is a server as a process of its own.
type languageServer struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.Reader
	stderr bytes.Buffer
}

func startServer(t *testing.T, args ...string) *languageServer {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	s := &languageServer{cmd: exec.Command(exe, append([]string{"lsp"}, args...)...)}
	s.cmd.Env = append(os.Environ(), runAsVtrace+"=1")
	s.cmd.Stderr = &s.stderr
	s.in, err = s.cmd.StdinPipe()
	require.NoError(t, err)
	s.out, err = s.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, s.cmd.Start())
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	return s
}

// end is the exit code.
func (s *languageServer) end(t *testing.T) int {
	t.Helper()
	_, err := io.Copy(io.Discard, s.out)
	if err != nil {
		require.ErrorIs(t, err, os.ErrClosed)
	}
	var exit *exec.ExitError
	if err := s.cmd.Wait(); err != nil {
		require.ErrorAs(t, err, &exit)
	}
	return s.cmd.ProcessState.ExitCode()
}

// A server as editors start it: its output is the protocol and nothing else, and whatever its
// input is it comes to an end.
func TestLSPProcess(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in, stderr string
		code       int
	}{
		"garbage":       {strings.Repeat("\x00\x01garbage", 120_000), "vtrace: the input is not the language server protocol", exitUsage},
		"end":           {"", "vtrace: the input has ended without shutdown and exit", exitUsage},
		"within":        {"Content-Length: 10\r\n\r\n{", "it ends after 1 of 10 bytes of a message", exitUsage},
		"exit too soon": {"Content-Length: 33\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}", "", 1},
	} {
		s := startServer(t)
		_, _ = io.WriteString(s.in, c.in) // the server may have ended before it has read all
		require.NoError(t, s.in.Close())
		require.Equal(t, c.code, s.end(t), name)
		require.Contains(t, s.stderr.String(), c.stderr, name)
	}

	// A session, with a check that goes on when the editor ends it.
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module example.com/p\n\ngo 1.26\n",
		"p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestForever(t *testing.T) {\n\tc := make(chan int)\n\tgo func() {\n\t\tfor {\n\t\t\tc <- 1\n\t\t}\n\t}()\n\tfor {\n\t\t<-c\n\t}\n}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	check := json.RawMessage(`{"command":"vtrace.check","workDoneToken":7,"arguments":[{"uri":"file://` + dir + `/p_test.go","entry":"TestForever"}]}`)
	for _, how := range []string{"shutdown", "kill"} {
		s := startServer(t, "-stdio", "-budget", "0")
		begun := make(chan bool, 1)
		client := jrpc2.NewClient(channel.StrictHeader("")(s.out, s.in), &jrpc2.ClientOptions{OnNotify: func(r *jrpc2.Request) {
			if r.Method() == "$/progress" && strings.Contains(r.ParamString(), "search") {
				select {
				case begun <- true:
				default:
				}
			}
		}})
		ctx := context.Background()
		var nothing any
		require.NoError(t, client.CallResult(ctx, "initialize", map[string]any{"capabilities": map[string]any{}}, &nothing))
		ended := make(chan error, 1)
		go func() {
			_, err := client.Call(ctx, "workspace/executeCommand", check)
			ended <- err
		}()
		<-begun
		if how == "kill" {
			require.NoError(t, s.cmd.Process.Kill())
			require.Error(t, <-ended)
			require.Equal(t, -1, s.end(t))
			continue
		}
		require.NoError(t, client.CallResult(ctx, "shutdown", nil, &nothing))
		var e *jrpc2.Error
		require.True(t, errors.As(<-ended, &e))
		require.Equal(t, -32800, int(e.Code), "shutdown ends what goes on")
		require.NoError(t, client.Notify(ctx, "exit", nil))
		require.Equal(t, exitNothing, s.end(t), s.stderr.String())
		require.Empty(t, s.stderr.String())
	}
}

// A language server obeys the settings of a module as check does, as they are when it is asked.
func TestLSPSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("go.mod", "module example.com/p\n\ngo 1.26\n")
	write("p_test.go", "package p\n\nimport \"testing\"\n\nfunc TestSlow(t *testing.T) {}\n")
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	ended := make(chan error, 1)
	c := &call{ctx: t.Context(), stdout: fromServer, args: []string{"-cache=off", "-run-depth=3"}}
	go func() {
		_, err := c.serve(&settings{cache: noResults}, toServer)
		ended <- err
	}()
	client := jrpc2.NewClient(channel.StrictHeader("")(out, in), nil)
	var nothing any
	require.NoError(t, client.CallResult(t.Context(), "initialize", map[string]any{"capabilities": map[string]any{}}, &nothing))
	check := json.RawMessage(`{"command":"vtrace.check","arguments":[{"uri":"file://` + filepath.ToSlash(dir) + `/p_test.go"}]}`)

	write(configName, "version: 1\nentries:\n  - {test: Slow, skip: it needs a server}\n")
	var results []map[string]any
	require.NoError(t, client.CallResult(t.Context(), "workspace/executeCommand", check, &results))
	require.Len(t, results, 1)
	require.Equal(t, "it needs a server (vtrace.yaml)", results[0]["leftOut"])
	write(configName, "version: 1\ncheck:\n  sandbox: off\n")
	_, err := client.Call(t.Context(), "workspace/executeCommand", check)
	require.ErrorContains(t, err, configName+":3: sandbox is")
	require.NoError(t, in.Close())
	require.ErrorContains(t, <-ended, "ended without shutdown")

	write(configName, "version: 1\ncheck:\n  sandbox: require\n  tags: [a, b]\n  deps: [golang.org/x/...]\n  budget: 7s\n  run-depth: 9\n  sarif: x.sarif\nentries:\n  - {test: Slow, budget: 8s}\n")
	got, err := c.settingsIn(dir)
	require.NoError(t, err)
	require.Equal(t, []string{"-tags=a,b"}, got.Flags)
	require.Equal(t, []string{"golang.org/x/..."}, got.Deps)
	o := applied(got.Check)
	require.Equal(t, pass.SandboxRequired, o.Sandbox)
	require.Equal(t, 7*time.Second, o.Budget)
	require.Equal(t, 3, o.RunDepth, "the command line counts more")
	of := got.Of(vtrace.EntryPoint{Package: "example.com/p", Func: "TestSlow"})
	require.Equal(t, 8*time.Second, applied(append(slices.Clone(got.Check), of...)).Budget)
	c.args = append(c.args, "-config=off")
	got, err = c.settingsIn(dir)
	require.NoError(t, err)
	require.Empty(t, got.Flags)
}

// applied are the options of a pass that options of the SDK set, whose settings have no name outside of it.
func applied(opts []vtrace.Option) pass.Options {
	set := reflect.New(reflect.TypeFor[vtrace.Option]().In(0).Elem())
	for _, o := range opts {
		reflect.ValueOf(o).Call([]reflect.Value{set})
	}
	return set.Elem().FieldByName("Options").Interface().(pass.Options)
}
