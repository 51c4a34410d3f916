package pass

import public "github.com/vtrace/vtrace/pass"

// What the passes are asked and say is declared in the public package of the same name, which depends on nothing
// that has to do with how they do it.
type (
	Event           = public.Event
	StageStarted    = public.StageStarted
	StageDone       = public.StageDone
	SearchProgress  = public.SearchProgress
	BoundsRaised    = public.BoundsRaised
	Replayed        = public.Replayed
	QueryDecided    = public.QueryDecided
	Unchanged       = public.Unchanged
	ResultsUnusable = public.ResultsUnusable
	Unsandboxed     = public.Unsandboxed

	Conclusion        = public.Conclusion
	Precision         = public.Precision
	Exhaustion        = public.Exhaustion
	Exhausted         = public.Exhausted
	Explored          = public.Explored
	Bounding          = public.Bounding
	Fuzzing           = public.Fuzzing
	Input             = public.Input
	Fuzzed            = public.Fuzzed
	Recording         = public.Recording
	Recorded          = public.Recorded
	Predicting        = public.Predicting
	Predicted         = public.Predicted
	Prediction        = public.Prediction
	PredictionOutcome = public.PredictionOutcome
	Exported          = public.Exported
	ExportedResult    = public.ExportedResult

	OptionError   = public.OptionError
	PassError     = public.PassError
	RefusedError  = public.RefusedError
	ChangeError   = public.ChangeError
	FrontierError = public.FrontierError
	ModulesError  = public.ModulesError
	RuntimeError  = public.RuntimeError
	InternalError = public.InternalError
)

const (
	LoadStage      = public.LoadStage
	LibrariesStage = public.LibrariesStage

	PredictionConfirmed   = public.PredictionConfirmed
	PredictionOther       = public.PredictionOther
	PredictionRefuted     = public.PredictionRefuted
	PredictionUnconfirmed = public.PredictionUnconfirmed
)
