package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vtrace/vtrace/orchestrate"

	"github.com/creachadair/jrpc2"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/earlier"
	"github.com/vtrace/vtrace/pass"
)

// checked is the answer to a check, for each entry point.
type checked struct {
	Entry   string `json:"entry"`
	Summary string `json:"summary"`
	// Unchanged: the result is that of an earlier check.
	Unchanged bool `json:"unchanged,omitempty"`
	Findings  int  `json:"findings"`
	Real      int  `json:"real"`
	// LeftOut is why it was not to be checked with the others of its package.
	LeftOut string `json:"leftOut,omitempty"`
	// Error is why there is no result, where others of the package have theirs.
	Error string `json:"error,omitempty"`
}

// replayed is the answer to a replay.
type replayed struct {
	Status string `json:"status"`
	Reason string `json:"reason"`
	Log    string `json:"log"`
	Stdout string `json:"stdout,omitempty"`
	Stderr string `json:"stderr,omitempty"`
}

// shown is the answer to a command that shows a bundle.
type shown struct {
	Page string `json:"page"` // the name of its file
}

// task is a command that somebody waits for.
type task struct {
	commandArgument
	s        *server
	dir      string // of the package
	settings Settings
	progress *progress
	summary  string // what has come of it, if that can be said in some words
}

func (s *server) executeCommand(ctx context.Context, r *jrpc2.Request) (any, error) {
	var p executeCommandParams
	if err := params(r, &p); err != nil {
		return nil, err
	}
	t := &task{s: s}
	if len(p.Arguments) != 1 || json.Unmarshal(p.Arguments[0], &t.commandArgument) != nil {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, `%s: the one argument is {"uri": URI, "entry": FUNCTION}`, p.Command)
	}
	path, ok := pathOf(t.URI)
	if !ok {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s: %q is not the URI of a file", p.Command, t.URI)
	}
	if t.Entry != "" && !token.IsIdentifier(t.Entry) {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s: %q is not the name of a function", p.Command, t.Entry)
	}
	t.dir = filepath.Dir(path)
	switch p.Command {
	case commandShow:
		return t.show()
	case commandCheck:
		what := t.Entry
		if what == "" {
			what = filepath.Base(t.dir)
		}
		return t.run(ctx, p.WorkDoneToken, "vtrace: check "+what, t.check)
	case commandReplay:
		return t.run(ctx, p.WorkDoneToken, "vtrace: replay "+t.Entry, t.replay)
	}
	return nil, jrpc2.Errorf(jrpc2.InvalidParams, "no command %q: the commands are %s, %s and %s", p.Command, commandCheck, commandReplay, commandShow)
}

