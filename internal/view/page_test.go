package view_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/explain"
	"github.com/vtrace/vtrace/internal/view"
)

// The picture: a lane for each goroutine from left to right, a row for each step from top to
// bottom, and arrows from lane to lane.
func TestPagePicture(t *testing.T) {
	b := load(t, transfers)
	d := decode(t, b)
	p := open(t, b, "#finding-1/step-0")
	p.run(chromedp.EmulateViewport(2000, 1000))
	p.until(`document.querySelectorAll('.lane-head').length === 4`)
	type box struct{ X, Y, Width, Height float64 }
	boxes := func(selector string) map[string]box {
		return get[map[string]box](p, `Object.fromEntries([...document.querySelectorAll(%s)].map((e) => {
			const r = e.getBoundingClientRect(), owner = e.closest('[data-goroutine], [data-step]');
			return [owner.dataset.goroutine || owner.dataset.step, { x: r.x, y: r.y, width: r.width, height: r.height }];
		}))`, quoted(selector))
	}
	heads := boxes(".lane-head .head")
	require.Len(t, heads, 4)
	for i := 1; i < 4; i++ {
		require.Greater(t, heads[fmt.Sprintf("0.%d", i)].X, heads[strings.TrimSuffix(fmt.Sprintf("0.%d", i-1), ".0")].X)
	}
	rows := boxes(".step .box")
	tr := d.Traces[0]
	require.Len(t, rows, len(tr.Steps))
	for i, s := range tr.Steps {
		row := rows[fmt.Sprint(i+1)]
		require.InDelta(t, heads[tr.Goroutines[s.Goroutine].Name].X, row.X, 1, "step %d is in the lane of its goroutine", i+1)
		if i > 0 {
			require.Greater(t, row.Y, rows[fmt.Sprint(i)].Y)
		}
	}
	// Each arrow goes from the row and lane where it begins to those where it ends.
	type arrow struct {
		Kind, From, To string
		X1, Y1, X2, Y2 float64
	}
	arrows := get[[]arrow](p, `[...document.querySelectorAll('.drawn-arrow')].map((g) => {
		const path = g.querySelector('path'), m = path.getScreenCTM();
		const at = (n) => path.getPointAtLength(n).matrixTransform(m);
		const a = at(0), b = at(path.getTotalLength());
		return { kind: g.dataset.kind, from: g.dataset.from, to: g.dataset.to, x1: a.x, y1: a.y, x2: b.x, y2: b.y };
	})`)
	require.Len(t, arrows, len(tr.Arrows))
	within := func(x float64, b box) bool { return x >= b.X-1 && x <= b.X+b.Width+1 }
	for i, a := range arrows {
		want := tr.Arrows[i]
		require.Equal(t, []string{want.Kind, tr.Goroutines[want.From].Name, tr.Goroutines[want.To].Name}, []string{a.Kind, a.From, a.To})
		require.True(t, within(a.X1, heads[a.From]), "%v", a)
		require.True(t, within(a.X2, heads[a.To]), "%v", a)
		require.InDelta(t, rows[fmt.Sprint(want.FromStep)].Y+10, a.Y1, 2)
		require.InDelta(t, rows[fmt.Sprint(want.ToStep)].Y+10, a.Y2, 2)
	}
	require.Equal(t, []string{"7", "mutex#1", "4", "true"}, p.texts(".drawn-arrow text"), "what is said at the arrows, in order")
	require.Equal(t, rows["4"].Y, boxes(".step .box")["4"].Y)
}

