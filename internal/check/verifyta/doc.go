// Package verifyta is an engine of package check that drives an installed
// verifyta, the command-line checker of UPPAAL 4.1 or 5. UPPAAL is neither
// needed nor shipped by vtrace; this is for users who have it.
//
//	path, err := verifyta.Find()
//	...
//	report, err := verifyta.Engine{Path: path}.Verify(ctx, net, queries, check.Options{})
//
// Every query is a run of its own, so that one that is aborted does not hide
// the answers to the others. Verdicts, errors, statistics and the textual
// traces are read from what verifyta prints.
//
// # Traces as files
//
// [WriteXTR] and [ReadXTR] are for the .xtr files of UPPAAL's simulator and of verifyta -f,
// [WriteXML] and [ReadXML] for what verifyta -X writes, and [ReadTrace] reads what verifyta -t prints.
// The forms are those of UPPAAL's own open-source tool tracer and of its example, and of
// public readers of the XML. No UPPAAL has opened a file of WriteXTR or WriteXML yet:
// where it numbers edges or orders variables of a model in another way than that tool
// and its example show, it will refuse the file or show another trace.
//
// # Limits
//
//   - Options.MaxMemory, MaxStates, HashCompaction and Refuted are refused,
//     since verifyta cannot be told. Timeout bounds all queries together.
//     Workers and Reductions are without effect: they change no answer.
//   - stuck(P) is not of UPPAAL, and what sup, inf and bounds print is not documented well
//     enough to be read; such a query is an Error.
//   - A trace is read by names: a step whose edge cannot be told from another
//     by its labels, or a state without the expected variables, leaves the
//     result without a trace and with the reason. Traces of liveness queries do
//     not say where their loop closes. No trace is replayed here, unlike those
//     of the embedded engine.
//   - Statistics are the largest numbers of states and bytes of one query, as
//     verifyta counts them after its own reductions; it does not tell the
//     transitions and the depth, what was explored, nor what was known when a query was
//     decided (Report.Decided is empty). Options.Deadline is without effect.
package verifyta
