package bundle

import (
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
)

// Slim returns a bundle without what is not needed to keep its verdicts and findings, to replay
// these, and to go on from it: without logs and facts, and of a deep pass without refutations,
// and without the traces and tests that no finding names. It has the digest of b as
// SlimmedFrom, or that of what b was slimmed from. A bundle with nothing to leave out is
// returned as it is.
func Slim(b *artifact.Bundle) (*artifact.Bundle, error) {
	if b == nil {
		return nil, &artifact.ArgumentError{Name: "bundle", Reason: "nil"}
	}
	m := b.Manifest()
	deep := m.Pass == artifact.PassDeep
	named := map[string]bool{}
	for _, f := range b.Findings() {
		named[f.Trace], named[f.Test] = true, true
		if f.Minimised != nil {
			named[f.Minimised.Of] = true
		}
	}
	// What is left out can be made again from what stays.
	drop := func(p string) bool {
		switch {
		case strings.HasPrefix(p, artifact.LogsDir+"/"), p == artifact.FactsPath:
			return true
		case !deep:
			return false // the deep pass replays all traces
		}
		_, _, numbered := numbers(p)
		return p == artifact.RefutationsPath || numbered && !named[p]
	}
	if !slices.ContainsFunc(b.Paths(), drop) {
		return b, nil
	}
	if m.SlimmedFrom == "" {
		m.SlimmedFrom = b.Digest()
	}
	if m.Version != artifact.Version {
		// A bundle that is made has the newest version.
		raw, err := artifact.EncodeJSON(b.Options())
		if err != nil {
			return nil, err
		}
		if m.Options != nil {
			m.Options = raw
		}
	}
	out := artifact.New(m)
	for _, p := range b.Paths() {
		if !drop(p) {
			data, _ := b.Read(p)
			out.Put(p, data)
		}
	}
	if verdicts := b.Verdicts(); verdicts != nil {
		for i := range verdicts {
			verdicts[i].Traces = slices.DeleteFunc(verdicts[i].Traces, drop)
		}
		out.SetVerdicts(verdicts)
	}
	return out.Bundle()
}
