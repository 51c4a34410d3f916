package verifyta

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// output is what verifyta printed about one query.
type output struct {
	verdict check.Verdict
	reason  string
	stored  int
	memory  int64
	trace   string // as printed, "" if none
}

var (
	verdictLine = regexp.MustCompile(`(?m)^\s*-- (?:Formula|Property) (is satisfied|is NOT satisfied|MAY be satisfied|MAY NOT be satisfied)\.`)
	abortLine   = regexp.MustCompile(`(?m)^\s*-- Aborted\.`)
	errorLine   = regexp.MustCompile(`(?m)^(.*?)\[error\]\s*(.*)$`)
	storedLine  = regexp.MustCompile(`(?m)^\s*-- States stored : (\d+) states`)
	memoryLine  = regexp.MustCompile(`(?m)^\s*-- Resident memory used : (\d+) KiB`)
	stateStart  = regexp.MustCompile(`(?mi)^state\b`)
	eraseLine   = strings.NewReplacer("\x1b[2K", "", "\x1b[K", "", "\r\n", "\n", "\r", "\n")
)

// readOutput understands the two streams; failed is how the process ended.
func readOutput(stdout, stderr string, failed error) (*output, error) {
	stdout, stderr = eraseLine.Replace(stdout), eraseLine.Replace(stderr)
	o := &output{}
	number := func(re *regexp.Regexp) int64 {
		m := re.FindStringSubmatch(stdout)
		if m == nil {
			return 0
		}
		n, _ := strconv.ParseInt(m[1], 10, 64)
		return n
	}
	o.stored, o.memory = int(number(storedLine)), number(memoryLine)<<10
	if at := stateStart.FindStringIndex(stderr); at != nil {
		o.trace = stderr[at[0]:]
	}
	switch m := verdictLine.FindStringSubmatch(stdout); {
	case m != nil:
		switch m[1] {
		case "is satisfied":
			o.verdict = check.True
		case "is NOT satisfied":
			o.verdict = check.False
		default:
			o.verdict, o.reason = check.Maybe, "verifyta: the formula "+m[1]
		}
		return o, nil
	case abortLine.MatchString(stdout):
		o.verdict, o.reason = check.Error, "verifyta: aborted"
		if _, text := errorsIn(stderr + "\n" + stdout); text != "" {
			o.reason = "verifyta: " + text
		}
		return o, nil
	}
	inQuery, text := errorsIn(stderr + "\n" + stdout)
	switch {
	case text != "" && inQuery:
		o.verdict, o.reason = check.Error, "verifyta: "+text
		return o, nil
	case text != "":
		return nil, fmt.Errorf("verifyta refuses the model: %s", text)
	case failed != nil:
		return nil, fmt.Errorf("verifyta: %w: %s", failed, excerpt(stderr+"\n"+stdout))
	}
	return nil, fmt.Errorf("verifyta: no verdict: %s", excerpt(stdout+"\n"+stderr))
}

// errorsIn collects the lines of errors, without the path of the scratch
// directory; inQuery reports that all are about the query.
func errorsIn(text string) (inQuery bool, messages string) {
	var list []string
	inQuery = true
	for _, m := range errorLine.FindAllStringSubmatch(text, -1) {
		place := strings.TrimSpace(m[1])
		place = place[strings.LastIndexAny(place, `/\`)+1:]
		inQuery = inQuery && strings.HasPrefix(place, queryFile)
		list = append(list, strings.TrimSpace(place+" "+m[2]))
	}
	return inQuery, strings.Join(list, "; ")
}

func excerpt(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > 500 {
		text = text[:500] + "..."
	}
	if text == "" {
		return "it printed nothing"
	}
	return text
}

// result is the answer, with the trace if there is one.
func (o *output) result(info *uppaal.Info) check.Result {
	r := check.Result{Verdict: o.verdict, Reason: o.reason}
	if o.trace == "" || o.verdict != check.True && o.verdict != check.False {
		return r
	}
	trace, err := readTrace(info, o.trace)
	if err != nil {
		r.Reason = "the trace of verifyta is not understood: " + err.Error()
		return r
	}
	r.Trace = trace
	return r
}
