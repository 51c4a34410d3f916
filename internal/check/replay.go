package check

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// A replayer follows traces on the reference interpreter. Its errors begin
// with "internal:" since they mean that the two implementations disagree.
type replayer struct {
	ref    *reference
	labels *labels
	path   []refState // of the trace followed last
	err    error      // the reference has no initial state
	// deadline, if set, ends a replay with errNoTrace.
	deadline time.Time
}

func newReplayer(info *uppaal.Info, labels *labels) *replayer {
	r := &replayer{labels: labels}
	r.ref, r.err = newReference(info)
	return r
}

// trace follows a trace from the initial state. It must not begin with a refuted
// sequence.
func (r *replayer) trace(t *Trace) error {
	if err := r.follow(t); err != nil {
		return err
	}
	var labels []Label
	for _, step := range t.Steps {
		for _, p := range step.Parts {
			if l := r.labels.of(p.Process, p.Edge); l != "" {
				labels = append(labels, l)
			}
		}
	}
	for _, seq := range r.labels.refuted {
		if len(labels) >= len(seq) && slices.Equal(labels[:len(seq)], seq) {
			return errors.New("internal: the trace begins with a refuted sequence")
		}
	}
	return nil
}

// follow follows a trace.
func (r *replayer) follow(t *Trace) error {
	if r.err != nil {
		return fmt.Errorf("internal: no initial state on replay: %w", r.err)
	}
	st := r.ref.initial
	if !r.ref.shows(st, t.States[0]) {
		return errors.New("internal: the replay starts in another state")
	}
	r.path = []refState{st}
	for k, step := range t.Steps {
		if err := overdue(r.deadline); err != nil {
			return err
		}
		next, ok, err := r.ref.follow(st, step)
		if err != nil {
			return fmt.Errorf("internal: step %d of the trace fails on replay: %w", k+1, err)
		}
		if !ok {
			return fmt.Errorf("internal: step %d of the trace is not possible on replay", k+1)
		}
		st = next
		r.path = append(r.path, st)
		if !r.ref.shows(st, t.States[k+1]) {
			return fmt.Errorf("internal: step %d of the trace leads to another state on replay", k+1)
		}
	}
	return nil
}

// maxFollowed bounds the values of all states of a trace that is followed.
const maxFollowed = 1 << 24

// Follow makes a trace of steps that somebody else has listed, by the reference interpreter:
// the error says which step is none of the network, and why. What is beyond the bounds on
// selections and iterations that tools have for replays is an error too, and so is a trace
// whose states have too many values.
func Follow(info *uppaal.Info, steps []Step) (*Trace, error) {
	ref, err := newReference(info)
	if err != nil {
		return nil, err
	}
	st := ref.initial
	t := &Trace{States: []State{ref.show(st)}}
	if values := len(st.locs) + len(t.States[0].Vars); len(steps) > maxFollowed/max(values, 1) {
		return nil, fmt.Errorf("the trace has %d steps, too many for states of %d values", len(steps), values)
	}
	for k, step := range steps {
		var ok bool
		kept, err := ref.limited(func() (err error) {
			st, ok, err = ref.follow(st, step)
			return err
		})
		switch {
		case err != nil:
			return nil, fmt.Errorf("step %d: %w", k+1, err)
		case !kept:
			return nil, fmt.Errorf("step %d takes too much work", k+1)
		case !ok:
			return nil, fmt.Errorf("step %d is not possible in the state before it", k+1)
		}
		t.Steps = append(t.Steps, step)
		t.States = append(t.States, ref.show(st))
	}
	return t, nil
}

// last is the state at the end of the trace.
func (r *replayer) last() refState { return r.path[len(r.path)-1] }

// replayStates bounds the exploration that checks a stuck atom.
const replayStates = 300

// decides checks that the last state of the trace satisfies the formula of a
// query, or violates it.
func (r *replayer) decides(q *uppaal.Query, want bool) error {
	var value, known bool
	kept, err := r.ref.limited(func() (err error) {
		value, known, err = r.ref.holds(q.X, r.last(), replayStates)
		return err
	})
	if err != nil {
		return fmt.Errorf("internal: the formula fails on replay: %w", err)
	}
	if kept && known && value != want {
		return errors.New("internal: the trace does not decide the query on replay")
	}
	return nil
}

// measures checks that the last state of the trace counts for a query that measures, and
// has the value.
func (r *replayer) measures(q *uppaal.Query, value int32) error {
	if q.X != nil {
		if err := r.decides(&uppaal.Query{Op: uppaal.Possibly, X: q.X}, true); err != nil {
			return err
		}
	}
	x, err := r.ref.value(q.Of[0], r.last())
	if err != nil {
		return fmt.Errorf("internal: the measured expression fails on replay: %w", err)
	}
	if x != value {
		return fmt.Errorf("internal: the value is %d on replay and not %d", x, value)
	}
	return nil
}

// forever checks that the trace is a path as a query about paths looks for,
// from its prefix-th state on.
func (r *replayer) forever(q *uppaal.Query, prefix int) error {
	holds := func(e uppaal.Expr, st refState) (bool, error) {
		v, _, err := r.ref.holds(e, st, 0)
		return v, err
	}
	stay, want := q.X, q.Op == uppaal.PotentiallyAlway
	if q.Op == uppaal.LeadsTo {
		stay = q.Y
		if ok, err := holds(q.X, r.path[prefix]); err != nil || !ok {
			return fmt.Errorf("internal: the path does not start on replay (%v)", err)
		}
	}
	path := r.path[prefix:]
	for _, st := range path {
		if ok, err := holds(stay, st); err != nil || ok != want {
			return fmt.Errorf("internal: the path leaves its states on replay (%v)", err)
		}
	}
	st := path[len(path)-1]
	for _, x := range path[:len(path)-1] {
		if x.key() == st.key() {
			return nil
		}
	}
	ends := false
	kept, err := r.ref.limited(func() (err error) {
		ends, err = r.ref.canRest(st)
		return err
	})
	if err != nil || kept && !ends {
		return fmt.Errorf("internal: the path goes on from its last state on replay (%v)", err)
	}
	return nil
}

// explain says where the evaluation of the successors of the trace's last
// state fails.
func (r *replayer) explain(f *fault) string {
	r.ref.strict = true
	defer func() { r.ref.strict = false }()
	kept, err := r.ref.limited(func() error {
		_, err := r.ref.moves(r.last())
		return err
	})
	switch {
	case err != nil:
		return err.Error()
	case f.loop || !kept:
		// The two count loops in their own ways.
		return f.Error()
	}
	return "internal: an evaluation does not fail on replay: " + f.Error()
}
