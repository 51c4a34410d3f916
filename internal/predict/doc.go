// Package predict makes plans for the orchestrator of what the analysis of a recorded run predicts.
//
// A recording has goroutines and operations by numbers of its own, and a plan has them as controlled runs
// do: goroutines by creation path, operations by the key of their site and how often the goroutine has passed
// it. Both programs are numbered by one index of sites, so that the keys are the same. Not every
// recorded operation has a guard of its own, see plan.go.
package predict