// Findings, filters and links.
func TestPageFindings(t *testing.T) {
	p := open(t, load(t, transfers), "")
	require.Len(t, p.texts("#findings button"), 2)
	require.Contains(t, p.texts("#findings button")[0], "1. real deadlock main.go:15", "the place that the cause speaks of, as in other reports")
	require.Equal(t, 15, explain.Place(load(t, transfers).Findings()[0]).Line)
	p.press(kb.End)
	require.Contains(t, p.text("#source"), "goroutine 0.1: main.go:15", "and the goroutine that is stuck there")
	require.Contains(t, p.text("#about"), "all goroutines are asleep, main at wait")
	require.Contains(t, p.text("#about"), "and waits at main.go:15 for to.mu (b of main.go:23)")

	p.run(chromedp.Click(`#findings button[data-finding="2"]`))
	require.Contains(t, p.text("#about"), "panic: more than there was")
	p.until(`location.hash.startsWith('#finding-2/step-')`)
	p.press("p")
	p.until(`location.hash.startsWith('#finding-1/step-')`)
	require.Equal(t, "true", get[string](p, `document.querySelector('#findings button[data-finding="1"]').getAttribute('aria-current')`))
	p.press("n", kb.Home, kb.ArrowRight, kb.ArrowRight)
	p.until(`location.hash === '#finding-2/step-2'`)

	choose := func(id, value string) {
		p.do(`byID(%s).value = %s; byID(%[1]s).dispatchEvent(new Event('change'))`, quoted(id), quoted(value))
	}
	choose("filter-kind", "panic")
	require.Len(t, p.texts("#findings button"), 1)
	require.Equal(t, "1 of 2", p.text("#findings-count"))
	choose("filter-kind", "")
	p.run(chromedp.SendKeys("#filter-text", "asleep"))
	require.Equal(t, []string{"1 of 2"}, p.texts("#findings-count"))
	require.Equal(t, []string{"all", "deadlock", "panic"}, p.texts("#filter-kind option"))
	require.Equal(t, []string{"all", "real"}, p.texts("#filter-verdict option"))
}

// The page says what memory is in the model: there are no pending stores to show.
func TestPageMemory(t *testing.T) {
	p := open(t, load(t, transfers), "#finding-1")
	require.Contains(t, p.text("#memory"), "Memory is sequentially consistent in the model: a store is seen by all goroutines at once, and none is pending.")
	require.Contains(t, p.text("#memory"), "data races, which are findings of their own")
	require.NotEmpty(t, p.texts("#variables tr[data-variable]"))
	var page bytes.Buffer
	require.NoError(t, view.WriteModel(&page, relayed(t, true)))
	p = openPage(t, page.Bytes(), "#finding-1")
	require.Contains(t, p.text("#memory"), "only the model says")
	p = openRecording(t, loadRecording(t, served), "#finding-1")
	require.True(t, get[bool](p, `byID('memory').offsetParent === null`), "a recording has no values")
}

// A step says what its operation has given in the run, and the search finds it; a select says which case was taken,
// or which it waits for at the end.
func TestPageResults(t *testing.T) {
	choice := artifact.Site{Kind: "select", Key: "choice", File: "main.go", Line: 9, Text: "select {", Cases: []string{"v := <-c", "<-done"}}
	p := open(t, pipeline{workers: 2, steps: 12, more: []artifact.Site{choice}, finding: func(f *artifact.Finding) {
		f.Interleaving[6].Result, f.Interleaving[7].Result = "false", "closed"
		taken, waits := &f.Interleaving[8], &f.Interleaving[9]
		taken.Operation, taken.Site, taken.Text, taken.Case, taken.Taken = "select", "", "select {", 1, "v := <-c"
		waits.Operation, waits.Site, waits.Case = "select", "choice", 0
		f.Interleaving[5].Reads = []artifact.FindingRead{{Name: "q.n", Value: "3"}}
		unknown := &f.Interleaving[10]
		unknown.Operation, unknown.Site, unknown.Text, unknown.Case = "select", "", "select {", 2
	}}.bundle(t), "#finding-1/step-7")
	text := func(step int) string {
		p.do(`goTo(%d)`, step)
		return p.text("#now .code")
	}
	require.Contains(t, text(6), "(reads 3", "what the run has read, whether the model keeps it or not")
	require.Contains(t, text(7), "(gives false)")
	require.Contains(t, text(8), "(the channel is closed)")
	require.Equal(t, "[case v := <-c] select {", text(9))
	require.Equal(t, "[waits for case v := <-c, case <-done] select {", text(10))
	require.Equal(t, "[case 3] select {", text(11), "the cases are not known")
	p.run(chromedp.SendKeys("#search", "gives false"))
	require.Equal(t, "1 steps", p.text("#found"))
}

