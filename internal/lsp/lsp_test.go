package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/lsp"
)

// diagnostic is one as a client reads it.
type diagnostic struct {
	Range           textRange
	Severity        int
	Code, Source    string
	Message         string
	CodeDescription struct{ Href string }

	RelatedInformation []struct {
		Location struct {
			URI   string
			Range textRange
		}
		Message string
	}
}

type textRange struct{ Start, End struct{ Line, Character int } }

type lens struct {
	Range   textRange
	Command struct {
		Title, Command string
		Arguments      []json.RawMessage
	}
}

// session is a client, and the server that it speaks with.
type session struct {
	t      *testing.T
	client *jrpc2.Client
	ended  chan error
	done   bool

	mu          sync.Mutex
	news        *sync.Cond
	diagnostics map[string][]diagnostic // by URI
	progress    []string
	messages    []string
	requests    []string
}

// all are the capabilities of a client that has all that the server knows.
const all = `{"general":{"positionEncodings":["utf-8","utf-16"]},"window":{"workDoneProgress":true,"showDocument":{"support":true}},
"workspace":{"codeLens":{"refreshSupport":true},"didChangeWatchedFiles":{"dynamicRegistration":true}},
"textDocument":{"publishDiagnostics":{"relatedInformation":true,"codeDescriptionSupport":true}}}`

// options are those of a server in tests.
func options(results string) lsp.Options {
	o := lsp.Options{
		Headline: func(b *artifact.Bundle) string { return b.Manifest().Entry.Func + " was checked" },
		Page:     func(*artifact.Bundle) (string, error) { return "/pages/page.html", nil },
	}
	if results != "" {
		o.Results.Dir = results
		o.Settings = with(vtrace.Results(results, 0))
	}
	return o
}

// with are settings that are the same for all directories.
func with(opts ...vtrace.Option) func(string) (lsp.Settings, error) {
	return func(string) (lsp.Settings, error) { return lsp.Settings{Check: opts}, nil }
}

// start starts a server and initializes it.
func start(t *testing.T, o lsp.Options, capabilities, initialization string) *session {
	t.Helper()
	s := &session{t: t, ended: make(chan error, 1), diagnostics: map[string][]diagnostic{}}
	s.news = sync.NewCond(&s.mu)
	toServer, out := io.Pipe()
	in, fromServer := io.Pipe()
	go func() {
		s.ended <- lsp.Serve(context.Background(), toServer, fromServer, o)
		_ = fromServer.Close()
	}()
	s.client = jrpc2.NewClient(channel.StrictHeader("")(in, out), &jrpc2.ClientOptions{
		OnNotify: s.notified, OnCallback: s.called,
		OnCancel: func(c *jrpc2.Client, r *jrpc2.Response) {
			_ = c.Notify(context.Background(), "$/cancelRequest", map[string]any{"id": json.RawMessage(r.ID())})
		},
	})
	t.Cleanup(func() {
		if !s.done {
			_ = out.Close()
			<-s.ended
		}
		_ = s.client.Close()
	})
	var got struct {
		Capabilities struct {
			PositionEncoding string
			TextDocumentSync struct{ Change int }
		}
	}
	s.call("initialize", json.RawMessage(`{"capabilities":`+capabilities+`,"initializationOptions":`+initialization+`}`), &got)
	require.Equal(t, 1, got.Capabilities.TextDocumentSync.Change)
	s.notify("initialized", struct{}{})
	return s
}

func (s *session) notified(r *jrpc2.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.news.Broadcast()
	switch r.Method() {
	case "textDocument/publishDiagnostics":
		var p struct {
			URI         string
			Diagnostics []diagnostic
		}
		if err := r.UnmarshalParams(&p); err == nil {
			s.diagnostics[p.URI] = p.Diagnostics
		}
	case "$/progress":
		var p struct {
			Value struct{ Kind, Message string }
		}
		if err := r.UnmarshalParams(&p); err == nil {
			s.progress = append(s.progress, strings.TrimSpace(p.Value.Kind+" "+p.Value.Message))
		}
	case "window/showMessage":
		var p struct{ Message string }
		if err := r.UnmarshalParams(&p); err == nil {
			s.messages = append(s.messages, p.Message)
		}
	}
}

