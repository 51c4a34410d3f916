package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/source"
)

// Unused finds out which comments, and which findings of a baseline, accept nothing in the results of a
// check, so that somebody can remove them. The zero value, with a baseline or without, is ready. It
// is not safe for concurrent use.
type Unused struct {
	// Baseline is that of the check, nil if there is none.
	Baseline *Baseline
	// Races says that data races were looked for. Where they were not, nothing is said of what is about
	// them alone.
	Races bool

	comments map[unusedComment]bool // whether one accepts something
	known    map[string]bool        // the findings of the baseline that are there, by fingerprint
	open     map[string]bool        // files of programs in which there may be more than was found
	anything bool                   // there may be more anywhere
}

// unusedComment is a comment by its place.
type unusedComment struct {
	file  string
	line  int
	rules string
}

// Add adds a result. Elsewhere says that it is that of an earlier check, and that some files in its bundle
// are not as they are now.
func (u *Unused) Add(r Result, elsewhere bool) {
	if r.Bundle == nil {
		u.anything = true
		return
	}
	if u.comments == nil {
		u.comments, u.known, u.open = map[unusedComment]bool{}, map[string]bool{}, map[string]bool{}
	}
	if c := r.conclusion(); c.Possible+c.Unconfirmed+len(c.Limits) > 0 {
		for name := range r.Bundle.Below(artifact.SourceDir) {
			u.open[name] = true
		}
	}
	var comments []comment
	if !elsewhere {
		comments, _ = commentsOf(r.Bundle)
	}
	at := func(c comment) unusedComment {
		return unusedComment{c.file, c.line, strings.Join(c.rules, ",")}
	}
	for _, c := range comments {
		if _, seen := u.comments[at(c)]; !seen && !source.OfDependency(c.file) { // which others write
			u.comments[at(c)] = false
		}
	}
	for _, f := range r.Bundle.Findings() {
		rule, ok := ruleOf(f.Kind)
		if _, counts := levelOf(f); !ok || !counts {
			continue
		}
		for _, c := range comments {
			if _, counts := u.comments[at(c)]; counts && c.covers(f, rule) {
				u.comments[at(c)] = true
			}
		}
		if print := fingerprint(r.Bundle, f, rule); u.Baseline.has(print) {
			u.known[print] = true
		}
	}
}

// aboutRaces reports whether kinds of findings are those of data races alone.
func aboutRaces(rules ...string) bool {
	return !slices.ContainsFunc(rules, func(id string) bool {
		i := slices.IndexFunc(rulesOfRaces, func(kind string) bool { r, _ := ruleOf(kind); return r.id == id })
		return i < 0
	})
}

var rulesOfRaces = []string{artifact.KindRace, artifact.KindMapRace}

// Comments says of each comment that accepts nothing where it is, in words. There is nothing of those
// in files of programs of which the result is open.
func (u *Unused) Comments() []string {
	var out []string
	for _, c := range slices.SortedFunc(maps.Keys(u.comments), func(a, b unusedComment) int {
		if d := strings.Compare(a.file, b.file); d != 0 {
			return d
		}
		return a.line - b.line
	}) {
		if !u.comments[c] && !u.anything && !u.open[c.file] && (u.Races || !aboutRaces(strings.Split(c.rules, ",")...)) {
			out = append(out, fmt.Sprintf("%s:%d: %s %s accepts nothing in this check", c.file, c.line, directive, c.rules))
		}
	}
	return out
}

// Known names the findings of the baseline that are not there, in words. There is nothing of those that
// may be in a program of which the result is open.
func (u *Unused) Known() []string {
	if u.Baseline == nil || u.anything {
		return nil
	}
	var out []string
	for print, k := range u.Baseline.known {
		if u.known[print] || u.open[k.File] || k.File == "" && len(u.open) > 0 || !u.Races && aboutRaces(k.Rule) {
			continue
		}
		text := k.Rule
		if k.Function != "" {
			text += " in " + k.Function
		}
		if k.File != "" {
			text += ", " + k.File
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return out
}
