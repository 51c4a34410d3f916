package explain

import (
	"cmp"
	"fmt"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
)

// place is where something is done with an object.
type place struct{ object, site string }

// Naming tells the objects of a finding apart: what operations call an object may be what others call another one.
type Naming struct {
	operands    map[operationText]string // what steps call the object that they work on; many steps are the same
	expressions map[place]string         // where goroutines of the finding are, or were when they took something
	marks       map[string]string        // by object
	variables   map[string]string        // that they are in, by object
	objects     map[string][]string      // by expression
	called      map[string][]string      // by object, at these places
}

// NamingOf finds out what the objects of a finding are called.
func NamingOf(f artifact.Finding) *Naming {
	n := &Naming{operands: map[operationText]string{}, expressions: map[place]string{}, marks: map[string]string{}, variables: map[string]string{}, objects: map[string][]string{}, called: map[string][]string{}}
	add := func(object, site, operation, text string) {
		if object == "" || strings.Contains(object, ", ") {
			return
		}
		x := expression(operation, text)
		n.expressions[place{object, site}] = x
		n.calls(object, x)
		if x != "" && !slices.Contains(n.called[object], x) {
			n.called[object] = append(n.called[object], x)
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
		if all := strings.Split(g.Object, ", "); len(all) > 1 && len(all) == len(g.Cases) {
			for i, object := range all {
				n.calls(object, Channel(g.Cases[i]))
			}
		}
		for _, o := range g.Made {
			n.calls(o.Object, o.Expression)
		}
	}
	for _, o := range f.Made {
		n.calls(o.Object, o.Expression)
	}
	// Of others only those matter that have the name of one of these.
	for _, s := range f.Interleaving {
		if x := n.objectOf(s); len(n.objects[x]) > 0 {
			n.calls(s.Object, x)
		}
	}
	n.mark(f)
	return n
}

// calls notes what operations call an object.
func (n *Naming) calls(object, x string) {
	if x != "" && !strings.HasPrefix(object, nilPrefix) && !slices.Contains(n.objects[x], object) {
		n.objects[x] = append(n.objects[x], object)
	}
}

// objectOf is what a step calls the one object that it works on, "" if that is not known.
func (n *Naming) objectOf(s artifact.FindingStep) string {
	if s.Object == "" || strings.Contains(s.Object, ", ") {
		return ""
	}
	at := operationText{s.Operation, s.Text}
	x, known := n.operands[at]
	if !known {
		x = Operand(sites.Named(s.Operation), s.Text)
		n.operands[at] = x
	}
	return x
}

// operationText is an operation, and the line of the source that has it.
type operationText struct{ operation, text string }

// Made is what is known of where objects of a finding were made: first of those that goroutines wait for.
func Made(f artifact.Finding) (all []artifact.FindingObject) {
	for _, g := range f.Goroutines {
		all = append(all, g.Made...)
	}
	return append(all, f.Made...)
}

// mark finds what tells objects apart: where they were made, or, where several were made there, the variable, or, where
// that is not known, their names in the run.
func (n *Naming) mark(f artifact.Finding) {
	made := map[string]artifact.FindingObject{}
	count := map[string]int{}
	for _, o := range Made(f) {
		if _, ok := made[o.Object]; !ok {
			made[o.Object], n.variables[o.Object] = o, o.Variable
			count[line(o)]++
			count[variable(o)]++
		}
	}
	for object, o := range made {
		if count[line(o)] == 1 {
			n.marks[object] = madeAt + line(o)
		} else if o.Variable != "" && count[variable(o)] == 1 {
			n.marks[object] = variable(o)
		}
	}
}

const madeAt = "made at "

// line is where an object was made, and variable that with the variable.
func line(o artifact.FindingObject) string     { return fmt.Sprintf("%s:%d", path.Base(o.File), o.Line) }
func variable(o artifact.FindingObject) string { return o.Variable + " of " + line(o) }

// Mark is what tells an object apart from others, as in "made at main.go:3", "a of main.go:3" or "mutex#1".
func (n *Naming) Mark(object string) string {
	return cmp.Or(n.marks[object], object)
}

// name is what an object is called where something is done with it, as "mu" or "a.mu (made at main.go:3)": with what
// tells it apart where it is called otherwise elsewhere, or something else is called so.
func (n *Naming) name(object, site string) string {
	x, made := n.expressions[place{object, site}], n.marks[object]
	switch {
	case x == "" && strings.HasPrefix(made, madeAt) && n.variables[object] != "":
		return n.variables[object] + " (" + made + ")"
	case x == "" && strings.HasPrefix(made, madeAt):
		return "the " + kindOf(object) + " " + made
	case x == "" && made != "":
		return made
	case x == "" && n.variables[object] != "":
		return object + " of " + n.variables[object]
	case x == "":
		return object
	case len(n.objects[x]) < 2 && len(n.called[object]) < 2 || strings.HasPrefix(object, nilPrefix):
		return x
	}
	return x + " (" + n.Mark(object) + ")"
}

// shared is what tells an object apart, "" if nothing else has a name that it has.
func (n *Naming) shared(object, x string) string {
	if len(n.objects[x]) < 2 {
		return ""
	}
	return n.Mark(object)
}

// Came is as Came without a naming, with what tells the object apart that the step works on.
func (n *Naming) Came(s artifact.FindingStep) string {
	came := Came(s)
	mark := n.shared(s.Object, n.objectOf(s))
	if came == "" || mark == "" {
		return mark + came
	}
	return mark + ", " + came
}

// Cases are the cases of the select in which a goroutine waits, in words, with those of nil channels marked as
// far as they are known, since what objects there are is told of all cases together, and what tells channels apart.
func (n *Naming) Cases(g artifact.FindingGoroutine) string {
	objects := strings.Split(g.Object, ", ")
	if len(objects) != len(g.Cases) && !nilOnly(g) {
		return Cases(g.Cases)
	}
	out := slices.Clone(g.Cases)
	for i := range out {
		if nilOnly(g) || strings.HasPrefix(objects[i], nilPrefix) {
			out[i] += " (nil)"
		} else if mark := n.shared(objects[i], Channel(g.Cases[i])); mark != "" {
			out[i] += " (" + mark + ")"
		}
	}
	return Cases(out)
}

// kindOf is what a kind of objects is called, by the name of one in a run.
func kindOf(object string) string {
	word, _, _ := strings.Cut(object, "#")
	if kind := sites.ObjectNamed(word); kind != sites.NoObject {
		return kind.Spoken()
	}
	return word
}

// operand is a variable, field, element or element of a field.
const operand = `([\pL_][\pL\d_]*(?:\.[\pL_][\pL\d_]*|\[[\pL\d_.]+\])*)`

// first is an operand that is not the rest of a longer expression, as behind a call.
const first = `(?:^|[^\pL\d_.)\]])` + operand

// form is how the source writes an operation.
type form struct {
	find []*regexp.Regexp // it in a source line, with what it works on
	text string           // without what else there is in the line; %s is what it works on
}

// forms are those of the operations on channels, and of the methods of package sync.
var forms = func() map[sites.Kind]form {
	receives := []*regexp.Regexp{regexp.MustCompile(`<-\s*` + operand + `\s*(?:[^\pL\d_.(\[]|$)`), regexp.MustCompile(`\brange\s+` + operand + `\s*\{`)}
	m := map[sites.Kind]form{
		sites.Send:  {[]*regexp.Regexp{regexp.MustCompile(first + `\s*<-`)}, "%s <- …"},
		sites.Recv:  {receives, "<-%s"},
		sites.Range: {receives, "range %s"},
		sites.Close: {[]*regexp.Regexp{regexp.MustCompile(`\bclose\(\s*` + operand + `\s*\)`)}, "close(%s)"},
	}
	for k := range sites.Kinds() {
		method := k.Method()
		if method.Kind == sites.Invalid {
			continue
		}
		name, call := method.Name, "()"
		if locks[k] {
			name = "(?:Try)?" + strings.TrimPrefix(name, "Try")
		}
		if method.Parameters != "" {
			call = "(…)"
		}
		m[k] = form{[]*regexp.Regexp{regexp.MustCompile(first + `\.` + name + `\b`)}, "%s." + method.Name + call}
	}
	return m
}()

// locks are the operations that take a lock, if only where it is free.
var locks = map[sites.Kind]bool{sites.Lock: true, sites.TryLock: true, sites.RLock: true, sites.TryRLock: true}

// kinds are those of the operations of goroutines, by what findings call these: what one can wait in by the word of the
// runtime, others by that of the site.
var kinds = func() map[string]sites.Kind {
	m := map[string]sites.Kind{}
	for k := range sites.Kinds() {
		word := k.String()
		if k.Waits() != sites.Never {
			word = k.RunWord()
		}
		if _, ok := m[word]; !ok { // as of a range, which is a receive as it is
			m[word] = k
		}
	}
	return m
}()

// Operand is what an operation in a source line works on, as "s.mu" in "s.mu.Lock()", "" where the
// line does not say it or has several such operations.
func Operand(kind sites.Kind, text string) string {
	found := ""
	for _, f := range forms[kind].find {
		for _, m := range f.FindAllStringSubmatchIndex(text, -1) {
			x := text[m[2]:m[3]]
			if token.IsKeyword(x) || (kind == sites.Recv || kind == sites.Range) && sends(text[:m[0]]) {
				continue
			}
			if found != "" && found != x {
				return ""
			}
			found = x
		}
	}
	return found
}

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
	return fmt.Sprintf(forms[kind].text, x)
}

