package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/earlier"
	"github.com/vtrace/vtrace/internal/kept"
)

// Options are those of a server.
type Options struct {
	// Version is that of vtrace.
	Version string
	// Settings are those for the package in a directory, as they are now: each check and replay asks
	// for them, one at a time. Nil: none.
	Settings func(dir string) (Settings, error)
	// Results are where the results of checks are kept; without a directory there are none.
	Results kept.Results
	// Headline sums a bundle up in some words.
	Headline func(*artifact.Bundle) string
	// Page writes the page of a bundle, and returns the absolute name of its file.
	Page func(*artifact.Bundle) (string, error)
}

// Settings are those of checks and replays.
type Settings struct {
	// Flags are the build flags, Deps what else is checked, as of vtrace.Deps, and Check the other
	// options, but for that of progress.
	Flags, Deps []string
	Check       []vtrace.Option
	// Of are more options for an entry point; nil: none.
	Of func(vtrace.EntryPoint) []vtrace.Option
	// Skips is why an entry point is left out where all of a package are checked, "" if it is not; nil:
	// none is.
	Skips func(vtrace.EntryPoint) string
}

// The commands that a client can ask for.
const (
	commandCheck  = "vtrace.check"
	commandReplay = "vtrace.replay"
	commandShow   = "vtrace.show"
)

// maxWaiting bounds the commands that wait for others to end.
const maxWaiting = 64

// maxRequests is how many requests are handled at once: more than there can be commands, so
// that these never keep others from being answered.
const maxRequests = 4 * maxWaiting

// EndError says that the session has not ended as the protocol wants it: Exit reports whether
// the client has sent an exit notification, though no shutdown request before.
type EndError struct{ Exit bool }

func (e *EndError) Error() string {
	if e.Exit {
		return "the client has sent exit without shutdown"
	}
	return "the input has ended without shutdown and exit"
}

// server is one session with a client.
type server struct {
	opts Options
	conn *jrpc2.Server
	ctx  context.Context // ends with the session
	work sync.WaitGroup  // what goes on in the background
	// checking is held by the one command that builds and runs programs.
	checking chan struct{}
	// republish asks for diagnostics to be made anew, lookup for the results of a directory.
	republish chan struct{}
	lookup    chan string

	mu       sync.Mutex
	ready    bool // initialized
	shutdown bool
	exited   bool
	client   initializeParams
	utf8     bool // what the client counts columns in, which does not change
	trusted  bool
	docs     map[string]*document          // by absolute name
	results  map[entryKey]*result          // of checks
	failures map[string]*failure           // by directory
	looked   map[string]string             // what was found for directories that were looked up
	running  map[string]context.CancelFunc // by the JSON of their progress tokens
	waiting  int
	tokens   int

	sent map[string]string // the diagnostics that the client has, as JSON, by URI: of publish alone
}

// Serve speaks with a client until it ends the session, the input ends or ctx does, and then
// ends what is going on, child processes included. The error is a *FramingError, an *EndError
// or one of the streams.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opts Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{
		opts: opts, ctx: ctx, checking: make(chan struct{}, 1), republish: make(chan struct{}, 1), lookup: make(chan string, 256),
		trusted: true, docs: map[string]*document{}, results: map[entryKey]*result{}, failures: map[string]*failure{}, looked: map[string]string{},
		running: map[string]context.CancelFunc{}, sent: map[string]string{},
	}
	s.conn = jrpc2.NewServer(s, &jrpc2.ServerOptions{
		AllowPush: true, DisableBuiltin: true, Concurrency: maxRequests,
		NewContext: func() context.Context { return ctx },
	})
	s.work.Go(s.publisher)
	s.work.Go(s.lookups)
	stop := context.AfterFunc(ctx, s.conn.Stop)
	defer stop()
	status := s.conn.Start(newStream(in, out)).WaitStatus()
	cancel()
	s.work.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case status.Err != nil:
		return status.Err
	case s.exited && s.shutdown:
		return nil
	default:
		return &EndError{s.exited}
	}
}

// Assign finds the handler of a method.
func (s *server) Assign(_ context.Context, method string) jrpc2.Handler {
	h, ok := handlers[method]
	if !ok {
		if strings.HasPrefix(method, "$/") { // those may be ignored
			return func(_ context.Context, r *jrpc2.Request) (any, error) {
				if r.IsNotification() {
					return nil, nil
				}
				return nil, jrpc2.Errorf(jrpc2.MethodNotFound, "no method %q", method)
			}
		}
		return nil
	}
	return func(ctx context.Context, r *jrpc2.Request) (any, error) {
		s.mu.Lock()
		ready, over := s.ready, s.shutdown
		s.mu.Unlock()
		switch {
		case method == "exit":
		case over:
			return nil, jrpc2.Errorf(jrpc2.InvalidRequest, "the server was shut down")
		case !ready && method != "initialize":
			return nil, jrpc2.Errorf(codeNotInitialized, "the server is not initialized")
		}
		return h(s, ctx, r)
	}
}

