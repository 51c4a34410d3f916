package pass

import (
	"errors"
	"go/token"

	"github.com/hashicorp/go-multierror"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/sidecar"
	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// outside is the model of a program that has none: it does nothing, and its
// approximations say that what the program does is outside. It is nil if there is
// another reason for the error than the program.
func (p *program) outside(err error) *translate.Model {
	var refusals []*translate.UnsupportedError
	var many *multierror.Error
	var one *translate.UnsupportedError
	switch {
	case errors.As(err, &many):
		for _, e := range many.Errors {
			if !errors.As(e, &one) {
				return nil
			}
			refusals = append(refusals, one)
		}
	case errors.As(err, &one):
		refusals = append(refusals, one)
	}
	if len(refusals) == 0 {
		return nil
	}
	var why []artifact.Approximation
	for _, r := range refusals {
		why = append(why, noModel(r.Pos, r.What+" not supported: "+r.Reason))
	}
	return p.withoutModel(why)
}

// noModel is a reason why there is no model.
func noModel(at token.Position, why string) artifact.Approximation {
	return artifact.Approximation{
		File: at.Filename, Line: at.Line, Col: at.Column,
		Kind: approximation.Outside, Direction: artifact.DirectionUnder,
		Reason: "there is no model of the program: " + why,
	}
}

// position is that of the entry function.
func (p *program) position() token.Position {
	pos := p.source.Fset.Position(p.source.Func.Pos())
	pos.Filename = p.source.Rel(pos.Filename)
	return pos
}

// withoutModel is the model of a program that has none for these reasons.
func (p *program) withoutModel(why []artifact.Approximation) *translate.Model {
	start := &uppaal.Location{Name: "start"}
	m := &translate.Model{
		Network: &uppaal.Network{
			Templates: []*uppaal.Template{{Name: "Outside", Locations: []*uppaal.Location{start}, Init: start}},
			System:    uppaal.SystemLine{Names: []*uppaal.Ident{{Name: "Outside"}}, Below: []bool{}},
		},
		Sidecar: *p.sidecar(),
	}
	m.Sidecar.Entry = p.entry()
	m.Sidecar.Templates = []artifact.TemplateInfo{{
		Name: "Outside", Role: string(sidecar.RoleGoroutine), Locations: []artifact.LocationInfo{{Name: start.Name}}, Edges: []artifact.EdgeInfo{},
	}}
	m.Sidecar.Approximations = append(m.Sidecar.Approximations, why...)
	return m
}
