package explain

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/goroutine"
	"github.com/vtrace/vtrace/internal/sites"
)

const (
	// maxWidth is the width that the columns of the goroutines share, and minColumn what each
	// has at least.
	maxWidth  = 100
	minColumn = 24
	// maxTable is how wide a table with a column for each goroutine may be to be read.
	maxTable = 150
	// maxColumns is the number of goroutines up to which each has a column.
	maxColumns = 6
	// leftOutMark stands in place of the number of steps that are left out.
	leftOutMark = "..."
)

// Table is the interleaving of a finding as text: a line for each step, a column for each
// goroutine, with who is blocked, and where, and behind the steps the accesses that race, or the
// crash. With many goroutines there is one column that names them. Steps of which nothing is said belong
// to the row of their goroutine that comes next, which has their numbers, too.
func Table(f artifact.Finding) []string {
	return tableOf(f, func(steps []artifact.FindingStep) []artifact.FindingStep { return steps })
}

// ShortTable is Table for people, who read no long one: of the rounds of a loop the first and the last one stay, and of what
// is long all the same its beginning and its end, with what each goroutine does last, and where it starts. What is left out
// is said.
func ShortTable(f artifact.Finding) []string { return tableOf(f, elided) }

// tableOf is a table of the steps that a function leaves of those of which something is said. A step 0 stands for what it has
// left out.
func tableOf(f artifact.Finding, left func([]artifact.FindingStep) []artifact.FindingStep) []string {
	lines := columns(f, left, maxColumns)
	if slices.ContainsFunc(lines, func(line string) bool { return utf8.RuneCountInString(line) > maxTable }) {
		return columns(f, left, 1)
	}
	return lines
}

