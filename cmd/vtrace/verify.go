package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/check/promela"
	"github.com/vtrace/vtrace/internal/check/verifyta"
	"github.com/vtrace/vtrace/internal/uppaal"
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
	query      string
	format     string
	traceOut   string

	traces, json, stats bool
}

func (s *verifySettings) declare(fs *flag.FlagSet) {
	s.memory = defaultMemory // a model may be anybody's
	fs.Var(&s.memory, "memory", "bound the memory of the search, as in 500M or 2G; 0 is no bound")
	fs.IntVar(&s.states, "states", 0, "bound the number of states")
	fs.DurationVar(&s.timeout, "timeout", 0, "bound the time of everything: reading the model, the search, and the traces, for which a tenth of the time is left")
	fs.StringVar(&s.order, "order", "bfs", "order of the search: bfs (shortest traces), dfs or random (depth first)")
	fs.Uint64Var(&s.seed, "seed", 0, "seed of -order random")
	fs.IntVar(&s.workers, "workers", 0, "bound the cores that the search uses; 0: all")
	fs.BoolVar(&s.reductions, "reductions", true, reductionsUsage)
	fs.BoolVar(&s.compact, "compact", false, "keep hashes of states instead of states: less memory for wide states, but \"satisfied\" becomes \"probably satisfied\"")
	fs.StringVar(&s.engine, "engine", "embedded", "what verifies: embedded, or verifyta (an installed UPPAAL)")
	fs.StringVar(&s.promela, "promela", "", "write the model as Promela for Spin to `FILE` (\"-\": standard output) instead of verifying; with one query")
	fs.StringVar(&s.query, "query", "", "verify only the queries with these `NUMBERS`, as in 2,5")
	fs.BoolVar(&s.traces, "trace", false, "print the traces")
	fs.StringVar(&s.format, "trace-format", "text", "`FORMAT` of traces: text; and in files, see -trace-out, json, xtr (UPPAAL's simulator) or xml (as verifyta -X)")
	fs.StringVar(&s.traceOut, "trace-out", "", "write each trace to a file PREFIX-NUMBER.FORMAT, with the number of its query, instead of printing it: the `PREFIX`")
	fs.BoolVar(&s.json, "json", false, "print the result as JSON")
	fs.BoolVar(&s.stats, "stats", false, "print states, transitions, depth, memory and time: of the search, and until each query was decided")
}