// Links lead to a step of a finding, when the page is opened and when it is open.
func TestPageLinks(t *testing.T) {
	p := open(t, load(t, transfers), "#finding-2/step-7")
	require.Regexp(t, `^7 / `, p.position())
	require.Contains(t, p.text("#about"), "Finding 2")
	p.do(`location.hash = '#finding-1/step-3'`)
	p.until(`byID('position').textContent.startsWith('3 / ')`)
	require.Contains(t, p.text("#about"), "Finding 1")
	p.visit("#finding-2")
	last := get[int](p, `page.trace.steps.length`)
	require.Equal(t, fmt.Sprintf("%d / %d", last, last), p.position(), "without a step it is the last one")
	p.visit("#finding-9/step-1")
	require.Contains(t, p.text("#about"), "Finding 1", "what there is not is as if nothing was said")
	p.visit("#finding-1/step-999")
	require.Equal(t, fmt.Sprintf("%d / %[1]d", get[int](p, `page.trace.steps.length`)), p.position())
}

// Search goes through the steps.
func TestPageSearch(t *testing.T) {
	b := load(t, transfers)
	d := decode(t, b)
	p := open(t, b, "#finding-1/step-0")
	p.press("/")
	p.run(chromedp.KeyEvent("AMOUNTS <-"))
	require.Equal(t, "2 steps", p.text("#found"))
	require.Equal(t, 2, get[int](p, `new Set([...document.querySelectorAll('.row.match')].map((e) => e.getAttribute('y'))).size`))
	p.press(kb.Enter)
	first := stepOf(t, d, 0, "0", 33, "send")
	require.Regexp(t, fmt.Sprintf("^%d / ", first), p.position())
	require.Equal(t, "1 of 2 steps", p.text("#found"))
	p.press(kb.Enter)
	require.Regexp(t, fmt.Sprintf("^%d / ", first+1), p.position())
	p.press(kb.Enter)
	require.Regexp(t, fmt.Sprintf("^%d / ", first), p.position(), "behind the last one is the first one")
	p.run(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(8)))
	require.Regexp(t, fmt.Sprintf("^%d / ", first+1), p.position())
	p.do(`byID('search').value = ''`)
	p.run(chromedp.SendKeys("#search", "main.go:14"))
	require.Equal(t, "2 steps", p.text("#found"))
	p.do(`byID('search').value = ''`)
	p.run(chromedp.SendKeys("#search", "no such thing"))
	require.Equal(t, "0 steps", p.text("#found"))
}

// Lanes and objects are filters of the diagram.
func TestPageFilters(t *testing.T) {
	b := load(t, transfers)
	d := decode(t, b)
	p := open(t, b, "#finding-1")
	p.run(chromedp.EmulateViewport(2000, 1000))
	p.until(`document.querySelectorAll('.lane-head').length === 4`)
	p.run(chromedp.Click(`#goroutines tr[data-goroutine="0.3"] input`))
	require.Equal(t, 3, get[int](p, `document.querySelectorAll('.lane-head').length`))
	require.NotContains(t, p.texts(".lane-head text"), "0.3")
	require.Zero(t, get[int](p, `document.querySelectorAll('.drawn-arrow[data-to="0.3"], .drawn-arrow[data-from="0.3"]').length`))
	p.run(chromedp.Click("#show-lanes"))
	require.Equal(t, 4, get[int](p, `document.querySelectorAll('.lane-head').length`))

	object := slices.IndexFunc(d.Traces[0].Objects, func(o view.Object) bool { return o.Name == "ch_amounts_25" })
	p.run(chromedp.SetValue("#filter-object", fmt.Sprint(object)))
	p.do(`byID('filter-object').dispatchEvent(new Event('change'))`)
	kept := get[[]string](p, `[...document.querySelectorAll('.step:not(.other)')].map((e) => e.dataset.step)`)
	var want []string
	for _, at := range []int{stepOf(t, d, 0, "0", 33, "send"), stepOf(t, d, 0, "0", 34, "send"), stepOf(t, d, 0, "0.1", 13, "receive"), stepOf(t, d, 0, "0.2", 13, "receive")} {
		want = append(want, fmt.Sprint(at))
	}
	require.Equal(t, want, kept)
}