// sent finds what is sent by a statement, up to where it ends; maxSent is how long that may be to be said.
var sent = regexp.MustCompile(`[^\s=(,:]\s*<-\s*([^;{}]*[^;{}\s])\s*(?:[;}]|$)`)

const maxSent = 30

// expression is Operand for what findings call the operation of a goroutine.
func expression(operation, text string) string { return Operand(kinds[operation], text) }

// sends reports whether an arrow sends, by what stands before it: a channel, not a keyword, nothing, or a sign.
func sends(before string) bool {
	word := lastWord.FindString(before)
	return word != "" && !token.IsKeyword(strings.TrimSpace(word))
}

var lastWord = regexp.MustCompile(`[\pL\d_)\]]+\s*$`)

// Channel is the channel of a case of a select, as in "in" of "v := <-in", "" where that is not known.
func Channel(text string) string {
	if x := Operand(sites.Send, text); x != "" { // what it sends may have been received
		return x
	}
	return Operand(sites.Recv, text)
}

// Object is something that goroutines of a finding wait for, or a channel of its steps, with where it was made.
type Object struct {
	Name       string // all that the operations call it
	File, Text string
	Line       int
}

// Objects are what goroutines of a finding wait for, in the order of these, then the channels of its steps, as far as it is known where they were made.
// Those with one name that were made at one place are one. They have their variables, or their names in the run, where
// other texts have these.
func Objects(f artifact.Finding) (out []Object) {
	naming := NamingOf(f)
	type named struct {
		artifact.FindingObject
		called []string
	}
	var all []*named
	for _, o := range Made(f) {
		i := slices.IndexFunc(all, func(n *named) bool { return n.Object == o.Object })
		if i < 0 {
			i = len(all)
			all = append(all, &named{o, nil})
		}
		if x := cmp.Or(o.Expression, o.Variable, kindOf(o.Object)); !slices.Contains(all[i].called, x) {
			all[i].called = append(all[i].called, x)
		}
	}
	index, tags := map[Object]int{}, map[int][]string{}
	entry := func(o *named) Object { return Object{strings.Join(o.called, ", also "), o.File, o.Text, o.Line} }
	several := map[Object]int{}
	for _, o := range all {
		several[entry(o)]++
	}
	for _, o := range all {
		same := entry(o)
		i, ok := index[same]
		if !ok {
			i = len(out)
			index[same] = i
			out = append(out, same)
		}
		shares := func(x string) bool { return naming.shared(o.Object, x) != "" }
		switch mark := naming.Mark(o.Object); {
		case strings.HasPrefix(mark, madeAt), several[same] == 1 && o.called[0] != kindOf(o.Object) && len(o.called) < 2 && !slices.ContainsFunc(o.called, shares):
		case mark == o.Object:
			tags[i] = append(tags[i], o.Object)
		default:
			tags[i] = append(tags[i], o.Variable)
		}
	}
	for i := range out {
		if len(tags[i]) > 0 {
			slices.Sort(tags[i])
			out[i].Name += " (" + strings.Join(tags[i], ", ") + ")"
		}
	}
	return out
}