func (s *session) called(_ context.Context, r *jrpc2.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.news.Broadcast()
	s.requests = append(s.requests, r.Method()+" "+r.ParamString())
	return nil, nil
}

func (s *session) call(method string, params, result any) {
	s.t.Helper()
	require.NoError(s.t, s.client.CallResult(context.Background(), method, params, result), method)
}

func (s *session) notify(method string, params any) {
	s.t.Helper()
	require.NoError(s.t, s.client.Notify(context.Background(), method, params))
}

// code is the code of the error that a request ends with.
func (s *session) code(method string, params any) (int, string) {
	s.t.Helper()
	_, err := s.client.Call(context.Background(), method, params)
	var e *jrpc2.Error
	require.ErrorAs(s.t, err, &e)
	return int(e.Code), e.Message
}

func (s *session) open(path, text string) {
	s.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri(path), "languageId": "go", "version": 1, "text": text}})
}

func (s *session) change(path, text string) {
	s.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri(path), "version": 2}, "contentChanges": []any{map[string]any{"text": text}}})
}

// until waits until the client has been told something.
func (s *session) until(what func() bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !what() {
		s.news.Wait()
	}
}

// diagnosed waits for diagnostics of a file.
func (s *session) diagnosed(path string, what func([]diagnostic) bool) []diagnostic {
	s.until(func() bool { return what(s.diagnostics[uri(path)]) })
	return s.diagnostics[uri(path)]
}

func (s *session) lenses(path string) (titles []string, all []lens) {
	s.t.Helper()
	s.call("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": uri(path)}}, &all)
	for _, l := range all {
		titles = append(titles, l.Command.Title)
	}
	return titles, all
}

// execute is the parameters of a command.
func execute(command, path, entry string) map[string]any {
	return map[string]any{"command": command, "arguments": []any{map[string]any{"uri": uri(path), "entry": entry}}}
}

// end ends the session as the protocol has it.
func (s *session) end() {
	s.t.Helper()
	var nothing any
	s.call("shutdown", nil, &nothing)
	code, _ := s.code("textDocument/codeLens", map[string]any{})
	require.Equal(s.t, int(jrpc2.InvalidRequest), code, "after shutdown there is nothing but exit")
	s.notify("exit", nil)
	require.NoError(s.t, <-s.ended)
	s.done = true
}

func uri(path string) string { return "file://" + path }

// The files of a module with an error, and without.
const (
	modFile  = "module example.com/p\n\ngo 1.26\n"
	badFile  = "package p\n\nimport \"sync\"\n\n// twice never returns.\nfunc twice(mu *sync.Mutex) {\n\tmu.Lock()\n\tmu.Lock()\n}\n\nfunc other() {}\n"
	testFile = "package p\n\nimport (\n\t\"sync\"\n\t\"testing\"\n)\n\nfunc TestTwice(t *testing.T) {\n\tvar mu sync.Mutex\n\ttwice(&mu)\n}\n\nfunc BenchmarkOther(b *testing.B) {\n\tother()\n}\n"
)

var goodFile = strings.Replace(badFile, "\tmu.Lock()\n\tmu.Lock()\n", "\tmu.Lock()\n\tmu.Unlock()\n", 1)

