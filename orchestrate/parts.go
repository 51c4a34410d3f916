package orchestrate

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/vtrace/vtrace/orcutil"
)

const (
	// aloneRuns are done by one process alone: most programs have less, and those that
	// have more show in these what the parts of the rest depend on.
	aloneRuns = 500
	// taskTime is after what time a process ends, so that others can take a part of what
	// is left.
	taskTime = time.Second
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

// ended is a task that a process has done.
type ended struct {
	task *orcutil.Task
	file string // of the frontier
	by   *processed
	err  error
}

// inParts goes on in several processes at once, see orcutil.Parts. What is left to do is in a
// file afterwards.
func (x *exhauster) inParts(ctx context.Context, frontier string) (err error) {
	f, err := readFrontier(frontier)
	if err != nil {
		return err
	}
	parts := orcutil.NewParts(f)
	if x.opts.MaxRuns > 0 {
		parts.Runs = x.opts.MaxRuns - x.sum.Runs
	}
	if x.opts.TotalSteps > 0 {
		parts.Steps = x.opts.TotalSteps - x.sum.Steps
	}
	parts.Emit = func(_ orcutil.Exhausted, by any) { x.take(ctx, by.(*processed)) }

	within, cancel := context.WithCancel(ctx)
	running := map[*orcutil.Task]context.CancelFunc{}
	done := make(chan ended)
	defer func() {
		cancel()
		for range running {
			<-done
		}
	}()
	rest := func() *orcutil.Frontier { return parts.Frontier() }
	for n, failed, stop := 0, 0, false; ; {
		processes := x.opts.Parallel
		if failed >= maxFailed {
			processes = 1
		}
		if !stop && !x.spent() {
			for _, t := range parts.Tasks(processes - len(running)) {
				n++
				file := filepath.Join(x.dir, fmt.Sprintf("frontier%d", n))
				if err := writeFrontier(file, t.Frontier); err != nil {
					return err
				}
				part, end := context.WithCancel(within)
				running[t] = end
				x.out.Processes++
				go func() {
					by, err := x.process(part, &exhaustJob{Frontier: file, Below: t.Below, Runs: t.Runs, Steps: t.Steps}, x.taskTime())
					done <- ended{t, file, by, err}
				}()
			}
		}
		if len(running) == 0 {
			break
		}
		e := <-done
		running[e.task]()
		delete(running, e.task)
		if e.err != nil {
			return e.err
		}
		wanted := parts.Wanted(e.task)
		switch {
		case e.by.res == nil && !e.task.Guess:
			// This is what the exploration comes to, and it goes no further.
			f, err := readFrontier(e.file)
			if err != nil {
				return err
			}
			rest = func() *orcutil.Frontier { return f }
			x.take(ctx, e.by)
			stop = true
		case e.by.res == nil || e.task.Guess && e.by.res.Left != "":
			if wanted {
				failed++
			}
			parts.Done(e.task, nil, nil)
		case e.by.res.Tainted:
			x.take(ctx, e.by)
			stop = true
		default:
			if !e.by.res.Complete {
				if e.by.res.Frontier, err = readFrontier(e.file); err != nil {
					return err
				}
			}
			parts.Done(e.task, e.by.res, e.by)
			stop = !e.task.Guess && e.by.res.Left != "" && !x.again(e.by.res) || stop
		}
		if err := os.Remove(e.file); err != nil {
			return fmt.Errorf("exhaust: %w", err)
		}
		if stop {
			break
		}
		for t, end := range running {
			if !parts.Wanted(t) {
				end()
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

func readFrontier(path string) (*orcutil.Frontier, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("exhaust: %w", err)
	}
	f := new(orcutil.Frontier)
	if err := json.Unmarshal(data, f); err != nil {
		return nil, fmt.Errorf("exhaust: frontier: %w", err)
	}
	return f, nil
}

func writeFrontier(path string, f *orcutil.Frontier) error {
	data, err := json.Marshal(f)
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("exhaust: %w", err)
	}
	return nil
}
