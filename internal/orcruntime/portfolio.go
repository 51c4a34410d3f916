//go:build go1.25

package orcruntime

import "math"

// portfolio is StrategyPortfolio: it says which strategy the next run has.
type portfolio struct {
	arms []Strategy
	// runs and reward are, by arm, how many runs there were and what they have shown, both with
	// a discount.
	runs, reward []float64
	coverage     *coverage
}

const (
	// discount is what a run still counts after the next one.
	discount = 0.995
	// everyArm is how many runs have one that goes to the arms in turn.
	everyArm = 4
)

func newPortfolio() *portfolio {
	all := arms()
	return &portfolio{arms: all, runs: make([]float64, len(all)), reward: make([]float64, len(all)), coverage: newCoverage()}
}

// choose is the arm of the run with a seed: one that has had none; one in turn; or the one with
// the greatest upper bound of what it may be worth.
func (p *portfolio) choose(seed uint64) int {
	n := uint64(len(p.arms))
	sum := 0.0
	for i := range n {
		// Processes of one run each begin with all of them.
		if arm := int((seed + i) % n); p.runs[arm] == 0 {
			return arm
		}
		sum += p.runs[i]
	}
	if seed%everyArm == 0 {
		return int(seed / everyArm % n)
	}
	best, highest := 0, 0.0
	for i := range p.arms {
		bound := p.reward[i]/p.runs[i] + math.Sqrt(2*math.Log(max(sum, 1))/p.runs[i])
		if bound > highest {
			best, highest = i, bound
		}
	}
	return best
}

// learn takes up what the run with an arm has shown.
func (p *portfolio) learn(arm int) {
	class, features := p.coverage.end()
	worth := 0.0
	if class {
		worth += 0.5
	}
	if features > 0 {
		worth += 0.5
	}
	for i := range p.arms {
		p.runs[i] *= discount
		p.reward[i] *= discount
	}
	p.runs[arm]++
	p.reward[arm] += worth
}
