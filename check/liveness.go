package check

import "github.com/vtrace/vtrace/uppaal"

type pathGoal struct{}

func (g *pathGoal) needsGraph() bool { return false }
func (c *compiler) pathGoal(q *uppaal.Query, i int) (*pathGoal, error) {
	return nil, &UnsupportedError{q.Pos, "the temporal operator " + string(q.Op)}
}
func (v *verification) concludePaths(s *search, r *replayer, stop error, failure *Result) {}
