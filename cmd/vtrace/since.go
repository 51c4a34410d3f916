package main

import (
	"fmt"

	"github.com/vtrace/vtrace"
)

// changes says which entry points -changed-since leaves out; nil leaves out none.
type changes struct {
	revision string
	commit   string
	left     map[vtrace.EntryPoint]bool
}

// shownChanges is how many of the changes that an entry point can reach are named.
const shownChanges = 3

// changedSince finds out which entry points can reach nothing that has changed since a revision, and
// says of the others on standard error, if that is asked for, what it is. A change of one of the files is
// one of everything.
func (c *call) changedSince(set *vtrace.Set, revision string, entries []vtrace.EntryPoint, files []string, verbose bool) (*changes, error) {
	if revision == "" {
		return nil, nil
	}
	all, err := set.ChangedSince(c.ctx, revision, entries, files...)
	if err != nil {
		return nil, fmt.Errorf("-changed-since: %w", err)
	}
	out := &changes{revision: revision, commit: all.Commit, left: map[vtrace.EntryPoint]bool{}}
	for _, e := range all.Entries {
		if len(e.What) == 0 {
			out.left[e.Entry] = true
			continue
		}
		if !verbose {
			continue
		}
		for _, what := range e.What[:min(len(e.What), shownChanges)] {
			fmt.Fprintf(c.stderr, "vtrace: %s: changed since %s: %s\n", e.Entry, plain(revision), plain(what))
		}
		if n := len(e.What) - shownChanges; n > 0 {
			fmt.Fprintf(c.stderr, "vtrace: %s: and %d more\n", e.Entry, n)
		}
	}
	return out, nil
}

func (c *changes) leavesOut(e vtrace.EntryPoint) bool { return c != nil && c.left[e] }

// reason is why an entry point is left out.
func (c *changes) reason() string {
	return fmt.Sprintf("it can reach nothing that has changed since %s (commit %.12s)", c.revision, c.commit)
}
