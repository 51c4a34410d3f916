package pass

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/vtrace/vtrace/internal/orchestrate"
)

// The ways to run the program, see Options.Sandbox.
const (
	// SandboxPreferred runs it in what the system offers. If that is nothing, the program
	// runs without, and an event, Unsandboxed, says so.
	SandboxPreferred = "preferred"
	// SandboxRequired does not run it without all of a sandbox: a *SandboxError says what is
	// missing.
	SandboxRequired = "required"
)

// SandboxError says why there is no sandbox.
type SandboxError = orchestrate.SandboxError

// checkSandbox says what is wrong with Options.Sandbox.
func (o Options) checkSandbox() error {
	switch o.Sandbox {
	case "", SandboxPreferred, SandboxRequired:
		return nil
	}
	return &OptionError{Option: "sandbox", Reason: fmt.Sprintf("there is none that is %q: %q and %q are known", o.Sandbox, SandboxPreferred, SandboxRequired)}
}

// sandboxed sets the sandbox up that the options ask for, once for all passes of a check. The
// caller must call close.
func (o Options) sandboxed(ctx context.Context, env []string) (_ Options, close func() error, err error) {
	none := func() error { return nil }
	if err := o.checkSandbox(); err != nil {
		return o, none, err
	}
	if o.Sandbox == "" || o.triedSandbox {
		return o, none, nil
	}
	if ctx == nil {
		return o, none, &ArgumentError{Name: "context", Reason: "nil"}
	}
	o.triedSandbox = true
	say := func(e Unsandboxed) {
		if o.Progress != nil {
			o.Progress(e)
		}
	}
	with := o.newSandbox
	if with == nil {
		with = orchestrate.NewSandbox
	}
	s, err := with(ctx, env, "")
	var missing *SandboxError
	switch {
	case errors.As(err, &missing) && o.Sandbox == SandboxPreferred:
		say(Unsandboxed{Reason: missing.Reason})
		return o, none, nil
	case err != nil:
		return o, none, err
	}
	if len(s.Unbounded) > 0 {
		reason := strings.Join(s.Unbounded, "; ")
		if o.Sandbox == SandboxRequired {
			return o, none, errors.Join(&SandboxError{Reason: reason}, s.Close())
		}
		say(Unsandboxed{Reason: reason, Partly: true})
	}
	o.sandbox = s
	return o, s.Close, nil
}