// background is the colour behind everything.
func (p *tab) background() string {
	p.Helper()
	return get[string](p, `getComputedStyle(document.body).backgroundColor`)
}

// Dark and light, as the system has it, and by a key.
func TestPageTheme(t *testing.T) {
	p := open(t, load(t, transfers), "#finding-1")
	prefer := func(scheme string) {
		give(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		p.visit("#finding-1")
	}
	prefer("dark")
	dark := p.background()
	prefer("light")
	light := p.background()
	require.Equal(t, "rgb(255, 255, 255)", light)
	require.NotEqual(t, light, dark)
	p.press("t")
	require.Equal(t, dark, p.background())
	p.run(chromedp.Click("#theme"))
	require.Equal(t, light, p.background())
}

// Everything can be done with the keyboard alone.
func TestPageKeyboard(t *testing.T) {
	p := open(t, load(t, transfers), "#finding-1/step-0")
	focused := func() string { return get[string](p, `document.activeElement.id || document.activeElement.tagName`) }
	p.press("?")
	require.True(t, get[bool](p, `byID('help').open`))
	require.Greater(t, len(p.texts("#keys tr")), 10)
	p.press(kb.ArrowRight)
	require.Regexp(t, "^0 / ", p.position(), "the list of keys is open")
	p.press(kb.Escape)
	require.False(t, get[bool](p, `byID('help').open`))

	p.press("f")
	require.Equal(t, "filter-verdict", focused())
	p.press(kb.Escape)
	require.Equal(t, "BODY", focused())
	p.press("o")
	require.Equal(t, "filter-object", focused())
	p.press(kb.Escape, "/")
	require.Equal(t, "search", focused())
	p.press("x")
	require.Equal(t, "x", get[string](p, `byID('search').value`), "in a field a letter is a letter")
	p.press(kb.Escape)

	p.press(kb.End)
	current := func() int { return get[int](p, `page.goroutine`) }
	last, n := current(), get[int](p, `page.trace.goroutines.length`)
	p.press("j")
	require.Equal(t, (last+1)%n, current())
	require.Contains(t, p.text("#source"), "goroutine "+get[string](p, `laneName(page.trace, page.goroutine)`))
	p.press("k", "k")
	require.Equal(t, (last+n-1)%n, current())
	p.press("x")
	require.Equal(t, 1, get[int](p, `page.hidden.size`))
	p.press("a")
	require.Equal(t, 0, get[int](p, `page.hidden.size`))

	// Whatever can be clicked is reached by tab, and is a button or a field.
	reached := map[string]bool{}
	for range 60 {
		p.press(kb.Tab)
		reached[get[string](p, `document.activeElement.id || document.activeElement.dataset.finding || document.activeElement.tagName`)] = true
	}
	for _, id := range []string{"search", "export", "theme", "help-open", "filter-verdict", "filter-kind", "filter-text", "1", "2", "first", "back", "slider", "forward", "last", "filter-object", "show-lanes", "diagram"} {
		require.True(t, reached[id], "%s is not reached by tab: %v", id, reached)
	}
	p.run(chromedp.Focus(`#findings button[data-finding="2"]`))
	p.press(kb.Enter)
	require.Contains(t, p.text("#about"), "Finding 2")
}

// The diagram is written as an SVG document that stands for itself.
func TestPageExport(t *testing.T) {
	b := load(t, transfers)
	d := decode(t, b)
	p := open(t, b, "#finding-1")
	dir := t.TempDir()
	events, stop := make(chan string, 100), make(chan struct{})
	defer close(stop)
	require.NoError(t, chromedp.ListenBrowser(p.ctx, func(event any) {
		if e, ok := event.(*cdpbrowser.EventDownloadProgress); ok && e.State == cdpbrowser.DownloadProgressStateCompleted {
			select {
			case events <- e.GUID:
			case <-stop:
			}
		}
	}))
	yes := true
	_, err := chromedp.CallBrowser(p.ctx, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{
		Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir, EventsEnabled: &yes,
	})
	require.NoError(t, err)
	p.press("e")
	<-events
	svg, err := os.ReadFile(filepath.Join(dir, "finding-1.svg"))
	require.NoError(t, err)
	require.NotContains(t, string(svg), "var(--", "the colours are in the file")

	counts := map[string]int{}
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if e, ok := token.(xml.StartElement); ok {
			counts[e.Name.Local]++
			for _, a := range e.Attr {
				if a.Name.Local == "class" {
					counts[strings.Fields(a.Value)[0]]++
				}
				require.NotContains(t, []string{"href", "src", "style"}, a.Name.Local, "nothing is asked for")
			}
		}
	}
	require.Equal(t, len(d.Traces[0].Steps), counts["step"])
	require.Equal(t, len(d.Traces[0].Arrows), counts["arrow"])
	require.Equal(t, len(d.Traces[0].Goroutines), counts["lane-head"])
}

