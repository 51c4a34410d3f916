package pass

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/explain"
	"github.com/vtrace/vtrace/internal/orchestrate"
)

// Replay runs one Orchestration test of a deep pass again: that of the k-th
// trace of a query, named as in "q3-1". The trace in the bundle is what is
// replayed.
func Replay(ctx context.Context, deepPass *artifact.Bundle, test string, opts Options) (_ *orchestrate.Verdict, err error) {
	defer caught(&err)
	if err := present(ctx, deepPass); err != nil {
		return nil, err
	}
	if err := expect(deepPass, artifact.PassDeep); err != nil {
		return nil, err
	}
	if opts, err = opts.inherit(deepPass); err != nil {
		return nil, err
	}
	query, trace, err := testNumbers(deepPass, test)
	if err != nil {
		return nil, err
	}
	opts, close, err := opts.sandboxed(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, close()) }()
	rep := reporter{artifact.PassDeep, opts.Progress}
	p, err := opts.loading(ctx, rep, func(ctx context.Context) (*program, error) { return reload(ctx, deepPass, opts) })
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	d := &deep{opts: opts, program: p, rep: rep, side: deepPass.Sidecar(), target: p.target(deepPass.Sidecar(), opts)}
	var plan artifact.Plan
	if trace.Plan != nil {
		plan = *trace.Plan
	} else if plan, err = orchestrate.PlanOf(d.side, trace, query); err != nil {
		return nil, err
	}
	remove, err := d.build(ctx, deepPass)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	defer d.rep.stage("replay")()
	v, err := orchestrate.Replay(ctx, d.binary, plan, orchestrate.RunOptions{Timeout: opts.Watchdog})
	if err == nil && opts.Record != nil {
		err = d.recordReplay(ctx, v, test)
	}
	if err == nil {
		judgeAsProved(deepPass, test, v)
	}
	return v, err
}

// asProved is why an error is real that no run can prove: goroutines are stuck while others go on for ever.
const asProved = "the program has come there, and nothing has ended it since step %d while others went on; in the model nothing that they can do ends it"

// judgeAsProved judges a replay at whose end the goroutines were stuck while others went on as the check has judged the same:
// that they can never go on was proved in the model. The check has seen them stuck since the same step; a finding that it
// has called real for another reason says nothing of such an end.
func judgeAsProved(b *artifact.Bundle, test string, v *orchestrate.Verdict) {
	if v.Status != orchestrate.Limit || v.Since == 0 {
		return
	}
	name := strings.TrimSuffix(strings.TrimPrefix(test, "tests/"), "_test.go")
	reason := fmt.Sprintf(asProved, v.Since)
	for _, f := range b.Findings() {
		if f.Test == "tests/"+name+"_test.go" && f.Verdict == artifact.Real && explain.Stuck(f.Kind) && f.Reason == reason {
			v.Status, v.Kind, v.Reason = orchestrate.Reproduced, f.Kind, reason
		}
	}
}

// testNumbers finds the query and the trace of a test: "q3-1", or its path in
// the bundle.
func testNumbers(b *artifact.Bundle, test string) (artifact.Query, *artifact.Trace, error) {
	name := strings.TrimSuffix(strings.TrimPrefix(test, "tests/"), "_test.go")
	q, k, _ := strings.Cut(strings.TrimPrefix(name, "q"), "-")
	number, err1 := strconv.Atoi(q)
	trace, err2 := strconv.Atoi(k)
	if err := errors.Join(err1, err2); err != nil || !strings.HasPrefix(name, "q") {
		return artifact.Query{}, nil, &ArgumentError{Name: "test", Reason: fmt.Sprintf("%q is not the name of a test, as in q3-1", clip(test))}
	}
	tr := b.Trace(number, trace)
	for _, query := range b.Queries() {
		if query.Number == number && tr != nil {
			return query, tr, nil
		}
	}
	return artifact.Query{}, nil, fmt.Errorf("no test %s in the bundle: %w", name, os.ErrNotExist)
}
