package explain

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/goroutine"
	"github.com/vtrace/vtrace/internal/sites"
)

// Cause says in one sentence why the error of a finding comes about, "" where its message says
// all that is known. It speaks of what a run has shown: a finding without the states of its
// goroutines has none.
//
// Who waits for a lock waits for a goroutine: the one that holds it. A cycle of such waits is
// the cause, wherever else goroutines wait for those in it. Without a cycle the chain of waits
// ends with one who waits for no lock, which is the cause then.
func Cause(f artifact.Finding) string {
	e := &explanation{finding: f, names: NamingOf(f)}
	e.finding.Interleaving = withoutApproaches(f.Interleaving)
	switch {
	case f.Kind == artifact.KindRace:
		return e.race()
	case f.Kind == artifact.KindMapRace:
		return e.mapAccess()
	case f.Kind == artifact.KindSendOnClosed || f.Kind == artifact.KindCloseOfClosed:
		return e.closedChannel()
	case Stuck(f.Kind):
		if cycle := e.cycle(); cycle != nil {
			return e.cycleText(cycle)
		}
		return e.waits()
	}
	if text := e.alone(); text != "" {
		return text
	}
	switch f.Kind {
	case artifact.KindNegativeCounter:
		return e.negativeCounter()
	case artifact.KindUnlockUnlocked:
		return e.unlocks()
	case artifact.KindWaitGroupReuse:
		return e.waitGroupReuse()
	case artifact.KindTestFailure:
		return e.testFails()
	}
	return e.panics()
}

// Stuck reports whether an error of a kind is that goroutines can never go on.
func Stuck(kind string) bool {
	return kind == artifact.KindDeadlock || kind == artifact.KindPartialDeadlock || kind == artifact.KindLeak
}

// MessageAdds reports whether the message of a finding says something that its cause does not: it does of errors that have
// a text of their own, as panics; of others it names the states of goroutines.
func MessageAdds(f artifact.Finding) bool {
	switch {
	case f.Message == "":
		return false
	case f.Cause == "":
		return true
	case Stuck(f.Kind) || f.Kind == artifact.KindRace:
		return false
	}
	return !slices.ContainsFunc(f.Goroutines, func(g artifact.FindingGoroutine) bool {
		return strings.HasPrefix(f.Message, g.G+" "+g.State+" ")
	})
}

// alone says of an error to which the goroutine of the entry comes by itself that it does not depend on the
// schedule, "" for others.
func (e *explanation) alone() string {
	f := e.finding
	if f.Minimised == nil || !f.Minimised.Complete || len(f.Stalls)+len(f.Values) > 0 || len(f.Goroutines) != 1 || f.Goroutines[0].G != entryGoroutine {
		return ""
	}
	if slices.ContainsFunc(f.Interleaving, func(s artifact.FindingStep) bool { return s.G != entryGoroutine || s.Operation == opSelect }) {
		return ""
	}
	return Alone
}

// Alone is the cause of what a single goroutine does in every run.
const Alone = "no other goroutine takes part: every run comes to it"

// Started is where a goroutine of a finding was started, or where the function was given that it runs; false if that is
// not known.
func Started(f artifact.Finding, g string) (artifact.FindingStep, bool) {
	for _, o := range f.Goroutines {
		if s := o.Started; s != nil && o.G == g {
			return artifact.FindingStep{G: s.G, Site: s.Site, Operation: s.Operation, File: s.File, Line: s.Line, Text: s.Text}, true
		}
	}
	dot := strings.LastIndexByte(g, '.')
	if dot < 0 {
		return artifact.FindingStep{}, false
	}
	// The last number of a creation path counts who was started by the same goroutine.
	parent, n := g[:dot], 0
	for _, s := range f.Interleaving {
		if s.G == parent && sites.Named(s.Operation).StartsGoroutine() {
			if n++; fmt.Sprint(n) == g[dot+1:] {
				return s, true
			}
		}
	}
	return artifact.FindingStep{}, false
}

// What operations of goroutines are called in findings.
var (
	opSend     = sites.Send.RunWord()
	opReceive  = sites.Recv.RunWord()
	opSelect   = sites.Select.RunWord()
	opLock     = sites.Lock.RunWord()
	opReadLock = sites.RLock.RunWord()
	opWait     = sites.WaitGroupWait.RunWord()
	opCondWait = sites.CondWait.RunWord()
	opOnce     = sites.OnceDo.RunWord()
	opClose    = sites.Close.RunWord()
	opAccess   = sites.Stmt.RunWord() // of a statement, which may be reading and writing
)