// hostile are texts that would do something if they were taken for more than text.
var hostile = []string{
	`</script><script>window.hacked = 1</script>`,
	`<img src=x onerror="window.hacked = 2">`,
	`"><svg onload=window.hacked=3>`,
	`<!--<script>`, `{{script}}{{data}}`, "\u2028window.hacked = 4//", `javascript:window.hacked=5`, `&lt;b&gt;`, `${window.hacked = 6}`,
}

// Whatever a bundle says is shown as text, and nothing is asked for.
func TestPageHostile(t *testing.T) {
	all := strings.Join(hostile, " ")
	b := pipeline{workers: 2, steps: 40, text: func(s string) string { return s + all }, finding: func(f *artifact.Finding) {
		f.Message, f.Cause, f.Reason, f.Kind, f.Category, f.Function, f.Reproduce, f.File = all, all, all, all, all, all, all, all
		f.Goroutines = []artifact.FindingGoroutine{{G: "0", State: "blocked", Operation: all, Site: all, File: all, Text: all, Object: all, Holds: []artifact.FindingAct{{G: "0", Object: all, Operation: all}}}}
		f.Interleaving = append(f.Interleaving, artifact.FindingStep{Step: 41, G: all, Site: all, Operation: all, File: all, Text: all})
	}}.bundle(t)
	var page bytes.Buffer
	require.NoError(t, view.Write(&page, b))
	require.Equal(t, 2, strings.Count(page.String(), "<script"), "the data and the script")
	require.Equal(t, 2, strings.Count(page.String(), "</script"))

	p := open(t, b, "#finding-1")
	for _, key := range []string{kb.ArrowLeft, kb.Home, kb.ArrowRight, kb.End, "j", "n", "?", kb.Escape} {
		p.press(key)
	}
	for _, text := range hostile {
		shown := strings.Join(strings.Fields(strings.ReplaceAll(text, "\u2028", " ")), " ")
		require.Contains(t, strings.Join(strings.Fields(strings.ReplaceAll(p.text("#about"), "\u2028", " ")), " "), shown)
	}
	require.Contains(t, p.text("#now"), hostile[0])
	require.False(t, get[bool](p, `'hacked' in window`))
	require.Zero(t, get[int](p, `document.querySelectorAll('img, iframe, object, embed, link').length`))
	require.Equal(t, 2, get[int](p, `document.scripts.length`))
}

// TestPolicy is that the page may ask for nothing, and that the policy holds in the browser.
func TestPolicy(t *testing.T) {
	var page bytes.Buffer
	require.NoError(t, view.Write(&page, load(t, transfers)))
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page.String())
	require.NotNil(t, policy)
	require.Contains(t, policy[1], "default-src 'none'")
	require.NotContains(t, policy[1], "unsafe")
	require.NotRegexp(t, `https?://[^w]`, strings.ReplaceAll(page.String(), "http://www.w3.org/2000/svg", ""))

	p := open(t, load(t, transfers), "#finding-1")
	refused := get[string](p, `new Promise((resolve) => {
		document.addEventListener('securitypolicyviolation', (e) => resolve(e.effectiveDirective));
		const s = document.createElement('script');
		s.textContent = 'window.hacked = 1';
		document.body.append(s);
	})`)
	require.Equal(t, "script-src-elem", refused)
	require.False(t, get[bool](p, `'hacked' in window`))
	p.mu.Lock()
	p.problems = nil // what the browser says of it
	p.mu.Unlock()
}

