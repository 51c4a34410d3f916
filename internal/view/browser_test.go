package view_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/view"
)

// browserRequired is set where the tests of the page must not be skipped.
const browserRequired = "VTRACE_TEST_BROWSER"

// browser is one Chromium for all tests of the package.
var browser struct {
	once   sync.Once
	ctx    context.Context
	cancel []context.CancelFunc
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	for i := len(browser.cancel) - 1; i >= 0; i-- {
		browser.cancel[i]()
	}
	os.Exit(code)
}

// chromium starts the browser, or skips the test where there is none.
func chromium(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		require.Empty(t, os.Getenv(browserRequired), "chromium is not installed (Debian: apt-get install chromium)")
		t.Skip("chromium is not installed: the page is not tested in a browser")
	}
	browser.once.Do(func() {
		// The tests may run as root in a container, where Chromium has no sandbox.
		opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1500, 1000))
		alloc, stop := chromedp.NewExecAllocator(context.Background(), opts...)
		ctx, end := chromedp.NewContext(alloc)
		browser.ctx, browser.cancel = ctx, []context.CancelFunc{stop, end}
		browser.err = chromedp.Do(ctx)
	})
	require.NoError(t, browser.err)
	return browser.ctx
}

// tab is a page of a bundle in the browser.
type tab struct {
	*testing.T
	ctx  context.Context
	file string

	mu       sync.Mutex
	requests []string // of the network
	problems []string // errors of the script, and what the policy has refused
}

// open opens the page of a bundle at a place of it, as "#finding-1".
func open(t *testing.T, b *artifact.Bundle, place string) *tab {
	t.Helper()
	var page bytes.Buffer
	require.NoError(t, view.Write(&page, b))
	return openPage(t, page.Bytes(), place)
}

// openPage opens a page at a place of it.
func openPage(t *testing.T, page []byte, place string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(chromium(t))
	t.Cleanup(cancel)
	p := &tab{T: t, ctx: ctx, file: filepath.Join(t.TempDir(), "page.html")}
	require.NoError(t, os.WriteFile(p.file, page, 0o600))
	require.NoError(t, chromedp.Listen(ctx, func(event any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			p.requests = append(p.requests, e.Request.URL)
		case *runtime.EventExceptionThrown:
			p.problems = append(p.problems, fmt.Sprint(e.ExceptionDetails.Text, " ", e.ExceptionDetails.Exception.Description))
		case *runtime.EventConsoleAPICalled:
			p.problems = append(p.problems, fmt.Sprint("console: ", e.Type))
		case *log.EventEntryAdded:
			p.problems = append(p.problems, e.Entry.Text)
		}
	}))
	give(p, network.Enable, network.EnableParams{})
	give(p, runtime.Enable, cdp.Empty{})
	give(p, log.Enable, cdp.Empty{})
	p.visit(place)
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		require.Empty(t, p.problems)
		for _, r := range p.requests {
			require.True(t, strings.HasPrefix(r, "file://"+p.file) || strings.HasPrefix(r, "blob:"), "the page asks for %s", r)
		}
	})
	return p
}

// visit loads the page.
func (p *tab) visit(place string) {
	p.Helper()
	u := url.URL{Scheme: "file", Path: p.file}
	p.run(chromedp.Navigate("about:blank"), chromedp.Navigate(u.String()+place), chromedp.WaitReady("#position"))
}

func (p *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	require.NoError(p, chromedp.Do(p.ctx, actions...))
}

// give gives a command to the browser.
func give[P, R any](p *tab, command cdp.Command[P, R], params P) {
	p.Helper()
	_, err := chromedp.Call(p.ctx, command, params)
	require.NoError(p, err)
}

// do evaluates a statement of JavaScript.
func (p *tab) do(script string, args ...any) {
	p.Helper()
	p.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(script, args...)))
}

// get evaluates an expression of JavaScript.
func get[T any](p *tab, script string, args ...any) T {
	p.Helper()
	out, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](fmt.Sprintf(script, args...), chromedp.EvalAwaitPromise))
	require.NoError(p, err, script)
	return out
}

// until waits until an expression is true.
func (p *tab) until(script string) {
	p.Helper()
	p.run(chromedp.Poll[chromedp.Void](script))
}

