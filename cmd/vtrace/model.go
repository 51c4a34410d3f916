package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/vtrace/vtrace/check"
	"github.com/vtrace/vtrace/uppaal"
)

// readModel reads a model. wrong is what is wrong with its queries, which are
// left out, if everything else is right.
func readModel(path string) (net *uppaal.Network, wrong, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	net, err = uppaal.ReadXML(f)
	switch {
	case err != nil && net != nil:
		return net, inFile(path, err), nil
	case err != nil:
		return nil, nil, inFile(path, err)
	}
	return net, nil, nil
}

// inFile puts the name of a file before each of the errors about it.
func inFile(path string, err error) error {
	var list uppaal.Errors
	if !errors.As(err, &list) {
		return fmt.Errorf("%s: %w", path, err)
	}
	lines := make([]string, len(list))
	for i, e := range list {
		lines[i] = path + ": " + e.Error()
	}
	return errors.New(strings.Join(lines, "\n"))
}

// step is one transition of a trace, or the initial state, for people.
type step struct {
	Parts []string `json:"parts"` // "P: a > b", sender first
	// Changes are the variables that have another value than before; in the
	// initial state those that are not 0.
	Changes []string `json:"changes,omitempty"`
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
	out := []step{{Parts: []string{}, Changes: changes(t.States[0].Vars)}}
	for k, s := range t.Steps {
		one := &check.Trace{Steps: []check.Step{s}}
		parts := one.Lines(info)
		for i, p := range s.Parts {
			for j, v := range p.Select {
				b := info.Processes[p.Process].Template.Edges[p.Edge].Select[j]
				parts[i] += fmt.Sprintf(" %s:%d", b.Name, v)
			}
		}
		out = append(out, step{Parts: parts, Changes: changes(t.States[k+1].Vars)})
	}
	return out
}

// writeSteps prints a trace, a line for each step.
func writeSteps(w io.Writer, query int, steps []step) error {
	fmt.Fprintf(w, "\ntrace of query %d:\n", query)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for k, s := range steps {
		what := strings.Join(s.Parts, ", ")
		if k == 0 {
			what = "initial state"
		}
		line := fmt.Sprintf("  %d\t%s", k, what)
		if len(s.Changes) > 0 {
			line += "\t" + strings.Join(s.Changes, ", ")
		}
		fmt.Fprintln(tw, line)
	}
	return tw.Flush()
}
