package explain

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
)

// place is where something is done with an object.
type place struct{ object, site string }

// names are what objects are called at places, as "mu" or "a.mu (mutex#1)": the expression
// there, and the name of the run where that is called otherwise elsewhere, or something else
// is called so.
func names(f artifact.Finding) map[place]string {
	expressions := map[place]string{}
	add := func(object, site, operation, text string) {
		if object != "" {
			expressions[place{object, site}] = expression(operation, text)
		}
	}
	for _, g := range f.Goroutines {
		add(g.Object, g.Site, g.Operation, g.Text)
		for _, h := range g.Holds {
			add(h.Object, h.Site, h.Operation, h.Text)
		}
		if c := g.Closed; c != nil {
			add(c.Object, c.Site, c.Operation, c.Text)
		}
	}
	objects := map[string][]string{} // by expression
	called := map[string][]string{}  // by object
	for at, x := range expressions {
		if x != "" && !slices.Contains(objects[x], at.object) {
			objects[x] = append(objects[x], at.object)
		}
		if x != "" && !slices.Contains(called[at.object], x) {
			called[at.object] = append(called[at.object], x)
		}
	}
	out := map[place]string{}
	for at, x := range expressions {
		switch {
		case x == "":
			out[at] = at.object
		case len(objects[x]) == 1 && len(called[at.object]) == 1:
			out[at] = x
		default:
			out[at] = x + " (" + at.object + ")"
		}
	}
	return out
}

func (e *explanation) name(object, site string) string {
	if n := e.names[place{object, site}]; n != "" {
		return n
	}
	return object
}

// operand is a variable, field, element or element of a field.
const operand = `([\pL_][\pL\d_]*(?:\.[\pL_][\pL\d_]*|\[[\pL\d_.]+\])*)`

// first is an operand that is not the rest of a longer expression, as behind a call.
const first = `(?:^|[^\pL\d_.)\]])` + operand

// The forms of the operations in a source line, with the object of them.
var forms = map[string][]*regexp.Regexp{
	opLock:                       {regexp.MustCompile(first + `\.(?:Try)?Lock\b`)},
	opReadLock:                   {regexp.MustCompile(first + `\.(?:Try)?RLock\b`)},
	opWait:                       {regexp.MustCompile(first + `\.Wait\b`)},
	opCondWait:                   {regexp.MustCompile(first + `\.Wait\b`)},
	sites.CondSignal.String():    {regexp.MustCompile(first + `\.Signal\b`)},
	sites.CondBroadcast.String(): {regexp.MustCompile(first + `\.Broadcast\b`)},
	sites.Unlock.String():        {regexp.MustCompile(first + `\.Unlock\b`)},
	sites.RUnlock.String():       {regexp.MustCompile(first + `\.RUnlock\b`)},
	sites.WaitGroupAdd.String():  {regexp.MustCompile(first + `\.Add\b`)},
	sites.WaitGroupDone.String(): {regexp.MustCompile(first + `\.Done\b`)},
	sites.WaitGroupGo.String():   {regexp.MustCompile(first + `\.Go\b`)},
	opOnce:                       {regexp.MustCompile(first + `\.Do\b`)},
	opClose:                      {regexp.MustCompile(`\bclose\(\s*` + operand + `\s*\)`)},
	opSend:                       {regexp.MustCompile(first + `\s*<-`)},
	opReceive:                    {regexp.MustCompile(`<-\s*` + operand + `\s*(?:[^\pL\d_.(\[]|$)`), regexp.MustCompile(`\brange\s+` + operand + `\s*\{`)},
}

// calls are the operations as the source writes them, by the kinds of sites; %s is what they work on.
var calls = map[sites.Kind]struct{ form, text string }{
	sites.Lock: {opLock, "%s.Lock()"}, sites.TryLock: {opLock, "%s.TryLock()"}, sites.RLock: {opReadLock, "%s.RLock()"}, sites.TryRLock: {opReadLock, "%s.TryRLock()"},
	sites.Unlock: {sites.Unlock.String(), "%s.Unlock()"}, sites.RUnlock: {sites.RUnlock.String(), "%s.RUnlock()"},
	sites.WaitGroupAdd: {sites.WaitGroupAdd.String(), "%s.Add(…)"}, sites.WaitGroupDone: {sites.WaitGroupDone.String(), "%s.Done()"},
	sites.WaitGroupWait: {opWait, "%s.Wait()"}, sites.WaitGroupGo: {sites.WaitGroupGo.String(), "%s.Go(…)"},
	sites.CondWait: {opCondWait, "%s.Wait()"}, sites.CondSignal: {sites.CondSignal.String(), "%s.Signal()"}, sites.CondBroadcast: {sites.CondBroadcast.String(), "%s.Broadcast()"},
	sites.OnceDo: {opOnce, "%s.Do(…)"}, sites.Close: {opClose, "close(%s)"},
	sites.Send: {opSend, "%s <- …"}, sites.Recv: {opReceive, "<-%s"}, sites.Range: {opReceive, "range %s"},
}

// Operand is what an operation in a source line works on, as "s.mu" in "s.mu.Lock()", "" where the
// line does not say it or has several such operations. The kind is that of a site.
func Operand(kind sites.Kind, text string) string { return expression(calls[kind].form, text) }

// call is an operation in a source line as the source writes it, without what else there is in the line, "" where
// that is not known.
func call(kind sites.Kind, text string) string {
	x := Operand(kind, text)
	if x == "" {
		return ""
	}
	if m := sent.FindAllStringSubmatch(text, -1); kind == sites.Send && len(m) == 1 && utf8.RuneCountInString(m[0][1]) <= maxSent {
		return x + " <- " + m[0][1]
	}
	return fmt.Sprintf(calls[kind].text, x)
}

// sent finds what is sent by a statement, up to where it ends; maxSent is how long that may be to be said.
var sent = regexp.MustCompile(`[^\s=(,:]\s*<-\s*([^;{}]*[^;{}\s])\s*(?:[;}]|$)`)

const maxSent = 30

// expression is what an operation in a source line works on, "" where the line does not say it
// or has several such operations.
func expression(operation, text string) string {
	found := ""
	for _, form := range forms[operation] {
		for _, m := range form.FindAllStringSubmatch(text, -1) {
			if found != "" && found != m[1] {
				return ""
			}
			found = m[1]
		}
	}
	return found
}

// Channel is the channel of a case of a select, as in "in" of "v := <-in", "" where that is not known.
func Channel(text string) string {
	if x := Operand(sites.Recv, text); x != "" {
		return x
	}
	return Operand(sites.Send, text)
}

// Object is something that goroutines of a finding wait for, with where it was made.
type Object struct {
	Name       string // all that the operations call it
	File, Text string
	Line       int
}

// Objects are what goroutines of a finding wait for, in the order of these, as far as it is known where they were made.
func Objects(f artifact.Finding) (out []Object) {
	index, called := map[artifact.FindingObject]int{}, map[string][]string{}
	for _, g := range f.Goroutines {
		for _, o := range g.Made {
			name := o.Expression
			if name == "" {
				name = o.Object
			}
			o.Expression = ""
			i, ok := index[o]
			if !ok {
				i = len(out)
				index[o] = i
				out = append(out, Object{File: o.File, Line: o.Line, Text: o.Text})
			}
			if !slices.Contains(called[o.Object], name) {
				called[o.Object] = append(called[o.Object], name)
			}
			out[i].Name = strings.Join(called[o.Object], ", also ")
		}
	}
	return out
}
