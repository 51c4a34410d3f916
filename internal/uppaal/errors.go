package uppaal

import (
	"fmt"
	"sort"
	"strings"
)

// String gives "where:line:col", leaving out what is unknown. It is empty for
// an unknown position.
func (p Pos) String() string {
	if p.Line == 0 {
		return p.Where
	}
	s := fmt.Sprintf("%d:%d", p.Line, p.Col)
	if p.Where == "" {
		return s
	}
	return p.Where + ":" + s
}

// An Error is one thing wrong with a model or query.
type Error struct {
	Pos Pos
	Msg string
}

// Error implements error: the position, if known, and the message.
func (e *Error) Error() string {
	if at := e.Pos.String(); at != "" {
		return at + ": " + e.Msg
	}
	return e.Msg
}

// Errors are several errors, in source order.
type Errors []*Error

// maxErrors bounds how many errors are reported at once.
const maxErrors = 50

// Error implements error: one error on each line.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the single errors to errors.Is and errors.As.
func (es Errors) Unwrap() []error {
	out := make([]error, len(es))
	for i, e := range es {
		out[i] = e
	}
	return out
}

// errorList collects errors in the order they are found, each with the rank
// of the text it belongs to, so that they can be put in source order.
type errorList struct {
	list []rankedError
	seen map[Error]bool
	more int // errors beyond the bound
	adds int // calls of add, for an error found again too
}

type rankedError struct {
	err  *Error
	rank int
}

// add records an error once. The rank orders texts; within one text the line
// and column do.
func (l *errorList) add(rank int, pos Pos, format string, args ...any) {
	e := Error{pos, fmt.Sprintf(format, args...)}
	l.adds++
	if l.seen[e] {
		return
	}
	if len(l.list) >= maxErrors {
		l.more++
		return
	}
	if l.seen == nil {
		l.seen = map[Error]bool{}
	}
	l.seen[e] = true
	l.list = append(l.list, rankedError{&e, rank})
}

// err gives the collected errors as an Errors in source order, or nil.
func (l *errorList) err() error {
	if len(l.list) == 0 {
		return nil
	}
	sort.SliceStable(l.list, func(i, j int) bool {
		a, b := l.list[i], l.list[j]
		if a.rank != b.rank {
			return a.rank < b.rank
		}
		if a.err.Pos.Line != b.err.Pos.Line {
			return a.err.Pos.Line < b.err.Pos.Line
		}
		return a.err.Pos.Col < b.err.Pos.Col
	})
	out := make(Errors, len(l.list), len(l.list)+1)
	for i, e := range l.list {
		out[i] = e.err
	}
	if l.more > 0 {
		out = append(out, &Error{Msg: fmt.Sprintf("%d more errors not shown", l.more)})
	}
	return out
}