// columns is a table with a column for each goroutine, if there are no more than some number of them.
func columns(f artifact.Finding, left func([]artifact.FindingStep) []artifact.FindingStep, most int) []string {
	var goroutines []string
	seen := func(g string) {
		if g != "" && g != artifact.TimeStep && !slices.Contains(goroutines, g) {
			goroutines = append(goroutines, g)
		}
	}
	own := func(s artifact.FindingStep) bool { return sites.IsEntryFile(s.File) && !isKind(s, sites.Select) }
	all, naming := f.Interleaving, NamingOf(f)
	steps, behind := folded(f, left(withoutApproaches(slices.DeleteFunc(slices.Clone(f.Interleaving), own))))
	f.Interleaving = steps
	for _, s := range steps {
		seen(s.G)
	}
	crash := -1 // the step in which the program crashes: what is deferred comes behind it
	var ends []artifact.FindingGoroutine
	for _, g := range f.Goroutines {
		switch {
		case g.File != "" && (g.State == artifact.StateBlocked || f.Kind == artifact.KindRace):
			seen(g.G)
			ends = append(ends, g)
		case f.Kind == artifact.KindMapRace && MapUse(g) != "":
			seen(g.G)
			ends = append(ends, g)
		case g.State == artifact.StatePanicked && f.File != "":
			seen(g.G)
			if crash = lastAt(f.Interleaving, g.G, f.File, f.Line); crash >= 0 {
				continue
			}
			g.File, g.Line, g.Text = f.File, f.Line, f.Message
			ends = append(ends, g)
		}
	}
	slices.SortStableFunc(goroutines, goroutine.Compare)
	t := &table{goroutines: goroutines, finding: f, naming: naming}
	head := []string{"step", "where"}
	if len(goroutines) > most {
		t.goroutines = nil
		head = append(head, "goroutine", "what it does")
	} else {
		for _, g := range goroutines {
			head = append(head, Goroutine(f, g))
		}
	}
	ofLine, written := severalOperations(f.Interleaving), map[string]bool{}
	for _, s := range f.Interleaving {
		if s.Operation == opWrite {
			written[at(s.File, s.Line)] = true
		}
	}
	atomics := atomicCalls(f.Interleaving)
	before := map[string]artifact.FindingStep{} // what goroutines have done last
	merged := 0                                 // steps that the next row has, too
	var read []artifact.FindingRead             // what they have read
	for i, s := range f.Interleaving {
		switch {
		case s.Step == 0:
			t.rows = append(t.rows, row{cells: []string{leftOutMark, Renamed(f, s.Text)}})
			continue
		case s.G == artifact.TimeStep:
			t.rows = append(t.rows, row{cells: []string{"", "time passes"}, g: s.G, first: s.Step, last: s.Step})
			continue
		}
		if i+1 < len(f.Interleaving) && sameStatement(s, f.Interleaving[i+1]) {
			before[s.G] = s
			read = append(read, s.Reads...)
			merged++
			continue
		}
		s.Reads, read = slices.Concat(read, s.Reads), nil
		text := cmp.Or(atomics[s.Site], operation(s))
		if merged > 0 {
			text, merged = brief(s), 0 // of which these steps are the parts
		} else if s.Operation == opAccess && written[at(s.File, s.Line)] {
			text = "reads: " + brief(s) // and writes in a step of its own
		} else if ofLine[at(s.File, s.Line)] && text == brief(s) && !isKind(s, sites.Go, sites.Atomic) && s.Operation != opAccess {
			if c := call(sites.Named(s.Operation), s.Text); c != "" {
				text = c
				if strings.Contains(s.Text, "defer "+c) {
					text = "deferred " + c
				}
			} else {
				text = spoken(s.Operation) + ": " + text
			}
		}
		if s.Waits { // there is no result before it goes on
			text = noted(text, t.naming.shared(s.Object, t.naming.objectOf(s)))
		} else {
			text = noted(text, t.naming.Came(s))
		}
		woken := isKind(s, sites.CondWait) && before[s.G].Site == s.Site
		before[s.G] = s
		if woken {
			text = "woken: " + text
			delete(before, s.G) // if it is there once more, it waits again
		}
		blocked := false
		// Who begins to wait, and waits there at the end, is blocked from here.
		last := !slices.ContainsFunc(f.Interleaving[i+1:], func(o artifact.FindingStep) bool { return o.G == s.G })
		if k := slices.IndexFunc(ends, func(g artifact.FindingGoroutine) bool {
			return g.G == s.G && g.Site == s.Site && g.State == artifact.StateBlocked
		}); last && k >= 0 {
			if isKind(s, sites.Select) {
				text = t.waitsFor(ends[k])
			}
			ends = slices.Delete(ends, k, k+1)
			text, blocked = blockedText+text, true
		}
		if s.Waits && !blocked && !woken {
			text = waitsText + text // and goes on when a later step lets it
		}
		t.add(s.Step, s.Step, at(s.File, s.Line), s.G, text)
		if r, ok := behind[i]; ok {
			t.add(r.first, r.last, "", s.G, "the same by "+Names(r.goroutines)+", one after the other")
		}
		if i == crash && !strings.Contains(s.Text, "panic(") {
			t.add(0, 0, at(f.File, f.Line), s.G, f.Message)
		}
	}
	for _, g := range ends {
		text := blockedText + t.waitsFor(g)
		switch {
		case f.Kind == artifact.KindRace:
			text = Accessed(g.Operation) + ": " + g.Text
		case MapUse(g) != "":
			text = MapUse(g) + ": " + g.Text
		case g.State == artifact.StatePanicked:
			text = g.Text
		}
		t.add(0, 0, at(g.File, g.Line), g.G, text)
	}
	t.number(all, f.Interleaving)
	return t.lines(head)
}

// parts are operations within statements: what they do is in the text of the statement, and none of
// them waits.
var parts = map[string]bool{
	opAccess: true, opWrite: true, sites.Stmt.String(): true, sites.Store.String(): true, sites.Atomic.String(): true,
	opMapAccess: true, "reading of the clock": true, "length of a channel": true, opOperand: true,
}

// opApproach is the operation of a step in which a goroutine comes to what it does in its next one, while others act in
// between: what it works on is evaluated.
const opApproach = "approach"

// opRelease is the operation of a step behind one that has brought the counter of a WaitGroup to zero.
const opRelease = "release of waiters"

// opOperand is the operation of a step in which a goroutine calls a library, as for an operand.
const opOperand = "call of uninstrumented code"