// module writes a module, and returns its directory.
func module(t *testing.T, code string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range map[string]string{"go.mod": modFile, "p.go": code, "p_test.go": testFile} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

// What is not saved is checked; its findings are where the code is now, and say when it has
// changed. Nothing is written.
func TestSession(t *testing.T) {
	t.Parallel()
	dir := module(t, goodFile)
	code, test := filepath.Join(dir, "p.go"), filepath.Join(dir, "p_test.go")
	s := start(t, options(""), all, `{}`)
	s.until(func() bool { return len(s.requests) > 0 })
	require.Contains(t, s.requests[0], "client/registerCapability")
	s.open(code, badFile) // not as on disk
	s.open(test, testFile)
	titles, lenses := s.lenses(test)
	require.Equal(t, []string{"check all tests of the package", "check this test", "check this benchmark"}, titles)
	require.Equal(t, 7, lenses[1].Range.Start.Line)
	titles, _ = s.lenses(code)
	require.Empty(t, titles)

	// As a client does that was asked for the command of a lens.
	require.Equal(t, "vtrace.check", lenses[1].Command.Command)
	var results []map[string]any
	s.call("workspace/executeCommand", map[string]any{"command": lenses[1].Command.Command, "arguments": lenses[1].Command.Arguments}, &results)
	require.Equal(t, []map[string]any{{"entry": "TestTwice", "summary": "TestTwice was checked", "findings": 1.0, "real": 1.0}}, results)
	found := s.diagnosed(code, func(d []diagnostic) bool { return len(d) == 1 })[0]
	require.Equal(t, 1, found.Severity)
	require.Equal(t, "deadlock", found.Code)
	require.Equal(t, "vtrace", found.Source)
	require.Equal(t, "deadlock: goroutine 0 waits at p.go:8 for mu, which it holds itself since p.go:7 (the program has done it, in a replay)", found.Message)
	require.True(t, strings.HasSuffix(found.CodeDescription.Href, "/docs/findings/deadlock.md"))
	require.Equal(t, 7, found.Range.Start.Line)
	require.Equal(t, 1, found.Range.Start.Character)
	require.Equal(t, 10, found.Range.End.Character)
	var related []string
	for _, r := range found.RelatedInformation {
		require.Equal(t, uri(code), r.Location.URI)
		related = append(related, r.Message)
	}
	require.Equal(t, []string{"step 1, goroutine 0: mu.Lock()", "step 2, goroutine 0: mu.Lock()", "at the end goroutine 0, blocked: mu.Lock()", "goroutine 0 holds mu since p.go:7: mu.Lock()"}, related)
	s.until(func() bool { return len(s.progress) > 0 && strings.HasPrefix(s.progress[len(s.progress)-1], "end") })
	require.Equal(t, "begin", s.progress[0])
	require.Contains(t, s.progress, "report first pass: load")
	titles, _ = s.lenses(test)
	require.Equal(t, []string{"check all tests of the package", "check this test", "replay", "show: TestTwice was checked", "check this benchmark"}, titles)

	var replay map[string]any
	s.call("workspace/executeCommand", execute("vtrace.replay", test, "TestTwice"), &replay)
	require.Equal(t, "reproduced", replay["status"])
	require.Contains(t, replay["log"], "p.go:7: mu.Lock()")
	var page map[string]any
	s.call("workspace/executeCommand", execute("vtrace.show", test, "TestTwice"), &page)
	require.Equal(t, "/pages/page.html", page["page"])
	s.until(func() bool { return strings.HasPrefix(s.requests[len(s.requests)-1], "window/showDocument") })

	// What stands above moves it, what is elsewhere is said, and its own code makes it a hint.
	s.change(code, strings.Replace(badFile, "// twice", "//\n// twice", 1))
	moved := s.diagnosed(code, func(d []diagnostic) bool { return len(d) == 1 && d[0].Range.Start.Line == 8 })[0]
	require.Equal(t, 1, moved.Severity)
	require.Equal(t, found.Message+"; other code of the program has changed since the check", moved.Message)
	s.change(code, strings.Replace(badFile, "mu.Lock()\n}", "mu.Lock() // again\n}", 1))
	stale := s.diagnosed(code, func(d []diagnostic) bool { return len(d) == 1 && d[0].Severity == 4 })[0]
	require.Equal(t, "before this code was changed: "+found.Message, stale.Message)
	require.Equal(t, 5, stale.Range.Start.Line, "at the function")
	s.change(code, "package p\n\nfunc other() {}\n")
	s.diagnosed(code, func(d []diagnostic) bool { return len(d) == 0 })
	s.change(code, badFile)
	require.Equal(t, found, s.diagnosed(code, func(d []diagnostic) bool { return len(d) == 1 && d[0].Severity == 1 })[0])

	// A check of what is right removes it, all entry points at once.
	s.change(code, goodFile)
	s.call("workspace/executeCommand", execute("vtrace.check", code, ""), &results)
	require.Equal(t, []map[string]any{{"entry": "TestTwice", "summary": "TestTwice was checked", "findings": 0.0, "real": 0.0}}, results)
	s.diagnosed(code, func(d []diagnostic) bool { return len(d) == 0 })
	s.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri(code)}})
	s.end()
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 3)
	saved, err := os.ReadFile(code)
	require.NoError(t, err)
	require.Equal(t, goodFile, string(saved))
}