// press presses keys. A letter is one event, whose default can be prevented as that of a keyboard.
func (p *tab) press(keys ...string) {
	p.Helper()
	for _, k := range keys {
		if len(k) > 1 || k[0] <= ' ' || k[0] > '~' {
			p.run(chromedp.KeyEvent(k))
			continue
		}
		give(p, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: k, Text: k})
		give(p, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: k})
	}
}

// text is the text of an element, in one line.
func (p *tab) text(selector string) string {
	p.Helper()
	return get[string](p, `document.querySelector(%s).innerText.replace(/\s+/g, ' ').trim()`, quoted(selector))
}

// texts are the texts of all elements that a selector fits.
func (p *tab) texts(selector string) []string {
	p.Helper()
	return get[[]string](p, `[...document.querySelectorAll(%s)].map((e) => (e.innerText === undefined ? e.firstChild.textContent : e.innerText).replace(/\s+/g, ' ').trim())`, quoted(selector))
}

func quoted(s string) string {
	data, _ := json.Marshal(s)
	return string(data)
}

// position is which step is shown.
func (p *tab) position() string { p.Helper(); return p.text("#position") }

// Forward and back, by keys, buttons and the slider.
func TestPageSteps(t *testing.T) {
	p := open(t, load(t, transfers), "#finding-1/step-0")
	last := get[int](p, `page.trace.steps.length`)
	of := func(n int) string { return fmt.Sprintf("%d / %d", n, last) }
	require.Equal(t, of(0), p.position())
	require.Equal(t, "before the first step", p.text("#now"))
	p.press(kb.ArrowRight)
	require.Equal(t, of(1), p.position())
	require.Contains(t, p.text("#now"), "goroutine 0 does lock at main.go:27 a.mu.Lock()")
	p.press("l", "l", kb.ArrowLeft)
	require.Equal(t, of(2), p.position())
	p.press("h")
	require.Equal(t, of(1), p.position())
	p.press(kb.PageDown)
	require.Equal(t, of(11), p.position())
	p.press(kb.PageUp)
	require.Equal(t, of(1), p.position())
	p.press(kb.End, kb.ArrowRight)
	require.Equal(t, of(last), p.position())
	p.press(kb.Home, kb.ArrowLeft)
	require.Equal(t, of(0), p.position())

	p.run(chromedp.Click("#forward"), chromedp.Click("#forward"), chromedp.Click("#back"))
	require.Equal(t, of(1), p.position())
	p.run(chromedp.Click("#last"))
	require.Equal(t, of(last), p.position())
	p.run(chromedp.Click("#first"))
	require.Equal(t, of(0), p.position())

	p.run(chromedp.Focus("#slider"))
	p.press(kb.ArrowRight, kb.ArrowRight, kb.ArrowRight)
	require.Equal(t, of(3), p.position(), "the slider steps, and the page does not do so again")
	p.do(`byID('slider').value = 7; byID('slider').dispatchEvent(new Event('input'))`)
	require.Equal(t, of(7), p.position())
	p.run(chromedp.Click(`.step[data-step="5"] .box`))
	require.Equal(t, of(5), p.position())
}

// goroutineRow is what the table says of a goroutine.
func (p *tab) goroutineRow(name string) string {
	p.Helper()
	return p.text(fmt.Sprintf(`#goroutines tr[data-goroutine="%s"]`, name))
}

