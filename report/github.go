package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/vtrace/vtrace/internal/explain"
)

// GitHub writes findings as workflow commands, which GitHub shows as annotations at the lines of
// a change. What several entry points show at the same place is written once. The zero value is
// ready. It is not safe for concurrent use.
type GitHub struct {
	// Path is the path of a file of the program in the repository, slash-separated; nil: the same.
	Path func(file string) string
	seen map[string]bool
}

// annotations are the names of workflow commands by level.
var annotations = map[string]string{levelError: "error", levelWarning: "warning", levelNote: "notice"}

// Write writes the findings of a result that were not written before.
func (g *GitHub) Write(w io.Writer, r Result) error {
	if g.seen == nil {
		g.seen = map[string]bool{}
	}
	if r.LeftOut != "" {
		return nil // it is in the log
	}
	var out strings.Builder
	if r.Bundle == nil {
		fmt.Fprintf(&out, "::error title=vtrace::%s\n", escapeData(fmt.Sprintf("%s was not checked: %v", r.name(), r.Err)))
		_, err := io.WriteString(w, out.String())
		return err
	}
	for _, f := range r.Bundle.Findings() {
		level, ok := levelOf(f)
		rule, known := ruleOf(f.Kind)
		if !ok || !known || r.accepted(f) != nil {
			continue
		}
		print := level + fingerprint(r.Bundle, f, rule)
		if g.seen[print] {
			continue
		}
		g.seen[print] = true
		at := ""
		if p := explain.Place(f); p.File != "" {
			file := p.File
			if g.Path != nil {
				file = g.Path(file)
			}
			at = fmt.Sprintf("file=%s,line=%d,", escapeProperty(file), max(p.Line, 1))
			if col := column(r.Bundle, p); col > 0 {
				at += fmt.Sprintf("col=%d,", col)
			}
		}
		fmt.Fprintf(&out, "::%s %stitle=%s::%s\n", annotations[level], at, escapeProperty("vtrace: "+rule.id), escapeData(details(f)))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func escapeData(s string) string { return dataEscapes.Replace(strings.TrimSpace(printable(s))) }

func escapeProperty(s string) string { return propertyEscapes.Replace(printable(s)) }