// TestPageWithoutFindings is that a bundle with nothing to show has a page that says so.
func TestPageWithoutFindings(t *testing.T) {
	b, err := artifact.New(artifact.Manifest{Pass: artifact.PassDeep, Entry: artifact.Entry{Package: "example.com/p", Func: "main"}}).Bundle()
	require.NoError(t, err)
	p := open(t, b, "")
	require.Equal(t, "The bundle has no findings.", p.text("#about"))
	p.press(kb.ArrowRight, kb.End, "n", "j", "x", "/")
	require.Equal(t, "0 / 0", p.position())
}

// pictures are those of docs/view, by their names: the place, and keys to press there.
var pictures = []struct {
	name, of, place, theme string
	keys                   []string
	width, height          int64
}{
	{"deadlock", transfers, "#finding-1", "light", nil, 1700, 1560},
	{"queue", transfers, "#finding-1/step-7", "dark", nil, 1700, 700},
	{"recorded", served, "#finding-1/step-17", "light", nil, 1900, 1000},
}

// TestPictures is that the pictures in the documentation are of the page as it is.
func TestPictures(t *testing.T) {
	doc, err := os.ReadFile("../../docs/view.md")
	require.NoError(t, err)
	for _, shot := range pictures {
		var p *tab
		if strings.HasSuffix(shot.of, ".vtr") {
			p = openRecording(t, loadRecording(t, shot.of), "")
		} else {
			p = open(t, load(t, shot.of), "")
		}
		p.run(chromedp.EmulateViewport(shot.width, shot.height))
		give(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: shot.theme}}})
		p.visit(shot.place)
		p.press(shot.keys...)
		data, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
		require.NoError(t, err)
		name := "../../docs/view/" + shot.name + ".png"
		if *update {
			require.NoError(t, os.MkdirAll("../../docs/view", 0o755))
			require.NoError(t, os.WriteFile(name, data, 0o644))
		}
		require.Contains(t, string(doc), "view/"+shot.name+".png")
		stored, err := os.ReadFile(name)
		require.NoError(t, err)
		got, want := picture(t, data), picture(t, stored)
		require.Equal(t, want.Bounds(), got.Bounds())
		d := different(got, want)
		t.Logf("%s: %.3f", shot.name, d)
		require.Less(t, d, maxDifferent, "run: go test ./internal/view -run TestPictures -update")
	}
}

// TestDifferent is that pictures which lack what is on the page do not pass for those of the page.
func TestDifferent(t *testing.T) {
	for _, shot := range pictures {
		data, err := os.ReadFile("../../docs/view/" + shot.name + ".png")
		require.NoError(t, err)
		whole := picture(t, data)
		require.Zero(t, different(whole, whole))
		r := whole.Bounds()
		for name, kept := range map[string]image.Rectangle{
			"blank":      {},
			"upper half": image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Max.Y/2),
			"left half":  image.Rect(r.Min.X, r.Min.Y, r.Max.X/2, r.Max.Y),
		} {
			part := image.NewGray(r)
			draw.Draw(part, r, image.NewUniform(behind(gray(whole))), image.Point{}, draw.Src)
			draw.Draw(part, kept, whole, kept.Min, draw.Src)
			d := different(part, whole)
			t.Logf("%s, %s: %.3f", shot.name, name, d)
			require.Greater(t, d, maxDifferent, "%s, %s", shot.name, name)
			require.Greater(t, different(whole, part), maxDifferent, "%s, %s", shot.name, name)
		}
	}
}

func picture(t *testing.T, data []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	return img
}

// maxDifferent is how different a picture of the page may be, see different. Fonts differ from machine
// to machine, and with them what is at a point.
const maxDifferent = 0.25

// cell is the side of the regions that are compared, in points: two letters or so.
const cell = 20