// withoutApproaches leaves out the steps in which a goroutine only comes to an operation: to one that is the very next
// step, or, as all statements of some functions are steps, to an atomic one; and those in which it calls a library for
// its operands. Others in which it only comes to one say so.
func withoutApproaches(steps []artifact.FindingStep) []artifact.FindingStep {
	next := map[string]artifact.FindingStep{} // by goroutine
	var out []artifact.FindingStep
	for i, s := range slices.Backward(steps) {
		n := next[s.G]
		next[s.G] = s
		if n.G != "" && !severalStatements(s.Text) && n.File == s.File && n.Line == s.Line && n.Text == s.Text && !isKind(n, sites.End) &&
			(s.Operation == opAccess && (isKind(n, sites.Atomic) || !parts[n.Operation]) || s.Operation == opOperand && !parts[n.Operation]) {
			if s.Operation == opAccess && !isKind(n, sites.Atomic) && steps[i+1].G != s.G {
				s.Operation = opApproach
				out = append(out, s)
			}
			continue
		}
		out = append(out, s)
	}
	slices.Reverse(out)
	return out
}

// sameStatement reports whether two steps, one right after the other, are parts of one execution of a
// statement: a row for each would only repeat its text.
func sameStatement(s, next artifact.FindingStep) bool {
	return s.G == next.G && s.Site != next.Site && s.File == next.File && s.Line == next.Line && s.Text == next.Text &&
		parts[s.Operation] && parts[next.Operation] && s.Result == "" && !s.Waits && !next.Waits
}

// elided shortens an interleaving as ShortTable has it. A step 0 stands for what is left out, and says it.
func elided(steps []artifact.FindingStep) []artifact.FindingStep {
	const head, tail, last = 20, 40, 6
	steps = withoutRounds(steps)
	if len(steps) <= head+tail+1 {
		return steps
	}
	keep := make([]bool, len(steps))
	own := map[string][]int{} // steps, by goroutine
	for i, s := range steps {
		keep[i] = i < head || i >= len(steps)-tail
		if s.Step > 0 && s.G != artifact.TimeStep {
			own[s.G] = append(own[s.G], i)
		}
	}
	if len(own) <= maxColumns {
		for _, all := range own {
			keep[all[0]] = true
			for _, i := range all[max(len(all)-last, 0):] {
				keep[i] = true
			}
		}
	}
	for i := 1; i < len(steps)-1; i++ { // a line would stand for a single one anyway, and there is one for a loop
		keep[i] = keep[i] || keep[i-1] && keep[i+1]
	}
	var out []artifact.FindingStep
	for i := 0; i < len(steps); i++ {
		if keep[i] {
			out = append(out, steps[i])
			continue
		}
		end := i + slices.Index(keep[i:], true)
		out = append(out, artifact.FindingStep{Text: leftOut(steps[i:end], steps[i-1], steps[end])})
		i = end - 1
	}
	return out
}

// leftOut says of steps between two others that they are left out. One of the two may stand for steps that are left out,
// too.
func leftOut(steps []artifact.FindingStep, before, behind artifact.FindingStep) string {
	var gs []string
	for _, s := range steps {
		if s.Step > 0 && s.G != artifact.TimeStep && !slices.Contains(gs, s.G) {
			gs = append(gs, s.G)
		}
	}
	slices.SortFunc(gs, goroutine.Compare)
	text := "more steps are left out"
	if before.Step > 0 && behind.Step > 0 {
		text = fmt.Sprintf("steps %d-%d are left out", before.Step+1, behind.Step-1)
	}
	switch len(gs) {
	case 0:
		return text
	case 1:
		return text + ": goroutine " + gs[0] + " goes on alone"
	}
	return text + ", of goroutines " + Names(gs)
}

// roundsText says of so many rounds of a loop that they are left out, between the first one and a step.
func roundsText(first []artifact.FindingStep, behind artifact.FindingStep, rounds int) string {
	n := len(first)
	of := fmt.Sprintf("steps %d-%d", first[0].Step, first[n-1].Step)
	if n == 1 {
		of = fmt.Sprintf("step %d", first[0].Step)
	}
	return fmt.Sprintf("steps %d-%d: %s again, %d times", first[n-1].Step+1, behind.Step-1, of, rounds)
}

