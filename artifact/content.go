package artifact

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/internal/proxyfile"
	"github.com/vtrace/vtrace/internal/storage"
)

// This file gives the files of a bundle as what they hold. Every call decodes
// anew, but of Sidecar and Findings: the results are the caller's own. Content is checked when a bundle is
// made, so only an absent file is left to report.

// Model returns the model in UPPAAL's XML, nil if there is none.
func (b *Bundle) Model() []byte {
	data, _ := b.Read(ModelPath)
	return data
}

// Queries returns the queries.
func (b *Bundle) Queries() []Query { return listOf[Query](b, QueriesPath) }

// Sidecar returns the sidecar, nil if there is none. It is decoded once: the caller may set its fields and append to
// them, but must not change their elements, except for those of Approximations.
func (b *Bundle) Sidecar() *Sidecar {
	if b == nil || b.sidecar == nil {
		return nil
	}
	s := *b.sidecar
	s.Sites, s.Templates, s.Accesses = slices.Clip(s.Sites), slices.Clip(s.Templates), slices.Clip(s.Accesses)
	s.Approximations, s.Completions = slices.Clone(s.Approximations), slices.Clip(s.Completions)
	return &s
}

// Verdicts returns the checker's verdicts.
func (b *Bundle) Verdicts() []Verdict { return listOf[Verdict](b, VerdictsPath) }

// Facts returns what runs have done where the model leaves something open.
func (b *Bundle) Facts() []Fact { return listOf[Fact](b, FactsPath) }

// Refutations returns what replays have refuted.
func (b *Bundle) Refutations() []Refutation { return listOf[Refutation](b, RefutationsPath) }

// Findings returns the findings. They are decoded once, since their interleavings may be long: the caller may set their
// fields and append to their lists, but must not change what is in these.
func (b *Bundle) Findings() []Finding {
	if b == nil || b.findings == nil {
		return nil
	}
	return slices.Clone(b.findings())
}

// decodeFindings is Findings, decoded, of which nothing that is appended to a list is seen by others.
func (b *Bundle) decodeFindings() []Finding {
	all := listOf[Finding](b, FindingsPath)
	for i := range all {
		f := reflect.ValueOf(&all[i]).Elem()
		for j := range f.NumField() {
			if list := f.Field(j); list.Kind() == reflect.Slice {
				list.Set(list.Slice3(0, list.Len(), list.Len()))
			}
		}
	}
	return all
}

// Races returns how data races were looked for, nil if they were not.
func (b *Bundle) Races() *RaceSearch { return contentOf[RaceSearch](b, RacesPath) }

// Runs returns how the program was run beside its model, nil if it was not.
func (b *Bundle) Runs() *Runs { return contentOf[Runs](b, RunsPath) }

// Trace returns the k-th trace (from 1) of a query, nil if there is none.
func (b *Bundle) Trace(query, k int) *Trace { return b.TraceAt(TracePath(query, k)) }

// TraceAt returns the trace at a path, as verdicts name it, nil if there is
// none.
func (b *Bundle) TraceAt(path string) *Trace {
	if !strings.HasPrefix(path, tracesDir) {
		return nil
	}
	return contentOf[Trace](b, path)
}

// SourceFiles returns the program's files by their paths relative to the root.
func (b *Bundle) SourceFiles() map[string][]byte {
	out := map[string][]byte{}
	for rel := range b.Below(SourceDir) {
		out[rel], _ = b.Read(SourceDir + "/" + rel)
	}
	return out
}

// contentOf is what a file with a form holds, nil if it is absent.
func contentOf[T any](b *Bundle, path string) *T {
	v, _ := b.value(path).(*T)
	return v
}

// listOf is contentOf for a list.
func listOf[T any](b *Bundle, path string) []T {
	if v := contentOf[[]T](b, path); v != nil {
		return *v
	}
	return nil
}

// value is what a file holds, as decodeForm gives it, nil if it is absent.
func (b *Bundle) value(path string) any {
	if b == nil {
		return nil
	}
	data, ok := b.files[path]
	if !ok {
		return nil
	}
	v, err := decodeStored(data, formOf(path))
	if err != nil {
		return nil // excluded by decodeForm
	}
	return whole(v)
}

// forms are the files with a known form, and what they hold.
var forms = map[string]reflect.Type{
	QueriesPath:     reflect.TypeFor[[]Query](),
	SidecarPath:     reflect.TypeFor[Sidecar](),
	VerdictsPath:    reflect.TypeFor[[]Verdict](),
	RefutationsPath: reflect.TypeFor[[]Refutation](),
	FactsPath:       reflect.TypeFor[[]Fact](),
	FindingsPath:    reflect.TypeFor[[]storedFinding](),
	RacesPath:       reflect.TypeFor[RaceSearch](),
	RunsPath:        reflect.TypeFor[Runs](),
}

// traceForm is that of the files in tracesDir.
var traceForm = reflect.TypeFor[storedTrace]()

const tracesDir = "traces/"

// formOf is what the file at a path holds, nil if that is not looked at.
func formOf(path string) reflect.Type {
	if strings.HasPrefix(path, tracesDir) {
		return traceForm
	}
	return forms[path]
}

// decodeForm decodes a file with a known form, as it is stored: see whole, for which it has looked at everything that could be
// wrong.
func decodeForm(path string, data []byte, form reflect.Type, lim Limits) (any, error) {
	if err := checkDecoded(data, form, lim.Decoded); err != nil {
		return nil, &CorruptError{path, err}
	}
	// Null would be no value, of which nobody thinks who has found the file.
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("null")) {
		return nil, corrupt(path, "null")
	}
	v, err := decodeStored(data, form)
	if err != nil {
		return nil, &CorruptError{path, err}
	}
	u := &unfolding{left: lim.Decoded, checks: true}
	if u.made(v); u.err != nil {
		return nil, &CorruptError{path, u.err}
	}
	return v, nil
}

// decodeStored decodes a form, by the names of today or by those of older versions.
func decodeStored(data []byte, form reflect.Type) (any, error) {
	v := reflect.New(form).Interface()
	err := storage.DecodeJSON(data, v)
	if err == nil {
		return v, nil
	}
	if _, ok := v.(*Sidecar); ok {
		if old, olderErr := decodePlaced(data); olderErr == nil {
			return old, nil
		}
	}
	return nil, err
}

// whole gives what a stored form stands for: see Reader.Value.
func whole(stored any) any {
	u := &unfolding{left: math.MaxInt64}
	return u.made(stored)
}

// made is a form with its lists made whole.
func (u *unfolding) made(stored any) any {
	switch s := stored.(type) {
	case *storedTrace:
		return s.value(u)
	case *[]storedFinding:
		list := findingsOf(*s, u)
		return &list
	}
	return stored
}

// moduleFile reports whether a path in a bundle is that of a file of a module.
func moduleFile(p string) bool {
	rel, ok := strings.CutPrefix(p, ModulesDir+"/")
	if ok {
		_, ok = proxyfile.Parse(rel)
	}
	return ok
}
