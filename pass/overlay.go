package pass

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/orchestrate"
	"github.com/vtrace/vtrace/parse"
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
		side.Approximations = append(side.Approximations, artifact.Approximation{
			File: d.File, Line: d.Line, Col: d.Col,
			Kind: "not-instrumented", Direction: artifact.DirectionControl, Reason: d.Reason,
		})
	}
}

// writeOverlay writes the overlay of a bundle to a scratch directory and
// returns the file for the -overlay flag of the go command.
func writeOverlay(ctx context.Context, b *artifact.Bundle, dir string, target orchestrate.Target) (string, error) {
	o := &parse.Overlay{
		Files: map[string][]byte{}, Runtime: map[string][]byte{},
		RuntimeDir: parse.DefaultRuntimePath, RuntimeStd: true,
	}
	for path, data := range b.Below(artifact.OverlayDir) {
		if rel, ok := strings.CutPrefix(path, overlayProgram); ok {
			o.Files[rel] = data
		} else if rel, ok := strings.CutPrefix(path, overlayRuntime); ok {
			o.Runtime[rel] = data
		}
	}
	goroot, err := gorootOf(ctx, target)
	if err != nil {
		return "", err
	}
	return o.Write(dir, target.Root, goroot)
}

// gorootOf is the directory of the installation of Go that builds a target.
func gorootOf(ctx context.Context, target orchestrate.Target) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "env", "GOROOT")
	cmd.Dir, cmd.Env = target.Dir, target.Env
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
