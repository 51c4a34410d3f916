package artifact

import "strings"

// This file gives the files of a bundle as what they hold. Every call decodes
// anew: the results are the caller's own. Content is checked when a bundle is
// made, so only an absent file is left to report.

// Model returns the model in UPPAAL's XML, nil if there is none.
func (b *Bundle) Model() []byte {
	data, _ := b.Read(ModelPath)
	return data
}

// Queries returns the queries.
func (b *Bundle) Queries() []Query { return decodeFile[[]Query](b, QueriesPath) }

// Sidecar returns the sidecar, nil if there is none.
func (b *Bundle) Sidecar() *Sidecar { return decodeFile[*Sidecar](b, SidecarPath) }

// Verdicts returns the checker's verdicts.
func (b *Bundle) Verdicts() []Verdict { return decodeFile[[]Verdict](b, VerdictsPath) }

// Facts returns what runs have done where the model leaves something open.
func (b *Bundle) Facts() []Fact { return decodeFile[[]Fact](b, FactsPath) }

// Refutations returns what replays have refuted.
func (b *Bundle) Refutations() []Refutation { return decodeFile[[]Refutation](b, RefutationsPath) }

// Findings returns the findings.
func (b *Bundle) Findings() []Finding { return decodeFile[[]Finding](b, FindingsPath) }

// Races returns how data races were looked for, nil if they were not.
func (b *Bundle) Races() *RaceSearch { return decodeFile[*RaceSearch](b, RacesPath) }

// Runs returns how the program was run beside its model, nil if it was not.
func (b *Bundle) Runs() *Runs { return decodeFile[*Runs](b, RunsPath) }

// Trace returns the k-th trace (from 1) of a query, nil if there is none.
func (b *Bundle) Trace(query, k int) *Trace { return decodeFile[*Trace](b, TracePath(query, k)) }

// TraceAt returns the trace at a path, as verdicts name it, nil if there is
// none.
func (b *Bundle) TraceAt(path string) *Trace {
	if !strings.HasPrefix(path, "traces/") {
		return nil
	}
	return decodeFile[*Trace](b, path)
}

// SourceFiles returns the program's files by their paths relative to the root.
func (b *Bundle) SourceFiles() map[string][]byte {
	out := map[string][]byte{}
	for rel := range b.Below(SourceDir) {
		out[rel], _ = b.Read(SourceDir + "/" + rel)
	}
	return out
}

func decodeFile[T any](b *Bundle, path string) T {
	var v T
	if data, ok := b.files[path]; ok {
		if err := decodeJSON(data, &v); err != nil {
			var zero T
			return zero // excluded by checkContent
		}
	}
	return v
}

// checkContent decodes every file with a known form.
func (b *Bundle) checkContent() error {
	for _, f := range b.manifest.Files {
		var v any
		switch {
		case f.Path == QueriesPath:
			v = new([]Query)
		case f.Path == SidecarPath:
			v = new(Sidecar)
		case f.Path == VerdictsPath:
			v = new([]Verdict)
		case f.Path == RefutationsPath:
			v = new([]Refutation)
		case f.Path == FactsPath:
			v = new([]Fact)
		case f.Path == FindingsPath:
			v = new([]Finding)
		case f.Path == RacesPath:
			v = new(RaceSearch)
		case f.Path == RunsPath:
			v = new(Runs)
		case strings.HasPrefix(f.Path, "traces/"):
			v = new(Trace)
		default:
			continue
		}
		if err := decodeJSON(b.files[f.Path], v); err != nil {
			return &CorruptError{f.Path, err}
		}
	}
	return nil
}
