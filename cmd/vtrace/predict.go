package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/internal/analyze"
	"github.com/vtrace/vtrace/internal/pass"
)

// predictFlags are those of predict alone.
type predictFlags struct {
	recording string
	record    time.Duration
	all       bool
}

// runPredict records a run of a program, predicts errors of other runs, and has the program show them.
func runPredict(c *call) (int, error) {
	var s settings
	var p predictFlags
	fs := c.flags()
	s.output(fs)
	s.program(fs)
	s.predicting(fs)
	p.register(fs)
	args, err := c.parse(fs, 1, 1)
	if err != nil {
		return 0, err
	}
	if p.record < 0 {
		return 0, fmt.Errorf("%w: -record-timeout is not negative", errUsage)
	}
	return c.one(&s, args[0], true, func(ctx context.Context, arg string, s *settings, opts []vtrace.Option) (_ *vtrace.Bundle, err error) {
		how := pass.Predicting{Recording: pass.Recording{Timeout: p.record, Accesses: s.race, Stdout: c.stderr, Stderr: c.stderr}}
		if p.recording != "" {
			f, err := os.Open(p.recording)
			if err != nil {
				return nil, err
			}
			defer func() { err = errors.Join(err, f.Close()) }()
			how.From = f
		}
		r, err := vtrace.Predict(ctx, s.source(arg), how, opts...)
		if err != nil {
			return nil, err
		}
		if !s.json {
			err = writePredictions(c.stdout, r, p.all)
		}
		return r.Bundle, err
	})
}

// predicting are the flags of runs that follow predictions.
func (s *settings) predicting(fs *flag.FlagSet) {
	fs.BoolVar(&s.race, "race", false, "look for data races in all runs that follow predictions")
	fs.DurationVar(&s.budget, "budget", defaultBudget, "bound the time for the predictions, once the run is recorded; what is known then is the result; 0 is no bound")
	s.watchdogFlag(fs)
	fs.DurationVar(&s.stall, "stall", pass.DefaultStall, "a goroutine that is held for longer while time passes is a long stall, which findings say")
	s.inSandbox(fs)
}

func (p *predictFlags) register(fs *flag.FlagSet) {
	fs.StringVar(&p.recording, "recording", "", "predict from the recording in `FILE`, which \"vtrace record\" has made of the same package and entry point, and record none")
	fs.DurationVar(&p.record, "record-timeout", time.Minute, "end the run that is recorded after this time; 0 is no bound")
	fs.BoolVar(&p.all, "all", false, "list also the orders in which nothing went wrong, of which no analysis claims an error")
}

// writePredictions prints what has become of each prediction of an analysis, and of the other orders that
// have shown an error.
func writePredictions(w io.Writer, r *pass.Predicted, all bool) error {
	var out strings.Builder
	if r.Recorded != nil {
		fmt.Fprintf(&out, "recorded: %s, %s of %s\n", r.Recorded.End, plural(r.Analysis.Events, "event", "events"), plural(r.Analysis.Goroutines, "goroutine", "goroutines"))
	}
	counts := map[pass.PredictionOutcome]int{}
	orders := 0
	for _, p := range r.Predictions {
		shows := p.Outcome == pass.PredictionConfirmed || p.Outcome == pass.PredictionOther
		switch {
		case p.Message == analyze.RunItself && p.Outcome == pass.PredictionUnconfirmed:
			fmt.Fprintf(&out, "the program does not follow the recorded run: %s\n", oneLine(p.Reason))
			continue
		case p.Message == analyze.RunItself && !shows:
			continue
		case p.Code == "":
			orders++
			counts[p.Outcome]++
			if !all && !shows {
				continue
			}
		}
		fmt.Fprintf(&out, "%s: %s\n", strings.TrimSpace(fmt.Sprintf("%s %s", p.Outcome, p.Code)), oneLine(p.Message))
		if p.Reason != "" {
			fmt.Fprintf(&out, "  %s\n", oneLine(p.Reason))
		}
	}
	if orders > 0 {
		fmt.Fprintf(&out, "other orders that were tried: %d; an error was seen in %d, the program did not follow %d\n", orders,
			counts[pass.PredictionConfirmed]+counts[pass.PredictionOther], counts[pass.PredictionUnconfirmed])
	}
	out.WriteString("\n")
	_, err := io.WriteString(w, plain(out.String()))
	return err
}