// different compares how much there is in each region of two pictures of one size, which letters in
// another font change little. It is a part of what there is in the second one: 0 if they are the
// same, 1 if there is nothing in the first one.
func different(a, b image.Image) float64 {
	x, y := drawn(a), drawn(b)
	var apart, all float64
	for i := range y {
		apart += math.Abs(x[i] - y[i])
		all += y[i]
	}
	return apart / all
}

// drawn is how much each region of a picture differs from what is behind everything.
func drawn(m image.Image) []float64 {
	r, g := m.Bounds(), gray(m)
	columns := (r.Dx() + cell - 1) / cell
	out := make([]float64, columns*((r.Dy()+cell-1)/cell))
	base := float64(behind(g).Y)
	for i, v := range g.Pix {
		x, y := i%g.Stride, i/g.Stride
		out[y/cell*columns+x/cell] += math.Abs(float64(v) - base)
	}
	return out
}

// gray is a picture without its colours, whose lines follow one another without a gap.
func gray(m image.Image) *image.Gray {
	out := image.NewGray(m.Bounds())
	draw.Draw(out, out.Rect, m, out.Rect.Min, draw.Src)
	return out
}

// behind is what most points of a picture have.
func behind(m *image.Gray) color.Gray {
	var counts [256]int
	for _, v := range m.Pix {
		counts[v]++
	}
	most := 0
	for v, n := range counts {
		if n > counts[most] {
			most = v
		}
	}
	return color.Gray{Y: uint8(most)}
}

// TestPageMade: the page says where objects were made: of a finding, and at the objects, whose names are told apart.
func TestPageMade(t *testing.T) {
	b := load(t, transfers)
	p := open(t, b, "#finding-1")
	require.Contains(t, p.text("#about"), "objects, and where they were made:")
	require.Equal(t, []string{"wg at main.go:24: var wg sync.WaitGroup", "to.mu (a, b) at main.go:23: var a, b account"}, p.texts("#made li"))
	require.Equal(t, []string{"made at main.go:24 (wg)"}, p.texts("#waitgroups .made"))
	require.Equal(t, []string{"made at main.go:23 (a)", "made at main.go:23 (b)"}, p.texts("#locks .made"))
	require.Contains(t, get[string](p, `byID('waits').textContent`), "(main_a_mu, mutex#1), made at main.go:23 (a)")
	p.run(chromedp.Click(`#findings button[data-finding="2"]`))
	require.Empty(t, p.texts("#made li"), "nobody waits there")
	require.Empty(t, p.texts(".made"))

	// A channel that the run names in a step only, and two objects of one name.
	p = open(t, pipeline{workers: 1, steps: 12, finding: func(f *artifact.Finding) {
		for i := range f.Interleaving {
			if f.Interleaving[i].Operation == "send" {
				f.Interleaving[i].Object = "chan#7"
			}
		}
		f.Goroutines = []artifact.FindingGoroutine{
			{G: "0.1", State: artifact.StatePanicked, Made: []artifact.FindingObject{{Object: "chan#7", Expression: "jobs", File: "p/main.go", Line: 5, Text: "jobs := make(chan int)"}, {Object: "chan#9", File: "p/main.go", Line: 6}}},
			{G: "0", State: artifact.StateBlocked, Operation: "lock", Object: "mutex#3", Text: "mu.Lock()"},
		}
	}}.bundle(t), "#finding-1")
	require.Equal(t, []string{"made at p/main.go:5"}, p.texts("#channels .made"))
	require.Contains(t, p.text("#channels"), "jobs (ch_jobs_1, chan#7)")
	require.Equal(t, []string{"jobs at p/main.go:5: jobs := make(chan int)", "channel at p/main.go:6:"}, p.texts("#made li"))
	require.Equal(t, []string{"mu"}, get[[]string](p, `page.trace.objects.map((o, i) => objectShort(page.trace, i)).filter((n) => n.startsWith('mu') && !n.includes('#'))`))
	p.do(`page.trace.objects.push({ name: 'other_mu', kind: 'mutex', called: ['mu'], run: 'mutex#9' })`)
	require.Equal(t, []string{"mu (mu)", "mu (mutex#9)"}, get[[]string](p, `page.trace.objects.map((o, i) => objectShort(page.trace, i)).filter((n) => n.startsWith('mu ('))`))
}
