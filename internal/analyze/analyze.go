package analyze

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/vtrace/vtrace/internal/trace"
)

// use is an operation on a channel that was done, could have been, or was about to be.
type use struct {
	pc    int32
	taken bool // it was done
	// unchosen: it is a case of a select that has taken another one.
	unchosen bool
}

// direction is the index of sends and receives.
func direction(op trace.Op) int {
	if op == trace.OpRecv {
		return 1
	}
	return 0
}

// channel has what was done with a channel.
type channel struct {
	// users are the goroutines that send or receive, in their order.
	users  [2][]user
	closes []trace.Ref
	// cursors are, by goroutine of the operations that were compared with the uses, one for each user. last is
	// the goroutine that was asked for last, and those of it: operations of one goroutine often come together.
	cursors [2]map[int32][]cursor
	last    [2]struct {
		g       int32
		cursors []cursor
	}
}

// user is a goroutine with its uses of a channel in one direction.
type user struct {
	g int32
	// uses are in its order; two cases of a select on the channel are one use.
	uses []use
	// done are, for each index into the uses, how many in front of it were done.
	done []int32
	// ranks are those of the uses for the order that is looked at, as they are asked for.
	ranks []placing
}

// cursorsOf are the cursors of a goroutine, one for each user.
func (c *channel) cursorsOf(dir int, g int32) []cursor {
	l := &c.last[dir]
	if l.cursors != nil && l.g == g {
		return l.cursors
	}
	list := c.cursors[dir][g]
	if list == nil {
		if c.cursors[dir] == nil {
			c.cursors[dir] = map[int32][]cursor{}
		}
		list = make([]cursor, len(c.users[dir]))
		c.cursors[dir][g] = list
	}
	l.g, l.cursors = g, list
	return list
}

// placing is which places in the order of a channel an operation can have, see rank.
type placing struct {
	least, most int32
	known       bool
}

// inquiry is an analysis of one order.
type inquiry struct {
	both
	p      *program
	limits Limits
	other  bool // it is not the first order
	chans  []channel
	// buffered: there are communications on buffered channels. Clocks do not have that values come first
	// in, first out, so that what they allow need not be possible.
	buffered bool
	out      map[string]*Finding
	keys     []string // of out, as they were found
	key      []byte   // of the last finding
	cut      map[string]bool
	// alone are the cases of selects, each with an instance, and useful those that can be taken.
	alone  map[selectCase]trace.Ref
	cases  []selectCase
	useful map[selectCase]bool
	// What follows is of analyses of locks; see locks.go.
	held    [][][]*section
	byLock  [][]*section
	inTurn  [][]turns
	foreign []bool
	checks  int
	// compared is how often the operations of two goroutines were compared.
	compared int
	// predicting says that it is asked for in which orders what is found would show; see predict.go.
	predicting bool
	others     []Prediction
	tried      map[string]int // how often an order was looked for, by what is to come otherwise
	tries      int
}

// Analyze computes the vector clocks of a valid trace, and runs all analyses on them, for
// all orders of operations on buffered channels up to the limits. The same trace gives the same
// result. Errors are of type *trace.InvalidError or *TooLargeError.
func Analyze(t *trace.Trace, limits Limits) (*Result, error) {
	_, r, err := analyse(t, limits, false, func(both) {})
	return r, err
}

// analyse is Analyze, or Predict if predicting is set. It calls first with the clocks of the first order.
//
// What code that is not instrumented does between goroutines is not recorded, but that it was called is, and what the program does
// depends on what it reads. So a strict analysis says what has a witness. Other findings, and predictions, do
// without: most of that code orders nothing, not all that is read decides something, and what a prediction is worth the program shows.
func analyse(t *trace.Trace, limits Limits, predicting bool, first func(both)) (*inquiry, *Result, error) {
	q, r, err := analyseWith(t, limits, predicting, false, first)
	if err != nil || !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.needsWitness() && (f.Reordered || q.p.called > 1) }) {
		return q, r, err
	}
	strict, _, err := analyseWith(t, limits, false, true, func(both) {})
	if err != nil {
		return nil, nil, err
	}
	witnessed := map[string]bool{}
	for _, f := range strict.out {
		if f.needsWitness() && (q.p.reads || !f.Reordered) {
			witnessed[f.key] = true
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.needsWitness() && !witnessed[f.key] {
			f.Level, f.Witness, f.Unless = Warning, false, unless(f, q.p)
		}
	}
	return q, r, nil
}

