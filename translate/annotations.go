package translate

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/state"
)

// annotatedSite is the guard of an annotated statement, 0 if there is none.
func (x *translator) annotatedSite(a *program.Annotation) sites.ID {
	if a.Stmt == nil {
		return 0
	}
	s, ok := x.idx.Stmt(a.Stmt.Pos())
	if !ok {
		return 0
	}
	return s.ID
}

// placeAnnotations makes guards of the annotated statements. It refuses comments
// that say nothing of a statement.
func (x *translator) placeAnnotations() {
	for _, a := range x.sl.Annotated {
		switch s := x.annotatedSite(a); {
		case a.Stmt == nil:
			x.unsupported(a.Pos, "annotation", "no statement of a function follows in its block")
		case s == 0:
			x.unsupported(a.Pos, "annotation", "its statement has no guard")
		default:
			x.access[s] = true
		}
	}
}

// marked returns the guard of the annotated statement that an instruction begins,
// 0 if there is none or it has been passed.
func (x *translator) marked(f *state.Frame, instr ssa.Instruction) sites.ID {
	a := x.sl.Marks[instr]
	if a == nil {
		return 0
	}
	if s := x.annotatedSite(a); s != f.Passed {
		return s
	}
	return 0
}

// reachability asks whether somebody gets to the annotated statements.
func (e *emitter) reachability(add func(q artifact.Query, category string) int) {
	x := e.x
	for _, a := range x.sl.Annotated {
		s := x.annotatedSite(a)
		if s == 0 || !a.Runs {
			continue
		}
		var at []string
		for _, t := range x.templates {
			for _, l := range t.Locations {
				if _, ok := e.kept[l]; !ok || l.Kind != state.AtStmt || l.Site != s {
					continue
				}
				for _, p := range e.processes[t] {
					at = append(at, p+"."+l.Name)
				}
			}
		}
		there := "false"
		if len(at) > 0 {
			there = disjunction(at)
		}
		why := ""
		if a.Why != "" {
			why = fmt.Sprintf(" (%s)", a.Why)
		}
		if a.Reachable {
			add(artifact.Query{Formula: "E<> " + there, Kind: artifact.KindNeverReached, Site: int(s),
				Description: "no schedule gets to a statement that is said to be reachable" + why}, CategoryReachability)
			continue
		}
		add(artifact.Query{Formula: "A[] not " + there, Kind: artifact.KindReachable, Site: int(s),
			Description: "a statement is reached that is said to be unreachable" + why}, CategoryReachability)
	}
}
