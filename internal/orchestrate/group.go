package orchestrate

import (
	"context"
	"errors"
	"os/exec"
	"time"

	"github.com/vtrace/vtrace/internal/group"
)

// errTimeout: the command did not end within its time.
var errTimeout = errors.New("timeout")

const (
	// quitDelay is how long a command may take to print its stacks.
	quitDelay = 2 * time.Second
	// pipeDelay is how long pipes may stay open after the end of a command:
	// processes that it has left behind may hold them.
	pipeDelay = 200 * time.Millisecond
)

// runGroup runs a command in a group, which is killed when the command has ended or
// the context is done. After the timeout, if it is not 0, the command is asked for its
// stacks and then killed.
func runGroup(ctx context.Context, cmd *exec.Cmd, timeout time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	cmd.WaitDelay = pipeDelay
	g, err := group.Start(cmd)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- g.Wait() }()

	var expired <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		expired = timer.C
	}
	late := false
	for {
		select {
		case err := <-ended:
			switch {
			case late:
				return errTimeout
			case errors.Is(err, exec.ErrWaitDelay) && cmd.ProcessState.Success():
				return nil // a process left behind held the pipes
			}
			return err
		case <-ctx.Done():
			_ = g.Kill()
			<-ended
			return ctx.Err()
		case <-expired:
			if late || !g.Quit() {
				_ = g.Kill()
				<-ended
				return errTimeout
			}
			late = true
			expired = time.After(quitDelay)
		}
	}
}