// options turns the flags into options of an engine.
func (s *verifySettings) options() (check.Options, error) {
	opts := check.Options{MaxMemory: int64(s.memory), MaxStates: s.states, Seed: s.seed, Workers: s.workers, HashCompaction: s.compact}
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
	switch s.format {
	case "text":
	case "json", "xtr", "xml":
		if s.traceOut == "" {
			return opts, fmt.Errorf("%w: -trace-format %s needs -trace-out, for the names of the files", errUsage, s.format)
		}
	default:
		return opts, fmt.Errorf("%w: -trace-format is text, json, xtr or xml", errUsage)
	}
	if !s.reductions {
		opts.Reductions = check.NoReductions()
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
	// Number is the place of the query in its file, counted from 1, past those that were
	// left out or not asked for.
	Number  int    `json:"number"`
	Query   string `json:"query"`
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"`
	// Omission is check.Result's: an answer that is only probable.
	Omission float64  `json:"omission,omitempty"`
	Comment  string   `json:"comment,omitempty"`
	Values   []values `json:"values,omitempty"`
	Trace    []string `json:"trace,omitempty"`
	Steps    []step   `json:"steps,omitempty"`
	// TraceFile is what -trace-out has written.
	TraceFile string       `json:"traceFile,omitempty"`
	Stats     *searchStats `json:"stats,omitempty"`

	op    uppaal.PathOp
	found *check.Trace
}

// values are what a sup, inf or bounds query has measured of an expression; neither if
// no state counts.
type values struct {
	Expression string `json:"expression"`
	Inf        *int32 `json:"inf,omitempty"`
	Sup        *int32 `json:"sup,omitempty"`
}

// unparsed is a query that does not parse.
type unparsed struct {
	Number  int    `json:"number"`
	Query   string `json:"query"`
	Reason  string `json:"reason"`
	Comment string `json:"comment,omitempty"`
}

// job is what a call of verify is about.
type job struct {
	net     *uppaal.Network
	info    *uppaal.Info
	queries []*uppaal.Query
	without []unparsed // queries of the model
}

func runVerify(c *call) (int, error) {
	var s verifySettings
	fs := c.flags()
	s.declare(fs)
	args, err := c.parse(fs, 1, 2)
	if err != nil {
		return 0, err
	}
	start := time.Now()
	opts, err := s.options()
	if err != nil {
		return 0, err
	}
	ctx := c.ctx
	var more time.Duration // for what ends by itself
	if s.timeout > 0 {
		more = s.timeout / 10
		opts.Timeout, opts.Deadline = s.timeout-more, start.Add(s.timeout)
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, start.Add(opts.Timeout), errLate)
		defer cancel()
	}
	j, err := within(ctx, more, func() (*job, error) {
		if ctx.Err() != nil { // a small model may be read sooner than that is noticed
			return nil, context.Cause(ctx)
		}
		return s.read(c, args)
	})
	if errors.Is(err, errLate) {
		fmt.Fprintf(c.stderr, "vtrace: %s: %v while the model was read: no query is decided\n", args[0], err)
		if s.json {
			return exitInconclusive, s.writeJSON(c, &job{}, []verified{}, &check.Report{})
		}
		return exitInconclusive, nil
	}
	if err != nil {
		return 0, err
	}
	if s.promela != "" {
		return exitNothing, s.export(c, j.info, j.queries)
	}
	for _, l := range j.without {
		fmt.Fprintf(c.stderr, "vtrace: left out: %s: %s\n", args[0], l.Reason)
	}
	if len(j.queries) == 0 {
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
	report, err := within(ctx, more, func() (*check.Report, error) {
		return engine.Verify(ctx, j.net, j.queries, opts)
	})
	rep.done()
	if errors.Is(err, errLate) {
		report, err = undecided(len(j.queries)), nil
	}
	if err != nil {
		return 0, inFile(args[0], err)
	}
	out := s.results(j, report)
	if s.traceOut != "" {
		if err := s.writeTraces(j.info, out); err != nil {
			return 0, err
		}
	}
	write := s.writeTable
	if s.json {
		write = s.writeJSON
	}
	code := verifyCode(report)
	if len(j.without) > 0 && code == exitNothing {
		code = exitInconclusive
	}
	return code, write(c, j, out, report)
}

// undecided is the report of an engine that did not end in time.
func undecided(queries int) *check.Report {
	report := &check.Report{}
	for range queries {
		report.Results = append(report.Results, check.Result{Verdict: check.Maybe, Reason: errLate.Error() + " while the search was prepared or ended"})
	}
	return report
}

// read reads the model and the queries: those of a file, else those of the model, else
// those of the file beside it that has its name with the ending .q, as textual models
// have it.
func (s *verifySettings) read(c *call, args []string) (*job, error) {
	if len(args) == 2 && args[0] == standardInput && args[1] == standardInput {
		return nil, fmt.Errorf("%w: the model and the queries cannot both be read from the standard input", errUsage)
	}
	net, err := c.readModel(args[0])
	if err != nil {
		return nil, err
	}
	j := &job{net: net, queries: slices.Clone(net.Queries)}
	for _, l := range net.LeftOut {
		j.without = append(j.without, unparsed{Number: l.Number, Query: strings.TrimSpace(l.Text), Reason: l.Err.Error(), Comment: l.Comment})
	}
	switch {
	case len(args) == 2:
		j.without = nil // nobody asks for these
		j.queries, err = c.readQueries(args[1])
	case len(j.queries) == 0:
		j.queries, err = c.queriesBeside(args[0])
	}
	if err != nil {
		return nil, err
	}
	if j.info, err = uppaal.Check(net); err != nil {
		return nil, inFile(args[0], err)
	}
	return j, s.choose(j)
}

// choose keeps the queries that -query names.
func (s *verifySettings) choose(j *job) error {
	if s.query == "" {
		return nil
	}
	wanted := map[int]bool{}
	for field := range strings.SplitSeq(s.query, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil || n < 1 {
			return fmt.Errorf("%w: -query has numbers of queries, as in 2,5, not %q", errUsage, field)
		}
		wanted[n] = false
	}
	asked := func(n int) bool {
		_, ok := wanted[n]
		if ok {
			wanted[n] = true
		}
		return ok
	}
	j.queries = slices.DeleteFunc(j.queries, func(q *uppaal.Query) bool { return !asked(q.Number) })
	j.without = slices.DeleteFunc(j.without, func(l unparsed) bool { return !asked(l.Number) })
	for _, n := range slices.Sorted(maps.Keys(wanted)) {
		if !wanted[n] {
			return fmt.Errorf("%w: there is no query %d", errUsage, n)
		}
	}
	return nil
}

// results turns the report of an engine into lines.
func (s *verifySettings) results(j *job, report *check.Report) []verified {
	out := make([]verified, len(j.queries))
	for i, r := range report.Results {
		q := j.queries[i]
		out[i] = verified{
			Number: q.Number, Query: uppaal.QueryString(q), Verdict: r.Verdict.String(), Reason: r.Reason, Omission: r.Omission, Comment: q.Comment,
			op: q.Op, found: r.Trace,
		}
		for k, m := range r.Measured {
			v := values{Expression: uppaal.ExprString(q.Of[k])}
			if m.Reached && q.Op != uppaal.Supremum {
				v.Inf = &m.Min
			}
			if m.Reached && q.Op != uppaal.Infimum {
				v.Sup = &m.Max
			}
			out[i].Values = append(out[i].Values, v)
		}
		if s.traces && r.Trace != nil {
			out[i].Trace, out[i].Steps = r.Trace.Lines(j.info), stepsOf(j.info, r.Trace)
		}
		if s.stats && i < len(report.Decided) {
			out[i].Stats = newSearchStats(report.Decided[i])
		}
	}
	return out
}

// writeTraces writes the traces to files.
func (s *verifySettings) writeTraces(info *uppaal.Info, out []verified) error {
	ending := map[string]string{"text": "txt"}[s.format]
	if ending == "" {
		ending = s.format
	}
	for i := range out {
		v := &out[i]
		if v.found == nil {
			continue
		}
		var text bytes.Buffer
		if err := s.writeTrace(&text, info, v); err != nil {
			return fmt.Errorf("the trace of query %d: %w", v.Number, err)
		}
		v.TraceFile = fmt.Sprintf("%s-%d.%s", s.traceOut, v.Number, ending)
		if err := os.WriteFile(v.TraceFile, text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (s *verifySettings) writeTrace(w io.Writer, info *uppaal.Info, v *verified) error {
	switch s.format {
	case "json":
		return encode(w, struct {
			Number int    `json:"number"`
			Query  string `json:"query"`
			Steps  []step `json:"steps"`
		}{v.Number, v.Query, stepsOf(info, v.found)})
	case "xtr":
		return verifyta.WriteXTR(w, info, v.found)
	case "xml":
		return verifyta.WriteXML(w, info, v.found)
	}
	fmt.Fprintf(w, "trace of query %d: %s\n", v.Number, v.Query)
	return writeSteps(w, stepsOf(info, v.found))
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
	Explored    int     `json:"explored"`
	Transitions int     `json:"transitions"`
	Depth       int     `json:"depth"`
	Bytes       int64   `json:"bytes"`
	Seconds     float64 `json:"seconds"`
}

func newSearchStats(st check.Stats) *searchStats {
	return &searchStats{st.States, st.Explored, st.Transitions, st.Depth, st.Bytes, st.Elapsed.Seconds()}
}

func (st *searchStats) String() string {
	return fmt.Sprintf("%d states, %d explored, %d transitions, depth %d, %d bytes, %.3fs", st.States, st.Explored, st.Transitions, st.Depth, st.Bytes, st.Seconds)
}

func (s *verifySettings) writeJSON(c *call, j *job, out []verified, report *check.Report) error {
	result := struct {
		Results []verified `json:"results"`
		// LeftOut are queries of the model that do not parse.
		LeftOut  []unparsed   `json:"leftOut,omitempty"`
		Complete bool         `json:"complete"`
		Stats    *searchStats `json:"stats,omitempty"`
	}{Results: out, LeftOut: j.without, Complete: report.Complete}
	if s.stats {
		result.Stats = newSearchStats(report.Stats)
	}
	return encode(c.stdout, result)
}

func (s *verifySettings) writeTable(c *call, _ *job, out []verified, report *check.Report) error {
	tw := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	for _, v := range out {
		fmt.Fprintf(tw, "%d\t%s\t%s\n", v.Number, v.word(), v.Query)
		if what := v.about(); what != "" {
			fmt.Fprintf(tw, "\t\t%s\n", what)
		}
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, v := range out {
		if v.Reason != "" {
			fmt.Fprintf(c.stdout, "%d: %s\n", v.Number, v.Reason)
		}
		if v.TraceFile != "" {
			fmt.Fprintf(c.stdout, "%d: trace in %s\n", v.Number, v.TraceFile)
		} else if len(v.Steps) > 0 {
			fmt.Fprintf(c.stdout, "\ntrace of query %d:\n", v.Number)
			if err := writeSteps(c.stdout, v.Steps); err != nil {
				return err
			}
		}
	}
	if s.stats {
		for _, v := range out {
			if v.Stats != nil {
				fmt.Fprintf(c.stdout, "%d: decided after %s\n", v.Number, v.Stats)
			}
		}
		fmt.Fprintln(c.stdout, newSearchStats(report.Stats))
		if st := report.Stats; st.States > 0 && st.Elapsed > 0 {
			fmt.Fprintf(c.stdout, "%.0f states/s, %.1f bytes/state\n", float64(st.States)/st.Elapsed.Seconds(), float64(st.Bytes)/float64(st.States))
		}
	}
	return nil
}

// export writes the model as Promela.
func (s *verifySettings) export(c *call, info *uppaal.Info, queries []*uppaal.Query) error {
	var q *uppaal.Query
	switch len(queries) {
	case 0:
	case 1:
		q = queries[0]
	default:
		return fmt.Errorf("%w: a Promela model has one query, not %d: choose one with -query", errUsage, len(queries))
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

// word is the verdict for people, or what was measured.
func (v *verified) word() string {
	if v.op.Measures() && v.Verdict != check.Error.String() {
		return v.measured()
	}
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

// measured gives the values of a query that measures; of a search that was ended early
// those that were seen.
func (v *verified) measured() string {
	var list []string
	for _, m := range v.Values {
		switch {
		case m.Inf != nil && m.Sup != nil:
			list = append(list, fmt.Sprintf("[%d, %d]", *m.Inf, *m.Sup))
		case m.Inf != nil:
			list = append(list, strconv.Itoa(int(*m.Inf)))
		case m.Sup != nil:
			list = append(list, strconv.Itoa(int(*m.Sup)))
		default:
			list = append(list, "no state")
		}
	}
	text := strings.Join(list, ", ")
	if v.Verdict != check.True.String() {
		return strings.TrimSuffix("undecided; so far "+text, "; so far ")
	}
	return text
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