// withoutRounds leaves out the rounds of loops but for the first and the last one: the same steps of the same goroutines
// that come again and again.
func withoutRounds(steps []artifact.FindingStep) []artifact.FindingStep {
	const (
		longest = 40 // steps of a round
		fewest  = 4  // steps that are left out, and rounds
	)
	same := func(a, b artifact.FindingStep) bool { return a.G == b.G && a.Step > 0 && b.Step > 0 }
	rounds := func(i, period int) int {
		n := 1
		for first := steps[i : i+period]; i+(n+1)*period <= len(steps); n++ {
			next := steps[i+n*period : i+(n+1)*period]
			if !slices.EqualFunc(first, next, same) || !sameWork(first, next) {
				break
			}
		}
		return n
	}
	var out []artifact.FindingStep
next:
	for i := 0; i < len(steps); {
		for period := 1; period <= longest && i+fewest*period <= len(steps); period++ {
			if steps[i].G != steps[i+period].G || steps[i].Site != steps[i+period].Site {
				continue
			}
			n := rounds(i, period)
			if n < fewest || (n-2)*period < fewest {
				continue
			}
			from, to := i+period, i+(n-1)*period
			out = append(out, steps[i:from]...)
			out = append(out, artifact.FindingStep{Text: roundsText(steps[i:from], steps[to], n-2)})
			out = append(out, steps[to:to+period]...)
			i = to + period
			continue next
		}
		out = append(out, steps[i])
		i++
	}
	return out
}

// waitsFor is the operation in which a goroutine is blocked: of a select its cases, if they are known.
func (t *table) waitsFor(g artifact.FindingGoroutine) string {
	if len(g.Cases) == 0 {
		return noted(g.Text, t.naming.shared(g.Object, expression(g.Operation, g.Text)))
	}
	return "select: " + t.naming.Cases(g)
}

// nilOnly: all that a goroutine waits for is nil.
func nilOnly(g artifact.FindingGoroutine) bool {
	return strings.HasPrefix(g.Object, nilPrefix) && !strings.Contains(g.Object, ", ")
}

// Taken is what a case of a select does, "" of its default, and where several of its cases do the same.
func Taken(cases []string, c int) string {
	if c < 0 || c >= len(cases) || slices.Index(cases, cases[c]) < c || slices.Contains(cases[c+1:], cases[c]) {
		return ""
	}
	return cases[c]
}

// Cases are the cases of a select in words.
func Cases(cases []string) string {
	out := make([]string, len(cases))
	for i, c := range cases {
		out[i] = "case " + c
	}
	return strings.Join(out, ", ")
}

// blockedText stands before the operation in which a goroutine is blocked.
const blockedText = "blocked: "

// waitsText stands before an operation that could not be done at once, of a goroutine that went on later.
const waitsText = "waits: "

// lastAt is the index of the last step of a goroutine in a line, "" is any one; -1 if there is none.
func lastAt(steps []artifact.FindingStep, g, file string, line int) int {
	for i, s := range slices.Backward(steps) {
		if (g == "" || s.G == g) && s.File == file && s.Line == line {
			return i
		}
	}
	return -1
}

// severalOperations are the lines of which several operations are steps: what one of them does the
// text of the line does not tell.
func severalOperations(steps []artifact.FindingStep) map[string]bool {
	first, several := map[string]string{}, map[string]bool{}
	for _, s := range steps {
		if isKind(s, sites.Start) {
			continue // which says what it is
		}
		line := at(s.File, s.Line)
		if first[line] != "" && first[line] != s.Site {
			several[line] = true
		}
		first[line] = s.Site
	}
	return several
}

// Step is what a step does, in the words of the source, and what came of it.
func Step(s artifact.FindingStep) string { return noted(operation(s), Came(s)) }

// noted is a text about a step with a note, as on what has come of it.
func noted(text, note string) string {
	if note == "" {
		return text
	}
	return strings.TrimSuffix(text, " {") + " (" + note + ")"
}

