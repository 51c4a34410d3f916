package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/vtrace/vtrace/check"
	"github.com/vtrace/vtrace/check/promela"
	"github.com/vtrace/vtrace/check/verifyta"
	"github.com/vtrace/vtrace/uppaal"
)

// verifySettings are the flags of verify.
type verifySettings struct {
	memory     sizeFlag
	states     int
	timeout    time.Duration
	order      string
	seed       uint64
	workers    int
	reductions bool
	compact    bool
	engine     string
	promela    string

	traces, json, stats bool
}

func (s *verifySettings) declare(fs *flag.FlagSet) {
	s.memory = defaultMemory // a model may be anybody's
	fs.Var(&s.memory, "memory", "bound the memory of the search, as in 500M or 2G; 0 is no bound")
	fs.IntVar(&s.states, "states", 0, "bound the number of states")
	fs.DurationVar(&s.timeout, "timeout", 0, "bound the time of the search")
	fs.StringVar(&s.order, "order", "bfs", "order of the search: bfs (shortest traces), dfs or random (depth first)")
	fs.Uint64Var(&s.seed, "seed", 0, "seed of -order random")
	fs.IntVar(&s.workers, "workers", 0, "bound the cores that the search uses; 0: all")
	fs.BoolVar(&s.reductions, "reductions", true, "explore less where no verdict can change; -reductions=false visits every state")
	fs.BoolVar(&s.compact, "compact", false, "keep hashes of states instead of states: less memory for wide states, but \"satisfied\" becomes \"probably satisfied\"")
	fs.StringVar(&s.engine, "engine", "embedded", "what verifies: embedded, or verifyta (an installed UPPAAL)")
	fs.StringVar(&s.promela, "promela", "", "write the model as Promela for Spin to `FILE` (\"-\": standard output) instead of verifying; with one query")
	fs.BoolVar(&s.traces, "trace", false, "print the traces")
	fs.BoolVar(&s.json, "json", false, "print the result as JSON")
	fs.BoolVar(&s.stats, "stats", false, "print states, transitions, depth, memory and time")
}

// options turns the flags into options of an engine.
func (s *verifySettings) options() (check.Options, error) {
	opts := check.Options{MaxMemory: int64(s.memory), MaxStates: s.states, Timeout: s.timeout, Seed: s.seed, Workers: s.workers, HashCompaction: s.compact}
	if s.engine == "verifyta" && s.memory == defaultMemory {
		opts.MaxMemory = 0 // it has no such bound, and says so if one is asked for
	}
	if s.workers < 0 {
		return opts, fmt.Errorf("%w: -workers is 0 or more", errUsage)
	}
	switch s.order {
	case "bfs":
	case "dfs":
		opts.Order = check.DepthFirst
	case "random":
		opts.Order = check.RandomDepthFirst
	default:
		return opts, fmt.Errorf("%w: -order is bfs, dfs or random", errUsage)
	}
	if s.compact && opts.Order != check.BreadthFirst {
		return opts, fmt.Errorf("%w: -compact needs -order bfs", errUsage)
	}
	if !s.reductions {
		all := reflect.ValueOf(&opts.Reductions).Elem()
		for i := range all.NumField() {
			all.Field(i).SetBool(true) // each field switches one off
		}
	}
	return opts, nil
}

func (s *verifySettings) chosenEngine() (check.Engine, error) {
	switch s.engine {
	case "embedded":
		return check.Embedded{}, nil
	case "verifyta":
		path, err := verifyta.Find()
		return verifyta.Engine{Path: path}, err
	}
	return nil, fmt.Errorf("%w: -engine is embedded or verifyta", errUsage)
}

// verified is one line of the result of verify.
type verified struct {
	Query   string `json:"query"`
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"`
	// Omission is check.Result's: an answer that is only probable.
	Omission float64  `json:"omission,omitempty"`
	Comment  string   `json:"comment,omitempty"`
	Trace    []string `json:"trace,omitempty"`
	Steps    []step   `json:"steps,omitempty"`
}

func runVerify(c *call) (int, error) {
	var s verifySettings
	fs := c.flags()
	s.declare(fs)
	args, err := c.parse(fs, 1, 2)
	if err != nil {
		return 0, err
	}
	opts, err := s.options()
	if err != nil {
		return 0, err
	}
	net, wrong, err := readModel(args[0])
	if err != nil {
		return 0, err
	}
	queries := net.Queries
	if len(args) == 2 {
		wrong = nil // nobody asks for these
		if queries, err = readQueries(args[1]); err != nil {
			return 0, err
		}
	}
	if s.promela != "" {
		return exitNothing, s.export(c, net, queries)
	}
	if wrong != nil {
		fmt.Fprintf(c.stderr, "vtrace: left out: %v\n", wrong)
	}
	if len(queries) == 0 {
		return 0, fmt.Errorf("%w: %s has no queries: give a file of queries, one on a line", errUsage, args[len(args)-1])
	}
	engine, err := s.chosenEngine()
	if err != nil {
		return 0, err
	}
	rep := newProgress(c.stderr, false)
	opts.Progress = func(st check.Stats) {
		rate := float64(st.States) / max(st.Elapsed.Seconds(), 1e-3)
		rep.Lock()
		defer rep.Unlock()
		rep.draw("%d states, depth %d, %.0f states/s", st.States, st.Depth, rate)
	}
	report, err := engine.Verify(c.ctx, net, queries, opts)
	rep.done()
	if err != nil {
		return 0, inFile(args[0], err)
	}
	info, err := uppaal.Check(net)
	if err != nil {
		return 0, err
	}
	out := make([]verified, len(queries))
	for i, r := range report.Results {
		out[i] = verified{
			Query: uppaal.QueryString(queries[i]), Verdict: r.Verdict.String(), Reason: r.Reason, Omission: r.Omission, Comment: queries[i].Comment,
		}
		if s.traces && r.Trace != nil {
			out[i].Trace, out[i].Steps = r.Trace.Lines(info), stepsOf(info, r.Trace)
		}
	}
	write := s.writeTable
	if s.json {
		write = s.writeJSON
	}
	code := verifyCode(report)
	if wrong != nil && code == exitNothing {
		code = exitInconclusive
	}
	return code, write(c, out, report)
}