// handlers are those of the methods that the server knows.
var handlers = map[string]func(*server, context.Context, *jrpc2.Request) (any, error){
	"initialize":                          (*server).initialize,
	"initialized":                         (*server).initialized,
	"shutdown":                            (*server).shutDown,
	"exit":                                (*server).exit,
	"$/cancelRequest":                     (*server).cancelRequest,
	"window/workDoneProgress/cancel":      (*server).cancelProgress,
	"textDocument/didOpen":                (*server).didOpen,
	"textDocument/didChange":              (*server).didChange,
	"textDocument/didSave":                (*server).didSave,
	"textDocument/didClose":               (*server).didClose,
	"textDocument/codeLens":               (*server).codeLens,
	"workspace/executeCommand":            (*server).executeCommand,
	"workspace/didChangeWatchedFiles":     (*server).filesChanged,
	"workspace/didChangeWorkspaceFolders": (*server).foldersChanged,
	"workspace/didChangeConfiguration":    (*server).ignore,
	"textDocument/willSave":               (*server).ignore,
}

// params decodes the parameters of a request.
func params(r *jrpc2.Request, v any) error {
	if err := json.Unmarshal([]byte(r.ParamString()), v); err != nil {
		return jrpc2.Errorf(jrpc2.InvalidParams, "%s: %v", r.Method(), err)
	}
	return nil
}

func (s *server) ignore(context.Context, *jrpc2.Request) (any, error) { return nil, nil }

func (s *server) initialize(_ context.Context, r *jrpc2.Request) (any, error) {
	var p initializeParams
	if err := params(r, &p); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready {
		return nil, jrpc2.Errorf(jrpc2.InvalidRequest, "the server is initialized already")
	}
	s.ready, s.client = true, p
	s.utf8 = slices.Contains(p.Capabilities.General.PositionEncodings, encodingUTF8)
	s.trusted = p.InitializationOptions.Trusted == nil || *p.InitializationOptions.Trusted
	out := initializeResult{ServerInfo: serverInfo{"vtrace", s.opts.Version}}
	c := &out.Capabilities
	c.PositionEncoding = encodingUTF16
	if s.utf8 {
		c.PositionEncoding = encodingUTF8
	}
	c.TextDocumentSync = textDocumentSyncOptions{OpenClose: true, Change: syncFull, Save: true}
	c.ExecuteCommandProvider = executeCommandOptions{[]string{commandCheck, commandReplay, commandShow}, true}
	c.Workspace.WorkspaceFolders.Supported, c.Workspace.WorkspaceFolders.ChangeNotifications = true, true
	return out, nil
}

// initialized asks to be told of files that others change.
func (s *server) initialized(context.Context, *jrpc2.Request) (any, error) {
	s.mu.Lock()
	can := s.client.Capabilities.Workspace.DidChangeWatchedFiles.DynamicRegistration
	s.mu.Unlock()
	if can {
		s.call("client/registerCapability", registrationParams{[]registration{{
			"files", "workspace/didChangeWatchedFiles", watcherOptions{[]fileSystemWatcher{{"**/*.go"}, {"**/go.mod"}}},
		}}})
	}
	return nil, nil
}

// call sends a request of which the answer does not matter, and does not wait for that.
func (s *server) call(method string, params any) {
	s.work.Go(func() { _, _ = s.conn.Callback(s.ctx, method, params) })
}

func (s *server) shutDown(context.Context, *jrpc2.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shutdown = true
	for _, cancel := range s.running {
		cancel()
	}
	return nil, nil
}

func (s *server) exit(context.Context, *jrpc2.Request) (any, error) {
	s.mu.Lock()
	s.exited = true
	s.mu.Unlock()
	s.conn.Stop()
	return nil, nil
}

func (s *server) cancelRequest(_ context.Context, r *jrpc2.Request) (any, error) {
	var p cancelParams
	if err := params(r, &p); err != nil {
		return nil, err
	}
	s.conn.CancelRequest(string(p.ID))
	return nil, nil
}

func (s *server) cancelProgress(_ context.Context, r *jrpc2.Request) (any, error) {
	var p progressTokenParams
	if err := params(r, &p); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.running[string(p.Token)]; cancel != nil {
		cancel()
	}
	return nil, nil
}

func (s *server) didOpen(_ context.Context, r *jrpc2.Request) (any, error) {
	var p didOpenParams
	if err := params(r, &p); err != nil {
		return nil, err
	}
	path, ok := pathOf(p.TextDocument.URI)
	if !ok {
		return nil, nil // of another scheme: no file
	}
	s.mu.Lock()
	s.docs[path] = &document{p.TextDocument.URI, []byte(p.TextDocument.Text)}
	s.mu.Unlock()
	s.look(path)
	s.changed()
	return nil, nil
}

// look has the results of earlier checks looked up for the directory of a file: others may have
// checked it in the meantime.
func (s *server) look(path string) {
	if filepath.Ext(path) != ".go" || s.opts.Results.Dir == "" {
		return
	}
	select {
	case s.lookup <- filepath.Dir(path):
	default: // very many at once: with the next document of the directory
	}
}