const (
	opWrite     = "write" // of a statement that has read before
	opMapAccess = "map access"
)

// entryGoroutine is the creation path of the goroutine of main or of the test.
const entryGoroutine = "0"

// nilPrefix is how the name of what is nil begins.
const nilPrefix = "nil "

type explanation struct {
	finding artifact.Finding
	names   *Naming
}

// goroutine is that with a creation path.
func (e *explanation) goroutine(g string) *artifact.FindingGoroutine {
	i := slices.IndexFunc(e.finding.Goroutines, func(o artifact.FindingGoroutine) bool { return o.G == g })
	if i < 0 {
		return nil
	}
	return &e.finding.Goroutines[i]
}

// holder is who keeps a goroutine from the lock, or the Once, that it waits for; false if it
// waits for something else, or who holds it is not known.
func (e *explanation) holder(w *artifact.FindingGoroutine) (artifact.FindingAct, bool) {
	if w.State != artifact.StateBlocked {
		return artifact.FindingAct{}, false
	}
	var reader artifact.FindingAct
	for _, g := range e.finding.Goroutines {
		for _, h := range g.Holds {
			switch {
			case h.Object != w.Object:
			case w.Operation == opLock && (h.Operation == opLock || h.Operation == opReadLock),
				w.Operation == opReadLock && h.Operation == opLock,
				w.Operation == opOnce && h.Operation == opOnce:
				return h, true
			case w.Operation == opReadLock && h.Operation == opReadLock:
				reader = h
			}
		}
	}
	// Who wants to read waits for a writer that waits for those who read.
	if reader.G != "" && e.writer(w.Object) != nil {
		return reader, true
	}
	return artifact.FindingAct{}, false
}

// writer is who waits to write under a lock.
func (e *explanation) writer(object string) *artifact.FindingGoroutine {
	for i, g := range e.finding.Goroutines {
		if g.State == artifact.StateBlocked && g.Operation == opLock && g.Object == object {
			return &e.finding.Goroutines[i]
		}
	}
	return nil
}

// edge is a goroutine that waits for what another one holds.
type edge struct {
	waits *artifact.FindingGoroutine
	holds artifact.FindingAct
}

// cycle is a cycle of goroutines that wait for each other, nil if there is none. It begins
// with the one that is first among the goroutines.
func (e *explanation) cycle() []edge {
	for i := range e.finding.Goroutines {
		var way []edge
		for g := &e.finding.Goroutines[i]; g != nil; {
			if k := slices.IndexFunc(way, func(o edge) bool { return o.waits == g }); k >= 0 {
				return way[k:]
			}
			h, ok := e.holder(g)
			if !ok {
				break
			}
			way = append(way, edge{g, h})
			g = e.goroutine(h.G)
		}
	}
	return nil
}