// verifyCode is the exit code: a query that is not satisfied counts more than
// one that is undecided.
func verifyCode(report *check.Report) int {
	code := exitNothing
	for _, r := range report.Results {
		switch r.Verdict {
		case check.False:
			return exitReal
		case check.Maybe, check.Error:
			code = exitInconclusive
		}
	}
	return code
}

// searchStats is check.Stats in the output.
type searchStats struct {
	States      int     `json:"states"`
	Transitions int     `json:"transitions"`
	Depth       int     `json:"depth"`
	Bytes       int64   `json:"bytes"`
	Seconds     float64 `json:"seconds"`
}

func (s *verifySettings) writeJSON(c *call, out []verified, report *check.Report) error {
	result := struct {
		Results  []verified   `json:"results"`
		Complete bool         `json:"complete"`
		Stats    *searchStats `json:"stats,omitempty"`
	}{Results: out, Complete: report.Complete}
	if s.stats {
		st := report.Stats
		result.Stats = &searchStats{st.States, st.Transitions, st.Depth, st.Bytes, st.Elapsed.Seconds()}
	}
	enc := json.NewEncoder(c.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(result)
}

func (s *verifySettings) writeTable(c *call, out []verified, report *check.Report) error {
	tw := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	for i, v := range out {
		fmt.Fprintf(tw, "%d\t%s\t%s\n", i+1, v.word(), v.Query)
		if what := v.about(); what != "" {
			fmt.Fprintf(tw, "\t\t%s\n", what)
		}
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for i, v := range out {
		if v.Reason != "" {
			fmt.Fprintf(c.stdout, "%d: %s\n", i+1, v.Reason)
		}
		if len(v.Steps) > 0 {
			if err := writeSteps(c.stdout, i+1, v.Steps); err != nil {
				return err
			}
		}
	}
	if s.stats {
		st := report.Stats
		fmt.Fprintf(c.stdout, "%d states, %d transitions, depth %d, %d bytes, %s\n", st.States, st.Transitions, st.Depth, st.Bytes, st.Elapsed.Round(time.Millisecond))
		if seconds := st.Elapsed.Seconds(); st.States > 0 && seconds > 0 {
			fmt.Fprintf(c.stdout, "%.0f states/s, %.1f bytes/state\n", float64(st.States)/seconds, float64(st.Bytes)/float64(st.States))
		}
	}
	return nil
}

// export writes the model as Promela.
func (s *verifySettings) export(c *call, net *uppaal.Network, queries []*uppaal.Query) error {
	var q *uppaal.Query
	switch len(queries) {
	case 0:
	case 1:
		q = queries[0]
	default:
		return fmt.Errorf("%w: a Promela model has one query, not %d: give a file with the one to export", errUsage, len(queries))
	}
	info, err := uppaal.Check(net)
	if err != nil {
		return err
	}
	if s.promela == "-" {
		return promela.Export(c.stdout, info, q)
	}
	var text strings.Builder
	if err := promela.Export(&text, info, q); err != nil {
		return err
	}
	return os.WriteFile(s.promela, []byte(text.String()), 0o644)
}

// word is the verdict for people.
func (v *verified) word() string {
	switch v.Verdict {
	case "M":
		if v.Omission > 0 {
			if strings.HasPrefix(v.Query, string(uppaal.Possibly)) {
				return "probably NOT satisfied"
			}
			return "probably satisfied"
		}
		return "undecided"
	case "T":
		return "satisfied"
	case "F":
		return "NOT satisfied"
	default:
		return "error"
	}
}

// about is what the comment of a query says of it, on one line: in the model of a
// program its description and where it is about, else the first line.
func (v *verified) about() string {
	parts := map[string]string{}
	lines := strings.Split(strings.TrimSpace(v.Comment), "\n")
	for _, line := range lines {
		if name, text, ok := strings.Cut(line, ": "); ok && parts[name] == "" {
			parts[name] = strings.TrimSpace(text)
		}
	}
	switch description, location := parts["description"], parts["location"]; {
	case description == "":
		return strings.TrimSpace(lines[0])
	case location == "":
		return description
	default:
		return location + ": " + description
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
