package pass

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/semver"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/source"
)

// The result of a check is kept by all that decides of it: the build of vtrace, the
// toolchain, the options, and what of the program its entry can reach. A function that the
// entry cannot reach may change: the result holds. One that has findings is not taken then,
// since their tests have the files of the program as they were.

// resultInputs is what decides of the result of a check.
type resultInputs struct {
	Build   string          `json:"build"`     // of vtrace, see buildID
	Runtime string          `json:"runtime"`   // the version of Go that vtrace was built with
	Go      json.RawMessage `json:"toolchain"` // see source.Program.Toolchain
	Entry   artifact.Entry  `json:"entry"`
	Options json.RawMessage `json:"options"` // those that a bundle records
	// The rest of the options that change a result.
	Stall    time.Duration `json:"stall"`
	Strategy Strategy      `json:"strategy"`
	Budget   time.Duration `json:"budget"`
	Watchdog time.Duration `json:"watchdog"`
	// Sandbox: what a program may do shows in what it does.
	Sandbox string `json:"sandbox,omitempty"`
	// VendorDeps: the bundle has more in it.
	VendorDeps bool `json:"vendorDeps,omitempty"`
	// Reachable is source.Program.ReachableDigest.
	Reachable string `json:"reachable"`
}

// checkUnlessUnchanged checks the program, if its result is not known from before.
func (p *program) checkUnlessUnchanged(ctx context.Context, opts Options, rep reporter, check func() (*artifact.Bundle, error)) (*artifact.Bundle, error) {
	in, err := p.resultInputs(ctx, opts)
	if err == nil {
		var b *artifact.Bundle
		if b, err = p.unchanged(in, opts, rep); b != nil {
			return b, nil
		}
	}
	if err != nil {
		rep.send(ResultsUnusable{Err: err})
	}
	b, err := check()
	if err != nil {
		return nil, err
	}
	if in != nil && !interrupted(ctx, opts.Interrupt) {
		if err := opts.Results.Put(in, b); err != nil {
			rep.send(ResultsUnusable{Err: err})
		}
	}
	return b, nil
}

// interrupted reports whether a check was ended by its caller.
func interrupted(ctx context.Context, interrupt <-chan struct{}) bool {
	select {
	case <-interrupt:
		return true
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// unchanged is the result of an earlier check that holds for this one, nil if there is none.
func (p *program) unchanged(in *resultInputs, opts Options, rep reporter) (*artifact.Bundle, error) {
	b, _, err := opts.Results.Get(in)
	if b == nil {
		return nil, err
	}
	files, err := p.source.Files()
	if err != nil {
		return nil, err
	}
	elsewhere := b.Manifest().Source != source.Digest(files)
	if elsewhere && len(b.Findings()) > 0 {
		return nil, nil
	}
	rep.send(Unchanged{Elsewhere: elsewhere})
	return b, nil
}

func (p *program) resultInputs(ctx context.Context, opts Options) (*resultInputs, error) {
	build, err := buildID()
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	tools, err := p.source.Toolchain(ctx)
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	options, err := opts.record(artifact.PassDeep)
	if err != nil {
		return nil, fmt.Errorf("results: options: %w", err)
	}
	reachable, err := p.source.ReachableDigest()
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	return &resultInputs{
		Build: build, Runtime: runtime.Version(), Go: tools, Entry: p.entry(), Options: options,
		Stall: opts.Stall, Strategy: opts.Strategy, Budget: opts.Budget, Watchdog: opts.Watchdog, Sandbox: opts.Sandbox, VendorDeps: opts.VendorDeps, Reachable: reachable,
	}, nil
}

// buildID tells builds of vtrace apart: by the version of a release, or of a commit, else by
// what is in the executable.
var buildID = sync.OnceValues(func() (string, error) {
	if v := Version(); semver.IsValid(v) && !strings.Contains(semver.Build(v), "dirty") {
		return v, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
})
