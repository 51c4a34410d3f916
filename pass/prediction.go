package pass

import (
	"io"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/analyze"
	"github.com/vtrace/vtrace/internal/trace"
)

// Predicting says which run errors are predicted from.
type Predicting struct {
	// From is a recording of the program, in the form that vtrace.ReadRecording reads; nil: the program is run
	// and recorded first, as Recording says. Recording.To may be nil then.
	From io.Reader
	Recording
	// Limits are those of the analysis.
	Limits AnalysisLimits
}

// Predicted is what was predicted from a recorded run, and what has become of it when the program was made
// to follow it.
type Predicted struct {
	// Bundle has the findings: a bundle of a deep pass, of a program without a model.
	Bundle *artifact.Bundle
	// Recorded is how the run has ended, nil if it was given.
	Recorded    *Recorded
	Analysis    *Analysis
	Predictions []Prediction
}

// Prediction is what has become of a prediction.
type Prediction struct {
	// Code is that of the analysis; "" if no analysis claims an error, and something is to be tried all the same.
	Code AnalysisCode
	// Message says what was predicted.
	Message string
	Outcome PredictionOutcome
	// Reason says why it is not confirmed, or what was seen instead.
	Reason string
}

// PredictionOutcome is what has become of a prediction.
type PredictionOutcome string

// The outcomes.
const (
	// PredictionConfirmed: the program has followed it to the error, three times.
	PredictionConfirmed PredictionOutcome = "confirmed"
	// PredictionOther: there was an error, and another one than was predicted.
	PredictionOther PredictionOutcome = "another error"
	// PredictionRefuted: the program has followed it, and there was no error, nor in runs near it.
	PredictionRefuted PredictionOutcome = "refuted"
	// PredictionUnconfirmed: the program did not follow it, or not to the same end again.
	PredictionUnconfirmed PredictionOutcome = "unconfirmed"
)

// Recording says how a run is recorded.
type Recording struct {
	// To is what the recording is written to, in the form that vtrace.ReadRecording reads.
	To io.Writer
	// Timeout ends the program; 0 is no bound.
	Timeout time.Duration
	// MaxBytes bounds what is recorded, before it is compressed; 0 is 4 GiB. What is done beyond that
	// is not recorded.
	MaxBytes int64
	// Accesses has reads and writes of memory that goroutines may share recorded, too, which data races are
	// predicted from.
	Accesses bool
	// Seed, if not nil, has the program run under control, by the random choices that Explore makes with that seed and
	// vtrace.WithStrategy, which is not the portfolio. What the program prints is given to Stdout and Stderr at its end then, a
	// megabyte of each.
	Seed *uint64
	// Stdout and Stderr get what the program prints; nil: nobody does.
	Stdout, Stderr io.Writer
}

// Recorded is how a run that was recorded has ended.
type Recorded struct {
	// Program is what was run: the package and the entry.
	Program string
	// End is how it has ended, in words: "exit status 2", "signal: killed", "timeout", "interrupted". Of a run under
	// control it is what was observed.
	End string
	// Code is its exit code, -1 if there is none, as of a run under control.
	Code int
	// Limits are what is not in the recording, and why, but for what Recording.MaxBytes has cut off.
	Limits []string
}

// What an analysis of a recorded run says, which predictions come from: see docs/analyses.md.
type (
	// Analysis is what an analysis has found: Findings, and what it has not looked at.
	Analysis = analyze.Result
	// AnalysisFinding is one of them, with the operations that it is about.
	AnalysisFinding = analyze.Finding
	// AnalysisCode identifies an analysis, as "A01". docs/analyses.md has a section for each.
	AnalysisCode = analyze.Code
	// AnalysisLevel is "error", "warning" or "note".
	AnalysisLevel = analyze.Level
	// AnalysisOperation is an operation of a recorded run, with its place in the source.
	AnalysisOperation = analyze.Operation
	// GoroutineID is the number of a goroutine in a recording, from 1.
	GoroutineID = trace.GoroutineID
	// AnalysisCoverage says for which orders of operations on buffered channels a result holds.
	AnalysisCoverage = analyze.Coverage
	// AnalysisLimits bound an analysis. Those that are 0 have their defaults.
	AnalysisLimits = analyze.Limits
)