func (e *explanation) cycleText(cycle []edge) string {
	if len(cycle) == 1 {
		w, h := cycle[0].waits, cycle[0].holds
		if w.Operation == opOnce {
			return fmt.Sprintf("%s waits at %s for the function of %s, which it runs itself%s", who(e.finding, w.G), at(w.File, w.Line), e.names.name(w.Object, w.Site), since(h))
		}
		if h.Operation == opReadLock && w.Operation == opReadLock {
			return fmt.Sprintf("%s waits at %s to read under %s again, which it reads under since %s: %s wants to write in between, and whoever comes later waits for that",
				who(e.finding, w.G), at(w.File, w.Line), e.names.name(w.Object, w.Site), at(h.File, h.Line), who(e.finding, e.writer(w.Object).G))
		}
		return fmt.Sprintf("%s waits at %s for %s%s, which it holds itself%s%s", who(e.finding, w.G), at(w.File, w.Line), e.names.name(w.Object, w.Site), mode(w.Operation, w.Object), mode(h.Operation, h.Object), since(h))
	}
	// Each holds what the one before it waits for.
	var parts []string
	for i, c := range cycle {
		own := cycle[(i+len(cycle)-1)%len(cycle)].holds
		part := fmt.Sprintf("%s holds %s%s%s, and waits at %s for %s%s", who(e.finding, c.waits.G), e.names.name(own.Object, own.Site), mode(own.Operation, own.Object), since(own),
			at(c.waits.File, c.waits.Line), e.names.name(c.waits.Object, c.waits.Site), mode(c.waits.Operation, c.waits.Object))
		if i == 0 {
			part += ", which " + who(e.finding, c.holds.G) + " holds"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// shownWaits is how many of the goroutines that wait a sentence names.
const shownWaits = 3

// waits says of those who are stuck what they wait for: first those who wait for no other
// goroutine, since all others wait for them.
func (e *explanation) waits() string {
	type waiting struct {
		rank      int
		who, said string
		also      []string // others of whom the same is said
	}
	var all []*waiting
	left := 0
	for i := range e.finding.Goroutines {
		w := &e.finding.Goroutines[i]
		if w.State != artifact.StateBlocked {
			continue
		}
		text := e.wait(w)
		if text == "" {
			left++
			continue
		}
		g := who(e.finding, w.G)
		said := strings.TrimPrefix(text, g)
		if k := slices.IndexFunc(all, func(o *waiting) bool { return o.said == said }); k >= 0 {
			all[k].also = append(all[k].also, w.G)
			continue
		}
		all = append(all, &waiting{e.rank(w), g, said, nil})
	}
	slices.SortStableFunc(all, func(a, b *waiting) int { return cmp.Compare(a.rank, b.rank) })
	var texts []string
	for _, w := range all {
		text := w.who
		switch n := len(w.also); n {
		case 0:
		case 1:
			text += ", like " + who(e.finding, w.also[0]) + ","
		default:
			text += ", like goroutines " + Names(w.also) + ","
		}
		if strings.HasPrefix(w.said, ",") {
			text = strings.TrimSuffix(text, ",")
		}
		texts = append(texts, text+w.said)
	}
	if more := len(texts) + left - shownWaits; more > 0 && len(texts) > shownWaits {
		texts = append(texts[:shownWaits], fmt.Sprintf("and %d more wait", more))
	}
	return strings.Join(texts, "; ")
}

// rank orders those who are stuck by how near they are to the error: who waits for others comes behind these.
func (e *explanation) rank(w *artifact.FindingGoroutine) int {
	const own, awaited, roots, locks, groups, entry = 0, 1, 2, 3, 4, 5
	switch {
	case e.finding.Kind == artifact.KindLeak && w.File == e.finding.File && w.Line == e.finding.Line:
		return own // others are findings of their own
	case w.Operation == opLock || w.Operation == opReadLock || w.Operation == opOnce:
		return locks
	case w.Operation == opWait && w.G == entryGoroutine:
		return entry // for all others, as a rule
	case w.Operation == opWait:
		return groups
	case e.isAwaited(w.G):
		return awaited
	}
	return roots
}

// isAwaited reports whether others wait for what a goroutine would have to do. Nobody waits for an idle worker: it is
// what others have not done that is wrong.
func (e *explanation) isAwaited(g string) bool {
	return slices.ContainsFunc(e.finding.Goroutines, func(w artifact.FindingGoroutine) bool {
		return w.State == artifact.StateBlocked && slices.ContainsFunc(w.Owed, func(a artifact.FindingAct) bool { return a.G == g })
	})
}

// wait says what a goroutine waits for, and why that does not come.
func (e *explanation) wait(w *artifact.FindingGoroutine) string {
	g, place, object := who(e.finding, w.G), at(w.File, w.Line), e.names.name(w.Object, w.Site)
	if held := e.wanted(w); held != "" {
		g += ", which holds " + held + ","
	}
	switch w.Operation {
	case opSend, opReceive:
		do, other := "send on", "receives from"
		if w.Operation == opReceive {
			do, other = "receive from", "sends on"
		}
		if strings.HasPrefix(w.Object, nilPrefix) {
			return fmt.Sprintf("%s waits at %s to %s a nil channel, for ever", g, place, do)
		}
		text := fmt.Sprintf("%s waits at %s to %s %s, and nobody who is left %s it", g, place, do, object, other)
		if owed := e.owed(w); owed != "" {
			text += ": " + owed
		} else if why := cmp.Or(e.partner(w), e.fullOf(w)); why != "" {
			text += ": " + why
		}
		return text
	case opSelect:
		if w.Object == "" {
			return fmt.Sprintf("%s waits at %s in a select without cases, for ever", g, place)
		}
		cases := w.Object
		if len(w.Cases) > 0 {
			cases = e.names.Cases(*w)
		}
		if nilOnly(*w) {
			return fmt.Sprintf("%s waits at %s in a select that has nil channels only, for ever (%s)", g, place, cases)
		}
		return fmt.Sprintf("%s waits at %s in a select, and nobody who is left comes to what its cases wait for (%s)", g, place, cases)
	case opCondWait:
		return fmt.Sprintf("%s waits at %s for a signal of %s, and nobody who is left gives one%s", g, place, object, e.lastSignal(w))
	case opWait:
		if w.Counter == 0 {
			return fmt.Sprintf("%s waits at %s for %s", g, place, object)
		}
		text := fmt.Sprintf("%s waits at %s for %s, whose counter stays at %d", g, place, object, w.Counter)
		if owed := e.owed(w); owed != "" {
			text += ", since " + owed
		}
		return text
	case opLock, opReadLock, opOnce:
		h, ok := e.holder(w)
		if !ok {
			return fmt.Sprintf("%s waits at %s for %s, and who holds it is not known", g, place, object)
		}
		text := fmt.Sprintf("%s waits at %s for %s%s, which %s holds%s%s", g, place, object, mode(w.Operation, w.Object), who(e.finding, h.G), mode(h.Operation, h.Object), since(h))
		if o := e.goroutine(h.G); o != nil && (o.State == artifact.StateFinished || o.State == artifact.StatePanicked) {
			text += ", and has ended without giving it back"
		}
		return text
	}
	return ""
}

// partner says who has been on the other side of a channel before and waits itself now, "" if that is nobody, or more than
// one.
func (e *explanation) partner(w *artifact.FindingGoroutine) string {
	kinds, done := []sites.Kind{sites.Recv, sites.Range, sites.Select}, "received from"
	if w.Operation == opReceive {
		kinds, done = []sites.Kind{sites.Send, sites.Select}, "sent on"
	}
	var last artifact.FindingStep
	for _, s := range e.finding.Interleaving {
		if s.Object != w.Object || w.Object == "" || s.G == w.G || !isKind(s, kinds...) {
			continue
		}
		if isKind(s, sites.Select) && receives.MatchString(s.Taken) != (w.Operation == opSend) {
			continue
		}
		if last.G != "" && last.G != s.G {
			return ""
		}
		last = s
	}
	o := e.goroutine(last.G)
	if o == nil || o.State != artifact.StateBlocked {
		return ""
	}
	return fmt.Sprintf("%s, which has %s it at %s, waits itself at %s", who(e.finding, o.G), done, at(last.File, last.Line), at(o.File, o.Line))
}

// fullOf says who has filled the buffer of a channel on which a goroutine waits to send, and waits itself, as those who
// have the places of a semaphore; "" if others have received from it, or that is not known.
func (e *explanation) fullOf(w *artifact.FindingGoroutine) string {
	var senders []string
	full := false
	for _, s := range e.finding.Interleaving {
		if w.Operation != opSend || w.Object == "" || s.Waits || !slices.Contains(strings.Split(s.Object, ", "), w.Object) {
			continue
		}
		if !isKind(s, sites.Send) {
			return ""
		}
		if o := e.goroutine(s.G); o == nil || o.State != artifact.StateBlocked || o.G == w.G {
			return ""
		}
		if !slices.Contains(senders, s.G) {
			senders = append(senders, s.G)
		}
		n, of, ok := strings.Cut(s.After, " of ")
		full = ok && n == of
	}
	switch {
	case !full:
		return ""
	case len(senders) == 1:
		return fmt.Sprintf("its buffer is full of what %s has sent, which waits itself", who(e.finding, senders[0]))
	}
	slices.SortFunc(senders, goroutine.Compare)
	return fmt.Sprintf("its buffer is full of what goroutines %s have sent, which wait themselves", Names(senders))
}

// Waiting says in which cases of the list on the page of its kind a finding is, in the words of that list: what those wait
// for that are stuck, or by what a goroutine panics. There are none where the page has no list.
func Waiting(f artifact.Finding) []string {
	if f.Kind == artifact.KindPanic {
		if strings.Contains(f.Message, "runtime error") || strings.Contains(f.Message, "nil map") {
			return []string{"runtime error"}
		}
		return []string{"panic"}
	}
	if !Stuck(f.Kind) {
		return nil
	}
	words := map[string]string{
		opLock: "lock", opReadLock: "read lock", opOnce: "once", opSend: "channel", opReceive: "channel", opSelect: "select", opCondWait: "condition",
	}
	var out []string
	for _, g := range f.Goroutines {
		what := words[g.Operation]
		stuck := g.State == artifact.StateBlocked || g.State == "" // which no run has seen yet
		if stuck && what != "" && !slices.Contains(out, what) {
			out = append(out, what)
		}
	}
	if len(out) == 0 && slices.ContainsFunc(f.Goroutines, func(g artifact.FindingGoroutine) bool { return g.Operation == opWait }) {
		out = append(out, "wait group")
	}
	return out
}

// owed says who does not come to what would let a goroutine go on, "" if that is not known.
func (e *explanation) owed(w *artifact.FindingGoroutine) string {
	var parts []string
	for rest := w.Owed; len(rest) > 0; {
		one, many := e.missing(rest[0])
		var gs []string // of which the same is true
		for len(rest) > 0 {
			if next, _ := e.missing(rest[0]); next != one {
				break
			}
			gs = append(gs, rest[0].G)
			rest = rest[1:]
		}
		if len(gs) > shownWaits {
			gs = append(gs[:shownWaits], fmt.Sprintf("%d more", len(gs)-shownWaits))
		}
		if n := len(gs) - 1; n == 0 {
			parts = append(parts, who(e.finding, gs[0])+" "+one)
		} else {
			parts = append(parts, "goroutines "+strings.Join(gs[:n], ", ")+" and "+gs[n]+" "+many)
		}
	}
	return strings.Join(parts, ", and ")
}

// missing says of one goroutine, and of several, that they have not come to a call of Done, or another operation.
func (e *explanation) missing(a artifact.FindingAct) (one, many string) {
	place, what := at(a.File, a.Line), "Done"
	if kind := sites.Named(a.Operation); kind != sites.WaitGroupDone {
		what = "`" + call(kind, a.Text) + "`"
	}
	g := e.goroutine(a.G)
	switch {
	case a.Operation == sites.WaitGroupGo.String():
		return "that Go has started at " + place + " does not end", "that Go has started at " + place + " do not end"
	case g != nil && (g.State == artifact.StateFinished || g.State == artifact.StatePanicked):
		return "has ended without " + what + " at " + place, "have ended without " + what + " at " + place
	}
	return "does not come to " + what + " at " + place, "do not come to " + what + " at " + place
}

// Owed says who does not come to what would let a goroutine of a finding go on, "" if that is not known, or the cause
// of the finding says it.
func Owed(f artifact.Finding, g artifact.FindingGoroutine) string {
	text := (&explanation{finding: f}).owed(&g)
	if strings.Contains(f.Cause, text) {
		return ""
	}
	return text
}

// lastSignal says what has become of the last signal that a goroutine might have got, "" if the
// interleaving does not tell.
func (e *explanation) lastSignal(w *artifact.FindingGoroutine) string {
	steps := e.finding.Interleaving
	for _, s := range slices.Backward(steps) {
		if w.Object == "" || s.Object != w.Object || !isKind(s, sites.CondSignal, sites.CondBroadcast) {
			continue
		}
		text := fmt.Sprintf("; the last one, at %s, ", at(s.File, s.Line))
		switch {
		case s.After == "":
			return ""
		case s.After == nobody:
			return text + "came before it waited"
		case slices.Contains(strings.Split(s.After, ", "), w.G):
			return text + "has woken it, and it has begun to wait again"
		}
		return text + "has woken " + several(s.After)
	}
	return ""
}

// isKind reports whether a step is of one of some kinds. Steps name those of sites, goroutines what
// the runtime calls them.
func isKind(s artifact.FindingStep, kinds ...sites.Kind) bool {
	return slices.Contains(kinds, sites.Named(s.Operation))
}

// wanted are the locks that a goroutine holds while others wait for them, as text.
func (e *explanation) wanted(w *artifact.FindingGoroutine) string {
	var held []string
	for _, h := range w.Holds {
		for i := range e.finding.Goroutines {
			o := &e.finding.Goroutines[i]
			if by, ok := e.holder(o); ok && o.G != w.G && by.G == h.G && by.Object == h.Object {
				held = append(held, e.names.name(h.Object, h.Site)+mode(h.Operation, h.Object)+since(h))
				break
			}
		}
	}
	return strings.Join(held, " and ")
}

// Location is where reports show a finding.
type Location struct {
	File      string
	Line, Col int // Col is in bytes, 0 if it is not known
	Func      string
	// Site is that of the goroutine that a deadlock is shown at, and G its creation path; "" for others.
	Site, G string
}

// Place is where the goroutine of a deadlock waits that its cause speaks of first: nearer to the error
// than the place of the finding, which is that of who waits for it in the end. That is it for
// findings of another kind, and where the goroutine is not known.
func Place(f artifact.Finding) Location {
	at := Location{File: f.File, Line: f.Line, Col: f.Col, Func: f.Function}
	if f.Kind != artifact.KindDeadlock && f.Kind != artifact.KindPartialDeadlock || f.Cause == "" {
		return at
	}
	for _, g := range f.Goroutines {
		if g.File == "" || !strings.HasPrefix(f.Cause, who(f, g.G)+" ") && !strings.HasPrefix(f.Cause, who(f, g.G)+",") {
			continue
		}
		if at.Site, at.G = g.Site, g.G; g.File != f.File || g.Line != f.Line {
			at.File, at.Line, at.Col, at.Func = g.File, g.Line, 0, g.Func
		}
		break
	}
	return at
}

// Holding says of a lock or Once that a goroutine of a finding holds what it is called, and since
// where.
func Holding(f artifact.Finding, h artifact.FindingAct) string {
	e := &explanation{finding: f, names: NamingOf(f)}
	text := e.names.name(h.Object, h.Site) + mode(h.Operation, h.Object) + since(h)
	if h.Text != "" {
		text += ": " + h.Text
	}
	return text
}

// mode is how a lock for readers and writers is held or wanted, "" of other locks.
func mode(operation, object string) string {
	switch {
	case !strings.HasPrefix(object, "rwmutex"):
		return ""
	case operation == opReadLock:
		return " for reading"
	}
	return " for writing"
}

func (e *explanation) closedChannel() string {
	for _, g := range e.finding.Goroutines {
		if c := g.Closed; c != nil {
			do := "sends on"
			if e.finding.Kind == artifact.KindCloseOfClosed {
				do = "closes"
			}
			by := who(e.finding, c.G) + " has closed"
			if c.G == g.G {
				by = "it has closed"
			}
			return fmt.Sprintf("%s %s %s at %s, which %s at %s", who(e.finding, g.G), do, e.names.name(c.Object, c.Site), at(e.finding.File, e.finding.Line), by, at(c.File, c.Line))
		}
	}
	return ""
}

// Goroutine is what reports call a goroutine: its creation path, or, of one that runs a function that was given
// to a library, as time.AfterFunc is, where that was.
func Goroutine(f artifact.Finding, g string) string {
	key, ok := strings.CutPrefix(g, goroutine.CallbackPrefix)
	i := strings.LastIndexByte(key, '.')
	if !ok || i < 0 {
		return g
	}
	name := "callback of " + key[:i]
	start, ok := Started(f, g)
	if k := slices.IndexFunc(f.Interleaving, func(s artifact.FindingStep) bool { return s.G == g && isKind(s, sites.Start) }); !ok && k >= 0 {
		start, ok = f.Interleaving[k], true
	}
	if ok {
		name = fmt.Sprintf("%s at %s", callbackOf(start.Text), at(start.File, start.Line))
	}
	if n := key[i+1:]; n != "1" {
		return name + " (" + n + ")"
	}
	return name
}

// creationPath finds the creation paths of goroutines of functions that were given to a library.
var creationPath = regexp.MustCompile(goroutine.CallbackPrefix + `[^\s,;:]*\.[0-9]+`)

// Renamed is a text about a finding with the names of goroutines that Goroutine gives, of those of the finding.
func Renamed(f artifact.Finding, text string) string {
	return creationPath.ReplaceAllStringFunc(text, func(g string) string {
		if slices.ContainsFunc(f.Interleaving, func(s artifact.FindingStep) bool { return s.G == g }) ||
			slices.ContainsFunc(f.Goroutines, func(o artifact.FindingGoroutine) bool { return o.G == g }) {
			return Goroutine(f, g)
		}
		return g
	})
}

// callbackOf is what gets a function called, by the text of the line.
func callbackOf(text string) string {
	if strings.Contains(text, "time.AfterFunc") {
		return "timer set"
	}
	return "callback given"
}

func who(f artifact.Finding, g string) string {
	if name := Goroutine(f, g); name != g {
		return "the goroutine of the " + name
	}
	return "goroutine " + g
}

func at(file string, line int) string {
	if file == "" {
		return "a place outside of the program"
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// since says where something was taken, if that is known.
func since(h artifact.FindingAct) string {
	if h.File == "" {
		return ""
	}
	return " since " + at(h.File, h.Line)
}
