package translate

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate/internal/dump"

	"github.com/vtrace/vtrace/internal/translate/internal/library"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
)

// Operations are the names of the functions of the library that the translator knows.
func Operations() []string { return slices.Sorted(maps.Keys(library.New().Known)) }

// TextFunctions are those whose results it computes from texts.
func TextFunctions() []string {
	return program.TextFunctions()
}

// Repeated is the solution of a program, and what it is after every location was executed once more.
func Repeated(ctx context.Context, prog *source.Program, idx *sites.Index, opts Options) (solution, again string, err error) {
	p, err := Prepare(ctx, prog, idx)
	if err != nil {
		return "", "", err
	}
	x, _, err := p.solve(ctx, opts)
	if err != nil {
		return "", "", err
	}
	var before, after bytes.Buffer
	dump.Solution(&before, x.Explorer)
	for _, t := range x.Templates {
		for _, l := range t.Locations {
			if l.Seen {
				x.Enqueue(l)
			}
		}
	}
	x.Run()
	dump.Solution(&after, x.Explorer)
	return before.String(), after.String(), ctx.Err()
}