// needsWitness reports whether a finding is an error only since it has a witness.
func (f *Finding) needsWitness() bool {
	return f.Witness && f.Level == Error && kinds[place(f.Code)].level == predicted
}

// unless is why a finding has no witness in a strict analysis.
func unless(f *Finding, p *program) string {
	var why []string
	if f.Reordered {
		text := "the program does something else where critical sections come in another order, by what it reads in them"
		if !p.reads {
			text += " (vtrace record -race records that)"
		}
		why = append(why, text)
	}
	if p.called > 1 {
		why = append(why, "code that is not instrumented, which the goroutines have called, orders them")
	}
	return strings.Join(why, ", or ")
}

// analyseWith is one analysis, strict or not.
func analyseWith(t *trace.Trace, limits Limits, predicting, strict bool, first func(both)) (*inquiry, *Result, error) {
	if err := t.Validate(); err != nil {
		return nil, nil, err
	}
	limits = limits.withDefaults()
	p := newProgram(t, strict)
	q := &inquiry{p: p, limits: limits, out: map[string]*Finding{}, cut: map[string]bool{}, predicting: predicting, tried: map[string]int{},
		alone: map[selectCase]trace.Ref{}, useful: map[selectCase]bool{}}
	q.collect()
	cov, err := orders(p, limits, func(b both) error {
		if !q.other {
			first(b)
		}
		q.look(b)
		q.all()
		if predicting && !q.other {
			q.predictOthers()
		}
		q.other = true
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	q.other = false
	q.reportCases()
	helped := map[trace.Ref]bool{} // operations that could have had a partner in some order
	for _, f := range q.out {
		helped[f.refs[0]] = helped[f.refs[0]] || alone[f.Code] != ""
	}
	r := &Result{
		Program: t.Program, Goroutines: len(t.Goroutines), Events: p.events, Coverage: cov,
		Findings: make([]Finding, 0, len(q.out)), Limits: []string{},
	}
	for _, k := range q.keys {
		if f := q.out[k]; helped[f.refs[0]] && isAlone(f.Code) {
			continue
		}
		r.Findings = append(r.Findings, *q.out[k])
	}
	sort.SliceStable(r.Findings, func(i, j int) bool { return lessFinding(&r.Findings[i], &r.Findings[j]) })
	for limit := range q.cut {
		r.Limits = append(r.Limits, limit)
	}
	if !cov.Complete {
		r.Limits = append(r.Limits, fmt.Sprintf("not all orders of operations on buffered channels were looked at, but %d", cov.Orders))
	}
	if cov.Forced > 0 {
		r.Limits = append(r.Limits, fmt.Sprintf("the trace is not whole: what %s waited for is not recorded, or does not fit", counted(cov.Forced, "operation")))
	}
	if cov.Mismatched > 0 {
		r.Limits = append(r.Limits, fmt.Sprintf("%s a partner that cannot be one", counted(cov.Mismatched, "operation")+verb(cov.Mismatched, " names", " name")))
	}
	slices.Sort(r.Limits)
	return q, r, nil
}

// look takes the clocks of an order.
func (q *inquiry) look(b both) {
	q.both = b
	for i := range q.chans {
		c := &q.chans[i]
		for dir := range c.users {
			c.cursors[dir], c.last[dir].cursors = nil, nil
			for k := range c.users[dir] {
				c.users[dir][k].ranks = nil
			}
		}
	}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// lessFinding orders findings: by code, object and operations.
func lessFinding(a, b *Finding) bool {
	c := cmp.Or(cmp.Compare(place(a.Code), place(b.Code)), slices.CompareFunc(a.refs, b.refs, compareRefs), cmp.Compare(a.Object, b.Object))
	if c == 0 && a.Case != nil && b.Case != nil {
		c = cmp.Compare(*a.Case, *b.Case)
	}
	return c < 0
}

// alone has, for each code of a goroutine that stays where it could have had a partner, that of one which could not.
var alone = map[Code]Code{
	LeakUnbuffered: LeakUnbufferedAlone, LeakBuffered: LeakBufferedAlone, LeakSelect: LeakSelectAlone,
	LeakLock: LeakLockAlone, LeakWaitGroup: LeakWaitGroupAlone, LeakCond: LeakCondAlone,
}

func isAlone(c Code) bool {
	for _, a := range alone {
		if a == c {
			return true
		}
	}
	return false
}

// all runs the analyses on the clocks of an order.
func (q *inquiry) all() {
	if !q.other {
		q.actual()
	}
	q.prepareLocks()
	q.contention()
	q.sendOnClosed()
	q.alternatives()
	q.concurrentReceives()
	q.casesWithoutPartner()
	q.dangling()
	q.waitGroups()
	points := q.waitings()
	q.lockCycles(points)
	q.mixedCycles(points)
	q.unlocks()
	q.races()
}

// collect finds the uses of channels.
func (q *inquiry) collect() {
	q.chans = make([]channel, len(q.p.t.Objects)+1)
	add := func(g int32, op trace.Op, object trace.ObjectID, u use) {
		users := &q.chans[object].users[direction(op)]
		if n := len(*users); n == 0 || (*users)[n-1].g != g {
			*users = append(*users, user{g: g})
		}
		by := &(*users)[len(*users)-1]
		if n := len(by.uses); n > 0 && by.uses[n-1].pc == u.pc {
			old := &by.uses[n-1]
			old.taken = old.taken || u.taken
			old.unchosen = old.unchosen && u.unchosen
			return
		}
		by.uses = append(by.uses, u)
	}
	for g := range q.p.ops {
		for i := range q.p.ops[g] {
			o := &q.p.ops[g][i]
			r := ref(int32(g), int32(i+1))
			pre := q.p.preEvent(r)
			post := q.p.postEvent(r)
			if pre.Op == trace.OpClose && post != nil && !post.Has(trace.Panicked) {
				q.chans[pre.Object].closes = append(q.chans[pre.Object].closes, r)
			}
			if post != nil && (o.op == trace.OpSend || o.op == trace.OpRecv) && q.p.t.Object(o.object).Cap > 0 {
				q.buffered = true
			}
			switch pre.Op {
			case trace.OpSend, trace.OpRecv:
				if post == nil || !post.Has(trace.Panicked) {
					add(int32(g), pre.Op, pre.Object, use{pc: r.PC, taken: post != nil || o.peer.Known()})
				}
			case trace.OpSelect:
				done := post != nil || o.op != trace.OpSelect
				for n, c := range pre.Cases {
					taken := done && c.Op == o.op && c.Object == o.object && (post == nil || int(post.Case) == n)
					panicked := post != nil && post.Has(trace.Panicked) && c.Op == o.op && c.Object == o.object
					if !panicked {
						add(int32(g), c.Op, c.Object, use{pc: r.PC, taken: taken, unchosen: done && !taken})
					}
				}
			}
		}
	}
	for i := range q.chans {
		for dir := range q.chans[i].users {
			users := q.chans[i].users[dir]
			for k := range users {
				by := &users[k]
				by.done = make([]int32, len(by.uses)+1)
				for i, u := range by.uses {
					by.done[i+1] = by.done[i]
					if u.taken {
						by.done[i+1]++
					}
				}
			}
		}
	}
}

// cursor is where the uses of a goroutine are concurrent with an operation of another one: they are in one
// piece, behind what was before it, and in front of what is after it. Both ends only go forward along the
// goroutine of the operation.
type cursor struct{ pc, from, to int32 }

// maxSteady is how many uses are gone through one by one before they are searched.
const maxSteady = 4

// forward is the first index from at on for which f holds, and n if there is none; f holds for all behind that.
// It is near to at, as a rule.
func forward(at, n int, f func(i int) bool) int {
	for range maxSteady {
		if at >= n || f(at) {
			return at
		}
		at++
	}
	far := maxSteady
	for at+far < n && !f(at+far) {
		at += far + 1
		far *= 2
	}
	return at + sort.Search(min(far, n-at), func(i int) bool { return f(at + i) })
}

// interval are the indices of the uses of a user, which is given by its index, that are concurrent with an
// operation; in its own goroutine, it alone, if it is one of them.
func (q *inquiry) interval(e trace.Ref, object trace.ObjectID, dir, by int) (from, to int) {
	c := &q.chans[object]
	h, list := c.users[dir][by].g, c.users[dir][by].uses
	at := &c.cursorsOf(dir, int32(e.Goroutine-1))[by]
	if at.pc == e.PC {
		return int(at.from), int(at.to)
	}
	if at.pc > e.PC {
		*at = cursor{}
	}
	if h == int32(e.Goroutine-1) {
		from = forward(int(at.from), len(list), func(i int) bool { return list[i].pc >= e.PC })
		to = forward(max(from, int(at.to)), len(list), func(i int) bool { return list[i].pc > e.PC })
	} else {
		known := q.must.known(e, h)
		from = forward(int(at.from), len(list), func(i int) bool { return !q.must.endedBy(ref(h, list[i].pc), known) })
		to = max(from, int(at.to))
		if end, ok := q.must.postOf(e); ok {
			to = forward(to, len(list), func(i int) bool { return q.must.known(ref(h, list[i].pc), end.g) >= end.own })
		} else {
			to = len(list)
		}
	}
	q.compared++
	*at = cursor{e.PC, int32(from), int32(to)}
	return from, to
}

// between are the uses of a user that are concurrent with an operation of another goroutine.
func (q *inquiry) between(e trace.Ref, object trace.ObjectID, dir, by int) []use {
	from, to := q.interval(e, object, dir, by)
	return q.chans[object].users[dir][by].uses[from:to]
}

// maxCompared bounds how often the operations of two goroutines are compared for notes.
const maxCompared = 20_000_000

// tires reports whether that bound was reached.
func (q *inquiry) tires() bool {
	if q.compared > maxCompared {
		q.cut["alternatives were not looked for in all of the trace"] = true
	}
	return q.compared > maxCompared
}

// partners are the operations on a channel in a direction that are concurrent with an operation, by
// goroutine. On a buffered channel they must also fit it, see rank.
func (q *inquiry) partners(e trace.Ref, object trace.ObjectID, dir int, f func(h int32, list []use)) {
	if object == 0 {
		return
	}
	c := &q.chans[object]
	buffered := q.p.t.Object(object).Cap > 0
	var eLeast, eMost int32
	if buffered {
		eLeast, eMost = q.rank(e, object, 1-dir)
	}
	for by := range c.users[dir] {
		u := &c.users[dir][by]
		if u.g == int32(e.Goroutine-1) {
			continue
		}
		from, to := q.interval(e, object, dir, by)
		if buffered && from < to {
			// Both places grow along the goroutine.
			from += sort.Search(to-from, func(i int) bool { return eLeast <= q.placing(object, dir, by, from+i).most })
			to = from + sort.Search(to-from, func(i int) bool { return q.placing(object, dir, by, from+i).least > eMost })
		}
		if from < to {
			f(u.g, u.uses[from:to])
		}
	}
}

// rank says which places in the order of the channel an operation in a direction can have: behind
// all that are before it, in front of all that are after it. Only what was done counts. A receive
// gets the value of the send at its place.
func (q *inquiry) rank(e trace.Ref, object trace.ObjectID, dir int) (least, most int32) {
	c := &q.chans[object]
	for by := range c.users[dir] {
		u := &c.users[dir][by]
		from, to := q.interval(e, object, dir, by)
		least += u.done[from]
		most += u.done[to]
		if u.g == int32(e.Goroutine-1) {
			// It is one of them itself.
			most -= u.done[to] - u.done[from]
		}
	}
	return least, most
}

// placing is the rank of a use, which is given by the indices of its user, and among the uses of that.
func (q *inquiry) placing(object trace.ObjectID, dir, by, i int) placing {
	u := &q.chans[object].users[dir][by]
	if u.ranks == nil {
		u.ranks = make([]placing, len(u.uses))
	}
	if !u.ranks[i].known {
		least, most := q.rank(ref(u.g, u.uses[i].pc), object, dir)
		u.ranks[i] = placing{least, most, true}
	}
	return u.ranks[i]
}

// maxNamed is how many operations a finding names.
const maxNamed = 8

// listed are the partners of an operation in a direction that could have been: at most maxNamed, and
// how many there are.
func (q *inquiry) listed(e trace.Ref, object trace.ObjectID, dir int, but trace.Ref) ([]trace.Ref, int) {
	return q.appendListed(nil, e, object, dir, but)
}

// appendListed is listed, with what is named behind what is in a list.
func (q *inquiry) appendListed(out []trace.Ref, e trace.Ref, object trace.ObjectID, dir int, but trace.Ref) ([]trace.Ref, int) {
	most := len(out) + maxNamed
	n := 0
	q.partners(e, object, dir, func(h int32, list []use) {
		n += len(list)
		if h == int32(but.Goroutine-1) {
			if _, found := slices.BinarySearchFunc(list, but.PC, func(u use, pc int32) int { return cmp.Compare(u.pc, pc) }); found {
				n--
			}
		}
		for _, u := range list {
			if len(out) == most {
				break
			}
			if r := ref(h, u.pc); r != but {
				out = append(out, r)
			}
		}
	})
	return out, n
}

// operation is how a finding names an operation: of a select the case on the object, if it is one.
func (q *inquiry) operation(r trace.Ref, object trace.ObjectID) Operation {
	pre := q.p.preEvent(r)
	o := Operation{Goroutine: r.Goroutine, PC: r.PC, Op: pre.Op.String(), Pending: q.p.info(r).post < 0 && !q.p.info(r).peer.Known()}
	pos := q.p.t.Position(pre.Pos)
	switch pre.Op {
	case trace.OpSelect:
		if object > 0 {
			o.Object = q.p.t.ObjectName(object)
		}
	case trace.OpEnd, trace.OpGo:
	default:
		o.Object = q.p.t.ObjectName(pre.Object)
	}
	o.Position, o.Func, o.Site = pos.String(), pos.Func, pos.Site
	return o
}

// keyOf is the same for findings that are one: with the same code at the same places.
func (q *inquiry) keyOf(code Code, reordered bool, index *int, object trace.ObjectID, refs []trace.Ref) []byte {
	key := append(q.key[:0], code...)
	number := func(what byte, n int) { key = binary.AppendUvarint(append(key, what), uint64(n)) }
	if reordered {
		number('r', 1)
	}
	if index != nil {
		number('c', *index)
	}
	from := min(namedFrom(code), len(refs))
	selects := false
	for i, r := range refs {
		pre := q.p.preEvent(r)
		selects = selects || pre.Op == trace.OpSelect
		if pos := pre.Pos; pos > 0 {
			// Of several at one place that are named for the same reason the place counts once.
			if i > from && slices.ContainsFunc(refs[from:i], func(r trace.Ref) bool { return q.p.preEvent(r).Pos == pos }) {
				continue
			}
			number('@', int(pos))
		} else {
			number('g', int(r.Goroutine))
			number('.', int(r.PC))
		}
	}
	// A select can be there for several objects.
	if selects {
		if pos := q.p.t.Object(object).Pos; pos > 0 {
			number('p', int(pos))
		} else {
			number('o', int(object))
		}
	}
	q.key = key
	return key
}

// repeats counts one more instance of a note that never has a witness, and reports whether there was one before.
func (q *inquiry) repeats(code Code, index *int, object trace.ObjectID, refs []trace.Ref) bool {
	old := q.out[string(q.keyOf(code, false, index, object, refs))]
	if old != nil && !q.other {
		old.Count++
	}
	return old != nil
}

// report notes a finding. Findings with the same code at the same places are one.
func (q *inquiry) report(f Finding, object trace.ObjectID, refs ...trace.Ref) {
	key := q.keyOf(f.Code, f.Reordered, f.Case, object, refs)
	if old := q.out[string(key)]; old != nil {
		if !q.other && f.Count == 0 {
			old.Count++
		} else if f.Count > old.Count {
			old.Count = f.Count
		}
		// What the first instance has no witness for another one may have.
		if !old.Witness && old.tries < q.limits.Pairs {
			old.tries++
			old.Witness = q.witness(&f)
			if old.Witness && kinds[place(f.Code)].level == predicted {
				old.Level = Error
			}
		}
		if q.predicting {
			q.predict(old, &f, slices.Clone(refs))
		}
		return
	}
	// What is passed is copied only here, as nearly all findings are instances of one that is there.
	f.refs = slices.Clone(refs)
	f.Witness = q.witness(&f)
	for _, r := range refs {
		f.Operations = append(f.Operations, q.operation(r, object))
	}
	if f.say != nil {
		f.Message = f.say()
	}
	f.say, f.reorders = nil, nil
	q.predict(&f, &f, f.refs)
	f.Count = max(1, f.Count)
	f.OtherOrder = q.other
	f.Title = f.Code.Title()
	if f.Level == "" {
		if f.Level = kinds[place(f.Code)].level; f.Level == predicted {
			f.Level = Warning
			if f.Witness {
				f.Level = Error
			}
		}
	}
	k, kept := string(key), f
	if kept.key = k; f.Reordered {
		kept.key = string(q.keyOf(f.Code, false, f.Case, object, refs))
	}
	q.out[k] = &kept
	q.keys = append(q.keys, k)
}

// namedFrom is the index of the first operation of a finding that is one of any number.
func namedFrom(c Code) int {
	switch {
	case c == MP:
		return 0
	case c == ASC || c == DR || c[0] == 'L':
		return 1
	case c == AC:
		return 2
	}
	return math.MaxInt
}

// witness reports whether there is a reordering that shows a finding.
func (q *inquiry) witness(f *Finding) bool {
	if f.reorders != nil && q.buffered {
		return q.possible(f.reorders.pending, f.reorders.done)
	}
	return f.Witness
}

// name is an operation in a message.
func (q *inquiry) name(r trace.Ref, object trace.ObjectID) string {
	return q.operation(r, object).String()
}

// names are operations in a message; n is how many there are.
func (q *inquiry) names(refs []trace.Ref, object trace.ObjectID, n int) string {
	var out []string
	times := map[string]int{}
	for _, r := range refs {
		name := q.name(r, object)
		if times[name]++; times[name] == 1 {
			out = append(out, name)
		}
	}
	for i, name := range out {
		if times[name] > 1 {
			out[i] += fmt.Sprintf(" (%d times)", times[name])
		}
	}
	s := strings.Join(out, ", ")
	if n > len(refs) {
		s += fmt.Sprintf(" and %d more", n-len(refs))
	}
	return s
}