// What the program's compiler says is shown as that, as long as the file is the same.
func TestBuildErrors(t *testing.T) {
	t.Parallel()
	dir := module(t, goodFile)
	code, test := filepath.Join(dir, "p.go"), filepath.Join(dir, "p_test.go")
	s := start(t, options(""), all, `{}`)
	broken := strings.Replace(goodFile, "func other() {}", "func other() { é := nothing }", 1)
	s.open(code, broken)
	for _, entry := range []string{"TestTwice", ""} {
		n, message := s.code("workspace/executeCommand", execute("vtrace.check", test, entry))
		require.Equal(t, -32803, n)
		require.Contains(t, message, "the program does not build: p.go:11: ")
	}
	all := s.diagnosed(code, func(d []diagnostic) bool { return len(d) > 0 })
	require.Contains(t, all[len(all)-1].Message, "undefined: nothing")
	require.Equal(t, []any{1, "build", 10, 21}, []any{all[len(all)-1].Severity, all[len(all)-1].Code, all[len(all)-1].Range.Start.Line, all[len(all)-1].Range.Start.Character})
	s.change(code, goodFile)
	s.diagnosed(code, func(d []diagnostic) bool { return len(d) == 0 })
	s.change(code, broken)
	s.diagnosed(code, func(d []diagnostic) bool { return len(d) > 0 })
	// Another file mends it: the next check knows.
	s.change(code, strings.Replace(goodFile, "func other() {}", "func other() { nothing() }", 1))
	_, _ = s.code("workspace/executeCommand", execute("vtrace.check", test, "TestTwice"))
	s.diagnosed(code, func(d []diagnostic) bool { return len(d) == 1 && d[0].Message == "undefined: nothing" })
	s.open(filepath.Join(dir, "new.go"), "package p\n\nfunc nothing() {}\n")
	var results []map[string]any
	s.call("workspace/executeCommand", execute("vtrace.check", test, "TestTwice"), &results)
	s.diagnosed(code, func(d []diagnostic) bool { return len(d) == 0 })

	n, message := s.code("workspace/executeCommand", execute("vtrace.check", test, "TestNone"))
	require.Equal(t, -32803, n)
	require.Contains(t, message, "no such entry point")
	require.NoError(t, os.Remove(filepath.Join(dir, "go.mod")))
	_, message = s.code("workspace/executeCommand", execute("vtrace.check", test, "TestTwice"))
	require.Contains(t, message, "go.mod")
	s.end()
}

