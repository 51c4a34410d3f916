package verifyta

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/group"
	"github.com/vtrace/vtrace/internal/scratch"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// Find looks verifyta up in PATH.
func Find() (string, error) {
	path, err := exec.LookPath("verifyta")
	if err != nil {
		return "", fmt.Errorf("verifyta of UPPAAL is not installed: %w", err)
	}
	return path, nil
}

// Engine runs one verifyta. It is safe for concurrent use.
type Engine struct {
	// Path is the program; empty: what Find finds.
	Path string
	// Args are further options for it, before the names of the files.
	Args []string
}

var _ check.Engine = Engine{}

// maxOutput bounds what is kept of each stream that verifyta writes.
const maxOutput = 64 << 20

// Verify implements check.Engine. Besides a wrong network the error says that
// verifyta cannot be run, refuses the model, or prints nothing that is
// understood.
func (e Engine) Verify(ctx context.Context, net *uppaal.Network, queries []*uppaal.Query, opts check.Options) (*check.Report, error) {
	switch {
	case len(opts.Refuted) > 0:
		return nil, errors.New("verifyta cannot leave out refuted sequences")
	case opts.MaxMemory > 0:
		return nil, errors.New("the memory of verifyta cannot be bounded")
	case opts.HashCompaction:
		return nil, errors.New("verifyta cannot be told to compact states")
	case opts.MaxStates > 0:
		return nil, errors.New("the number of states of verifyta cannot be bounded")
	}
	info, err := uppaal.Check(net)
	if err != nil {
		return nil, err
	}
	path := e.Path
	if path == "" {
		if path, err = Find(); err != nil {
			return nil, err
		}
	}
	dir, err := scratch.Make("verifyta")
	if err != nil {
		return nil, err
	}
	defer scratch.Remove(dir)
	if err := writeModel(filepath.Join(dir, modelFile), net); err != nil {
		return nil, err
	}
	if opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, opts.Timeout, fmt.Errorf("timeout of %v", opts.Timeout))
		defer cancel()
	}
	start := time.Now()
	report := &check.Report{Results: make([]check.Result, len(queries))}
	for i, q := range queries {
		r := &report.Results[i]
		if err := refuse(info, q); err != nil {
			*r = check.Result{Verdict: check.Error, Reason: err.Error()}
			continue
		}
		if ctx.Err() != nil {
			*r = undecided(ctx)
			continue
		}
		out, err := e.query(ctx, dir, path, q, opts)
		if err != nil {
			if ctx.Err() == nil {
				return nil, err
			}
			*r = undecided(ctx)
			continue
		}
		*r = out.result(info)
		report.Stats.States = max(report.Stats.States, out.stored)
		report.Stats.Bytes = max(report.Stats.Bytes, out.memory)
		if q.Op == uppaal.Always && r.Verdict == check.True || q.Op == uppaal.Possibly && r.Verdict == check.False {
			report.Complete = true
		}
		if opts.Progress != nil {
			report.Stats.Elapsed = time.Since(start)
			opts.Progress(report.Stats)
		}
	}
	report.Stats.Elapsed = time.Since(start)
	return report, nil
}

func undecided(ctx context.Context) check.Result {
	return check.Result{Verdict: check.Maybe, Reason: fmt.Sprintf("cancelled: %v", context.Cause(ctx))}
}

// refuse says what UPPAAL would not understand.
func refuse(info *uppaal.Info, q *uppaal.Query) (err error) {
	if err := info.CheckQuery(q); err != nil {
		return err
	}
	if q.Op.Measures() {
		return &uppaal.Error{Pos: q.Pos, Msg: "the values of sup, inf and bounds are not read from verifyta"}
	}
	for _, x := range []uppaal.Expr{q.X, q.Y} {
		uppaal.Inspect(x, func(x uppaal.Expr) {
			if s, ok := x.(*uppaal.Stuck); ok && err == nil {
				err = &uppaal.Error{Pos: s.Pos, Msg: "UPPAAL does not know stuck(P)"}
			}
		})
	}
	return err
}

// The names of the files that verifyta reads.
const (
	modelFile = "model.xml"
	queryFile = "query.q"
)

func writeModel(path string, net *uppaal.Network) error {
	bare := *net
	bare.Queries = nil
	var out bytes.Buffer
	if err := uppaal.WriteXML(&out, &bare); err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), 0o600)
}

// options are the arguments for the order of the search.
func options(opts check.Options) []string {
	args := []string{"-s", "-q", "-u"}
	switch opts.Order {
	case check.DepthFirst:
		return append(args, "-o", "1", "-t", "0")
	case check.RandomDepthFirst:
		return append(args, "-o", "2", "-t", "0", "-r", strconv.FormatUint(uint64(uint32(opts.Seed)), 10))
	}
	return append(args, "-o", "0", "-t", "1") // shortest traces
}

// query runs verifyta for one query.
func (e Engine) query(ctx context.Context, dir, path string, q *uppaal.Query, opts check.Options) (*output, error) {
	if err := os.WriteFile(filepath.Join(dir, queryFile), []byte(uppaal.QueryString(q)+"\n"), 0o600); err != nil {
		return nil, err
	}
	args := append(options(opts), e.Args...)
	cmd := exec.CommandContext(ctx, path, append(args, modelFile, queryFile)...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	stdout, stderr := &limited{}, &limited{}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err := group.Run(cmd) // it may be a script that starts others
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("verifyta: %w", err)
	}
	if stdout.over || stderr.over {
		return nil, fmt.Errorf("verifyta: more than %d bytes of output", maxOutput)
	}
	return readOutput(stdout.String(), stderr.String(), err)
}

// limited keeps no more than maxOutput bytes.
type limited struct {
	bytes.Buffer
	over bool
}

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > maxOutput {
		l.over = true
		return len(p), nil
	}
	return l.Buffer.Write(p)
}
