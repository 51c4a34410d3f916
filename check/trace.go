package check

import (
	"github.com/vtrace/vtrace/uppaal"
)

// Lines renders the trace for people and for trace files: a line
// "X: A > B" for each participant of each step, sender first, saying that
// process X goes from location A to location B. An anonymous location is
// called "_" and its id.
func (t *Trace) Lines(info *uppaal.Info) []string {
	lines := []string{}
	for _, s := range t.Steps {
		for _, p := range s.Parts {
			proc := info.Processes[p.Process]
			e := proc.Template.Edges[p.Edge]
			lines = append(lines, proc.Name+": "+locationName(e.From)+" > "+locationName(e.To))
		}
	}
	return lines
}
