package pass

import (
	"context"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/source"
)

// The two parts of an overlay in a bundle: files of the program, and those of
// the runtime, which is a package of the standard library in the overlay.
const (
	overlayProgram = "program/"
	overlayRuntime = "runtime/"
)

// putOverlay puts an instrumented program into a bundle. What the
// instrumentation does not control goes to the sidecar.
func putOverlay(b *artifact.Builder, o *parse.Overlay, side *artifact.Sidecar) {
	for path, data := range o.Files {
		b.AddOverlay(overlayProgram+path, data)
	}
	for name, data := range o.Runtime {
		b.AddOverlay(overlayRuntime+name, data)
	}
	for _, d := range o.Diagnostics {
		if d.Files {
			continue // only a run tells whether there is anything to it
		}
		kind, direction := "not-instrumented", artifact.DirectionControl
		switch {
		case d.Access:
			kind = approximation.Access
		case d.Number:
			kind, direction = approximation.Input, artifact.DirectionOver
		}
		side.Approximations = append(side.Approximations, artifact.Approximation{
			File: d.File, Line: d.Line, Col: d.Col,
			Kind: kind, Direction: direction, Reason: d.Reason,
		})
	}
}

// delivery is an instrumented program as the go command takes it.
type delivery struct {
	overlay  string // file for the -overlay flag
	modcache string // "" is the one that is there
}

// deliver writes an instrumented program to a scratch directory.
func (p *program) deliver(ctx context.Context, o *parse.Overlay, dir string, target orchestrate.Target, opts Options) (delivery, error) {
	env, err := p.goSettings(ctx, target, opts)
	if err != nil {
		return delivery{}, err
	}
	var d delivery
	whole := *o
	whole.Changed = target.Changed
	if d.overlay, err = whole.Write(dir, target.Root, env.GOROOT); err != nil {
		return d, err
	}
	d.modcache, err = whole.ModCache(dir, env.GOMODCACHE)
	return d, err
}

// overlayOf is the overlay in a bundle of a program.
func overlayOf(b *artifact.Bundle, prog *source.Program) *parse.Overlay {
	o := &parse.Overlay{
		Files: map[string][]byte{}, Runtime: map[string][]byte{},
		RuntimeDir: parse.DefaultRuntimePath, RuntimeStd: true,
		Dependencies: prog.Dependencies,
	}
	for path, data := range b.Below(artifact.OverlayDir) {
		if rel, ok := strings.CutPrefix(path, overlayProgram); ok {
			o.Files[rel] = data
		} else if rel, ok := strings.CutPrefix(path, overlayRuntime); ok {
			o.Runtime[rel] = data
		}
	}
	return o
}
