package promela

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// statement is a line that Spin prints of a trail: the process, the line of the model, and
// the number of the statement in its proctype.
var statement = regexp.MustCompile(`(?m)^\s*\d+:\s+proc\s+(\d+)\s+\((\w+)[^)]*\)\s+\S+:(\d+)\s+\(state\s+(\d+)\)\s+\[`)

// ErrNoTrail is wrapped by the error about a text that is none that Spin prints of a trail.
var ErrNoTrail = errors.New("no statements of a trail, as spin -t -p prints them")

// maxTrailWork bounds the work of following a trail, see check.Walk.Bound.
const maxTrailWork = 1 << 20

// ReadTrail reads what "spin -t -p FILE", or "pan -r", prints of a trail, where FILE is what
// Export writes of the network with the same query. The trace is one of the network
// that has done the same: where several receivers of a broadcast could be meant, the
// first that fits what follows.
func ReadTrail(ctx context.Context, info *uppaal.Info, q *uppaal.Query, text string) (*check.Trace, error) {
	found := statement.FindAllStringSubmatch(text, -1)
	if len(found) == 0 {
		return nil, ErrNoTrail
	}
	x, err := export(info, q)
	if err != nil {
		return nil, err
	}
	options := x.lines()
	var acts []*option
	last := [3]int{-1, -1, -1}
	for k, m := range found {
		if m[2] == "property" {
			continue
		}
		var now [3]int // process, line, state
		for i, field := range []string{m[1], m[3], m[4]} {
			if now[i], err = strconv.Atoi(field); err != nil {
				return nil, fmt.Errorf("statement %d of the trail: %w", k+1, err)
			}
		}
		same := now[0] == last[0] && now[1] == last[1] && now[2] > last[2]
		last = now
		if same {
			continue // another statement of the same step
		}
		o := options[now[1]]
		if o == nil || o.proc != now[0] {
			return nil, fmt.Errorf("statement %d of the trail: line %d is no step of process %d in the model with this query", k+1, now[1], now[0])
		}
		acts = append(acts, o)
	}
	w, err := check.NewWalk(ctx, info.Network)
	if err != nil {
		return nil, err
	}
	w.Bound(maxTrailWork)
	f := &trailFollower{walk: w, acts: acts, tried: map[trailPlace]bool{}}
	if err := f.follow(ctx); err != nil {
		return nil, err
	}
	return check.Follow(info, f.steps)
}

// lines finds the options by the lines that they are on.
func (x *exporter) lines() map[int]*option {
	text := x.out.Bytes()
	out := map[int]*option{}
	line, at := 1, 0
	for _, p := range x.places { // in the order of the text
		offset := x.starts[p.proc] + p.offset
		line += bytes.Count(text[at:offset], []byte("\n"))
		at = offset
		out[line] = p.option
	}
	return out
}

// trailPlace is a state with the number of options of the trail that are done.
type trailPlace struct {
	state check.Packed
	done  int
}

// trailFollower looks for steps of the network that do what the options of a trail do.
type trailFollower struct {
	walk  *check.Walk
	acts  []*option
	steps []check.Step
	tried map[trailPlace]bool
	far   int // options that were done at most
}

// follow searches depth first, with a stack of its own.
func (f *trailFollower) follow(ctx context.Context) error {
	type frame struct {
		at    trailPlace
		moves []check.Move
		ends  []int // options that are done behind each of the moves
	}
	open := func(at trailPlace) (frame, error) {
		fr := frame{at: at}
		moves, err := f.walk.Moves(at.state)
		if err != nil && !errors.Is(err, check.ErrWork) {
			err = nil // an invalid evaluation: the trail may end with it
		}
		for _, m := range moves {
			if n := f.does(m.Step, at.done); n > 0 {
				fr.moves, fr.ends = append(fr.moves, m), append(fr.ends, at.done+n)
			}
		}
		return fr, err
	}
	fr, err := open(trailPlace{f.walk.Initial(), 0})
	if err != nil {
		return err
	}
	stack := []frame{fr}
	for len(stack) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		top := &stack[len(stack)-1]
		f.far = max(f.far, top.at.done)
		if top.at.done == len(f.acts) {
			return nil
		}
		if len(top.moves) == 0 {
			stack = stack[:len(stack)-1]
			f.steps = f.steps[:max(len(f.steps)-1, 0)]
			continue
		}
		next := trailPlace{top.moves[0].To, top.ends[0]}
		step := top.moves[0].Step
		top.moves, top.ends = top.moves[1:], top.ends[1:]
		if f.tried[next] {
			continue
		}
		f.tried[next] = true
		fr, err := open(next)
		if err != nil {
			return err
		}
		f.steps = append(f.steps, step)
		stack = append(stack, fr)
	}
	return fmt.Errorf("the model does not do what the trail does behind %d of its %d steps of processes", f.far, len(f.acts))
}

// does reports how many of the options that come next a step does: that of the sender, and,
// if two meet, that of the receiver; 0 if it does something else.
func (f *trailFollower) does(step check.Step, done int) int {
	o := f.acts[done:]
	if len(o) == 0 || !o[0].is(step.Parts[0]) {
		return 0
	}
	if len(step.Parts) == 1 || o[0].broadcast {
		return 1
	}
	if len(o) > 1 && o[1].is(step.Parts[1]) {
		return 2
	}
	return 0
}

// is reports whether a part of a step is what an option does.
func (o *option) is(p check.Part) bool {
	if o.proc != p.Process || o.x.info.Processes[o.proc].Template.Edges[p.Edge] != o.edge {
		return false
	}
	return slices.Equal(o.values, p.Select)
}
