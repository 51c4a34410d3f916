// Package findings has a page for each kind of error that vtrace finds: what it is, a program
// that has it, what usually helps, and the program without it.
package findings

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
)

//go:embed *.md
var pages embed.FS

const suffix = ".md"

// Page is the page of a kind of error by the identifier of its rule, as in "goroutine-leak", in
// Markdown; false if there is none.
func Page(id string) (string, bool) {
	text, err := pages.ReadFile(id + suffix)
	return string(text), err == nil
}

// Help is what usually helps against a kind of error: a paragraph of its page, in its lines; "" if there is none. If the
// page has a list there, of what helps those who wait for one thing or another, as in "- **lock**: …", then
// only that for these; all if none is given.
func Help(id string, waiting ...string) string {
	text, _ := Page(id)
	_, text, ok := strings.Cut(text, "\n\n"+helps)
	if !ok {
		return ""
	}
	text, _, _ = strings.Cut(text, "\n\n")
	if len(waiting) == 0 {
		return text
	}
	var out []string
	drop := false
	for line := range strings.Lines(text) {
		if label, ok := strings.CutPrefix(line, "- **"); ok {
			label, _, _ = strings.Cut(label, "**")
			drop = !slices.Contains(waiting, label)
		}
		if !drop {
			out = append(out, line)
		}
	}
	return strings.ReplaceAll(strings.TrimSpace(strings.Join(out, "")), "**", "")
}

// helps begins the paragraph of a page that says what usually helps.
const helps = "What helps: "

// URL is the address of a page.
func URL(id string) string {
	return "https://github.com/vtrace/vtrace/blob/main/docs/findings/" + id + suffix
}

// IDs are the identifiers of all pages, sorted.
func IDs() []string {
	var out []string
	names, _ := fs.Glob(pages, "*"+suffix) // the pattern is well formed
	for _, n := range names {
		out = append(out, strings.TrimSuffix(n, suffix))
	}
	return out
}
