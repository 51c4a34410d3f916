package orcutil

import (
	"testing"
)

func TestMinTry(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			cfg := p.config(bubble(t))
			var found []Result
			Explore(Exploration{Config: cfg, Runs: 400, Ran: func(int, Result) {}, Found: func(end int, seed uint64, res Result) {
				if res.Outcome.Kind != "" {
					found = append(found, res)
				}
			}})
			for _, res := range found {
				cfg := p.config(bubble(t))
				cfg.Plan = Plan{Steps: res.Trace, Expect: res.Observed(), Seed: res.Seed, Choices: res.Choices, Minor: res.Minor}
				m := Minimise(Minimisation{Config: cfg, Runs: 2000, Steps: 500_000})
				t.Logf("%s: %v -> %v runs %d steps %d %v %v %s", res.Outcome.Kind, m.Before, m.After, m.Runs, m.Steps, m.Complete, m.Least, m.Left)
			}
		})
	}
}