// What is known at a step, as the page shows it.
func TestPageState(t *testing.T) {
	b := load(t, transfers)
	d := decode(t, b)
	p := open(t, b, "#finding-1/step-0")
	goTo := func(step int) { p.do(`goTo(%d)`, step) }

	// The source line of every goroutine.
	require.Equal(t, "0 at main.go:27 a.mu.Lock()", p.goroutineRow("0"))
	require.Len(t, p.texts("#goroutines tr[data-goroutine]"), 1)
	sent := stepOf(t, d, 0, "0", 34, "send")
	goTo(sent)
	require.Equal(t, "0 at main.go:35 go func() { answer <- true }()", p.goroutineRow("0"))
	require.Equal(t, "0.1 at main.go:31 go transfer(&a, &b, amounts, &wg)", p.goroutineRow("0.1"))
	require.Equal(t, "35 go func() { answer <- true }()", p.text("#source .here"))
	require.Contains(t, p.text("#source"), "34 amounts <- 4")

	// Queues of channels with their values.
	require.Equal(t, []string{"7", "4"}, p.texts(`#channels tr[data-object="ch_amounts_25"] .value`))
	require.Contains(t, p.text(`#channels tr[data-object="ch_amounts_25"]`), "2 of 2")
	require.Equal(t, "sent by 0 in step 6", get[string](p, `document.querySelector('#channels .value').title`))
	goTo(stepOf(t, d, 0, "0.1", 13, "receive"))
	require.Equal(t, []string{"4"}, p.texts(`#channels tr[data-object="ch_amounts_25"] .value`))
	require.Contains(t, p.text(`#channels tr[data-object="ch_answer_26"]`), "no buffer")

	// Who holds and who waits for which lock.
	goTo(stepOf(t, d, 0, "0", 27, "lock"))
	require.Regexp(t, `main_a_mu, mutex#\d\) made at main.go:23 \(a\) 0$`, p.text(`#locks tr[data-object="main_a_mu"]`))
	p.press(kb.End)
	require.Regexp(t, `^a.mu, from.mu, to.mu \(main_a_mu, mutex#\d\) made at main.go:23 \(a\) 0.1 0.2$`, p.text(`#locks tr[data-object="main_a_mu"]`))
	require.Regexp(t, `0.2 0.1$`, p.text(`#locks tr[data-object="main_b_mu"]`))

	// Wait groups.
	require.Regexp(t, `^wg \(main_wg, waitgroup#1\) made at main.go:24 \(wg\) 2 0$`, p.text(`#waitgroups tr[data-object="main_wg"]`))
	goTo(2)
	require.Regexp(t, `waitgroup#1\) made at main.go:24 \(wg\) 0$`, p.text(`#waitgroups tr[data-object="main_wg"]`))

	// Variables, and that one has changed.
	require.Equal(t, "main_a_balance 9", p.text(`#variables tr[data-variable="main_a_balance"]`))
	goTo(1)
	require.True(t, get[bool](p, `document.querySelector('#variables tr[data-variable="main_a_balance"]').classList.contains('changed')`))
	goTo(0)
	require.Equal(t, "main_a_balance 0", p.text(`#variables tr[data-variable="main_a_balance"]`))

	// What could be done in place of the next step.
	goTo(sent - 2)
	require.Equal(t, []string{"0.1 start of the goroutine main.go:31", "0.2 start of the goroutine main.go:32"}, p.texts("#alternatives .alternative"))
	goTo(0)
	require.Contains(t, p.text("#alternatives"), "nothing else could be done")
}

// The automaton of a goroutine, with where it is.
func TestPageAutomaton(t *testing.T) {
	b := load(t, transfers)
	d := decode(t, b)
	p := open(t, b, "#finding-1/step-0")
	here := func() []string {
		return get[[]string](p, `[...document.querySelectorAll('#automaton .node.here')].map((e) => e.parentNode.dataset.name)`)
	}
	require.Equal(t, []string{"L_lock_27"}, here())
	for step := range len(d.Traces[0].Steps) + 1 {
		p.do(`goTo(%d); choose(0)`, step)
		require.Equal(t, []string{at(t, d, 0, step).location("0")}, here(), "step %d", step)
	}
	p.run(chromedp.Click(`#goroutines tr[data-goroutine="0.2"] button`))
	require.Equal(t, "Automaton of goroutine 0.2: T_transfer_2", p.text("#automaton-title"))
	require.Equal(t, []string{"L_lock_15"}, here())
	require.Equal(t, len(d.Automata[2].Locations), get[int](p, `document.querySelectorAll('#automaton [data-location]').length`))
	require.Equal(t, len(d.Automata[2].Edges), get[int](p, `document.querySelectorAll('#automaton path.link:not(.tip)').length`))
}

// The wait-for graph has the cycle that is the cause.
func TestPageWaits(t *testing.T) {
	p := open(t, load(t, transfers), "#finding-1")
	require.Equal(t, "Wait-for graph at the end, as the run has shown it", p.text("#waits-title"))
	edges := get[[]string](p, `[...document.querySelectorAll('#waits path[data-from]')].map((e) => e.dataset.from + ' ' + e.dataset.to + ' ' + e.dataset.cycle).sort()`)
	require.Equal(t, []string{"0 waitgroup#1 false", "0.1 mutex#2 true", "0.2 mutex#1 true", "mutex#1 0.1 true", "mutex#2 0.2 true"}, edges)
	p.press(kb.Home)
	require.Equal(t, "nobody waits", p.text("#waits"))
}