// run does what builds and runs a program, when all that was asked for before is done. The client ends it by
// cancelling the request or the progress.
func (t *task) run(ctx context.Context, token json.RawMessage, title string, do func(context.Context) (any, error)) (any, error) {
	s := t.s
	s.mu.Lock()
	trusted, full := s.trusted, s.waiting >= maxWaiting
	if !full {
		s.waiting++
	}
	s.mu.Unlock()
	if full {
		return nil, jrpc2.Errorf(codeRequestFailed, "%d commands are waiting already", maxWaiting)
	}
	defer func() {
		s.mu.Lock()
		s.waiting--
		s.mu.Unlock()
	}()
	if !trusted {
		return nil, jrpc2.Errorf(codeRequestFailed, "this workspace is not trusted: a check builds the program and runs it with all that you may do")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t.progress = s.begin(ctx, token, title, cancel)
	summary := ""
	defer func() { t.progress.end(summary) }()
	select {
	case s.checking <- struct{}{}:
	default:
		t.progress.report("waits for what was asked for before")
		select {
		case s.checking <- struct{}{}:
		case <-ctx.Done():
			summary = "cancelled"
			return nil, cancelled(ctx.Err())
		}
	}
	defer func() { <-s.checking }()
	out, err := t.with(ctx, do)
	switch {
	case err == nil:
		if summary = "done"; t.summary != "" {
			summary = t.summary
		}
		return out, nil
	case ctx.Err() != nil:
		summary = "cancelled"
		return nil, cancelled(ctx.Err())
	}
	summary = "failed"
	var e *jrpc2.Error
	if !errors.As(err, &e) {
		err = jrpc2.Errorf(codeRequestFailed, "%s", plain(err.Error()))
	}
	return nil, err
}

// with does something with the settings of the package.
func (t *task) with(ctx context.Context, do func(context.Context) (any, error)) (_ any, err error) {
	if t.s.opts.Settings != nil {
		if t.settings, err = t.s.opts.Settings(t.dir); err != nil {
			return nil, err
		}
	}
	return do(ctx)
}

// check checks an entry point, or all tests and main functions of the package.
func (t *task) check(ctx context.Context) (any, error) {
	overlay := t.s.overlay()
	src := []vtrace.SourceOption{vtrace.Entry(t.Entry), vtrace.Flags(t.settings.Flags...), vtrace.Overlay(overlay)}
	if len(t.settings.Deps) > 0 {
		src = append(src, vtrace.Deps(t.settings.Deps...))
	}
	source := vtrace.Dir(t.dir, src...)
	if t.Entry != "" {
		pkg, _ := earlier.ImportPath(t.dir)
		c, err := t.one(vtrace.EntryPoint{Package: pkg, Func: t.Entry}, overlay, func(opts ...vtrace.Option) (*vtrace.Bundle, error) {
			return vtrace.Check(ctx, source, opts...)
		})
		if err != nil {
			return nil, t.failed(overlay, err)
		}
		t.summary = c.Summary
		t.s.show(messageType(c), "%s: %s", c.Entry, c.Summary)
		return []checked{*c}, nil
	}
	t.progress.report("load")
	set, err := vtrace.Load(ctx, source)
	if err != nil {
		return nil, t.failed(overlay, err)
	}
	defer func() { _ = set.Close() }() // what is left the next process removes
	out := []checked{}
	kind := messageInfo
	var texts []string
	left := 0
	for i, e := range set.Entries() {
		t.progress.prefix = fmt.Sprintf("%d of %d, %s: ", i+1, len(set.Entries()), e.Func)
		if t.settings.Skips != nil {
			if why := t.settings.Skips(e); why != "" {
				out = append(out, checked{Entry: e.Func, LeftOut: plain(why)})
				left++
				continue
			}
		}
		c, err := t.one(e, overlay, func(opts ...vtrace.Option) (*vtrace.Bundle, error) {
			return set.Check(ctx, e, opts...)
		})
		if err != nil {
			if endsAll(ctx, err) {
				return nil, t.failed(overlay, err)
			}
			why := plain(err.Error())
			out = append(out, checked{Entry: e.Func, Error: why})
			kind = messageError
			texts = append(texts, e.Func+" was not checked: "+why)
			continue
		}
		out = append(out, *c)
		kind = min(kind, messageType(c))
		if c.Findings > 0 {
			texts = append(texts, c.Entry+": "+c.Summary)
		}
	}
	if len(texts) == 0 {
		texts = []string{fmt.Sprintf("nothing found in %d entry points", len(out)-left)}
	}
	if left > 0 {
		texts = append(texts, fmt.Sprintf("%d left out, as the settings say", left))
	}
	t.s.show(kind, "%s", strings.Join(texts, "\n"))
	return out, nil
}

// endsAll reports whether an error about one entry point would be the same for those that follow: the
// check was ended, the program does not build, or the sandbox that was asked for is not there.
func endsAll(ctx context.Context, err error) bool {
	var sandbox *orchestrate.SandboxError
	return ctx.Err() != nil || len(vtrace.ProgramErrors(err)) > 0 || errors.As(err, &sandbox)
}

func messageType(c *checked) int {
	if c.Findings > 0 {
		return messageWarning // an error is why there is no result
	}
	return messageInfo
}

// one checks an entry point, and keeps the result.
func (t *task) one(e vtrace.EntryPoint, overlay map[string][]byte, check func(...vtrace.Option) (*vtrace.Bundle, error)) (*checked, error) {
	entry := e.Func
	out := &checked{Entry: entry}
	opts := slices.Clone(t.settings.Check)
	if t.settings.Of != nil {
		opts = append(opts, t.settings.Of(e)...)
	}
	opts = append(opts, vtrace.Progress(func(e pass.Event) {
		if _, ok := e.(pass.Unchanged); ok {
			out.Unchanged = true
		}
		t.event(e)
	}))
	b, err := check(opts...)
	if err != nil {
		return nil, err
	}
	r := newResult(earlier.Result{Bundle: b}, true)
	m := b.Manifest()
	r.Root, _ = earlier.Root(m, t.dir)
	if m.Entry.Func != entry { // a test was added that calls it
		r.Was = t.filesOf(m, r.Root, overlay)
	}
	t.s.keep(t.dir, entry, r)
	c := vtrace.Conclude(b)
	out.Summary, out.Findings, out.Real = t.s.opts.Headline(b), len(b.Findings())-c.False, c.Real
	return out, nil
}

// filesOf are the files of a bundle's program as they were when the check began.
func (t *task) filesOf(m artifact.Manifest, root string, overlay map[string][]byte) map[string][]byte {
	out := map[string][]byte{}
	for _, f := range m.Files {
		rel, ok := strings.CutPrefix(f.Path, artifact.SourceDir+"/")
		if !ok {
			continue
		}
		name := filepath.Join(root, filepath.FromSlash(rel))
		data, unsaved := overlay[name]
		var err error
		if !unsaved {
			data, err = earlier.Read(name)
		}
		if err == nil {
			out[rel] = data
		}
	}
	return out
}

// failed takes up why there is no result. Errors in the program become diagnostics.
func (t *task) failed(overlay map[string][]byte, err error) error {
	errs := vtrace.ProgramErrors(err)
	if len(errs) == 0 {
		return err
	}
	texts := textsOf(errs, func(name string) ([]byte, error) {
		if text, ok := overlay[name]; ok {
			return text, nil
		}
		return earlier.Read(name)
	})
	t.s.mu.Lock()
	t.s.failures[t.dir] = &failure{errs, texts}
	t.s.mu.Unlock()
	t.s.changed()
	first := errs[0].Message
	if f := errs[0].File; f != "" {
		first = fmt.Sprintf("%s:%d: %s", filepath.Base(f), errs[0].Line, first)
	}
	more := ""
	if n := len(errs) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return jrpc2.Errorf(codeRequestFailed, "the program does not build: %s%s", plain(first), more)
}

// replay runs the test of a finding again.
func (t *task) replay(ctx context.Context) (any, error) {
	r := t.s.resultOf(t.dir, t.Entry)
	if r == nil {
		return nil, jrpc2.Errorf(codeRequestFailed, "%s was not checked yet", t.Entry)
	}
	f := firstReal(r.Bundle)
	if t.Finding != 0 {
		f = nil
		for _, o := range r.Bundle.Findings() {
			if o.Number == t.Finding && o.Test != "" {
				f = &o
			}
		}
	}
	if f == nil {
		return nil, jrpc2.Errorf(codeRequestFailed, "%s has no finding that can be replayed", t.Entry)
	}
	opts := append(slices.Clone(t.settings.Check), vtrace.BuildFlags(t.settings.Flags...), vtrace.Root(r.Root), vtrace.Progress(t.event), vtrace.AsMade())
	v, err := vtrace.Replay(ctx, r.Bundle, f.Test, opts...)
	if err != nil {
		return nil, err
	}
	out := replayed{v.Status, plain(strings.TrimPrefix(v.Reason, v.Status+": ")), plain(v.Log), plain(v.Stdout), plain(v.Stderr)}
	t.summary = out.Status
	t.s.notify("window/logMessage", messageParams{messageLog, out.Log})
	as := ""
	if !r.Compare(t.s.reader()).Same() {
		as = ", as the program was when it was checked"
	}
	t.s.show(messageInfo, "%s: %s: %s%s", t.Entry, out.Status, out.Reason, as)
	return out, nil
}

// show has the client open the page of a result.
func (t *task) show() (any, error) {
	r := t.s.resultOf(t.dir, t.Entry)
	if r == nil {
		return nil, jrpc2.Errorf(codeRequestFailed, "%s was not checked yet", t.Entry)
	}
	page, err := t.s.opts.Page(r.Bundle)
	if err != nil {
		return nil, jrpc2.Errorf(codeRequestFailed, "the page cannot be written: %s", plain(err.Error()))
	}
	if t.s.client.Capabilities.Window.ShowDocument.Support {
		t.s.call("window/showDocument", showDocumentParams{uriOf(page), true})
	} else {
		t.s.show(messageInfo, "page: %s", page)
	}
	return shown{page}, nil
}

// event tells how a check or a replay goes on.
func (t *task) event(e pass.Event) {
	switch e := e.(type) {
	case pass.StageStarted:
		text := e.Pass + " pass: " + e.Stage
		if e.Stage == pass.LibrariesStage {
			text = "compiling what the program imports, for its instrumented form: long only once on this machine"
		}
		t.progress.report(text)
	case pass.SearchProgress:
		t.progress.often("%s pass: search: %d states", e.Pass, e.Stats.States)
	case pass.Replayed:
		t.progress.often("deep pass: query %d, replay %d: %s", e.Query, e.Attempt, e.Outcome)
	case pass.Unsandboxed:
		t.s.show(messageWarning, "no sandbox, or not all of one: %s", e.Reason)
	case pass.ResultsUnusable:
		t.s.notify("window/logMessage", messageParams{messageLog, "the result is not kept, or not taken from an earlier check: " + e.Err.Error()})
	}
}

// progress tells the client how a command goes on; without a token it does not.
type progress struct {
	s      *server
	token  json.RawMessage
	prefix string // of the messages that follow

	mu   sync.Mutex
	last time.Time
	over bool
}

// createTimeout is how long a client may take to make a token: what was asked for is done in any case.
const createTimeout = 5 * time.Second

// begin begins to report, by the token of the client, or by one of the server's if the client
// has such. Cancel is called when the user wants it to end.
func (s *server) begin(ctx context.Context, token json.RawMessage, title string, cancel context.CancelFunc) *progress {
	p := &progress{s: s, token: token}
	if len(token) == 0 || string(token) == "null" {
		if p.token = nil; !s.client.Capabilities.Window.WorkDoneProgress {
			return p
		}
		s.mu.Lock()
		s.tokens++
		mine, _ := json.Marshal(fmt.Sprintf("vtrace-%d", s.tokens))
		s.mu.Unlock()
		ctx, stop := context.WithTimeout(ctx, createTimeout)
		defer stop()
		if _, err := s.conn.Callback(ctx, "window/workDoneProgress/create", progressTokenParams{mine}); err != nil {
			return p
		}
		p.token = mine
	}
	s.mu.Lock()
	s.running[string(p.token)] = cancel
	s.mu.Unlock()
	p.send(workDone{Kind: "begin", Title: title, Cancellable: true})
	return p
}

func (p *progress) send(v workDone) {
	if p.token != nil {
		p.s.notify("$/progress", progressParams{p.token, v})
	}
}

func (p *progress) report(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over {
		p.last = time.Now()
		p.send(workDone{Kind: "report", Message: p.prefix + message})
	}
}

// often reports what happens often, some times a second.
func (p *progress) often(format string, args ...any) {
	p.mu.Lock()
	recent := time.Since(p.last) < 250*time.Millisecond
	p.mu.Unlock()
	if !recent {
		p.report(fmt.Sprintf(format, args...))
	}
}

func (p *progress) end(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || p.token == nil {
		return
	}
	p.over = true
	p.s.mu.Lock()
	delete(p.s.running, string(p.token))
	p.s.mu.Unlock()
	p.send(workDone{Kind: "end", Message: message})
}