func (s *server) didChange(_ context.Context, r *jrpc2.Request) (any, error) {
	var p didChangeParams
	if err := params(r, &p); err != nil {
		return nil, err
	}
	path, ok := pathOf(p.TextDocument.URI)
	if !ok || len(p.ContentChanges) == 0 {
		return nil, nil
	}
	last := p.ContentChanges[len(p.ContentChanges)-1]
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.docs[path]
	if d == nil || len(last.Range) > 0 && string(last.Range) != "null" {
		return nil, nil // it is not open, or a part was sent, which the server has not asked for
	}
	s.docs[path] = &document{d.uri, []byte(last.Text)}
	s.changed()
	return nil, nil
}

func (s *server) didSave(_ context.Context, r *jrpc2.Request) (any, error) {
	var p textDocumentParams
	if err := params(r, &p); err != nil {
		return nil, err
	}
	if path, ok := pathOf(p.TextDocument.URI); ok {
		s.look(path)
	}
	s.changed()
	return nil, nil
}

func (s *server) filesChanged(context.Context, *jrpc2.Request) (any, error) {
	s.changed()
	return nil, nil
}

func (s *server) didClose(_ context.Context, r *jrpc2.Request) (any, error) {
	var p textDocumentParams
	if err := params(r, &p); err != nil {
		return nil, err
	}
	if path, ok := pathOf(p.TextDocument.URI); ok {
		s.mu.Lock()
		delete(s.docs, path)
		s.mu.Unlock()
		s.changed()
	}
	return nil, nil
}

// foldersChanged forgets the results of folders that are no longer of the workspace.
func (s *server) foldersChanged(_ context.Context, r *jrpc2.Request) (any, error) {
	var p didChangeWorkspaceFoldersParams
	if err := params(r, &p); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range p.Event.Removed {
		folder, ok := pathOf(f.URI)
		if !ok {
			continue
		}
		inside := func(dir string) bool {
			rel, err := filepath.Rel(folder, dir)
			return err == nil && filepath.IsLocal(rel)
		}
		maps.DeleteFunc(s.results, func(k entryKey, _ *result) bool { return inside(k.dir) })
		maps.DeleteFunc(s.failures, func(dir string, _ *failure) bool { return inside(dir) })
		maps.DeleteFunc(s.looked, func(dir, _ string) bool { return inside(dir) })
	}
	s.changed()
	return nil, nil
}

func (s *server) codeLens(_ context.Context, r *jrpc2.Request) (any, error) {
	var p textDocumentParams
	if err := params(r, &p); err != nil {
		return nil, err
	}
	path, ok := pathOf(p.TextDocument.URI)
	if !ok {
		return []codeLens{}, nil
	}
	return s.lenses(path), nil
}

// notify sends a notification. That the client is gone shows elsewhere.
func (s *server) notify(method string, params any) {
	_ = s.conn.Notify(s.ctx, method, params)
}

func (s *server) show(kind int, format string, args ...any) {
	s.notify("window/showMessage", messageParams{kind, fmt.Sprintf(format, args...)})
}

// lookups finds the results of earlier checks for directories of which a document was opened.
func (s *server) lookups() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case dir := <-s.lookup:
			s.lookUp(dir)
		}
	}
}

func (s *server) lookUp(dir string) {
	path, ok := earlier.ImportPath(dir)
	if !ok {
		return
	}
	candidates, err := earlier.Candidates(s.opts.Results, func(e artifact.Entry) bool {
		// What is added to a package to check a fuzz test, say, is not there any more.
		return e.Package == path && !strings.HasPrefix(e.Func, "Test_")
	})
	if err != nil {
		s.notify("window/logMessage", messageParams{messageLog, "the results of earlier checks cannot be read: " + err.Error()})
		return
	}
	key := fmt.Sprint(candidates)
	s.mu.Lock()
	known := s.looked[dir] == key
	s.looked[dir] = key
	s.mu.Unlock()
	if known || len(candidates) == 0 {
		return
	}
	read := s.reader()
	for _, c := range candidates {
		r, ok := c.Best(dir, read)
		if !ok {
			continue
		}
		key, known := entryKey{dir, c.Entry.Func}, newResult(r, false)
		s.mu.Lock()
		// What was checked in this session is what the user has asked for.
		if old := s.results[key]; old == nil || !old.session {
			s.results[key] = known
		}
		s.mu.Unlock()
	}
	s.changed()
	s.refreshLenses()
}

func (s *server) refreshLenses() {
	s.mu.Lock()
	can := s.client.Capabilities.Workspace.CodeLens.RefreshSupport
	s.mu.Unlock()
	if can {
		s.call("workspace/codeLens/refresh", nil)
	}
}

// cancelled is the error of a command that its client, or the end of the session, has ended.
func cancelled(err error) error {
	if errors.Is(err, context.Canceled) {
		return jrpc2.Errorf(codeCancelled, "cancelled")
	}
	return err
}

// quiet is how long nothing has to change before diagnostics are made anew, so that they are
// not while somebody types.
const quiet = 100 * time.Millisecond