// Came says what has come of a step: what it has given to the program, how it has left what it works on, how its
// condition has turned out; "" if nothing of that is known.
func Came(s artifact.FindingStep) string {
	if sites.IsEntryFile(s.File) {
		return ""
	}
	outcome := s.Outcome
	switch {
	case outcome == s.Result:
		outcome = "" // the condition is what the operation gives
	case outcome != "" && len(s.Reads) == 1 && isCondition(s.Text, s.Reads[0].Name):
		return outcome // which is what it has read
	case outcome != "" && (s.Result != "" || len(s.Reads) > 0):
		outcome = "condition " + outcome
	}
	return strings.Join(slices.DeleteFunc([]string{Result(s), reads(s), After(s), outcome}, func(s string) bool { return s == "" }), ", ")
}

// isCondition reports whether a line is a condition on one expression alone, or its negation.
func isCondition(text, name string) bool {
	cond, ok := strings.CutPrefix(text, "if ")
	if !ok {
		cond, ok = strings.CutPrefix(text, "for ")
	}
	return ok && strings.TrimPrefix(strings.TrimSuffix(cond, " {"), "!") == name
}

// reads says what a statement has read, "" if that is not known: of one expression without its name.
func reads(s artifact.FindingStep) string {
	if len(s.Reads) == 1 {
		return "reads " + s.Reads[0].Value
	}
	var all []string
	for _, r := range s.Reads {
		all = append(all, r.Name+" = "+r.Value)
	}
	if all == nil {
		return ""
	}
	return "reads " + strings.Join(all, ", ")
}

// Result says what the operation of a step has given to the program, "" if that is not known.
func Result(s artifact.FindingStep) string {
	switch s.Result {
	case "":
		return ""
	case closedResult:
		return "the channel is closed"
	}
	return "gives " + s.Result
}

// several are the goroutines of a list.
func several(list string) string {
	if strings.Contains(list, ", ") {
		return "goroutines " + list
	}
	return "goroutine " + list
}

// receives finds the case of a select that receives.
var receives = regexp.MustCompile(`(?:^|= ?)<-`)

// After says how the operation of a step has left what it works on, "" if that is not known, or Result says it.
func After(s artifact.FindingStep) string {
	if s.After == "" {
		return ""
	}
	switch sites.Named(s.Operation) {
	case sites.Send, sites.Recv, sites.Range, sites.Select:
		if g, ok := strings.CutPrefix(s.After, withPrefix); ok {
			switch {
			case isKind(s, sites.Send):
				return "to goroutine " + g
			case isKind(s, sites.Select) && !receives.MatchString(s.Taken):
				return "with goroutine " + g
			}
			return "from goroutine " + g
		}
		return "buffer " + s.After
	case sites.WaitGroupAdd, sites.WaitGroupDone, sites.WaitGroupGo:
		return "counter " + s.After
	case sites.CondSignal, sites.CondBroadcast:
		if s.After == nobody {
			return "wakes nobody"
		}
		return "wakes " + several(s.After)
	case sites.Atomic:
		if s.After != s.Result {
			return "stores " + s.After
		}
	case sites.Store:
		return "stores " + s.After
	}
	if s.Operation == opWrite || s.Operation == opAccess {
		return "stores " + s.After
	}
	return ""
}

// atomicCall finds an operation of package sync/atomic in a source line.
var atomicCall = regexp.MustCompile(`[\pL_][\pL\d_.]*(?:\[[^\[\]]*\][\pL\d_.]*)?\.(?:Load|Store|Add|Swap|CompareAndSwap|And|Or)(?:U?[Ii]nt(?:32|64|ptr)|Pointer)?\((?:[^()]|\([^()]*\))*\)`)