// A workspace that is not trusted runs nothing, and what a client asks for in a wrong way is
// refused.
func TestRefused(t *testing.T) {
	t.Parallel()
	dir := module(t, badFile)
	test := filepath.Join(dir, "p_test.go")
	s := start(t, options(""), `{}`, `{"trusted":false}`)
	s.open(test, testFile)
	titles, _ := s.lenses(test)
	require.Empty(t, titles)
	for _, command := range []string{"vtrace.check", "vtrace.replay"} {
		n, message := s.code("workspace/executeCommand", execute(command, test, "TestTwice"))
		require.Equal(t, -32803, n)
		require.Contains(t, message, "not trusted")
	}
	for name, params := range map[string]any{
		"no arguments": map[string]any{"command": "vtrace.check"},
		"no file":      map[string]any{"command": "vtrace.check", "arguments": []any{map[string]any{"uri": "untitled:x", "entry": "TestTwice"}}},
		"no function":  execute("vtrace.check", test, "Test(1)"),
		"no command":   execute("vtrace.format", test, "TestTwice"),
		"no object":    []any{1},
	} {
		n, _ := s.code("workspace/executeCommand", params)
		require.Equal(t, int(jrpc2.InvalidParams), n, name)
	}
	n, _ := s.code("workspace/executeCommand", execute("vtrace.show", test, "TestTwice"))
	require.Equal(t, -32803, n, "there is no result")
	n, _ = s.code("textDocument/hover", map[string]any{})
	require.Equal(t, int(jrpc2.MethodNotFound), n)
	n, _ = s.code("initialize", map[string]any{})
	require.Equal(t, int(jrpc2.InvalidRequest), n)
	s.open("/nowhere/x.go", "package x\n\nfunc main() {")
	s.notify("$/unknown", map[string]any{})
	s.end()
}

// An entry point that cannot be checked does not keep those that follow from it.
func TestOneOfSeveral(t *testing.T) {
	t.Parallel()
	dir := module(t, goodFile)
	const reflected = "package p\n\nimport (\n\t\"reflect\"\n\t\"testing\"\n)\n\nfunc TestReflected(t *testing.T) {\n\tch := make(chan int, 1)\n\treflect.ValueOf(ch).Interface().(chan int) <- 1\n}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a_test.go"), []byte(reflected), 0o644))
	o := options("")
	o.Settings = with(vtrace.Strict())
	s := start(t, o, all, `{}`)
	var results []map[string]any
	s.call("workspace/executeCommand", execute("vtrace.check", filepath.Join(dir, "p_test.go"), ""), &results)
	require.Len(t, results, 2)
	require.Equal(t, "TestReflected", results[0]["entry"])
	require.Contains(t, results[0]["error"], "a_test.go:10:")
	require.Equal(t, map[string]any{"entry": "TestTwice", "summary": "TestTwice was checked", "findings": 0.0, "real": 0.0}, results[1])
	s.until(func() bool { return contains(s.messages, "TestReflected was not checked: ") })
	s.end()
}

// The results of earlier checks are there when a file is opened, without the go command: nothing
// is run for that. Each module of a workspace has its own.
func TestKept(t *testing.T) {
	results := t.TempDir()
	one, two := module(t, badFile), module(t, badFile)
	ctx := context.Background()
	_, err := vtrace.Check(ctx, vtrace.Dir(one, vtrace.Entry("TestTwice")), vtrace.Results(results, 0))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(two, "p.go"), []byte(strings.Replace(badFile, "func other() {}", "func other() { println() }", 1)), 0o644))

	path := os.Getenv("PATH")
	t.Setenv("PATH", t.TempDir())
	s := start(t, options(results), all, `{}`)
	s.open(filepath.Join(one, "p_test.go"), testFile)
	found := s.diagnosed(filepath.Join(one, "p.go"), func(d []diagnostic) bool { return len(d) == 1 })[0]
	require.Equal(t, 1, found.Severity)
	titles, _ := s.lenses(filepath.Join(one, "p_test.go"))
	require.Equal(t, []string{"check all tests of the package", "check this test", "replay", "show: TestTwice was checked", "check this benchmark"}, titles)
	// The other module has the same code there, but not all of it.
	s.open(filepath.Join(two, "p_test.go"), testFile)
	other := s.diagnosed(filepath.Join(two, "p.go"), func(d []diagnostic) bool { return len(d) == 1 })[0]
	require.Contains(t, other.Message, "other code of the program has changed since the check")

	// What others check meanwhile is there when a file is saved.
	t.Setenv("PATH", path)
	_, err = vtrace.Check(ctx, vtrace.Dir(two, vtrace.Entry("TestTwice")), vtrace.Results(results, 0))
	require.NoError(t, err)
	t.Setenv("PATH", t.TempDir())
	s.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": uri(filepath.Join(two, "p_test.go"))}})
	s.diagnosed(filepath.Join(two, "p.go"), func(d []diagnostic) bool { return len(d) == 1 && d[0].Message == found.Message })

	s.notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": []any{}, "removed": []any{map[string]any{"uri": uri(two), "name": "two"}}}})
	s.diagnosed(filepath.Join(two, "p.go"), func(d []diagnostic) bool { return len(d) == 0 })
	_, message := s.code("workspace/executeCommand", execute("vtrace.check", filepath.Join(one, "p_test.go"), "TestTwice"))
	require.Contains(t, message, "the go command is needed")
	s.end()
}

