package orchestrate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/vtrace/vtrace/internal/orcruntime"
)

const (
	// aloneRuns are done by one process alone: most programs have less, and those that
	// have more show in these what the parts of the rest depend on.
	aloneRuns = 500
	// taskTime is after what time a process ends, so that it is seen whether others guess
	// right. minTaskTime is how long it goes on at least before it is asked to, since
	// others have nothing to do: what it is doing can be divided then.
	taskTime    = 500 * time.Millisecond
	minTaskTime = 50 * time.Millisecond
	// maxFailed is how many processes may fail that do what may be in vain, until there
	// are no more of them.
	maxFailed = 3
)

// parts reports whether there is something left to do for several processes.
func (x *exhauster) parts() bool {
	s := &x.sum
	return x.opts.Parallel > 1 && x.opts.Bounding == nil && !s.Complete && s.Stopped == "" && s.Left == "" && !x.spent()
}

// spent reports whether a bound is reached.
func (x *exhauster) spent() bool {
	o, s := &x.opts, &x.sum
	return o.MaxRuns > 0 && s.Runs >= o.MaxRuns || o.TotalSteps > 0 && s.Steps >= o.TotalSteps || o.MaxTime > 0 && time.Since(x.began) >= o.MaxTime
}

// running is a task that a process is doing.
type running struct {
	*orcruntime.Task
	file  string // of the frontier
	began time.Time
	kill  context.CancelFunc
	asked bool // to end
	// What has come of it:
	by  *processed
	err error
}

// ask has a process end soon.
func (r *running) ask() error {
	r.asked = true
	if err := os.WriteFile(r.stop(), nil, 0o600); err != nil {
		return fmt.Errorf("exhaust: %w", err)
	}
	return nil
}

func (r *running) stop() string { return r.file + ".stop" }

// rest is the frontier that the process has left, which begins with the nodes that it was to
// leave as they are.
func (r *running) rest() (*orcruntime.Frontier, error) {
	f, err := readFrontier(r.file)
	if err == nil && len(f.Nodes) < r.Below {
		return nil, fmt.Errorf("exhaust: frontier: it has %d nodes, and the first %d were not to be changed", len(f.Nodes), r.Below)
	}
	return f, err
}

// end cleans up after a process.
func (r *running) end() error {
	r.kill()
	if err := os.Remove(r.file); err != nil {
		return fmt.Errorf("exhaust: %w", err)
	}
	return nil
}

// inParts goes on in several processes at once, see orcruntime.Parts. What is left to do is in a
// file afterwards.
func (x *exhauster) inParts(ctx context.Context, frontier string) (err error) {
	f, err := readFrontier(frontier)
	if err != nil {
		return err
	}
	parts := orcruntime.NewParts(f)
	if x.opts.MaxRuns > 0 {
		parts.Runs = x.opts.MaxRuns - x.sum.Runs
	}
	if x.opts.TotalSteps > 0 {
		parts.Steps = x.opts.TotalSteps - x.sum.Steps
	}
	parts.Emit = func(_ orcruntime.Exhausted, by any) { x.take(ctx, by.(*processed)) }

	within, cancel := context.WithCancel(ctx)
	var busy []*running // the oldest first
	done := make(chan *running)
	defer func() {
		cancel()
		for range busy {
			err = errors.Join(err, (<-done).end())
		}
	}()
	start := func(n int, t *orcruntime.Task) error {
		r := &running{Task: t, file: filepath.Join(x.dir, fmt.Sprintf("frontier%d", n)), began: time.Now()}
		if err := writeFrontier(r.file, t.Frontier); err != nil {
			return err
		}
		var part context.Context
		part, r.kill = context.WithCancel(within)
		busy = append(busy, r)
		if x.opts.started != nil {
			x.opts.started(r)
		}
		go func() {
			r.by, r.err = x.process(part, &exhaustJob{Frontier: r.file, Below: t.Below, Runs: t.Runs, Steps: t.Steps, Stop: r.stop()}, x.taskTime())
			done <- r
		}()
		return nil
	}
	stopped := false       // for good
	rest := parts.Frontier // what is left then
	for failed := 0; !stopped; {
		processes := x.opts.Parallel
		if failed >= maxFailed {
			processes = 1
		}
		if !x.spent() {
			for _, t := range parts.Tasks(processes - len(busy)) {
				x.out.Processes++
				if err := start(x.out.Processes, t); err != nil {
					return err
				}
			}
		}
		if len(busy) == 0 {
			break
		}
		var late <-chan time.Time
		if oldest := busy[0]; len(busy) < processes && !oldest.asked && !x.spent() {
			late = time.After(minTaskTime - time.Since(oldest.began))
		}
		var r *running
		select {
		case r = <-done:
		case <-late: // when it has ended, there is something for others to do
			if err := busy[0].ask(); err != nil {
				return err
			}
			continue
		}
		busy = slices.DeleteFunc(busy, func(b *running) bool { return b == r })
		wanted := parts.Wanted(r.Task)
		switch {
		case r.err != nil:
			return errors.Join(r.err, r.end())
		case r.Guess && (r.by.res == nil || r.by.res.Left != ""):
			if wanted {
				failed++
			}
			parts.Done(r.Task, nil, nil)
		case r.by.res == nil || r.by.res.Tainted:
			// This is what the exploration comes to, and it goes no further.
			saved, err := readFrontier(r.file)
			if err != nil {
				return errors.Join(err, r.end())
			}
			rest = func() *orcruntime.Frontier { return saved }
			x.take(ctx, r.by)
			stopped = true
		default:
			if !r.by.res.Complete {
				if r.by.res.Frontier, err = r.rest(); err != nil {
					return errors.Join(err, r.end())
				}
			}
			parts.Done(r.Task, r.by.res, r.by)
			stopped = !r.Guess && r.by.res.Left != "" && !x.again(r.by.res)
		}
		if err := r.end(); err != nil {
			return err
		}
		for _, b := range busy {
			if !parts.Wanted(b.Task) {
				b.kill()
			}
		}
	}
	if x.sum.Complete = parts.Complete(); x.sum.Complete {
		return nil
	}
	return writeFrontier(frontier, rest())
}

// taskTime is how long a task may take.
func (x *exhauster) taskTime() time.Duration {
	if left := x.left(); left > 0 {
		return min(left, taskTime)
	}
	return taskTime
}

func readFrontier(path string) (*orcruntime.Frontier, error) {
	data, err := readBounded(path, maxFrontier)
	if err != nil {
		return nil, fmt.Errorf("exhaust: frontier: %w", err)
	}
	f := new(orcruntime.Frontier)
	if err := json.Unmarshal(data, f); err != nil {
		return nil, fmt.Errorf("exhaust: frontier: %w", err)
	}
	return f, nil
}

func writeFrontier(path string, f *orcruntime.Frontier) error {
	data, err := json.Marshal(f)
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("exhaust: %w", err)
	}
	return nil
}
