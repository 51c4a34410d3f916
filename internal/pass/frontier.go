package pass

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/source"
)

// savedFrontier is what is left to do of an exploration, with the guards that it has and
// what it has shown by then.
type savedFrontier struct {
	// Program is what it is of, see program.frontierDigest; "" in those of older versions.
	Program   string `json:",omitempty"`
	Stalls    int
	Values    int `json:",omitempty"`
	Draw      int `json:",omitempty"`
	Guards    []int
	Groups    map[int]int
	Writes    map[int]bool
	Unguarded []string
	Misuse    bool
	Durations []time.Duration `json:",omitempty"`
	Nodes     json.RawMessage
	Earlier   *orchestrate.Exhaustive
}

// readFrontier reads what Exhausted.Rest has been, of an exploration of the same program in
// the same way: of another one it would say that schedules were run that were not.
func readFrontier(data []byte, program string, how Exhaustion) (*savedFrontier, error) {
	refused := func(format string, args ...any) (*savedFrontier, error) {
		return nil, &FrontierError{Reason: fmt.Sprintf(format, args...)}
	}
	var f savedFrontier
	if err := json.Unmarshal(data, &f); err != nil {
		return refused("%v", err)
	}
	switch {
	case f.Earlier == nil || len(f.Nodes) == 0:
		return refused("it is not whole")
	case f.Program != "" && f.Program != program:
		return refused("it is of another program, or of this one before it was changed, or of another toolchain, another vtrace or other arguments: remove the file to begin anew")
	case f.Stalls != how.Stalls:
		return refused("it is of one with %d stalls, not %d", f.Stalls, how.Stalls)
	case f.Draw != how.Draw:
		return refused("it is of one with draw %d of the environment, not %d", f.Draw, how.Draw)
	case (len(f.Earlier.Preemptions) > 0) != (how.Bounding != nil):
		return refused("one of both is bounded by preemptions, the other is not")
	}
	return &f, nil
}

// restore gives an exploration the guards of the saved one.
func (f *savedFrontier) restore(a *accessGroups) {
	a.guards, a.unguarded, a.misuse, a.durations = f.Guards, f.Unguarded, f.Misuse, f.Durations
	for id, g := range f.Groups {
		a.group[id] = g
	}
	for id, w := range f.Writes {
		a.writes[id] = w
	}
}

// frontierDigest tells programs apart, with what else decides which schedules they have: the
// build of vtrace, the toolchain and how the program is built and called.
func (p *program) frontierDigest(ctx context.Context, opts Options) (string, error) {
	files, err := p.source.Files()
	if err != nil {
		return "", err
	}
	build, err := buildID()
	if err != nil {
		return "", err
	}
	tools, err := p.source.Toolchain(ctx)
	if err != nil {
		return "", err
	}
	data, err := json.Marshal([]any{build, tools, p.entry(), source.Digest(files), opts.Model})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}
