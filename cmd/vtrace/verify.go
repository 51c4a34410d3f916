package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/vtrace/vtrace/check"
	"github.com/vtrace/vtrace/uppaal"
)

// verified is one line of the result of verify.
type verified struct {
	Query   string   `json:"query"`
	Verdict string   `json:"verdict"`
	Reason  string   `json:"reason,omitempty"`
	Trace   []string `json:"trace,omitempty"`
}

func runVerify(c *call) (int, error) {
	fs := c.flags()
	var (
		memory  sizeFlag
		states  = fs.Int("states", 0, "bound the number of states")
		timeout = fs.Duration("timeout", 0, "bound the time of the search")
		traces  = fs.Bool("trace", false, "print the traces")
		asJSON  = fs.Bool("json", false, "print the result as JSON")
		stats   = fs.Bool("stats", false, "print states, transitions, depth, memory and time")
	)
	fs.Var(&memory, "memory", "bound the memory of the search, as in 500M or 2G")
	args, err := c.parse(fs, 1, 2)
	if err != nil {
		return 0, err
	}
	net, err := readModel(args[0])
	if err != nil {
		return 0, err
	}
	queries := net.Queries
	if len(args) == 2 {
		if queries, err = readQueries(args[1]); err != nil {
			return 0, err
		}
	}
	if len(queries) == 0 {
		return 0, fmt.Errorf("%w: %s has no queries", errUsage, args[len(args)-1])
	}
	rep := newProgress(c.stderr, false)
	report, err := check.Verify(c.ctx, net, queries, check.Options{
		MaxMemory: int64(memory), MaxStates: *states, Timeout: *timeout,
		Progress: func(s check.Stats) {
			rep.draw("%d states, depth %d", s.States, s.Depth)
		},
	})
	rep.done()
	if err != nil {
		return 0, err
	}
	info, err := uppaal.Check(net)
	if err != nil {
		return 0, err
	}
	code := exitNothing
	out := make([]verified, len(queries))
	for i, r := range report.Results {
		v := verified{Query: uppaal.QueryString(queries[i]), Verdict: r.Verdict.String(), Reason: r.Reason}
		if *traces && r.Trace != nil {
			v.Trace = r.Trace.Lines(info)
		}
		out[i] = v
		switch {
		case r.Verdict == check.False && code == exitNothing:
			code = exitReal
		case r.Verdict == check.Maybe || r.Verdict == check.Error:
			code = exitInconclusive
		}
	}
	if *asJSON {
		enc := json.NewEncoder(c.stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return code, enc.Encode(struct {
			Results []verified   `json:"results"`
			Stats   *check.Stats `json:"stats,omitempty"`
		}{out, statsIf(*stats, report)})
	}
	tw := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	for i, v := range out {
		fmt.Fprintf(tw, "%d\t%s\t%s\n", i+1, verdictWord(v.Verdict), v.Query)
	}
	if err := tw.Flush(); err != nil {
		return 0, err
	}
	for i, v := range out {
		if v.Reason != "" {
			fmt.Fprintf(c.stdout, "%d: %s\n", i+1, v.Reason)
		}
		if len(v.Trace) > 0 {
			fmt.Fprintf(c.stdout, "\ntrace of query %d:\n  %s\n", i+1, strings.Join(v.Trace, "\n  "))
		}
	}
	if *stats {
		s := report.Stats
		fmt.Fprintf(c.stdout, "%d states, %d transitions, depth %d, %d bytes, %s\n", s.States, s.Transitions, s.Depth, s.Bytes, s.Elapsed.Round(time.Millisecond))
	}
	return code, nil
}

func statsIf(set bool, r *check.Report) *check.Stats {
	if !set {
		return nil
	}
	return &r.Stats
}

func verdictWord(v string) string {
	switch v {
	case "T":
		return "satisfied"
	case "F":
		return "NOT satisfied"
	case "M":
		return "undecided"
	default:
		return "error"
	}
}

func readQueries(path string) ([]*uppaal.Query, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	queries, err := uppaal.ReadQueries(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return queries, nil
}