// A check takes its result from an earlier one of the same, and says so.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	dir := module(t, goodFile)
	s := start(t, options(t.TempDir()), all, `{}`)
	test := filepath.Join(dir, "p_test.go")
	s.open(test, testFile)
	for _, unchanged := range []any{nil, true} {
		var results []map[string]any
		s.call("workspace/executeCommand", execute("vtrace.check", test, "TestTwice"), &results)
		require.Equal(t, unchanged, results[0]["unchanged"])
	}
	// A benchmark is called by a test that is added: the files of the user count, not those.
	var results []map[string]any
	s.call("workspace/executeCommand", execute("vtrace.check", test, "BenchmarkOther"), &results)
	require.Equal(t, "BenchmarkOther", results[0]["entry"])
	s.end()
}

// endless has far too many states and schedules.
const endless = `package p

import (
	"sync"
	"testing"
)

func TestEndless(t *testing.T) {
	var mu [6]sync.Mutex
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range 6 {
				mu[(i+j)%6].Lock()
				mu[(i+j)%6].Unlock()
			}
		}()
	}
	wg.Wait()
}
`

// A check ends when the client says so, by its request or by its progress, with all processes that it
// has started; until then, and while others wait for it, requests are answered.
func TestCancel(t *testing.T) {
	dir := module(t, goodFile)
	test := filepath.Join(dir, "endless_test.go")
	s := start(t, options(""), all, `{}`)
	s.open(test, endless)
	check := func(ctx context.Context, token string) chan error {
		p := execute("vtrace.check", test, "TestEndless")
		if token != "" {
			p["workDoneToken"] = token
		}
		done := make(chan error, 1)
		go func() {
			_, err := s.client.Call(ctx, "workspace/executeCommand", p)
			done <- err
		}()
		return done
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	first := check(ctx, "first")
	s.until(func() bool { return contains(s.progress, "search") })
	second := check(context.Background(), "second")
	s.until(func() bool { return contains(s.progress, "waits for what was asked for before") })
	titles, _ := s.lenses(test)
	require.Equal(t, []string{"check all tests of the package", "check this test"}, titles)

	// The one that waits, then the one that runs.
	s.notify("window/workDoneProgress/cancel", map[string]any{"token": "second"})
	requireCancelled(t, <-second)
	s.notify("window/workDoneProgress/cancel", map[string]any{"token": "nobody's"})
	s.notify("window/workDoneProgress/cancel", map[string]any{"token": "first"})
	requireCancelled(t, <-first)
	require.Empty(t, children(t), "no process is left")

	// The request itself, while the program runs.
	s.forget()
	third := check(ctx, "third")
	s.until(func() bool { return contains(s.progress, "search") && len(children(t)) > 0 })
	cancel()
	require.ErrorIs(t, <-third, context.Canceled)
	s.until(func() bool { return contains(s.progress, "end cancelled") })
	require.Empty(t, children(t))
	// A session that ends takes what goes on with it.
	s.forget()
	fourth := check(context.Background(), "fourth")
	s.until(func() bool { return contains(s.progress, "search") })
	s.end()
	require.Error(t, <-fourth)
	require.Empty(t, children(t))
}

// forget forgets the progress so far.
func (s *session) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress = nil
}

func contains(all []string, part string) bool {
	for _, s := range all {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

func requireCancelled(t *testing.T, err error) {
	t.Helper()
	var e *jrpc2.Error
	require.True(t, errors.As(err, &e), "%v", err)
	require.Equal(t, -32800, int(e.Code))
}