// atomicCalls are, by their sites, the atomic operations of lines that have several of them.
func atomicCalls(steps []artifact.FindingStep) map[string]string {
	type numbered struct {
		n    int
		site string
	}
	of, text := map[string][]numbered{}, map[string]string{} // by line
	for _, s := range steps {
		i := strings.LastIndexByte(s.Site, '#')
		n, err := strconv.Atoi(s.Site[i+1:])
		line := at(s.File, s.Line)
		if isKind(s, sites.Atomic) && i >= 0 && err == nil && !slices.Contains(of[line], numbered{n, s.Site}) {
			of[line], text[line] = append(of[line], numbered{n, s.Site}), s.Text
		}
	}
	out := map[string]string{}
	for line, all := range of {
		calls := atomicCall.FindAllString(text[line], -1)
		if len(all) < 2 || len(calls) != len(all) {
			continue
		}
		slices.SortFunc(all, func(a, b numbered) int { return a.n - b.n })
		for i, o := range all {
			out[o.site] = calls[i]
		}
	}
	return out
}

// operation is what a step does.
func operation(s artifact.FindingStep) string {
	if s.Operation == opApproach {
		return "comes to: " + brief(s)
	}
	switch kind := sites.Named(s.Operation); kind {
	case sites.Start:
		return "start of the goroutine"
	case sites.End:
		return "return"
	case sites.Select:
		switch {
		case sites.IsEntryFile(s.File): // the selects of which choose what the function is called with
			return fmt.Sprintf("is called with value number %d", s.Case+1)
		case s.Case < 0:
			return "select: default"
		case s.Taken != "":
			return "select: case " + s.Taken
		}
		return fmt.Sprintf("select: case number %d", s.Case+1)
	default:
		text := brief(s)
		if s.Operation == opRelease {
			return "lets those go on who wait: " + strings.TrimPrefix(text, "defer ")
		}
		if call, ok := strings.CutPrefix(text, "defer "); ok && !strings.HasPrefix(call, "func(") && s.Operation != opAccess && kind != sites.Stmt {
			return "deferred " + call // it is done when the function returns
		}
		if s.Operation == opAccess || kind == sites.Stmt {
			return text // what it reads and writes is in the text
		}
		if s.Operation == opWrite || kind == sites.Store {
			return "writes: " + text
		}
		switch s.Operation {
		case "cleanup":
			return "cleanup functions run"
		case "return from wait":
			return "comes back from " + text
		}
		if kind == sites.Invalid && !parts[s.Operation] {
			return spoken(s.Operation) + ": " + text
		}
		return text
	}
}

// maxStatement is how long a statement may be to stand for an operation in it.
const maxStatement = 60

// brief is the text of a step without what it does not do: the bodies of functions, and of a long statement, or one
// line of several, all but the operation, if that can be told.
func brief(s artifact.FindingStep) string {
	kind := sites.Named(s.Operation)
	inLiteral := strings.Contains(s.Site, "$") && function.MatchString(s.Text)
	if !kind.StartsGoroutine() && (severalStatements(s.Text) || inLiteral || utf8.RuneCountInString(s.Text) > maxStatement) {
		if c := call(kind, s.Text); c != "" {
			return c
		}
	}
	if severalStatements(s.Text) || inLiteral {
		form := assigning
		if kind == sites.Panic {
			form = panicking
		}
		if m := form.FindAllString(s.Text, -1); len(m) == 1 && (kind == sites.Panic || s.Operation == opAccess || s.Operation == opWrite) {
			return strings.TrimLeft(m[0], "{; ")
		}
	}
	if strings.HasPrefix(s.Text, "func ") {
		return s.Text // the body of which the step is a part
	}
	return withoutBodies(s.Text)
}

// severalStatements reports whether a line has more than one statement, as a function in one line has.
func severalStatements(text string) bool {
	switch first, _, _ := strings.Cut(text, " "); first {
	case "func":
		return true
	case "if", "for", "switch", "}":
		_, body, _ := strings.Cut(text, "{")
		return body != ""
	}
	return strings.Contains(text, "; ")
}

// The forms of statements among several in a line: an assignment and a panic.
var (
	assigning = regexp.MustCompile(`[{;] *` + assigned + `[^;{}]*[^;{} ]|[{;] *` + assigned)
	panicking = regexp.MustCompile(`panic\([^;{}]*\)`)
)

// function finds where the body of a function literal begins.
var function = regexp.MustCompile(`\bfunc\s*\([^(){}]*\)[^(){}]*(?:\([^(){}]*\)\s*)?\{`)

