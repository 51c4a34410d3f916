package main

import (
	"io"
	"os"
	"regexp"
)

// Reports have colours on a terminal, for who looks for something in them: nothing is said by a colour alone, and
// without the colours the text is the same. They are put in when it is printed, so that what wraps lines and aligns
// columns knows nothing of them, and what a program has printed cannot make any.

// The colours, by the parameters of "Select Graphic Rendition" in ECMA-48: those that terminals show in a way
// that can be read on their own background.
const (
	bold   = "1"
	red    = "1;31"
	green  = "32"
	yellow = "1;33"
	cyan   = "36"
)

// A tint gives what a group of an expression matches a colour.
type tint struct {
	match  *regexp.Regexp
	colour string
}

// tints are those of reports. Expressions are for lines, and have one group; what has a colour begins no line any more.
var tints = []tint{
	{regexp.MustCompile(`(?m)^(\d+\. REAL: .*?)(?: at \S+:\d+(?::\d+)?)?(?: in \S+)?$`), red},
	{regexp.MustCompile(`(?m)^(\d+\. (?:[A-Z]{2,}[A-Z -]*|accepted): .*?)(?: at \S+:\d+(?::\d+)?)?(?: in \S+)?$`), yellow},
	{regexp.MustCompile(`(?m)^   reproduce: (.*)$`), cyan},
	{regexp.MustCompile(`(?m)^   (goroutines|objects, and where they were made|interleaving|what helps|reproduce)\b.*`), bold},
	{regexp.MustCompile(`(?m)^ +\d*(?:-\d+)?  \S+:\d+ +(blocked: )`), red},
	{regexp.MustCompile(`(?m)^     \S+ .*?(\((?:blocked|panicked)\))`), red},
	{regexp.MustCompile(`(?m)^(what this result does not cover)`), bold},
	{regexp.MustCompile(`(?m)^\S.*?(?:  |: )(\d+ real errors?)\b`), red},
	{regexp.MustCompile(`(?m)^\S.*?(?:  |: )(no error)$`), green},
}

// colours reports whether what is written there is shown with colours: on a terminal that knows them, unless
// NO_COLOR is set (https://no-color.org).
func colours(w io.Writer) bool {
	_, ok := terminal(w)
	return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// printReport writes the text of a report, in which there is nothing that a terminal takes for a command.
func printReport(w io.Writer, text string) error {
	if colours(w) {
		text = painted(text)
	}
	_, err := io.WriteString(w, text)
	return err
}

// painted is a text with colours.
func painted(text string) string {
	for _, t := range tints {
		out, end := make([]byte, 0, len(text)+len(text)/8), 0
		for _, m := range t.match.FindAllStringSubmatchIndex(text, -1) {
			out = append(out, text[end:m[2]]...)
			out = append(out, "\x1b["+t.colour+"m"...)
			out = append(out, text[m[2]:m[3]]...)
			out = append(out, "\x1b[0m"...)
			end = m[3]
		}
		text = string(append(out, text[end:]...))
	}
	return text
}
