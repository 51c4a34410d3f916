package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// step is one transition of a trace, or the initial state, for people.
type step struct {
	Parts []string `json:"parts"` // "P: a > b", sender first
	// Edges are what the parts are made of.
	Edges []edgeTaken `json:"edges,omitempty"`
	// Locations are those of the initial state, "P.a".
	Locations []string `json:"locations,omitempty"`
	// Changes are the variables that have another value than before; in the
	// initial state those that are not 0.
	Changes []string `json:"changes,omitempty"`
}

// edgeTaken is what a process does in a transition.
type edgeTaken struct {
	Process string `json:"process"`
	From    string `json:"from"`
	To      string `json:"to"`
	Select  string `json:"select,omitempty"` // "i = 3"
	Guard   string `json:"guard,omitempty"`
	Sync    string `json:"sync,omitempty"`
	Update  string `json:"update,omitempty"`
	// Comment is that of the edge or of the location that it leaves: in the model of a
	// program the place in its source.
	Comment string `json:"comment,omitempty"`
}

// stepsOf describes a trace, from the initial state on.
func stepsOf(info *uppaal.Info, t *check.Trace) []step {
	var before []check.VarValue
	changes := func(now []check.VarValue) (list []string) {
		for i, v := range now {
			if before == nil && v.Value != 0 || before != nil && v.Value != before[i].Value {
				list = append(list, fmt.Sprintf("%s = %d", v.Name, v.Value))
			}
		}
		before = now
		return list
	}
	first := step{Parts: []string{}, Changes: changes(t.States[0].Vars)}
	for i, l := range t.States[0].Locations {
		first.Locations = append(first.Locations, info.Processes[i].Name+"."+l.QueryName())
	}
	out := []step{first}
	for k, s := range t.Steps {
		one := &check.Trace{Steps: []check.Step{s}}
		now := step{Parts: one.Lines(info), Changes: changes(t.States[k+1].Vars)}
		for i, p := range s.Parts {
			process := info.Processes[p.Process]
			e := process.Template.Edges[p.Edge]
			taken := edgeTaken{
				Process: process.Name, From: e.From.QueryName(), To: e.To.QueryName(),
				Update: uppaal.UpdateString(e.Update), Comment: e.Comment,
			}
			var selected []string
			for j, v := range p.Select {
				name := e.Select[j].Name
				now.Parts[i] += fmt.Sprintf(" %s:%d", name, v)
				selected = append(selected, fmt.Sprintf("%s = %d", name, v))
			}
			taken.Select = strings.Join(selected, ", ")
			if e.Guard != nil {
				taken.Guard = uppaal.ExprString(e.Guard)
			}
			if e.Sync != nil {
				taken.Sync = uppaal.SyncString(e.Sync)
			}
			if taken.Comment == "" {
				taken.Comment = e.From.Comment
			}
			now.Edges = append(now.Edges, taken)
		}
		out = append(out, now)
	}
	return out
}

// writeSteps prints a trace: a line for each step, and below it what its edges have and
// what has changed.
func writeSteps(w io.Writer, steps []step) error {
	var b strings.Builder
	detail := func(name, text string) {
		if text = strings.TrimSpace(text); text != "" {
			fmt.Fprintf(&b, "       %-9s  %s\n", name, strings.Join(strings.Fields(text), " "))
		}
	}
	for k, s := range steps {
		if k == 0 {
			fmt.Fprintf(&b, "  %3d  initial state\n", k)
			detail("locations", strings.Join(s.Locations, " "))
		} else {
			fmt.Fprintf(&b, "  %3d  %s\n", k, strings.Join(s.Parts, ", "))
		}
		for _, e := range s.Edges {
			if len(s.Edges) > 1 {
				detail("process", e.Process)
			}
			detail("guard", e.Guard)
			detail("sync", e.Sync)
			detail("update", e.Update)
			detail("comment", e.Comment)
		}
		detail("values", strings.Join(s.Changes, ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