// withoutBodies is a line of source with "…" for the bodies of the function literals that begin in it.
func withoutBodies(text string) string {
	var b strings.Builder
	for {
		at := function.FindStringIndex(text)
		if at == nil {
			break
		}
		end := closingBrace(text[at[1]:])
		if end == 0 {
			break // it is empty
		}
		b.WriteString(text[:at[1]] + "…")
		if end < 0 { // it goes on in other lines
			text := b.String() + "}"
			return text + strings.Repeat(")", max(strings.Count(text, "(")-strings.Count(text, ")"), 0))
		}
		text = text[at[1]+end:]
	}
	return b.String() + text
}

// closingBrace is where the brace is closed in front of a text of source, -1 if it is not. Braces in strings may
// mislead it, as far as they do not come in pairs.
func closingBrace(text string) int {
	depth := 0
	for i, r := range text {
		switch r {
		case '{':
			depth++
		case '}':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}

// Accessed is an access that races, as findings have it, with a verb: "reads x" for "read of x".
func Accessed(operation string) string {
	for noun, verb := range map[string]string{"read": "reads", "write": "writes", "map read": "reads", "map write": "writes", "map iteration": "ranges over", "atomic read": "atomically reads", "atomic write": "atomically writes"} {
		if operation == noun {
			return verb
		}
		if what, ok := strings.CutPrefix(operation, noun+" of "); ok {
			return verb + " " + what
		}
	}
	switch operation {
	case opSend:
		return "sends on the channel"
	case opClose:
		return "closes the channel"
	}
	return operation
}

// spoken is an operation of a step in a report.
func spoken(operation string) string {
	switch operation {
	case opOperand:
		return "calls a library"
	case "reading of the clock":
		return "reads the clock"
	case "length of a channel":
		return "asks for a length"
	case "busy loop":
		return "goes round its loop again"
	}
	if kind := sites.Named(operation); kind != sites.Invalid {
		return kind.Spoken()
	}
	return operation
}

type table struct {
	finding    artifact.Finding
	naming     *Naming
	goroutines []string // those with a column
	rows       []row
}

// row is a line of a table before texts are cut to the width of their column.
type row struct {
	cells []string // those in front of the text
	of    int      // the column of the text among those of goroutines
	text  string
	// g does the steps from first to last, and others of which nothing is said; 0 is none.
	g           string
	first, last int
	others      []int
}

// add adds what a goroutine does in a step, or in several one after the other.
func (t *table) add(first, last int, where, g, text string) {
	text = strings.TrimSuffix(OneLine(text), " {") // which begins a block that is no part of it
	r := row{cells: []string{"", where}, text: text, g: g, first: first, last: last}
	if len(t.goroutines) > 0 {
		r.of = slices.Index(t.goroutines, g)
	} else {
		r.cells = append(r.cells, Goroutine(t.finding, g))
	}
	t.rows = append(t.rows, r)
}

// number writes the numbers of all steps to the rows. One of which nothing is said belongs to the next row of its goroutine,
// or to the last one. Some are left out between those that are shown.
func (t *table) number(steps, shown []artifact.FindingStep) {
	at := func(r row, s artifact.FindingStep) bool { return r.first > 0 && r.g == s.G && s.Step <= r.last }
	last, done := map[string]int{}, map[int]bool{} // row by goroutine; the steps that have one
	for i, r := range t.rows {
		if r.first == 0 {
			continue
		}
		last[r.g] = i
		for n := r.first; n <= r.last; n++ {
			done[n] = true
		}
	}
	for i, s := range shown {
		if s.Step == 0 && i > 0 && i < len(shown)-1 {
			for n := shown[i-1].Step + 1; n < shown[i+1].Step; n++ {
				done[n] = true
			}
		}
	}
	from := map[string]int{} // the row of each goroutine from which on its next step is
	for _, s := range steps {
		k, ok := last[s.G]
		if s.Step == 0 || done[s.Step] || !ok {
			continue
		}
		for from[s.G] < k && !at(t.rows[from[s.G]], s) {
			from[s.G]++
		}
		k = from[s.G]
		t.rows[k].others = append(t.rows[k].others, s.Step)
	}
	for i := range t.rows {
		t.rows[i].cells[0] = cmp.Or(t.rows[i].numbers(), t.rows[i].cells[0])
	}
}

// numbers are those of the steps of a row, as in "3, 5-7".
func (r row) numbers() string {
	type span struct{ first, last int }
	var spans []span
	if r.first > 0 {
		spans = append(spans, span{r.first, r.last})
	}
	for _, n := range r.others {
		spans = append(spans, span{n, n})
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	var out []string
	for i, s := range spans {
		if i+1 < len(spans) && s.last+1 == spans[i+1].first {
			spans[i+1].first = s.first
			continue
		}
		if s.first < s.last {
			out = append(out, fmt.Sprintf("%d-%d", s.first, s.last))
		} else {
			out = append(out, strconv.Itoa(s.first))
		}
	}
	return strings.Join(out, ", ")
}

// wrapped are the rows with texts cut to the widths of their columns. A text that is wider goes on in
// the next row.
func (t *table) wrapped(head []string) [][]string {
	widest := make([]int, max(len(t.goroutines), 1))
	for _, r := range t.rows {
		widest[r.of] = max(widest[r.of], utf8.RuneCountInString(r.text))
	}
	width := shares(widest, maxWidth)
	out := [][]string{head}
	for _, r := range t.rows {
		if r.text == "" {
			out = append(out, r.cells)
			continue
		}
		cells := append(slices.Clone(r.cells), make([]string, r.of)...)
		for _, part := range wrap(r.text, width[r.of]) {
			out = append(out, append(slices.Clone(cells), part))
			clear(cells)
		}
	}
	return out
}

// shares are the widths of columns that share one: each as wide as it has to be, or if that is too much
// as wide as the others that are cut, and no less than minColumn.
func shares(widest []int, all int) []int {
	width := slices.Clone(widest)
	var open []int // the columns that have no width yet
	for i := range widest {
		open = append(open, i)
	}
	for len(open) > 0 {
		share := max(all/len(open), minColumn)
		cut := slices.DeleteFunc(slices.Clone(open), func(i int) bool { return widest[i] <= share })
		if len(cut) == len(open) {
			for _, i := range cut {
				width[i] = share
			}
			break
		}
		for _, i := range open {
			if widest[i] <= share {
				all -= widest[i]
			}
		}
		open = cut
	}
	return width
}

// wrap cuts a text into parts of a width, at blanks where there are some, and else not within a word; the
// second and later ones are indented.
func wrap(text string, width int) []string {
	const indent = "  "
	var parts []string
	rest := []rune(text)
	for len(rest) > width {
		n := cutAt(rest, width)
		parts = append(parts, string(rest[:n]))
		rest = append([]rune(indent), []rune(strings.TrimLeft(string(rest[n:]), " "))...)
	}
	return append(parts, string(rest))
}

// cutAt is where a text is cut so that no more than a width stands in front: in its second half.
func cutAt(text []rune, width int) int {
	for i := width; i > width/2; i-- {
		if text[i] == ' ' {
			return i
		}
	}
	for i := width; i > width/2; i-- {
		if !inName(text[i-1]) && inName(text[i]) {
			return i
		}
	}
	return width
}

// inName reports whether a name may have a character.
func inName(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// lines pads the cells of a table to the width of their column. Numbers of steps are to the
// right.
func (t *table) lines(head []string) []string {
	var width []int
	rows := t.wrapped(head)
	for _, row := range rows {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			if i > 0 && i == len(row)-1 && row[0] == leftOutMark {
				continue // a text that goes on in the columns beside it, which are empty
			}
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	var out []string
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", max(width[i]-utf8.RuneCountInString(cell), 0))
			if i == 0 {
				b.WriteString(pad + cell)
				continue
			}
			b.WriteString("  " + cell + pad)
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return out
}

// OneLine makes of a text one line, also where a line of Go source ends.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' || r == 0 || r == '\ufeff' {
			return ' '
		}
		return r
	}, s)
}
